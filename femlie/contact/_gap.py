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
from ._segments import bow_coefficients, bow_gradient, bow_second, load4, place_on

UNIT3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# vectors over the 24 reduced coordinates: along the normal, across it, parameters
ALONG, ACROSS, TANGENT, SLAVE_SLOPE, MASTER_SLOPE = range(5)
N_VECTORS = 5


@inline
def put3(array, i, j, v):
    array[i, j], array[i, j + 1], array[i, j + 2] = v[0], v[1], v[2]


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


@routine
def set_vector(vectors, k, at, sign, one, x, v):
    """First variation of ``sign v . x`` on one side, from column ``at`` on."""
    _, q, u, w = one
    m = lie.quaternion_rotate(lie.quaternion_conjugate(q), lie.scale(sign, v))
    xu, xw = lie.scale(x, u), lie.scale(x, w)
    first, second = bow_gradient(m, xu, xw, bow_coefficients(lie.dot(xw, xw)))
    put3(vectors, k, at, m)
    put3(vectors, k, at + 3, lie.cross(lie.exp_translation(xu, xw), m))
    put3(vectors, k, at + 6, lie.scale(x, first))
    put3(vectors, k, at + 9, lie.scale(x, second))


@routine
def set_slope(vectors, k, at, sign, one, x, v):
    """The derivative of `set_vector` in the place x, at the same direction v."""
    _, q, u, w = one
    m = lie.quaternion_rotate(lie.quaternion_conjugate(q), lie.scale(sign, v))
    xu, xw = lie.scale(x, u), lie.scale(x, w)
    coefficients = bow_coefficients(lie.dot(xw, xw))
    first, second = bow_gradient(m, xu, xw, coefficients)
    mixed, last = bow_second(m, xu, xw, coefficients)
    along = lie.quaternion_rotate(lie.quaternion_exp(xw), u)
    put3(vectors, k, at, lie.ZERO3)
    put3(vectors, k, at + 3, lie.cross(along, m))
    put3(vectors, k, at + 6, lie.add(first, lie.apply(mixed, xw)))
    second = lie.add(second, lie.apply_transposed(mixed, xu))
    put3(vectors, k, at + 9, lie.add(second, lie.apply(last, xw)))


@routine
def set_curvature(matrix, sign, one, x, v):
    """Second variation of ``sign v . x`` on one side at fixed v, (12, 12)."""
    _, q, u, w = one
    m = lie.quaternion_rotate(lie.quaternion_conjugate(q), lie.scale(sign, v))
    xu, xw = lie.scale(x, u), lie.scale(x, w)
    coefficients = bow_coefficients(lie.dot(xw, xw))
    mixed, last = bow_second(m, xu, xw, coefficients)
    turning = lie.hat(m)
    matrix[:, :] = 0.0
    put33(matrix, 0, 3, turning)
    put33(matrix, 3, 3, lie.hat_times(lie.exp_translation(xu, xw), turning))
    for k in range(3):
        # v . x of the unit vectors gives the rows of J = dx/dd
        first, second = bow_gradient(UNIT3[k], xu, xw, coefficients)
        for j in range(3):
            for i in range(3):
                matrix[3 + i, 6 + j] -= turning[3 * i + k] * x * first[j]
                matrix[3 + i, 9 + j] -= turning[3 * i + k] * x * second[j]
                matrix[6 + j, 3 + i] += x * first[j] * turning[3 * k + i]
                matrix[9 + j, 3 + i] += x * second[j] * turning[3 * k + i]
    put33(matrix, 6, 9, lie.matrix_scale(x * x, mixed))
    put33(matrix, 9, 6, lie.matrix_scale(x * x, lie.transpose(mixed)))
    put33(matrix, 9, 9, lie.matrix_scale(x * x, last))


@routine
def set_gradient(vectors, slave, master, xi, eta):
    """Variation of the gap into the first of ``vectors``."""
    r = lie.subtract(place_on(slave, xi)[0], place_on(master, eta)[0])
    n = lie.scale(1.0 / lie.norm(r), r)
    set_vector(vectors, ALONG, 0, 1.0, slave, xi, n)
    set_vector(vectors, ALONG, 12, -1.0, master, eta, n)


@routine
def set_variations(vectors, slave, master, xi, eta):
    """All ``vectors``; distance, normal, and second derivatives in the places."""
    p, s, bend = place_on(slave, xi)
    q, t, curve = place_on(master, eta)
    r = lie.subtract(p, q)
    distance = lie.norm(r)
    n = lie.scale(1.0 / distance, r)
    first, second = two_across(n)
    set_vector(vectors, ALONG, 0, 1.0, slave, xi, n)
    set_vector(vectors, ALONG, 12, -1.0, master, eta, n)
    set_vector(vectors, ACROSS, 0, 1.0, slave, xi, first)
    set_vector(vectors, ACROSS, 12, -1.0, master, eta, first)
    set_vector(vectors, TANGENT, 0, 1.0, slave, xi, second)
    set_vector(vectors, TANGENT, 12, -1.0, master, eta, second)
    vectors[SLAVE_SLOPE, :] = 0.0
    vectors[MASTER_SLOPE, :] = 0.0
    set_slope(vectors, SLAVE_SLOPE, 0, 1.0, slave, xi, n)
    set_slope(vectors, MASTER_SLOPE, 12, -1.0, master, eta, n)
    s1, s2 = lie.dot(s, first) / distance, lie.dot(s, second) / distance
    t1, t2 = lie.dot(t, first) / distance, lie.dot(t, second) / distance
    for k in range(24):
        a, b = vectors[ACROSS, k], vectors[TANGENT, k]
        vectors[SLAVE_SLOPE, k] += s1 * a + s2 * b
        vectors[MASTER_SLOPE, k] -= t1 * a + t2 * b
    return (
        distance,
        lie.dot(n, bend) + distance * (s1 * s1 + s2 * s2),
        -distance * (s1 * t1 + s2 * t2),
        distance * (t1 * t1 + t2 * t2) - lie.dot(n, curve),
    )


@inline
def inverse_adjoint(parameters, i, column, has_offsets):
    """Blocks that take the local motion of a node to that of a section on it."""
    if has_offsets:
        r = lie.rotation_matrix(load4(parameters, i, column + 3))
        return lie.adjoint_inverse_blocks(load3(parameters, i, column), r)
    return lie.IDENTITY33, lie.ZERO33


@routine
def set_map(z, one, parameters, i, column, has_offsets):
    """Motions of one side from local motions of its two nodes, (18, 12).

    Rows: local motion of the first section, change ``dd``, motion of the second.
    """
    _, _, u, w = one
    c, e = lie.inverse_coefficients(lie.dot(w, w))
    a, b = lie.tangent_inverse_blocks(u, w, c, e)
    z[:, :] = 0.0
    turn, shift = inverse_adjoint(parameters, i, column, has_offsets)
    put33(z, 0, 0, turn)
    put33(z, 0, 3, shift)
    put33(z, 3, 3, turn)
    at, bt = lie.transpose(a), lie.transpose(b)
    left = lie.matrix_scale(-1.0, lie.multiply(at, turn))
    right = lie.matrix_add(lie.multiply(at, shift), lie.multiply(bt, turn))
    put33(z, 6, 0, left)
    put33(z, 6, 3, lie.matrix_scale(-1.0, right))
    put33(z, 9, 3, left)
    turn, shift = inverse_adjoint(parameters, i, column + 7, has_offsets)
    put33(z, 12, 6, turn)
    put33(z, 12, 9, shift)
    put33(z, 15, 9, turn)
    left = lie.multiply(a, turn)
    put33(z, 6, 6, left)
    put33(z, 6, 9, lie.matrix_add(lie.multiply(a, shift), lie.multiply(b, turn)))
    put33(z, 9, 9, left)


@routine
def map_vector(out, k, at, z, vectors):
    """``Z^T`` of one side of a vector over reduced coordinates."""
    for j in range(12):
        total = 0.0
        for i in range(12):
            total += z[i, j] * vectors[k, at + i]
        out[k, at + j] = total


@routine
def map_curvature(out, matrix, z, k, d, work):
    """``Z^T matrix Z + d(Z^T)/dq k``, (12, 12); the vector k acts on ``dd``."""
    for i in range(12):
        for j in range(12):
            work[i, j] = 0.0
        for h in range(12):
            x = matrix[i, h]
            if x != 0.0:
                for j in range(12):
                    work[i, j] += x * z[h, j]
    for i in range(12):
        for j in range(12):
            out[i, j] = 0.0
        for h in range(12):
            x = z[h, i]
            if x != 0.0:
                for j in range(12):
                    out[i, j] += x * work[h, j]
    for side in range(2):
        # d(T^-T(d) k)/dd of the second node, at -d of the first
        sign = 2.0 * side - 1.0
        u, w = lie.scale(sign, d[0]), lie.scale(sign, d[1])
        c, e = lie.inverse_coefficients(lie.dot(w, w))
        f = lie.second_inverse_coefficient(lie.dot(w, w))
        same = lie.rotation_derivative(-1.0, w, k[0], c, e)
        last = lie.rotation_derivative(-1.0, w, k[1], c, e)
        last = lie.matrix_add(last, lie.second_rotation_derivative(w, k[0], u, c, e, f))
        for j in range(12):
            x = (z[6, j], z[7, j], z[8, j])
            y = (z[9, j], z[10, j], z[11, j])
            first = lie.apply(same, y)
            second = lie.add(lie.apply(same, x), lie.apply(last, y))
            put3(work, 0, 0, first)
            put3(work, 0, 3, second)
            for i in range(6):
                total = 0.0
                for h in range(6):
                    total += z[12 * side + h, 6 * side + i] * work[0, h]
                out[6 * side + i, j] += total
