"""Sliding velocities of contacts against the motion of material points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.contact import _friction_layout as layout
from femlie.contact import _layout as plain
from femlie.contact import _rows as rows
from femlie.contact import _rubbing_rows as kernels
from femlie.contact._spots import SPOT_SHAPE
from femlie.elements import base
from femlie.lie import quaternion, se3
from tests.contact_pair import LENGTH, RADII
from tests.friction_pair import rubbing_pair

FORMS = [plain.LINE, plain.POINT, plain.SPHERE]


def spots_of(one: Any) -> Any:
    spots = np.zeros((1, *SPOT_SHAPE))
    rows.find_gaps(one.motion, one.data, spots, np.zeros(2))
    return spots


def tangents_of(one: Any, n: int, width: int = 2) -> Any:
    places = np.full(2, -1, dtype=np.int64)
    places[:n] = np.arange(n)
    found = np.zeros((n, width, 25))
    columns = np.arange(24, dtype=np.int64).reshape(4, 6)
    spots = spots_of(one)
    kernels.find_tangents(one.motion, one.data, spots, columns, places, found)
    return found.reshape(-1, 25)[:, :-1]


def section_at(poses: Any, offsets: Any, x: float) -> Any:
    """Frame (4, 4) of the section at a place of a segment."""
    ends = se3.frame_from_pose(se3.compose_poses(poses, offsets))
    return ends[0] @ se3.exp(x * se3.log(se3.inverse(ends[0]) @ ends[1]))


def slid(one: Any, moved: Any, spot: Any) -> Any:
    """How far the surface of the slave has moved on that of the master at a point.

    The material points that are at the common point of ``one``, seen in ``moved``.
    """
    offsets = one.data.parameters[0, plain.SLAVE_OFFSETS :][:28].reshape(4, 7)
    places = (spot[1], spot[2])
    before, after = [], []
    for poses, out in ((one.motion.poses, before), (moved.motion.poses, after)):
        for side in range(2):
            part = slice(2 * side, 2 * side + 2)
            out.append(section_at(poses[part], offsets[part], places[side]))
    r = before[0][:3, 3] - before[1][:3, 3]
    n = r / np.linalg.norm(r)
    offset = one.data.parameters[0, layout.OFFSET]
    common = before[1][:3, 3] + (0.5 * np.linalg.norm(r) + offset) * n
    point = np.append(common, 1.0)
    ways = [
        now @ se3.inverse(old) @ point for old, now in zip(before, after, strict=True)
    ]
    return (ways[0] - ways[1])[:3], n, before[0]


def along_tangents(one: Any, section: Any, normal: Any, velocity: Any) -> Any:
    """Components (2,) of a velocity along the tangents of a contact."""
    turn = one.data.parameters[0, layout.SLAVE_TURN :][:4]
    axes = section[:3, :3] @ quaternion.to_matrix(turn)
    axis = axes[:, int(one.data.iterates[0, layout.AXIS])]
    first = axis - (axis @ normal) * normal
    first /= np.linalg.norm(first)
    return np.array([first @ velocity, np.cross(first, normal) @ velocity])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_sliding_velocity_is_that_of_material_points(form: int, seed: int) -> None:
    one = rubbing_pair(form, seed=seed)
    n = 2 if form == plain.LINE else 1
    found = tangents_of(one, n)
    spots = spots_of(one)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=24)
    step = 1e-6
    moved = [one.displaced(np.append(s * step * x, np.zeros(7))) for s in (1.0, -1.0)]
    expected = np.zeros(2 * n)
    n_points = plain.N_POINTS if form == plain.LINE else 1
    for k in range(n_points):
        at = plain.POINT_WIDTH * k
        if one.data.iterates[0, at + plain.ROW] < 0.0:
            continue
        ahead, normal, section = slid(one, moved[0], spots[0, k])
        behind, _, _ = slid(one, moved[1], spots[0, k])
        velocity = (ahead - behind) / (2.0 * step)
        pair = along_tangents(one, section, normal, velocity)
        for j in range(n):
            weight = one.data.iterates[0, at + plain.WEIGHT + j]
            expected[2 * j : 2 * j + 2] += weight * pair
    assert found @ x == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_common_motion_slides_nowhere_and_friction_is_in_balance(form: int) -> None:
    """Covectors of rigid motions of the whole vanish: force and moment balance."""
    one = rubbing_pair(form)
    found = tangents_of(one, 1)
    frames = se3.frame_from_pose(one.motion.poses)
    rigid = se3.adjoint(se3.inverse(frames)).reshape(24, 6)
    assert np.abs(found @ rigid).max() < 1e-12 * np.abs(found).sum()


@pytest.mark.parametrize("form", FORMS)
def test_moving_the_whole_changes_no_sliding_velocity(form: int) -> None:
    one = rubbing_pair(form)
    moved = one.rigidly_moved(se3.exp([3.0, -1.0, 2.0, 0.5, 1.0, -2.0]))
    moved.carry(base.MOVE)
    assert tangents_of(moved, 1) == pytest.approx(tangents_of(one, 1), abs=1e-12)


def test_straight_rods_that_roll_on_each_other_do_not_slide() -> None:
    """``r_S w_S = -r_M w_M`` about parallel axes, with unequal radii."""
    one = rubbing_pair(
        plain.POINT,
        angle=0.0,
        bend=0.0,
        shift=0.0,
        distance=RADII,
        offset=0.03,
        moved=0.0,
    )
    slave, master = 0.5 * RADII - 0.03, 0.5 * RADII + 0.03
    frames = se3.frame_from_pose(one.motion.poses)
    velocity = np.zeros((4, 6))
    offsets = one.data.parameters[0, plain.SLAVE_OFFSETS :][:28].reshape(4, 7)
    sections = se3.frame_from_pose(se3.compose_poses(one.motion.poses, offsets))
    speeds = (1.0 / slave, 1.0 / slave, -1.0 / master, -1.0 / master)
    for k, spin in enumerate(speeds):
        # about the axis of its own rod
        axis = np.array([spin, 0.0, 0.0])
        arm = frames[k, :3, 3] - sections[k, :3, 3]
        twist = np.append(np.cross(axis, arm), axis).reshape(2, 3)
        velocity[k] = (twist @ frames[k, :3, :3]).ravel()
    found = tangents_of(one, 1)
    assert np.abs(found @ velocity.ravel()).max() < 1e-12 * LENGTH / slave
    assert np.abs(found[:, :12] @ velocity.ravel()[:12]).max() > 0.9
