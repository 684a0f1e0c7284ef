"""Rods and bodies on rigid shapes: closed forms and statics.

Rods are the slaves; tolerances are those of the reference cases D3, D4a and D6.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import quaternion
from femlie.solvers import _static_driver as driver
from femlie.solvers.static_run import StaticRun
from tests.unit.contact.test_distances import boss_on_plate
from tests.validation import contact_models as rods
from tests.validation import shape_models as models

KIND = fl.ShapeKind
QUICK = fl.Static(checks_stability=False)
# elastica of a cantilever of length 1, bending stiffness 1: deflection, tip load
ELASTICA = [(0.3017207738, 1.0), (0.4934574804, 2.0), (0.7137915236, 5.0)]
# deflection in the middle of a clamped rod (D1), force there
CLAMPED = [(3.244299179e-3, 5.0), (1.053158465e-2, 20.0), (1.850040833e-2, 50.0)]


@pytest.mark.parametrize(("way", "force"), ELASTICA)
def test_plate_pushes_a_tip_as_an_elastica(way: float, force: float) -> None:
    results = QUICK.solve(models.plate_on_tip(20, way), load_steps=4)
    assert -results.contact.total("touch")[-1, 1] == pytest.approx(force, rel=0.002)
    assert results.summary["refused_steps"] == 0


def test_heavy_beam_lifts_off_a_floor() -> None:
    """D3: free length, force where it touches down, pressure, clamp: 2 % at 40."""
    height, weight, n = 1e-4, 0.1152, 40
    free = (72.0 * height / weight) ** 0.25
    results = QUICK.solve(models.heavy_beam(n, height, weight))
    clamp = results.reactions("clamp")[-1]
    assert clamp[1] == pytest.approx(2.0 * weight * free / 3.0, rel=0.02)
    assert clamp[5] == pytest.approx(weight * free**2 / 6.0, rel=0.02)
    total = results.contact.total("touch")[-1, 1]
    assert total == pytest.approx(weight * (1.0 - 2.0 * free / 3.0), rel=0.02)
    pressure = results.contact.pressures("beam")[-1, :, 0]
    np.testing.assert_allclose(pressure[28:37], weight, rtol=0.02)


@pytest.mark.parametrize(
    ("turns", "force"), [(1.3, 0.13608352789), (1.7, 0.38324433730), (2.5, None)]
)
def test_strut_at_a_wall_is_pressed_at_points(
    turns: float, force: float | None
) -> None:
    """D6: one point force, then two of EI k^3 h / (2 pi) with nothing in between."""
    phi, gap = turns * np.pi, 1e-3
    results = QUICK.solve(models.strut_at_wall(40, phi, gap), load_steps=10)
    total = results.contact.total_size("touch")[-1]
    expected = (2.0 * phi) ** 3 * gap / np.pi if force is None else force
    assert total == pytest.approx(expected, rel=0.02)
    if force is None:
        pressure = results.contact.pressures("strut")[-1, :, 0]
        assert np.all(np.abs(pressure[19:22]) < 1e-12 * pressure.max())


def surface_drum(n_facets: int) -> Any:
    solid = fl.cylinder(rods.DRUM, 0.4, density=1000.0, n_facets=n_facets)
    return fl.Shape("drum", KIND.SURFACE, surface=solid.surface)


@pytest.mark.parametrize(
    ("drum", "allowed"),
    [(None, 0.01), (surface_drum(384), 0.04)],
    ids=["cylinder", "triangles"],
)
def test_rope_slides_round_a_drum_without_friction(drum: Any, allowed: float) -> None:
    """One tension all along, pressure T / (R + r), arc of half a turn.

    Twice the tension presses the drum. The bending stiffness of the rope counts where
    it leaves the drum. On triangles pressure stands at their edges, so its mean counts.
    """
    tension = 10.0
    results = QUICK.solve(models.rope_on_drum(60, tension, drum), load_steps=4)
    arc = slice(22, 38)
    found = results.section_forces("rope", at="middle")[-1, arc, 0]
    np.testing.assert_allclose(found, tension, rtol=0.005)
    pressure = results.contact.pressures("rope")[-1, arc, 0]
    expected = found.mean() / (rods.DRUM + rods.ROPE)
    assert pressure.mean() == pytest.approx(expected, rel=allowed)
    if drum is None:
        np.testing.assert_allclose(pressure, expected, rtol=allowed)
    total = results.contact.total("touch")[-1]
    assert total[1] == pytest.approx(2.0 * tension, rel=0.02)
    touching = np.flatnonzero(results.contact.pressures("rope")[-1, :, 0])
    angle = np.pi / 30.0 * (touching.max() - touching.min())
    # the rope is stiff: it leaves the drum early by about sqrt(EI / T) / R = 0.2
    assert angle == pytest.approx(np.pi, abs=0.5)


def test_cantilever_bends_round_a_wide_cylinder() -> None:
    """Curvature 1/R up to where ``F (l - a) = EI / R``; no pressure on the way.

    Linear theory: all of the load is borne where the beam leaves the cylinder, and its
    end goes down by ``(a^2/2 + a b + b^2/3) / R`` with ``b = l - a``.
    """
    radius, arc, n = 50.0, 0.5, 40
    curvature = 1.0 / (radius + rods.RADIUS)
    force = rods.BENDING * curvature / (1.0 - arc)
    results = QUICK.solve(models.beam_bent_over(n, radius, force))
    assert results.contact.total("touch")[-1, 2] == pytest.approx(force, rel=0.005)
    down = -results.displacements("s_1")[-1, 2]
    rest = 1.0 - arc
    expected = curvature * (arc**2 / 2 + arc * rest + rest**2 / 3)
    assert down == pytest.approx(expected, rel=0.005)
    forces = results.contact.forces("beam")[-1, :, 2]
    at_end = np.abs((np.arange(n) + 0.5) / n - arc) < 0.08
    assert forces[at_end].sum() == pytest.approx(force, rel=0.03)
    moments = results.section_forces("beam", at="middle")[-1, 2:16, 5]
    np.testing.assert_allclose(np.abs(moments), rods.BENDING * curvature, rtol=0.01)


@pytest.mark.parametrize("n", [20, 21])
@pytest.mark.parametrize(("down", "force"), CLAMPED)
def test_rod_over_a_sharp_edge_is_loaded_at_a_point(
    n: int, down: float, force: float
) -> None:
    """As D1, where the edge is another rod; with the edge at a node or between."""
    results = QUICK.solve(models.rod_over_edge(n, down), load_steps=2)
    assert results.contact.total("touch")[-1, 2] == pytest.approx(force, rel=0.01)


@pytest.mark.parametrize("force", [0.05, 1.0])
def test_rod_hangs_over_the_edge_of_a_table(force: float) -> None:
    """It lies flat, lifts off and is borne at the edge; at a node or between.

    The clamped node bears nothing, also when lists have been made anew: it would be
    settled against errors of bending by forces of ten times the load.
    """
    found = []
    for n in (40, 41, 80):
        results = QUICK.solve(models.rod_over_table(n, force), load_steps=8)
        total = results.contact.total("touch")[-1]
        sums = total + results.reactions("hold")[-1, :3]
        np.testing.assert_allclose(sums, [0.0, 0.0, force], atol=1e-8)
        assert results.contact.forces("rod")[-1, 0, 2] == 0.0
        found.append([total[0], total[2]])
    np.testing.assert_allclose(found[:2], [found[2]] * 2, rtol=0.005)


RAMS = {
    "ball": fl.Shape(
        "tool", KIND.SPHERE, on="ram", radius=0.03, position=(0, 0, 0.03 + rods.RADIUS)
    ),
    "cylinder": fl.Shape(
        "tool",
        KIND.CYLINDER,
        on="ram",
        radius=0.03,
        position=(0, 0, 0.03 + rods.RADIUS),
        axis=(0, 1, 0),
    ),
    "capsule": fl.Shape(
        "tool",
        KIND.CAPSULE,
        on="ram",
        radius=0.03,
        length=0.2,
        position=(0, 0, 0.13 + rods.RADIUS),
    ),
    "box": fl.Shape(
        "tool",
        KIND.BOX,
        on="ram",
        size=(0.2, 0.2, 0.2),
        orientation=(0, np.pi / 4, 0),
        position=(0, 0, 0.1 * 2**0.5 + rods.RADIUS),
    ),
    "rim": fl.Shape(
        "tool",
        KIND.CYLINDER,
        on="ram",
        radius=0.1,
        length=0.2,
        position=(0, 0, 0.1 * 2**0.5 + rods.RADIUS),
        axis=(1, 0, 1),
    ),
}


@pytest.mark.parametrize("name", RAMS)
def test_shapes_that_move_press_a_rod_as_another_rod_would(name: str) -> None:
    """The force is that of D1 at this deflection, and acts on the ram in return."""
    down, force = CLAMPED[1]
    results = QUICK.solve(models.pressed_by(RAMS[name], down=down), load_steps=2)
    assert -results.contact.total("touch")[-1, 2] == pytest.approx(force, rel=0.012)
    assert results.reactions("move")[-1, 2] == pytest.approx(-force, rel=0.012)
    assert results.summary["balance"]["error"] < 1e-9


@pytest.mark.parametrize("has_facets", [False, True])
def test_body_with_a_solid_or_a_surface_is_a_shape_by_its_name(
    has_facets: bool,
) -> None:
    solid = fl.cylinder(0.05, 0.2, density=1000.0, axis=(0, 1, 0), n_facets=64)
    place = (0.0, 0.0, 0.05 + rods.RADIUS)
    options = {"surface": solid.surface, "density": 1000.0}
    body = fl.Body(
        "ram", position=place, **(options if has_facets else {"solid": solid})
    )
    down, force = CLAMPED[1]
    system = models.pressed_by(None, down=down, body=body)
    results = QUICK.solve(system, load_steps=2)
    assert -results.contact.total("touch")[-1, 2] == pytest.approx(force, rel=0.012)


FLAT = fl.box((1.0, 1.0, 0.1), density=1.0)
PLATE = fl.Body("plate", solid=FLAT, position=(0, 0, 0.05))
BALLS = [(0.3, 0.1), (-0.3, 0.3), (-0.1, -0.4)]


@pytest.mark.parametrize("solver", [QUICK, fl.Static()], ids=["quick", "default"])
def test_plate_on_three_balls_is_borne_as_statics_says(solver: Any) -> None:
    balls = [
        fl.Shape(f"ball {k}", KIND.SPHERE, radius=0.1, position=(x, y, -0.1))
        for k, (x, y) in enumerate(BALLS)
    ]
    results = solver.solve(models.standing(PLATE, *balls, load=(0.0, 0.0, -100.0)))
    x, y = np.array(BALLS).T
    expected = np.linalg.solve(np.array([np.ones(3), x, y]), [100.0, 0.0, 0.0])
    for k in range(3):
        total = results.contact.total(f"on ball {k}")[-1]
        np.testing.assert_allclose(total, [0.0, 0.0, expected[k]], atol=1e-6)
    assert not results.warnings


def test_ball_in_a_corner_is_pressed_by_each_wall() -> None:
    ball = fl.Body("ball", solid=fl.sphere(0.1, density=1.0), position=(0.1,) * 3)
    walls = [
        fl.Shape(name, KIND.PLANE, axis=tuple(axis))
        for name, axis in zip("xyz", np.eye(3).tolist(), strict=True)
    ]
    load = (-1.0, -2.0, -3.0)
    system = models.standing(ball, *walls, load=load, spin=(1.0, 1.0, 1.0))
    results = QUICK.solve(system)
    found = [results.contact.total(f"on {name}")[-1] for name in "xyz"]
    np.testing.assert_allclose(results.positions("ball")[-1], 0.1, rtol=1e-9)
    np.testing.assert_allclose(found, np.diag([1.0, 2.0, 3.0]), atol=1e-6)


BODIES = {
    "box": (fl.box((1.0, 0.8, 0.6), density=1.0), 0.3),
    "ball": (fl.sphere(0.2, density=1.0), 0.2),
    "lying cylinder": (fl.cylinder(0.1, 0.5, density=1.0, axis=(0, 1, 0)), 0.1),
    "standing cylinder": (fl.cylinder(0.1, 0.5, density=1.0), 0.25),
}
SLAB = fl.box((3.0, 3.0, 0.5), density=1.0).surface
GROUNDS = {
    "plane": fl.Shape("floor", KIND.PLANE),
    "box": fl.Shape("floor", KIND.BOX, size=(3.0, 3.0, 0.5), position=(0, 0, -0.25)),
    "triangles": fl.Shape("floor", KIND.SURFACE, surface=SLAB, position=(0, 0, -0.25)),
    "triangles inside out": fl.Shape(
        "floor",
        KIND.SURFACE,
        surface=fl.Surface(SLAB.points, SLAB.triangles[:, ::-1]),
        position=(0, 0, -0.25),
    ),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", BODIES)
def test_bodies_come_to_rest_on_the_ground(name: str, ground: str) -> None:
    """All of the load is borne, and nothing turns: resultants pass the middle."""
    solid, height = BODIES[name]
    body = fl.Body("thing", solid=solid, position=(0.0, 0.0, height + 1e-3))
    spin = (10.0, 10.0, 10.0) if name in ("ball", "lying cylinder") else (0.0, 0.0, 1e3)
    system = models.standing(body, GROUNDS[ground], load=(0.0, 0.0, -50.0), spin=spin)
    results = QUICK.solve(system)
    total = results.contact.total("on floor")[-1]
    np.testing.assert_allclose(total, [0.0, 0.0, 50.0], atol=1e-6)
    assert results.positions("thing")[-1, 2] == pytest.approx(height, abs=1e-9)
    turn = results.rotations("thing", as_vector=True)[-1]
    np.testing.assert_allclose(turn, 0.0, atol=1e-9)


def alone(solid: Any, position: Any, ground: Any, load: Any, **options: Any) -> Any:
    """A body that nothing but the ground holds."""
    model = fl.Model()
    model.add(fl.Body("thing", solid=solid, position=position, **options))
    model.add(ground)
    model.add(fl.Force("load", at="thing", force=load))
    model.add(fl.Contact("touch", between=("thing", ground.name)))
    return model.build()


def test_ball_lies_in_a_bowl_where_the_load_points() -> None:
    """It comes from outside of what contact looks at, and rolls without resistance."""
    bowl = fl.Shape("bowl", KIND.SPHERE, radius=1.0, inside=True)
    load = np.array([1.0, 0.0, -10.0])
    ball = fl.sphere(0.1, density=1.0)
    system = alone(ball, (0.0, 0.0, -0.5), bowl, tuple(load))
    results = QUICK.solve(system)
    place = results.positions("thing")[-1]
    np.testing.assert_allclose(place, 0.9 * load / np.linalg.norm(load), atol=1e-9)
    np.testing.assert_allclose(results.contact.total("touch")[-1], -load, atol=1e-8)


def test_ball_lies_in_a_groove_of_a_surface() -> None:
    """Pressed into the hollow edge between a plate and a block on it, of triangles."""
    ball = fl.sphere(0.3, density=1.0)
    ground = fl.Shape("block", KIND.SURFACE, surface=boss_on_plate())
    system = alone(ball, (1.35, 0.0, 0.4), ground, (-2.0, 0.0, -5.0))
    results = QUICK.solve(system)
    place = results.positions("thing")[-1]
    np.testing.assert_allclose(place[[0, 2]], [1.3, 0.3], atol=1e-9)
    total = results.contact.total("touch")[-1]
    np.testing.assert_allclose(total, [2.0, 0.0, 5.0], atol=1e-8)


@pytest.mark.parametrize("height", [0.31, 0.4, 3.0])
def test_tilted_box_falls_flat_on_the_floor(height: float) -> None:
    floor = fl.Shape("floor", KIND.PLANE)
    box = fl.box((1.0, 0.8, 0.6), density=1.0)
    tilt = (0.1, 0.05, 0.0)
    place = (0.0, 0.0, height)
    system = alone(box, place, floor, (0.0, 0.0, -50.0), orientation=tilt)
    results = QUICK.solve(system)
    frame = results.records.poses[-1, 1]
    up = quaternion.rotate(frame[3:], np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(up, [0.0, 0.0, 1.0], atol=1e-9)
    assert frame[2] == pytest.approx(0.3, abs=1e-9)
    assert results.contact.total("touch")[-1, 2] == pytest.approx(50.0, abs=1e-6)


def test_overlap_of_bodies_at_the_start_is_said_and_undone() -> None:
    floor = fl.Shape("floor", KIND.PLANE)
    box = fl.box((1.0, 0.8, 0.6), density=1.0)
    results = QUICK.solve(alone(box, (0.0, 0.0, 0.29), floor, (0.0, 0.0, -50.0)))
    (text,) = results.warnings
    assert "'thing' and 'floor' overlap at the start by 0.01 m" in text
    assert results.positions("thing")[-1, 2] == pytest.approx(0.3, abs=1e-9)


def test_body_deep_in_another_is_refused() -> None:
    table = fl.Shape("table", KIND.BOX, size=(2.0, 2.0, 0.1))
    box = fl.box((1.0, 0.8, 0.6), density=1.0)
    with pytest.raises(fl.ModelError, match=r"'thing' and 'table'.*no direction.*move"):
        QUICK.solve(alone(box, (0.0, 0.0, 0.3), table, (0.0, 0.0, -50.0)))


def test_boxes_of_two_bodies_rest_on_each_other_crosswise() -> None:
    """Edges of one cross edges of the other; each bears what is above it."""
    model = fl.Model()
    long = fl.box((1.0, 0.2, 0.2), density=1.0)
    for k, turn in enumerate((0.0, 0.5 * np.pi)):
        place = (0.0, 0.0, 0.1 + 0.2 * k)
        model.add(
            fl.Body(f"bar {k}", solid=long, position=place, orientation=(0, 0, turn))
        )
        model.add(fl.Force(f"load {k}", at=f"bar {k}", force=(0.0, 0.0, -10.0)))
        soft = (1e3, 1e3, 0.0, 0.0, 0.0, 1e3)
        model.add(fl.Bushing(f"springs {k}", fl.GROUND, f"bar {k}", stiffness=soft))
    model.add(fl.Shape("floor", KIND.PLANE))
    model.add(fl.Contact("under", between=("bar 0", "floor")))
    model.add(fl.Contact("middle", between=("bar 1", "bar 0")))
    results = QUICK.solve(model.build())
    assert results.contact.total("under")[-1, 2] == pytest.approx(20.0, abs=1e-6)
    assert results.contact.total("middle")[-1, 2] == pytest.approx(10.0, abs=1e-6)


def solve_all(factor: float, patch: Any) -> list[float]:
    """Forces with the automatic penalty times a factor."""
    solver = fl.Static(checks_stability=False, tolerance=1e-13)
    down = CLAMPED[1][0]
    with rods.scaled_penalties(factor, patch):
        edge = solver.solve(models.rod_over_edge(10, down), load_steps=2)
        rope = solver.solve(models.rope_on_drum(40, 10.0), load_steps=4)
    return [one.contact.total_size("touch")[-1] for one in (edge, rope)]


def test_answer_does_not_depend_on_the_penalty(monkeypatch: Any) -> None:
    """Six decades."""
    expected = solve_all(1.0, monkeypatch)
    for factor in (1e-3, 1e-1, 1e1, 1e3):
        assert solve_all(factor, monkeypatch) == pytest.approx(expected, rel=1e-8)


WITH_STEPS = {
    "plate": (models.plate_on_tip, (10, 0.5), 4),
    "heavy beam": (models.heavy_beam, (40, 1e-4, 0.1152), 1),
    "edge": (models.rod_over_edge, (20, 0.01), 2),
    "drum": (models.rope_on_drum, (40, 10.0), 4),
}


@pytest.mark.parametrize("name", WITH_STEPS)
def test_newton_ends_quadratically(name: str) -> None:
    make, arguments, load_steps = WITH_STEPS[name]
    run = StaticRun(QUICK, make(*arguments), fl.Output(), None)
    run.march(None, 1.0 / load_steps, largest=1.0 / load_steps)
    n = int(run.memory.counts[driver.LOG])
    found = [float(x) for x in run.memory.log[: n + 1]]
    last = max(k for k, residual in enumerate(found) if residual > 1e-8)
    assert found[last + 1] < 100.0 * found[last] ** 2
    assert found[-1] < 1e-10
    assert len(found) <= last + 4


def test_rod_does_not_pass_through_a_thin_plate() -> None:
    """Its supports go down by twenty thicknesses at once."""
    model = fl.Model(rods.line("s", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), 20))
    model.add(fl.Beam("rod", cells="s", section=rods.section()))
    for end in "01":
        way = (0.0, 0.0, -0.04)
        model.add(fl.Support(f"hold {end}", at=f"s_{end}", displacement=way))
    place = (0.0, 0.0, -0.001 - rods.RADIUS - 0.005)
    size = (0.3, 0.3, 0.002)
    model.add(fl.Shape("plate", KIND.BOX, size=size, position=place))
    model.add(fl.Contact("touch", between=("rod", "plate")))
    results = QUICK.solve(model.build())
    assert results.contact.total("touch")[-1, 2] > 10.0
    assert results.positions("rod")[-1, 10, 2] > place[2]
