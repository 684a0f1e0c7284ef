"""Models, reference curves and fits that the dynamic validation tests share."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import femlie as fl

Array = np.ndarray
DATA = Path(__file__).parent / "data"
GRAVITY = 9.81


def reference(name: str) -> tuple[Array, Array]:
    """Times (n,) and values (n, k) of a curve in ``data``."""
    with (DATA / f"{name}.csv").open(encoding="ascii") as file:
        rows = list(csv.reader(file))[1:]
    table = np.array(rows, dtype=float)
    return table[:, 0], table[:, 1:]


def reference_at(name: str, time: float) -> Array:
    """(k,) values of a curve in ``data`` at one of its times."""
    times, values = reference(name)
    row = int(np.argmin(np.abs(times - time)))
    assert abs(times[row] - time) < 1e-9
    return np.asarray(values[row])


def place_at(results: fl.Results, name: str | int, time: float) -> Array:
    """(3,) place of a node or body at an output time."""
    assert abs(results.times[results.index_at(time)] - time) < 1e-9
    return np.asarray(results.at(time).positions(name)[0])


def point_of(results: fl.Results, name: str, point: Sequence[float]) -> Array:
    """(n_times, 3) place of a point of a body, given from it in its axes."""
    return results.positions(name) + results.rotations(name) @ np.asarray(point)


def fitted_order(steps: Sequence[float], errors: Sequence[float]) -> float:
    """Slope of the errors over the steps, both logarithmic."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def section(
    stiffness: Sequence[float], line_mass: float, inertia: Sequence[float]
) -> fl.GeneralSection:
    """Diagonal stiffness (EA, GA, GA, GJ, EI, EI), mass and inertia per length."""
    return fl.GeneralSection(
        stiffness=np.diag(stiffness),
        mass_matrix=np.diag([line_mass] * 3 + list(inertia)),
    )


def heavy_top(pivot: str = "joint", *, at_center: bool = False) -> fl.Model:
    """Heavy top of Bruels and Cardona; the frame at the pivot or at the mass center."""
    offset = np.array([0.0, 1.0, 0.0]) if at_center else np.zeros(3)
    model = fl.Model()
    model.add(
        fl.Body(
            "top",
            position=tuple(offset),
            center=tuple(np.array([0.0, 1.0, 0.0]) - offset),
            mass=15.0,
            inertia=(0.234375, 0.46875, 0.234375),
        )
    )
    if pivot == "joint":
        model.add(
            fl.Joint(
                "pivot",
                fl.SPHERICAL,
                parent=fl.GROUND,
                child="top",
                position=(0.0, 0.0, 0.0),
            )
        )
    else:
        model.add(fl.Support("pivot", at="top", kind=fl.PINNED))
    model.add(fl.Gravity("weight"))
    model.add(fl.InitialMotion("spin", angular_velocity=(0.0, 150.0, -4.61538)))
    return model


def rubber_rod(
    n_elements: int,
    *,
    turn: Array | None = None,
    shift: Sequence[float] = (0.0, 0.0, 0.0),
) -> fl.Model:
    """Rubber rod on a hinge at the origin, level at the start; turned and shifted."""
    rotation = np.eye(3) if turn is None else turn
    origin = np.asarray(shift, dtype=float)

    def world(vector: Sequence[float]) -> tuple[float, ...]:
        return tuple((rotation @ np.asarray(vector)).tolist())

    mesh = fl.straight_line(
        origin,
        origin + rotation @ [1.0, 0.0, 0.0],
        n_elements=n_elements,
        name="line",
        start_name="root",
        end_name="tip",
    )
    rubber = fl.Material(young=5e6, poisson=0.5, density=1100.0)
    model = fl.Model(mesh)
    model.add(
        fl.Beam(
            "rod",
            cells="line",
            section=fl.CircularSection(radius=5e-3, material=rubber),
            orientation=world((0.0, 0.0, 1.0)),
        )
    )
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="root",
            axis=world((0.0, 1.0, 0.0)),
        )
    )
    model.add(fl.Gravity("weight", acceleration=world((0.0, 0.0, -GRAVITY))))
    return model


def right_angle_cantilever(n_elements: int) -> fl.Model:
    """Two legs of ``n_elements`` each, with a pulse of force at the elbow."""
    legs = [
        fl.straight_line(
            a, b, n_elements=n_elements, name="legs", start_name=c, end_name=d
        )
        for a, b, c, d in (
            ((0, 0, 0), (10, 0, 0), "clamp", "elbow"),
            ((10, 0, 0), (10, 10, 0), None, "tip"),
        )
    ]
    model = fl.Model(fl.join_meshes(*legs))
    stiffness = (1e6, 1e6, 1e6, 1e3, 1e3, 1e3)
    model.add(
        fl.Beam(
            "frame", cells="legs", section=section(stiffness, 1.0, (20.0, 10.0, 10.0))
        )
    )
    model.add(fl.Support("wall", at="clamp"))
    model.add(
        fl.Force(
            "pulse",
            at="elbow",
            force=(0.0, 0.0, 50.0),
            over_time=fl.Table(
                times=(0.0, 1.0, 2.0, 100.0), values=(0.0, 1.0, 0.0, 0.0)
            ),
        )
    )
    return model


def rod_in_space(
    start: Sequence[float], end: Sequence[float], n_elements: int, *, bending: float
) -> fl.Model:
    """Free rod from A to B; ``bending`` is its torsional stiffness too."""
    mesh = fl.straight_line(
        tuple(start), tuple(end), n_elements=n_elements, name="line", start_name="A",
        end_name="B",
    )  # fmt: skip
    model = fl.Model(mesh)
    stiffness = (1e4, 1e4, 1e4, bending, bending, bending)
    model.add(
        fl.Beam(
            "rod", cells="line", section=section(stiffness, 1.0, (10.0, 10.0, 10.0))
        )
    )
    return model


def flying_spaghetti(n_elements: int) -> fl.Model:
    """Free rod, pushed and turned at A for 2.5 s, in the plane."""
    model = rod_in_space((6, 0, 0), (0, 8, 0), n_elements, bending=1e2)
    # half at the jump itself: the impulse of a step that ends there is right to h^2
    jump = 1e-7
    pulse = fl.Table(
        times=(0.0, 2.5 - jump, 2.5 + jump, 100.0), values=(1.0, 1.0, 0.0, 0.0)
    )
    model.add(
        fl.Force(
            "push", at="A", force=(8.0, 0, 0), moment=(0, 0, -80.0), over_time=pulse
        )
    )
    return model


def free_rod(n_elements: int) -> fl.Model:
    """Free rod that starts bent waves and a turn about its axis."""
    model = rod_in_space((0, 0, 0), (10, 0, 0), n_elements, bending=500.0)

    def speed(points: Array) -> Array:
        s = points[:, 0]
        return np.column_stack([0 * s, 2.0 * np.sin(np.pi * s / 10.0), s / 10.0 - 0.5])

    model.add(
        fl.InitialMotion("start", velocity=speed, angular_velocity=(0.3, 0.0, 0.0))
    )
    return model


def run(
    model: fl.Model | Any,
    *,
    duration: float,
    time_step: float,
    every: int = 1,
    spectral_radius: float = 0.9,
    **options: Any,
) -> fl.Results:
    """Generalized-alpha with default settings but those named."""
    system = model.build() if isinstance(model, fl.Model) else model
    solver = fl.GeneralizedAlpha(spectral_radius=spectral_radius, **options)
    return solver.solve(
        system,
        duration=duration,
        time_step=time_step,
        output=fl.Output(every=every),
    )


def richardson(coarse: Array, fine: Array, order: int = 2) -> Array:
    """Limit of two values, the second at half the step or mesh size."""
    return fine + (fine - coarse) / (2**order - 1)


def iterations_per_step(results: fl.Results) -> float:
    """Newton iterations, on average."""
    return float(results.summary["iterations"] / results.summary["steps"])


Curve = Callable[[float], Array]
