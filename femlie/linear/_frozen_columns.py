"""Columns of triangular factors, subtracted from a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import inline

# Unsigned indices: signed ones cost a test for negative values at each access.
ZERO: Any = np.uint64(0)
ONE: Any = np.uint64(1)


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


@inline
def subtract_two(w: Any, rows: Any, values: Any, q: Any, n: Any, x: Any) -> None:
    """The same for two columns, whose last ``n`` rows are those of the second."""
    q0, q1 = q
    x0, x1 = x
    if follow_each_other(rows, q1, n):
        row = np.uint64(rows[q1])
        for t in range(n):
            w[row + t] -= values[q0 + t] * x0 + values[q1 + t] * x1
    else:
        for t in range(n):
            w[rows[q1 + t]] -= values[q0 + t] * x0 + values[q1 + t] * x1


@inline
def subtract_three(w: Any, rows: Any, values: Any, q: Any, n: Any, x: Any) -> None:
    """The same for three."""
    q0, q1, q2 = q
    x0, x1, x2 = x
    if follow_each_other(rows, q2, n):
        row = np.uint64(rows[q2])
        for t in range(n):
            w[row + t] -= (
                values[q0 + t] * x0 + values[q1 + t] * x1 + values[q2 + t] * x2
            )
    else:
        for t in range(n):
            w[rows[q2 + t]] -= (
                values[q0 + t] * x0 + values[q1 + t] * x1 + values[q2 + t] * x2
            )
