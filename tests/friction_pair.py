"""One pair of segments that rub on each other, with dense matrices, for tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from femlie.contact import _friction_kernel as kernel
from femlie.contact import _friction_layout as layout
from femlie.contact import _layout as plain
from femlie.elements import base
from femlie.lie import quaternion
from tests.contact_pair import LENGTH, RADII, Pair, pair, rows_and_slots

N_ROWS = layout.WIDTH


@dataclass
class RubbingPair(Pair):
    """A contact element with two normal and four tangential multipliers, or spin."""

    kernel: ClassVar[Any] = kernel

    def displaced(self, x: Any) -> RubbingPair:
        """Frames moved by local increments, then those multipliers that it has."""
        n = self.motion.multipliers.size
        own = [0, 1, 2, 3, 4, 5] if n == 6 else [0, 2, 3, 6][:n]
        found = super().displaced(np.append(x[:24], np.asarray(x)[24:][own]))
        assert isinstance(found, RubbingPair)
        return found

    def settled(self) -> RubbingPair:
        """With forces of friction that fulfill their rows where they slide."""
        motion = self.motion._replace(multipliers=self.motion.multipliers.copy())
        found = replace(self, motion=motion)
        n, own = self.tangential
        for _ in range(100):
            rows = found.evaluate()[0][own]
            motion.multipliers[n:] += self.stiffness * rows
        return found

    @property
    def tangential(self) -> tuple[int, Any]:
        """Normal multipliers, and the rows of the others."""
        size = self.motion.multipliers.size
        first = layout.FIRST_ROW
        if size == 6:
            return 2, np.arange(first, first + 4)
        return 1, np.array([first, first + 1, layout.SPIN_ROW])[: size - 1]

    @property
    def stiffness(self) -> float:
        """Against slip, in units of multiplier and gap."""
        normal = self.data.parameters[0, plain.PENALTY]
        return float(layout.SHARE * plain.LAST * normal)

    def observed(self) -> Any:
        output = np.zeros((3, layout.N_OUTPUTS))
        kernel.observe(self.motion, self.data, output, np.zeros(base.N_ENERGIES))
        return output


def rubbing_pair(
    form: int,
    *,
    friction: float = 0.3,
    forces: Any = (0.4, -0.2, 0.3, 0.3),
    moved: float = 0.02,
    offset: float = 0.03,
    spin_radius: float = 0.0,
    **options: Any,
) -> RubbingPair:
    """As `pair`, with forces of friction, a step in which both rods have moved."""
    step = {"friction": friction, "forces": forces, "moved": moved, "offset": offset}
    return rubbed(pair(form, **options), spin_radius=spin_radius, **step)


def rubbed(
    old: Pair,
    *,
    friction: float = 0.3,
    forces: Any = (0.4, -0.2, 0.3, 0.3),
    moved: float = 0.02,
    offset: float = 0.0,
    spin_radius: float = 0.0,
) -> RubbingPair:
    """A frictionless pair with friction, in a step in which both have moved."""
    is_line = old.data.codes[0, plain.FORM] == plain.LINE
    codes = np.zeros((1, layout.N_CODES), dtype=np.int64)
    codes[:, : plain.N_CODES] = old.data.codes
    has_spin = spin_radius > 0.0
    tangents = (2, 3, 4, 5) if is_line else (1, 2, -1, -1)
    codes[0, layout.TANGENT :] = (*tangents, 3 if has_spin else -1)
    known = old.data.parameters
    parameters = np.zeros((1, max(layout.N_PARAMETERS, known.shape[1])))
    parameters[:, : known.shape[1]] = known
    parameters[0, [layout.COEFFICIENT, layout.OFFSET]] = friction, offset
    parameters[0, layout.SPIN_RADIUS] = spin_radius
    for at, start in ((layout.SLAVE_ARC, 0.7), (layout.MASTER_ARC, 0.2)):
        parameters[0, at : at + 2] = start, LENGTH
    turns = quaternion.exp([[0.4, 0.2, -0.1], [0.1, -0.3, 0.2]])
    parameters[0, layout.SLAVE_TURN : layout.SLAVE_TURN + 8] = np.ravel(turns)
    unused = [] if is_line else [25, 28, 29]
    unused += [] if has_spin else [layout.SPIN_ROW]
    rows, slots = rows_and_slots(N_ROWS, unused)
    normal = old.motion.multipliers[: 2 if is_line else 1]
    n = 2 * normal.size + int(has_spin)
    multipliers = np.concatenate([normal, forces[:n]])
    motion = old.motion._replace(multipliers=multipliers)
    data = old.data._replace(
        codes=codes,
        parameters=parameters,
        iterates=np.zeros((1, layout.N_ITERATES)),
        rows=rows,
        slots=slots,
    )
    found = RubbingPair(motion, data)
    found.carry(base.RESET)
    rng = np.random.default_rng(8)
    step = found.displaced(np.append(moved * RADII * rng.normal(size=24), np.zeros(7)))
    step.carry(base.MOVE)
    return step
