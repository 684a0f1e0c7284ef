"""Summaries of a run, and words for rows of the residual."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy.sparse.linalg import lsqr

from .._equations import evaluate_blocks, start_step, update_signals
from ..assembly import Assembly
from ..elements import _body_kernel
from ..elements.base import Array, Motion
from ..lie import quaternion
from ..linear import inertia
from ..records import Records, layout_of
from ..system import System
from ..tracking import joint_wrenches, wrenches
from .factors import frames_of
from .march import run

# part of a gap that must remain for constraints to contradict each other
CONTRADICTION = 1e-6
DIRECTIONS = (
    "force along its axis 1",
    "force along its axis 2",
    "force along its axis 3",
    "moment about its axis 1",
    "moment about its axis 2",
    "moment about its axis 3",
)


def describe_row(system: System, row: int) -> str:
    """Words for a row of the residual: node, part, direction; or the joint."""
    dofs = system.dofs
    if row < 0:
        return "no single place"
    if row >= dofs.n_frame_rows:
        return (
            f"a constraint of {_owner_of_multiplier(system, row - dofs.n_frame_rows)}"
        )
    frame, direction = np.argwhere(dofs.numbers == row)[0]
    return f"{describe_frame(system, int(frame))} ({DIRECTIONS[direction]})"


def describe_frame(system: System, frame: int) -> str:
    """Words for a frame: the body, or the user's node, with its place."""
    catalog = system.catalog
    place = ", ".join(f"{x:.6g}" for x in system.state.poses[frame, :3])
    nodes = np.flatnonzero(catalog.node_frames == frame)
    for name, kind in catalog.kinds.items():
        if kind == "body" and np.isin(catalog.groups.get(name, []), nodes).any():
            return f"body '{name}' at ({place})"
    numbers = catalog.node_numbers[nodes]
    numbers = numbers[numbers >= 0]
    owners = [
        name
        for name in catalog.beam_ranges
        if np.any(catalog.beams.frames[catalog.beam_ranges[name]] == frame)
    ]
    part = f" of '{owners[0]}'" if owners else ""
    label = f"node {numbers[0]}" if numbers.size else "a node"
    return f"{label}{part} at ({place})"


def _owner_of_multiplier(system: System, k: int) -> str:
    at = 0
    for block in system.blocks:
        n = block.n_all_multipliers
        if k < at + n:
            element = (k - at) // max(block.n_multipliers, 1)
            if block.multipliers is not None:
                element = int(np.argmax(np.any(block.multipliers == k - at, axis=1)))
            name = block.names[element]
            return f"{system.catalog.kinds.get(name, 'part')} '{name}'"
        at += n
    return "an unknown part"


def contradiction_in_words(assembly: Assembly) -> str:
    """One sentence on constraints that no small motion meets together, or nothing.

    The assembly holds residual and tangent. What the constraint rows leave over in the
    sense of least squares names the parts.
    """
    system = assembly.system
    first = system.dofs.n_frame_rows
    gap = assembly.target.residual[first:-1].copy()
    rows = assembly.matrix(assembly.target.data)[first:, :first].tocsr()
    found = lsqr(rows, -gap, atol=1e-13, btol=1e-13)[0]
    left = np.abs(rows @ found + gap)
    if not left.max(initial=0.0) > CONTRADICTION * np.abs(gap).max(initial=0.0):
        return ""
    worst = np.flatnonzero(left > 0.1 * left.max())
    parts = dict.fromkeys(_owner_of_multiplier(system, int(k)) for k in worst)
    return (
        f"The constraints of {' and '.join(list(parts)[:4])} contradict each other: no "
        "motion meets them together. Take one away, or let it move the same way."
    )


def unstable_motions(assembly: Assembly, motion: Motion) -> tuple[int, int]:
    """Negative eigenvalues of the static tangent without constraints, and zero ones.

    None where the tangent is not symmetric at equilibrium (followers, moments fixed in
    space): there the signs say nothing about stability.
    """
    run(assembly, update_signals, motion)
    run(assembly, start_step, motion)
    run(assembly, evaluate_blocks, motion, assembly.target, 0, 0.0, 0.0, 1.0)
    m = assembly.system.dofs.n_multipliers
    matrix = assembly.matrix(assembly.target.data)
    if abs(matrix - matrix.T).max() > 1e-8 * abs(matrix).max():
        return 0, 0
    negative, zero = inertia(
        assembly.indptr,
        assembly.indices,
        assembly.target.data[:-1],
        n_multipliers=m,
        frames=frames_of(assembly),
    )
    return max(int(negative) - m, 0), int(zero)


def balance_of(
    assembly: Assembly, records: Records, *, is_static: bool
) -> dict[str, Any]:
    """Sum of loads and of reactions about the origin at the last row (six numbers).

    Their relative difference, ``error``, is given in statics; in motion inertia makes
    up for it.
    """
    system = assembly.system
    outputs = records.outputs[-1]
    poses = records.poses[-1]
    loads = np.zeros(6)
    size = 0.0
    start = 0
    for block in system.blocks:
        n = block.n_all_outputs
        if block.kernels[2] is _body_kernel.observe_load:
            wrench = outputs[start : start + n].reshape(-1, 6)
            place = poses[block.frames[:, 0], :3]
            loads[:3] += wrench[:, :3].sum(axis=0)
            loads[3:] += (wrench[:, 3:] + np.cross(place, wrench[:, :3])).sum(axis=0)
            size += float(np.linalg.norm(wrench[:, :3], axis=1).sum())
            size += float(np.linalg.norm(wrench[:, 3:], axis=1).sum()) / system.size
        start += n
    reactions, reaction_size = _reactions(assembly, records)
    total = loads + reactions
    far = float(np.abs(poses[:, :3]).max(initial=system.size))
    error = max(
        float(np.abs(total[:3]).max()),
        float(np.abs(total[3:]).max()) / max(far, 1e-300),
    )
    scale = max(size, reaction_size, 1e-300)
    return {
        "loads": loads.tolist(),
        "reactions": reactions.tolist(),
        "error": (error / scale if error > 0.0 else 0.0) if is_static else None,
    }


def _reactions(assembly: Assembly, records: Records) -> tuple[Array, float]:
    """What the ground does to the model, and the sum of magnitudes of its forces.

    Locked directions and elements on ground; supports may pull against each other.
    """
    size = 0.0
    system = assembly.system
    layout = layout_of(system)
    last = Records(*(array[-1:] for array in records))
    total = np.zeros(6)
    turn = last.poses[0, layout.locked_frames, 3:]
    places = last.poses[0, layout.locked_frames, :3]
    force = quaternion.rotate(turn, last.reactions[0, :, :3])
    moment = quaternion.rotate(turn, last.reactions[0, :, 3:])
    total[:3] += force.sum(axis=0)
    total[3:] += (moment + np.cross(places, force)).sum(axis=0)
    size += float(np.linalg.norm(force, axis=1).sum())
    table = layout.joints
    for name, rows in table.rows.items():
        on_ground = np.flatnonzero(np.any(table.frames[rows] == 0, axis=1))
        if on_ground.size == 0 or name in system.catalog.support_points:
            continue
        found = wrenches(layout, last, name)
        sign = np.where(table.frames[rows[on_ground], 0] == 0, 1.0, -1.0)[:, None]
        force = found.values[0, on_ground, :3] * sign
        moment = found.values[0, on_ground, 3:] * sign
        total[:3] += force.sum(axis=0)
        total[3:] += (moment + np.cross(found.places[0, on_ground], force)).sum(axis=0)
        size += float(np.linalg.norm(force, axis=1).sum())
    for name in system.catalog.support_points:
        if name in table.rows:
            found = joint_wrenches(layout, last, table.rows[name])
            force, moment = found.values[0, :, :3], found.values[0, :, 3:]
            total[:3] += force.sum(axis=0)
            total[3:] += (moment + np.cross(found.places[0], force)).sum(axis=0)
            size += float(np.linalg.norm(force, axis=1).sum())
    return total, size


def summary_of(  # noqa: PLR0913  (each is an entry of the summary)
    assembly: Assembly,
    records: Records,
    *,
    analysis: str,
    converged: bool,
    steps: int,
    iterations: int,
    clock: tuple[float, float] | None,
    warnings: list[str],
    linear_solver: str,
) -> dict[str, Any]:
    """What ``summary.json`` holds."""
    system = assembly.system
    cpu, wall = (
        (0.0, 0.0)
        if clock is None
        else (
            time.process_time() - clock[0],
            time.perf_counter() - clock[1],
        )
    )
    names = ("kinetic", "strain", "potential", "load_work", "motor_work", "dissipated")
    model = {
        key: system.summary.get(key) for key in ("nodes", "elements", "length", "mass")
    }
    return {
        "analysis": analysis,
        "converged": converged,
        "steps": steps,
        "iterations": iterations,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "model": model,
        "balance": balance_of(assembly, records, is_static=analysis == "static"),
        "energy": dict(zip(names, records.energies[-1, :6].tolist(), strict=True)),
        "loop": "compiled" if assembly.is_compiled else "interpreted",
        "linear_solver": linear_solver,
        "warnings": warnings,
    }
