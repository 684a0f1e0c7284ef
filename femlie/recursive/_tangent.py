"""Matrix of a Newton step along a tree, with motions and joint wrenches as unknowns.

Unknowns of a body: its motion x, what its velocity and acceleration vary beyond it,
``dv = damping x + V`` and ``da = mass x + A``, and the wrench f that its joint carries;
of a joint the steps q of its coordinates. With ``X = Ad(K)^-1`` of a body in its
parent, the coordinates' twists S, ``s = S q'`` and the shares ``s_t``, ``z_t`` of s and
``S q''`` that are fixed in the parent, the place varies by ``stiffness x`` and

- ``x = X x_P + S q``
- ``V = X V_P + Z_v q`` and ``A = X A_P - ad(s) (damping x + V) + Z_a q``
- ``f = (stiffness K + damping C + mass M) x + C V + M A + sum X_c^T (f_c - ad(S q)^T
  f_c)`` over the bodies that blocks couple, and over the children c
- force along a coordinate ``S^T f``, with twists that turn with the parent.

``Z_v`` and ``Z_a`` are the exact derivatives of the recursions in `_motion`; rates and
second rates vary by ``damping T^-1 q`` and ``mass T^-1 q``, T of the joint's step. No
entry joins bodies but neighbors in the tree and those that a block couples.

Source: Park, Bobrow, Ploen 1995 (recursions); Sonneville and Bruels 2014.
"""

from __future__ import annotations

from .._jit import inline, kernel, routine
from ..elements._scatter import load3, load9
from ..lie import _kernels as lie
from ._data import (
    DAMPING,
    IS_ABELIAN,
    MASS,
    MOTION,
    N_FREE,
    STIFFNESS,
    SUBGROUP,
)
from ._joints import coordinate_twist
from ._matrices import (
    JOINT,
    TURNING,
    TURNING_SECOND,
    add_bracket,
    carry_row,
    set_joint_rows,
    turns_with_parent,
)

# rows of the work array; the first four are those of `_matrices`
(CARRIED, SECOND, STEP, RATE, TURNING_RATE, SPEED, CHANGE) = range(4, 11)
N_TANGENT_WORK = 11


@kernel
def fill_tangent(problem, task):
    """Values of the matrix at the present motion and joint wrenches."""
    newton = problem.newton
    newton.data[:] = 0.0
    take_blocks(newton, problem.target.data)
    for b in range(problem.tree.frames.shape[0]):
        set_rows(problem, b)
        at = put_links(problem, b, newton.starts[b])
        for c in range(problem.tree.kinds[b, N_FREE]):
            vary_joint(problem, b, c)
            at = put_coordinate(problem, b, c, at)


@routine
def take_blocks(newton, data):
    """What the blocks say: weighted for x, damping for V, mass for A."""
    for k in range(newton.copies.shape[0]):
        source = newton.copies[k, 0]
        newton.data[newton.copies[k, 1]] += data[source]
        newton.data[newton.copies[k, 2]] += newton.damping[source]
        newton.data[newton.copies[k, 3]] += newton.mass[source]


@routine
def set_rows(problem, b):
    """Twist of a joint, its shares, and what the parent's motion brings."""
    tree, geometry, work = problem.tree, problem.geometry, problem.newton.work
    motion, parent = problem.motion, tree.parent_frames[b]
    set_joint_rows(tree, problem.relative, geometry, problem.second_rates, b, work)
    carry_row(geometry, b, motion.velocities, parent, work, CARRIED)
    carry_row(geometry, b, motion.accelerations, parent, work, SECOND)


@inline
def put(newton, at, value):
    newton.data[newton.slots[at]] += value
    return at + 1


@routine
def put_links(problem, b, at):
    """Entries that do not belong to a coordinate."""
    newton = problem.newton
    for _ in range(18):
        at = put(newton, at, 1.0)
    for _ in range(6):
        at = put(newton, at, -1.0)
    u, w = load3(newton.work, JOINT, 0), load3(newton.work, JOINT, 3)
    uh, wh = lie.hat(u), lie.hat(w)
    for factor in (1.0, newton.weights[DAMPING]):
        # ad(s) = [[w^, u^], [0, w^]]
        for i in range(3):
            for j in range(3):
                if i != j:
                    at = put(newton, at, factor * wh[3 * i + j])
                    at = put(newton, at, factor * uh[3 * i + j])
                    at = put(newton, at, factor * wh[3 * i + j])
    if problem.tree.parents[b] < 0:
        return at
    r = load9(problem.geometry.rotations, b, 0)
    # X = [[R^T, -R^T p^], [0, R^T]]
    t = lie.transpose(r)
    d = lie.multiply(t, lie.hat(load3(problem.geometry.places, b, 0)))
    for i in range(3):
        for j in range(3):
            for _ in range(3):
                at = put(newton, at, -t[3 * i + j])
                at = put(newton, at, d[3 * i + j])
                at = put(newton, at, -t[3 * i + j])
            at = put(newton, at, t[3 * i + j])
            at = put(newton, at, -d[3 * i + j])
            at = put(newton, at, t[3 * i + j])
    return at


@routine
def set_rate_rows(problem, b, c):
    """``S T^-1 e_c``, and the share of it that is fixed in the parent."""
    tree, work = problem.tree, problem.newton.work
    directions, n = problem.geometry.directions, tree.kinds[b, N_FREE]
    for j in range(6):
        work[RATE, j] = work[TURNING_RATE, j] = 0.0
    if tree.kinds[b, IS_ABELIAN] != 0:
        turns = turns_with_parent(tree, b, c)
        for j in range(6):
            work[RATE, j] = directions[b, c, j]
            work[TURNING_RATE, j] = directions[b, c, j] if turns else 0.0
        return
    # SPEED and CHANGE are free until `vary_joint` needs them
    twist, change = work[SPEED], work[CHANGE]
    coordinate_twist(tree, b, problem.steps, twist)
    u, w = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    first, second = lie.inverse_coefficients(lie.dot(w, w))
    a, d = lie.tangent_inverse_blocks(u, w, first, second)
    axis = tree.directions[b, c]
    for i in range(3):
        if axis >= 3:
            change[i] = d[3 * i + axis - 3]
            change[3 + i] = a[3 * i + axis - 3]
            if tree.kinds[b, MOTION] != SUBGROUP:
                change[i] = 0.0
        else:
            change[i] = a[3 * i + axis]
            change[3 + i] = 0.0
            if tree.kinds[b, MOTION] != SUBGROUP:
                change[i] = 1.0 if i == axis else 0.0
    for k in range(n):
        turns = turns_with_parent(tree, b, k)
        size = change[tree.directions[b, k]]
        for j in range(6):
            work[RATE, j] += size * directions[b, k, j]
            if turns:
                work[TURNING_RATE, j] += size * directions[b, k, j]


@routine
def vary_joint(problem, b, c):
    """``Z_v`` into row SPEED and ``Z_a`` into row CHANGE, for one coordinate."""
    work, weights = problem.newton.work, problem.newton.weights
    k, d, m = weights[STIFFNESS], weights[DAMPING], weights[MASS]
    set_rate_rows(problem, b, c)
    for j in range(6):
        step = problem.geometry.directions[b, c, j]
        work[STEP, j] = step
        work[SPEED, j] = d * (work[RATE, j] - step)
        work[CHANGE, j] = m * (work[RATE, j] - step)
        work[RATE, j] *= d
        work[TURNING_RATE, j] *= d
    add_bracket(work, SPEED, -k, work, STEP, work, CARRIED)
    add_bracket(work, SPEED, -k, work, STEP, work, TURNING)
    add_bracket(work, CHANGE, -k, work, STEP, work, SECOND)
    add_bracket(work, CHANGE, -k, work, STEP, work, TURNING_SECOND)
    # of s and of its share that is fixed in the parent
    add_bracket(work, RATE, -k, work, STEP, work, TURNING)
    add_bracket(work, TURNING_RATE, -k, work, STEP, work, TURNING)
    add_bracket(work, CHANGE, -1.0, work, RATE, work, TURNING)
    add_bracket(work, CHANGE, -1.0, work, JOINT, work, TURNING_RATE)
    velocities, frame = problem.motion.velocities, problem.tree.frames[b]
    for j in range(6):
        work[STEP, j] = velocities[frame, j]
    add_bracket(work, CHANGE, 1.0, work, STEP, work, RATE)


@routine
def put_coordinate(problem, b, c, at):
    """Column and row of one coordinate."""
    newton, tree, geometry = problem.newton, problem.tree, problem.geometry
    work, k = newton.work, newton.weights[STIFFNESS]
    s = geometry.directions[b]
    for j in range(6):
        at = put(newton, at, -s[c, j])
        at = put(newton, at, -work[SPEED, j])
        at = put(newton, at, -work[CHANGE, j])
        at = put(newton, at, s[c, j])
    u, w = load3(s, c, 0), load3(s, c, 3)
    fu, fw = load3(problem.wrenches, b, 0), load3(problem.wrenches, b, 3)
    if tree.parents[b] >= 0:
        # -X^T ad(s)^T f
        r, p = load9(geometry.rotations, b, 0), load3(geometry.places, b, 0)
        force = lie.apply(r, lie.cross(w, fu))
        moment = lie.apply(r, lie.add(lie.cross(w, fw), lie.cross(u, fu)))
        moment = lie.add(moment, lie.cross(p, force))
        for j in range(3):
            at = put(newton, at, k * force[j])
            at = put(newton, at, k * moment[j])
    for i in range(tree.kinds[b, N_FREE]):
        value = 0.0
        if turns_with_parent(tree, b, i):
            x, y = load3(s, i, 0), load3(s, i, 3)
            du, dw = lie.add(lie.cross(w, x), lie.cross(u, y)), lie.cross(w, y)
            value = -k * (lie.dot(du, fu) + lie.dot(dw, fw))
        at = put(newton, at, value)
    return at
