"""The fastest mode of a model, and what step an explicit method needs for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse

from .._equations import evaluate_blocks
from ..assembly import Assembly
from ..elements.base import Array, Motion
from ..errors import ModelError
from .march import run
from .reports import describe_frame
from .start import KktSolver

POWER_ITERATIONS = 60
# the fastest mode may grow by this factor over a whole run
ALLOWED_GROWTH = 1e3


class FastMode(NamedTuple):
    """Largest frequency and largest decay of a model at rest.

    Attributes
    ----------
    frequency : float [rad/s]
    decay : float [1/s]
        Of velocities, by dampers alone.
    frame : int
        Frame that moves most in the mode that is faster of the two.
    """

    frequency: float
    decay: float
    frame: int

    @property
    def exponents(self) -> tuple[complex, ...]:
        """Roots of ``s^2 + decay s + frequency^2``, and the undamped one."""
        root = np.sqrt(complex(self.decay**2 - 4.0 * self.frequency**2))
        slow, fast = (0.5 * (-self.decay + sign * root) for sign in (1.0, -1.0))
        return (complex(slow), complex(fast), complex(0.0, self.frequency))


class Inertia(Protocol):
    """``[[M, B^T], [B, 0]]`` at rest."""

    def solve(self, rhs: Array) -> Array:
        """Accelerations, and multipliers if need be, (n_rows,)."""
        ...


def fastest_mode(
    assembly: Assembly,
    motion: Motion,
    inertia_of: Callable[[Assembly, Motion], Inertia] = KktSolver,
) -> FastMode:
    """Largest frequency by power iteration on ``M^-1 K``, within the constraints."""
    probe = motion._replace(
        velocities=np.zeros_like(motion.velocities),
        accelerations=np.zeros_like(motion.accelerations),
        multipliers=np.zeros_like(motion.multipliers),
    )
    first = assembly.system.dofs.n_frame_rows
    if first == 0:
        return FastMode(0.0, 0.0, 0)
    solver = inertia_of(assembly, probe)
    squared, mode = _largest(_matrix(assembly, probe, 0.0, 1.0), solver, first)
    decay, slowed = _largest(_matrix(assembly, probe, 1.0, 0.0), solver, first)
    if decay * decay > squared:
        mode = slowed
    numbers = assembly.system.dofs.numbers
    speeds = np.zeros(numbers.shape)
    speeds[numbers >= 0] = mode[numbers[numbers >= 0]]
    speeds[:, :3] /= assembly.system.size
    frame = int(np.argmax(np.linalg.norm(speeds, axis=1)))
    return FastMode(math.sqrt(squared), decay, frame)


def _matrix(
    assembly: Assembly, motion: Motion, damping: float, stiffness: float
) -> scipy.sparse.csc_matrix:
    target = assembly.target
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, damping, stiffness)
    return assembly.matrix(target.data)


def _largest(
    matrix: scipy.sparse.csc_matrix, solver: Inertia, first: int
) -> tuple[float, Array]:
    """Largest eigenvalue of ``M^-1 A`` in the directions that constraints leave."""
    n = matrix.shape[0]
    place = np.arange(n)
    x = np.where(place < first, np.cos(1.0 + 2.399963 * place), 0.0)
    value = 0.0
    for _ in range(POWER_ITERATIONS):
        rhs = np.zeros(n)
        rhs[:first] = (matrix @ x)[:first]
        x = solver.solve(rhs)
        x[first:] = 0.0
        value = float(np.linalg.norm(x))
        if value == 0.0:
            break
        x /= value
    return value, x


def check_step(
    assembly: Assembly,
    motion: Motion,
    growth: Callable[[complex], float],
    *,
    time_step: float,
    duration: float,
    name: str,
    inertia_of: Callable[[Assembly, Motion], Inertia] = KktSolver,
) -> None:
    """Refuse a step with which the fastest mode would grow.

    Parameters
    ----------
    growth : callable
        Factor of the method on ``exp(z)`` in one step, with z the exponent times the
        step.
    name : str
        Of the method.
    inertia_of : callable
        What solves for accelerations.

    Raises
    ------
    ModelError
        With the mode, its growth, and the step that it needs.
    """
    mode = fastest_mode(assembly, motion, inertia_of)

    def worst(step: float) -> float:
        """Logarithm of the growth over the run."""
        factor = max(growth(step * s) for s in mode.exponents)
        return math.log(max(factor, 1e-300)) * duration / step

    allowed = math.log(ALLOWED_GROWTH)
    if worst(time_step) <= allowed:
        return
    factor = max(growth(time_step * s) for s in mode.exponents)
    low, high = 0.0, time_step
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high) if low else 0.25 * high
        if worst(middle) <= allowed:
            low = middle
        elif low:
            high = middle
        else:
            high = middle
        if high < 1e-12 * time_step:
            break
    where = describe_frame(assembly.system, mode.frame)
    raise ModelError(
        f"The time step of {time_step:g} s is too long for the fastest mode, of "
        f"{mode.frequency:.4g} rad/s and a decay of {mode.decay:.4g} 1/s at {where}: "
        f"{name} would make it grow "
        f"{factor:.4g}-fold in each step. Use a time step of {low:.3g} s or less, an "
        "error-controlled step, or GeneralizedAlpha for stiff beams."
    )
