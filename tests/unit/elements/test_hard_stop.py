"""Coordinates of joints in Python, and the kernel of hard stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.elements import _joint_rows as layout
from femlie.elements import hard_stop
from femlie.elements.hard_stop import HardStop
from femlie.elements.joint import JointElement
from femlie.elements.joint_coordinate import joint_coordinate
from femlie.elements.joint_row import Row, RowKind
from femlie.lie import se3
from tests.oracles import joint as oracle
from tests.unit.elements.test_joint import case_of, unit_pose

COORDINATES = [(RowKind.ANGLE, 2), *((RowKind.COMPONENT, i) for i in range(3))]


def element_of(rng: Any) -> JointElement:
    return JointElement("a", 0, 1, unit_pose(rng), unit_pose(rng), ())


@pytest.mark.parametrize(("kind", "axis"), COORDINATES)
def test_coordinate_is_that_of_the_definition(kind: RowKind, axis: int) -> None:
    rng = np.random.default_rng(3)
    for turns in (0, 3, -2):
        element = element_of(rng)
        poses = np.array([unit_pose(rng), unit_pose(rng)])
        offsets = np.array([element.parent_offset, element.child_offset])
        near = 2.0 * np.pi * turns
        value, gradient = joint_coordinate(poses, offsets, kind, axis, near)
        frames = [oracle.frame(pose) for pose in poses]
        row = Row(kind, axis)
        place = oracle.relative(element, *frames)
        assert value == pytest.approx(oracle.coordinate(row, place, near), abs=1e-12)
        step = 1e-6
        for k in range(12):
            ends = []
            for sign in (1.0, -1.0):
                local = np.zeros((2, 6))
                local.flat[k] = sign * step
                moved = se3.compose_poses(poses, se3.pose_from_frame(se3.exp(local)))
                ends.append(joint_coordinate(moved, offsets, kind, axis, value)[0])
            slope = (ends[0] - ends[1]) / (2.0 * step)
            assert gradient[k] == pytest.approx(slope, abs=1e-8)


def stop_case(kind: RowKind, axis: int, side: int, depth: float, rng: Any) -> Any:
    """A block with one stop, at a depth."""
    element = element_of(rng)
    poses = np.array([unit_pose(rng), unit_pose(rng)])
    offsets = np.array([element.parent_offset, element.child_offset])
    value, _ = joint_coordinate(poses, offsets, kind, axis, 0.0)
    stop = HardStop("a", element, kind, axis, side, value - side * depth, 0.0)
    (block,), _ = hard_stop.stop_blocks([stop], np.zeros(1), 0)
    assert stop.depth(poses, 0.0)[0] == pytest.approx(depth, abs=1e-12)
    block.parameters[:, layout.ROW_PARAMETERS + layout.STIFFNESS] = 7.0
    return case_of(block, poses, rng, 2)


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("kind", "axis"), COORDINATES)
@pytest.mark.parametrize(
    ("force", "depth", "row"),
    [(0.0, 0.2, 0.2), (3.0, -0.2, -0.2), (-2.0, 0.1, 2.0 / 7.0), (0.0, -0.1, 0.0)],
)
def test_rows_and_tangent_of_a_stop(
    kind: RowKind, axis: int, side: int, force: float, depth: float, row: float
) -> None:
    """Shut: the depth; open: the force. The tangent is the derivative of both."""
    rng = np.random.default_rng(5)
    case = stop_case(kind, axis, side, depth, rng)
    case.motion.multipliers[:] = force
    case.motion.increments[:] = 0.0
    residual, _, _ = case.evaluate()
    assert residual[12] == pytest.approx(row, abs=1e-12)
    _, tangent, _ = case.evaluate(weights=(0.0, 0.0, 1.0))

    def moved(step: Any) -> Any:
        other = case.displaced(step[:12].reshape(2, 6))
        other.motion.multipliers[:] = force + step[12]
        found, _, _ = other.evaluate()
        other.motion.multipliers[:] = force
        return found

    found = np.zeros((13, 13))
    for k in range(13):
        step = np.zeros(13)
        step[k] = 1e-6
        found[:, k] = (moved(step) - moved(-step)) / 2e-6
    # without force and open there is no column: nothing is to be found there
    if force == 0.0 and depth < 0.0:
        found[:12, 12] = 0.0
        found[12, 12] = -1.0 / 7.0
    assert tangent == pytest.approx(found, abs=1e-7)


def test_rows_of_both_sides_stand_in_blocks_of_equal_coordinates() -> None:
    rng = np.random.default_rng(7)
    element = element_of(rng)
    stops = [
        HardStop("a", element, RowKind.ANGLE, 2, side, 0.5 * side, 0.0)
        for side in (-1, 1, -1)
    ]
    blocks, order = hard_stop.stop_blocks(stops, np.zeros(3), 4)
    assert order == [0, 2, 1]
    numbers = [b.codes[:, layout.FIRST_MULTIPLIER].tolist() for b in blocks]
    assert numbers == [[4, 5], [6]]
    starts = np.cumsum([10, *(block.n_all_outputs for block in blocks)])
    columns = hard_stop.stop_columns(blocks, starts)
    assert [own.tolist() for own in columns["a"]] == [[10, 12, 14]]
