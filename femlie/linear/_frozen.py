"""Numeric factorization with frozen pivots, and the triangular solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import call, inline, kernel, shared
from ._frozen_factors import frozen_factors
from .factorization import NEEDS_NEW_PIVOTS, SINGULAR, SOLVED

# A column that rounding has left nothing of.
ZERO_TOLERANCE = 1e-16
# Below this, other pivots in the column would be no better.
NOISE = 1e-13
# Error of a null vector, relative to the growth of the entries: singular matrices
# showed at most 4e-15, straight cantilevers of n elements about n^-4 / 3.
SINGULAR_TOLERANCE = 1e-14

# A pivot this far below the smallest trusted one makes the matrix suspicious again.
PIVOT_DROP = 0.1

# Column of Factorization.functions behind REFACTOR and SOLVE.
UPDATE_PANEL = 2

# Places in FrozenFactors.statistics and in FrozenFactors.limits.
SMALLEST_PIVOT, LARGEST_ENTRY, FAILED_COLUMN = 0, 1, 2
TRUSTED_PIVOT, ALLOWED_ENTRY, PIVOT_RATIO = 0, 1, 2

# Unsigned indices: signed ones cost a test for negative values at each access.
ZERO: Any = np.uint64(0)
ONE: Any = np.uint64(1)
TWO: Any = np.uint64(2)
THREE: Any = np.uint64(3)
FOUR: Any = np.uint64(4)
SEVEN: Any = np.uint64(7)
EIGHT: Any = np.uint64(8)
# Columns of L and rows that one pass of a panel update takes at most.
BLOCK_COLUMNS: Any = np.uint64(32)
BLOCK_ROWS: Any = np.uint64(128)
R1, R2, R3 = BLOCK_ROWS, TWO * BLOCK_ROWS, THREE * BLOCK_ROWS


@inline
def follow_each_other(rows: Any, q: Any, n: Any) -> Any:
    """Whether ``n`` sorted rows from entry ``q`` on have no gaps, as in leaf order."""
    return n > ZERO and np.uint64(rows[q + n - ONE]) - np.uint64(rows[q]) == n - ONE


@inline
def subtract_column(w: Any, rows: Any, values: Any, q: Any, end: Any, x: Any) -> None:
    """``w[rows] -= values x`` for entries ``q`` to ``end`` of a column."""
    n = end - q
    if follow_each_other(rows, q, n):
        row = np.uint64(rows[q])
        for t in range(n):
            w[row + t] -= values[q + t] * x
    else:
        for t in range(q, end):
            w[rows[t]] -= values[t] * x


@shared
def substitute(factorization: Any, rhs: Any, solution: Any) -> None:
    """Add ``(L U)^-1 rhs`` to the solution, with permutations and scaling undone."""
    f = factorization
    n = f.column_order.size
    lower_starts, lower_rows, lower = f.lower_starts, f.lower_rows, f.lower_values
    upper_starts, upper_rows, upper = f.upper_starts, f.upper_rows, f.upper_values
    w = f.work
    for i in range(n):
        w[f.row_position[i]] = rhs[i] * f.row_scale[i]
    for k in range(n):
        x = w[k]
        subtract_column(
            w, lower_rows, lower, lower_starts[k], lower_starts[k + 1], x
        )  # fmt: skip
    for k in range(n - 1, -1, -1):
        x = w[k] * f.inverse_pivots[k]
        w[k] = 0.0
        column = f.column_order[k]
        solution[column] += x * f.column_scale[column]
        subtract_column(
            w, upper_rows, upper, upper_starts[k], upper_starts[k + 1], x
        )  # fmt: skip


@shared
def null_vector_error(factorization: Any, data: Any) -> float:
    """How far the factorized matrix is from a singular one, in units of its size.

    Three inverse iterations give a vector v; the result is the largest entry of
    ``A v`` over the largest of ``|A| |v|``, in the equilibrated matrix. Rounding size
    means that a matrix as near as rounding is singular (Rigal and Gaches 1967). The
    size of a pivot alone does not tell: it is small in any long cantilever. The
    factors must belong to these values; ``direction`` receives v.
    """
    f = factorization
    n = f.column_order.size
    n_frame_rows = n - f.regularization.size
    v, image, bound = f.direction, f.residual, f.bound
    for i in range(n):
        turn = 0.6180339887498949 * i
        image[i] = (1.5 - turn + np.floor(turn)) / f.row_scale[i]
    for _ in range(3):
        for i in range(n):
            v[i] = 0.0
        substitute(f, image, v)
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(v[i]) / f.column_scale[i])
        for i in range(n):
            v[i] /= largest
            image[i] = v[i] / (f.column_scale[i] * f.row_scale[i])
    for i in range(n):
        image[i] = 0.0
        if i >= n_frame_rows:
            image[i] = f.regularization[i - n_frame_rows] * v[i]
        bound[i] = abs(image[i])
    for j in range(n):
        for p in range(f.indptr[j], f.indptr[j + 1]):
            force = data[p] * v[j]
            image[f.indices[p]] += force
            bound[f.indices[p]] += abs(force)
    largest = 0.0
    error = 0.0
    for i in range(n):
        error = max(error, abs(image[i]) * f.row_scale[i])
        largest = max(largest, bound[i] * f.row_scale[i])
    return error / largest


@kernel
def update_panel(factorization: Any, data: Any, k: Any, size: Any) -> None:
    """Subtract all columns before k from up to four columns k, k + 1, ... at once.

    These columns have the same rows in U. A run of columns of L with the same rows,
    ``[T; S]`` with T unit triangular, gives ``x = T^-1 w`` and ``w <- w - S x``. The
    products ``S x`` are summed up in contiguous memory, where they vectorize.

    Parameters
    ----------
    factorization : Factorization
        ``panel`` receives the columns, row by row, from row k on.
    data : (n_entries,) array
        Values of the matrix.
    k, size : uint64
        First column of the panel, number of columns.

    References
    ----------
    Li 2005 (supernodes and panels).
    """
    f = frozen_factors(factorization)
    starts, rows, lower = f.lower_starts, f.lower_rows, f.lower_values
    upper_rows, upper, widths, w = f.upper_rows, f.upper_values, f.widths, f.panel
    x, sums = f.block, f.sums
    n_frame_rows = f.column_order.size - f.regularization.size
    for c in range(size):
        column = f.column_order[k + c]
        for q in range(f.indptr[column], f.indptr[column + ONE]):
            w[f.targets[q] * FOUR + c] = data[q] * f.entry_scale[q]
        if column >= n_frame_rows:
            shift = f.regularization[column - n_frame_rows]
            shift *= f.row_scale[column] * f.column_scale[column]
            w[f.row_position[column] * FOUR + c] += shift
    p = f.upper_starts[k]
    end = f.upper_starts[k + ONE]
    while p < end:
        j = np.uint64(upper_rows[p])
        width = min(np.uint64(widths[j]), k - j, BLOCK_COLUMNS)
        for i in range(width):
            r = (j + i) * FOUR
            q = i * FOUR
            x0, x1, x2, x3 = w[r], w[r + ONE], w[r + TWO], w[r + THREE]
            for c in range(FOUR):
                w[r + c] = 0.0
            for h in range(i):
                y = lower[starts[j + h] + (i - h - ONE)]
                x0 -= y * x[h * FOUR]
                x1 -= y * x[h * FOUR + ONE]
                x2 -= y * x[h * FOUR + TWO]
                x3 -= y * x[h * FOUR + THREE]
            x[q], x[q + ONE], x[q + TWO], x[q + THREE] = x0, x1, x2, x3
        for c in range(size):
            q = p + f.upper_starts[k + c] - f.upper_starts[k]
            for i in range(width):
                upper[q + i] = x[i * FOUR + c]
        for q in range(width * FOUR, (width + THREE) * FOUR):
            x[q] = 0.0
        last = width - ONE
        first_row = starts[j + last]
        n_rows = starts[j + width] - first_row
        done = ZERO
        while done < n_rows:
            count = min(n_rows - done, BLOCK_ROWS)
            # Whole vectors: the sums past the last row are never used.
            padded = (count + SEVEN) // EIGHT * EIGHT
            for r in range(FOUR * R1):
                sums[r] = 0.0
            for i in range(ZERO, width, FOUR):
                # Beyond the last column, the last one is taken again, times zero.
                i1, i2, i3 = (
                    min(i + ONE, last),
                    min(i + TWO, last),
                    min(i + THREE, last),
                )
                q = starts[j + i] + (last - i) + done
                q1 = starts[j + i1] + (last - i1) + done
                q2 = starts[j + i2] + (last - i2) + done
                q3 = starts[j + i3] + (last - i3) + done
                a = i * FOUR
                a0, a1, a2, a3 = x[a], x[a + ONE], x[a + TWO], x[a + THREE]
                a += FOUR
                b0, b1, b2, b3 = x[a], x[a + ONE], x[a + TWO], x[a + THREE]
                a += FOUR
                c0, c1, c2, c3 = x[a], x[a + ONE], x[a + TWO], x[a + THREE]
                a += FOUR
                d0, d1, d2, d3 = x[a], x[a + ONE], x[a + TWO], x[a + THREE]
                for r in range(padded):
                    s0, s1 = lower[q + r], lower[q1 + r]
                    s2, s3 = lower[q2 + r], lower[q3 + r]
                    sums[r] += (s0 * a0 + s1 * b0) + (s2 * c0 + s3 * d0)
                    sums[R1 + r] += (s0 * a1 + s1 * b1) + (s2 * c1 + s3 * d1)
                    sums[R2 + r] += (s0 * a2 + s1 * b2) + (s2 * c2 + s3 * d2)
                    sums[R3 + r] += (s0 * a3 + s1 * b3) + (s2 * c3 + s3 * d3)
            for r in range(count):
                q = np.uint64(rows[first_row + done + r]) * FOUR
                w[q] -= sums[r]
                w[q + ONE] -= sums[R1 + r]
                w[q + TWO] -= sums[R2 + r]
                w[q + THREE] -= sums[R3 + r]
            done += count
        p += width


@kernel
def refactor_frozen(factorization: Any, data: Any) -> None:
    """Factorize new values with the pivots found by `analyze`.

    Column k of ``L U = P R A C Q`` comes from the columns before it: for each entry
    j of column k of U, in ascending order, ``w <- w - L[:, j] u_jk``. Up to three
    columns of L that have the same rows are subtracted in one sweep over these rows.

    Notes
    -----
    ``status`` receives what `refactor` returns; ``statistics`` tells more, about the
    equilibrated matrix. A pivot smaller than any that was trusted before starts a
    search for a null vector.

    References
    ----------
    Gilbert and Peierls 1988; Davis 2006, section 6.2.
    """
    f = frozen_factors(factorization)
    n = f.column_order.size
    n_frame_rows = n - f.regularization.size
    starts, targets, entry_scale = f.indptr, f.targets, f.entry_scale
    lower_starts, lower_rows, lower = f.lower_starts, f.lower_rows, f.lower_values
    upper_starts, upper_rows, upper = f.upper_starts, f.upper_rows, f.upper_values
    widths, w, panel = f.widths, f.work, f.panel
    f.statistics[FAILED_COLUMN] = -1.0
    smallest = 1.0
    largest = 0.0
    for k in range(n):
        column = f.column_order[k]
        above = 0.0
        p = upper_starts[k]
        end = upper_starts[k + 1]
        if f.panel_sizes[k] == 1:
            for q in range(starts[column], starts[column + ONE]):
                w[targets[q]] = data[q] * entry_scale[q]
            if column >= n_frame_rows:
                shift = f.regularization[column - n_frame_rows]
                shift *= f.row_scale[column] * f.column_scale[column]
                w[f.row_position[column]] += shift
        else:
            if f.panel_sizes[k] > 1:
                panel_size = np.uint64(f.panel_sizes[k])
                arguments = (factorization, data, np.uint64(k), panel_size)
                call(factorization.functions, 0, UPDATE_PANEL, arguments)
            place = f.places[k]
            first = np.uint64(k) - place
            w[first] = panel[first * FOUR + place]
            panel[first * FOUR + place] = 0.0
            for q in range(lower_starts[first], lower_starts[first + ONE]):
                row = np.uint64(lower_rows[q])
                w[row] = panel[row * FOUR + place]
                panel[row * FOUR + place] = 0.0
            while p < end - place:
                above = max(above, abs(upper[p]))
                p += ONE
        while p < end:
            j = upper_rows[p]
            x0 = w[j]
            w[j] = 0.0
            upper[p] = x0
            above = max(above, abs(x0))
            q0 = lower_starts[j]
            q1 = lower_starts[j + ONE]
            size = q1 - q0
            width = min(widths[j], k - np.int64(j))
            if width >= 3:
                q2 = lower_starts[j + TWO]
                x1 = w[j + ONE] - lower[q0] * x0
                x2 = w[j + TWO] - lower[q0 + ONE] * x0 - lower[q1] * x1
                w[j + ONE] = 0.0
                w[j + TWO] = 0.0
                upper[p + ONE] = x1
                upper[p + TWO] = x2
                above = max(above, abs(x1), abs(x2))
                q0 += TWO
                q1 += ONE
                size -= TWO
                if follow_each_other(lower_rows, q2, size):
                    row = np.uint64(lower_rows[q2])
                    for t in range(size):
                        w[row + t] -= (
                            lower[q0 + t] * x0 + lower[q1 + t] * x1 + lower[q2 + t] * x2
                        )
                else:
                    for t in range(size):
                        w[lower_rows[q2 + t]] -= (
                            lower[q0 + t] * x0 + lower[q1 + t] * x1 + lower[q2 + t] * x2
                        )
                p += THREE
            elif width == 2:
                x1 = w[j + ONE] - lower[q0] * x0
                w[j + ONE] = 0.0
                upper[p + ONE] = x1
                above = max(above, abs(x1))
                q0 += ONE
                size -= ONE
                if follow_each_other(lower_rows, q1, size):
                    row = np.uint64(lower_rows[q1])
                    for t in range(size):
                        w[row + t] -= lower[q0 + t] * x0 + lower[q1 + t] * x1
                else:
                    for t in range(size):
                        w[lower_rows[q1 + t]] -= lower[q0 + t] * x0 + lower[q1 + t] * x1
                p += TWO
            else:
                subtract_column(w, lower_rows, lower, q0, q1, x0)
                p += ONE
        pivot = w[k]
        w[k] = 0.0
        inverse = 1.0 / pivot if pivot != 0.0 else 0.0
        below = 0.0
        for q in range(lower_starts[k], lower_starts[k + 1]):
            x0 = w[lower_rows[q]]
            w[lower_rows[q]] = 0.0
            below = max(below, abs(x0))
            lower[q] = x0 * inverse
        f.inverse_pivots[k] = inverse
        size_of_pivot = abs(pivot)
        above = max(above, size_of_pivot)
        status = SOLVED
        if not size_of_pivot > f.limits[PIVOT_RATIO] * below:
            status = NEEDS_NEW_PIVOTS if below > NOISE * above else SINGULAR
        if not max(size_of_pivot, below) > ZERO_TOLERANCE * above:
            status = SINGULAR
        if status == SINGULAR and max(largest, above) > f.limits[ALLOWED_ENTRY]:
            status = NEEDS_NEW_PIVOTS
        if status != SOLVED:
            f.statistics[FAILED_COLUMN] = column
            for q in range(panel.size):
                panel[q] = 0.0
            factorization.status[0] = status
            return
        largest = max(largest, above)
        smallest = min(smallest, size_of_pivot / max(above, below))
    f.statistics[SMALLEST_PIVOT] = smallest
    f.statistics[LARGEST_ENTRY] = largest
    if not largest <= f.limits[ALLOWED_ENTRY]:
        factorization.status[0] = NEEDS_NEW_PIVOTS
        return
    if smallest < f.limits[TRUSTED_PIVOT]:
        rounding = SINGULAR_TOLERANCE * max(1.0, largest)
        if not null_vector_error(f, data) > rounding:
            factorization.status[0] = SINGULAR
            return
        f.limits[TRUSTED_PIVOT] = PIVOT_DROP * smallest
    factorization.status[0] = SOLVED


@kernel
def solve_frozen(factorization: Any, data: Any, rhs: Any, solution: Any) -> None:
    """Solve ``A x = rhs``, with the sweeps of refinement that the analysis asked for.

    Each refinement sweep adds the correction for the residual of the true matrix,
    without regularization. The sweeps start from zero, so that multipliers of
    redundant rows come out with the least norm.
    """
    f = frozen_factors(factorization)
    n = f.column_order.size
    starts, rows = f.indptr, f.indices
    residual = f.residual
    for i in range(n):
        solution[i] = 0.0
    for sweep in range(f.n_sweeps[0] + 1):
        for i in range(n):
            residual[i] = rhs[i]
        if sweep > 0:
            for j in range(n):
                x = solution[j]
                for p in range(starts[j], starts[j + 1]):
                    residual[rows[p]] -= data[p] * x
        substitute(f, residual, solution)
