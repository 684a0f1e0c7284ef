"""Summaries of a run, and words for rows of the residual."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
from scipy.sparse.linalg import lsqr

from .._equations import (
    add_wrenches,
    block_of,
    evaluate_blocks,
    start_step,
    update_signals,
)
from ..assembly import Assembly
from ..elements import _body_kernel, _modal_kernel
from ..elements.base import Array, Motion
from ..lie import quaternion
from ..linear import Factorization, inertia, is_surely_positive
from ..newton import LARGEST_TURN
from ..records import Records, state_of_row
from ..system import System
from .factors import frames_of
from .march import run

# kernels that observe loads as wrenches about their first frame, world axes
OBSERVE_WEIGHT = (_body_kernel.observe_load, _modal_kernel.observe_modal)
# stiffness of constraints over that of frames, where bodies have hardly any
STIFF_PENALTY = 1e8
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
    for name, body in catalog.modal_bodies.items():
        if frame in body.amplitude_frames:
            return f"amplitudes of modal body '{name}'"
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


def turned_too_far(
    system: System, motion: Motion, step: float, *, near: str = "", other: str = ""
) -> str:
    """Why a step is refused in which something turns by too much."""
    speeds = np.linalg.norm(motion.velocities[:, 3:], axis=1)
    where = describe_frame(system, int(np.argmax(speeds)))
    return (
        f"{near}{where} would turn by more than {LARGEST_TURN:g} rad in one step of "
        f"{step:g} s. Use a smaller time step{other}."
    )


def error_too_large(tolerance: float, step: float) -> str:
    """Why a step is refused whose error stays above what is allowed."""
    return (
        f"the error stays above the tolerance of {tolerance:g} with a step of "
        f"{step:.3g} s. Look for a jump in a load, or allow a larger error."
    )


def unsolved_stages(
    log: list[float], allowed: float, step: float, *, is_newton: bool
) -> str:
    """Why a step is refused whose stages were not solved."""
    size = f"{log[-1]:.3g}" if log else "more than can be solved for"
    other = "" if is_newton else ", or iteration=NEWTON for stiff parts"
    return (
        f"after {len(log)} sweeps over the stages they still change by {size} (allowed "
        f"{allowed:g}). Use a smaller time step than {step:g} s{other}."
    )


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


def contradiction_at_full_load(assembly: Assembly, motion: Motion) -> str:
    """One sentence on constraints that cannot be met together; empty without.

    Parameters
    ----------
    assembly : Assembly
        Of a static run.
    motion : Motion
        Is left at the full load.
    """
    motion.time[0] = 1.0
    run(assembly, update_signals, motion)
    run(assembly, evaluate_blocks, motion, assembly.target, 0, 0.0, 0.0, 1.0)
    return contradiction_in_words(assembly)


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


def unstable_motions(
    assembly: Assembly, motion: Motion, factorization: Factorization | None = None
) -> tuple[int, int]:
    """Negative eigenvalues of the static tangent without constraints, and zero ones.

    Most states are stable, which pivots on the diagonal of the factorization show.

    None where the tangent is not symmetric at equilibrium (followers, moments fixed in
    space): there the signs say nothing about stability.
    """
    contact = assembly.system.contact
    run(assembly, update_signals, motion)
    if contact is None:
        # of contacts the places that bear the forces are known, as others may not be
        run(assembly, start_step, motion)
    run(assembly, evaluate_blocks, motion, assembly.target, 0, 0.0, 0.0, 1.0)
    m = assembly.system.dofs.n_multipliers
    data = assembly.target.data[:-1]
    if factorization is not None and is_surely_positive(
        factorization, data, n_multipliers=m
    ):
        return 0, 0
    matrix = assembly.matrix(assembly.target.data)
    if abs(matrix - matrix.T).max() > 1e-8 * abs(matrix).max():
        return 0, 0
    if contact is not None:
        # not loaded where nothing touches
        from .contact_rims import stiffness_of_rims

        data = data + stiffness_of_rims(assembly, motion)
    pattern, frames = (assembly.indptr, assembly.indices), frames_of(assembly)
    negative, zero = inertia(*pattern, data, n_multipliers=m, frames=frames)
    if negative > m and contact is not None and contact.has_bodies:
        # of a body alone, weak springs are what constraints were measured by
        negative, zero = inertia(
            *pattern, data, n_multipliers=m, frames=frames, penalty=STIFF_PENALTY
        )
    return max(int(negative) - m, 0), int(zero)


def balance_of(
    assembly: Assembly,
    records: Records,
    *,
    is_static: bool,
    multipliers: Array | None = None,
) -> dict[str, Any]:
    """Sum of loads and of reactions about the origin at the last row (six numbers).

    Loads are forces, moments, weight, and what Python parts do from outside. Their
    relative difference from the reactions, ``error``, is given in statics; in motion
    inertia makes up for it. Records hold no multipliers of contacts: all are given
    then.
    """
    poses = records.poses[-1]
    if multipliers is None:
        multipliers = records.multipliers[-1]
    motion = _motion_of_last_row(assembly, records, multipliers)
    loads = np.vstack([_loads(assembly, records), _python_loads(assembly, motion)])
    reactions = _reactions(assembly, motion)
    total = np.vstack([loads, reactions]).sum(axis=0)
    far = float(np.abs(poses[:, :3]).max(initial=assembly.system.size))
    error = max(
        float(np.abs(total[:3]).max()),
        float(np.abs(total[3:]).max()) / max(far, 1e-300),
    )
    scale = max(_size(loads, far), _size(reactions, far), 1e-300)
    return {
        "loads": loads.sum(axis=0).tolist(),
        "reactions": reactions.sum(axis=0).tolist(),
        "error": (error / scale if error > 0.0 else 0.0) if is_static else None,
    }


def _size(wrenches: Array, length: float) -> float:
    """Sum of magnitudes: forces, or moments over length where these are larger."""
    forces = np.linalg.norm(wrenches[:, :3], axis=1).sum()
    moments = np.linalg.norm(wrenches[:, 3:], axis=1).sum()
    return float(max(forces, moments / max(length, 1e-300)))


def _motion_of_last_row(
    assembly: Assembly, records: Records, multipliers: Array
) -> Motion:
    """The motion that the last row shows; history stays as it is."""
    state = state_of_row(assembly.system, records, -1)
    state = dataclasses.replace(state, multipliers=multipliers)
    with assembly.kept_history():
        return assembly.motion(state)


def _loads(assembly: Assembly, records: Records) -> Array:
    """(n, 6) wrenches of loads about the origin, world axes."""
    poses, outputs = records.poses[-1], records.outputs[-1]
    found = [np.zeros((0, 6))]
    start = 0
    for block in assembly.system.blocks:
        n = block.n_all_outputs
        if block.kernels[2] in OBSERVE_WEIGHT:
            rows = outputs[start : start + n].reshape(-1, block.n_outputs)
            wrenches = rows[:, :6]
            found.append(_about_origin(wrenches, poses[block.frames[:, 0], :3]))
        start += n
    return np.vstack(found)


def _about_origin(wrenches: Array, places: Array) -> Array:
    """Wrenches (n, 6) in world axes about places (n, 3), moved to the origin."""
    force, moment = wrenches[:, :3], wrenches[:, 3:]
    return np.hstack([force, moment + np.cross(places, force)])


def _of_frames(residual: Array, poses: Array) -> Array:
    """(n, 6) wrenches in world axes about the origin from those in local axes."""
    local = residual[: 6 * len(poses)].reshape(-1, 6)
    force = quaternion.rotate(poses[:, 3:], local[:, :3])
    moment = quaternion.rotate(poses[:, 3:], local[:, 3:])
    return _about_origin(np.hstack([force, moment]), poses[:, :3])


def _python_loads(assembly: Assembly, motion: Motion) -> Array:
    """(n, 6) wrenches of Python parts that no other frame, nor the ground, bears."""
    equations = assembly.equations
    found = [np.zeros((0, 6))]
    for b, block in enumerate(assembly.system.blocks):
        if block.kind not in ("user", "controller"):
            continue
        residual = np.zeros(equations.reactions.size)
        target = assembly.target._replace(residual=residual)
        data = block_of(equations, equations.all_rows, b)
        block.kernels[0](motion, data, target, 0, 0.0, 0.0, 0.0)
        found.append(-_of_frames(residual, motion.poses).sum(axis=0)[None])
    return np.vstack(found)


def _reactions(assembly: Assembly, motion: Motion) -> Array:
    """(n, 6) wrenches of the ground on the model about the origin, world axes.

    Of locked directions frame by frame, and of elements on the ground one by one.
    """
    equations = assembly.equations
    n_rows = equations.reactions.size
    rows = equations.all_rows.copy()
    n = 0
    for b, block in enumerate(assembly.system.blocks):
        on_ground = np.argwhere(block.frames == 0)
        own = block_of(equations, rows, b).rows
        for k, (element, end) in enumerate(on_ground.tolist(), start=n):
            own[element, 6 * end : 6 * end + 6] = n_rows + 6 * k + np.arange(6)
        n += len(on_ground)
    # the last entry takes what is locked
    residual = np.zeros(n_rows + 6 * n + 1)
    run(assembly, add_wrenches, motion, assembly.target, rows, residual)
    locked = (assembly.system.dofs.numbers < 0).reshape(-1)
    held = np.where(locked, residual[: locked.size], 0.0)
    on_frames = _of_frames(held, motion.poses)
    return np.vstack([on_frames[np.any(on_frames != 0.0, axis=1)],
                      residual[n_rows:-1].reshape(-1, 6)])  # fmt: skip


def summary_of(  # noqa: PLR0913  (each is an entry of the summary)
    assembly: Assembly,
    records: Records,
    *,
    analysis: str,
    converged: bool,
    steps: int,
    iterations: int,
    clock: tuple[float, float],
    warnings: list[str],
    linear_solver: str,
    multipliers: Array | None = None,
) -> dict[str, Any]:
    """What ``summary.json`` holds."""
    system, is_static = assembly.system, analysis == "static"
    balance = balance_of(
        assembly, records, is_static=is_static, multipliers=multipliers
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
        "cpu_seconds": time.process_time() - clock[0],
        "wall_seconds": time.perf_counter() - clock[1],
        "model": model,
        "balance": balance,
        "energy": dict(zip(names, records.energies[-1, :6].tolist(), strict=True)),
        "loop": "compiled" if assembly.is_compiled else "interpreted",
        "linear_solver": linear_solver,
        "warnings": warnings,
    }
