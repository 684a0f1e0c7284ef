"""What a picture shows and from where, without drawing it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from femlie.errors import FemlieError, ViewError
from femlie.lie import quaternion
from femlie.view import Look, plot
from femlie.view.camera import FIELD, look_at
from femlie.view.coloring import between
from femlie.view.movie import chosen_records
from femlie.view.run import drawn_poses, run_of
from femlie.view.scene import ghost_layers, layers_of
from tests.unit.view import stand_ins

SIZE = (1280, 960)


def layer_named(picture, start):
    layers = layers_of(picture.scene, picture.index)
    return next(layer for layer in layers if layer.name.startswith(start))


@pytest.mark.parametrize(
    ("axis", "direction", "up"),
    [(0, (1, 0, 0), (0, 0, 1)), (1, (0, -1, 0), (0, 0, 1)), (2, (0, 0, 1), (0, 1, 0))],
)
def test_a_plane_model_is_seen_face_on(axis, direction, up):
    points = np.random.default_rng(1).normal(size=(9, 3))
    points[:, axis] = 0.7
    view = look_at(points, np.zeros((0, 3)), SIZE)
    assert_allclose(view.direction, direction)
    assert_allclose(view.up, up)


def test_a_load_across_a_plane_model_is_not_seen_from_its_tip():
    points = np.random.default_rng(2).normal(size=(9, 3)) * (1, 1, 0)
    view = look_at(points, np.array([[0.0, 0.0, -5.0]]), SIZE)
    assert np.all(np.abs(view.direction) > 0.1)


@pytest.mark.parametrize("direction", [None, (0, 0, 1), (1, 0, 0), (-1, 2, -3)])
def test_everything_lies_within_the_field_of_the_picture(direction):
    points = np.random.default_rng(3).normal(size=(30, 3)) * (5, 1, 9) + (100, 0, 7)
    view = look_at(points, np.zeros((0, 3)), SIZE, direction)
    right = np.cross(view.up, view.direction)
    offsets = (points - view.center) / view.pixel
    x = 0.5 + offsets @ right / SIZE[0]
    y = 0.5 + offsets @ view.up / SIZE[1]
    left, end, bottom, top = FIELD
    assert x.min() > left - 1e-9
    assert x.max() < end + 1e-9
    assert y.min() > bottom - 1e-9
    assert y.max() < top + 1e-9


def test_section_forces_between_ends_and_middle_are_linear():
    values = between(np.array([[0.0, 2.0, 1.0]]), np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    assert_allclose(values, [[0.0, 1.0, 2.0, 1.5, 1.0]])


def test_the_bending_moment_of_a_rolled_up_rod_is_the_same_everywhere():
    results = stand_ins.bent_cantilever()
    picture = plot(results, color="bending_moment", time=results.times[2])
    values = layer_named(picture, "beams").values
    assert_allclose(values, 0.5, rtol=1e-12)


def test_displacements_of_a_rolled_up_rod_are_those_of_the_circle():
    picture = plot(stand_ins.bent_cantilever(n=4), color="displacement")
    layer = layer_named(picture, "beams")
    # the tip of a half circle of length 1 stands 2/pi above the root
    assert_allclose(layer.values.max(), np.hypot(1.0, 2.0 / np.pi), rtol=1e-9)
    assert_allclose(layer.values.min(), 0.0, atol=1e-12)
    assert_allclose(picture.scene.scale.high, layer.values.max(), rtol=1e-12)


def test_signed_forces_have_a_range_about_zero():
    scale = plot(stand_ins.swaying_frame(), color="axial_force").scene.scale
    assert scale.low == -scale.high


def test_speed_of_a_turning_body_grows_with_its_radius():
    results = stand_ins.slider_crank()
    spin = np.array([0.0, 0, 0, 0, 3.0, 0])
    crank = results.layout.catalog.surfaces["crank"].frame
    results.records.velocities[5] = 0.0
    results.records.velocities[5, crank] = spin
    layer = layer_named(
        plot(results, color="speed", time=results.times[5]), "body crank"
    )
    corner = np.hypot(0.36 / 2, 0.06 / 2)
    assert_allclose(layer.values.max(), 3.0 * corner, rtol=1e-9)


def test_bodies_move_with_their_frames():
    results = stand_ins.slider_crank()
    picture = plot(results, color="part", time=results.times[7])
    surface = results.layout.catalog.surfaces["slider"]
    pose = results.records.poses[7, surface.frame]
    points = quaternion.rotate(pose[3:], surface.points) + pose[:3]
    drawn = layer_named(picture, "body slider").patch.points
    assert_allclose(drawn.min(axis=0), points.min(axis=0), atol=1e-12)
    assert_allclose(drawn.max(axis=0), points.max(axis=0), atol=1e-12)


def test_a_body_that_hides_a_joint_is_transparent():
    picture = plot(stand_ins.slider_crank(), color="part")
    assert layer_named(picture, "body slider").opacity < 1.0
    picture = plot(stand_ins.bouncing_spring(), color="part")
    assert layer_named(picture, "body mass").opacity == 1.0


def test_a_force_that_pushes_ends_at_its_point():
    results = stand_ins.swaying_frame()
    picture = plot(results, deformation_scale=1.0)
    corner = next(g for g in results.layout.catalog.glyphs if g.kind == "force").frame
    place = results.records.poses[-1, corner, :3]
    points = layer_named(picture, "force").patch.points
    gap = 1.1 * picture.scene.around.reach[corner]
    assert_allclose(points[:, 0].max(), place[0] - gap, rtol=1e-9)


def test_a_force_that_pulls_starts_at_its_point():
    results = stand_ins.bent_cantilever()
    tip = len(results.layout.start) - 1
    pull = stand_ins.glyph("force", "force", tip, (5.0, 0.0, 0.0))
    layout = results.layout
    catalog = stand_ins.with_parts(layout.catalog, glyphs=(pull,))
    object.__setattr__(layout, "catalog", catalog)
    points = layer_named(plot(results, time=0), "force").patch.points
    assert_allclose(points[:, 0].min(), 1.0, atol=1e-12)


def test_a_spring_reaches_from_one_point_to_the_other():
    results = stand_ins.slider_crank()
    picture = plot(results, time=results.times[4])
    slider = results.layout.catalog.surfaces["slider"].frame
    start = results.records.poses[4, slider, 0] + 0.07
    points = layer_named(picture, "spring").patch.points
    assert_allclose([points[:, 0].min(), points[:, 0].max()], [start, 1.6], atol=0.01)


def test_a_hinge_is_longest_along_its_axis():
    picture = plot(stand_ins.slider_crank())
    layer = layer_named(picture, "joint revolute")
    crank_pin = layer.patch.points[: len(layer.patch.points) // 2]
    extent = np.ptp(crank_pin, axis=0)
    assert np.argmax(extent) == 1


def test_a_grounded_joint_stands_on_a_support():
    layers = layers_of(plot(stand_ins.slider_crank()).scene, 0)
    assert "ground" in {layer.label for layer in layers}


def test_loads_of_no_size_are_left_out():
    results = stand_ins.swaying_frame()
    layout = results.layout
    none = stand_ins.glyph("moment", "moment", 1, (0.0, 0.0, 0.0))
    glyphs = (*layout.catalog.glyphs, none)
    object.__setattr__(
        layout, "catalog", stand_ins.with_parts(layout.catalog, glyphs=glyphs)
    )
    layers = layers_of(plot(results).scene, 1)
    assert "moment" not in {layer.label for layer in layers}


def test_a_body_without_surface_is_a_ball_with_rods_to_its_nodes():
    results = stand_ins.bent_cantilever()
    layout, catalog = results.layout, results.layout.catalog
    owners = catalog.node_frames.copy()
    offsets = catalog.node_offsets.copy()
    owners[-1] = owners[-2]
    offsets[-1, 0] = 0.25
    catalog = stand_ins.with_parts(
        catalog,
        node_frames=owners,
        node_offsets=offsets,
        kinds={**catalog.kinds, "hub": "body"},
        groups={**catalog.groups, "hub": np.array([3, 4])},
    )
    object.__setattr__(layout, "catalog", catalog)
    points = layer_named(plot(results, time=0), "bodies").patch.points
    assert_allclose(points[:, 0].max(), 1.0, atol=0.01)


def test_thin_sections_are_enlarged_and_the_picture_says_so():
    scene = plot(stand_ins.swaying_frame(width=40.0, radius=0.01)).scene
    assert any(note.startswith("sections drawn x") for note in scene.notes)
    thick = plot(stand_ins.swaying_frame(), deformation_scale=1.0).scene
    assert thick.notes == []


def test_a_given_section_scale_is_kept():
    results = stand_ins.swaying_frame(width=40.0, radius=0.01)
    look = Look(section_scale=1.0)
    scene = plot(results, look=look, deformation_scale=1.0).scene
    assert scene.notes == []


def test_displacements_are_multiplied_from_the_mesh():
    run = run_of(stand_ins.swaying_frame())
    doubled = drawn_poses(run, 1, 2.0)
    moved = run.poses[1, :, :3] - run.start[:, :3]
    assert_allclose(doubled[:, :3] - run.start[:, :3], 2.0 * moved, atol=1e-12)
    turns = quaternion.log(doubled[:, 3:])
    assert_allclose(turns, 2.0 * quaternion.log(run.poses[1, :, 3:]), atol=1e-12)


def test_small_displacements_are_enlarged_to_a_share_of_the_model():
    results = stand_ins.swaying_frame()
    start = results.layout.start
    results.records.poses[1] = start
    results.records.poses[1, -1, 0] += 1e-4
    scene = plot(results).scene
    size = np.linalg.norm(np.ptp(start[:, :3], axis=0))
    assert_allclose(scene.deformation_scale * 1e-4 / size, 0.08, rtol=0.06)
    assert scene.notes


def test_no_ghost_is_drawn_where_nothing_moved():
    picture = plot(stand_ins.swaying_frame(), time=0)
    assert ghost_layers(picture.scene, 0) == []
    assert ghost_layers(plot(stand_ins.swaying_frame()).scene, 1)


def test_frames_of_a_film_are_even_in_time():
    times = np.concatenate((np.linspace(0.0, 1.0, 1000), np.linspace(1.001, 2.0, 10)))
    chosen = times[chosen_records(times, 10, 2.0)]
    assert len(chosen) == 20
    assert_allclose(chosen, np.linspace(0.0, 2.0, 20), atol=0.06)
    assert chosen[0] == 0.0
    assert chosen[-1] == 2.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"color": "bending"}, "bending_moment"),
        ({"time": 1.1}, "load factors 0 to 1"),
        ({"time": -1}, "load factors 0 to 1"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(options, message):
    with pytest.raises(FemlieError, match=message):
        plot(stand_ins.swaying_frame(), **options)


def test_a_time_is_a_time_and_not_the_number_of_a_row():
    results = stand_ins.slider_crank()
    assert plot(results, time=results.times[3]).index == 3
    assert plot(results).index == len(results.times) - 1


def test_results_without_a_state_are_refused():
    results = stand_ins.swaying_frame()
    empty = type(results.records)(*(array[:0] for array in results.records))
    object.__setattr__(results, "records", empty)
    with pytest.raises(ViewError, match="no state"):
        plot(results)


def supported_beam(label, axis):
    results = stand_ins.bent_cantilever()
    pose = stand_ins.IDENTITY.copy()
    pose[3:] = quaternion.exp(axis)
    support = stand_ins.glyph("support", label, 1, offset=pose)
    object.__setattr__(
        results,
        "layout",
        replace(
            results.layout,
            catalog=stand_ins.with_parts(results.layout.catalog, glyphs=(support,)),
        ),
    )
    return layer_named(plot(results, time=0), "support").patch.points


def test_a_pin_stands_below_a_beam_and_a_clamp_behind_its_end():
    pin = supported_beam("pinned", np.zeros(3))
    clamp = supported_beam("clamped", np.zeros(3))
    assert_allclose(pin[:, 2].max(), -0.02, rtol=1e-9)
    assert_allclose(clamp[:, 0].max(), 0.0, atol=1e-12)


def test_a_skew_roller_stands_along_the_axis_that_it_holds():
    # third axis turned from z by 0.5 about y: toward +x and up, or -x and down
    points = supported_beam("roller", np.array([0.0, 0.5, 0.0]))
    middle = points.mean(axis=0) - points[np.argmax(points[:, 2])]
    expected = -np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    assert_allclose(middle / np.linalg.norm(middle), expected, atol=0.02)
