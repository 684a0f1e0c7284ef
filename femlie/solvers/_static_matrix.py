"""What a static load step adds to its tangent: a shift, and turns of wrenches.

With a local residual ``f = R^T F`` of a frame, ``df = R^T dF + f x turn``. Newton's
method on F instead of f converges as fast, and has another way there: the first term
is second order in what is out of balance, but pushes what moves freely, such as a rod
on a floor, to wherever its weak springs let it go.
"""

from __future__ import annotations

from .._jit import routine


@routine
def add_shift(data, diagonal, shift, size):
    """``mu D`` on the diagonal, in the size of the load of this step."""
    for i in range(shift.shape[0]):
        data[diagonal[i]] += size * shift[i]


@routine
def add_turns(data, residual, diagonal, numbers, n_rows):
    """Take ``f x turn`` of all wrenches f away from the tangent.

    Rows of a frame follow each other, so that its entries stand around the diagonal.
    """
    for i in range(numbers.shape[0]):
        for b in range(3):
            column = numbers[i, 3 + b]
            if column >= n_rows:
                continue
            before, after = (b + 1) % 3, (b + 2) % 3
            for part in range(0, 6, 3):
                upper, lower = numbers[i, part + before], numbers[i, part + after]
                if upper < n_rows and lower < n_rows:
                    at = diagonal[column] - column
                    data[at + upper] -= residual[lower]
                    data[at + lower] += residual[upper]
