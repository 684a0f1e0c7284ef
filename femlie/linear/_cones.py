"""Sweeps over contacts with friction, one after another, each solved exactly.

A contact that slides has ``A_NN z_N + A_NT z_T + b_N = 0`` and ``A_TN z_N + (A_TT + x)
z_T + b_T = 0``: its speed is ``-x z_T``. For positive definite A the number ``x >= 0``
with ``|z_T| = mu z_N`` is bracketed by zero, where the contact would stick beyond the
cone, and infinity.
"""

from __future__ import annotations

from .._jit import inline, kernel, routine

HALVINGS = 200
# change of the bracket, relative, that has settled
SETTLED = 1e-15


@inline
def without_normal(a, b):
    """The 2x2 system that is left when ``u_N = 0`` is solved for ``z_N``."""
    nn, nx, ny, xx, xy, yy = a
    return (
        xx - nx * nx / nn,
        xy - nx * ny / nn,
        yy - ny * ny / nn,
        b[1] - nx * b[0] / nn,
        b[2] - ny * b[0] / nn,
    )


@inline
def solve_pair(left, more):
    """Tangential forces, with ``more`` added to the diagonal."""
    xx, xy, yy, p, q = left
    xx, yy = xx + more, yy + more
    det = xx * yy - xy * xy
    return (xy * q - yy * p) / det, (xy * p - xx * q) / det


@routine
def one_contact(a, b, mu):
    """Forces of one contact; a has the six numbers of its matrix."""
    nn, nx, ny, xx, _, yy = a
    if b[0] >= 0.0:
        return 0.0, 0.0, 0.0
    left = without_normal(a, b)
    x, y = solve_pair(left, 0.0)
    z = -(b[0] + nx * x + ny * y) / nn
    if z >= 0.0 and x * x + y * y <= mu * mu * z * z:
        return z, x, y
    unit = 0.5 * (xx + yy)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        x, y = solve_pair(left, unit * middle / (1.0 - middle))
        z = -(b[0] + nx * x + ny * y) / nn
        if z >= 0.0 and x * x + y * y <= mu * mu * z * z:
            high = middle
        else:
            low = middle
        if high - low <= SETTLED * high:
            break
    x, y = solve_pair(left, unit * high / (1.0 - high) if high < 1.0 else 1e300)
    z = max(-(b[0] + nx * x + ny * y) / nn, 0.0)
    return z, x, y


@kernel
def sweep(matrix, vector, coefficients, places, z, n_sweeps, share):
    """Go through all contacts again and again.

    Parameters
    ----------
    matrix : (n + 2 m, n + 2 m) array
        With positive eigenvalues.
    vector : (n + 2 m,) array
    coefficients : (n,) array
    places : (n,) int array
        First tangential row of each contact, -1 without friction.
    z : (n + 2 m,) array
        Forces, changed in place.
    n_sweeps : int
    share : float
        Part of each change that is made; where one makes forces cycle, less settles.
    """
    n, size = places.shape[0], z.shape[0]
    for _ in range(n_sweeps):
        for i in range(n):
            at = places[i]
            nn = matrix[i, i]
            u = vector[i]
            for j in range(size):
                u += matrix[i, j] * z[j]
            if at < 0:
                z[i] = max(z[i] - u / nn, 0.0)
                continue
            v, w = vector[at], vector[at + 1]
            for j in range(size):
                v += matrix[at, j] * z[j]
                w += matrix[at + 1, j] * z[j]
            nx, ny = matrix[i, at], matrix[i, at + 1]
            xx, xy, yy = matrix[at, at], matrix[at, at + 1], matrix[at + 1, at + 1]
            u -= nn * z[i] + nx * z[at] + ny * z[at + 1]
            v -= nx * z[i] + xx * z[at] + xy * z[at + 1]
            w -= ny * z[i] + xy * z[at] + yy * z[at + 1]
            own = nn, nx, ny, xx, xy, yy
            p, q, r = one_contact(own, (u, v, w), coefficients[i])
            z[i] += share * (p - z[i])
            z[at] += share * (q - z[at])
            z[at + 1] += share * (r - z[at + 1])
