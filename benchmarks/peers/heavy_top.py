"""Heavy top without gravity: a box of 21.6 kg turns about a point for 10 s.

Box of 0.1 x 0.2 x 0.4 m, its mass center 0.5 m from the point; steps of 1 ms. The
reference is the turn of a free rigid body, integrated in quaternions with a method of
order 8 at 1e-13.
"""

from __future__ import annotations

from typing import Any

from benchmarks.peers.case import Aim, Run, distance, perform

TITLE = "Heavy top without gravity, 10 s in steps of 1 ms"
NOTE = (
    "Errors at the end, against the exact turn of the body. Generalized-alpha with a "
    "spectral radius of 0.9."
)
MASS, INERTIA = 21.6, (0.36, 0.306, 0.09)
CENTER, SPIN = (0.5, 0.0, 0.0), (0.0, 62.83185307179586, 31.41592653589793)
DURATION, TIME_STEP = 10.0, 1e-3
N_STEPS = 10_000
# unit quaternion after 10 s
TURN = (
    -0.30649621734447274,
    -0.13643613903153823,
    -0.9419191666596887,
    -0.015281760331004774,
)
JOINT, ELIMINATED = "joint", "eliminated"
RUNS = (
    Run("femlie", "point held by elimination", group="held", options=(ELIMINATED,)),
    Run(
        "Exudyn",
        "point held by coordinates",
        group="held",
        options=(ELIMINATED, "RotationRotationVector", "GeneralizedAlpha"),
    ),
    Run("femlie", "spherical joint", group="joint", options=(JOINT,)),
    Run(
        "Exudyn",
        "spherical joint, index 3",
        group="joint",
        options=(JOINT, "RotationEulerParameters", "GeneralizedAlpha"),
    ),
    Run(
        "femlie",
        "Munthe-Kaas Runge-Kutta 4, elimination",
        group="explicit",
        options=(ELIMINATED, "explicit"),
    ),
    Run(
        "Exudyn",
        "Runge-Kutta 4 on the group, coordinates",
        group="explicit",
        options=(ELIMINATED, "RotationRotationVector", "RK44"),
    ),
    Run(
        "femlie",
        "Munthe-Kaas Runge-Kutta 4, joint",
        group="explicit with joint",
        options=(JOINT, "explicit"),
    ),
)
AIMS = (
    Aim("heavy top, generalized-alpha, point held, 10 s", 0, 30.0, "ms", 1e3, 1, 0.031),
    Aim("heavy top, Munthe-Kaas, point held, 10 s", 4, 40.0, "ms", 1e3, 5, 0.011),
)


def center_at_end() -> list[float]:
    """Exact place of the mass center after 10 s."""
    w, x, y, z = TURN
    column = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))
    return [CENTER[0] * value for value in column]


def measures(center: Any, pivot: Any) -> dict[str, float]:
    """Errors of a run."""
    return {
        "error of the mass center [m]": distance(center, center_at_end()),
        "error of the point [m]": distance(pivot, (0.0, 0.0, 0.0)),
    }


def make_model(form: str) -> Any:
    """Body on a joint, frame at the mass center; or pinned, frame at the point."""
    import femlie as fl

    model = fl.Model()
    origin = (0.0, 0.0, 0.0)
    place, center = (CENTER, origin) if form == JOINT else (origin, CENTER)
    model.add(fl.Body("top", position=place, center=center, mass=MASS, inertia=INERTIA))
    if form == JOINT:
        at = {"parent": fl.GROUND, "child": "top", "position": origin}
        model.add(fl.Joint("point", fl.SPHERICAL, **at))
    else:
        model.add(fl.Support("point", at="top", kind=fl.PINNED))
    model.add(fl.InitialMotion("spin", angular_velocity=SPIN))
    return model


def run_femlie(run: Run) -> dict[str, Any]:
    """Generalized-alpha, or the explicit method; only the last row is kept."""
    import numpy as np

    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    is_explicit = "explicit" in run.options
    solver = fl.MuntheKaas() if is_explicit else fl.GeneralizedAlpha()
    record, results = timed_solve(
        solver,
        make_model(run.options[0]).build(),
        duration=DURATION,
        time_step=TIME_STEP,
        output=fl.Output(every=N_STEPS),
    )
    position, turn = results.positions("top")[-1], results.rotations("top")[-1]
    arm = turn @ np.array(CENTER)
    has_joint = run.options[0] == JOINT
    found = (position, position - arm) if has_joint else (position + arm, position)
    return record | {"measures": measures(*found)}


def run_exudyn(run: Run) -> dict[str, Any]:
    """Body on a spherical joint; or frame at the point, its coordinates fixed."""
    import numpy as np

    from benchmarks.peers import exudyn_systems as ex

    form, node_type, method = run.options
    node = getattr(ex.exudyn.NodeType, node_type)
    system = ex.new_system()
    ground = system.CreateGround()
    inertia, center = np.diag(INERTIA), np.array(CENTER)
    has_joint = form == JOINT
    if not has_joint:
        # about the point: Steiner
        inertia = inertia + MASS * (
            center @ center * np.eye(3) - np.outer(center, center)
        )
    made = system.CreateRigidBody(
        inertia=ex.utilities.RigidBodyInertia(mass=MASS, inertiaTensor=inertia),
        referencePosition=CENTER if has_joint else [0.0, 0.0, 0.0],
        initialVelocity=np.cross(SPIN, CENTER) if has_joint else [0.0, 0.0, 0.0],
        initialAngularVelocity=SPIN,
        nodeType=node,
        returnDict=True,
    )
    body = made["bodyNumber"]
    if has_joint:
        system.CreateSphericalJoint(itemNumbers=[ground, body], position=[0, 0, 0])
    else:
        fix_coordinates(system, made["nodeNumber"])
    system.Assemble()
    settings = ex.quiet_settings(is_sparse=False)
    time_integration = settings.timeIntegration
    time_integration.numberOfSteps, time_integration.endTime = N_STEPS, DURATION
    time_integration.generalizedAlpha.spectralRadius = 0.9
    time_integration.newton.useModifiedNewton = True
    time_integration.automaticStepSize = False
    kind = getattr(ex.exudyn.DynamicSolverType, method)
    record = ex.solve(system, settings, method=kind)

    def place(point: Any) -> Any:
        output = ex.exudyn.OutputVariableType.Position
        return system.GetObjectOutputBody(body, output, list(point))

    points = ((0.0, 0.0, 0.0), -center) if has_joint else (center, (0.0, 0.0, 0.0))
    found = [place(point) for point in points]
    return record | {"steps": N_STEPS, "measures": measures(*found)}


def fix_coordinates(system: Any, node: int) -> None:
    """Hold the place of a node."""
    from benchmarks.peers import exudyn_systems as ex

    ground = system.AddNode(ex.utilities.NodePointGround())

    def marker(number: int, coordinate: int) -> int:
        made = ex.utilities.MarkerNodeCoordinate(
            nodeNumber=number, coordinate=coordinate
        )
        return int(system.AddMarker(made))

    for coordinate in range(3):
        markers = [marker(ground, 0), marker(node, coordinate)]
        system.AddObject(ex.utilities.CoordinateConstraint(markerNumbers=markers))


RUNNERS = {"femlie": run_femlie, "Exudyn": run_exudyn}

if __name__ == "__main__":
    perform(RUNS, RUNNERS)
