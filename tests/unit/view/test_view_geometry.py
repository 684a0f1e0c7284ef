"""Surfaces of beams against what solid geometry says of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from femlie.lie import se3
from femlie.sections import CircularSection, ISection, RectangularSection, TubeSection
from femlie.view import beams, outlines, shapes
from tests.unit.view import stand_ins

SIZES = beams.Sizes(1.0, 0.01, 0.0)
SECTIONS = {
    "circle": CircularSection(radius=0.1, material=stand_ins.STEEL),
    "tube": TubeSection(outer_radius=0.1, inner_radius=0.06, material=stand_ins.STEEL),
    "rectangle": RectangularSection(height=0.2, width=0.1, material=stand_ins.STEEL),
    "I": ISection(
        height=0.2,
        width=0.1,
        web_thickness=0.01,
        flange_thickness=0.02,
        material=stand_ins.STEEL,
    ),
}


def polygon_area(outline):
    """Area by the shoelace formula; holes run the other way around."""
    return sum(
        0.5 * np.sum(p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1]) for p in outline
    )


def enclosed_volume(patch):
    """Volume by the divergence theorem; positive if triangles face outward."""
    a, b, c = np.moveaxis(patch.points[patch.triangles], 1, 0)
    return np.sum(np.cross(a, b) * c) / 6.0


def surface(catalog, poses, pieces=1, sizes=SIZES):
    shown = catalog.beams
    ends = beams.end_poses(shown, poses)
    following = beams.neighbors(shown, poses)
    normals, is_open = beams.miters(ends, following)
    patches = []
    for sweep in beams.plan(shown, np.full(len(shown.frames), pieces), sizes):
        rows = sweep.rows
        frames = beams.curve(ends[rows], sweep.stations)
        patches.append(
            beams.swept(sweep, frames, beams.Ends(normals[rows], is_open[rows]))
        )
    return shapes.joined(patches)


def straight(sections, nodes, lines, part_of):
    names = [f"part {i}" for i in range(len(sections))]
    catalog = stand_ins.model(nodes, lines, sections, part_of, names)
    poses = np.tile(stand_ins.IDENTITY, (len(nodes) + 1, 1))
    poses[1:, :3] = nodes
    return catalog, poses


@pytest.mark.parametrize("name", SECTIONS)
def test_a_straight_element_encloses_area_times_length(name):
    nodes = np.array([[0.2, 0.1, 0.3], [1.2, 2.1, 2.3]])
    catalog, poses = straight([SECTIONS[name]], nodes, [[0, 1]], [0])
    expected = 3.0 * polygon_area(SECTIONS[name].outline)
    assert_allclose(enclosed_volume(surface(catalog, poses)), expected, rtol=1e-12)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_kinked_chain_is_closed_by_its_miters(name):
    # Pappus: the cut along the bisector takes from one side what it adds on the other
    nodes = np.array([[0.0, 0, 0], [1, 0, 0], [1.8, 0.6, 0], [2.3, 0.9, 0.4]])
    catalog, poses = straight(
        [SECTIONS[name]], nodes, [[0, 1], [2, 1], [2, 3]], [0, 0, 0]
    )
    length = np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum()
    expected = length * polygon_area(SECTIONS[name].outline)
    assert_allclose(enclosed_volume(surface(catalog, poses)), expected, rtol=1e-12)


def test_a_tapered_element_encloses_a_frustum():
    thick = CircularSection(radius=0.2, material=stand_ins.STEEL)
    thin = CircularSection(radius=0.1, material=stand_ins.STEEL)
    catalog, poses = straight([thick], [[0, 0, 0], [1.5, 0, 0]], [[0, 1]], [0])
    shown = catalog.beams
    tapered = type(shown)(
        **{
            **shown.__dict__,
            "outlines": np.array([[0, 1]]),
            "loops": (thick.outline, thin.outline),
        }
    )
    catalog = stand_ins.with_parts(catalog, beams=tapered)
    first, last = polygon_area(thick.outline), polygon_area(thin.outline)
    expected = 1.5 / 3.0 * (first + last + np.sqrt(first * last))
    assert_allclose(enclosed_volume(surface(catalog, poses)), expected, rtol=1e-12)


def test_an_element_bent_to_a_half_circle_is_drawn_round():
    run = stand_ins.bent_cantilever(n=1, n_times=2)
    catalog, poses = run.layout.catalog, run.records.poses[-1]
    patch = surface(catalog, poses, pieces=64)
    # radius 1/pi about (0, 0, 1/pi); walls at 1/pi +- 0.02 and the bore at +- 0.015
    distance = np.hypot(patch.points[:, 0], patch.points[:, 2] - 1.0 / np.pi)
    depth = np.hypot(distance - 1.0 / np.pi, patch.points[:, 1])
    is_outer = depth > 0.0175
    assert_allclose(depth[is_outer], 0.02, rtol=1e-9)
    assert_allclose(depth[~is_outer], 0.015, rtol=1e-9)


def test_the_number_of_pieces_follows_the_turn_of_an_element():
    turn = np.array([0.0, 0.1, 1.0, 3.0])
    ends = np.tile(stand_ins.IDENTITY, (4, 2, 1))
    ends[:, 1] = se3.pose_from_frame(
        se3.exp(np.column_stack((np.ones(4), np.zeros((4, 3)), turn, np.zeros(4))))
    )
    pieces = beams.pieces_of(ends, 1)
    assert pieces[0] == pieces[1] == 1
    assert np.all(turn / pieces <= beams.TURN_OF_A_PIECE)


def test_elements_without_outline_become_round_tubes():
    catalog, poses = straight([None], [[0, 0, 0], [0, 2, 0]], [[0, 1]], [0])
    patch = surface(catalog, poses)
    assert_allclose(np.hypot(patch.points[:, 0], patch.points[:, 2]), 0.01, rtol=1e-12)


def test_sections_are_enlarged_about_their_own_middle():
    offset = CircularSection(radius=0.1, offset=(0.5, 0.0), material=stand_ins.STEEL)
    catalog, poses = straight([offset], [[0, 0, 0], [1, 0, 0]], [[0, 1]], [0])
    once = surface(catalog, poses)
    thrice = surface(catalog, poses, sizes=SIZES._replace(section_scale=3.0))
    assert_allclose(enclosed_volume(thrice), 9.0 * enclosed_volume(once), rtol=1e-12)
    middles = [
        0.5 * (p.points.min(axis=0) + p.points.max(axis=0)) for p in (once, thrice)
    ]
    assert_allclose(middles[0], middles[1], atol=1e-12)


def test_a_section_thinner_than_a_pixel_is_still_drawn():
    thin = CircularSection(radius=1e-6, material=stand_ins.STEEL)
    catalog, poses = straight([thin], [[0, 0, 0], [1, 0, 0]], [[0, 1]], [0])
    patch = surface(catalog, poses, sizes=beams.Sizes(1.0, 0.01, 1e-3))
    assert_allclose(np.ptp(patch.points[:, 1]), beams.LEAST_PIXELS * 1e-3, rtol=1e-9)


@pytest.mark.parametrize("name", SECTIONS)
def test_normals_point_out_of_the_material(name):
    profile = outlines.profile_of([outlines.opened(SECTIONS[name].outline)])
    walls = profile.points[0][profile.edges]
    sides = walls[:, 1] - walls[:, 0]
    outward = np.column_stack((sides[:, 1], -sides[:, 0]))
    for end in range(2):
        normals = profile.normals[0][profile.edges[:, end]]
        cosines = np.sum(outward * normals, axis=1) / np.linalg.norm(sides, axis=1)
        assert np.all(cosines > 0.99)


def test_an_end_face_covers_the_area_of_an_outline():
    for section in SECTIONS.values():
        loops = outlines.opened(section.outline)
        points = np.concatenate(loops)[outlines.end_face(loops)]
        first, second = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
        areas = 0.5 * (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
        assert np.all(areas > 0.0)
        assert_allclose(areas.sum(), polygon_area(section.outline), rtol=1e-12)


def test_a_small_circle_gets_fewer_points_and_an_i_section_keeps_its_own():
    circle, profile = (
        outlines.opened(SECTIONS[name].outline) for name in ("circle", "I")
    )
    assert len(outlines.thinned(circle, 2.0)[0]) < len(circle[0])
    assert len(outlines.thinned(circle, 500.0)[0]) == len(circle[0])
    assert len(outlines.thinned(profile, 2.0)[0]) == len(profile[0])


@pytest.mark.parametrize(
    ("patch", "volume"),
    [
        (shapes.sphere(), 4.0 / 3.0 * np.pi),
        (shapes.cylinder(0.5, 2.0), np.pi / 2.0),
        (shapes.cone(0.5, 2.0), np.pi / 6.0),
        (shapes.box((1.0, 2.0, 3.0)), 6.0),
    ],
    ids=["sphere", "cylinder", "cone", "box"],
)
def test_glyph_shapes_face_outward_and_have_their_volume(patch, volume):
    # inscribed in the round shape: a little less
    assert 0.95 * volume < enclosed_volume(patch) <= volume * (1.0 + 1e-12)


@pytest.mark.parametrize("make", [shapes.arrow, shapes.moment_arrow])
def test_arrows_face_outward(make):
    assert enclosed_volume(make()) > 0.0


def test_sharp_edges_of_a_body_keep_their_normals():
    patch = shapes.box((1.0, 1.0, 1.0))
    assert_allclose(np.abs(patch.normals).max(axis=1), 1.0, rtol=1e-12)


def test_round_bodies_have_smooth_normals():
    ball = shapes.sphere(2.0)
    patch = shapes.creased(np.round(ball.points, 12), ball.triangles)
    has_area = np.linalg.norm(patch.normals, axis=1) > 0.5
    cosines = np.sum(patch.normals * patch.points, axis=1) / 2.0
    assert np.all(cosines[has_area] > 0.99)
