"""Friction of rods and bodies on rigid shapes against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.contact import _friction_layout as layout
from femlie.solvers import _static_driver as driver
from femlie.solvers.static_run import StaticRun
from tests.validation import contact_models as rods
from tests.validation import friction_models
from tests.validation import shape_friction_models as models

QUICK = fl.Static(checks_stability=False)
SLIDES, STICKS = int(layout.SLIDES), int(layout.STICKS)


@pytest.mark.parametrize(("turns", "n"), [(0.5, 24), (1.0, 40), (2.0, 72)])
def test_rope_on_a_cylinder_is_a_capstan(turns: float, n: int) -> None:
    """D4 ``exp(mu phi)`` within 2 r/R + 1 %; closer with the forces at the surface.

    A moment ``r mu p`` per length goes with these, whose shear force takes the part
    ``r/(R + r)`` of the friction: the exponent is ``mu phi R/(R + r)``.
    """
    angle = turns * np.pi
    results = QUICK.solve(models.capstan(n, 0.3, angle, 200.0), load_steps=10)
    tension = results.section_forces("rope", at="middle")[-1, :, 0]
    ratio = tension[-1] / tension[0]
    assert ratio == pytest.approx(np.exp(0.3 * angle), rel=0.05)
    share = rods.DRUM / (rods.DRUM + 0.002)
    assert ratio == pytest.approx(np.exp(0.3 * angle * share), rel=0.005)
    sizes = results.contact.total_friction_size("touch")[-1]
    total = results.contact.total_size("touch")[-1]
    assert sizes == pytest.approx(0.3 * total, rel=1e-6)


def test_tip_on_a_plate_drags_with_mu_times_its_force() -> None:
    """D4a: against the sliding; the rest is the elastica with that force."""
    way = 0.3017207738
    results = QUICK.solve(models.plate_on_tip(20, way, 0.2), load_steps=10)
    force = results.contact.total("touch")[1:]
    # at first the tip rolls by more than it is drawn in
    np.testing.assert_allclose(force[3:, 0], -0.2 * force[3:, 1], rtol=1e-3)
    loaded = friction_models.loaded_tip(force[-1])
    alone = QUICK.solve(loaded, load_steps=4)
    np.testing.assert_allclose(
        alone.displacements("s_1")[-1], results.displacements("s_1")[-1], atol=1e-5
    )
    # what the plate feels is held by its support
    held = results.reactions("move")[-1, :3]
    np.testing.assert_allclose(held, force[-1], rtol=1e-9, atol=1e-9)


GROUNDS = {
    "plane": models.FLOOR,
    "box": fl.Shape(
        "floor", fl.ShapeKind.BOX, size=(3.0, 3.0, 0.5), position=(0, 0, -0.25)
    ),
    "triangles": fl.Shape(
        "floor",
        fl.ShapeKind.SURFACE,
        surface=fl.box((3.0, 3.0, 0.5), density=1.0).surface,
        position=(0, 0, -0.25),
    ),
}


def inclined(friction: float, slope: float) -> tuple[float, float, float]:
    """Weight in the axes of an incline whose tangent is a part of the coefficient."""
    angle = np.arctan(slope * friction)
    return (models.WEIGHT * np.sin(angle), 0.0, -models.WEIGHT * np.cos(angle))


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("slope", [0.5, 0.9, 0.9999])
def test_block_sticks_on_an_incline(slope: float, ground: str) -> None:
    """``tan alpha <= mu``, although its upper feet have reached their limit before."""
    weight = inclined(0.3, slope)
    results = QUICK.solve(models.block(0.3, weight, floor=GROUNDS[ground]))
    force = results.contact.total("touch")[-1]
    np.testing.assert_allclose(force, -np.array(weight), atol=1e-6)
    assert np.abs(results.displacements("block")[-1]).max() < 1e-9


@pytest.mark.parametrize("slope", [1.0001, 1.2])
def test_block_that_slides_off_has_no_equilibrium(slope: float) -> None:
    text = r"Friction of contact 'touch' \(0.3\) bears no more .* has no equilibrium"
    with pytest.raises(fl.ConvergenceError, match=text):
        QUICK.solve(models.block(0.3, inclined(0.3, slope)))


@pytest.mark.parametrize("friction", [0.5, 2.0])
def test_pushed_block_slides_or_tips(friction: float) -> None:
    """It slides at ``mu N`` where ``mu < b/(2 h)``, else tips at ``N b/(2 h)``."""
    height = 0.6
    limit = models.WEIGHT * min(friction, 1.0 / (2.0 * height))
    results = QUICK.solve(
        models.block(friction, (0.995 * limit, 0.0, -models.WEIGHT), height=height)
    )
    assert np.abs(results.displacements("block")[-1]).max() < 1e-9
    with pytest.raises(fl.ConvergenceError, match="no equilibrium"):
        QUICK.solve(
            models.block(friction, (1.001 * limit, 0.0, -models.WEIGHT), height=height)
        )


def test_dragged_block_follows_its_spring() -> None:
    """It is left behind by ``mu N / k``, and does not turn."""
    stiffness, way = 1e3, 0.5
    results = QUICK.solve(models.dragged(0.3, way, stiffness), load_steps=10)
    behind = 0.3 * models.WEIGHT / stiffness
    moved = results.displacements("block")[-1]
    np.testing.assert_allclose(moved, [way - behind, 0.0, 0.0], atol=1e-9)
    turn = results.rotations("block", as_vector=True)[-1]
    np.testing.assert_allclose(turn, 0.0, atol=1e-9)


@pytest.mark.parametrize("is_body", [False, True], ids=["rod", "body"])
@pytest.mark.parametrize("frictions", [(0.3, 0.2), (0.5, 0.5), (0.4, 0.0)])
def test_ladder_stands_where_friction_bears_it(frictions: Any, is_body: bool) -> None:
    """Balance about its foot, with forces at the surface, and within both cones."""
    slope = models.least_slope(frictions) + 0.2
    results = QUICK.solve(models.ladder(slope, frictions, is_body=is_body))
    floor = results.contact.total("on floor")[-1]
    wall = results.contact.total("on wall")[-1]
    np.testing.assert_allclose(floor + wall, [0.0, 0.0, 1.0], atol=1e-8)
    assert 0.0 < floor[0] < frictions[0] * floor[2] * (1.0 + 1e-9)
    assert abs(wall[2]) <= frictions[1] * -wall[0] * (1.0 + 1e-9) + 1e-12
    c, s = np.cos(slope), np.sin(slope)
    moment = rods.RADIUS * floor[0] + (c + rods.RADIUS) * wall[2] - s * wall[0]
    # the rod bends by a little
    assert moment == pytest.approx(0.5 * c, rel=1e-6 if is_body else 5e-3)


def test_ladder_slides_below_the_least_slope() -> None:
    frictions = (0.4, 0.0)
    slope = models.least_slope(frictions)
    stands = QUICK.solve(models.ladder(slope + 0.01, frictions))
    floor = stands.contact.total("on floor")[-1]
    assert floor[0] == pytest.approx(0.4 * floor[2], rel=0.03)
    with pytest.raises(fl.ConvergenceError, match="no equilibrium"):
        QUICK.solve(models.ladder(slope - 0.01, frictions))


def test_ball_between_two_plates_rolls() -> None:
    """Its middle moves by half of the way of the plate, and it turns by that over r."""
    results = QUICK.solve(models.ball_between_plates(0.15, 0.3), load_steps=10)
    moved = results.displacements("ball")[-1]
    np.testing.assert_allclose(moved, [0.075, 0.0, 0.0], atol=1e-9)
    turn = results.rotations("ball", as_vector=True)[-1]
    np.testing.assert_allclose(turn, [0.0, 0.75, 0.0], atol=1e-9)
    for name in ("floor", "plate"):
        assert results.contact.largest_slip(f"on {name}").max() < 1e-9


def test_ball_rolls_in_a_bowl_to_where_the_load_points() -> None:
    """Friction does no work and bears nothing; it turns by ``(R - r) / r`` back."""
    load = np.array([3.0, 0.0, -10.0])
    results = QUICK.solve(models.ball_in_bowl(load, 0.3), load_steps=10)
    place = results.positions("ball")[-1]
    np.testing.assert_allclose(place, 0.9 * load / np.linalg.norm(load), atol=1e-9)
    np.testing.assert_allclose(results.contact.total("touch")[-1], -load, atol=1e-7)
    turn = results.rotations("ball")[-1]
    angle = np.arctan2(turn[0, 2], turn[0, 0]) + 0.0
    expected = 9.0 * np.arctan(0.3)
    assert np.cos(angle - expected) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("below", [0.2, 0.5])
def test_rods_rub_on_rods_and_on_a_floor_in_one_model(below: float) -> None:
    """A rod on a spring, between another one, of friction 0.3, and the floor.

    It stays where the floor has more friction, else the spring has the rest.
    """
    results = QUICK.solve(models.rod_on_rod_on_floor(below), load_steps=12)
    contact = results.contact
    over, under = contact.total("over")[-1], contact.total("under")[-1]
    np.testing.assert_allclose([over[2], under[2]], 10.0, rtol=1e-5)
    assert over[0] == pytest.approx(-3.0, rel=1e-3)
    assert under[0] == pytest.approx(-min(0.3, below) * 10.0, rel=1e-3)
    moved = results.displacements("middle")[-1, 0]
    assert moved == pytest.approx((over - under)[0] / -1000.0, abs=1e-5)


def test_rope_drawn_over_a_sharp_edge_rubs_there() -> None:
    """Over four of its elements; the edge bears a point force on the cone."""
    results = QUICK.solve(models.drawn_over_edge(24, 0.3, 0.05), load_steps=10)
    contact = results.contact
    sizes, total = contact.total_friction_size("touch"), contact.total_size("touch")
    assert np.all(sizes <= 0.3 * total * (1.0 + 1e-9))
    assert sizes[-1] == pytest.approx(0.3 * total[-1], rel=1e-6)
    # what is pulled is what is held and what the edge takes along the rope
    force = results.contact.total("touch")[-1]
    ends = results.reactions("hold")[-1, :3] + results.reactions("draw")[-1, :3]
    np.testing.assert_allclose(force + ends, 0.0, atol=1e-8 * np.abs(ends).max())


def forces_with(factor: float, patch: Any) -> list[Any]:
    """Forces with the automatic penalty times a factor."""
    solver = fl.Static(checks_stability=False, tolerance=1e-11)
    with rods.scaled_penalties(factor, patch):
        rope = solver.solve(models.capstan(16, 0.3, 0.5 * np.pi, 200.0), load_steps=10)
        block = solver.solve(models.dragged(0.3, 0.4, 1e3), load_steps=10)
    return [
        rope.contact.total("touch")[-1],
        block.contact.total("touch")[-1],
    ]


def test_answer_does_not_depend_on_the_penalty(monkeypatch: Any) -> None:
    """Six decades."""
    expected = forces_with(1.0, monkeypatch)
    for factor in (1e-3, 1e-1, 1e1, 1e3):
        for one, other in zip(forces_with(factor, monkeypatch), expected, strict=True):
            size = np.abs(other).max()
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-8 * size)


CASES = {
    "capstan": (lambda: models.capstan(24, 0.3, np.pi, 200.0), 10),
    "tip": (lambda: models.plate_on_tip(20, 0.3, 0.2), 10),
    "dragged": (lambda: models.dragged(0.3, 0.5, 1e3), 10),
    "plates": (lambda: models.ball_between_plates(0.15, 0.3), 10),
    "ladder": (lambda: models.ladder(1.2, (0.3, 0.2)), 1),
}


@pytest.mark.parametrize("name", CASES)
def test_newton_ends_quadratically(name: str) -> None:
    make, load_steps = CASES[name]
    run = StaticRun(QUICK, make(), fl.Output(), None)
    run.march(None, 1.0 / load_steps, largest=1.0 / load_steps)
    found = [float(x) for x in run.memory.log[: int(run.memory.counts[driver.LOG]) + 1]]
    last = max(k for k, residual in enumerate(found) if residual > 1e-7)
    assert found[last + 1] < max(1e3 * found[last] ** 2, 1e-10)
    assert found[-1] < 1e-10
