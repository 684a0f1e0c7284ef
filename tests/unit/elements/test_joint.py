"""Joints, springs, motors and stops against their definitions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from femlie._jit import IS_COMPILED
from femlie.elements import base, joint
from femlie.elements.joint import (
    JointElement,
    JointKind,
)
from femlie.elements.joint_row import (
    Row,
    RowAction,
    RowKind,
)
from femlie.errors import ModelError
from femlie.lie import se3
from tests.block_case import slopes
from tests.oracles import joint as oracle

HOLD, LAW, OBSERVE = RowAction.HOLD, RowAction.LAW, RowAction.OBSERVE
HELD_COUNTS = {
    JointKind.FIXED: 6,
    JointKind.REVOLUTE: 5,
    JointKind.PRISMATIC: 5,
    JointKind.SCREW: 5,
    JointKind.CYLINDRICAL: 4,
    JointKind.UNIVERSAL: 4,
    JointKind.SPHERICAL: 3,
    JointKind.PLANAR: 3,
    JointKind.POINT_ON_LINE: 2,
    JointKind.POINT_ON_PLANE: 1,
    JointKind.DISTANCE: 1,
}
EVERY_ROW = (
    Row(RowKind.COMPONENT, 1),
    Row(RowKind.DIRECTION, 1, 0),
    Row(RowKind.TURN, 2),
    Row(RowKind.ANGLE),
    Row(RowKind.DISTANCE),
    Row(RowKind.SCREW, pitch=0.3),
)


@dataclass
class Case:
    """A block, a state, and a dense matrix in place of the sparse one."""

    block: base.Block
    motion: base.Motion
    data: base.BlockData

    def evaluate(
        self, level: int = 0, weights: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> tuple[Any, Any, Any]:
        n = int(self.data.rows.max()) + 1
        target = base.Target(np.zeros(n + 1), np.zeros(n * n + 1), np.zeros(4))
        self.block.kernels[0](self.motion, self.data, target, level, *weights)
        return target.residual[:n], target.data[:-1].reshape(n, n), target.scales

    def observe(self) -> tuple[Any, Any]:
        output = np.full((self.block.n_elements, self.block.n_outputs), np.nan)
        energies = np.zeros(base.N_ENERGIES)
        self.block.kernels[2](self.motion, self.data, output, energies)
        return output, energies

    def accept(self) -> None:
        self.block.kernels[1](
            self.motion, self.data, np.zeros((2, 6)), 1.0, base.ACCEPT
        )

    def moved(self, **changes: Any) -> Case:
        return replace(self, motion=self.motion._replace(**changes))

    def displaced(self, increment: Any) -> Case:
        """Frames moved by local increments, (n_frames, 6)."""
        step = se3.pose_from_frame(se3.exp(increment))
        return self.moved(poses=se3.compose_poses(self.motion.poses, step))


def unit_pose(rng: Any, spread: float = 1.0) -> Any:
    return se3.pose_from_frame(se3.exp(spread * rng.normal(size=6)))


def case_of(block: base.Block, poses: Any, rng: Any, n_frames: int) -> Case:
    n, m = block.n_elements, block.n_multipliers
    wrench_rows = (6 * block.frames[:, :, None] + np.arange(6)).reshape(n, 12)
    own = 6 * n_frames + m * np.arange(n)[:, None] + np.arange(m)
    rows = np.ascontiguousarray(np.hstack((wrench_rows, own)), dtype=np.int64)
    size = int(rows.max()) + 1
    slots = (size * rows[:, :, None] + rows[:, None, :]).reshape(n, -1)
    motion = base.Motion(
        np.zeros(2),
        rng.normal(size=(4, 3)),
        poses.copy(),
        poses,
        rng.normal(size=(n_frames, 6)),
        rng.normal(size=(n_frames, 6)),
        0.5 * rng.normal(size=(n_frames, 6)),
        rng.normal(size=m * n),
    )
    history = np.array(block.initial_history)
    data = base.BlockData(
        block.frames,
        block.codes,
        block.parameters,
        history,
        np.zeros((n, 0)),
        rows,
        slots.astype(np.uint32),
    )
    return Case(block, motion, data)


def acting(rows: tuple[Row, ...], action: RowAction) -> tuple[Row, ...]:
    """Rows with every option set; stops are in reach on both sides."""
    return tuple(
        replace(
            row,
            action=action,
            value=0.2,
            amplitude=0.3,
            signal=k % 3,
            stiffness=2.0 + k,
            damping=0.4,
            rest=0.1,
            rest_amplitude=0.2,
            rest_signal=(k + 1) % 3,
            torque=0.7,
            torque_signal=(k + 2) % 4 - 1,
            lower=0.3,
            upper=0.2,
            stop_stiffness=1.5,
            stop_damping=0.2,
        )
        for k, row in enumerate(rows)
    )


def zoo() -> dict[str, tuple[Row, ...]]:
    found = {
        kind.value: acting(joint.held_rows(kind, pitch=0.4, distance=1.0), HOLD)
        + acting(joint.free_rows(kind), LAW)
        for kind in JointKind
    }
    found["every row held"] = acting(EVERY_ROW, HOLD)
    found["law on every row"] = acting(EVERY_ROW, LAW)
    found["motor and observation"] = (*acting(EVERY_ROW[3:4], HOLD), *EVERY_ROW)
    return found


ZOO = zoo()
every_kind = pytest.mark.parametrize("name", ZOO)


def element_of(rows: tuple[Row, ...], rng: Any) -> JointElement:
    return JointElement("a", 0, 1, unit_pose(rng), unit_pose(rng), rows, 9.0)


def single(name: str, seed: int = 1) -> tuple[JointElement, Case]:
    rng = np.random.default_rng(seed)
    element = element_of(ZOO[name], rng)
    (block,) = joint.joint_blocks([element])
    poses = np.array([unit_pose(rng), unit_pose(rng)])
    return element, case_of(block, poses, rng, 2)


def frames_of(case: Case) -> Any:
    return [oracle.frame(pose) for pose in case.motion.poses]


def close(given: Any, expected: Any, tolerance: float) -> None:
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(given, expected, rtol=0, atol=tolerance * scale)


@every_kind
def test_wrenches_do_the_work_of_multipliers_and_laws(name: str) -> None:
    element, case = single(name)
    motion = case.motion
    expected = oracle.wrenches(
        element,
        frames_of(case),
        motion.velocities.ravel(),
        motion.multipliers,
        motion.signals,
    )
    residual, _, scales = case.evaluate()
    close(residual[:12], expected, 1e-13)
    forces = np.linalg.norm(expected.reshape(4, 3), axis=1)
    close(scales[:2], [forces[0] + forces[2], forces[1] + forces[3]], 1e-13)


@pytest.mark.parametrize(("level", "tolerance"), [(0, 1e-13), (1, 1e-13), (2, 1e-9)])
@every_kind
def test_multiplier_rows_are_the_coordinates_and_their_rates(
    name: str, level: int, tolerance: float
) -> None:
    element, case = single(name)
    v, a = case.motion.velocities, case.motion.accelerations
    frames = frames_of(case)
    expected = []
    for row in element.rows:
        if row.action is not HOLD:
            continue
        relative = oracle.relative(element, *frames)
        value = (
            oracle.coordinate(row, relative, element.initial_angle),
            oracle.rate(element, row, frames, v, a, 0.0),
            oracle.second_rate(element, row, frames, v, a),
        )[level]
        constant = row.value if level == 0 else 0.0
        signal = row.amplitude * case.motion.signals[row.signal, level]
        expected.append(value - constant - signal)
    close(case.evaluate(level)[0][12:], np.array(expected), tolerance)


@every_kind
def test_multiplier_columns_are_always_the_gradients(name: str) -> None:
    element, case = single(name)
    expected = np.array(
        [
            oracle.gradient(element, row, *frames_of(case))
            for row in element.rows
            if row.action is HOLD
        ]
    ).reshape(-1, 12)
    for level in range(3):
        for weights in ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)):
            matrix = case.evaluate(level, weights)[1]
            close(matrix[:12, 12:], expected.T, 1e-13)
            assert not np.any(matrix[12:, 12:])


@pytest.mark.parametrize("level", range(3))
@every_kind
def test_tangent_is_the_derivative_of_the_residual(name: str, level: int) -> None:
    case = single(name)[1]
    v, a = case.motion.velocities, case.motion.accelerations
    back = np.zeros((12, 12))
    for k in range(2):
        part = slice(6 * k, 6 * k + 6)
        back[part, part] = se3.tangent_operator_inverse(case.motion.increments[k])

    def displaced(x: Any) -> Any:
        return case.displaced(x.reshape(2, 6)).evaluate(level)[0]

    def faster(x: Any) -> Any:
        return case.moved(velocities=v + x.reshape(2, 6)).evaluate(level)[0]

    def pushed(x: Any) -> Any:
        return case.moved(accelerations=a + x.reshape(2, 6)).evaluate(level)[0]

    stiffness = slopes(displaced, 12)
    damping = slopes(faster, 12) @ back
    mass = slopes(pushed, 12) @ back
    if level == 2:  # of its rows only the mass part is meant to be used
        stiffness[12:] = damping[12:] = 0.0
    for weights in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (2.0, 3.0, 4.0)):
        expected = weights[0] * mass + weights[1] * damping + weights[2] * stiffness
        close(case.evaluate(level, weights)[1][:, :12], expected, 1e-9)


@every_kind
def test_rigid_motion_of_everything_changes_nothing(name: str) -> None:
    case = single(name)[1]
    rigid = unit_pose(np.random.default_rng(5))
    turned = case.moved(poses=se3.compose_poses(rigid, case.motion.poses))
    for level in range(3):
        here, there = (x.evaluate(level, (1.0, 2.0, 3.0)) for x in (case, turned))
        close(there[0], here[0], 1e-12)
        close(there[1], here[1], 1e-12)
    close(turned.observe()[0], case.observe()[0], 1e-12)


@every_kind
def test_wrenches_on_parent_and_child_balance(name: str) -> None:
    case = single(name)[1]
    total = np.zeros(6)
    for k, frame in enumerate(frames_of(case)):
        back = np.linalg.inv(se3.adjoint(frame))
        total += back.T @ case.evaluate()[0][6 * k : 6 * k + 6]
    close(total, np.zeros(6), 1e-13)


@every_kind
def test_observed_wrench_on_the_child_opposes_its_residual(name: str) -> None:
    element, case = single(name)
    offset = se3.adjoint(oracle.frame(element.child_offset))
    expected = -offset.T @ case.evaluate()[0][6:12]
    close(case.observe()[0][0, :6], expected, 1e-12)


@every_kind
def test_powers_and_the_stored_energy_balance(name: str) -> None:
    case = single(name)[1]
    held = case.block.n_multipliers
    # velocities that keep the held rows
    matrix = case.evaluate(1, (0.0, 0.0, 1.0))[1][:12, 12:].T
    gap = case.evaluate(1)[0][12:]
    fix = np.linalg.lstsq(matrix, gap, rcond=None)[0] if held else np.zeros(12)
    case = case.moved(velocities=case.motion.velocities - fix.reshape(2, 6))
    v, signals = case.motion.velocities, case.motion.signals

    def stored(t: Any) -> Any:
        later = signals.copy()
        later[:, 0] += t * signals[:, 1]
        moved = case.displaced(float(t[0]) * v).moved(signals=later)
        return moved.observe()[1][[base.STRAIN]]

    into_motion = -case.evaluate()[0][:12] @ v.ravel()
    energies = case.observe()[1]
    balance = (
        energies[base.MOTOR_POWER]
        - energies[base.DISSIPATED_POWER]
        - slopes(stored, 1)[0, 0]
    )
    assert into_motion == pytest.approx(balance, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize(
    ("depth", "rate", "expected"),
    [
        (-1e-9, 0.7, (0.0, 0.0, 0.0)),
        (1e-9, 0.5, (1.1e-6, 1100.0, 2e-7)),
        (0.1, 0.5, (110.0, 1100.0, 20.0)),
        (0.1, -4.9, (2.0, 20.0, 20.0)),
        (0.1, -5.1, (0.0, 0.0, 0.0)),
    ],
)
def test_stops_push_with_their_exact_slopes_and_never_pull(
    sign: float, depth: float, rate: float, expected: tuple[float, float, float]
) -> None:
    force, by_depth, by_rate = expected
    row = Row(
        RowKind.COMPONENT,
        2,
        action=LAW,
        lower=-1.0,
        upper=1.0,
        stop_stiffness=1000.0,
        stop_damping=0.2,
    )
    here = np.eye(7)[3]
    (block,) = joint.joint_blocks([JointElement("a", 0, 1, here, here, (row,))])
    poses = np.array([here, here])
    poses[1, 2] = sign * (1.0 + depth)
    case = case_of(block, poses, np.random.default_rng(0), 2)
    velocities = np.zeros((2, 6))
    velocities[1, 2] = sign * rate
    case = case.moved(velocities=velocities, increments=np.zeros((2, 6)))
    assert sign * case.evaluate()[0][8] == pytest.approx(force, rel=1e-6, abs=1e-12)
    stiffness = case.evaluate(0, (0.0, 0.0, 1.0))[1][8, 8]
    damping = case.evaluate(0, (0.0, 1.0, 0.0))[1][8, 8]
    assert stiffness == pytest.approx(by_depth, rel=1e-9)
    assert damping == pytest.approx(by_rate, rel=1e-6)


def spinning(angle: float) -> Any:
    """Ground, and a frame turned about the third axis."""
    poses = np.tile(np.eye(7)[3], (2, 1))
    poses[1, 3], poses[1, 6] = math.cos(angle / 2), math.sin(angle / 2)
    return poses


def test_angle_and_screw_count_ten_thousand_turns() -> None:
    here = np.eye(7)[3]
    rows = (Row(RowKind.ANGLE), Row(RowKind.SCREW, pitch=0.01))
    (block,) = joint.joint_blocks([JointElement("a", 0, 1, here, here, rows)])
    case = case_of(block, spinning(0.0), np.random.default_rng(0), 2)
    n = 31500 if IS_COMPILED else 500
    for k in range(1, n + 1):
        case = case.moved(poses=spinning(-2.0 * k))
        if k == n:
            output = case.observe()[0][0]
            assert output[6] == pytest.approx(-2.0, abs=1e-9)
            assert output[7] == pytest.approx(-2.0 * n, abs=1e-9)
            assert output[9] == pytest.approx(0.02 * n, abs=1e-11)
        case.accept()
    assert case.data.history[0, 0] == pytest.approx(-2.0 * n, abs=1e-9)


def test_accepted_angle_changes_on_acceptance_only() -> None:
    case = single("revolute")[1]
    for mode in (base.RESET, base.MOVE):
        case.block.kernels[1](case.motion, case.data, np.zeros((2, 6)), 1.0, mode)
    assert case.data.history[0, 0] == 9.0
    case.evaluate(0, (1.0, 1.0, 1.0))
    case.observe()
    assert case.data.history[0, 0] == 9.0
    case.accept()
    assert abs(case.data.history[0, 0] - 9.0) <= math.pi


def test_stretched_spring_pulls_the_child_back() -> None:
    here = np.eye(7)[3]
    row = Row(RowKind.DISTANCE, action=LAW, stiffness=10.0, rest=2.0)
    (block,) = joint.joint_blocks([JointElement("a", 0, 1, here, here, (row,))])
    poses = np.array([here, here])
    poses[1, 0] = 2.5
    output, energies = case_of(block, poses, np.random.default_rng(0), 2).observe()
    close(output[0, :6], [-5.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-15)
    assert output[0, joint.row_column(0, 0)] == 2.5
    assert energies[base.STRAIN] == pytest.approx(0.5 * 10.0 * 0.5**2)


def test_points_of_a_distance_may_meet() -> None:
    here = np.eye(7)[3]
    row = Row(RowKind.DISTANCE, action=LAW, stiffness=10.0)
    (block,) = joint.joint_blocks([JointElement("a", 0, 1, here, here, (row,))])
    poses = np.array([here, here])
    residual, matrix, _ = case_of(block, poses, np.random.default_rng(0), 2).evaluate(
        0, (1.0, 1.0, 1.0)
    )
    assert np.all(np.isfinite(residual))
    assert np.all(np.isfinite(matrix))


@pytest.mark.parametrize("kind", JointKind)
def test_free_motions_of_a_joint_meet_no_equation(kind: JointKind) -> None:
    rng = np.random.default_rng(3)
    rows = joint.held_rows(kind, pitch=0.3, distance=2.0)
    assert len(rows) == HELD_COUNTS[kind]
    x, y, angle, tilt = rng.normal(size=4)
    turn_z = se3.exp([0, 0, 0, 0, 0, angle])
    place = se3.exp([x, y, 0, 0, 0, 0])
    along = se3.exp([0, 0, x, 0, 0, 0])
    turn = se3.exp([0, 0, 0, x, y, angle])
    relative = {
        JointKind.FIXED: np.eye(4),
        JointKind.REVOLUTE: turn_z,
        JointKind.PRISMATIC: along,
        JointKind.SCREW: se3.exp([0, 0, 0.3 * angle, 0, 0, angle]),
        JointKind.CYLINDRICAL: along @ turn_z,
        JointKind.UNIVERSAL: turn_z @ se3.exp([0, 0, 0, tilt, 0, 0]),
        JointKind.SPHERICAL: turn,
        JointKind.PLANAR: place @ turn_z,
        JointKind.POINT_ON_LINE: along @ turn,
        JointKind.POINT_ON_PLANE: place @ turn,
        JointKind.DISTANCE: turn @ se3.exp([2.0, 0, 0, 0, 0, 0]) @ turn,
    }[kind]
    element = element_of(rows, rng)
    element = replace(element, initial_angle=0.0)
    start = se3.frame_from_pose(unit_pose(rng))
    end = se3.inverse(se3.frame_from_pose(np.array(element.child_offset)))
    joint_frame = start @ se3.frame_from_pose(np.array(element.parent_offset))
    frames = np.array([start, joint_frame @ relative @ end])
    (block,) = joint.joint_blocks([element])
    case = case_of(block, se3.pose_from_frame(frames), rng, 2)
    residual, matrix, _ = case.evaluate(0, (0.0, 0.0, 1.0))
    close(residual[12:], np.zeros(len(rows)), 1e-14)
    assert np.linalg.matrix_rank(matrix[12:, :12]) == len(rows)


def test_angle_of_a_universal_joint_is_the_turn_about_the_parents_axis() -> None:
    here = np.eye(7)[3]
    rows = joint.free_rows(JointKind.UNIVERSAL)
    (block,) = joint.joint_blocks([JointElement("a", 0, 1, here, here, rows)])
    turned = se3.exp([0, 0, 0, 0, 0, 0.8]) @ se3.exp([0, 0, 0, 1.1, 0, 0])
    poses = np.array([here, se3.pose_from_frame(turned)])
    output = case_of(block, poses, np.random.default_rng(0), 2).observe()[0]
    close(output[0, [7, 9]], [0.8, math.sin(1.1)], 1e-15)


def test_blocks_group_by_rows_and_act_like_their_elements() -> None:
    rng = np.random.default_rng(8)
    names = ["screw", "law on every row", "screw", "spherical", "screw", "revolute"]
    elements = [
        JointElement(f"{k}", k, k + 1, unit_pose(rng), unit_pose(rng), ZOO[name], k)
        for k, name in enumerate(names)
    ]
    blocks = joint.joint_blocks(elements)
    # a revolute joint has as many multipliers as a screw, and other rows
    assert [block.n_multipliers for block in blocks] == [5, 0, 3, 5]
    names = [("0", "2", "4"), ("1",), ("3",), ("5",)]
    assert [block.names for block in blocks] == names
    poses = np.array([unit_pose(rng) for _ in range(6)])
    whole = case_of(blocks[0], poses, rng, 6)
    given = whole.evaluate(1, (1.0, 2.0, 3.0))
    total = [np.zeros_like(part) for part in given]
    output = whole.observe()[0]
    for k in range(3):
        data = whole.data._replace(
            **{
                name: getattr(whole.data, name)[k : k + 1]
                for name in base.BlockData._fields
            }
        )
        target = base.Target(np.zeros(52), np.zeros(51 * 51 + 1), np.zeros(4))
        block = blocks[0]
        block.kernels[0](whole.motion, data, target, 1, 1.0, 2.0, 3.0)
        total[0] += target.residual[:51]
        total[1] += target.data[:-1].reshape(51, 51)
        total[2][:2] += target.scales[:2]
        (alone,) = joint.joint_blocks([elements[2 * k]])
        own = np.zeros((1, alone.n_outputs))
        codes = alone.codes + 0
        codes[0, 0] = 5 * k
        data = data._replace(codes=codes, parameters=alone.parameters)
        alone.kernels[2](whole.motion, data, own, np.zeros(6))
        close(output[k, : own.size], own[0], 0.0)
    close(total[0], given[0], 1e-14)
    close(total[1], given[1], 1e-14)
    close(total[2][:2], given[2][:2], 1e-14)


def test_distance_without_length_is_refused() -> None:
    with pytest.raises(ModelError, match="spherical"):
        joint.held_rows(JointKind.DISTANCE)
