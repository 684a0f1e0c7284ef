"""Pictures of models that femlie builds: line loads, bodies, ways there and back."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import femlie as fl
from femlie.build.loads import MOST_ARROWS
from femlie.system import Glyph
from femlie.view import plot
from femlie.view.picture import SHOWN_DISPLACEMENT, scale_of_deformation
from femlie.view.run import run_of
from femlie.view.scene import ghost_layers, layers_of

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
