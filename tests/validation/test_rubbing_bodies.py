"""Friction of bodies and rods on rigid shapes, and on each other, in motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.contact import _friction_layout as layout
from tests.validation import impact_models as impacts
from tests.validation import moving_models as models
from tests.validation.contact_models import line
from tests.validation.impact_models import GRAVITY

KIND = fl.ShapeKind
SLIDES, STICKS = int(layout.SLIDES), int(layout.STICKS)
BALL = fl.sphere(models.RADIUS, density=1000.0)
BOX = fl.box(models.BOX, density=1.0)
CYLINDER = fl.cylinder(0.1, 0.5, density=1.0)
LYING = (np.pi / 2.0, 0.0, 0.0)
SLOPE = 0.3
GROUNDS = {
    "plane": fl.Shape("floor", KIND.PLANE),
    "box": fl.Shape("floor", KIND.BOX, size=(9.0, 9.0, 0.5), position=(0, 0, -0.25)),
    "triangles": fl.Shape(
        "floor",
        KIND.SURFACE,
        surface=fl.box((9.0, 9.0, 0.5), density=1.0).surface,
        position=(0, 0, -0.25),
    ),
}


def rubbing(
    solid: Any,
    height: float,
    friction: float,
    *,
    floor: Any = GROUNDS["plane"],
    slope: float = 0.0,
    orientation: Any = (0.0, 0.0, 0.0),
    start: Any = None,
    restitution: float = 0.0,
) -> Any:
    """A body on a floor, with gravity as on a slope that falls along x."""
    model = fl.Model()
    place = (0.0, 0.0, height)
    model.add(fl.Body("thing", solid=solid, position=place, orientation=orientation))
    model.add(floor)
    model.add(
        fl.Contact("touch", between=("thing", floor.name), friction=friction,
                   restitution=restitution)
    )  # fmt: skip
    down = (GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope))
    model.add(fl.Gravity("weight", acceleration=down))
    if start is not None:
        turn = {"about": place} if "angular_velocity" in start else {}
        model.add(fl.InitialMotion("start", on=("thing",), **turn, **start))
    return model


def run(model: Any, duration: float, step: float = 1e-3, **options: Any) -> Any:
    solver = fl.GeneralizedAlpha(spectral_radius=0.8)
    return solver.solve(model.build(), duration=duration, time_step=step, **options)


def check_books(results: Any) -> None:
    """Nothing but corrections gives energy; friction and impacts only take."""
    energy = results.energy
    assert np.all(np.diff(energy.friction_loss) >= 0.0)
    total = energy.total + energy.impact_loss + energy.friction_loss
    total = total - energy.correction_work
    size = np.abs(energy.total).max() + energy.friction_loss[-1]
    assert np.abs(total - total[0]).max() < 1e-6 * size


@pytest.mark.parametrize("ground", GROUNDS)
def test_box_slides_down_a_slope(ground: str) -> None:
    """D5: ``a = g (sin - mu cos)``; half of the coefficient at which it sticks."""
    mu = 0.5 * np.tan(SLOPE)
    model = rubbing(BOX, 0.3, mu, floor=GROUNDS[ground], slope=SLOPE)
    results = run(model, 0.2)
    expected = GRAVITY * (np.sin(SLOPE) - mu * np.cos(SLOPE))
    way = 0.5 * expected * results.times**2
    assert results.positions("thing")[:, 0] == pytest.approx(way, abs=1e-4 * way[-1])
    mass = BOX.mass_properties.mass
    force = results.contact.total("touch")[1:]
    normal = mass * GRAVITY * np.cos(SLOPE)
    assert force[:, 2] == pytest.approx(np.full(200, normal), rel=1e-6)
    assert force[:, 0] == pytest.approx(np.full(200, -mu * normal), rel=1e-6)
    assert results.contact.largest_slip("touch")[-1] > 0.0
    lost = results.energy.friction_loss
    assert lost == pytest.approx(mu * normal * way, abs=1e-4 * lost[-1])
    check_books(results)


@pytest.mark.parametrize("step", [1e-3, 2e-2])
@pytest.mark.parametrize("solid", ["box", "cylinder"])
def test_what_sticks_on_a_slope_does_not_creep(solid: str, step: float) -> None:
    mu = 1.01 * np.tan(SLOPE)
    # an upright cylinder as wide as it is high stands on that slope
    one = BOX if solid == "box" else fl.cylinder(0.25, 0.5, density=1.0)
    height = 0.3 if solid == "box" else 0.25
    results = run(rubbing(one, height, mu, slope=SLOPE), 100.0 * step, step)
    places = results.positions("thing")
    assert np.abs(places - places[0]).max() < 1e-9
    weight = one.mass_properties.mass * GRAVITY * np.sin(SLOPE)
    friction = results.contact.total_friction("touch")[-20:, 0]
    assert friction == pytest.approx(np.full(20, -weight), rel=1e-3)
    assert results.energy.friction_loss[-1] < 1e-9 * weight


@pytest.mark.parametrize("share", [0.5, 1.05, 4.0])
@pytest.mark.parametrize("solid", ["ball", "cylinder"])
def test_round_bodies_roll_with_enough_friction(solid: str, share: float) -> None:
    """``a = g sin/(1 + k)`` from ``mu = k/(1 + k) tan`` on, ``k = I/(m r^2)``."""
    k, r = (0.4, models.RADIUS) if solid == "ball" else (0.5, 0.1)
    one, turn = (BALL, (0.0, 0.0, 0.0)) if solid == "ball" else (CYLINDER, LYING)
    mu = share * k / (1.0 + k) * np.tan(SLOPE)
    results = run(rubbing(one, r, mu, slope=SLOPE, orientation=turn), 0.3)
    rolls = share >= 1.0
    expected = GRAVITY * np.sin(SLOPE) / (1.0 + k)
    if not rolls:
        expected = GRAVITY * (np.sin(SLOPE) - mu * np.cos(SLOPE))
    velocity = results.velocities("thing", frame="world")[-1]
    assert velocity[0] == pytest.approx(0.3 * expected, rel=1e-3)
    assert abs(velocity[1]) < 1e-9
    if rolls:
        assert velocity[4] * r == pytest.approx(velocity[0], rel=1e-6)
        assert results.energy.friction_loss[-1] < 1e-6 * results.energy.kinetic[-1]
        assert results.contact.largest_state("touch")[-1] == STICKS
    check_books(results)


def test_launched_ball_ends_rolling_with_five_sevenths_of_its_speed() -> None:
    """D5: after ``2 v/(7 mu g)``, 2.0816 m on; two sevenths of its energy are lost."""
    mu, speed = 0.2, 5.0
    model = rubbing(BALL, models.RADIUS, mu, start={"velocity": (speed, 0.0, 0.0)})
    results = run(model, 1.0)
    velocity = results.velocities("thing", frame="world")[:, 0]
    turn = 2.0 * speed / (7.0 * mu * GRAVITY)
    assert velocity[-1] == pytest.approx(5.0 / 7.0 * speed, rel=1e-3)
    states = results.contact.largest_state("touch")
    first = results.times[np.flatnonzero(states == STICKS)[0]]
    assert first == pytest.approx(turn, abs=4e-3)
    start = results.energy.kinetic[0]
    assert results.energy.friction_loss[-1] == pytest.approx(2 / 7 * start, rel=1e-3)
    check_books(results)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_ball_that_lands_with_spin_is_turned_by_friction(restitution: float) -> None:
    """Friction of the impact is ``mu (1 + e) m v`` along."""
    mu, spin, r = 0.1, 100.0, models.RADIUS
    start = {"velocity": (0.0, 0.0, 0.0), "angular_velocity": (0.0, spin, 0.0)}
    model = rubbing(BALL, r + 0.02, mu, start=start, restitution=restitution)
    results = run(model, 0.066, 1e-4)
    speeds = results.velocities("thing", frame="world")
    hit = np.flatnonzero(results.contact.total("touch")[:, 2])[0]
    impulse = (1.0 + restitution) * -speeds[hit - 1, 2]
    assert speeds[hit, 0] == pytest.approx(mu * impulse, rel=5e-3)
    assert speeds[hit, 4] == pytest.approx(spin - mu * impulse / (0.4 * r), rel=1e-3)
    check_books(results)


def test_box_tips_over_its_edge_where_friction_holds_it() -> None:
    """A box on a slope steeper than its shape allows turns about its lower edge.

    The angle by the pendulum about the edge: ``theta'' = m g d sin(theta + b)/I_e``.
    """
    from scipy.integrate import solve_ivp

    sides, slope = (0.2, 0.4, 0.6), 0.5
    solid = fl.box(sides, density=100.0)
    own = solid.mass_properties
    arm = 0.5 * np.hypot(sides[0], sides[2])
    # the mass center leans behind the edge by this angle
    behind = np.arctan2(sides[0], sides[2]) - slope
    inertia = own.inertia[1, 1] + own.mass * arm**2
    rate = own.mass * GRAVITY * arm / inertia
    duration = 0.4
    found = solve_ivp(
        lambda _, y: [y[1], rate * np.sin(y[0])], (0.0, duration), [-behind, 0.0],
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    results = run(rubbing(solid, 0.3, 5.0, slope=slope), duration)
    turn = results.rotations("thing", as_vector=True)[-1, 1]
    assert turn == pytest.approx(found.y[0, -1] + behind, rel=2e-2)
    check_books(results)


def test_upper_box_is_taken_along_by_friction() -> None:
    """A box on a plate that is pulled: both get ``mu g`` and what is left of the pull.

    The plate slides without friction on the floor.
    """
    mu, pull = 0.3, 400.0
    model = fl.Model()
    plate = fl.box((2.0, 1.0, 0.1), density=250.0)
    small = fl.box((0.2, 0.2, 0.2), density=2500.0)
    model.add(fl.Body("plate", solid=plate, position=(0.0, 0.0, 0.05)))
    model.add(fl.Body("cargo", solid=small, position=(0.0, 0.0, 0.2)))
    model.add(GROUNDS["plane"])
    model.add(fl.Contact("under", between=("plate", "floor")))
    model.add(fl.Contact("over", between=("cargo", "plate"), friction=mu))
    # through the mass center of both friction forces: the plate does not tip
    model.add(fl.Force("pull", at="plate", force=(pull, 0.0, 0.0)))
    impacts.weight(model)
    results = run(model, 0.2)
    big, mass = plate.mass_properties.mass, small.mass_properties.mass
    after = results.velocities("cargo")[-1, 0], results.velocities("plate")[-1, 0]
    assert after[0] == pytest.approx(0.2 * mu * GRAVITY, rel=1e-3)
    rest = (pull - mu * mass * GRAVITY) / big
    assert after[1] == pytest.approx(0.2 * rest, rel=1e-3)
    force = results.contact.total("over")[-1]
    assert force[0] == pytest.approx(mu * mass * GRAVITY, rel=1e-3)


def test_free_bodies_that_rub_keep_all_momenta() -> None:
    """Balls that hit off center, with friction: six momenta of the whole are kept."""
    model = models.two_bodies(BALL, BALL)
    hit = model.parts.pop("hit")
    model.add(fl.Contact("hit", between=hit.between, restitution=0.5, friction=0.4))
    results = run(model, 0.6)
    momenta = models.momenta(results, {"one": BALL, "other": BALL})
    assert results.contact.total_size("hit").max() > 0.0
    assert results.contact.total_friction_size("hit").max() > 0.0
    assert np.abs(momenta - momenta[0]).max() < 1e-9 * np.abs(momenta[0]).max()
    assert results.energy.friction_loss[-1] > 0.0
    spins = results.velocities("one", frame="world")[-1, 3:]
    assert np.linalg.norm(spins) > 0.1
    check_books(results)


def test_rod_slides_along_a_plane_and_comes_to_rest() -> None:
    """Behind ``v^2/(2 mu g)``."""
    mu, speed, radius = 0.3, 0.5, impacts.RADIUS
    model = fl.Model(line("rod", (0.0, 0.0, radius), (0.4, 0.0, radius), 4))
    section = impacts.round_section(young=1e8)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(GROUNDS["plane"])
    model.add(fl.InitialMotion("start", on=("rod",), velocity=(speed, 0.0, 0.0)))
    model.add(fl.Contact("touch", between=("rod", "floor"), friction=mu))
    impacts.weight(model)
    results = run(model, 0.25)
    way = results.positions("rod")[-1, :, 0] - results.positions("rod")[0, :, 0]
    assert way == pytest.approx(np.full(5, speed**2 / (2.0 * mu * GRAVITY)), rel=5e-3)
    assert np.abs(results.velocities("rod")[-1, :, :3]).max() < 1e-3 * speed
    check_books(results)


def test_restart_takes_the_same_way_to_the_last_digit(tmp_path: Path) -> None:
    def model() -> Any:
        turn = (0.4, 0.3, 0.1)
        return rubbing(BOX, 0.7, 0.4, orientation=turn, restitution=0.3)

    def output(name: str) -> Any:
        return fl.Output(path=tmp_path / name, checkpoint_every=100, every=3)

    whole = run(model(), 0.6, output=output("whole.h5"))
    run(model(), 0.4, output=output("part.h5"))
    rest = run(model(), 0.6, start=tmp_path / "part.h5", output=output("rest.h5"))
    assert whole.contact.total_friction_size("touch").max() > 0.0
    for name, array in whole.records._asdict().items():
        assert np.array_equal(getattr(rest.records, name), array), name


@pytest.mark.parametrize("kind", ["rod", "cylinder"])
def test_round_things_that_slide_across_themselves_do_not_spin(kind: str) -> None:
    """Without friction nothing turns them; their speed and energy stay."""
    radius = impacts.RADIUS
    if kind == "rod":
        model = fl.Model(line("thing", (0.0, -0.2, radius), (0.0, 0.2, radius), 4))
        section = impacts.round_section(young=1e11)
        model.add(fl.Beam("thing", cells="thing", section=section))
    else:
        model = fl.Model()
        solid = fl.cylinder(radius, 0.4, density=1000.0, axis=(0.0, 1.0, 0.0))
        model.add(fl.Body("thing", solid=solid, position=(0.0, 0.0, radius)))
    model.add(GROUNDS["plane"])
    model.add(fl.Contact("touch", between=("thing", "floor")))
    model.add(fl.InitialMotion("start", on=("thing",), velocity=(1.0, 0.0, 0.0)))
    impacts.weight(model)
    results = run(model, 0.2)
    velocities = results.velocities("thing").reshape(len(results.times), -1, 6)
    assert np.abs(velocities[-1, :, 3:]).max() * radius < 1e-4
    assert velocities[-1, :, 0] == pytest.approx(1.0, abs=1e-6)
    assert results.energy.total[-1] == pytest.approx(results.energy.total[0], rel=1e-6)


def pulley(friction: float) -> Any:
    """A rope with weights of 1 kg and 1.2 kg over a free wheel."""
    radius, rope, n = 0.1, 0.004, 24
    angles = np.linspace(np.pi, 0.0, n + 1)
    way = radius + rope
    depths = 0.013 * np.arange(4, 0, -1)
    down = np.stack([-way + 0.0 * depths, 0.0 * depths, -depths], axis=1)
    arc = way * np.stack([np.cos(angles), 0.0 * angles, np.sin(angles)], axis=1)
    points = np.vstack([down, arc, down[::-1] * [-1.0, 1.0, 1.0]])
    k = len(points)
    mesh = fl.mesh_from_arrays(
        points,
        np.stack([np.arange(k - 1), np.arange(1, k)], axis=1),
        node_groups={"one end": [0], "other end": [k - 1]},
        line_groups={"rope": np.arange(k - 1)},
    )
    model = fl.Model(mesh)
    rubber = fl.Material(young=1e8, poisson=0.4, density=1000.0)
    section = fl.CircularSection(radius=rope, material=rubber, damping_time=1e-4)
    model.add(fl.Beam("rope", cells="rope", curve=fl.SMOOTH, section=section))
    model.add(fl.Body("wheel", mass=5.0, inertia=(0.025, 0.025, 0.025)))
    model.add(fl.Joint("axle", fl.REVOLUTE, parent=fl.GROUND, child="wheel",
                       axis=(0.0, 1.0, 0.0)))  # fmt: skip
    model.add(fl.Shape("drum", KIND.CYLINDER, on="wheel", radius=radius,
                       axis=(0.0, 1.0, 0.0)))  # fmt: skip
    model.add(fl.Contact("touch", between=("rope", "drum"), friction=friction))
    for name, mass in (("one", 1.0), ("other", 1.2)):
        inertia = (1e-3,) * 3
        model.add(fl.Body(name, at=f"{name} end", mass=mass, inertia=inertia))
    return impacts.weight(model)


@pytest.mark.slow
@pytest.mark.long
def test_rope_takes_its_pulley_along() -> None:
    """Atwood: ``a = 0.2 g / (2.2 + I/R^2)`` with the wheel."""
    results = run(pulley(0.3), 0.1)
    rope = 1000.0 * np.pi * 0.004**2 * (0.104 * np.pi + 8 * 0.013)
    mass = 2.2 + rope + 0.025 / 0.104**2
    expected = 0.1 * 0.2 * GRAVITY / mass
    speed = results.velocities("other")[-20:, 2].mean() / (0.09 / 0.1)
    assert -speed == pytest.approx(expected, rel=0.1)
    turning = results.velocities("wheel")[-20:, 4].mean() / 0.9
    assert turning * 0.104 == pytest.approx(expected, rel=0.1)
