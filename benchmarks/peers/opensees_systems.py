"""OpenSees: a line of corotational beams, loaded at its end in equal steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import openseespy.opensees as ops

from benchmarks.peers.case import timed

CLAMPED = (1, 1, 1, 1, 1, 1)
ITERATION_LIMIT = 60
TOLERANCE = 1e-8  # of the displacement increments


class BeamConstants(NamedTuple):
    """What an elastic beam of OpenSees is made of, in its order."""

    area: float
    young: float
    shear_modulus: float
    torsion: float
    second_y: float
    second_z: float


def clamped_line(
    places: Sequence[Sequence[float]], constants: BeamConstants, load: Sequence[float]
) -> None:
    """Beams from place to place, clamped at the first, loaded at the last.

    ``load`` (6,) is the force and the moment at load factor 1.
    """
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    for k, place in enumerate(places):
        ops.node(k + 1, *place)
    ops.fix(1, *CLAMPED)
    ops.geomTransf("Corotational", 1, 0, 0, 1)
    for k in range(1, len(places)):
        ops.element("elasticBeamColumn", k, k, k + 1, *constants, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(len(places), *load)


def solve_in_steps(n_steps: int) -> dict[str, Any]:
    """Solve what was set up; the record ends in the step that failed.

    Returns
    -------
    dict
        ``cpu_seconds``, ``steps``, ``iterations``, ``failure`` (a text or None).
    """
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("UmfPack")
    ops.test("NormDispIncr", TOLERANCE, ITERATION_LIMIT)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 1.0 / n_steps)
    ops.analysis("Static")

    def march() -> tuple[int, int]:
        iterations = 0
        for step in range(n_steps):
            if ops.analyze(1) != 0:
                return step, iterations
            iterations += ops.testIter()
        return n_steps, iterations

    seconds, (steps, iterations) = timed(march)
    is_done = steps == n_steps
    return {
        "cpu_seconds": seconds,
        "steps": steps,
        "iterations": iterations,
        "failure": None if is_done else f"ended in load step {steps + 1}",
    }


def place_of(k: int, start: Sequence[float]) -> list[float]:
    """Where node ``k``, counted from zero, is; it was at ``start``."""
    return [start[j] + ops.nodeDisp(k + 1, j + 1) for j in range(3)]
