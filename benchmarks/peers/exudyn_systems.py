"""Exudyn: systems without output, solved under a clock (public interface only)."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from typing import Any

# the build without range checks
sys.exudynFast = True  # type: ignore[attr-defined]
with contextlib.redirect_stdout(io.StringIO()):
    import exudyn
    import exudyn.utilities as utilities

# load steps that this process need not try less than: it does one run only
_fewest = [0]

__all__ = ["exudyn", "new_system", "place_of", "quiet_settings", "solve", "utilities"]


def new_system() -> Any:
    """An empty system; its container lives as long as it does."""
    return exudyn.SystemContainer().AddSystem()


def quiet_settings(*, is_sparse: bool = True) -> Any:
    """Settings without files and messages, on one thread."""
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.timeIntegration.verboseMode = 0
    settings.staticSolver.verboseMode = 0
    settings.parallel.numberOfThreads = 1
    if is_sparse:
        settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    return settings


def solve(system: Any, settings: Any, *, method: Any = None) -> dict[str, Any]:
    """Solve in time by a method, or statically without one.

    Returns
    -------
    dict
        ``cpu_seconds`` of the call, ``iterations``, ``failure`` (a text or None).
    """
    failure = None
    start = time.process_time()
    try:
        if method is None:
            is_done = system.SolveStatic(settings)
        else:
            is_done = system.SolveDynamic(settings, solverType=method)
        if is_done is False:
            failure = "not converged"
    except (RuntimeError, ValueError) as error:
        lines = [
            line.split("[Python file")[0].strip() for line in str(error).split("\n")
        ]
        failure = [line for line in lines if line][-1][:120]
    seconds = time.process_time() - start
    name = "staticSolver" if method is None else "dynamicSolver"
    found = system.sys.get(name)
    iterations = int(found.it.newtonStepsCount) if found is not None else None
    return {"cpu_seconds": seconds, "iterations": iterations, "failure": failure}


def place_of(system: Any, node: int) -> list[float]:
    """Position of a node."""
    output = system.GetNodeOutput(node, exudyn.OutputVariableType.Position)
    return [float(value) for value in output]


def add_beam(
    system: Any, places: Any, turns: Any, section: Any, element_lengths: Any
) -> list[int]:
    """Nodes with Euler parameters and geometrically exact elements between them.

    ``places`` (n + 1, 3), ``turns`` (n + 1, 3, 3), ``element_lengths`` (n,); the
    numbers of the nodes come back.
    """
    nodes = []
    for place, turn in zip(places, turns, strict=True):
        parameters = utilities.RotationMatrix2EulerParameters(turn)
        pose = utilities.NodeRigidBodyEP(referenceCoordinates=[*place, *parameters])
        nodes.append(system.AddNode(pose))
    for k, length in enumerate(element_lengths):
        element = utilities.ObjectBeamGeometricallyExact(
            nodeNumbers=nodes[k : k + 2], length=float(length), sectionData=section
        )
        system.AddObject(element)
    return nodes


def clamp(system: Any, node: int, turn: Any) -> None:
    """Fix a node that is turned by ``turn`` (3, 3)."""
    import numpy as np

    ground = system.AddNode(utilities.NodePointGround())
    markers = [
        system.AddMarker(utilities.MarkerNodeRigid(nodeNumber=number))
        for number in (ground, node)
    ]
    joint = utilities.GenericJoint(
        markerNumbers=markers, rotationMarker0=turn, rotationMarker1=np.eye(3)
    )
    system.AddObject(joint)


def static_in_fewest_steps(make: Any, load_steps: Any) -> tuple[dict[str, Any], Any]:
    """Record and system of the first number of load steps that leads to the end.

    What failed before is not counted, and not tried again in this process.
    """
    for n_steps in load_steps:
        if n_steps < _fewest[0]:
            continue
        system = make()
        settings = quiet_settings()
        settings.staticSolver.numberOfLoadSteps = n_steps
        settings.staticSolver.adaptiveStep = False
        settings.staticSolver.newton.relativeTolerance = 1e-8
        settings.staticSolver.newton.absoluteTolerance = 1e-8
        record = solve(system, settings) | {"steps": n_steps}
        if record["failure"] is None:
            _fewest[0] = n_steps
            break
    return record, system
