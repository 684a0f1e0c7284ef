"""Friction of two segments: exact tangent, invariance, balance, slip, the cone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest

from femlie._jit import kernel
from femlie.contact import _friction_layout as layout
from femlie.contact import _layout as plain
from femlie.contact._slip import LEAST_COSINE, arc_ratio
from femlie.elements import base
from femlie.lie import se3, so3
from tests.block_case import slopes
from tests.contact_pair import LENGTH, check_balance, check_rigid_motion, pair
from tests.friction_pair import N_ROWS, RubbingPair, rubbing_pair

FORMS: dict[str, dict[str, Any]] = {
    "line": {"form": plain.LINE},
    "point": {"form": plain.POINT, "angle": 1.1},
    "point of nearly parallel rods": {"form": plain.POINT, "angle": 0.05},
    "strongly bent": {"form": plain.POINT, "angle": 1.0, "bend": 0.4, "seed": 5},
    "cap at the end": {"form": plain.POINT, "shift": 0.72, "distance": 0.05},
    "sphere": {"form": plain.SPHERE},
}
COEFFICIENTS = {
    "sticks": (100.0, layout.STICKS),
    "slides": (0.01, layout.SLIDES),
    "is smooth": (0.0, layout.OPEN),
}


@pytest.fixture(params=FORMS, name="form")
def form_fixture(request: Any) -> dict[str, Any]:
    return FORMS[request.param]


@pytest.fixture(params=COEFFICIENTS, name="case")
def case_fixture(request: Any, form: dict[str, Any]) -> RubbingPair:
    coefficient, state = COEFFICIENTS[request.param]
    found = rubbing_pair(friction=coefficient, **form)
    if state == layout.SLIDES:
        # elsewhere rows have the tangent of a multiple of themselves
        found = found.settled()
    assert np.all(found.observed()[:, layout.STATE] == state)
    return found


def opened(form: dict[str, Any]) -> RubbingPair:
    """One that touched when the step began, and no longer does."""
    found = rubbing_pair(**form)
    motion = found.motion
    away = se3.pose_from_frame(se3.exp([0.0, 0.0, 0.3, 0.0, 0.0, 0.0]))
    poses = motion.poses.copy()
    poses[:2] = se3.compose_poses(away, poses[:2])
    forces = motion.multipliers.copy()
    forces[: 2 if forces.size == 6 else 1] = 0.1
    return replace(found, motion=motion._replace(poses=poses, multipliers=forces))


def error_of_tangent(found: RubbingPair) -> float:
    # forces of friction turn within short ways
    small = 0.02
    expected = slopes(lambda x: found.displaced(small * x).evaluate()[0], N_ROWS)
    expected /= small
    given = found.evaluate(1.0)[1]
    return float(np.abs(given - expected).max() / np.abs(given).max())


def test_tangent_is_the_derivative_of_the_residual(case: RubbingPair) -> None:
    assert error_of_tangent(case) < 1e-8


def trials(found: RubbingPair) -> Any:
    """Sizes of ``s_T``, one for each tangential row."""
    data = found.data._replace(parameters=found.data.parameters.copy())
    data.parameters[0, layout.COEFFICIENT] = 1e9
    rows = replace(found, data=data).evaluate()[0][layout.FIRST_ROW :]
    n = 2 if found.motion.multipliers.size == 6 else 1
    trial = found.motion.multipliers[n:] + found.stiffness * rows[: 2 * n]
    return np.repeat(np.linalg.norm(trial.reshape(n, 2), axis=1), 2)


def test_sliding_rows_have_the_tangent_of_their_multiple(form: dict[str, Any]) -> None:
    """Within the cone that of ``|s_T|`` times the row (Hueeber et al. 2008)."""
    found = rubbing_pair(friction=0.01, **form).settled()
    n = 2 if found.motion.multipliers.size == 6 else 1
    found.motion.multipliers[n:] *= 0.9
    rows = slice(layout.FIRST_ROW, layout.FIRST_ROW + 2 * n)

    def scaled(x: Any) -> Any:
        moved = found.displaced(0.02 * x)
        return moved.evaluate()[0][rows] * trials(moved)

    # one of the nodes of the line is open
    bears = trials(found) > 0.0
    sizes = 0.02 * trials(found)[bears, None]
    expected = slopes(scaled, N_ROWS)[bears] / sizes
    given = found.evaluate(1.0)[1][rows][bears]
    assert given.size > 0
    np.testing.assert_allclose(given, expected, rtol=0, atol=1e-8 * abs(given).max())


def test_tangent_of_an_open_contact_is_its_derivative(form: dict[str, Any]) -> None:
    found = opened(form)
    assert np.all(found.evaluate()[0][:24] == 0.0)
    assert error_of_tangent(found) < 1e-8


def test_rigid_motion_of_the_whole_changes_nothing(case: RubbingPair) -> None:
    check_rigid_motion(case)


def test_action_equals_reaction_in_force_and_moment(case: RubbingPair) -> None:
    """Although the gap is not zero point by point."""
    check_balance(case)


def test_without_friction_the_wrenches_are_those_of_the_plain_kernel() -> None:
    for form in (plain.LINE, plain.POINT):
        rough = rubbing_pair(form, friction=0.0, moved=0.0, forces=np.zeros(4))
        smooth = pair(form)
        expected = smooth.evaluate(1.0)
        found = rough.evaluate(1.0)
        for one, other in zip(found, expected, strict=True):
            own = one[:26] if one.ndim == 1 else one[:26, :26]
            size = np.abs(other).max()
            np.testing.assert_allclose(own, other, rtol=0, atol=1e-13 * size)


def surface_velocity(found: RubbingPair, x: Any, step: float) -> Any:
    """Velocity of the slave's surface against the master's, by its definition.

    Both sections move with their rods at the place of contact; central differences.
    """
    codes = found.data.iterates[0]
    places = (codes[plain.XI], codes[plain.ETA])
    frames = [se3.frame_from_pose(found.displaced(k * step * x).motion.poses)
              for k in (-1.0, 0.0, 1.0)]  # fmt: skip
    at = plain.SLAVE_OFFSETS
    offsets = found.data.parameters[0, at : at + 28].reshape(4, 7)
    offsets = se3.frame_from_pose(offsets)
    sections = []
    for nodes in frames:
        ends = nodes @ offsets
        sections.append(
            [
                ends[2 * k]
                @ se3.exp(p * se3.log(se3.inverse(ends[2 * k]) @ ends[2 * k + 1]))
                for k, p in enumerate(places)
            ]
        )
    slave, master = sections[1]
    r = slave[:3, 3] - master[:3, 3]
    common = 0.5 * (slave[:3, 3] + master[:3, 3])
    common += found.data.parameters[0, layout.OFFSET] * r / np.linalg.norm(r)
    velocity = []
    for k in range(2):
        local = se3.inverse(sections[1][k]) @ np.append(common, 1.0)
        velocity.append((sections[2][k] - sections[0][k]) @ local / (2.0 * step))
    difference = (velocity[0] - velocity[1])[:3]
    n = r / np.linalg.norm(r)
    return float(np.linalg.norm(difference - n * (n @ difference)))


def test_slip_is_the_relative_motion_of_both_surfaces() -> None:
    """Curved rods of unequal radii, apart by a gap, in a general small motion."""
    rng = np.random.default_rng(2)
    for angle, bend in ((0.3, 0.3), (1.2, 0.4), (1.5, 0.1)):
        rest = rubbing_pair(
            plain.POINT, angle=angle, bend=bend, moved=0.0, distance=0.15
        )
        x = np.append(rng.normal(size=24), np.zeros(7))
        step = 1e-5
        slips = []
        for sign in (-1.0, 1.0):
            moved = rest.displaced(sign * step * x)
            slips.append(moved.observed()[0, layout.SLIP] / step)
        expected = surface_velocity(rest, x, step)
        # the mean of both is of second order
        assert np.mean(slips) == pytest.approx(expected, rel=1e-6)


DISTANCE = 0.19


def turned_about(found: RubbingPair, turns: Any, way: float = 0.0) -> RubbingPair:
    """Straight rods along x turned about their axes, the slave round the master."""
    frames = se3.frame_from_pose(found.motion.poses).copy()
    for nodes, turn, height in ((slice(0, 2), turns[0], DISTANCE),
                                (slice(2, 4), turns[1], 0.0),
                                (slice(0, 2), way, 0.0)):  # fmt: skip
        place = np.array([0.0, 0.0, height])
        own = np.eye(4)
        own[:3, :3] = so3.exp([turn, 0.0, 0.0])
        own[:3, 3] = place - own[:3, :3] @ place
        frames[nodes] = own @ frames[nodes]
    poses = se3.pose_from_frame(frames)
    return replace(found, motion=found.motion._replace(poses=poses))


def test_rolling_is_no_slip_however_far() -> None:
    """``r_S dphi_S = -r_M dphi_M``, in steps of up to one radian."""
    rest = rubbing_pair(plain.LINE, bend=0.0, angle=0.0, moved=0.0, offset=0.03)
    # what each radius is, with half of the gap
    slave, master = 0.5 * DISTANCE - 0.03, 0.5 * DISTANCE + 0.03
    for turn in (0.01, 0.3, 1.0):
        rolled = turned_about(rest, (-turn * master / slave, turn))
        assert rolled.observed()[0, layout.SLIP] < 1e-12
        slid = turned_about(rest, (turn, turn))
        slip = slid.observed()[0, layout.SLIP]
        assert slip == pytest.approx(turn * DISTANCE, rel=1e-12)
        # round a master at rest: (a_S + a_M) / a_S turns
        planet = turned_about(rest, (turn * master / slave, 0.0), way=turn)
        assert planet.observed()[0, layout.SLIP] < 1e-12


def test_sliding_along_the_other_rod_is_slip_of_that_size() -> None:
    rest = rubbing_pair(plain.LINE, bend=0.0, angle=0.0, moved=0.0)
    for way in (0.001, 0.05 * LENGTH):
        poses = rest.motion.poses.copy()
        poses[:2, 0] += way
        moved = replace(rest, motion=rest.motion._replace(poses=poses))
        slip = moved.observed()[1, layout.SLIP]
        assert slip == pytest.approx(way, rel=1e-12)


def test_force_of_friction_stays_on_the_cone_and_opposes_slip() -> None:
    """Rows are zero where the force is mu N against the slip."""
    rest = rubbing_pair(plain.POINT, angle=1.1, friction=0.3, moved=0.0)
    gap = rest.evaluate()[0][24]
    normal = 2.0
    rest.motion.multipliers[:] = (normal, 0.0, 0.0)
    poses = rest.motion.poses.copy()
    poses[:2, 0] += 0.01
    moved = replace(rest, motion=rest.motion._replace(poses=poses))
    limit = 0.3 * (normal + 10.0 * plain.LAST * moved.evaluate()[0][24])
    assert gap != 0.0
    assert np.all(moved.observed()[:, layout.STATE] == layout.SLIDES)
    rows = moved.evaluate()[0][26:28]
    moved.motion.multipliers[1:] = rows * moved.stiffness
    force = moved.motion.multipliers[1:]
    # along the slip the force does not depend on what it was before
    assert np.linalg.norm(force) == pytest.approx(limit, rel=1e-12)
    world = moved.observed()[0, layout.FRICTION : layout.FRICTION + 3]
    assert world[0] < 0.0
    np.testing.assert_allclose(moved.evaluate()[0][26:28], 0.0, atol=1e-12)


def test_contact_that_closes_within_a_step_has_no_friction_before_its_end() -> None:
    rest = rubbing_pair(plain.POINT, angle=1.1, distance=0.25, moved=0.0)
    rest.motion.multipliers[:] = 0.0
    rest.carry(base.RESET)
    poses = rest.motion.poses.copy()
    poses[:2, 2] -= 0.06
    poses[:2, 0] += 0.01
    closed = replace(rest, motion=rest.motion._replace(poses=poses))
    closed.motion.multipliers[0] = 1.0
    assert np.all(closed.observed()[:, layout.STATE] == layout.OPEN)
    closed.carry(base.RESET)
    poses = closed.motion.poses.copy()
    poses[:2, 0] += 0.001
    on = replace(closed, motion=closed.motion._replace(poses=poses))
    assert np.all(on.observed()[:, layout.STATE] != layout.OPEN)
    assert on.observed()[0, layout.SLIP] == pytest.approx(0.001, rel=0.05)


@kernel
def ratio(y: float) -> Any:
    return arc_ratio(y)


def test_ratio_of_arc_and_chord_is_exact_across_the_switch() -> None:
    mpmath.mp.dps = 60
    exact_ratio = lambda y: mpmath.acos(y) / mpmath.sqrt(1 - y * y)  # noqa: E731
    for y in [*np.linspace(LEAST_COSINE, 0.999999, 41), 0.8 - 1e-12, 0.8, 0.8 + 1e-12]:
        exact = exact_ratio(mpmath.mpf(float(y)))
        slope = (mpmath.mpf(float(y)) * exact - 1) / (1 - mpmath.mpf(float(y)) ** 2)
        found = ratio(float(y))
        assert abs(found[0] - exact) < 1e-14 * exact
        assert abs(found[1] - slope) < 1e-13 * abs(slope)
    assert ratio(1.0)[0] == 1.0
    assert ratio(1.0)[1] == pytest.approx(-1.0 / 3.0, rel=1e-15)
