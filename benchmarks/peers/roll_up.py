"""A cantilever is rolled up into a full circle by a moment at its end.

Steel rod of 1 m, radius 10 mm; moment 2 pi EI/L. Closed form: an arc at every load, so
that the end comes back to the clamp and the middle stands L/pi above it.
"""

from __future__ import annotations

import math
from typing import Any

from benchmarks.peers.case import Aim, Run, distance, perform

TITLE = "Cantilever rolled up into a full circle"
NOTE = (
    "Exudyn and OpenSees with the fewest load steps that end; steps that failed before "
    "are not counted. Errors in lengths of the rod."
)
YOUNG, POISSON, RADIUS = 210e9, 0.3, 0.01
AREA = math.pi * RADIUS**2
BENDING = YOUNG * math.pi * RADIUS**4 / 4.0
SHEAR_MODULUS = YOUNG / (2.0 * (1.0 + POISSON))
SHEAR_FACTOR = 6.0 * (1.0 + POISSON) / (7.0 + 6.0 * POISSON)
MOMENT = 2.0 * math.pi * BENDING
END, MIDDLE = (0.0, 0.0, 0.0), (0.0, 1.0 / math.pi, 0.0)
SIZES = (4, 10, 100, 1000)
RUNS = tuple(
    run
    for n in SIZES
    for run in (
        Run("femlie", "one load step", n),
        Run("Exudyn", "geometrically exact", n),
        Run("OpenSees", "corotational, 200 load steps", n),
    )
)

AIMS = (Aim("roll-up of 1000 elements", 9, 20.0, "ms", 1e3, 10, 2.2),)


def measures(end: Any, middle: Any) -> dict[str, float]:
    """Errors of a run."""
    return {
        "error of the end": distance(end, END),
        "error of the middle": distance(middle, MIDDLE),
    }


def run_femlie(run: Run) -> dict[str, Any]:
    """One load step with default settings."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    mesh = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=run.size, name="line", start_name="root",
        end_name="tip",
    )  # fmt: skip
    model = fl.Model(mesh)
    steel = fl.Material(young=YOUNG, poisson=POISSON, density=7850.0)
    section = fl.CircularSection(radius=RADIUS, material=steel)
    model.add(fl.Beam("rod", cells="line", section=section))
    model.add(fl.Support("clamp", at="root"))
    model.add(fl.Force("roll", at="tip", moment=(0, 0, MOMENT)))
    record, results = timed_solve(fl.Static(), model.build())
    places = results.positions("rod")[-1]
    return record | {"measures": measures(places[-1], places[run.size // 2])}


def run_exudyn(run: Run) -> dict[str, Any]:
    """Geometrically exact beam on frames, exact Jacobian, sparse solver."""
    import numpy as np

    from benchmarks.peers import exudyn_systems as ex

    n = run.size
    section = ex.exudyn.BeamSection()
    shear = SHEAR_FACTOR * SHEAR_MODULUS * AREA
    torsion = 2.0 * SHEAR_MODULUS * BENDING / YOUNG
    section.stiffnessMatrix = np.diag(
        [YOUNG * AREA, shear, shear, torsion, BENDING, BENDING]
    )
    places = np.linspace((0, 0, 0), (1, 0, 0), n + 1)
    nodes: list[int] = []

    def make() -> Any:
        system = ex.new_system()
        turns = np.tile(np.eye(3), (n + 1, 1, 1))
        nodes[:] = ex.add_beam(system, places, turns, section, np.full(n, 1.0 / n))
        ex.clamp(system, nodes[0], np.eye(3))
        tip = system.AddMarker(ex.utilities.MarkerNodeRigid(nodeNumber=nodes[-1]))
        load = ex.utilities.Torque(markerNumber=tip, loadVector=[0, 0, MOMENT])
        system.AddLoad(load)
        system.Assemble()
        return system

    record, system = ex.static_in_fewest_steps(make, [2**k for k in range(11)])
    found = [ex.place_of(system, nodes[k]) for k in (n, n // 2)]
    return record | {"measures": measures(*found)}


def run_opensees(run: Run) -> dict[str, Any]:
    """Corotational elements with UMFPACK."""
    from benchmarks.peers import opensees_systems as opensees

    n, second = run.size, BENDING / YOUNG
    places = [(k / n, 0.0, 0.0) for k in range(n + 1)]
    constants = opensees.BeamConstants(
        AREA, YOUNG, SHEAR_MODULUS, 2.0 * second, second, second
    )
    opensees.clamped_line(places, constants, (0.0, 0.0, 0.0, 0.0, 0.0, MOMENT))
    record = opensees.solve_in_steps(200)
    found = [opensees.place_of(k, places[k]) for k in (n, n // 2)]
    return record | {"measures": measures(*found)}


RUNNERS = {"femlie": run_femlie, "Exudyn": run_exudyn, "OpenSees": run_opensees}

if __name__ == "__main__":
    perform(RUNS, RUNNERS)
