"""The one default static solver on problems that defeat plain Newton iterations.

Limits are iterations from an unloaded model in one load step. For bend, cantilever and
hanging cables: counts of a prototype of mixed Newton with a load-scaled shift, plus
two. For portal, frame, V and helix: 20. A full circle and two: see test_roll_up.
Tolerance 1e-10 relative throughout; the data of each problem stand in its builder.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import femlie as fl
from tests.validation.models import (
    bend_45,
    cantilever,
    effort,
    line,
    polyline,
    push,
    rod,
    section,
    solve,
)


def elastica(load: float) -> fl.Model:
    """PL2/EI, 40 elements, EA = GA = 1e8 EI/L^2."""
    points = line((0, 0, 0), (1, 0, 0), 40)
    return push(cantilever(points, section(1e8, 1e8, 1, 1)), force=(0, load, 0))


def frame(force: tuple[float, float, float]) -> fl.Model:
    """Simo and Vu-Quoc's right-angle cantilever, 10 elements a leg."""
    points = polyline([(0, 0, 0), (10, 0, 0), (10, 10, 0)], 10)
    return push(cantilever(points, section(1e6, 1e6, 1e3, 1e3)), force=force)


def portal(force: tuple[float, float, float]) -> fl.Model:
    """Height and width 4, clamped feet, 10 elements a member, loaded at a corner.

    EI = 1 in the plane; 10 across it and GJ = 10, so that it stays in its plane.
    """
    points = polyline([(0, 0, 0), (0, 4, 0), (4, 4, 0), (4, 0, 0)], 10)
    mesh = fl.mesh_from_arrays(
        points,
        np.column_stack([np.arange(30), np.arange(1, 31)]),
        node_groups={"feet": [0, 30], "corner": [10]},
        line_groups={"members": np.arange(30)},
    )
    model = fl.Model(mesh)
    stiffness = np.diag([1e4, 1e4, 1e4, 10.0, 1.0, 10.0])
    model.add(
        fl.Beam(
            "frame",
            cells="members",
            section=fl.GeneralSection(stiffness=stiffness),
            orientation=(0, 0, 1),
        )
    )
    model.add(fl.Support("clamps", at="feet"))
    return push(model, at="corner", force=force)


def cable(points: np.ndarray, bend: float, curve: fl.Curve = fl.STRAIGHT) -> fl.Model:
    """Weight 1 per length, EA = GA = 1e4, pinned ends."""
    model = rod(
        points, section(1e4, 1e4, bend, bend), curve=curve, orientation=(0, 1, 0)
    )
    model.add(fl.Support("left", at="root", kind=fl.PINNED))
    model.add(fl.Support("right", at="tip", kind=fl.PINNED))
    model.add(fl.LineLoad("weight", on="rod", force=(0, 0, -1.0)))
    return model


def hanging(ratio: float) -> fl.Model:
    """Length 2, span 1, 20 elements on a circular arc; EI/(q S^3)."""
    half = brentq(lambda a: 2.0 * np.sin(a) / a - 1.0, 1e-3, 3.1)
    angle = np.linspace(-half, half, 21)
    points = np.column_stack([np.sin(angle), 0.0 * angle, -np.cos(angle)]) / half
    return cable(points, 8.0 * ratio, fl.SMOOTH)


def helix(turns: int) -> fl.Model:
    """Radius 1, pitch 0.4, wire of radius 0.05, 16 elements a turn, E = 1, clamped."""
    angle = np.linspace(0.0, 2.0 * np.pi * turns, 16 * turns + 1)
    points = np.column_stack(
        [np.cos(angle), np.sin(angle), 0.4 * angle / (2.0 * np.pi)]
    )
    area, second = np.pi * 0.05**2, 0.25 * np.pi * 0.05**4
    wire = section(area, area / 2.6, 2.0 * second / 2.6, second)
    model = rod(points, wire, curve=fl.SMOOTH)
    model.add(fl.Support("clamp", at="root"))
    return model


def loaded_helix(turns: int) -> fl.Model:
    """A dead load that pulls it to about three times its length."""
    rate = 0.05**4 / 2.6 / (4.0 * turns)
    return push(helix(turns), force=(0, 0, 2.0 * 0.4 * turns * rate))


def drawn_helix(turns: int) -> fl.Model:
    """Its end is moved, without turning, to three times its length."""
    model = helix(turns)
    model.add(fl.Support("hand", at="tip", displacement=(0, 0, 2.0 * 0.4 * turns)))
    return model


PUBLISHED = {
    "bend, 600, 8 elements": (lambda: push(bend_45(8), force=(0, 0, 600.0)), 6),
    "bend, 600, 16 elements": (lambda: push(bend_45(16), force=(0, 0, 600.0)), 6),
    "bend, 600, 32 elements": (lambda: push(bend_45(32), force=(0, 0, 600.0)), 6),
    "bend, 3000, 8 elements": (lambda: push(bend_45(8), force=(0, 0, 3000.0)), 8),
    "cantilever, 10": (lambda: elastica(10.0), 7),
    "cantilever, 100": (lambda: elastica(100.0), 9),
    "cantilever, 1000": (lambda: elastica(1000.0), 9),
    "hanging cable, 1e-3": (lambda: hanging(1e-3), 12),
    "hanging cable, 1e-4": (lambda: hanging(1e-4), 12),
    "hanging cable, 1e-5": (lambda: hanging(1e-5), 12),
    "hanging cable, 1e-6": (lambda: hanging(1e-6), 12),
}
OWN_DATA = {
    "cable from a V": lambda: cable(
        polyline([(-0.5, 0, 0), (0, 0, -(0.75**0.5)), (0.5, 0, 0)], 10), 8e-6
    ),
    "straight cable": lambda: cable(line((-0.5, 0, 0), (0.5, 0, 0), 20), 1e-6),
    "frame, 5 across": lambda: frame((0, 0, 5.0)),
    "frame, 50 across": lambda: frame((0, 0, 50.0)),
    "frame, 50 along x": lambda: frame((50.0, 0, 0)),
    "portal, 20 sideways": lambda: portal((20.0, 0, 0)),
    "portal, 5 across": lambda: portal((0, 0, 5.0)),
    "helix, 3 turns, load": lambda: loaded_helix(3),
    "helix, 10 turns, load": lambda: loaded_helix(10),
    "helix, 30 turns, load": lambda: loaded_helix(30),
    "helix, 3 turns, drawn": lambda: drawn_helix(3),
    "helix, 10 turns, drawn": lambda: drawn_helix(10),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_problems_take_at_most_two_iterations_more(name):
    build, published = PUBLISHED[name]
    steps, iterations = effort(solve(build()))
    assert steps == 1
    assert iterations <= published + 2


@pytest.mark.parametrize("name", OWN_DATA)
def test_frames_cables_and_springs_take_at_most_twenty_iterations(name):
    steps, iterations = effort(solve(OWN_DATA[name]()))
    assert steps == 1
    assert iterations <= 20


def random_forces(seed: int, low: float, high: float) -> np.ndarray:
    """(150, 3) forces of log-uniform size in random directions."""
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.uniform(np.log10(low), np.log10(high), 150)
    directions = rng.standard_normal((150, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return sizes[:, None] * directions


def iterations_of(build, forces: np.ndarray) -> np.ndarray:
    """Iterations for each force, those of runs that were done again included."""
    return np.array(
        [
            solve(push(build(), force=tuple(force))).summary["iterations"]
            for force in forces.tolist()
        ]
    )


@pytest.mark.slow
def test_random_tip_loads_on_the_bend_are_all_solved():
    found = iterations_of(lambda: bend_45(8), random_forces(1, 1e2, 1e4))
    assert found.mean() <= 20.0


@pytest.mark.slow
def test_random_tip_loads_on_the_cantilever_are_all_solved():
    def build() -> fl.Model:
        return cantilever(line((0, 0, 0), (1, 0, 0), 40), section(1e8, 1e8, 1, 1))

    found = iterations_of(build, random_forces(3, 1.0, 1e3))
    assert found.mean() <= 20.0


@pytest.mark.slow
def test_transverse_loads_on_the_cantilever_take_one_load_step():
    sizes = 10.0 ** np.random.default_rng(2).uniform(0.0, 3.0, 150)
    results = [solve(elastica(float(size))) for size in sizes]
    assert max(effort(r)[0] for r in results) == 1
    assert np.mean([effort(r)[1] for r in results]) <= 20.0
