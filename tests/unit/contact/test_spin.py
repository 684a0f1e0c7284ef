"""Spin of points about their normal: exact tangent, invariance, balance, the angle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from femlie.contact import _friction_layout as layout
from femlie.contact import _layout as plain
from femlie.contact import _shapes as kinds
from femlie.lie import se3, so3
from tests.block_case import slopes
from tests.contact_pair import LENGTH, check_balance, check_rigid_motion
from tests.friction_pair import N_ROWS, RubbingPair, rubbed, rubbing_pair
from tests.shape_pair import RADIUS, on_shape
from tests.unit.contact.test_shape_gap import CASES, case_of
from tests.unit.contact.test_sliding_rows import tangents_of

R = 0.07
RODS: dict[str, dict[str, Any]] = {
    "crossing rods": {"form": plain.POINT, "angle": 1.1},
    "strongly bent": {"form": plain.POINT, "angle": 1.0, "bend": 0.4, "seed": 5},
    "cap at the end": {"form": plain.POINT, "shift": 0.72, "distance": 0.05},
    "sphere": {"form": plain.SPHERE},
}
POINTS = [
    name
    for name, case in CASES.items()
    if case[0] != plain.LINE and not name.startswith("edge")
]
STATES = {"sticks": (100.0, layout.STICKS), "slides": (0.01, layout.SLIDES)}


def made(name: str, **settings: Any) -> RubbingPair:
    """Rods or a shape that also spin in the step."""
    options = {"spin_radius": R, **settings}
    if name in RODS:
        return rubbing_pair(**RODS[name], **options)
    return rubbed(case_of(name), **{"moved": 0.01, **options})


@pytest.fixture(params=[*RODS, *POINTS], name="name")
def name_fixture(request: Any) -> str:
    return str(request.param)


@pytest.fixture(params=STATES, name="case")
def case_fixture(request: Any, name: str) -> RubbingPair:
    coefficient, state = STATES[request.param]
    found = made(name, friction=coefficient)
    if state == layout.SLIDES:
        found = found.settled()
    assert np.all(found.observed()[:, layout.STATE] == state)
    assert found.observed()[2, layout.SPIN_MOMENT] > 0.0
    return found


def test_tangent_is_the_derivative_of_the_residual(case: RubbingPair) -> None:
    small = 0.01
    expected = slopes(lambda x: case.displaced(small * x).evaluate()[0], N_ROWS)
    expected /= small
    if case.data.frames[0, 2] == case.data.frames[0, 3]:
        # both frames of the shape are one
        expected[:, 18:24] = 0.0
    given = case.evaluate(1.0)[1]
    assert np.abs(given[layout.SPIN_ROW]).max() > 0.0
    assert np.abs(given - expected).max() < 1e-7 * np.abs(given).max()


def test_rigid_motion_of_the_whole_changes_nothing(case: RubbingPair) -> None:
    check_rigid_motion(case)


def test_action_equals_reaction_in_force_and_moment(case: RubbingPair) -> None:
    check_balance(case)


def test_moment_about_the_normal_is_force_times_radius(name: str) -> None:
    """What the third multiplier adds to the slave is a pure couple about the normal."""
    found = made(name, friction=100.0, moved=0.0)
    none = found.motion.multipliers.copy()
    none[3] = 0.0
    without = replace(found, motion=found.motion._replace(multipliers=none))
    more = (found.evaluate()[0] - without.evaluate()[0])[:24].reshape(4, 6)
    frames = se3.frame_from_pose(found.motion.poses)
    force = np.einsum("nij,nj->ni", frames[:, :3, :3], more[:, :3])
    moment = np.einsum("nij,nj->ni", frames[:, :3, :3], more[:, 3:])
    moment += np.cross(frames[:, :3, 3], force)
    unit = found.data.parameters[0, plain.UNIT]
    expected = R * found.motion.multipliers[3] / unit
    on_slave = moment[:2].sum(axis=0)
    assert np.abs(force[:2].sum(axis=0)).max() < 1e-12 * expected
    assert np.linalg.norm(on_slave) == pytest.approx(expected, rel=1e-12)
    assert found.observed()[2, layout.SPIN_MOMENT] == pytest.approx(expected, rel=1e-12)


def relative_spin(found: RubbingPair, x: Any, step: float) -> float:
    """``(omega_S - omega_M) . n`` of the sections that touch, by differences."""
    iterates, parameters = found.data.iterates[0], found.data.parameters[0]
    is_shape = found.data.codes[0, plain.SHAPE] != 0
    places = iterates[plain.XI], 0.0 if is_shape else iterates[plain.ETA]
    at = plain.SLAVE_OFFSETS
    offsets = se3.frame_from_pose(parameters[at : at + 28].reshape(4, 7))
    turns = []
    for k in (-1.0, 0.0, 1.0):
        nodes = se3.frame_from_pose(found.displaced(k * step * x).motion.poses)
        ends = nodes @ offsets
        turns.append(
            [
                (a @ se3.exp(p * se3.log(se3.inverse(a) @ b)))[:3, :3]
                for a, b, p in ((ends[0], ends[1], places[0]),
                                (ends[2], ends[3], places[1]))
            ]
        )  # fmt: skip
    spins = [(so3.log(turns[2][k] @ turns[0][k].T) / (2.0 * step)) for k in range(2)]
    n = se3.frame_from_pose(found.motion.poses)[0, :3, :3]
    n = n @ iterates[plain.NORMAL : plain.NORMAL + 3]
    return float(n @ (spins[0] - spins[1]))


def test_spin_is_the_relative_turn_about_the_normal(name: str) -> None:
    """Curved rods, places that move along them, normals that turn."""
    rest = made(name, moved=0.0)
    x = np.append(np.random.default_rng(4).normal(size=24), np.zeros(7))
    if rest.data.frames[0, 2] == rest.data.frames[0, 3]:
        x[18:24] = 0.0
    step = 1e-5
    found = [
        rest.displaced(sign * step * x).observed()[0, layout.SPIN_ANGLE] / step
        for sign in (-1.0, 1.0)
    ]
    expected = abs(relative_spin(rest, x, step))
    assert expected > 0.01
    # the mean of both is of second order
    assert np.mean(found) == pytest.approx(expected, rel=1e-5)


def test_spin_of_motion_is_the_relative_turn_about_the_normal(name: str) -> None:
    """As a covector, behind both sliding velocities; without a radius there is none."""
    one = made(name, moved=0.0)
    x = np.random.default_rng(4).normal(size=24)
    if one.data.frames[0, 2] == one.data.frames[0, 3]:
        x[18:] = 0.0
    found = tangents_of(one, 1, 3)
    expected = relative_spin(one, np.append(x, np.zeros(7)), 1e-5)
    weight = one.data.iterates[0, plain.WEIGHT]
    assert found[2] @ x == pytest.approx(R * weight * expected, rel=1e-6)
    none = tangents_of(made(name, moved=0.0, spin_radius=0.0), 1, 3)
    assert np.all(none[2] == 0.0)
    np.testing.assert_array_equal(none[:2], found[:2])


def test_moments_of_motion_are_in_balance(name: str) -> None:
    """No common motion of both spins them, so that action equals reaction."""
    one = made(name)
    found = tangents_of(one, 1, 3)
    frames = se3.frame_from_pose(one.motion.poses)
    rigid = se3.adjoint(se3.inverse(frames)).reshape(24, 6)
    if one.data.frames[0, 2] == one.data.frames[0, 3]:
        rigid[18:] = 0.0
    assert np.abs(found[2] @ rigid).max() < 1e-12 * np.abs(found[2]).sum()


def ball_on_plane() -> RubbingPair:
    place = (0.5 * LENGTH, 0.0, RADIUS)
    case = on_shape(plain.SPHERE, kinds.PLANE, (0.0, 0.0, 0.0), place, bend=0.0)
    return rubbed(case, moved=0.0, spin_radius=R)


def turned(found: RubbingPair, *motions: Any) -> RubbingPair:
    """The ball moved as seen in the axes of the shape, about its center."""
    at = plain.MASTER_OFFSETS
    offset = se3.frame_from_pose(found.data.parameters[0, at : at + 7])
    frames = se3.frame_from_pose(found.motion.poses).copy()
    shape = frames[2] @ offset
    center = np.eye(4)
    center[2, 3] = RADIUS
    for motion in motions:
        whole = shape @ center @ se3.exp([0.0, 0.0, 0.0, *motion])
        frames[:2] = whole @ se3.inverse(shape @ center) @ frames[:2]
    poses = se3.pose_from_frame(frames)
    return replace(found, motion=found.motion._replace(poses=poses))


@pytest.mark.parametrize("angle", [1e-3, 0.5, 2.0, 3.0, -3.0])
def test_turns_about_the_normal_are_the_spin_however_far(angle: float) -> None:
    n = (0.0, 0.0, angle)
    found = turned(ball_on_plane(), n).observed()[2, layout.SPIN_ANGLE]
    assert found == pytest.approx(abs(angle), rel=1e-11)


def test_rolling_is_no_spin_however_far() -> None:
    for turn in (0.1, 1.0, 2.0):
        rolled = turned(ball_on_plane(), (0.6 * turn, 0.8 * turn, 0.0))
        assert rolled.observed()[2, layout.SPIN_ANGLE] < 1e-12
        # and neither when it has spun before
        both = turned(ball_on_plane(), (0.0, 0.0, 0.4), (0.6 * turn, 0.8 * turn, 0.0))
        assert both.observed()[2, layout.SPIN_ANGLE] == pytest.approx(0.4, rel=1e-11)


@pytest.mark.parametrize("name", RODS)
def test_sliding_and_spinning_share_one_cone(name: str) -> None:
    found = made(name, friction=0.01).settled()
    force = found.motion.multipliers[1:]
    limit = 0.01 * (
        found.motion.multipliers[0]
        - plain.LAST * found.data.parameters[0, plain.PENALTY] * gap_of(found)
    )
    assert np.linalg.norm(force) == pytest.approx(limit, rel=1e-9)
    assert abs(force[2]) > 0.01 * limit


def gap_of(found: RubbingPair) -> float:
    """The gap over its unit, from the row of the normal multiplier."""
    return -float(found.evaluate()[0][24])
