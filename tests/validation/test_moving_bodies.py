"""Bodies and rods that fall on rigid shapes, and on each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import quaternion, se3
from tests.unit.contact.test_distances import boss_on_plate
from tests.validation import impact_models as impacts
from tests.validation import moving_models as models

KIND = fl.ShapeKind
STEP = 1e-3
ACCUMULATION = 4.063712768872
BOX = fl.box(models.BOX, density=1.0)
CYLINDER = fl.cylinder(0.1, 0.5, density=1.0)
BALL = fl.sphere(0.1, density=1.0)


def run(model: Any, duration: float, step: float = STEP, **settings: Any) -> Any:
    options = {key: settings.pop(key) for key in ("start", "output") if key in settings}
    solver = fl.GeneralizedAlpha(**{"spectral_radius": 0.8, **settings})
    system = model.build()
    return solver.solve(system, duration=duration, time_step=step, **options)


def smallest_gap(results: Any) -> float:
    names = results.layout.contacts.names
    return float(min(results.contact.smallest_gap(name).min() for name in names))


def check_energy(results: Any, allowed: float = 1e-6) -> None:
    """Never above what it was, beyond what corrections are booked to give."""
    energy = results.energy
    booked = energy.correction_work - energy.impact_loss
    booked = booked + energy.motor_work + energy.load_work
    total = energy.total - booked
    size = np.abs(energy.total).max()
    assert (total - total[0]).max() <= allowed * size
    assert np.diff(energy.impact_loss).min() >= -1e-12 * size


def test_ball_rebounds_and_passes_the_accumulation_of_impacts() -> None:
    """D5: 0.64^n of the height, to first order in the step; then it lies still."""
    results = run(models.ball(0.8), 4.5)
    heights = results.positions("thing")[:, 2] - models.RADIUS
    inner = heights[1:-1]
    is_peak = (inner >= heights[:-2]) & (inner > heights[2:])
    np.testing.assert_allclose(inner[is_peak][:3], 0.64 ** np.arange(1, 4), atol=3e-3)
    assert heights.min() > -1e-12
    last = results.times[np.flatnonzero(np.abs(heights) > 1e-9)[-1]]
    assert last == pytest.approx(ACCUMULATION, rel=0.03)
    force = results.contact.total("on floor")[results.times > ACCUMULATION, 2]
    mass = 1000.0 * 4.0 / 3.0 * np.pi * models.RADIUS**3
    np.testing.assert_allclose(force, mass * impacts.GRAVITY, rtol=1e-6)
    assert np.abs(results.energy.relative_balance).max() < 1e-10


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_restitution_of_a_ball_on_a_plane_is_exact(restitution: float) -> None:
    results = run(models.ball(restitution), 0.6)
    speeds = results.velocities("thing")[:, 2]
    hit = np.flatnonzero(results.contact.total("on floor")[:, 2])[0]
    assert speeds[hit] == pytest.approx(-restitution * speeds[hit - 1], abs=1e-10)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_tilted_rigid_rod_rebounds_as_the_laws_of_impact_say(
    restitution: float,
) -> None:
    """Impulse ``(1 + e) v / (1/m + x^2/I)`` at the lower tip, x its lever."""
    angle, speed, mass, inertia = 0.7, 1.0, 2.0, 0.05
    lever, step = 0.5 * np.cos(angle), 2e-5
    impulse = (1.0 + restitution) * speed / (1.0 / mass + lever**2 / inertia)
    model = models.rigid_rod(restitution, angle=angle, speed=speed)
    results = run(model, 0.0130, step)
    found = results.contact.total("touch")[:, 2].sum() * step
    assert found == pytest.approx(impulse, rel=1e-9)
    velocity = results.velocities("rod")[-1]
    assert velocity[2] == pytest.approx(-speed + impulse / mass, abs=1e-8)
    assert abs(velocity[4]) == pytest.approx(impulse * lever / inertia, rel=1e-9)


@pytest.mark.parametrize("who", ["bar", "bar_0"])
def test_elastic_bar_leaves_a_plane_after_two_wave_times(who: str) -> None:
    """Contact lasts 2 L/c, then it leaves as fast as it came; line or ball."""
    n = 50
    step = 1.0 / n / impacts.WAVE
    model = models.bar(n, 0.5, gap=0.5e-3, who=who)
    results = run(model, 3.0 / impacts.WAVE, step, spectral_radius=0.9)
    touches = results.times[results.contact.total("touch")[:, 2] > 0.0]
    assert touches[0] == pytest.approx(0.5 / impacts.WAVE, abs=2.0 * step)
    length = touches[-1] - touches[0]
    assert length == pytest.approx(2.0 / impacts.WAVE, rel=0.02)
    assert results.velocities("bar")[-1, :, 2].mean() == pytest.approx(1.0, abs=0.03)
    assert results.energy.total.max() <= results.energy.total[0] * (1.0 + 1e-9)


GROUNDS = {
    "plane": fl.Shape("floor", KIND.PLANE),
    "box": fl.Shape("floor", KIND.BOX, size=(3.0, 3.0, 0.5), position=(0, 0, -0.25)),
    "triangles": fl.Shape(
        "floor",
        KIND.SURFACE,
        surface=fl.box((3.0, 3.0, 0.5), density=1.0).surface,
        position=(0, 0, -0.25),
    ),
}
FALLS = {
    "flat": ((0.0, 0.0, 0.0), 0.3),
    "edge": ((0.0, 0.3, 0.0), 0.3),
    "corner": ((0.4, 0.3, 0.1), 0.3),
}


SLOW = pytest.mark.slow
QUICK = ("corner", "box")
CASES = [
    pytest.param(fall, ground, marks=() if (fall, ground) == QUICK else SLOW)
    for fall in FALLS
    for ground in GROUNDS
]


@pytest.mark.parametrize(("fall", "ground"), CASES)
def test_box_lands_and_comes_to_rest(fall: str, ground: str) -> None:
    """Flat, on an edge or a corner; four feet bear one weight."""
    turn, height = FALLS[fall]
    place = (0.0, 0.0, height + 0.4)
    model = models.thing(BOX, place, GROUNDS[ground], orientation=turn)
    results = run(model, 1.5)
    frame = results.records.poses[-1, 1]
    up = quaternion.rotate(frame[3:], np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(up, [0.0, 0.0, 1.0], atol=1e-8)
    assert frame[2] == pytest.approx(0.3, abs=1e-9)
    assert abs(results.velocities("thing")[-1, 2]) < 1e-8
    weight = 0.48 * impacts.GRAVITY
    force = results.contact.total("on floor")[-1]
    np.testing.assert_allclose(force, [0.0, 0.0, weight], atol=1e-8)
    assert smallest_gap(results) > -1e-9
    check_energy(results)


@pytest.mark.parametrize(
    ("turn", "height"),
    [((0, 0, 0), 0.25), ((np.pi / 2, 0, 0), 0.1), ((0.3, 0, 0), 0.25)],
)
def test_cylinder_lands_on_its_end_its_mantle_and_its_edge(
    turn: Any, height: float
) -> None:
    model = models.thing(CYLINDER, (0.0, 0.0, 0.45), models.floor(), orientation=turn)
    results = run(model, 1.5)
    assert results.positions("thing")[-1, 2] == pytest.approx(height, abs=1e-9)
    weight = CYLINDER.mass_properties.mass * impacts.GRAVITY
    force = results.contact.total("on floor")[-1, 2]
    assert force == pytest.approx(weight, rel=1e-6)
    check_energy(results)


@SLOW
def test_body_of_triangles_lands_on_its_corners() -> None:
    turn = (0.4, 0.3, 0.1)
    model = models.thing(
        BOX, (0.0, 0.0, 0.7), models.floor(), orientation=turn, has_facets=True
    )
    results = run(model, 1.5)
    assert results.positions("thing")[-1, 2] == pytest.approx(0.3, abs=1e-9)
    check_energy(results)


def test_contacts_without_friction_push_nothing_along_a_plane() -> None:
    """Also where an impact turns the body: momentum along the plane stays."""
    model = models.thing(
        BOX,
        (0.0, 0.0, 0.8),
        models.floor(),
        orientation=(0.4, 0.3, 0.1),
        velocity=(0.5, -0.2, 0.0),
    )
    model.add(fl.FrameGroup("frames", group=fl.SO3_R3))
    results = run(model, 1.0)
    velocities = results.velocities("thing", frame="world")[:, :2]
    np.testing.assert_allclose(velocities, [[0.5, -0.2]] * len(velocities), atol=1e-10)


ROUND = {
    "bowl": fl.Shape("bowl", KIND.SPHERE, radius=1.0, inside=True),
    "bore": fl.Shape("bore", KIND.CYLINDER, radius=1.0, inside=True, axis=(1, 0, 0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUND)
def test_ball_slides_in_a_hollow_as_a_pendulum(name: str) -> None:
    """From the side it comes as high again, and is as fast below as it fell deep."""
    solid = fl.sphere(0.1, density=1.0)
    start = 0.9 * np.array([0.0, np.sin(1.0), -np.cos(1.0)])
    model = models.thing(solid, tuple(start), ROUND[name], restitution=0.0)
    results = run(model, 2.0, 5e-4)
    places = results.positions("thing")
    np.testing.assert_allclose(np.linalg.norm(places[5:], axis=1), 0.9, atol=1e-9)
    fastest = np.linalg.norm(results.velocities("thing")[:, :3], axis=1).max()
    depth = 0.9 * (1.0 - np.cos(1.0))
    assert fastest == pytest.approx(np.sqrt(2.0 * impacts.GRAVITY * depth), rel=2e-3)
    assert places[:, 1].min() == pytest.approx(-start[1], rel=5e-3)
    check_energy(results)


@SLOW
def test_ball_falls_into_a_groove_and_stays() -> None:
    """The hollow edge of a surface, which is parted there: two walls bear."""
    solid = fl.sphere(0.3, density=1.0)
    ground = fl.Shape("block", KIND.SURFACE, surface=boss_on_plate())
    model = models.thing(solid, (1.35, 0.0, 0.6), ground, velocity=(-0.3, 0.0, 0.0))
    push = (-2.0, 0.0, 0.0)
    model.add(fl.Force("push", at="thing", force=push))
    results = run(model, 1.5)
    place = results.positions("thing")[-1]
    np.testing.assert_allclose(place[[0, 2]], [1.3, 0.3], atol=1e-8)
    weight = solid.mass_properties.mass * impacts.GRAVITY
    force = results.contact.total("on block")[-1]
    np.testing.assert_allclose(force, [2.0, 0.0, weight], atol=1e-6)


CUBE = fl.box((0.6, 0.6, 0.6), density=1.0)
BAR = fl.cylinder(0.1, 0.8, density=10.0)
PAIRS = {
    "balls": (fl.sphere(0.3, density=1.0), fl.sphere(0.4, density=2.0), (0, 0, 0)),
    "faces": (CUBE, CUBE, (0.0, 0.0, 0.0)),
    "corners": (CUBE, CUBE, (0.1, 0.7, 0.4)),
    "bars": (BAR, BAR, (np.pi / 2, 0.1, 0.0)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_free_bodies_that_collide_keep_momentum_and_its_moment(name: str) -> None:
    """Over each step with an impact to rounding, whatever the step."""
    one, other, turn = PAIRS[name]
    results = run(models.two_bodies(one, other, turn=turn), 0.7)
    hits = np.flatnonzero(results.contact.total_size("hit"))
    assert hits.size
    total = models.momenta(results, {"one": one, "other": other})
    size = np.abs(total).max(axis=0).max()
    change = total[hits] - total[hits - 1]
    assert np.abs(change).max() < 1e-10 * size
    assert np.abs(total[-1] - total[0])[:3].max() < 1e-10 * size
    check_energy(results)


def test_balls_without_friction_keep_their_spin() -> None:
    one, other, _ = PAIRS["balls"]
    results = run(models.two_bodies(one, other), 0.7)
    assert np.abs(results.velocities("other")[:, 3:]).max() < 1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_shape_that_is_moved_does_the_work_that_the_ledger_has(
    restitution: float,
) -> None:
    """A table at 2 m/s hits a ball: its impulse ``(1 + e) m v`` times its speed."""
    speed = 2.0
    model = models.lifted_ball(speed, restitution, gap=0.2)
    results = run(model, 0.3, projects_start=True)
    mass = 1000.0 * 4.0 / 3.0 * np.pi * models.RADIUS**3
    impulse = (1.0 + restitution) * mass * speed
    energy = results.energy
    assert energy.motor_work[-1] == pytest.approx(impulse * speed, rel=1e-9)
    lost = 0.5 * mass * speed**2 * (1.0 - restitution**2)
    assert energy.impact_loss[-1] == pytest.approx(lost, rel=1e-9)
    assert abs(energy.correction_work[-1]) < 1e-9 * lost + 1e-12
    faster = results.velocities("ball")[-1, 2]
    assert faster == pytest.approx((1.0 + restitution) * speed, rel=1e-9)


def test_lift_does_the_work_of_raising_what_lies_on_it() -> None:
    speed, duration = 1.0, 0.4
    model = models.weight(models.lifted_ball(speed, 0.0, gap=0.0))
    results = run(model, duration, projects_start=True)
    mass = 1000.0 * 4.0 / 3.0 * np.pi * models.RADIUS**3 + 20.0
    work = mass * impacts.GRAVITY * speed * duration
    first = 0.5 * 1000.0 * 4.0 / 3.0 * np.pi * models.RADIUS**3 * speed**2
    found = results.energy.motor_work[-1]
    assert found == pytest.approx(work + 2.0 * first, rel=0.01)
    assert np.abs(results.energy.relative_balance).max() < 1e-9


SOFT_GROUNDS = {
    "plane": fl.Shape("floor", KIND.PLANE),
    "cylinder": fl.Shape(
        "floor", KIND.CYLINDER, radius=0.5, position=(0, 0, -0.5), axis=(0, 1, 0)
    ),
    "box": fl.Shape("floor", KIND.BOX, size=(0.2, 0.2, 0.2), position=(0, 0, -0.1)),
    "ball": fl.Shape("floor", KIND.SPHERE, radius=0.04, position=(0.03, 0.02, -0.04)),
}


@SLOW
@pytest.mark.parametrize("name", SOFT_GROUNDS)
def test_rods_fall_on_shapes_and_never_overlap(name: str) -> None:
    """Nothing is less than a billionth of a radius inside; energy is booked."""
    results = run(models.falling_rods(SOFT_GROUNDS[name]), 0.3)
    assert smallest_gap(results) > -1e-9 * impacts.RADIUS
    assert results.contact.total_size("low floor").max() > 0.0
    check_energy(results)


def depth_on_a_bar(results: Any, width: float) -> float:
    """Least distance of the axis of a rod to a box, less the radius [m]."""
    half, middle = np.array([0.5 * width, 0.1, 0.1]), np.array([0.0, 0.0, -0.1])
    frames = np.tile(np.eye(4), (*results.positions("rod").shape[:2], 1, 1))
    frames[..., :3, :3] = results.rotations("rod")
    frames[..., :3, 3] = results.positions("rod")
    steps = se3.log(se3.inverse(frames[:, :-1]) @ frames[:, 1:])
    found = np.inf
    for x in np.linspace(0.0, 1.0, 41):
        places = (frames[:, :-1] @ se3.exp(x * steps))[..., :3, 3]
        away = np.abs(places - middle) - half
        outside = np.linalg.norm(np.maximum(away, 0.0), axis=-1)
        inside = np.minimum(away.max(axis=-1), 0.0)
        found = min(found, float((outside + inside).min()))
    return found - impacts.RADIUS


@pytest.mark.parametrize(
    ("width", "shift", "rise"), [(0.03, 0.05, 0.0), (0.03, 0.06, 0.01), (0.004, 0.0, 0)]
)
def test_rod_falls_on_a_bar_that_is_narrower_than_its_elements(
    width: float, shift: float, rise: float
) -> None:
    """Both edges bear; the distance to the box is taken apart from femlie's."""
    results = run(models.rod_above_a_bar(width, shift=shift, rise=rise), 0.12)
    assert depth_on_a_bar(results, width) > -1e-9 * impacts.RADIUS
    assert results.contact.total_size("touch").max() > 0.0
    check_energy(results)


@pytest.mark.parametrize("kind", ["box", "cylinder", "triangles"])
def test_rod_hangs_over_a_corner_or_a_rim(kind: str) -> None:
    """A rod across the corner of a box, of its surface, and the rim of a cylinder."""
    results = run(models.rod_across_a_corner(kind), 0.12)
    assert smallest_gap(results) > -1e-9 * impacts.RADIUS
    assert results.contact.total_size("touch").max() > 0.0
    assert results.positions("rod")[-1, :, 2].max() > -2.0 * impacts.RADIUS
    check_energy(results)


@pytest.mark.parametrize("height", [0.0, 0.05])
@pytest.mark.parametrize("name", ["box", "cylinder", "ball"])
def test_bodies_stand_and_land_on_the_end_of_a_disk(name: str, height: float) -> None:
    """Beside its axis, which is no part of its end face."""
    solids = {"box": fl.box((0.05, 0.05, 0.05), density=1000.0),
              "cylinder": fl.cylinder(0.025, 0.05, density=1000.0),
              "ball": fl.sphere(0.025, density=1000.0)}  # fmt: skip
    disk = fl.Shape("disk", KIND.CYLINDER, radius=1.0, length=0.1,
                    position=(0.0, 0.0, -0.05))  # fmt: skip
    place = (0.3, 0.0, 0.025 + height)
    model = models.thing(solids[name], place, disk, restitution=0.0)
    results = run(model, 0.15)
    assert not results.warnings
    assert results.positions("thing")[-1] == pytest.approx((0.3, 0, 0.025), abs=1e-9)
    weight = solids[name].mass_properties.mass * impacts.GRAVITY
    force = results.contact.total("on disk")[-1]
    assert force == pytest.approx((0.0, 0.0, weight), rel=1e-6, abs=1e-9)


def test_fast_things_do_not_pass_through_thin_ones() -> None:
    """300 m/s and 100 m/s; the plates are 2 mm, a step is 0.3 m long."""
    plate = fl.Shape("floor", KIND.BOX, size=(3.0, 3.0, 0.002))
    ball = models.thing(BALL, (0.0, 0.0, 5.0), plate, velocity=(0.0, 0.0, -300.0))
    results = run(ball, 0.1)
    assert results.positions("thing")[:, 2].min() > 0.0
    box = models.thing(BOX, (0.0, 0.0, 5.0), models.floor(), orientation=(0.4, 0.3, 0),
                       velocity=(0.0, 0.0, -300.0))  # fmt: skip
    results = run(box, 0.1)
    assert smallest_gap(results) > -1e-9
    assert results.positions("thing")[:, 2].min() > 0.3 - 1e-9


def test_restart_takes_the_same_way_to_the_last_digit(tmp_path: Path) -> None:
    def model() -> Any:
        turn = (0.4, 0.3, 0.1)
        return models.thing(BOX, (0, 0, 0.7), models.floor(), orientation=turn)

    def output(name: str) -> Any:
        return fl.Output(path=tmp_path / name, checkpoint_every=100, every=3)

    whole = run(model(), 0.6, output=output("whole.h5"))
    run(model(), 0.4, output=output("part.h5"))
    rest = run(model(), 0.6, start=tmp_path / "part.h5", output=output("rest.h5"))
    assert whole.contact.total_size("on floor").max() > 0.0
    for name, array in whole.records._asdict().items():
        assert np.array_equal(getattr(rest.records, name), array), name


def test_overlap_of_bodies_at_the_start_is_said_and_undone() -> None:
    model = models.thing(BOX, (0.0, 0.0, 0.29), models.floor())
    results = run(model, 0.05)
    (text,) = results.warnings
    assert "'thing' and 'floor' overlap at the start by 0.01 m" in text
    assert "first step parts them" in text
    assert results.positions("thing")[1, 2] == pytest.approx(0.3, abs=1e-9)
    assert np.abs(results.velocities("thing")[1:, 2]).max() < 1e-9


def test_body_deep_in_another_is_refused() -> None:
    table = fl.Shape("table", KIND.BOX, size=(2.0, 2.0, 0.1))
    model = models.thing(BOX, (0.0, 0.0, 0.3), table)
    with pytest.raises(fl.ModelError, match=r"'thing' and 'table'.*no direction.*move"):
        run(model, 0.05)


def fallen_chain(n_rods: int, n_steps: int) -> Any:
    step = 1e-4
    output = fl.Output(every=max(1, n_steps // 1000))
    options = {"quiet_steps": 10.0, "output": output}
    model = models.falling_chain(n_rods)
    return run(model, n_steps * step, step, **options)


@pytest.mark.parametrize(
    "n_steps",
    [
        pytest.param(5_000, marks=pytest.mark.slow),
        pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.long]),
    ],
)
def test_chain_that_falls_on_a_floor_gains_no_energy(n_steps: int) -> None:
    """It falls on its lower end, and slides and swings on without friction."""
    results = fallen_chain(4, n_steps)
    check_energy(results)
    total = results.energy.total
    assert total.max() <= total[0] * (1.0 + 1e-9)
    assert smallest_gap(results) > -1e-9 * impacts.RADIUS


@pytest.mark.slow
def test_rod_at_rest_on_a_floor_has_no_trend() -> None:
    """From half of the time on nothing changes and nothing is booked."""
    results = fallen_chain(1, 20_000)
    check_energy(results)
    energy = results.energy
    start, half = energy.total[0], len(results.times) // 2
    for values in (energy.total, energy.correction_work, energy.impact_loss):
        assert np.ptp(values[half:]) < 1e-6 * start
    assert smallest_gap(results) > -1e-9 * impacts.RADIUS
