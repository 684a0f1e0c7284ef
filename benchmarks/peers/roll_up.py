"""A cantilever is rolled up into a full circle by a moment at its end.

Steel rod of 1 m, radius 10 mm; moment 2 pi EI/L. Closed form: an arc at every load, so
that the end comes back to the clamp and the middle stands L/pi above it.
"""

from __future__ import annotations

import math
from typing import Any

from benchmarks.peers.case import Aim, Run, distance, perform, timed

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

AIMS = (Aim("roll-up of 1000 elements", 9, 20.0, "ms", 1e3),)


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
    import openseespy.opensees as ops

    n, n_steps = run.size, 200
    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    for k in range(n + 1):
        ops.node(k + 1, k / n, 0.0, 0.0)
    ops.fix(1, 1, 1, 1, 1, 1, 1)
    ops.geomTransf("Corotational", 1, 0, 0, 1)
    second = BENDING / YOUNG
    constants = (AREA, YOUNG, SHEAR_MODULUS, 2.0 * second, second, second)
    for k in range(1, n + 1):
        ops.element("elasticBeamColumn", k, k, k + 1, *constants, 1)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    ops.load(n + 1, 0, 0, 0, 0, 0, MOMENT)
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("UmfPack")
    ops.test("NormDispIncr", 1e-8, 60)
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

    def place(k: int) -> list[float]:
        start = (k / n, 0.0, 0.0)
        return [start[j] + ops.nodeDisp(k + 1, j + 1) for j in range(3)]

    return {
        "cpu_seconds": seconds,
        "steps": steps,
        "iterations": iterations,
        "failure": None if steps == n_steps else f"ended in load step {steps + 1}",
        "measures": measures(place(n), place(n // 2)),
    }


RUNNERS = {"femlie": run_femlie, "Exudyn": run_exudyn, "OpenSees": run_opensees}

if __name__ == "__main__":
    perform(RUNS, RUNNERS)
