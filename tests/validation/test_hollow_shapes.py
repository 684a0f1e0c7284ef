"""Rods in pipes and balls in hollow spheres: across the middle, and in the wall.

A rod in a pipe that bends in the plane of the pipe's axis touches the bottom of the
pipe as it would touch a plane there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from tests.validation import contact_models as rods

KIND = fl.ShapeKind
QUICK = fl.Static(checks_stability=False)
RADIUS = 0.01
ROOM = 0.002


def pressed_rod(shape: fl.Shape, n: int = 12, load: float = -2000.0) -> Any:
    """A rod of 40 cm that is clamped at both ends and pressed down."""
    model = fl.Model(rods.line("s", (-0.2, 0.0, 0.0), (0.2, 0.0, 0.0), n))
    plastic = fl.Material(young=3e9, poisson=0.3)
    section = fl.CircularSection(radius=RADIUS, material=plastic)
    model.add(fl.Beam("rod", cells="s", section=section))
    for end in ("s_0", "s_1"):
        model.add(fl.Support(end + " held", at=end))
    model.add(fl.LineLoad("weight", on="rod", force=(0.0, 0.0, load)))
    model.add(shape)
    model.add(fl.Contact("touch", between=("rod", "pipe")))
    return model.build()


def pipe(axis: tuple[float, float, float], **given: Any) -> fl.Shape:
    given = {"radius": RADIUS + ROOM, **given}
    return fl.Shape("pipe", KIND.CYLINDER, axis=axis, inside=True, **given)


def bottom(slope: float) -> fl.Shape:
    """The plane of the lowest line of a pipe along (1, 0, slope)."""
    up = np.array([-slope, 0.0, 1.0]) / np.hypot(1.0, slope)
    place = tuple((-(RADIUS + ROOM) * up).tolist())
    return fl.Shape("pipe", KIND.PLANE, axis=tuple(up.tolist()), position=place)


@pytest.mark.parametrize("slope", [0.001, 0.005])
@pytest.mark.parametrize("length", [None, 1.0], ids=["pipe", "bore"])
def test_rod_that_crosses_the_axis_of_its_pipe_lies_on_the_bottom(
    slope: float, length: float | None
) -> None:
    found = QUICK.solve(pressed_rod(pipe((1.0, 0.0, slope), length=length)))
    wanted = QUICK.solve(pressed_rod(bottom(slope)))
    force, expected = (one.contact.total("touch")[-1] for one in (found, wanted))
    assert expected[2] > 200.0
    np.testing.assert_allclose(force, expected, atol=1e-7 * expected[2])
    places = (one.positions("rod")[-1] for one in (found, wanted))
    np.testing.assert_allclose(*places, atol=1e-10)


def test_ball_falls_across_the_middle_of_a_hollow_sphere() -> None:
    model = fl.Model()
    ball = fl.sphere(0.1, density=1.0)
    model.add(fl.Body("ball", solid=ball, position=(0.0, 0.0, 0.15)))
    model.add(fl.Shape("room", KIND.SPHERE, radius=0.3, inside=True))
    load = np.array([0.0, 0.0, -5.0])
    model.add(fl.Force("load", at="ball", force=tuple(load.tolist())))
    model.add(fl.Contact("touch", between=("ball", "room")))
    results = QUICK.solve(model.build())
    np.testing.assert_allclose(
        results.positions("ball")[-1], [0.0, 0.0, -0.2], atol=1e-9
    )
    np.testing.assert_allclose(results.contact.total("touch")[-1], -load, atol=1e-8)


def test_rod_does_not_pass_through_the_plate_around_a_bore() -> None:
    """Clamped above the bore, it would bend down by a hundred thicknesses beside it."""
    thickness = 0.002
    place = (-0.2, 0.0, -RADIUS - ROOM - 0.5 * thickness)
    plate = pipe((0.0, 0.0, 1.0), radius=0.1, length=thickness, position=place)
    model = fl.Model(rods.line("s", (-0.2, 0.0, 0.0), (0.2, 0.0, 0.0), 12))
    plastic = fl.Material(young=3e9, poisson=0.3)
    section = fl.CircularSection(radius=RADIUS, material=plastic)
    model.add(fl.Beam("rod", cells="s", section=section))
    model.add(fl.Support("clamp", at="s_0"))
    model.add(fl.LineLoad("weight", on="rod", force=(0.0, 0.0, -2000.0)))
    model.add(plate)
    model.add(fl.Contact("touch", between=("rod", "pipe")))
    results = QUICK.solve(model.build())
    places = results.positions("rod")[-1]
    beyond = places[:, 0] > -0.05
    assert places[beyond, 2].min() == pytest.approx(-ROOM, abs=0.01 * RADIUS)
    assert results.contact.total("touch")[-1, 2] > 100.0


@pytest.mark.parametrize("slope", [0.05, 0.02])
def test_rod_that_is_held_in_the_wall_of_its_pipe_is_refused(slope: float) -> None:
    words = r"'rod' is held at \(.*overlaps 'pipe' there by .* nothing parts them: move"
    with pytest.raises(fl.ModelError, match=words):
        QUICK.solve(pressed_rod(pipe((1.0, 0.0, slope))))


def test_what_starts_in_the_wall_beside_a_held_end_is_pressed_out() -> None:
    """Ends are held 0.35 mm in the wall, and nodes next to them start there."""
    slope, n = 0.014, 40
    results = QUICK.solve(pressed_rod(pipe((1.0, 0.0, slope)), n=n))
    axis = np.array([1.0, 0.0, slope]) / np.hypot(1.0, slope)

    def gaps(places: Any) -> Any:
        across = places - np.outer(places @ axis, axis)
        return ROOM - np.linalg.norm(across, axis=1)

    before, after = (gaps(results.positions("rod")[k]) for k in (0, -1))
    assert before[1:-1].min() < -0.05 * RADIUS
    assert after[1:-1].min() > -0.01 * RADIUS


@pytest.mark.parametrize("kind", [fl.CLAMPED, fl.PINNED])
def test_end_that_a_support_drives_into_a_floor_is_no_equilibrium(kind: Any) -> None:
    model = fl.Model(rods.line("s", (-0.2, 0.0, 0.03), (0.2, 0.0, 0.03), 12))
    plastic = fl.Material(young=3e9, poisson=0.3)
    section = fl.CircularSection(radius=RADIUS, material=plastic)
    model.add(fl.Beam("rod", cells="s", section=section))
    model.add(fl.Support("clamp", at="s_0"))
    way = (0.0, 0.0, -0.025)
    model.add(fl.Support("drive", at="s_1", kind=kind, displacement=way))
    model.add(fl.Shape("floor", KIND.PLANE))
    model.add(fl.Contact("touch", between=("rod", "floor")))
    words = r"'rod' ends 0\.005 m deep in 'floor' at \(.*a support or a joint holds it"
    with pytest.raises(fl.ConvergenceError, match=words) as caught:
        QUICK.solve(model.build())
    assert caught.value.results.positions("rod")[-1, -1, 2] == pytest.approx(0.005)


@pytest.mark.parametrize("radius", [RADIUS, 0.9 * RADIUS])
def test_rod_without_room_in_its_pipe_is_refused(radius: float) -> None:
    words = r"'rod' of radius 0\.01 has no room in the hollow of 'pipe'"
    with pytest.raises(fl.ModelError, match=words):
        QUICK.solve(pressed_rod(pipe((1.0, 0.0, 0.0), radius=radius)))


@pytest.mark.parametrize("overlap", [0.05, 1e-3])
def test_held_bodies_that_overlap_are_refused(overlap: float) -> None:
    model = fl.Model()
    for name, place in (("one", 1.0), ("other", 1.1 - overlap)):
        box = fl.box(size=(0.1, 0.1, 0.1), density=1.0)
        model.add(fl.Body(name, solid=box, position=(place, 0.0, 0.0)))
        model.add(fl.Support(name + " held", at=name))
    model.add(fl.Contact("touch", between=("one", "other")))
    words = "'one' and 'other' overlap at the start, and supports hold both"
    with pytest.raises(fl.ModelError, match=words):
        QUICK.solve(model.build())


@pytest.mark.parametrize(("radius", "length"), [(0.05, 0.2), (0.3, 0.02)])
@pytest.mark.parametrize("height", [0.0, 1e-3, -1e-3])
def test_overlap_of_an_upright_cylinder_is_that_of_its_foot(
    radius: float, length: float, height: float
) -> None:
    model = fl.Model()
    solid = fl.cylinder(radius, length, density=1000.0)
    place = (0.0, 0.0, 0.5 * length + height)
    model.add(fl.Body("can", solid=solid, position=place))
    model.add(fl.Shape("floor", KIND.PLANE))
    model.add(fl.Force("load", at="can", force=(0.0, 0.0, -10.0)))
    model.add(fl.Contact("touch", between=("can", "floor")))
    results = QUICK.solve(model.build())
    words = [text for text in results.warnings if "overlap" in text]
    if height < 0.0:
        assert "'can' and 'floor' overlap at the start by 0.001 m" in words.pop()
    assert words == []
    assert results.positions("can")[-1, 2] == pytest.approx(0.5 * length, abs=1e-9)
