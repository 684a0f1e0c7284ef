"""Factorization of the matrix that an assembly holds."""

from __future__ import annotations

import numpy as np

from ..assembly import Assembly
from ..elements.base import Array
from ..elements.joint_motion import rubbing_names
from ..linear import (
    Factorization,
    Frames,
    Outside,
    analyze,
    cholmod_for,
    is_symmetric_and_unsound,
    let_jump,
    looks_woven,
    predicted_work,
)

# operations, ten of which take a nanosecond on a processor of 2023: of a row of an
# element's residual, of an entry of its tangent, of a frame that moves
RESIDUAL_WORK, TANGENT_WORK, MOVE_WORK = 60.0, 20.0, 800.0


def frames_of(assembly: Assembly, *, may_be_symmetric: bool = True) -> Frames:
    """What an assembly knows about its unknowns."""
    groups, places, units = assembly.frames_of_rows
    return Frames(groups, places, may_be_symmetric, units)


def cholmod_of(assembly: Assembly) -> Outside | None:
    """CHOLMOD for the matrix that an assembly holds, where it serves and exists."""
    n_rows, n_entries = assembly.indptr.size - 1, assembly.indices.size
    if assembly.system.dofs.n_multipliers > 0 or not looks_woven(n_rows, n_entries):
        return None
    return cholmod_for(assembly.matrix(assembly.target.data), frames_of(assembly))


def analyze_assembly(
    assembly: Assembly,
    data: Array | None = None,
    *,
    before: Factorization | None = None,
    n_sweeps: int = 0,
    mold: Factorization | None = None,
    pivots_last: bool = True,
) -> Factorization:
    """New pivots for a matrix of an assembly.

    Parameters
    ----------
    assembly : Assembly
    data : (n_entries,) array or None
        Values of the matrix; default: those that the assembly holds.
    before : Factorization or None
        What has just asked for new pivots.
    n_sweeps : int
        Sweeps of refinement in each solve.
    mold : Factorization or None
        An earlier one of this matrix, whose layout may serve again.
    pivots_last : bool
        False where frozen pivots have turned out not to last.

    Returns
    -------
    Factorization
    """
    system = assembly.system
    found = analyze(
        assembly.indptr,
        assembly.indices,
        assembly.target.data[:-1] if data is None else data,
        n_multipliers=system.dofs.n_multipliers,
        is_redundant=system.n_redundant > 0,
        n_sweeps=n_sweeps,
        frames=frames_of(
            assembly, may_be_symmetric=not is_symmetric_and_unsound(before)
        )._replace(mold=mold, pivots_last=pivots_last),
    )
    return let_jump(found) if rubbing_names(system.blocks) else found


def cost_of_factors(
    assembly: Assembly, factorization: Factorization | None, n_levels: int
) -> float:
    """Predicted cost of a tangent and its factors, in iterations with old factors.

    Parameters
    ----------
    assembly : Assembly
    factorization : Factorization
    n_levels : int
        Levels of constraints that an iteration looks at and solves for.
    """
    assert factorization is not None
    blocks = assembly.system.blocks
    sizes = [6 * block.frames.shape[1] + block.n_multipliers for block in blocks]
    numbers = [block.n_elements for block in blocks]
    refactor_work, solve_work = predicted_work(factorization)
    new = TANGENT_WORK * float(np.dot(numbers, np.square(sizes))) + refactor_work
    residual = RESIDUAL_WORK * float(np.dot(numbers, sizes))
    old = residual + solve_work + MOVE_WORK * len(assembly.system.state.poses)
    return new / (n_levels * old)
