"""Random states of whole models, and what an assembly says about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from femlie.assembly import DYNAMIC, Assembly
from femlie.lie import se3
from femlie.system import State, System


def random_state(system: System, seed: int, *, time: float = 0.4) -> State:
    """Places moved by up to a tenth, everything else of order one."""
    rng = np.random.default_rng(seed)
    state = system.state
    is_free = np.asarray(system.dofs.numbers) >= 0
    n = len(state.poses)
    moved = np.where(is_free, 0.1 * rng.normal(size=(n, 6)), 0.0)
    step = se3.pose_from_frame(se3.exp(moved))
    return replace(
        state,
        time=time,
        poses=se3.compose_poses(state.poses, step),
        velocities=np.where(is_free, rng.normal(size=(n, 6)), 0.0),
        accelerations=np.where(is_free, rng.normal(size=(n, 6)), 0.0),
        increments=np.where(is_free, 0.3 * rng.normal(size=(n, 6)), 0.0),
        multipliers=rng.normal(size=state.multipliers.size),
    )


def on_frames(system: System, row: Any) -> Any:
    """Frame rows of a vector of unknowns as (n_frames, 6), zero where locked."""
    numbers = np.asarray(system.dofs.numbers)
    array = np.zeros(numbers.shape)
    array[numbers >= 0] = row[numbers[numbers >= 0]]
    return array


def moved_state(
    assembly: Assembly,
    state: State,
    row: Any,
    weights: tuple[float, float, float],
    regime: float = DYNAMIC,
) -> State:
    """State moved along ``(mass M + damping C) T^-1 + stiffness K`` and ``B^T``."""
    mass, damping, stiffness = weights
    system = assembly.system
    first = system.dofs.n_frame_rows
    turned = np.einsum(
        "nij,nj->ni",
        se3.tangent_operator_inverse(state.increments),
        on_frames(system, row),
    )
    step = stiffness * row
    step[first:] = row[first:]
    moved = assembly.retract(state, step, regime=regime)
    return replace(
        moved,
        velocities=state.velocities + damping * turned,
        accelerations=state.accelerations + mass * turned,
    )


def tangent_by_differences(
    assembly: Assembly,
    state: State,
    level: int,
    weights: tuple[float, float, float],
    regime: float = DYNAMIC,
) -> Any:
    """Columns by central differences of fourth order of `Assembly.residual`."""
    n = assembly.system.dofs.n_rows
    h = 1e-4
    columns = []
    for k in range(n):
        row = np.zeros(n)
        row[k] = h

        def at(scale: float, row: Any = row) -> Any:
            moved = moved_state(assembly, state, scale * row, weights, regime)
            return assembly.residual(moved, level, regime=regime)

        columns.append((8.0 * (at(1.0) - at(-1.0)) - at(2.0) + at(-2.0)) / (12.0 * h))
    return np.array(columns).T
