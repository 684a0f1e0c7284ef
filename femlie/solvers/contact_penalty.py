"""The stiffness that a penalty on contacts starts from: what the contacts meet."""

from __future__ import annotations

import numpy as np

from .._equations import evaluate_blocks, start_step
from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..elements.base import Array, IntArray, Motion
from ..lie import quaternion
from ..linear import SOLVED, Factorization, refactor, solve
from .factors import analyze_assembly
from .march import run

# contacts whose compliance is looked at, at most
SAMPLES = 400
# compliance below this part of the largest: a node that cannot move
HELD = 1e-8


def set_penalties(assembly: Assembly, motion: Motion) -> None:
    """Stiffness of the penalty for each multiplier, one over the compliance it meets.

    ``D_j = dg_j K^-1 dg_j^T`` without contact. Of line contacts the middle value of
    ``1/(size D)`` holds for all; a point has its own. A slave node that cannot move
    along the normal bears no multiplier: it would be settled against the bending
    errors of both meshes by large forces without a lever.
    """
    system = assembly.system
    b = len(system.blocks) - 1
    codes = system.blocks[b].codes
    parameters = eq_view(assembly.equations, b, "parameters")
    iterates = eq_view(assembly.equations, b, "iterates")
    owners = np.argwhere(codes[:, layout.OWNS : layout.OWNS + 2] == 1)
    if not len(owners):
        return
    numbers = codes[owners[:, 0], layout.MULTIPLIER + owners[:, 1]]
    sizes = iterates[owners[:, 0], layout.SIZE + owners[:, 1]]
    is_line = codes[owners[:, 0], layout.FORM] == layout.LINE
    compliance, own = _compliances(assembly, motion, owners, numbers)
    is_held = ~(compliance > HELD * compliance.max(initial=0.0))
    is_held |= is_line & ~(own > HELD * own.max(initial=0.0))
    stiffness = 1.0 / np.where(is_held, 1.0, compliance)
    is_used = is_line & ~is_held & (sizes > 0.0)
    if is_used.any():
        middle = float(np.median(stiffness[is_used] / sizes[is_used]))
        stiffness[is_line] = middle * sizes[is_line]
        # a node without share now may get one when the next round begins
        lengths = parameters[owners[:, 0], layout.LENGTH]
        is_empty = is_line & (sizes == 0.0)
        stiffness[is_empty] = middle * lengths[is_empty]
        is_held &= ~is_empty
    stiffness[is_held] = 0.0
    for number, value in zip(numbers.tolist(), stiffness.tolist(), strict=True):
        for j in range(layout.N_MULTIPLIERS):
            parameters[
                codes[:, layout.MULTIPLIER + j] == number, layout.PENALTY + j
            ] = value


def _compliances(
    assembly: Assembly, motion: Motion, owners: IntArray, numbers: IntArray
) -> tuple[Array, Array]:
    """``dg K^-1 dg^T`` of multipliers, contact being off; of their nodes alone."""
    system = assembly.system
    b = len(system.blocks) - 1
    parameters = eq_view(assembly.equations, b, "parameters")
    saved, stage = motion.multipliers.copy(), float(motion.time[layout.STAGE])
    run(assembly, start_step, motion)
    # all closed: their rows
    parameters[:, layout.PENALTY : layout.PENALTY + 2] = 1e-200
    motion.multipliers[:] = saved
    motion.multipliers[numbers] = 1.0
    motion.time[layout.STAGE] = layout.EXACT
    target = assembly.target
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 1.0)
    rows = assembly.matrix(target.data).tocsr()[system.dofs.n_frame_rows + numbers]
    motion.multipliers[:] = saved
    motion.time[layout.STAGE] = layout.OFF
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 1.0)
    motion.time[layout.STAGE] = stage
    factorization, data = _factors(assembly)
    nodes = _pushed_nodes(assembly, motion, owners)
    found = np.zeros((2, numbers.size))
    step = np.zeros(system.dofs.n_rows)
    chosen = np.unique(
        np.linspace(0, numbers.size - 1, min(SAMPLES, numbers.size)).astype(np.int64)
    )
    first = system.dofs.n_frame_rows
    for k in chosen.tolist():
        one = np.asarray(rows[k].todense()).ravel()
        one[first:] = 0.0
        for j, vector in enumerate((one, nodes[k])):
            solve(factorization, data, vector, step)
            found[j, k] = float(vector @ step)
    left = np.setdiff1d(np.arange(numbers.size), chosen)
    for values in found:
        values[left] = np.interp(left, chosen, values[chosen])
    found[~np.isfinite(found)] = 0.0
    return found[0], found[1]


def _factors(assembly: Assembly) -> tuple[Factorization, Array]:
    """Factors of the matrix in the target, and their data."""
    data = assembly.target.data[:-1].copy()
    factorization = analyze_assembly(assembly, data)
    if refactor(factorization, data) != SOLVED:
        # parts that only contact holds: as if weak springs did
        diagonal = assembly.diagonal[: assembly.system.dofs.n_frame_rows]
        data[diagonal] += 1e-6 * np.abs(data[diagonal])
        factorization = analyze_assembly(assembly, data)
        refactor(factorization, data)
    return factorization, data


def _pushed_nodes(assembly: Assembly, motion: Motion, owners: IntArray) -> Array:
    """(n, n_rows) unit forces along the normal on the slave node of each multiplier."""
    system = assembly.system
    b = len(system.blocks) - 1
    iterates = eq_view(assembly.equations, b, "iterates")[owners[:, 0]]
    parameters = eq_view(assembly.equations, b, "parameters")[owners[:, 0]]
    frames = system.blocks[b].frames[owners[:, 0]]
    first = motion.poses[frames[:, 0], 3:]
    node = frames[np.arange(len(owners)), owners[:, 1]]
    # the normal of the integration point next to the node, in the node's own axes
    at = layout.POINT_WIDTH * np.where(owners[:, 1] == 0, 0, layout.N_POINTS - 1)
    columns = (at + layout.NORMAL)[:, None] + np.arange(3)
    normal = quaternion.rotate(first, np.take_along_axis(iterates, columns, axis=1))
    force = quaternion.rotate(quaternion.conjugate(motion.poses[node, 3:]), normal)
    at = layout.SLAVE_OFFSETS + 7 * owners[:, 1]
    arm = np.take_along_axis(parameters, at[:, None] + np.arange(3), axis=1)
    wrench = np.hstack([force, np.cross(arm, force)])
    vectors = np.zeros((len(owners), system.dofs.n_rows))
    rows = system.dofs.numbers[node]
    where, column = np.nonzero(rows >= 0)
    vectors[where, rows[where, column]] = wrench[where, column]
    return vectors
