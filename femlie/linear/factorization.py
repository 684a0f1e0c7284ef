"""What every linear solver hands to a compiled loop: flat arrays and two kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _jit
from .._jit import call, shared

FloatArray = NDArray[np.float64]

# what `refactor` says
SOLVED = 0
NEEDS_NEW_PIVOTS = 1
SINGULAR = 2
# the caller has to act: see `outside`
OUTSIDE = 3
# addresses of kernels by types of the arrays that they were compiled for
_ADDRESSES: dict[Any, int] = {}
# columns of Factorization.functions
REFACTOR, SOLVE = 0, 1


class Factorization(NamedTuple):
    """Factors of a matrix of fixed pattern, in the same types for every solver.

    A loop compiled once serves all solvers: it calls their kernels by address. What
    the arrays hold is known to these kernels only.

    Attributes
    ----------
    functions : (1, n) array
        Kernels that refactor and solve, and those that only these know: addresses,
        or functions where nothing is compiled.
    indptr, indices : (n + 1,), (n_entries,) arrays
        Pattern of the matrix, compressed by columns.
    status : (1,) int array
        What the last `refactor` said.
    bounds : (n_parts, 2) int array
        First and last place of each part in the array of its type.
    integers, shorts, longs, floats : arrays
    """

    functions: NDArray[Any]
    indptr: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    status: NDArray[np.int64]
    bounds: NDArray[np.int64]
    integers: NDArray[np.int64]
    shorts: NDArray[np.uint32]
    longs: NDArray[np.uint64]
    floats: FloatArray


# a function, and samples of its arguments behind the factorization
Kernels = list[tuple[Any, tuple[Any, ...]]]
VECTOR = (np.zeros(0),)
# array of a Factorization that holds parts of a type
HOLDERS = {
    np.dtype(np.int64): "integers",
    np.dtype(np.uint32): "shorts",
    np.dtype(np.uint64): "longs",
    np.dtype(np.float64): "floats",
}


def pack(
    parts: Any, kernels: Kernels, sizes: dict[str, int] | None = None
) -> Factorization:
    """Lay the arrays of a solver behind each other.

    Parameters
    ----------
    parts : NamedTuple of arrays
        Begins with ``indptr`` and ``indices``.
    kernels : list of tuples
        Function and sample arguments behind the factorization:
        ``refactor(factorization, data)``,
        ``solve(factorization, data, rhs, solution)``, and others that only these two
        call. They return nothing.
    sizes : dict of str to int or None
        Parts of floats that are only so many zeros: they take no memory twice.

    Returns
    -------
    Factorization
    """
    sizes = sizes or {}
    bounds = np.zeros((len(parts), 2), dtype=np.int64)
    ends = dict.fromkeys(HOLDERS.values(), 0)
    for i, (name, part) in enumerate(zip(parts._fields, parts, strict=True)):
        if i < 2:
            continue
        holder = HOLDERS[part.dtype]
        bounds[i] = ends[holder], ends[holder] + sizes.get(name, part.size)
        ends[holder] = int(bounds[i, 1])
    flat = {
        holder: np.zeros(ends[holder], dtype=dtype) for dtype, holder in HOLDERS.items()
    }
    for (first, end), part in list(zip(bounds, parts, strict=True))[2:]:
        if part.size == end - first:
            flat[HOLDERS[part.dtype]][first:end] = part
    packed = Factorization(
        functions=np.zeros((1, len(kernels)), dtype=np.uint64),
        indptr=parts.indptr,
        indices=parts.indices,
        status=np.zeros(1, dtype=np.int64),
        bounds=bounds,
        **flat,
    )
    return with_kernels(packed, kernels)


def with_kernels(factorization: Factorization, kernels: Kernels) -> Factorization:
    """The same arrays with the kernels that know what they mean."""
    if not _jit.IS_COMPILED:
        functions = np.empty((1, len(kernels)), dtype=object)
        functions[0] = [function for function, _ in kernels]
        return factorization._replace(functions=functions)
    # numba takes a millisecond to name the types of so many arrays
    types = tuple((part.dtype.num, part.flags.num) for part in factorization)
    for column, (function, arguments) in enumerate(kernels):
        if (function, types) not in _ADDRESSES:
            address = _jit.address(function, (factorization, *arguments))
            _ADDRESSES[function, types] = address
        factorization.functions[0, column] = _ADDRESSES[function, types]
    return factorization


def placeholder(
    indptr: NDArray[Any] | None = None, indices: NDArray[Any] | None = None
) -> Factorization:
    """A factorization of nothing: for the types, and until values are known."""
    none = np.zeros(0)
    return Factorization(
        functions=np.zeros((1, 2), dtype=np.uint64),
        indptr=np.zeros(1, np.uint64) if indptr is None else indptr.astype(np.uint64),
        indices=none.astype(np.uint32)
        if indices is None
        else indices.astype(np.uint32),
        status=np.array([NEEDS_NEW_PIVOTS]),
        bounds=np.zeros((0, 2), dtype=np.int64),
        integers=none.astype(np.int64),
        shorts=none.astype(np.uint32),
        longs=none.astype(np.uint64),
        floats=none,
    )


@shared
def refactor(factorization: Any, data: Any) -> int:
    """Factorize new values of the pattern that was given to `analyze`.

    Parameters
    ----------
    factorization : Factorization
        Its values are overwritten.
    data : (n_entries,) array
        Values of the matrix, in the order given to `analyze`.

    Returns
    -------
    int
        0 solved; 1 pivots have become too small, or entries too large: analyze
        again (right after that, with the same values, it means singular); 2 singular;
        3 to be done by the caller, see `outside`.
    """
    call(factorization.functions, 0, REFACTOR, (factorization, data))
    return factorization.status[0]


@shared
def solve(factorization: Any, data: Any, rhs: Any, solution: Any) -> int:
    """Solve ``A x = rhs`` with the factors of the last `refactor`.

    Parameters
    ----------
    factorization : Factorization
        After a `refactor` that returned 0.
    data : (n_entries,) array
        Values of the matrix.
    rhs : (n,) array
        Right-hand side; not the same memory as ``solution``.
    solution : (n,) array
        Is overwritten.

    Returns
    -------
    int
        0 solved; 3 to be done by the caller.
    """
    call(factorization.functions, 0, SOLVE, (factorization, data, rhs, solution))
    return factorization.status[0]
