"""Methods side by side: errors, cost and drifts over the time step."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from .assembly import Assembly
from .elements import _beam_geometry as beam_layout
from .elements.base import Array
from .errors import ConvergenceError, FemlieError, ModelError
from .lie import quaternion
from .records import state_of_row
from .results import Results
from .solvers.gauss_legendre import GaussLegendre
from .system import PLACE_ROW, State, System

# rows of a run that drifts are looked for in
DRIFT_ROWS = 200
# more than methods of several steps begin with
FIRST_STEPS = 6
TABLE, CONVERGENCE, DRIFTS = "comparison.csv", "convergence.png", "drifts.png"


@dataclass(frozen=True)
class Comparison:
    """One run of a method with a step.

    Attributes
    ----------
    method : str
    step : float [s]
    steps : int
        Steps that were taken.
    cpu_seconds : float
    evaluations : int
        Of the equations with their matrix, one linear solve each.
    error : float
        Largest distance of a frame from the reference at the end: its place over the
        model's size, or its turn in radians.
    energy_drift : float
        Largest change since the start that neither loads and motors nor dampers
        account for, over the largest kinetic energy.
    linear_momentum_drift, angular_momentum_drift : float
        Largest change since the start over the largest momentum, about the origin; nan
        where the surroundings act on the model.
    place_drift, velocity_drift : float
        Largest violation of constraints on places over the model's size (angles in
        radians), and of those on velocities [m/s, rad/s].
    message : str
        Why there is no result; empty if there is one.
    """

    method: str
    step: float
    steps: int = 0
    cpu_seconds: float = np.nan
    evaluations: int = 0
    error: float = np.nan
    energy_drift: float = np.nan
    linear_momentum_drift: float = np.nan
    angular_momentum_drift: float = np.nan
    place_drift: float = np.nan
    velocity_drift: float = np.nan
    message: str = ""


def compare(
    system: System,
    methods: Mapping[str, Any],
    steps: Sequence[float],
    *,
    duration: float,
    reference: Results | Any | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> list[Comparison]:
    """Run several methods with several steps.

    Parameters
    ----------
    system : System
    methods : dict of name to solver
    steps : sequence of float [s]
    duration : float [s]
    reference : Results, solver or None
        What the end of each run is compared with, or the solver that computes it at
        half the shortest step; default: Gauss-Legendre with three stages.
    progress : callable, optional
        ``f(fraction, text)``, called before each run.

    Returns
    -------
    list of Comparison
        Method by method, steps as given.

    Raises
    ------
    ModelError
        No method, no step, or a step that is not positive.
    ConvergenceError
        The reference did not come to its end.
    """
    if not methods or not len(steps):
        raise ModelError(
            f"compare was given {len(methods)} methods and {len(steps)} steps: "
            "expected at least one of each."
        )
    if not all(np.isfinite(step) and 0.0 < step <= duration for step in steps):
        raise ModelError(
            f"compare was given the steps {list(steps)}: expected positive ones, none "
            f"longer than the duration {duration:g}."
        )
    if not isinstance(reference, Results):
        if progress is not None:
            progress(0.0, "reference")
        solver = GaussLegendre(stages=3) if reference is None else reference
        reference = _reference(system, solver, duration, 0.5 * min(steps))
    jobs = [(name, step) for name in methods for step in steps]
    rows = []
    for number, (name, step) in enumerate(jobs):
        if progress is not None:
            progress(number / len(jobs), f"{name}, step {step:g}")
        rows.append(_one(system, methods[name], name, step, duration, reference))
    return rows


def _reference(system: System, solver: Any, duration: float, step: float) -> Results:
    """The run that all others are compared with."""
    try:
        results: Results = solver.solve(system, duration=duration, time_step=step)
    except ConvergenceError as fault:
        raise ConvergenceError(
            f"The reference that all runs are compared with, {type(solver).__name__} "
            f"with steps of {step:g} s, failed. {fault} Choose another method for it: "
            "reference=..., on the command line --reference METHOD.",
            results=fault.results,
            residuals=fault.residuals,
        ) from fault
    return results


def _one(
    system: System,
    solver: Any,
    name: str,
    step: float,
    duration: float,
    reference: Results,
) -> Comparison:
    row = Comparison(method=name, step=step)
    try:
        # some steps compile what is missing, so that times are those of the run
        some = min(duration, FIRST_STEPS * step)
        solver.solve(system, duration=some, time_step=step)
        motion = solver.solve(system, duration=duration, time_step=step)
    except (ConvergenceError, ModelError) as fault:
        return replace(row, message=str(fault))
    summary = motion.summary
    return replace(
        row,
        steps=int(summary["steps"]),
        cpu_seconds=float(summary["cpu_seconds"]),
        evaluations=int(summary["iterations"]),
        error=end_error(motion, reference, system.size),
        **drifts(system, motion),
    )


def end_error(motion: Results, reference: Results, size: float) -> float:
    """Largest distance of a frame from the reference at the end of both."""
    own, other = motion.records.poses[-1], reference.records.poses[-1]
    places = np.linalg.norm(own[:, :3] - other[:, :3], axis=1) / size
    between = quaternion.multiply(quaternion.conjugate(other[:, 3:]), own[:, 3:])
    turns = np.linalg.norm(quaternion.log(between), axis=1)
    return float(max(places.max(), turns.max()))


def drifts(system: System, motion: Results) -> dict[str, Any]:
    """Changes of energy and momenta, and violations of constraints, over a run."""
    records = motion.records
    rows = np.unique(
        np.linspace(0, len(records.times) - 1, DRIFT_ROWS).round().astype(int)
    )
    energy = motion.energy
    kept = energy.total + energy.dissipated - energy.load_work - energy.motor_work
    assembly = Assembly(system)
    states = [state_of_row(system, records, int(row)) for row in rows]
    found: dict[str, Any] = {
        "energy_drift": _relative(np.abs(kept - kept[0]), np.abs(energy.kinetic)),
        "place_drift": 0.0,
        "velocity_drift": 0.0,
    }
    if is_isolated(system):
        momenta = np.array([momentum(assembly, state) for state in states])
        for name, part in (("linear", momenta[:, :3]), ("angular", momenta[:, 3:])):
            change = _relative(_sizes(part - part[0]), _sizes(part))
            found[f"{name}_momentum_drift"] = change
    first, kinds = system.dofs.n_frame_rows, system.dofs.multiplier_kinds
    if kinds.size:
        sizes = np.where(kinds == PLACE_ROW, system.size, 1.0)
        for level, name in enumerate(("place_drift", "velocity_drift")):
            gaps = [np.abs(assembly.residual(s, level)[first:]) for s in states]
            scale = sizes if level == 0 else np.ones(kinds.size)
            found[name] = float((np.array(gaps) / scale).max())
    return found


def is_isolated(system: System) -> bool:
    """Whether nothing outside acts on a model: no ground, no load, no drag."""
    if np.any(system.dofs.numbers[1:] < 0):
        return False
    drags = [beam_layout.DRAG, beam_layout.ROTARY_DRAG]
    return not any(
        block.kind == "load"
        or np.any(block.frames == 0)
        or (block.kind == "beam" and np.any(block.parameters[:, drags] != 0.0))
        for block in system.blocks
    )


def momentum(assembly: Assembly, state: State) -> Array:
    """(6,) linear and angular momentum about the origin, of free directions.

    Parameters
    ----------
    assembly : Assembly
    state : State

    Returns
    -------
    (6,) array
        World axes [kg m/s, kg m^2/s], from the mass matrix: ``M v`` of each frame.
    """
    numbers = assembly.system.dofs.numbers
    free = numbers >= 0
    velocity = np.zeros(assembly.system.dofs.n_rows)
    velocity[numbers[free]] = state.velocities[free]
    mass = assembly.tangent(state, 2, mass=1.0, stiffness=0.0)
    body = np.zeros(numbers.shape)
    body[free] = (mass @ velocity)[numbers[free]]
    linear = quaternion.rotate(state.poses[:, 3:], body[:, :3])
    # a modal body's frame carries what its amplitudes add
    linear[assembly.system.catalog.amplitude_frames] = 0.0
    angular = quaternion.rotate(state.poses[:, 3:], body[:, 3:])
    angular = angular + np.cross(state.poses[:, :3], linear)
    return np.concatenate([linear.sum(axis=0), angular.sum(axis=0)])


def _sizes(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=1))


def _relative(change: Array, scale: Array) -> float:
    largest = float(scale.max(initial=0.0))
    worst = float(change.max(initial=0.0))
    return worst / largest if largest > 0.0 else worst


def save_comparison(rows: Sequence[Comparison], folder: str | Path) -> list[Path]:
    """Write the table as CSV, and pictures of errors, cost and drifts.

    Parameters
    ----------
    rows : sequence of Comparison
    folder : path
        Made if it is not there.

    Returns
    -------
    list of Path
        The table first. Without a run that ended there are no pictures.
    """
    from .view.comparison import plot_convergence, plot_drifts

    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        with (target / TABLE).open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            names = [field.name for field in fields(Comparison)]
            writer.writerow(names)
            writer.writerows([getattr(row, name) for name in names] for row in rows)
    except OSError as fault:
        raise FemlieError(f"'{target}' cannot be written: {fault}.") from fault
    written = [target / TABLE]
    done = [row for row in rows if not row.message]
    if done:
        written.append(plot_convergence(done, target / CONVERGENCE))
        written.append(plot_drifts(done, target / DRIFTS))
    return written
