"""One case of every kind of element, with every option: a new kind joins it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import femlie as fl
from femlie.elements import _body_kernel as body_kernels
from femlie.elements.joint import (
    JointElement,
    JointKind,
    free_rows,
    held_rows,
    joint_blocks,
)
from femlie.elements.joint_row import (
    Row,
    RowAction,
    RowKind,
)
from femlie.elements.user import user_block
from femlie.lie import se3
from tests.block_case import BlockCase, block_case, random_pose
from tests.property.random_scripts import CubicTie
from tests.sample_elements import (
    beam_block,
    beam_variants,
    body_block,
    chain,
    cloud_of_masses,
    forked_body,
    load_block,
)

HOLD, LAW = RowAction.HOLD, RowAction.LAW


def with_motor(row: Row) -> Row:
    """A held coordinate that a signal drives."""
    return replace(row, action=HOLD, value=0.1, amplitude=0.4, signal=1)


def with_law(row: Row) -> Row:
    """Spring, damper, motor and stops at once, both stops touched."""
    return replace(
        row,
        action=LAW,
        stiffness=2.0,
        damping=0.4,
        rest=0.1,
        rest_amplitude=0.2,
        rest_signal=2,
        torque=0.7,
        torque_signal=3,
        lower=0.3,
        upper=-0.2,
        stop_stiffness=1.5,
        stop_damping=0.2,
    )


def with_friction(row: Row, limit: float) -> Row:
    """Friction from rest to motion; a small limit slides, a large one sticks."""
    return replace(
        row,
        action=RowAction.RUB,
        limit=limit,
        breakaway=1.6 * limit,
        stribeck_speed=1.3,
        stiffness=2.0,
        rest=0.1,
    )


def rows_of_joints() -> dict[str, tuple[Row, ...]]:
    """Held rows of every kind; motors, then springs and stops, on what is free."""
    found: dict[str, tuple[Row, ...]] = {}
    for kind in JointKind:
        held = held_rows(kind, pitch=0.3, distance=1.2)
        free = free_rows(kind)
        found[f"joint: {kind.value}"] = (*held, *free)
        if free:
            found[f"motors on joint: {kind.value}"] = (*held, *map(with_motor, free))
            found[f"springs on joint: {kind.value}"] = (*held, *map(with_law, free))
        rubbing = [row for row in free if row.kind is not RowKind.DIRECTION]
        for word, limit in {"slides": 0.05, "sticks": 50.0}.items():
            rows = (*held, *(with_friction(row, limit) for row in rubbing))
            if rubbing:
                found[f"joint that {word}: {kind.value}"] = rows
    moving = tuple(
        replace(row, action=HOLD, amplitude=0.3, signal=k)
        for k, row in enumerate(held_rows(JointKind.SPHERICAL), start=1)
    )
    turn = tuple(Row(RowKind.DIRECTION, i, 2, HOLD) for i in range(2))
    turning = with_motor(Row(RowKind.ANGLE))
    found["support that moves and turns"] = (*moving, *turn, turning)
    found["support of one rotation"] = (Row(RowKind.DIRECTION, 1, 2, HOLD),)
    found["held rotations"] = tuple(Row(RowKind.TURN, i, action=HOLD) for i in range(3))
    found["spring between points"] = (with_law(Row(RowKind.DISTANCE)),)
    found["springs on every coordinate"] = tuple(
        with_law(Row(kind, i=0 if kind is RowKind.COMPONENT else 1, pitch=0.2))
        for kind in RowKind
    )
    return found


def element_zoo() -> dict[str, BlockCase]:
    """Cases by name. Frames are strained and move; no increment is zero."""
    zoo = {}
    for name, element in beam_variants().items():
        rng = np.random.default_rng(21)
        zoo[f"beam: {name}"] = block_case(beam_block([element]), chain(1, rng), rng)
    rng = np.random.default_rng(22)
    clouds = [cloud_of_masses(7), cloud_of_masses(8)]
    poses = np.array([random_pose(rng), random_pose(rng)])
    zoo["body"] = block_case(body_block(clouds), poses, rng)
    point = body_block([replace(clouds[0], points=np.zeros((7, 3)))])
    zoo["point mass"] = block_case(point, poses[:1], rng)
    for name, kind in LOADS.items():
        zoo[f"load: {name}"] = block_case(
            load_block(kind, rng), poses[:1], rng, refers_to_space=name != "follower"
        )
    for name, rows in rows_of_joints().items():
        zoo[name] = joint_case(rows)
    for name, is_heavy in {"heavy": True, "without weight": False}.items():
        zoo[f"modal body: {name}"] = modal_case(is_heavy=is_heavy)
    tie = user_block("tie", CubicTie(2.0, 3.0), np.array([[0, 1]]), length=1.0)
    user = block_case(tie, poses, rng)
    zoo["user's element"] = replace(user, rounding=1e-8)
    aside = se3.frame_from_pose(np.array([[random_pose(rng), random_pose(rng)]]))
    tie = user_block(
        "tie", CubicTie(2.0, 3.0), np.array([[0, 1]]), length=1.0, offsets=aside
    )
    user = block_case(tie, poses, rng)
    zoo["user's element with offsets"] = replace(user, rounding=1e-8)
    return zoo


LOADS = {
    "dead": body_kernels.DEAD,
    "follower": body_kernels.FOLLOWER,
    "weight": body_kernels.WEIGHT,
}


def joint_case(rows: tuple[Row, ...]) -> BlockCase:
    rng = np.random.default_rng(23)
    offsets: Any = random_pose(rng), random_pose(rng)
    element = JointElement("a", 0, 1, *offsets, rows, 9.0)
    (block,) = joint_blocks([element])
    poses = np.array([random_pose(rng), random_pose(rng)])
    return block_case(block, poses, rng)


def modal_case(*, is_heavy: bool) -> BlockCase:
    """A forked body with three interfaces and four amplitudes, bent and moving."""
    rng = np.random.default_rng(24)
    model = forked_body()
    if is_heavy:
        for name in ("down", "aside"):
            ramp = fl.Table(times=(0.0, 1.0), values=(0.0, 1.0))
            field = fl.Gravity(name, acceleration=rng.normal(size=3), over_time=ramp)
            model.add(field)
        pull, twist = rng.normal(size=(2, 3))
        model.add(fl.LineLoad("wind", on="fork", force=pull, moment=twist))
    system = model.build()
    block = next(b for b in system.blocks if b.kind == "modal_body")
    ports, amplitudes = block.frames[0, :3], block.frames[0, 3:]
    order = np.concatenate([ports, amplitudes])
    poses = system.state.poses[order]
    bent = se3.exp(0.2 * rng.normal(size=(3, 6)))
    whole = se3.exp(rng.normal(size=6))
    frames = whole @ se3.frame_from_pose(poses[:3]) @ bent
    poses[:3] = se3.pose_from_frame(frames)
    poses[3:, :3] = 0.1 * rng.normal(size=(2, 3))
    block = replace(block, frames=np.arange(5)[None])
    case = block_case(block, poses, rng, refers_to_space=is_heavy)
    for array in (case.motion.velocities, case.motion.accelerations):
        array[3:, 3:] = 0.0
    case.motion.increments[3:] = 0.0
    return replace(case, amplitudes=(3, 4))


ZOO = element_zoo()
