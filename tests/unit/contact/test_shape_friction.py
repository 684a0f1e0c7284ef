"""Friction on rigid shapes: exact tangent, invariance, balance, slip, rolling."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest

from femlie._jit import kernel
from femlie.contact import _friction_layout as layout
from femlie.contact import _layout as plain
from femlie.contact import _shapes as kinds
from femlie.contact._shape_slip import path_factors
from femlie.contact._slip import LEAST_COSINE
from femlie.lie import se3, so3
from tests.block_case import slopes
from tests.contact_pair import LENGTH, check_balance, check_rigid_motion
from tests.friction_pair import N_ROWS, RubbingPair, rubbed
from tests.shape_pair import RADIUS, on_shape
from tests.unit.contact.test_shape_gap import CASES, case_of

INF = float("inf")
STATES = {
    "sticks": (100.0, layout.STICKS),
    "slides": (0.01, layout.SLIDES),
    "is smooth": (0.0, layout.OPEN),
}
RUBBING = [name for name in CASES if not name.startswith("edge")]


def rubbing(name: str, **settings: Any) -> RubbingPair:
    options = {"moved": 0.01, **settings}
    return rubbed(case_of(name), **options)


@pytest.fixture(params=RUBBING, name="name")
def name_fixture(request: Any) -> str:
    return str(request.param)


@pytest.fixture(params=STATES, name="case")
def case_fixture(request: Any, name: str) -> RubbingPair:
    coefficient, state = STATES[request.param]
    found = rubbing(name, friction=coefficient)
    if state == layout.SLIDES:
        # elsewhere rows have the tangent of a multiple of themselves
        found = found.settled()
    assert np.all(found.observed()[:, layout.STATE] == state)
    return found


def error_of_tangent(found: RubbingPair) -> float:
    small = 0.01
    expected = slopes(lambda x: found.displaced(small * x).evaluate()[0], N_ROWS)
    expected /= small
    # both frames of the shape are one
    expected[:, 18:24] = 0.0
    given = found.evaluate(1.0)[1]
    return float(np.abs(given - expected).max() / np.abs(given).max())


def test_tangent_is_the_derivative_of_the_residual(case: RubbingPair) -> None:
    assert error_of_tangent(case) < 1e-7


def test_tangent_of_an_open_contact_is_its_derivative(name: str) -> None:
    """It touched when the step began, and bears friction of the last iteration."""
    found = rubbing(name)
    forces = found.motion.multipliers.copy()
    forces[: 2 if forces.size == 6 else 1] = -100.0
    found = replace(found, motion=found.motion._replace(multipliers=forces))
    assert np.all(found.observed()[:, layout.STATE] == layout.OPEN)
    assert np.all(found.evaluate()[0][:24] == 0.0)
    assert error_of_tangent(found) < 1e-8


@pytest.mark.parametrize("name", ["line round a drum", "sphere on a plane"])
def test_rounds_of_penalty_have_exact_tangents_where_it_sticks(name: str) -> None:
    found = rubbed(case_of(name, stage=2.0), moved=0.01, friction=100.0)
    # what is off the cone is held in the matrix
    assert error_of_tangent(found) < 1e-7


def test_rigid_motion_of_the_whole_changes_nothing(case: RubbingPair) -> None:
    check_rigid_motion(case)


def test_action_equals_reaction_in_force_and_moment(case: RubbingPair) -> None:
    """Although the gap is not zero point by point."""
    check_balance(case)


def surface_velocity(found: RubbingPair, x: Any, step: float) -> float:
    """Velocity of the slave's surface against the shape's, by its definition.

    Both carry the point on the surface of the shape; central differences.
    """
    iterates, parameters = found.data.iterates[0], found.data.parameters[0]
    place = iterates[plain.XI]
    at = plain.SLAVE_OFFSETS
    offsets = se3.frame_from_pose(parameters[at : at + 28].reshape(4, 7))
    sections = []
    for k in (-1.0, 0.0, 1.0):
        nodes = se3.frame_from_pose(found.displaced(k * step * x).motion.poses)
        ends = nodes @ offsets
        turn = se3.log(se3.inverse(ends[0]) @ ends[1])
        sections.append((ends[0] @ se3.exp(place * turn), ends[2]))
    axis = sections[1][0][:3, 3]
    n = se3.frame_from_pose(found.motion.poses)[0, :3, :3]
    n = n @ iterates[plain.NORMAL : plain.NORMAL + 3]
    foot = axis - iterates[plain.DISTANCE] * n
    velocity = []
    for k in range(2):
        local = se3.inverse(sections[1][k]) @ np.append(foot, 1.0)
        velocity.append((sections[2][k] - sections[0][k]) @ local / (2.0 * step))
    difference = (velocity[0] - velocity[1])[:3]
    return float(np.linalg.norm(difference - n * (n @ difference)))


POINTS = [name for name in RUBBING if CASES[name][0] != plain.LINE]


@pytest.mark.parametrize("name", POINTS)
def test_slip_is_the_relative_motion_of_both_surfaces(name: str) -> None:
    rest = rubbing(name, moved=0.0)
    x = np.append(np.random.default_rng(2).normal(size=24), np.zeros(7))
    step = 1e-5
    slips = [
        rest.displaced(sign * step * x).observed()[0, layout.SLIP] / step
        for sign in (-1.0, 1.0)
    ]
    # the mean of both is of second order
    assert np.mean(slips) == pytest.approx(surface_velocity(rest, x, step), rel=1e-6)


def ball_at(kind: int, dimensions: Any, place: Any) -> RubbingPair:
    """A ball of the radius `RADIUS` that touches a shape in the axes of space."""
    return rubbed(on_shape(plain.SPHERE, kind, dimensions, place, bend=0.0), moved=0.0)


def carried(found: RubbingPair, motion: Any) -> RubbingPair:
    """The ball moved as seen in the axes of the shape."""
    at = plain.MASTER_OFFSETS
    offset = se3.frame_from_pose(found.data.parameters[0, at : at + 7])
    frames = se3.frame_from_pose(found.motion.poses).copy()
    shape = frames[2] @ offset
    frames[:2] = shape @ motion @ se3.inverse(shape) @ frames[:2]
    poses = se3.pose_from_frame(frames)
    return replace(found, motion=found.motion._replace(poses=poses))


def about(place: Any, turn: Any) -> Any:
    """A turn about a place."""
    frame = np.eye(4)
    frame[:3, :3] = so3.exp(turn)
    frame[:3, 3] = place - frame[:3, :3] @ place
    return frame


# place of the middle of the ball, axis and turn of its way, turns of the ball for one
ROUND = {
    "in a bowl": (kinds.HOLLOW, (1.0, 0.0, 0.0), (0.0, 0.0, RADIUS - 1.0),
                  -(1.0 - RADIUS) / RADIUS),
    "on a ball": (kinds.BALL, (0.5, 0.0, 0.0), (0.0, 0.0, 0.5 + RADIUS),
                  (0.5 + RADIUS) / RADIUS),
    "on a drum": (kinds.CYLINDER, (0.5, INF, 0.0), (0.0, 0.5 + RADIUS, 0.1),
                  (0.5 + RADIUS) / RADIUS),
    "in a bore": (kinds.BORE, (1.0, INF, 0.0), (0.0, 1.0 - RADIUS, 0.1),
                  -(1.0 - RADIUS) / RADIUS),
}  # fmt: skip


@pytest.mark.parametrize("turn", [0.01, 0.5, 1.0])
@pytest.mark.parametrize("name", ROUND)
def test_ball_rolls_on_round_shapes_however_far(name: str, turn: float) -> None:
    """It turns by ``(R -+ r) / r`` of the angle of its way."""
    kind, dimensions, place, ratio = ROUND[name]
    middle = np.array(place) + [0.5 * LENGTH, 0.0, 0.0]
    rest = ball_at(kind, dimensions, middle)
    middle = np.array(place)
    axis = np.array([1.0, 0.0, 0.0]) if middle[0] == middle[1] == 0.0 else None
    axis = np.array([0.0, 0.0, 1.0]) if axis is None else axis
    # the most that a ball turns in one step is two radians
    turn = turn * min(1.0, 2.0 / abs(ratio))
    way = about(np.zeros(3), turn * axis)
    rolled = carried(rest, way @ about(middle, (ratio - 1.0) * turn * axis))
    assert rolled.observed()[0, layout.SLIP] < 1e-12
    slid = carried(rest, way)
    reach = np.linalg.norm(middle - axis * (axis @ middle))
    foot = reach + (RADIUS if ratio < 0.0 else -RADIUS)
    slip = slid.observed()[0, layout.SLIP]
    assert slip == pytest.approx(turn * foot, rel=1e-12)


def test_ball_rolls_on_a_plane_and_on_a_box() -> None:
    for kind, dimensions, height in (
        (kinds.PLANE, (0.0, 0.0, 0.0), 0.0),
        (kinds.BOX, (2.0, 2.0, 0.3), 0.3),
    ):
        middle = np.array([0.5 * LENGTH, 0.0, height + RADIUS])
        rest = ball_at(kind, dimensions, middle)
        middle[0] = 0.0
        for turn in (0.01, 1.0, 2.0):
            way = np.eye(4)
            way[0, 3] = 0.8 * RADIUS * turn
            way[1, 3] = -0.6 * RADIUS * turn
            spin = about(middle, turn * np.array([0.6, 0.8, 0.0]))
            assert carried(rest, way @ spin).observed()[0, layout.SLIP] < 1e-12
            slip = carried(rest, way).observed()[0, layout.SLIP]
            assert slip == pytest.approx(RADIUS * turn, rel=1e-12)
            # about the normal is no slip of a point
            spin = about(middle, [0.0, 0.0, turn])
            assert carried(rest, spin).observed()[0, layout.SLIP] < 1e-12


def test_ball_rolls_over_the_sharp_edge_of_a_box() -> None:
    """On unfolded faces, and in place at the edge: ``r (turn - phi) = a + b``."""
    a, b, phi = 0.02, 0.03, 0.5 * np.pi
    middle = np.array([0.5 * LENGTH, 0.4 - a, 0.3 + RADIUS])
    rest = ball_at(kinds.BOX, (0.5, 0.4, 0.3), middle)
    start = np.array([0.0, 0.4 - a, 0.3 + RADIUS])
    end = np.array([0.0, 0.4 + RADIUS, 0.3 - b])
    turn = phi + (a + b) / RADIUS
    move = about(start, [-turn, 0.0, 0.0])
    move[:3, 3] += end - start
    assert carried(rest, move).observed()[0, layout.SLIP] < 1e-12


@kernel
def factors(y: float, is_round: bool) -> Any:
    return path_factors(y, is_round)


def test_factors_of_paths_are_exact_across_the_switch() -> None:
    mpmath.mp.dps = 60

    def exact_weight(y: Any) -> Any:
        ratio = mpmath.acos(y) / mpmath.sqrt(1 - y * y)
        return (1 - ratio * (1 + y) / 2) / (1 - y * y)

    for y in [*np.linspace(LEAST_COSINE, 0.999999, 41), 0.8 - 1e-12, 0.8, 0.8 + 1e-12]:
        exact = mpmath.mpf(float(y))
        weight, slope = exact_weight(exact), mpmath.diff(exact_weight, exact)
        rest, rest_slope = 1 / (1 + exact) - weight, -1 / (1 + exact) ** 2 - slope
        found = factors(float(y), True)
        expected = (rest, weight, rest_slope, slope)
        for one, other in zip(found, expected, strict=True):
            assert abs(one - other) < 1e-12 * abs(other)
    # from the series of K: w = 1/12 - ... at equal normals
    assert factors(1.0, True)[1] == pytest.approx(1.0 / 12.0, rel=1e-15)
