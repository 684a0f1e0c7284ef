"""Mechanics written by hand in place of all elements: retract, residual, tangent.

A solver that runs on a stand-in, whose block refuses to be called, knows nothing of
elements but these three and the acceptance of a step.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, Protocol

import numpy as np
import pytest

import femlie as fl
from femlie import _equations
from femlie.elements.base import Block

# importing them makes their names known
from femlie.solvers import generalized_alpha, munthe_kaas, static  # noqa: F401
from femlie.system import PLACE_ROW, DofMap, System


class Mechanics(Protocol):
    """A point at ``p`` with velocity ``v`` and acceleration ``a``, (3,) each.

    ``residual`` gives the three force rows, the rows of the constraints, and the sum of
    the magnitudes of all forces; ``time`` is the load factor in statics.
    """

    n_multipliers: int

    def residual(self, point: Point, level: int) -> tuple[Any, Any, float]: ...

    def tangent(
        self, point: Point, level: int, weights: tuple[float, float, float]
    ) -> Any: ...


@dataclasses.dataclass(frozen=True)
class Point:
    """The only moving thing."""

    time: float
    p: Any
    v: Any
    a: Any
    multipliers: Any


@dataclasses.dataclass(frozen=True)
class Pendulum:
    """Mass on a massless rod about the origin; weight along -z."""

    mass: float = 2.0
    gravity: float = 9.81
    length: float = 1.0
    n_multipliers: int = 1

    def residual(self, point: Point, level: int) -> tuple[Any, Any, float]:
        weight = np.array([0.0, 0.0, -self.mass * self.gravity])
        pull = point.multipliers[0] * point.p
        inertia = self.mass * point.a
        row = (
            0.5 * (point.p @ point.p - self.length**2),
            point.p @ point.v,
            point.p @ point.a + point.v @ point.v,
        )[level]
        size = sum(np.linalg.norm(force) for force in (weight, pull, inertia))
        return inertia - weight + pull, np.array([row]), float(size)

    def tangent(
        self, point: Point, level: int, weights: tuple[float, float, float]
    ) -> Any:
        mass, damping, stiffness = weights
        matrix = np.zeros((4, 4))
        force = mass * self.mass + stiffness * point.multipliers[0]
        matrix[:3, :3] = force * np.eye(3)
        matrix[:3, 3] = point.p
        matrix[3, :3] = (
            stiffness * point.p,
            damping * point.p + stiffness * point.v,
            mass * point.p,
        )[level]
        return matrix


@dataclasses.dataclass(frozen=True)
class HardSpring:
    """``k p + c |p|^2 p`` against a load that grows with the load factor."""

    stiffness: float = 3.0
    hardening: float = 500.0
    load: float = 40.0
    n_multipliers: int = 0

    def residual(self, point: Point, level: int) -> tuple[Any, Any, float]:
        assert level == 0
        load = np.array([0.0, point.time * self.load, 0.0])
        slope = self.stiffness + self.hardening * point.p @ point.p
        size = np.linalg.norm(load) + np.linalg.norm(slope * point.p)
        return slope * point.p - load, np.zeros(0), float(size)

    def tangent(
        self, point: Point, level: int, weights: tuple[float, float, float]
    ) -> Any:
        assert level == 0
        slope = self.stiffness + self.hardening * point.p @ point.p
        bend = 2.0 * self.hardening * np.outer(point.p, point.p)
        return weights[2] * (slope * np.eye(3) + bend)


def refuse(*_arguments: Any) -> None:
    """What the block of a stand-in answers."""
    raise AssertionError("a solver called an element itself")


def stand_in_system(mechanics: Mechanics, p: Any, v: Any) -> System:
    """One frame whose rotation is locked, and a block that must not be called."""
    model = fl.Model()
    position = (float(p[0]), float(p[1]), float(p[2]))
    model.add(fl.Body("bob", position=position, mass=1.0, inertia=(1.0, 1.0, 1.0)))
    system = model.build()
    m = mechanics.n_multipliers
    block = Block(
        kind="stand-in",
        kernels=(refuse, refuse, refuse),
        frames=np.array([[1]]),
        codes=np.zeros((1, 0), dtype=np.int64),
        parameters=np.zeros((1, 0)),
        names=("bob",),
        n_multipliers=m,
        is_compiled=False,
    )
    velocities = np.zeros((2, 6))
    velocities[1, :3] = v
    state = dataclasses.replace(
        system.state,
        velocities=velocities,
        multipliers=np.zeros(m),
        history=(np.zeros((1, 0)),),
    )
    kinds = np.full(m, PLACE_ROW)
    numbers = np.array([[-1] * 6, [0, 1, 2, -1, -1, -1]])
    dofs = DofMap(numbers, 3, m, kinds)
    return dataclasses.replace(
        system, state=state, dofs=dofs, blocks=(block,), size=1.0
    )


class Equations:
    """The functions that solvers call, on a stand-in instead of elements."""

    def __init__(self, mechanics: Mechanics) -> None:
        self.mechanics = mechanics
        self.n_calls = dict.fromkeys(NAMES, 0)

    def move_frames(
        self, _equations: Any, motion: Any, step: Any, fraction: float
    ) -> None:
        motion.increments[1, :3] += fraction * step[:3]
        motion.poses[1, :3] = motion.bases[1, :3] + motion.increments[1, :3]
        motion.multipliers[:] += fraction * step[3:]

    def evaluate_blocks(
        self,
        _equations: Any,
        motion: Any,
        target: Any,
        level: int,
        mass: float,
        damping: float,
        stiffness: float,
    ) -> None:
        point = Point(
            float(motion.time[0]),
            motion.poses[1, :3].copy(),
            motion.velocities[1, :3].copy(),
            motion.accelerations[1, :3].copy(),
            motion.multipliers.copy(),
        )
        forces, rows, size = self.mechanics.residual(point, level)
        target.residual[:-1] = np.concatenate([forces, rows])
        target.scales[:] = 0.0
        target.scales[0] = size
        if mass or damping or stiffness:
            weights = (mass, damping, stiffness)
            matrix = self.mechanics.tangent(point, level, weights)
            # the pattern of the one block is full, column by column
            target.data[:-1] = matrix.T.ravel()

    def start_step(self, _equations: Any, motion: Any) -> None:
        motion.bases[:] = motion.poses
        motion.increments[:] = 0.0

    def accept_step(self, _equations: Any, motion: Any) -> None:
        self.start_step(_equations, motion)

    def update_signals(self, _equations: Any, _motion: Any) -> None:
        pass

    def observe_blocks(
        self,
        _equations: Any,
        _motion: Any,
        _outputs: Any,
        energies: Any,
        everything: bool,  # noqa: ARG002
    ) -> None:
        energies[:] = 0.0

    def wrenches_on_frames(self, equations: Any, _motion: Any, _target: Any) -> None:
        equations.reactions[:] = 0.0

    def add_wrenches(
        self, _equations: Any, _motion: Any, _target: Any, _rows: Any, residual: Any
    ) -> None:
        residual[:] = 0.0


NAMES = (
    "move_frames",
    "evaluate_blocks",
    "start_step",
    "accept_step",
    "update_signals",
    "observe_blocks",
    "wrenches_on_frames",
    "add_wrenches",
)


def put_in_place(patch: pytest.MonkeyPatch, mechanics: Mechanics) -> None:
    """Let all solvers see a stand-in instead of the assembled elements."""
    functions = Equations(mechanics)
    modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith("femlie.solvers") and module is not None
    ]
    for name in NAMES:
        original = getattr(_equations, name)
        for module in modules:
            if getattr(module, name, None) is original:
                patch.setattr(module, name, getattr(functions, name))
        patch.setattr(_equations, name, getattr(functions, name))
