"""The gap between two segments with its first and second variation.

``g = |r| - r_S - r_M`` with ``r = x_S - x_M``, ``n = r/|r|``. With ``g`` the least
distance over the free parameters, and v the reduced coordinates of both segments,

- ``dg = n . (dx_S - dx_M)``: the parameters do not enter
- ``d2g = n . (d2x_S - d2x_M) + sum_k a_k a_k^T / |r| - b^T Phi^-1 b``

where ``a_k`` are the first variations along two directions across ``n``, b those of
the gradient with the free parameters, and ``Phi`` the second derivatives of the
distance in these. In local coordinates d2g is not symmetric: ``d2g_ij - d2g_ji =
-dg . [E_i, E_j]``.

Sources: Konyukhov and Schweizerhof 2010 (closest points), Bosten et al. 2021 (local
frames); the second variation is derived here.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from ._segments import bow, bow_coefficients, bow_gradient, bow_second, load4

UNIT3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# vectors over the 24 reduced coordinates: along the normal, across it, parameters
ALONG, ACROSS, TANGENT, SLAVE_SLOPE, MASTER_SLOPE = range(5)
# rigid shapes have seven of their own
N_VECTORS = 7


@inline
def put3(array, i, j, v):
    array[i, j], array[i, j + 1], array[i, j + 2] = v[0], v[1], v[2]


@inline
def load9(array, i, j):
    """Nine numbers of a row, as a matrix."""
    return (*load3(array, i, j), *load3(array, i, j + 3), *load3(array, i, j + 6))


@inline
def add3(array, i, j, factor, v):
    array[i, j] += factor * v[0]
    array[i, j + 1] += factor * v[1]
    array[i, j + 2] += factor * v[2]


@inline
def add9(array, i, j, factor, m):
    for k in range(9):
        array[i, j + k] += factor * m[k]


@inline
def put33(array, i, j, m):
    put3(array, i, j, (m[0], m[1], m[2]))
    put3(array, i + 1, j, (m[3], m[4], m[5]))
    put3(array, i + 2, j, (m[6], m[7], m[8]))


@inline
def add33(array, i, j, m):
    for k in range(3):
        array[i, j + k] += m[k]
        array[i + 1, j + k] += m[3 + k]
        array[i + 2, j + k] += m[6 + k]


@inline
def two_across(n):
    """Two unit vectors across a unit vector."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    helper = UNIT3[2]
    if x <= y and x <= z:
        helper = UNIT3[0]
    elif y <= z:
        helper = UNIT3[1]
    first = lie.cross(n, helper)
    first = lie.scale(1.0 / lie.norm(first), first)
    return first, lie.cross(n, first)


@inline
def variation(one, x, sign, v):
    """First variation of ``sign v . x`` on one side, in reduced coordinates.

    Four 3-tuples: along motions of the first section, and along ``dd``.
    """
    _, q, u, w = one
    m = lie.quaternion_rotate(lie.quaternion_conjugate(q), lie.scale(sign, v))
    xu, xw = lie.scale(x, u), lie.scale(x, w)
    coefficients = bow_coefficients(lie.dot(xw, xw))
    first, second = bow_gradient(m, xu, xw, coefficients)
    lever = lie.cross(bow(xu, xw, coefficients), m)
    return m, lever, lie.scale(x, first), lie.scale(x, second)


@routine
def slope(one, x, sign, v):
    """The derivative of `variation` in the place x, at the same direction v."""
    _, q, u, w = one
    m = lie.quaternion_rotate(lie.quaternion_conjugate(q), lie.scale(sign, v))
    xu, xw = lie.scale(x, u), lie.scale(x, w)
    coefficients = bow_coefficients(lie.dot(xw, xw))
    first, second = bow_gradient(m, xu, xw, coefficients)
    mixed, last = bow_second(m, xu, xw, coefficients)
    along = lie.quaternion_rotate(lie.quaternion_exp(xw), u)
    second = lie.add(second, lie.apply_transposed(mixed, xu))
    return (
        lie.ZERO3,
        lie.cross(along, m),
        lie.add(first, lie.apply(mixed, xw)),
        lie.add(second, lie.apply(last, xw)),
    )


@inline
def inverse_adjoint(parameters, i, column, has_offsets):
    """Blocks that take the local motion of a node to that of a section on it."""
    if has_offsets:
        r = lie.rotation_matrix(load4(parameters, i, column + 3))
        return lie.adjoint_inverse_blocks(load3(parameters, i, column), r)
    return lie.IDENTITY33, lie.ZERO33


@inline
def maps_of(one, parameters, i, column, has_offsets):
    """Blocks of ``T^-1(d)``, and of the maps from both nodes to their sections.

    ``dd = [a b; 0 a] (motion of the second) - [a^T b^T; 0 a^T] (of the first)``.
    """
    _, _, u, w = one
    c, e = lie.inverse_coefficients(lie.dot(w, w))
    a, b = lie.tangent_inverse_blocks(u, w, c, e)
    turn, shift = inverse_adjoint(parameters, i, column, has_offsets)
    turn2, shift2 = inverse_adjoint(parameters, i, column + 7, has_offsets)
    return a, b, turn, shift, turn2, shift2


@inline
def on_node(turn, shift, force, moment):
    """A wrench on a node for one on its section."""
    shifted = lie.apply_transposed(shift, force)
    moment = lie.add(shifted, lie.apply_transposed(turn, moment))
    return lie.apply_transposed(turn, force), moment


@inline
def pull(mapped, k, at, maps, vector, has_offsets):
    """Wrenches on both nodes of a side for a vector over reduced coordinates."""
    a, b, turn, shift, turn2, shift2 = maps
    m, lever, x, y = vector
    force = lie.subtract(m, lie.apply(a, x))
    moment = lie.subtract(lever, lie.add(lie.apply(b, x), lie.apply(a, y)))
    other = lie.apply_transposed(a, x)
    twist = lie.add(lie.apply_transposed(b, x), lie.apply_transposed(a, y))
    if has_offsets:
        force, moment = on_node(turn, shift, force, moment)
        other, twist = on_node(turn2, shift2, other, twist)
    put3(mapped, k, at, force)
    put3(mapped, k, at + 3, moment)
    put3(mapped, k, at + 6, other)
    put3(mapped, k, at + 9, twist)


@inline
def plus(x, y):
    return lie.matrix_add(x, y)


@inline
def less(x, y):
    return lie.matrix_add_scaled(x, -1.0, y)


@routine
def bends_of(one, x, sign, v):
    """Second derivatives of ``sign v . x`` in reduced coordinates, without zeros.

    Six 3x3 blocks, all of them linear in v: of the turn of the first section with ``u``
    and ``w``, of both with each other, and of the turn by itself with and without the
    lever.
    """
    _, q, u, w = one
    m = lie.quaternion_rotate(lie.quaternion_conjugate(q), lie.scale(sign, v))
    xu, xw = lie.scale(x, u), lie.scale(x, w)
    coefficients = bow_coefficients(lie.dot(xw, xw))
    mixed, last = bow_second(m, xu, xw, coefficients)
    mixed, last = lie.matrix_scale(x * x, mixed), lie.matrix_scale(x * x, last)
    turning = lie.hat(m)
    # v . x of the unit vectors gives the rows of dx/dd
    u0, w0 = bow_gradient(UNIT3[0], xu, xw, coefficients)
    u1, w1 = bow_gradient(UNIT3[1], xu, xw, coefficients)
    u2, w2 = bow_gradient(UNIT3[2], xu, xw, coefficients)
    by_u = lie.multiply(turning, lie.matrix_scale(-x, (*u0, *u1, *u2)))
    by_w = lie.multiply(turning, lie.matrix_scale(-x, (*w0, *w1, *w2)))
    lever = lie.hat_times(bow(xu, xw, coefficients), turning)
    return by_u, by_w, mixed, last, lever, turning


@routine
def set_curvature(out, one, bends, maps, covector):
    """Second variation in motions of both sections, (12, 12).

    ``Z^T M Z + d(Z^T)/dq k`` with M over reduced coordinates (`bends_of`), Z the map to
    these (`maps_of`), and the part k of the first variation that acts on ``dd``.
    """
    a, b = maps[0], maps[1]
    at, bt = lie.transpose(a), lie.transpose(b)
    by_u, by_w, mixed, last, lever, turning = bends
    # M Z, rows of the first section's turn, and of both parts of dd
    w10 = lie.matrix_scale(-1.0, lie.multiply(by_u, at))
    w11 = less(less(lever, lie.multiply(by_u, bt)), lie.multiply(by_w, at))
    w12 = lie.multiply(by_u, a)
    w13 = plus(lie.multiply(by_u, b), lie.multiply(by_w, a))
    w21 = less(lie.transpose(by_u), lie.multiply(mixed, at))
    w23 = lie.multiply(mixed, a)
    turned = lie.transpose(mixed)
    w30 = lie.matrix_scale(-1.0, lie.multiply(turned, at))
    w31 = less(lie.transpose(by_w), lie.multiply(turned, bt))
    w31 = less(w31, lie.multiply(last, at))
    w32 = lie.multiply(turned, a)
    w33 = plus(lie.multiply(turned, b), lie.multiply(last, a))
    # Z^T (M Z)
    put33(out, 0, 0, lie.ZERO33)
    put33(out, 0, 3, less(turning, lie.multiply(a, w21)))
    put33(out, 0, 6, lie.ZERO33)
    put33(out, 0, 9, lie.matrix_scale(-1.0, lie.multiply(a, w23)))
    put33(out, 3, 0, less(w10, lie.multiply(a, w30)))
    w11 = less(w11, lie.multiply(b, w21))
    put33(out, 3, 3, less(w11, lie.multiply(a, w31)))
    put33(out, 3, 6, less(w12, lie.multiply(a, w32)))
    w13 = less(w13, lie.multiply(b, w23))
    put33(out, 3, 9, less(w13, lie.multiply(a, w33)))
    put33(out, 6, 0, lie.ZERO33)
    put33(out, 6, 3, lie.multiply(at, w21))
    put33(out, 6, 6, lie.ZERO33)
    put33(out, 6, 9, lie.multiply(at, w23))
    put33(out, 9, 0, lie.multiply(at, w30))
    put33(out, 9, 3, plus(lie.multiply(bt, w21), lie.multiply(at, w31)))
    put33(out, 9, 6, lie.multiply(at, w32))
    put33(out, 9, 9, plus(lie.multiply(bt, w23), lie.multiply(at, w33)))
    add_slopes(out, 0, -1.0, one, maps, covector)
    add_slopes(out, 6, 1.0, one, maps, covector)


@routine
def add_slopes(out, row, sign, one, maps, k):
    """``d(T^-T(d) k)/dd`` of the second node, at -d of the first, times ``dd``."""
    a, b = maps[0], maps[1]
    u, w = lie.scale(sign, one[2]), lie.scale(sign, one[3])
    c, e = lie.inverse_coefficients(lie.dot(w, w))
    f = lie.second_inverse_coefficient(lie.dot(w, w))
    same = lie.rotation_derivative(-1.0, w, k[0], c, e)
    last = lie.rotation_derivative(-1.0, w, k[1], c, e)
    last = lie.matrix_add(last, lie.second_rotation_derivative(w, k[0], u, c, e, f))
    x = lie.matrix_scale(-1.0, lie.multiply(same, lie.transpose(a)))
    y = lie.multiply(same, a)
    add33(out, row, 3, x)
    add33(out, row, 9, y)
    add33(out, row + 3, 0, x)
    add33(out, row + 3, 6, y)
    x = plus(lie.multiply(same, lie.transpose(b)), lie.multiply(last, lie.transpose(a)))
    add33(out, row + 3, 3, lie.matrix_scale(-1.0, x))
    y = plus(lie.multiply(same, b), lie.multiply(last, a))
    add33(out, row + 3, 9, y)


@routine
def to_nodes(out, work, maps):
    """``P^T out P`` with the maps from motions of nodes to those of sections."""
    _, _, turn, shift, turn2, shift2 = maps
    for column in range(12):
        for side in range(2):
            r, s = (turn, shift) if side == 0 else (turn2, shift2)
            at = 6 * side
            f = (out[at, column], out[at + 1, column], out[at + 2, column])
            t = (out[at + 3, column], out[at + 4, column], out[at + 5, column])
            t = lie.add(lie.apply_transposed(s, f), lie.apply_transposed(r, t))
            f = lie.apply_transposed(r, f)
            for k in range(3):
                work[at + k, column], work[at + 3 + k, column] = f[k], t[k]
    for row in range(12):
        for side in range(2):
            r, s = (turn, shift) if side == 0 else (turn2, shift2)
            at = 6 * side
            f, t = load3(work, row, at), load3(work, row, at + 3)
            t = lie.add(lie.apply_transposed(s, f), lie.apply_transposed(r, t))
            put3(out, row, at, lie.apply_transposed(r, f))
            put3(out, row, at + 3, t)
