"""BLAS and LAPACK routines on parts of flat arrays, called by address.

``blas`` is a tuple ``(routines, numbers, letters, constants)`` of arrays, see
`FrontFactors`; matrices stand column by column and are given by their address.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import call_external, shared
from ._front_factors import (
    DGEMM,
    DGEMV,
    DGETRF,
    DLASWP,
    DPOTRF,
    DSYRK,
    DSYTRF,
    DSYTRS,
    DSYTRS2,
    DTRSM,
    DTRSV,
)

# places in letters and in constants
N, T, L, U, R = range(5)
LETTERS = "NTLUR"
PLUS, MINUS, NOTHING = range(3)
CONSTANTS = (1.0, -1.0, 0.0)
# places in numbers
ROWS, COLUMNS, INNER, FIRST_STRIDE, SECOND_STRIDE, THIRD_STRIDE, INFO, SIZE, ONE = (
    range(9)
)
N_NUMBERS = 9


@shared
def at(array: Any, place: Any) -> Any:
    """Address of an entry."""
    return array[place:].ctypes.data


@shared
def multiply(blas: Any, kind: Any, shape: Any, a: Any, b: Any, c: Any) -> None:
    """``C <- C - op(A) op(B)``; ``a``, ``b``, ``c`` are (address, stride)."""
    routines, numbers, letters, constants = blas
    numbers[ROWS], numbers[COLUMNS], numbers[INNER] = shape
    numbers[FIRST_STRIDE] = a[1]
    numbers[SECOND_STRIDE] = b[1]
    numbers[THIRD_STRIDE] = c[1]
    call_external(
        routines[DGEMM],
        (
            at(letters, kind[0]),
            at(letters, kind[1]),
            at(numbers, ROWS),
            at(numbers, COLUMNS),
            at(numbers, INNER),
            at(constants, MINUS),
            a[0],
            at(numbers, FIRST_STRIDE),
            b[0],
            at(numbers, SECOND_STRIDE),
            at(constants, PLUS),
            c[0],
            at(numbers, THIRD_STRIDE),
        ),
    )


@shared
def multiply_vector(
    blas: Any, kind: Any, shape: Any, a: Any, x: Any, y: Any, signs: Any
) -> None:
    """``y <- s y + r op(A) x`` with ``signs = (r, s)``, places in the constants."""
    routines, numbers, letters, constants = blas
    numbers[ROWS], numbers[COLUMNS] = shape
    numbers[FIRST_STRIDE] = a[1]
    numbers[ONE] = 1
    call_external(
        routines[DGEMV],
        (
            at(letters, kind),
            at(numbers, ROWS),
            at(numbers, COLUMNS),
            at(constants, signs[0]),
            a[0],
            at(numbers, FIRST_STRIDE),
            x,
            at(numbers, ONE),
            at(constants, signs[1]),
            y,
            at(numbers, ONE),
        ),
    )


@shared
def subtract_square(blas: Any, shape: Any, a: Any, c: Any) -> None:
    """Lower triangle of ``C <- C - A A^T``."""
    routines, numbers, letters, constants = blas
    numbers[ROWS], numbers[INNER] = shape
    numbers[FIRST_STRIDE] = a[1]
    numbers[THIRD_STRIDE] = c[1]
    call_external(
        routines[DSYRK],
        (
            at(letters, L),
            at(letters, N),
            at(numbers, ROWS),
            at(numbers, INNER),
            at(constants, MINUS),
            a[0],
            at(numbers, FIRST_STRIDE),
            at(constants, PLUS),
            c[0],
            at(numbers, THIRD_STRIDE),
        ),
    )


@shared
def divide_matrix(blas: Any, kind: Any, shape: Any, a: Any, b: Any) -> None:
    """``B <- op(A)^-1 B`` or ``B op(A)^-1``, A triangular.

    ``kind`` has the side, the triangle, the transposition, and U for a unit diagonal.
    """
    routines, numbers, letters, constants = blas
    numbers[ROWS], numbers[COLUMNS] = shape
    numbers[FIRST_STRIDE] = a[1]
    numbers[SECOND_STRIDE] = b[1]
    call_external(
        routines[DTRSM],
        (
            at(letters, kind[0]),
            at(letters, kind[1]),
            at(letters, kind[2]),
            at(letters, kind[3]),
            at(numbers, ROWS),
            at(numbers, COLUMNS),
            at(constants, PLUS),
            a[0],
            at(numbers, FIRST_STRIDE),
            b[0],
            at(numbers, SECOND_STRIDE),
        ),
    )


@shared
def divide_vector(blas: Any, kind: Any, a: Any, size: Any, x: Any) -> None:
    """``x <- op(A)^-1 x``; ``kind``: triangle, transposition, U for a unit diagonal."""
    routines, numbers, letters, _ = blas
    numbers[ROWS] = size
    numbers[FIRST_STRIDE] = a[1]
    numbers[ONE] = 1
    call_external(
        routines[DTRSV],
        (
            at(letters, kind[0]),
            at(letters, kind[1]),
            at(letters, kind[2]),
            at(numbers, ROWS),
            a[0],
            at(numbers, FIRST_STRIDE),
            x,
            at(numbers, ONE),
        ),
    )


@shared
def factorize_general(blas: Any, size: Any, a: Any, pivots: Any) -> None:
    """``P A = L U`` in place, rows exchanged within the block."""
    routines, numbers, _, _ = blas
    numbers[ROWS] = size
    numbers[FIRST_STRIDE] = a[1]
    call_external(
        routines[DGETRF],
        (
            at(numbers, ROWS),
            at(numbers, ROWS),
            a[0],
            at(numbers, FIRST_STRIDE),
            pivots,
            at(numbers, INFO),
        ),
    )


@shared
def exchange_rows(blas: Any, shape: Any, b: Any, pivots: Any) -> None:
    """``B <- P B`` with the exchanges of `factorize_general`."""
    routines, numbers, _, _ = blas
    numbers[ROWS], numbers[COLUMNS] = shape
    numbers[SECOND_STRIDE] = b[1]
    numbers[ONE] = 1
    call_external(
        routines[DLASWP],
        (
            at(numbers, COLUMNS),
            b[0],
            at(numbers, SECOND_STRIDE),
            at(numbers, ONE),
            at(numbers, ROWS),
            pivots,
            at(numbers, ONE),
        ),
    )


@shared
def factorize_positive(blas: Any, size: Any, a: Any) -> Any:
    """``A = L L^T`` in place; whether all pivots were positive."""
    routines, numbers, letters, _ = blas
    numbers[ROWS] = size
    numbers[FIRST_STRIDE] = a[1]
    call_external(
        routines[DPOTRF],
        (
            at(letters, L),
            at(numbers, ROWS),
            a[0],
            at(numbers, FIRST_STRIDE),
            at(numbers, INFO),
        ),
    )
    return numbers[INFO] == 0


@shared
def factorize_symmetric(
    blas: Any, size: Any, a: Any, pivots: Any, work: Any, work_size: Any
) -> None:
    """``P A P^T = L D L^T`` in place, D with blocks of one or two."""
    routines, numbers, letters, _ = blas
    numbers[ROWS] = size
    numbers[FIRST_STRIDE] = a[1]
    numbers[SIZE] = work_size
    call_external(
        routines[DSYTRF],
        (
            at(letters, L),
            at(numbers, ROWS),
            a[0],
            at(numbers, FIRST_STRIDE),
            pivots,
            work,
            at(numbers, SIZE),
            at(numbers, INFO),
        ),
    )


@shared
def solve_symmetric(
    blas: Any, shape: Any, a: Any, pivots: Any, b: Any, work: Any
) -> None:
    """``B <- A^-1 B`` after `factorize_symmetric`, for a matrix B."""
    routines, numbers, letters, _ = blas
    numbers[ROWS], numbers[COLUMNS] = shape
    numbers[FIRST_STRIDE] = a[1]
    numbers[SECOND_STRIDE] = b[1]
    call_external(
        routines[DSYTRS2],
        (
            at(letters, L),
            at(numbers, ROWS),
            at(numbers, COLUMNS),
            a[0],
            at(numbers, FIRST_STRIDE),
            pivots,
            b[0],
            at(numbers, SECOND_STRIDE),
            work,
            at(numbers, INFO),
        ),
    )


@shared
def solve_symmetric_vector(blas: Any, size: Any, a: Any, pivots: Any, x: Any) -> None:
    """``x <- A^-1 x`` after `factorize_symmetric`."""
    routines, numbers, letters, _ = blas
    numbers[ROWS] = size
    numbers[FIRST_STRIDE] = a[1]
    numbers[ONE] = 1
    call_external(
        routines[DSYTRS],
        (
            at(letters, L),
            at(numbers, ROWS),
            at(numbers, ONE),
            a[0],
            at(numbers, FIRST_STRIDE),
            pivots,
            x,
            at(numbers, ROWS),
            at(numbers, INFO),
        ),
    )


def arguments() -> Any:
    """Letters and constants that the routines take by address."""
    return (
        np.array([ord(letter) for letter in LETTERS], dtype=np.uint32),
        np.array(CONSTANTS),
    )
