"""Numeric multifrontal factorization, and the triangular solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import kernel, part_of, shared
from ._blas import (
    L,
    N,
    R,
    T,
    U,
    at,
    divide_matrix,
    exchange_rows,
    factorize_general,
    factorize_positive,
    factorize_symmetric,
    multiply,
    solve_symmetric,
    subtract_square,
)
from ._front_factors import (
    BOUNDARY_STARTS,
    CHOLESKY,
    COLUMN_SCALE,
    ENTRY_PLACE,
    ENTRY_SCALE,
    FIRST,
    GENERAL,
    IS_SYMMETRIC,
    KINDS,
    LARGEST_ENTRY,
    N_CHILDREN,
    N_NEGATIVE,
    N_PERTURBED,
    PANEL_AT,
    PANEL_WORK,
    PIVOTS,
    REGULARIZATION,
    RELATIVE,
    ROW_SCALE,
    SHIFT_PLACE,
    SMALLEST_PIVOT,
    STACK,
    STATE,
    STATISTICS,
    STORAGE,
    SYMMETRIC,
    UPPER_AT,
    WAITING,
    blas_of,
)

# Pivots of an equilibrated matrix below this are replaced by it: half of the digits
# of what they stand for, which the Krylov iteration gives back.
SMALLEST_ALLOWED_PIVOT = 1e-8
ZERO_PIVOT = 1e-13
# Columns of the update that are computed together, below the diagonal only.
STRIP = 96


@shared
def add_update(
    storage: Any, stack: Any, child: Any, relative: Any, parent: Any, is_symmetric: Any
) -> None:
    """Add the update of a child to the front of its parent.

    Parameters
    ----------
    storage, stack : arrays
    child : tuple
        First place of the update on the stack, its size, first place of its rows.
    relative : array
        Rows of the parent, ascending.
    parent : tuple
        First place of panel, of upper and of update, own rows, boundary rows.
    is_symmetric : bool
    """
    source, m, first = child
    panel, upper, update, n1, n2 = parent
    n = n1 + n2
    n_own = 0
    while n_own < m and np.int64(relative[first + n_own]) < n1:
        n_own += 1
    for j in range(m):
        column = np.int64(relative[first + j])
        begin = j if is_symmetric else 0
        place = source + j * m
        if j < n_own:
            target = panel + column * n
            for i in range(begin, m):
                row = np.int64(relative[first + i])
                storage[target + row] += stack[place + i]
            continue
        if not is_symmetric:
            target = upper + (column - n1) * n1
            for i in range(n_own):
                row = np.int64(relative[first + i])
                storage[target + row] += stack[place + i]
        target = update + (column - n1) * n2 - n1
        for i in range(max(begin, n_own), m):
            row = np.int64(relative[first + i])
            stack[target + row] += stack[place + i]


@shared
def replace_small_pivots(
    storage: Any, counts: Any, panel: Any, n1: Any, stride: Any
) -> None:
    """Keep the pivots of a general front away from zero."""
    state, statistics = counts
    for k in range(n1):
        pivot = storage[panel + k * stride + k]
        size = abs(pivot)
        statistics[SMALLEST_PIVOT] = min(statistics[SMALLEST_PIVOT], size)
        statistics[LARGEST_ENTRY] = max(statistics[LARGEST_ENTRY], size)
        if not size > ZERO_PIVOT:
            sign = -1.0 if pivot < 0.0 else 1.0
            storage[panel + k * stride + k] = sign * SMALLEST_ALLOWED_PIVOT
            state[N_PERTURBED] += 1


@shared
def count_symmetric_pivots(
    storage: Any, pivots: Any, counts: Any, panel: Any, n1: Any, stride: Any
) -> None:
    """Keep the pivots of a symmetric front away from zero, and count negative ones."""
    state, statistics = counts
    k = 0
    while k < n1:
        place = panel + k * stride + k
        a = storage[place]
        # LAPACK marks a block of two by negative numbers
        if np.int64(pivots[k]) >= 2147483648:
            b, c = storage[place + 1], storage[place + stride + 1]
            size = abs(b)
            state[N_NEGATIVE] += 1 if a * c - b * b < 0.0 else 2 * int(a < 0.0)
            k += 2
        else:
            size = abs(a)
            if not size > ZERO_PIVOT:
                sign = -1.0 if a < 0.0 else 1.0
                storage[place] = sign * SMALLEST_ALLOWED_PIVOT
                state[N_PERTURBED] += 1
            state[N_NEGATIVE] += int(a < 0.0)
            k += 1
        statistics[SMALLEST_PIVOT] = min(statistics[SMALLEST_PIVOT], size)
        statistics[LARGEST_ENTRY] = max(statistics[LARGEST_ENTRY], size)


@shared
def eliminate_general(
    storage: Any, stack: Any, pivots: Any, counts: Any, blas: Any, front: Any
) -> None:
    """``[L11; L21] U11`` and ``L11 U12`` of a front; its update loses ``L21 U12``."""
    panel, upper, update, n1, n2 = front
    n = n1 + n2
    own = (at(storage, panel), n)
    exchanged = at(pivots, 0)
    factorize_general(blas, n1, own, exchanged)
    replace_small_pivots(storage, counts, panel, n1, n)
    if n2 > 0:
        below = (at(storage, panel + n1), n)
        beside = (at(storage, upper), n1)
        divide_matrix(blas, (R, U, N, N), (n2, n1), own, below)
        exchange_rows(blas, (n1, n2), beside, exchanged)
        divide_matrix(blas, (L, L, N, U), (n1, n2), own, beside)
        rest = (at(stack, update), n2)
        multiply(blas, (N, N), (n2, n2, n1), below, beside, rest)


@shared
def eliminate_symmetric(
    memory: Any, pivots: Any, counts: Any, blas: Any, front: Any
) -> Any:
    """``L L^T`` of a front, or with pivots of both signs ``A11`` and ``A21 A11^-1``.

    Returns how it was done. The upper triangle of the own block keeps a copy of the
    lower one, for the case that Cholesky's method meets a negative pivot.
    """
    panel, _, update, n1, n2 = front
    n = n1 + n2
    storage, stack, work = memory
    _, statistics = counts
    own = (at(storage, panel), n)
    below = (at(storage, panel + n1), n)
    rest = (at(stack, update), n2)
    for j in range(n1):
        for i in range(j + 1, n1):
            storage[panel + i * n + j] = storage[panel + j * n + i]
        work[j] = storage[panel + j * n + j]
    if factorize_positive(blas, n1, own):
        smallest, largest = np.inf, 0.0
        for j in range(n1):
            pivot = storage[panel + j * n + j]
            smallest = min(smallest, pivot)
            largest = max(largest, pivot)
        if smallest * smallest > ZERO_PIVOT:
            smallest *= smallest
            largest *= largest
            statistics[SMALLEST_PIVOT] = min(statistics[SMALLEST_PIVOT], smallest)
            statistics[LARGEST_ENTRY] = max(statistics[LARGEST_ENTRY], largest)
            if n2 > 0:
                divide_matrix(blas, (R, L, T, N), (n2, n1), own, below)
                subtract_square(blas, (n2, n1), below, rest)
            return CHOLESKY
    for j in range(n1):
        storage[panel + j * n + j] = work[j]
        for i in range(j + 1, n1):
            storage[panel + j * n + i] = storage[panel + i * n + j]
    exchanged = at(pivots, 0)
    factorize_symmetric(blas, n1, own, exchanged, at(work, 0), 64 * n1)
    count_symmetric_pivots(storage, pivots, counts, panel, n1, n)
    if n2 > 0:
        # the transpose of A21, then A11^-1 times it
        for i in range(n2):
            for j in range(n1):
                work[i * n1 + j] = storage[panel + j * n + n1 + i]
        turned = (at(work, 0), n1)
        solve_symmetric(blas, (n1, n2), own, exchanged, turned, at(work, n1 * n2))
        for start in range(0, n2, STRIP):
            width = min(STRIP, n2 - start)
            multiply(
                blas,
                (N, N),
                (n2 - start, width, n1),
                (at(storage, panel + n1 + start), n),
                (at(work, start * n1), n1),
                (at(stack, update + start * (n2 + 1)), n2),
            )
        for i in range(n2):
            for j in range(n1):
                storage[panel + j * n + n1 + i] = work[i * n1 + j]
    return SYMMETRIC


@kernel
def factorize_fronts(factorization: Any, data: Any) -> None:
    """Factorize new values, front by front.

    The entries of the matrix go to their fronts first. A front takes the updates of
    its children from the stack, eliminates its own rows and leaves its own update.

    References
    ----------
    Duff and Reid 1983; Liu 1992; Davis 2006.
    """
    f = factorization
    bounds = f.bounds
    blas = blas_of(f)
    storage, stack = (
        part_of(f.floats, bounds, STORAGE),
        part_of(f.floats, bounds, STACK),
    )
    memory = (storage, stack, part_of(f.floats, bounds, PANEL_WORK))
    state = part_of(f.integers, bounds, STATE)
    statistics = part_of(f.floats, bounds, STATISTICS)
    counts = (state, statistics)
    places, factors = (
        part_of(f.longs, bounds, ENTRY_PLACE),
        part_of(f.floats, bounds, ENTRY_SCALE),
    )
    storage[:] = 0.0
    for p in range(places.size):
        storage[places[p]] += data[p] * factors[p]
    shifts = part_of(f.floats, bounds, REGULARIZATION)
    shift_place = part_of(f.longs, bounds, SHIFT_PLACE)
    row_scale = part_of(f.floats, bounds, ROW_SCALE)
    column_scale = part_of(f.floats, bounds, COLUMN_SCALE)
    for k in range(shifts.size):
        row = row_scale.size - shifts.size + k
        storage[shift_place[k]] += shifts[k] * row_scale[row] * column_scale[row]
    state[N_NEGATIVE] = 0
    state[N_PERTURBED] = 0
    statistics[SMALLEST_PIVOT] = np.inf
    statistics[LARGEST_ENTRY] = 0.0
    is_symmetric = state[IS_SYMMETRIC] == 1
    starts, boundary_starts = (
        part_of(f.integers, bounds, FIRST),
        part_of(f.integers, bounds, BOUNDARY_STARTS),
    )
    n_children, kinds = (
        part_of(f.integers, bounds, N_CHILDREN),
        part_of(f.integers, bounds, KINDS),
    )
    panels, uppers = (
        part_of(f.integers, bounds, PANEL_AT),
        part_of(f.integers, bounds, UPPER_AT),
    )
    relative, pivots = (
        part_of(f.shorts, bounds, RELATIVE),
        part_of(f.shorts, bounds, PIVOTS),
    )
    n_fronts = n_children.size
    waiting = part_of(f.integers, bounds, WAITING)
    n_waiting = 0
    top = 0
    for s in range(n_fronts):
        n1 = starts[s + 1] - starts[s]
        n2 = boundary_starts[s + 1] - boundary_starts[s]
        update = top
        for k in range(update, update + n2 * n2):
            stack[k] = 0.0
        front = (panels[s], uppers[s], update, n1, n2)
        bottom = top
        for _ in range(n_children[s]):
            n_waiting -= 1
            child = waiting[n_waiting]
            start = boundary_starts[child]
            m = boundary_starts[child + 1] - start
            bottom -= m * m
            add_update(
                storage, stack, (bottom, m, start), relative, front, is_symmetric
            )
        own_pivots = pivots[starts[s] : starts[s + 1]]
        if is_symmetric:
            kinds[s] = eliminate_symmetric(memory, own_pivots, counts, blas, front)
        else:
            kinds[s] = GENERAL
            eliminate_general(storage, stack, own_pivots, counts, blas, front)
        if bottom < update:
            for k in range(n2 * n2):
                stack[bottom + k] = stack[update + k]
        top = bottom + n2 * n2
        waiting[n_waiting] = s
        n_waiting += 1
