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
    """The 3x3 system that is left when ``u_N = 0`` is solved for ``z_N``."""
    nn, nx, ny, nz, xx, xy, xz, yy, yz, zz = a
    return (
        xx - nx * nx / nn,
        xy - nx * ny / nn,
        xz - nx * nz / nn,
        yy - ny * ny / nn,
        yz - ny * nz / nn,
        zz - nz * nz / nn,
        b[1] - nx * b[0] / nn,
        b[2] - ny * b[0] / nn,
        b[3] - nz * b[0] / nn,
    )


@inline
def solve_three(left, more):
    """Tangential forces, with ``more`` added to the diagonal."""
    xx, xy, xz, yy, yz, zz, p, q, r = left
    xx, yy, zz = xx + more, yy + more, zz + more
    # by elimination of the first, then of the second
    first, second = xy / xx, xz / xx
    yy, yz, q = yy - first * xy, yz - first * xz, q - first * p
    zz, r = zz - second * xz, r - second * p
    third = yz / yy
    z = -(r - third * q) / (zz - third * yz)
    y = -(q + yz * z) / yy
    return -(p + xy * y + xz * z) / xx, y, z


@inline
def size_of(x, y, z):
    """Square of the force along the surface."""
    return x * x + y * y + z * z


@routine
def one_contact(a, b, mu):
    """Forces of one contact; a has the ten numbers of its matrix."""
    nn, nx, ny, nz, xx, _, _, yy, _, zz = a
    if b[0] >= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    left = without_normal(a, b)
    x, y, z = solve_three(left, 0.0)
    n = -(b[0] + nx * x + ny * y + nz * z) / nn
    if n >= 0.0 and size_of(x, y, z) <= mu * mu * n * n:
        return n, x, y, z
    unit = (xx + yy + zz) / 3.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        x, y, z = solve_three(left, unit * middle / (1.0 - middle))
        n = -(b[0] + nx * x + ny * y + nz * z) / nn
        if n >= 0.0 and size_of(x, y, z) <= mu * mu * n * n:
            high = middle
        else:
            low = middle
        if high - low <= SETTLED * high:
            break
    x, y, z = solve_three(left, unit * high / (1.0 - high) if high < 1.0 else 1e300)
    n = max(-(b[0] + nx * x + ny * y + nz * z) / nn, 0.0)
    return n, x, y, z


@inline
def speed_at(matrix, vector, z, row):
    """Speed of one row under all forces."""
    u = vector[row]
    for j in range(z.shape[0]):
        u += matrix[row, j] * z[j]
    return u


@kernel
def sweep(matrix, vector, coefficients, places, z, width, n_sweeps, share):
    """Go through all contacts again and again.

    Parameters
    ----------
    matrix : (n + width m, n + width m) array
        With positive eigenvalues.
    vector : (n + width m,) array
    coefficients : (n,) array
    places : (n,) int array
        First tangential row of each contact, -1 without friction.
    z : (n + width m,) array
        Forces, changed in place.
    width : int
        Tangential rows of one contact, 2 or 3.
    n_sweeps : int
    share : float
        Part of each change that is made; where one makes forces cycle, less settles.
    """
    n = places.shape[0]
    for _ in range(n_sweeps):
        for i in range(n):
            at = places[i]
            nn = matrix[i, i]
            u = speed_at(matrix, vector, z, i)
            if at < 0:
                z[i] = max(z[i] - u / nn, 0.0)
                continue
            v = speed_at(matrix, vector, z, at)
            w = speed_at(matrix, vector, z, at + 1)
            nx, ny = matrix[i, at], matrix[i, at + 1]
            xx, xy, yy = matrix[at, at], matrix[at, at + 1], matrix[at + 1, at + 1]
            u -= nn * z[i] + nx * z[at] + ny * z[at + 1]
            v -= nx * z[i] + xx * z[at] + xy * z[at + 1]
            w -= ny * z[i] + xy * z[at] + yy * z[at + 1]
            # two rows are three, of which the last one is alone
            nz = xz = yz = s = 0.0
            zz = 0.5 * (xx + yy)
            if width == 3:
                third = at + 2
                nz, xz, yz = matrix[i, third], matrix[at, third], matrix[at + 1, third]
                zz, old = matrix[third, third], z[third]
                s = speed_at(matrix, vector, z, third)
                s -= nz * z[i] + xz * z[at] + yz * z[at + 1] + zz * old
                u, v, w = u - nz * old, v - xz * old, w - yz * old
            own = nn, nx, ny, nz, xx, xy, xz, yy, yz, zz
            p, q, r, t = one_contact(own, (u, v, w, s), coefficients[i])
            z[i] += share * (p - z[i])
            z[at] += share * (q - z[at])
            z[at + 1] += share * (r - z[at + 1])
            if width == 3:
                z[at + 2] += share * (t - z[at + 2])
