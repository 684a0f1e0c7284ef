"""A bend of 45 degrees under a force of 600 across its plane.

Bathe and Bolourchi 1979: radius 100, section 1 x 1, E = 1e7, nu = 0; here with the
torsion constant 1/6 and without a shear factor. The converged place of the tip was
computed by shooting along the arc.
"""

from __future__ import annotations

import math
from typing import Any

from benchmarks.peers.case import Aim, Run, distance, perform

TITLE = "Bend of 45 degrees, force of 600 across its plane, 8 elements"
NOTE = (
    "Exudyn and OpenSees with the fewest load steps that end. The error of the tip, "
    "relative to its displacement, is that of the mesh. OpenSees knows no shear here."
)
RADIUS, ANGLE, FORCE = 100.0, math.pi / 4.0, 600.0
STIFFNESS = (1e7, 5e6, 5e6, 5e6 / 6.0, 1e7 / 12.0, 1e7 / 12.0)
START = (70.71067811865476, 29.28932188134524, 0.0)
TIP = (47.1504386, 15.6848005, 53.4748588)
RUNS = (
    Run("femlie", "one load step", 8),
    Run("Exudyn", "nodes tangent to the arc", 8),
    Run("OpenSees", "corotational", 8),
)

# the peer's time was given to a millisecond only
AIMS = (Aim("bend of 45 degrees, 8 elements", 0, 0.5, "ms", 1e3, 2, 0.004),)


def point(angle: float) -> tuple[float, float, float]:
    """Point of the arc, which leaves the origin along x and bends towards y."""
    return (RADIUS * math.sin(angle), RADIUS * (1.0 - math.cos(angle)), 0.0)


def angles(n: int) -> list[float]:
    """Angles of the nodes."""
    return [ANGLE * k / n for k in range(n + 1)]


def measures(tip: Any) -> dict[str, float]:
    """Error of a run."""
    return {"error of the tip": distance(tip, TIP) / distance(START, TIP)}


def run_femlie(run: Run) -> dict[str, Any]:
    """One load step with default settings."""
    import numpy as np

    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    n = run.size
    mesh = fl.mesh_from_arrays(
        np.array([point(angle) for angle in angles(n)]),
        np.column_stack([np.arange(n), np.arange(1, n + 1)]),
        node_groups={"root": [0], "tip": [n]},
        line_groups={"arc": np.arange(n)},
    )
    model = fl.Model(mesh)
    section = fl.GeneralSection(stiffness=np.diag(STIFFNESS))
    up = (0.0, 0.0, 1.0)
    model.add(
        fl.Beam("bend", cells="arc", section=section, curve=fl.SMOOTH, orientation=up)
    )
    model.add(fl.Support("clamp", at="root"))
    model.add(fl.Force("push", at="tip", force=(0, 0, FORCE)))
    record, results = timed_solve(fl.Static(), model.build())
    return record | {"measures": measures(results.positions("tip")[-1])}


def run_exudyn(run: Run) -> dict[str, Any]:
    """Geometrically exact beam, its frames tangent to the arc."""
    import numpy as np

    from benchmarks.peers import exudyn_systems as ex

    n = run.size
    section = ex.exudyn.BeamSection()
    section.stiffnessMatrix = np.diag(STIFFNESS)
    places = [point(angle) for angle in angles(n)]
    turns = [ex.utilities.RotationMatrixZ(angle) for angle in angles(n)]
    nodes: list[int] = []

    def make() -> Any:
        system = ex.new_system()
        lengths = np.full(n, RADIUS * ANGLE / n)
        nodes[:] = ex.add_beam(system, places, turns, section, lengths)
        ex.clamp(system, nodes[0], np.eye(3))
        tip = system.AddMarker(ex.utilities.MarkerNodePosition(nodeNumber=nodes[-1]))
        load = ex.utilities.Force(markerNumber=tip, loadVector=[0, 0, FORCE])
        system.AddLoad(load)
        system.Assemble()
        return system

    record, system = ex.static_in_fewest_steps(make, (1, 2, 4, 6, 8, 16, 32, 64, 128))
    return record | {"measures": measures(ex.place_of(system, nodes[-1]))}


def run_opensees(run: Run) -> dict[str, Any]:
    """Corotational elements along the chords, with the fewest load steps that end."""
    from benchmarks.peers import opensees_systems as opensees

    n = run.size
    constants = opensees.BeamConstants(1.0, 1e7, 5e6, 1.0 / 6.0, 1.0 / 12.0, 1.0 / 12.0)
    load = (0.0, 0.0, FORCE, 0.0, 0.0, 0.0)
    for n_steps in (1, 2, 4, 8, 16):
        opensees.clamped_line([point(angle) for angle in angles(n)], constants, load)
        record = opensees.solve_in_steps(n_steps)
        if record["failure"] is None:
            break
    return record | {"measures": measures(opensees.place_of(n, START))}


RUNNERS = {"femlie": run_femlie, "Exudyn": run_exudyn, "OpenSees": run_opensees}

if __name__ == "__main__":
    perform(RUNS, RUNNERS)
