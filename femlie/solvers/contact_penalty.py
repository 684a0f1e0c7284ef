"""The stiffness that a penalty on contacts starts from: what the contacts meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._equations import evaluate_blocks, start_step, update_signals
from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..elements.base import Array, IntArray, Motion
from ..lie import quaternion
from ..linear import SOLVED, Factorization, refactor, solve
from ..newton import load_size
from ..system import System
from .factors import analyze_assembly
from .march import run
from .shift import load_shift

# contacts whose compliance is looked at, at most: the middle value of lines, and points
LINE_SAMPLES, POINT_SAMPLES = 40, 100
# compliance below this part of the largest: a node that cannot move
HELD = 1e-8
# where nothing else holds a body, its load presses it into others by 1e-4 of the size
# of the model in the first round, the shift of the diagonal being about 4 / size
SPRINGS = 2500.0
# load steps that begin with rounds of penalty after one that needed them
STEPS_WITH_ROUNDS = 4
# and by 1e-6 where friction bears a part of it: contacts must not open meanwhile
STIFFER_WITH_FRICTION = 100.0
# what stays of these in the matrix, over the shift
WEAK = 1e-6


class Rounds:
    """Which load steps begin with rounds of penalty.

    Parameters
    ----------
    has_friction : bool
    """

    def __init__(self, *, has_friction: bool) -> None:
        self.has_friction = has_friction
        self.began_without = False
        self.left = 0

    def wanted(self, *, had: bool, touches: bool) -> bool:
        """Whether the next load step begins with rounds.

        Parameters
        ----------
        had : bool
            Whether the last one had rounds.
        touches : bool
            Whether any contact bears a force.
        """
        self.left -= 1
        if had and self.began_without and self.has_friction:
            # stick and slip have alternated without them
            self.left = STEPS_WITH_ROUNDS
        wants = self.left > 0 or not touches
        self.began_without = not wants
        return wants


def set_penalties(
    assembly: Assembly, motion: Motion, middle: float | None = None
) -> float | None:
    """Stiffness of the penalty for each multiplier, one over the compliance it meets.

    ``D_j = dg_j K^-1 dg_j^T`` without contact. Of line contacts the middle value of
    ``1/(size D)`` holds for all; a point has its own. A slave node that cannot move
    along the normal bears no multiplier: it would be settled against the bending
    errors of both meshes by large forces without a lever.

    Parameters
    ----------
    assembly : Assembly
        The last block is that of contacts.
    motion : Motion
    middle : float or None
        The value for lines if it is known; the answer does not depend on it.

    Returns
    -------
    float or None
        The value for lines; None if there is none yet.
    """
    system = assembly.system
    b = len(system.blocks) - 1
    codes = system.blocks[b].codes
    parameters = eq_view(assembly.equations, b, "parameters")
    iterates = eq_view(assembly.equations, b, "iterates")
    owners = np.argwhere(codes[:, layout.OWNS : layout.OWNS + 2] == 1)
    if not len(owners):
        return middle
    numbers = codes[owners[:, 0], layout.MULTIPLIER + owners[:, 1]]
    sizes = iterates[owners[:, 0], layout.SIZE + owners[:, 1]]
    is_line = codes[owners[:, 0], layout.FORM] == layout.LINE
    is_used = is_line & (sizes > 0.0)
    n_lines = LINE_SAMPLES if middle is None else 1
    chosen = _looked_at(system, owners, is_line, is_used, n_lines=n_lines)
    compliance, own = _compliances(assembly, motion, owners, numbers, chosen)
    is_node_held = is_line & _is_small(own)
    is_held = _is_small(compliance) | is_node_held
    # a node that nothing ties can move
    untied = np.setdiff1d(np.flatnonzero(is_line), chosen)
    is_held[untied] = is_node_held[untied] = False
    is_known = ~is_held & (compliance > 0.0)
    stiffness = np.divide(1.0, compliance, where=is_known, out=np.ones(numbers.size))
    looked_at = chosen[(is_used & is_known)[chosen]]
    if middle is None and looked_at.size:
        middle = float(np.median(stiffness[looked_at] / sizes[looked_at]))
    if middle is not None:
        # a node without share now may get one when the next round begins
        is_empty = is_line & (sizes == 0.0)
        length = np.where(is_empty, parameters[owners[:, 0], layout.LENGTH], sizes)
        stiffness[is_line] = middle * length[is_line]
        is_held &= ~is_empty | is_node_held
    stiffness[is_held] = 0.0
    _put(parameters, codes, numbers, stiffness)
    return middle


def _is_small(compliance: Array) -> Any:
    """Whether something cannot move, compared with what moves most."""
    return ~(compliance > HELD * compliance.max(initial=0.0))


def _put(
    parameters: Array, codes: IntArray, numbers: IntArray, stiffness: Array
) -> None:
    """Stiffness of each multiplier into all rows that have it."""
    by_number = np.zeros(numbers.max() + 1)
    by_number[numbers] = stiffness
    wanted = codes[:, layout.MULTIPLIER : layout.MULTIPLIER + layout.N_MULTIPLIERS]
    columns = slice(layout.PENALTY, layout.PENALTY + layout.N_MULTIPLIERS)
    parameters[:, columns] = np.where(wanted < 0, 0.0, by_number[wanted])


def _looked_at(
    system: System, owners: IntArray, is_line: Any, is_used: Any, *, n_lines: int
) -> IntArray:
    """Multipliers whose compliance is found: some of lines, points, nodes in ties."""
    may_be_held = _may_be_held(system, owners)
    lines = _spread((is_used if is_used.any() else is_line) & ~may_be_held, n_lines)
    points = _spread(~is_line, POINT_SAMPLES)
    return np.unique(np.concatenate([lines, points, np.flatnonzero(may_be_held)]))


def _spread(is_wanted: Any, most: int) -> IntArray:
    """Numbers that are wanted, at most so many, evenly spread."""
    found = np.flatnonzero(is_wanted)
    if found.size <= most:
        return found
    return np.asarray(found[np.linspace(0, found.size - 1, most).astype(np.int64)])


def _may_be_held(system: System, owners: IntArray) -> Any:
    """Whether the node of each multiplier is locked somewhere, or in a constraint."""
    is_tied = np.any(system.dofs.numbers < 0, axis=1)
    for block in system.blocks[:-1]:
        if block.n_multipliers > 0:
            is_tied[block.frames] = True
    frames = system.blocks[-1].frames[owners[:, 0]]
    return is_tied[frames[np.arange(len(owners)), owners[:, 1]]]


def _compliances(
    assembly: Assembly,
    motion: Motion,
    owners: IntArray,
    numbers: IntArray,
    chosen: IntArray,
) -> tuple[Array, Array]:
    """``dg K^-1 dg^T`` of multipliers, contact being off; of their nodes alone.

    Found for those that are ``chosen``, others lie on lines between them.
    """
    system = assembly.system
    rows = _gradients(assembly, motion, numbers)
    factorization, data = _factors(assembly, motion)
    # nodes in ties, and some others to compare them with
    is_tied = _may_be_held(system, owners[chosen])
    pushed = np.union1d(chosen[is_tied], chosen[~is_tied][:: chosen.size // 3 + 1])
    nodes = _pushed_nodes(assembly, motion, owners[pushed])
    found = np.zeros((2, numbers.size))
    step = np.zeros(system.dofs.n_rows)
    first = system.dofs.n_frame_rows
    for k in chosen.tolist():
        one = rows[k].toarray().ravel()
        one[first:] = 0.0
        solve(factorization, data, one, step)
        found[0, k] = float(one @ step)
    for k, vector in zip(pushed.tolist(), nodes, strict=True):
        if vector.any():
            solve(factorization, data, vector, step)
            found[1, k] = float(vector @ step)
    unpushed = np.setdiff1d(chosen, pushed)
    found[1, unpushed] = found[1].max(initial=0.0)
    left = np.setdiff1d(np.arange(numbers.size), chosen)
    for values in found if chosen.size else ():
        values[left] = np.interp(left, chosen, values[chosen])
    found[~np.isfinite(found)] = 0.0
    return found[0], found[1]


def _gradients(assembly: Assembly, motion: Motion, numbers: IntArray) -> Any:
    """Rows of all multipliers of contacts; the target then holds the rest alone."""
    system = assembly.system
    b = len(system.blocks) - 1
    parameters = eq_view(assembly.equations, b, "parameters")
    saved, stage = motion.multipliers.copy(), float(motion.time[layout.STAGE])
    run(assembly, start_step, motion)
    # all closed: their rows
    parameters[:, layout.PENALTY : layout.PENALTY + 2] = 1e-200
    motion.multipliers[numbers] = 1.0
    motion.time[layout.STAGE] = layout.EXACT
    target = assembly.target
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 1.0)
    rows = assembly.matrix(target.data).tocsr()[system.dofs.n_frame_rows + numbers]
    motion.multipliers[:] = saved
    motion.time[layout.STAGE] = layout.OFF
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 1.0)
    motion.time[layout.STAGE] = stage
    return rows


def _factors(assembly: Assembly, motion: Motion) -> tuple[Factorization, Array]:
    """Factors of the matrix in the target, which is without contact, and their data.

    With springs where something moves freely, or may do so, as bodies.
    """
    model = assembly.system.contact
    assert model is not None
    data = assembly.target.data[:-1].copy()
    factorization = analyze_assembly(assembly, data)
    is_held = refactor(factorization, data) == SOLVED
    if is_held and not model.has_bodies:
        return factorization, data
    springs = _springs(assembly, motion, is_held=is_held)
    if springs.any():
        data[assembly.diagonal[: springs.size]] += springs
        factorization = analyze_assembly(assembly, data)
    if refactor(factorization, data) != SOLVED:
        # parts that only contact holds, without load: as if weak springs did
        diagonal = assembly.diagonal[: assembly.system.dofs.n_frame_rows]
        data[diagonal] += 1e-6 * np.abs(data[diagonal])
        factorization = analyze_assembly(assembly, data)
        refactor(factorization, data)
    return factorization, data


def _springs(assembly: Assembly, motion: Motion, *, is_held: bool) -> Array:
    """(n_rows,) springs that hold bodies in place of contact, by the whole load.

    And rods, where not all is held without contact. Weak ones stay in the matrix.
    """
    model = assembly.system.contact
    assert model is not None
    load = _full_load(assembly, motion)
    shift = load_shift(assembly)[: assembly.system.dofs.n_frame_rows]
    b = len(assembly.system.blocks) - 1
    parameters = eq_view(assembly.equations, b, "parameters")
    slaves = assembly.system.blocks[b].codes[:, layout.SLAVE]
    is_body = model.segments.carriers[slaves] >= 0
    for k, part in enumerate((slice(0, 3), slice(3, 6))):
        rows = assembly.system.dofs.numbers[1:, part]
        weakest = shift[rows[rows >= 0]].min(initial=np.inf)
        weak = WEAK * load * weakest if np.isfinite(weakest) else 0.0
        parameters[:, layout.WEAK + k] = np.where(is_body | (not is_held), weak, 0.0)
    # rods that roll turn about their axis: there springs count over the radius
    rods = parameters[~is_body]
    rods[:, layout.WEAK + 1] = rods[:, layout.WEAK] * rods[:, layout.RADII] ** 2
    parameters[~is_body] = rods
    stiffer = STIFFER_WITH_FRICTION if model.rubs_on_shapes else 1.0
    return np.asarray(stiffer * SPRINGS * load * shift)


def _full_load(assembly: Assembly, motion: Motion) -> float:
    """Size of the whole load; the target keeps its tangent."""
    saved = float(motion.time[0])
    motion.time[0] = 1.0
    run(assembly, update_signals, motion)
    target = assembly.target
    tangent = target.data.copy()
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 0.0)
    n_rows = assembly.system.dofs.n_rows
    numbers = assembly.equations.numbers
    load = float(load_size(target.residual, numbers, n_rows, assembly.system.size))
    motion.time[0] = saved
    run(assembly, update_signals, motion)
    target.data[:] = tangent
    return load


def _pushed_nodes(assembly: Assembly, motion: Motion, owners: IntArray) -> Array:
    """(n, n_rows) unit forces along the normal on the slave node of each multiplier."""
    system = assembly.system
    b = len(system.blocks) - 1
    iterates = eq_view(assembly.equations, b, "iterates")[owners[:, 0]]
    parameters = eq_view(assembly.equations, b, "parameters")[owners[:, 0]]
    frames = system.blocks[b].frames[owners[:, 0]]
    first = motion.poses[frames[:, 0], 3:]
    node = frames[np.arange(len(owners)), owners[:, 1]]
    # the normal of the integration point next to the node, in the node's own axes
    at = layout.POINT_WIDTH * np.where(owners[:, 1] == 0, 0, layout.N_POINTS - 1)
    columns = (at + layout.NORMAL)[:, None] + np.arange(3)
    normal = quaternion.rotate(first, np.take_along_axis(iterates, columns, axis=1))
    force = quaternion.rotate(quaternion.conjugate(motion.poses[node, 3:]), normal)
    at = layout.SLAVE_OFFSETS + 7 * owners[:, 1]
    arm = np.take_along_axis(parameters, at[:, None] + np.arange(3), axis=1)
    wrench = np.hstack([force, np.cross(arm, force)])
    vectors = np.zeros((len(owners), system.dofs.n_rows))
    rows = system.dofs.numbers[node]
    where, column = np.nonzero(rows >= 0)
    vectors[where, rows[where, column]] = wrench[where, column]
    return vectors
