"""Motions that meet no resistance: how many, and one of them in words."""

from __future__ import annotations

import numpy as np

from .._equations import evaluate_blocks, start_step, update_signals
from ..assembly import STATIC, Assembly
from ..linear import inertia, null_vector
from ..system import System
from .factors import frames_of
from .march import run
from .reports import describe_frame
from .singular import culprits

TURNS = ("turning about", "moving along")


def free_motions(system: System) -> int:
    """Number of motions of the unloaded model that take no force.

    Rigid motions of parts that nothing holds, mechanisms, spinning members.
    """
    assembly = _unloaded(system)
    _, zero = inertia(
        assembly.indptr,
        assembly.indices,
        assembly.target.data[:-1],
        n_multipliers=system.dofs.n_multipliers,
        frames=frames_of(assembly),
    )
    return zero


def free_motion_in_words(system: System) -> str:
    """One sentence on the free motions of a model; empty if there is none."""
    n = free_motions(system)
    if n == 0:
        return ""
    assembly = _unloaded(system)
    plural = "s" if n > 1 else ""
    try:
        vector = null_vector(
            assembly.indptr,
            assembly.indices,
            assembly.target.data[:-1],
            n_multipliers=system.dofs.n_multipliers,
            frames=frames_of(assembly),
        )
    except RuntimeError:
        # rows of constraints that hold nothing leave the direction unknown
        where = culprits(system, assembly.matrix(assembly.target.data))
        words = f", by {where}" if where else ""
        return f"Without load the model has {n} free motion{plural}{words}."
    numbers = system.dofs.numbers
    moves = np.where(numbers >= 0, vector[np.maximum(numbers, 0)], 0.0)
    sizes = np.linalg.norm(moves[:, :3], axis=1) / system.size
    turns = np.linalg.norm(moves[:, 3:], axis=1)
    frame = int(np.argmax(np.maximum(sizes, turns)))
    is_move = sizes[frame] > turns[frame]
    local = moves[frame, :3] if is_move else moves[frame, 3:]
    axis = system.state.frames[frame, :3, :3] @ local
    axis /= np.linalg.norm(axis)
    words = ", ".join(f"{x:.3g}" for x in np.where(np.abs(axis) < 1e-6, 0.0, axis))
    return (
        f"Without load the model has {n} free motion{plural}: "
        f"{describe_frame(system, frame)} meets no resistance {TURNS[int(is_move)]} "
        f"({words}). Add a support or stiffness there."
    )


def _unloaded(system: System) -> Assembly:
    """Assembly with the tangent of the model as built, at load factor zero."""
    assembly = Assembly(system, regime=STATIC)
    motion = assembly.motion(system.state)
    motion.time[0] = 0.0
    motion.velocities[:] = 0.0
    run(assembly, update_signals, motion)
    run(assembly, start_step, motion)
    run(assembly, evaluate_blocks, motion, assembly.target, 0, 0.0, 0.0, 1.0)
    return assembly
