"""Kernels of linear complementarity: factors of what is free, and who changes sides."""

from __future__ import annotations

import math

from .._jit import kernel, routine

# share of the diagonal that is added in each round, and taken out by the next ones
SHIFT = 1e-9
ROUNDS = 30
# block changes without a new least number of wrong signs, before single ones
PATIENCE = 10
# wrong signs below this are rounding, relative to the sizes that they come from
ROUNDING = 1e-13
# violation that is met, and change of forces that has settled
MET = 1e-12
# change of forces behind which what is met is taken as the solution
SETTLED = 1e-6
# violation, over the largest one at the start, that says that it cannot be met
LEFT_OVER = 1e-7


@routine
def solve_free(a, right, is_free, factor, z):
    """Solve ``(A + shift) z = -right`` over what is free, by Cholesky's method."""
    n = right.shape[0]
    m = 0
    for i in range(n):
        z[i] = 0.0
        if not is_free[i]:
            continue
        c = 0
        for j in range(i + 1):
            if not is_free[j]:
                continue
            x = a[i, j] + (SHIFT if i == j else 0.0)
            for k in range(c):
                x -= factor[m, k] * factor[c, k]
            factor[m, c] = math.sqrt(max(x, 1e-300)) if i == j else x / factor[c, c]
            c += 1
        # forward, then (below) backward
        x = -right[i]
        for k in range(m):
            x -= factor[m, k] * factor[k, n]
        factor[m, n] = x / factor[m, m]
        m += 1
    for row in range(m - 1, -1, -1):
        x = factor[row, n]
        for k in range(row + 1, m):
            x -= factor[k, row] * factor[k, n]
        factor[row, n] = x / factor[row, row]
    m = 0
    for i in range(n):
        if is_free[i]:
            z[i] = factor[m, n]
            m += 1


@routine
def pivot(a, right, is_free, factor, z):
    """Solution for ``A + shift``, from a guess of what is free."""
    n = right.shape[0]
    fewest, patience = n + 1, PATIENCE
    for _ in range(20 * n + 50):
        solve_free(a, right, is_free, factor, z)
        count, last = 0, -1
        for i in range(n):
            left, size = right[i] + SHIFT * z[i], abs(right[i]) + SHIFT * abs(z[i])
            for j in range(n):
                left += a[i, j] * z[j]
                size += abs(a[i, j] * z[j])
            is_wrong = z[i] < 0.0 if is_free[i] else left < -ROUNDING * size
            # signs are changed behind the loop: marked in the last column but one
            factor[i, n + 1] = 1.0 if is_wrong else 0.0
            if is_wrong:
                count, last = count + 1, i
        if count == 0:
            break
        if count < fewest:
            fewest, patience = count, PATIENCE
        if patience > 0:
            patience -= 1
            for i in range(n):
                if factor[i, n + 1] != 0.0:
                    is_free[i] = not is_free[i]
        else:
            is_free[last] = not is_free[last]
    for i in range(n):
        z[i] = max(z[i], 0.0)


@kernel
def solve_rounds(a, b, is_free, factor, work, z):
    """Rounds of `complementarity.solve_complementarity`; whether they can be met.

    Parameters
    ----------
    a, b : (n, n) and (n,) arrays
        Scaled.
    is_free : (n,) bool array
        A guess.
    factor : (n, n + 2) array
    work : (2, n) array
    z : (n,) array
        Zero before; receives the solution.
    """
    n = b.shape[0]
    right, found = work[0], work[1]
    fits = True
    for _ in range(ROUNDS):
        for i in range(n):
            right[i] = b[i] - SHIFT * z[i]
        pivot(a, right, is_free, factor, found)
        change = largest = 0.0
        for i in range(n):
            change = max(change, abs(found[i] - z[i]))
            largest = max(largest, found[i])
            z[i] = found[i]
        is_met = True
        fits = True
        for i in range(n):
            left, size = b[i], 0.0
            for j in range(n):
                left += a[i, j] * z[j]
                size += abs(a[i, j]) * z[j]
            allowed = MET * (1.0 + size)
            is_met = is_met and left > -allowed
            is_met = is_met and (z[i] <= 0.0 or abs(left) < allowed)
            # what cannot be met lets forces grow from round to round
            fits = fits and left > -LEFT_OVER - ROUNDING * size
        # where A is nearly singular large forces make much look as if it were met
        is_met = is_met and fits and change <= SETTLED * largest
        if is_met or change <= MET * largest:
            break
    return fits
