"""A free rod is thrown in space by a force and two moments at its end.

Simo and Vu-Quoc's flying beam: EA = GA = 1e4, GJ = EI = 500, mass 1 and rotary inertia
10 per length; 10 s of generalized-alpha with a spectral radius of 0.7, in 200 steps of
0.05 s. A run of 3200 steps shows that the programs go to the same limit.
"""

from __future__ import annotations

import math
from typing import Any

from benchmarks.peers.case import Aim, Run, perform

TITLE = "Flying beam, 10 s, generalized-alpha"
NOTE = (
    "Steps of 0.05 s but for the last two rows. Difference: distance of both ends "
    "after 10 s from those of the peer's full Newton run of the same mesh and step. "
    "Steps of 0.05 s leave errors of this size in both methods; with 16 times as many, "
    "less than a hundredth of the difference is left."
)
STIFFNESS = (1e4, 1e4, 1e4, 500.0, 500.0, 500.0)
LINE_MASS, ROTARY_INERTIA = 1.0, 10.0
FIRST, LAST = (6.0, 0.0, 0.0), (0.0, 8.0, 0.0)
LENGTH = 10.0
DURATION, RADIUS = 10.0, 0.7
N_STEPS, N_SMALL_STEPS = 200, 3200
TIMES, PULSE = (0.0, 2.5, 5.0, 100.0), (0.0, 200.0, 0.0, 0.0)
SIZES = (10, 100, 1000)
FULL = "full Newton"
RUNS = (
    *(
        Run(program, newton, n, options=(newton, N_STEPS))
        for n in SIZES
        for program, newton in (
            ("femlie", FULL),
            ("Exudyn", FULL),
            ("Exudyn", "modified Newton"),
        )
    ),
    *(
        Run(program, f"{FULL}, 3200 steps", 40, options=(FULL, N_SMALL_STEPS))
        for program in ("femlie", "Exudyn")
    ),
)
AIMS = (
    Aim(
        "flying beam of 1000 elements: a step", 6, 3.0, "ms", 1e3 / N_STEPS,
        7, 0.061 * N_STEPS,
    ),
)  # fmt: skip


def pulse(time: float) -> float:
    """Triangle of height 200 in the first five seconds."""
    return max(0.0, 80.0 * time if time < 2.5 else 200.0 - 80.0 * (time - 2.5))


def make_model(n_elements: int) -> Any:
    """Rod of a general section, loads that follow a table."""
    import numpy as np

    import femlie as fl

    mesh = fl.straight_line(
        FIRST, LAST, n_elements=n_elements, name="line", start_name="A", end_name="B"
    )
    model = fl.Model(mesh)
    inertia = [LINE_MASS] * 3 + [ROTARY_INERTIA] * 3
    section = fl.GeneralSection(
        stiffness=np.diag(STIFFNESS), mass_matrix=np.diag(inertia)
    )
    model.add(fl.Beam("rod", cells="line", section=section))
    table = fl.Table(times=TIMES, values=PULSE)
    model.add(
        fl.Force(
            "throw", at="A", force=(0.1, 0, 0), moment=(0, 0.5, 1), over_time=table
        )
    )
    return model


def run_femlie(run: Run) -> dict[str, Any]:
    """Default settings but for the spectral radius."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    record, results = timed_solve(
        fl.GeneralizedAlpha(spectral_radius=RADIUS),
        make_model(run.size).build(),
        duration=DURATION,
        time_step=DURATION / run.options[1],
        output=fl.Output(every=run.options[1]),
    )
    ends = [results.positions(name)[-1].tolist() for name in ("A", "B")]
    return record | {"places": ends[0] + ends[1]}


def run_exudyn(run: Run) -> dict[str, Any]:
    """Frames with Euler parameters; loads by Python functions, as there is no table."""
    import numpy as np

    from benchmarks.peers import exudyn_systems as ex

    n = run.size
    section = ex.exudyn.BeamSection()
    section.stiffnessMatrix = np.diag(STIFFNESS)
    section.massPerLength = LINE_MASS
    section.inertia = ROTARY_INERTIA * np.eye(3)
    system = ex.new_system()
    turn = ex.utilities.RotationMatrixZ(math.atan2(8.0, -6.0))
    places = np.linspace(FIRST, LAST, n + 1)
    turns = np.tile(turn, (n + 1, 1, 1))
    nodes = ex.add_beam(system, places, turns, section, np.full(n, LENGTH / n))
    marker = system.AddMarker(ex.utilities.MarkerNodeRigid(nodeNumber=nodes[0]))
    # the arguments are Exudyn's: system, time, load vector
    force = ex.utilities.Force(
        markerNumber=marker,
        loadVectorUserFunction=lambda _system, time, _load: [pulse(time) / 10.0, 0, 0],
    )
    moment = ex.utilities.Torque(
        markerNumber=marker,
        loadVectorUserFunction=lambda _system, time, _load: [
            0,
            pulse(time) / 2.0,
            pulse(time),
        ],
    )
    system.AddLoad(force)
    system.AddLoad(moment)
    system.Assemble()
    settings = ex.quiet_settings()
    integration = settings.timeIntegration
    newton, n_steps = run.options
    integration.numberOfSteps, integration.endTime = n_steps, DURATION
    integration.adaptiveStep = False
    integration.newton.useModifiedNewton = newton != FULL
    integration.generalizedAlpha.spectralRadius = RADIUS
    method = ex.exudyn.DynamicSolverType.GeneralizedAlpha
    record = ex.solve(system, settings, method=method)
    ends = [ex.place_of(system, nodes[k]) for k in (0, -1)]
    return record | {"steps": n_steps, "places": ends[0] + ends[1]}


def compare(records: list[dict[str, Any]]) -> None:
    """Add the difference from the peer to the measures."""
    peers = {
        record["size"]: record["places"]
        for record in records
        if record["program"] == "Exudyn" and record["variant"].startswith(FULL)
    }
    for record in records:
        peer = peers.get(record["size"])
        gap = None if peer is None else math.dist(record["places"], peer)
        record["measures"] = {"difference from the peer": gap}


RUNNERS = {"femlie": run_femlie, "Exudyn": run_exudyn}

if __name__ == "__main__":
    perform(RUNS, RUNNERS)
