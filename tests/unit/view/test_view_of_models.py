"""Pictures of models that femlie builds: line loads, bodies, ways there and back."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import femlie as fl
from femlie.build.loads import MOST_ARROWS
from femlie.system import Glyph
from femlie.view import Look, plot
from femlie.view.camera import FIELD
from femlie.view.coloring import glyph_color
from femlie.view.picture import SHOWN_DISPLACEMENT, scale_of_deformation, title_of
from femlie.view.run import run_of
from femlie.view.scene import ghost_layers, layers_of
from femlie.view.window import LEGEND_LEFT, TRIAD

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
ROD = fl.CircularSection(radius=0.02, material=STEEL)


def line_glyphs(n_elements: int, **load: object) -> list[Glyph]:
    mesh = fl.straight_line((0, 0, 0), (3, 0, 4), n_elements=n_elements, name="rod")
    model = fl.Model(mesh)
    model.add(fl.Beam("beam", cells="rod", section=ROD))
    model.add(fl.Support("foot", at="start"))
    model.add(fl.LineLoad("wind", on="beam", **load))  # type: ignore[arg-type]
    glyphs = model.build().catalog.glyphs
    return [glyph for glyph in glyphs if glyph.kind == "line load"]


def test_a_line_load_has_an_arrow_at_the_middle_of_each_element():
    glyphs = line_glyphs(5, force=(100.0, 0.0, 0.0))
    assert len(glyphs) == 5
    for glyph in glyphs:
        # the frame of a node lies along the beam
        assert_allclose(glyph.offset[:3], [0.5, 0.0, 0.0], atol=1e-12)
        assert_allclose(glyph.vector, [100.0, 0.0, 0.0])


def test_a_projected_load_counts_what_it_meets():
    for glyph in line_glyphs(5, force=(100.0, 0.0, 0.0), projected=True):
        assert_allclose(glyph.vector, [80.0, 0.0, 0.0])


def test_a_long_beam_has_a_few_arrows_only():
    assert len(line_glyphs(300, force=(0.0, 1.0, 0.0))) == MOST_ARROWS


def pendulum(duration: float) -> fl.Results:
    """A box that swings about an axis beside it; its frame sits on the axis."""
    place = np.eye(4)
    place[:3, 3] = (1.0, 0.0, 0.0)
    model = fl.Model()
    box = fl.box((0.4, 0.2, 0.2), density=1000.0).moved(place)
    model.add(fl.Body("box", position=(0.0, 0.0, 0.0), solid=box))
    hinge = {"parent": fl.GROUND, "child": "box", "axis": (0.0, 1.0, 0.0)}
    model.add(fl.Joint("hinge", fl.REVOLUTE, position=(0.0, 0.0, 0.0), **hinge))
    model.add(fl.Gravity("gravity"))
    return fl.MuntheKaas().solve(model.build(), duration=duration, time_step=0.02)


def test_a_body_that_turns_about_its_frame_has_a_ghost():
    picture = plot(pendulum(0.4))
    assert ghost_layers(picture.scene, picture.index)
    assert not ghost_layers(picture.scene, 0)


def test_what_moved_far_before_is_not_enlarged():
    run = run_of(pendulum(0.1))
    poses = np.zeros((3, 2, 7))
    poses[..., 3] = 1.0
    poses[:, 1, 0] = 1.0  # the model's size
    poses[:, 1, 2] = (0.0, 10.0, 1e-3)
    away = run._replace(poses=poses, start=poses[0], times=np.arange(3.0))
    near = scale_of_deformation(away, [2], "auto")
    assert near == pytest.approx(SHOWN_DISPLACEMENT / 1e-3, rel=0.1)
    assert scale_of_deformation(away, [0, 1, 2], "auto") == 1.0


def test_a_clamped_body_stands_on_its_underside():
    model = fl.Model()
    box = fl.box((0.4, 0.2, 0.6), density=1000.0)
    model.add(fl.Body("block", position=(1.0, 2.0, 3.0), solid=box))
    model.add(fl.Support("ground plate", at="block", kind=fl.CLAMPED))
    model.add(fl.Body("ball", position=(4, 2, 3), mass=1.0, inertia=(1, 1, 1)))
    model.add(fl.SpringDamper("tie", "block", "ball", stiffness=10.0))
    results = fl.GeneralizedAlpha().solve(model.build(), duration=0.02, time_step=0.01)
    picture = plot(results)
    layers = layers_of(picture.scene, picture.index)
    plate = next(layer for layer in layers if layer.name.startswith("support clamped"))
    points = plate.patch.points
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    assert_allclose(middle[:2], [1.0, 2.0], atol=1e-12)
    assert_allclose(points[:, 2].max(), 2.7, atol=1e-9)


def test_section_forces_are_drawn_beside_a_bushing():
    model = fl.Model(fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=2, name="rod"))
    model.add(fl.Beam("beam", cells="rod", section=ROD))
    pad = {"first": fl.GROUND, "second": "start", "stiffness": (1e6,) * 6}
    model.add(fl.Bushing("pad", **pad))
    model.add(fl.Force("pull", at="end", force=(5.0, 0.0, 0.0)))
    picture = plot(fl.Static().solve(model.build()), color="axial_force")
    assert picture.scene.scale is not None
    assert picture.scene.scale.high == pytest.approx(5.0, rel=1e-9)


def released_beam() -> fl.Results:
    """A beam between two feet, on which one end is released."""
    mesh = fl.straight_line((0, 0, 0), (2, 0, 0), n_elements=4)
    model = fl.Model(mesh)
    model.add(fl.Beam("beam", cells="line", section=ROD))
    model.add(fl.PointMass("foot", at="start", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fl.EndRelease("pin", beam="beam", at="start", kind=fl.REVOLUTE,
                            axis=(0, 1, 0)))  # fmt: skip
    model.add(fl.Support("left", at="start"))
    model.add(fl.Support("right", at="end"))
    model.add(fl.LineLoad("load", on="beam", force=(0, 0, -1.0)))
    return fl.Static().solve(model.build())


def test_a_release_is_a_ring_around_the_end_that_it_lets_move():
    picture = plot(released_beam(), deformation_scale=1.0)
    layers = {layer.label: layer for layer in layers_of(picture.scene, picture.index)}
    points = layers["revolute release"].patch.points
    # around the beam, inside of its first element
    assert 0.0 < points[:, 0].min() < points[:, 0].max() < 0.5
    across = np.hypot(points[:, 1], points[:, 2])
    assert across.min() > picture.scene.around.reach.max()
    assert layers["revolute release"].color != layers["clamped support"].color


def rod_to_the_ground() -> fl.Results:
    """A box that a rod, 3 m long, holds to the ground."""
    model = fl.Model()
    box = fl.box(size=(0.2, 0.1, 0.3), density=2700.0)
    model.add(fl.Body("box", solid=box, position=(0, 0, 0)))
    ends = {"position": (-3, 0, 0), "child_position": (0, 0, 0)}
    model.add(fl.Joint("rod", fl.DISTANCE, parent="ground", child="box", **ends))
    model.add(fl.SpringDamper("spring", first="ground", second="box",
                              first_point=(0, 0, 1), stiffness=4000.0))  # fmt: skip
    model.add(fl.Gravity("gravity"))
    return fl.GeneralizedAlpha().solve(model.build(), duration=0.1, time_step=0.01)


@pytest.mark.parametrize("make", [released_beam, rod_to_the_ground])
def test_all_that_is_drawn_lies_within_the_field(make):
    picture = plot(make())
    view, size = picture.scene.view, picture.scene.look.size
    layers = layers_of(picture.scene, picture.index)
    points = np.concatenate([layer.patch.points for layer in layers])
    right = np.cross(view.up, view.direction)
    offsets = (points - view.center) / view.pixel
    x, y = 0.5 + offsets @ right / size[0], 0.5 + offsets @ view.up / size[1]
    left, end, bottom, top = FIELD
    # the size of glyphs is found in two rounds
    assert x.min() > left - 0.005
    assert x.max() < end + 0.005
    assert y.min() > bottom - 0.005
    assert y.max() < top + 0.005
    # neither the legend on the right nor the triad at the lower left
    assert end < LEGEND_LEFT
    assert bottom >= TRIAD[3]


def test_the_ground_has_another_color_than_joints_and_supports():
    picture = plot(rod_to_the_ground())
    colors = {
        layer.label: layer.color
        for layer in layers_of(picture.scene, picture.index)
        if layer.label
    }
    assert {"ground", "distance joint", "spring"} <= set(colors)
    assert len(set(colors.values())) == len(colors)


def test_kinds_of_joints_and_supports_have_colors_of_their_own():
    joints = [glyph_color("joint", f"{kind.value} joint") for kind in fl.JointKind]
    supports = [
        glyph_color("support", f"{kind.value} support") for kind in fl.SupportKind
    ]
    colors = [*joints, *supports, glyph_color("support", "ground")]
    assert len(set(colors)) == len(colors)


def vibrating_rod() -> fl.Results:
    model = fl.Model(fl.straight_line((0, 0, 0), (2, 0, 0), n_elements=4))
    model.add(fl.Beam("beam", cells="line", section=ROD))
    model.add(fl.Support("foot", at="start"))
    return fl.Modal(n_modes=2).solve(model.build())


def test_the_title_of_a_mode_has_its_frequency():
    results = vibrating_rod()
    run = run_of(results)
    assert title_of(run, 2, None) == f"mode 2, {results.frequencies[1]:.4g} Hz"
    assert title_of(run, 0, None) == "without vibration"
    assert title_of(run, 1, fl.Units(time="ms")).endswith(" 1/ms")
    # a shape has no size of its own
    scale = plot(results, look=Look(units=fl.Units())).scene.scale
    assert scale is not None
    assert scale.title == "displacement (any scale)"


@pytest.mark.parametrize(
    ("color", "unit"),
    [("displacement", "mm"), ("axial_force", "kN"), ("bending_moment", "kN mm")],
)
def test_titles_of_color_bars_name_units_that_are_given(color, unit):
    units = fl.Units(length="mm", force="kN")
    scene = plot(released_beam(), color=color, look=Look(units=units)).scene
    assert scene.scale is not None
    assert scene.scale.title.endswith(f"[{unit}]")
    plain = plot(released_beam(), color=color).scene.scale
    assert plain is not None
    assert "[" not in plain.title


def test_what_has_turned_far_is_not_enlarged():
    model = fl.Model()
    model.add(fl.Body("top", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0)))
    model.add(fl.Body("still", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1, 0, 0)))
    model.add(fl.InitialMotion("spin", on=("top",), velocity=(0, 0, 0.01),
                               angular_velocity=(0, 0, 5.0)))  # fmt: skip
    results = fl.MuntheKaas().solve(model.build(), duration=0.3, time_step=0.01)
    assert scale_of_deformation(run_of(results), [0, 30], "auto") == 1.0
