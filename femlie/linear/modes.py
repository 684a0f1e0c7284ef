"""Lowest eigenvalues of a stiffness with constraints: shift and invert, Lanczos."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, svd
from scipy.sparse import csc_matrix, diags, identity
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from .analysis import NO_FRAMES, Frames, analyze
from .factorization import SOLVED, FloatArray, refactor, solve
from .threads import calm

# Up to this many rows all eigenvalues are found at once: Lanczos wants room.
LARGEST_DENSE = 240
# Shift of a structure with free motions, relative to its stiffest entry per mass:
# small beside elastic modes, large beside rounding.
FREE_SHIFT = -1e-10
# Eigenvalues that a shift has taken digits from are rounding up to this share of it.
ROUNDING_OF_SHIFT = 1e-5
RANK_TOLERANCE = 1e-10
# Mass relative to the largest that counts as none.
NO_MASS = 1e-14


def lowest_modes(
    stiffness: csc_matrix,
    mass: csc_matrix | None,
    *,
    n_multipliers: int,
    n_modes: int,
    is_redundant: bool = False,
    frames: Frames = NO_FRAMES,
) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues next to zero of ``K x = w M x`` where constraints hold x.

    Parameters
    ----------
    stiffness : (n + m, n + m) sparse matrix
        ``[[K, B^T], [B, 0]]``; the symmetric part of K counts.
    mass : (n, n) sparse matrix or None
        Symmetric and positive; None: the identity.
    n_multipliers : int
        Number m of rows of B.
    n_modes : int
        Number of eigenvalues; fewer are returned where there are no more.
    is_redundant : bool
        Whether rows of B may depend on others.
    frames : Frames
        What is known about the unknowns.

    Returns
    -------
    tuple of (k,) and (k, n) arrays
        Eigenvalues in ascending order and vectors with ``x^T M x = 1``; their largest
        entry is positive.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the mass is zero in some direction, or the iteration fails.

    References
    ----------
    Ericsson and Ruhe 1980; Lehoucq, Sorensen and Yang 1998.
    """
    n = stiffness.shape[0] - n_multipliers
    if mass is None:
        mass = csc_matrix(identity(n, format="csc"))
    saddle = csc_matrix(0.5 * (stiffness + stiffness.T))
    if n <= LARGEST_DENSE or n_modes > n // 4:
        values, vectors = _dense(saddle, mass, n, n_modes)
    else:
        operator = _inverse(
            stiffness, mass, n_multipliers, is_redundant=is_redundant, frames=frames
        )
        values, vectors = _lanczos(operator, mass, n_modes)
    order = np.argsort(values)
    vectors = vectors[:, order].T
    largest = np.take_along_axis(
        vectors, np.abs(vectors).argmax(axis=1)[:, None], axis=1
    )
    return values[order], vectors * np.where(largest < 0.0, -1.0, 1.0)


def _dense(
    saddle: csc_matrix, mass: csc_matrix, n: int, n_modes: int
) -> tuple[FloatArray, FloatArray]:
    """All modes in a basis of the motions that the constraints allow.

    Unknowns are scaled by stiffness and mass, so that units do not matter.
    """
    scale = _sizes(np.abs(saddle.diagonal()[:n]), mass.diagonal())
    columns = diags(scale)
    mass, free = columns @ mass @ columns, columns @ saddle[:n, :n] @ columns
    rows = (saddle[n:, :n] @ columns).toarray()
    sizes = np.linalg.norm(rows, axis=1)
    rows = rows[sizes > 0.0] / sizes[sizes > 0.0, None]
    basis = np.eye(n)
    if len(rows):
        _, singular, right = svd(rows)
        basis = right[np.count_nonzero(singular > RANK_TOLERANCE * singular[0]) :].T
    if basis.shape[1] == 0:
        return np.zeros(0), np.zeros((n, 0))
    reduced = basis.T @ (free @ basis)
    weights = basis.T @ (mass @ basis)
    basis = scale[:, None] * basis
    small = _free_shift(np.diag(reduced), np.diag(weights))
    # an unstable state needs a shift beyond its fastest growth
    for shift in (0.0, *(small * 1e2**k for k in range(8))):
        try:
            # inverse eigenvalues: the lowest frequencies get all digits
            found, vectors = eigh(weights, reduced - shift * weights)
        except np.linalg.LinAlgError:
            continue
        if shift == 0.0 and -small * found[-1] > 1.0:
            # rounding may leave a little stiffness where there is none
            continue
        kept = np.flatnonzero(found > NO_MASS * found[-1])[::-1][:n_modes]
        vectors = vectors[:, kept] / np.sqrt(found[kept])
        return _rounded(shift + 1.0 / found[kept], shift), basis @ vectors
    values, vectors = eigh(reduced, weights)
    kept = np.argsort(np.abs(values), kind="stable")[:n_modes]
    return _rounded(values[kept], shift), basis @ vectors[:, kept]


def _rounded(values: FloatArray, shift: float) -> FloatArray:
    """Zero in place of eigenvalues that are nothing but rounding, as of rigid motions.

    Without a shift all values have their digits.
    """
    return np.where(np.abs(values) <= ROUNDING_OF_SHIFT * abs(shift), 0.0, values)


def _sizes(stiffness: FloatArray, mass: FloatArray) -> FloatArray:
    """Changes of the unknowns that take like energies, at a typical frequency."""
    has_both = (stiffness > 0.0) & (mass > 0.0)
    squared = 1.0
    if np.any(has_both):
        ratio = stiffness[has_both] / mass[has_both]
        squared = float(np.exp(np.mean(np.log(ratio))))
    total = stiffness + squared * mass
    total[total <= 0.0] = 1.0
    return np.asarray(1.0 / np.sqrt(total))


def _free_shift(stiffness: FloatArray, mass: FloatArray) -> float:
    """Small negative shift for structures with free motions."""
    has_mass = mass > NO_MASS * mass.max(initial=0.0)
    ratio = np.abs(stiffness[has_mass]) / mass[has_mass]
    # without any stiffness every shift does
    return FREE_SHIFT * (float(ratio.max(initial=0.0)) or 1.0)


def _inverse(
    stiffness: csc_matrix,
    mass: csc_matrix,
    n_multipliers: int,
    *,
    is_redundant: bool,
    frames: Frames,
) -> tuple[float, Any]:
    """A shift, and what solves ``[[K - s M, B^T], [B, 0]]`` for a force."""
    n = stiffness.shape[0] - n_multipliers
    for shift in (0.0, _free_shift(stiffness.diagonal()[:n], mass.diagonal())):
        data = _shifted(stiffness, mass, shift)
        factorization = analyze(
            stiffness.indptr,
            stiffness.indices,
            data,
            n_multipliers=n_multipliers,
            is_redundant=is_redundant,
            n_sweeps=1,
            frames=frames,
        )
        with calm(factorization):
            outcome = refactor(factorization, data)
        if outcome == SOLVED:
            break
    else:
        raise np.linalg.LinAlgError(
            "The stiffness is singular even with some mass added: a direction has "
            "neither, or constraints contradict each other."
        )
    rhs, solution = np.zeros(n + n_multipliers), np.zeros(n + n_multipliers)

    def apply(force: NDArray[np.float64]) -> FloatArray:
        rhs[:n] = force.ravel()
        with calm(factorization):
            solve(factorization, data, rhs, solution)
        return solution[:n].copy()

    return shift, LinearOperator((n, n), matvec=apply, dtype=np.float64)


def _shifted(stiffness: csc_matrix, mass: csc_matrix, shift: float) -> FloatArray:
    """Values of the symmetric part of ``[[K - s M, B^T], [B, 0]]`` in its pattern."""
    size = stiffness.shape[0]
    wide = csc_matrix(mass.copy())
    wide.resize((size, size))
    zeros = csc_matrix(
        (np.zeros(stiffness.nnz), stiffness.indices, stiffness.indptr),
        shape=stiffness.shape,
    )
    turned = csc_matrix(stiffness.T)
    turned.sort_indices()
    data = 0.5 * (stiffness.data + turned.data)
    if shift != 0.0:
        places = _places_in(zeros, wide)
        np.add.at(data, places, -shift * wide.data)
    return np.ascontiguousarray(data)


def _places_in(pattern: csc_matrix, part: csc_matrix) -> NDArray[np.int64]:
    """Place of each entry of a matrix in the pattern of another one that holds it."""
    n = pattern.shape[0]
    keys, wanted = (
        np.repeat(np.arange(n, dtype=np.int64), np.diff(matrix.indptr)) * n
        + matrix.indices
        for matrix in (pattern, part)
    )
    return np.searchsorted(keys, wanted).astype(np.int64)


def _lanczos(
    operator: tuple[float, Any], mass: csc_matrix, n_modes: int
) -> tuple[FloatArray, FloatArray]:
    """Modes next to the shift; the start is a motion that the constraints allow."""
    shift, inverse = operator
    n = mass.shape[0]
    # no mode is orthogonal to these numbers, and they are the same in every run
    start = inverse @ (mass @ np.modf(1.0 + 0.6180339887498949 * np.arange(n))[0])
    try:
        found = eigsh(
            mass,  # stands for K, of which only the shape counts here
            k=n_modes,
            M=mass,
            sigma=shift,
            OPinv=inverse,
            v0=start,
            ncv=min(n - 1, max(2 * n_modes + 1, 20)),
        )
    except ArpackNoConvergence as error:
        raise np.linalg.LinAlgError(
            f"Only {len(error.eigenvalues)} of {n_modes} modes were found: ask for "
            "fewer, or look for parts without mass."
        ) from error
    return _rounded(found[0], shift), found[1]
