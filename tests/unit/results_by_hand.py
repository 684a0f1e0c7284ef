"""A small model with a motion known in closed form, built by hand without a solver.

Three nodes 10, 20, 30 on the x axis carry two beams and turn about the z axis while
they drift; a block slides out along the turning line. Node 40 belongs to nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from femlie import sensors
from femlie.elements import _beam_geometry, _beam_kernel
from femlie.elements.base import Block
from femlie.elements.joint import (
    JointElement,
    JointKind,
    free_rows,
    held_rows,
)
from femlie.elements.joint import joint_blocks as make_joint_blocks
from femlie.records import Records
from femlie.system import (
    BeamShapes,
    Catalog,
    DofMap,
    ElementRange,
    Signals,
    State,
    Surface,
    System,
)

NODES = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
BLOCK = np.array([4.0, 0.0, 0.0])
# where the frames that carry the nodes sit, and how they are turned: off the nodes
FRAME_OFFSETS = np.array([[0.1, -0.2, 0.3], [0.0, 0.2, 0.1], [-0.3, 0.1, 0.2]])
FRAME_PLACES = NODES + FRAME_OFFSETS
FRAME_TURNS = Rotation.from_rotvec(
    [[0.3, 0.5, -0.2], [-1.0, 0.4, 0.9], [0.2, 2.0, 0.7]]
)
DRIFT = np.array([0.3, -0.1, 0.2])
SPEED, SPEED_RATE = 2.0, 3.0  # of the turn about z
SLIDE_RATE = 0.8  # the block slides by SLIDE_RATE t^2 / 2
SUPPORT_TURN = Rotation.from_rotvec([0.4, -0.3, 0.8])
PARENT_TURN = Rotation.from_rotvec([0.9, 0.1, 0.3])
CHILD_TURN = Rotation.from_rotvec([-0.2, 0.7, 1.1])
CHILD_ARM = np.array([0.05, 0.1, -0.15])
N_HELD, N_ROLLER = 5, 1
# columns of what the blocks observe: two beams, the hinge, the roller
HINGE = 2 * 18
ROLLER = HINGE + 7 + N_HELD + 2 * (N_HELD + 1)
N_OUTPUTS = ROLLER + 7 + N_ROLLER + 2 * N_ROLLER


class Motion(NamedTuple):
    """World quantities of a point that rides along, all (n_times, 3)."""

    place: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def quaternion(turn: Rotation) -> np.ndarray:
    return np.asarray(turn.as_quat(scalar_first=True))


def pose(place: Any, turn: Rotation) -> np.ndarray:
    return np.concatenate((place, quaternion(turn)))


def turn_at(times: np.ndarray) -> Rotation:
    """Turn of everything since the start."""
    angle = SPEED * times + 0.5 * SPEED_RATE * times**2
    return Rotation.from_rotvec(angle[:, None] * [0.0, 0.0, 1.0])


def angular_velocity(times: np.ndarray) -> np.ndarray:
    return (SPEED + SPEED_RATE * times)[:, None] * np.array([0.0, 0.0, 1.0])


def motion_of(start: np.ndarray, times: np.ndarray, slide_rate: float = 0.0) -> Motion:
    """A point that starts at a place and slides along the turning x axis."""
    turn = turn_at(times)
    along = turn.apply([1.0, 0.0, 0.0])
    arm = turn.apply(start) + 0.5 * slide_rate * times[:, None] ** 2 * along
    slip = slide_rate * times[:, None] * along
    spin, change = angular_velocity(times), np.array([0.0, 0.0, SPEED_RATE])
    return Motion(
        arm + DRIFT * times[:, None],
        DRIFT + np.cross(spin, arm) + slip,
        np.cross(change, arm)
        + np.cross(spin, np.cross(spin, arm))
        + 2.0 * np.cross(spin, slip)
        + slide_rate * along,
    )


def twists(motion: Motion, turns: Rotation, times: np.ndarray) -> tuple[Any, Any]:
    """Body-fixed velocities and their rates of a frame."""
    spin, change = angular_velocity(times), np.array([0.0, 0.0, SPEED_RATE])
    back = turns.inv()
    linear, angular = back.apply(motion.velocity), back.apply(spin)
    rate = back.apply(motion.acceleration) - np.cross(angular, linear)
    angular_rate = back.apply(np.tile(change, (len(times), 1)))
    return (
        np.concatenate((linear, angular), axis=1),
        np.concatenate((rate, angular_rate), axis=1),
    )


def blocks() -> tuple[Block, ...]:
    """Two beams; a hinge from node 30 to the block; a roller under node 30."""
    beams = Block(
        kind="beam",
        kernels=(_beam_kernel.evaluate, _beam_kernel.carry, _beam_kernel.observe),
        frames=np.array([[1, 2], [2, 3]]),
        codes=np.zeros((2, _beam_geometry.N_CODES), np.int64),
        parameters=np.zeros((2, _beam_geometry.N_PARAMETERS)),
        names=("rod", "rod"),
        n_outputs=18,
    )
    hinge = JointElement(
        "hinge",
        3,
        4,
        pose([0.2, 0.0, 0.1], PARENT_TURN),
        pose(CHILD_ARM, CHILD_TURN),
        (*held_rows(JointKind.REVOLUTE), *free_rows(JointKind.REVOLUTE)),
    )
    identity = pose(np.zeros(3), Rotation.identity())
    roller = JointElement(
        "roller", 0, 3, identity, node_offset(2), held_rows(JointKind.POINT_ON_PLANE)
    )
    return (beams, *make_joint_blocks([hinge, roller]))


def node_offset(i: int, turn: Rotation | None = None) -> np.ndarray:
    """Pose of a node, turned or not, in its frame."""
    back = FRAME_TURNS[i].inv()
    own = back * (turn if turn is not None else Rotation.identity())
    return pose(back.apply(NODES[i] - FRAME_PLACES[i]), own)


def outline(radius: float) -> np.ndarray:
    angle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    return radius * np.column_stack((np.cos(angle), np.sin(angle)))


def catalog() -> Catalog:
    """Names of the model, some of them strange."""
    no_node = pose(np.zeros(3), Rotation.identity())
    offsets = np.stack([*(node_offset(i) for i in range(3)), no_node])
    corners = np.vstack((np.zeros(3), 0.2 * np.eye(3)))
    return Catalog(
        node_frames=np.array([1, 2, 3, -1]),
        node_offsets=offsets,
        node_numbers=np.array([10, 20, 30, 40]),
        groups={
            "rod": np.array([0, 1, 2]),
            "tip": np.array([2]),
            "feet nodes": np.array([0, 1]),
            "with orphan": np.array([2, 3]),
            "höhe/über.alles 50%": np.array([1]),
            ".": np.array([0]),
            "many": np.tile([0, 1, 2], 10),
        },
        parts={
            "rod": (ElementRange(0, np.array([0, 1])),),
            "hinge": (ElementRange(1, np.array([0])),),
            "roller": (ElementRange(2, np.array([0])),),
        },
        kinds={
            "rod": "beam",
            "block": "body",
            "hinge": "joint",
            "feet": "support",
            "roller": "support",
        },
        beams=BeamShapes(
            frames=np.array([[1, 2], [2, 3]]),
            offsets=np.stack([offsets[[0, 1]], offsets[[1, 2]]]),
            lengths=np.array([1.0, 2.0]),
            outlines=np.array([[0, 0], [0, -1]]),
            loops=((outline(0.1), outline(0.05)),),
            nodes=np.array([[0, 1], [1, 2]]),
        ),
        beam_ranges={"rod": np.array([0, 1])},
        surfaces={
            "block": Surface(
                4, corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
            )
        },
        joint_rows={"hinge": ("angle",)},
        locked={
            "feet": np.array([[1, d] for d in range(6)] + [[2, d] for d in range(3)]),
            "roller": np.zeros((0, 2), np.int64),
        },
        support_points={
            "feet": np.array([[i + 1, *node_offset(i, SUPPORT_TURN)] for i in (0, 1)]),
            "roller": np.array([[3, *node_offset(2, SUPPORT_TURN)]]),
        },
        sensors={
            "tip speed": sensors.PointSensor(
                "tip speed", at="tip", quantity=sensors.Quantity.VELOCITY
            ),
            "angle": sensors.JointSensor("angle", joint="hinge"),
            "moment": sensors.SectionForceSensor(
                "moment", beam="rod", component=sensors.SectionForce.BENDING_MOMENT_Z
            ),
            "foot": sensors.ReactionSensor("foot", part="feet", direction=(0, 0, 1)),
            "gap": sensors.RelativeSensor("gap", first="tip", second="block"),
            "total energy": sensors.EnergySensor("total energy"),
        },
    )


def system() -> System:
    """The model, with frames off their nodes."""
    poses = np.stack(
        [
            pose(np.zeros(3), Rotation.identity()),
            *(pose(FRAME_PLACES[i], FRAME_TURNS[i]) for i in range(3)),
            pose(BLOCK, Rotation.identity()),
        ]
    )
    numbers = np.arange(30).reshape(5, 6)
    zero = np.zeros((5, 6))
    n_multipliers = N_HELD + N_ROLLER
    return System(
        state=State(0.0, poses, zero, zero, np.zeros(n_multipliers), zero, ()),
        dofs=DofMap(numbers, 30, n_multipliers, np.zeros(n_multipliers, np.int64)),
        blocks=blocks(),
        signals=Signals(np.zeros((0, 3), np.int64), np.zeros(0)),
        size=4.0,
        catalog=catalog(),
        summary={"nodes": 3},
    )


def records(times: np.ndarray) -> Records:
    """The motion in closed form; forces are distinct numbers."""
    n = len(times)
    turn = turn_at(times)
    poses, velocities = np.zeros((n, 5, 7)), np.zeros((n, 5, 6))
    accelerations = np.zeros((n, 5, 6))
    poses[:, 0, 3] = 1.0
    starts = [*zip(FRAME_PLACES, FRAME_TURNS, strict=True)]
    for i, (place, own) in enumerate([*starts, (BLOCK, Rotation.identity())], start=1):
        motion = motion_of(place, times, SLIDE_RATE if i == 4 else 0.0)
        turns = turn * own
        poses[:, i, :3], poses[:, i, 3:] = motion.place, quaternion(turns)
        velocities[:, i], accelerations[:, i] = twists(motion, turns, times)
    outputs = np.arange(N_OUTPUTS) + 100.0 * np.arange(n)[:, None]
    energies = np.arange(11) + 10.0 * np.arange(n)[:, None]
    reactions = np.zeros((n, 2, 6))
    reactions[:, 0] = np.arange(1.0, 7.0) * (1.0 + times[:, None])
    reactions[:, 1, :3] = [-2.0, 5.0, 3.0]
    return Records(
        times,
        poses,
        velocities,
        accelerations,
        np.zeros((n, N_HELD + N_ROLLER)),
        outputs,
        reactions,
        energies,
    )
