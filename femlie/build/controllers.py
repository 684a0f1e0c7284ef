"""Python functions that see sensors and act: blocks that run interpreted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _equations as eq
from ..elements import _beam_geometry, _beam_kernel
from ..elements._section_forces import add_spread_loads
from ..elements.base import (
    MOTOR_POWER,
    N_ENERGIES,
    Array,
    Block,
    BlockData,
    IntArray,
    Motion,
    Target,
    no_carry,
)
from ..elements.joint import (
    JointKind,
    free_rows,
)
from ..elements.joint_row import (
    RowKind,
)
from ..elements.user import DIFFERENCE, speed_scale
from ..errors import FunctionError, ModelError, call_of_user, suggestion
from ..lie import se3
from ..parts.connections import Joint
from ..parts.loads import Controller
from ..records import ENERGY_NAMES, Layout, Records, layout_of
from ..sensors import EnergySensor, ReactionSensor, prepared
from .calls import check_call
from .connections import joint_frames
from .places import Places, pose_in


def controller_block(
    part: Controller,
    parts: dict[str, Any],
    places: Places,
    sensors: dict[str, Any],
) -> Block:
    """The block of a controller.

    Raises
    ------
    ModelError
        Unknown sensors or joints, both or none of joint and ``at``.
    """
    _check(part, sensors)
    user = f"Controller '{part.name}'"
    if part.joint is not None:
        kernel = _on_joint(part, parts, places)
    else:
        frame, pose = places.frame_of(str(part.at), user=user)
        node = places.node(str(part.at), user=user)
        point = np.eye(4)
        point[:3, 3] = places.positions[node]
        kernel = _Controller(part, [frame], [pose_in(pose, point)], None)
    return Block(
        kind="controller",
        kernels=(kernel.evaluate, no_carry, kernel.observe),
        frames=np.array([kernel.frames], dtype=np.int64),
        codes=np.zeros((1, 0), dtype=np.int64),
        parameters=np.zeros((1, 0)),
        names=(part.name,),
        is_compiled=False,
        bind=kernel.bind,
    )


def _check(part: Controller, sensors: dict[str, Any]) -> None:
    """Refuse sensors that cannot be read, and none or two things to act on."""
    user = f"Controller '{part.name}'"
    for name in part.sensors:
        if name not in sensors:
            raise ModelError(
                f"{user} reads the sensor '{name}', which does not exist. "
                f"{suggestion(name, sensors, what='sensors')}"
            )
        if isinstance(sensors[name], (ReactionSensor, EnergySensor)):
            raise ModelError(
                f"{user} reads the sensor '{name}' of reactions or energies, which are "
                "known after a step only: use positions, velocities, joints or section "
                "forces."
            )
    check_call(
        part.function,
        0.0,
        {},
        what=f"The function of controller '{part.name}', called with two arguments,",
    )
    if (part.joint is None) == (part.at is None):
        raise ModelError(f"{user} needs either joint or at, not both or none.")


def _on_joint(part: Controller, parts: dict[str, Any], places: Places) -> _Controller:
    user = f"Controller '{part.name}'"
    joint = parts.get(str(part.joint))
    if not isinstance(joint, Joint):
        names = [name for name, other in parts.items() if isinstance(other, Joint)]
        raise ModelError(
            f"{user} acts on '{part.joint}', which is no joint. "
            f"{suggestion(str(part.joint), names, what='joints')}"
        )
    free = free_rows(joint.kind)
    if not free or joint.kind is JointKind.POINT_ON_PLANE:
        raise ModelError(
            f"{user} acts on '{joint.name}', a {joint.kind.value} joint without an "
            "axis to act on."
        )
    frame, on_child, _ = joint_frames(joint, places)
    parent, parent_pose = places.frame_of(joint.parent, user=user)
    child, child_pose = places.frame_of(joint.child, user=user)
    offsets = [pose_in(parent_pose, frame), pose_in(child_pose, on_child)]
    return _Controller(part, [parent, child], offsets, free[0].kind)


def codes_without_inertia(blocks: Sequence[Block]) -> dict[int, IntArray]:
    """Codes of blocks of beams, by which their section forces leave inertia out.

    Within a step accelerations are unknown, and what a controller makes of them would
    act on them again.
    """
    found = {}
    for b, block in enumerate(blocks):
        if block.kernels[2] is _beam_kernel.observe:
            codes = np.ascontiguousarray(block.codes, dtype=np.int64).copy()
            codes[:, _beam_geometry.HAS_INERTIA] = 0
            found[b] = codes
    return found


def without_inertia(layout: Layout) -> Layout:
    """A layout in which section forces of modal bodies leave inertia out."""
    bodies = {}
    for name, body in layout.catalog.modal_bodies.items():
        spread = body.spread
        if spread is not None:
            masses, rotary = 0.0 * spread.masses, 0.0 * spread.rotary
            spread = replace(spread, masses=masses, rotary=rotary)
        bodies[name] = replace(body, spread=spread)
    return replace(layout, catalog=replace(layout.catalog, modal_bodies=bodies))


class _Controller:
    """Kernels of a controller, in their signatures.

    The tangent holds how the action changes with the frames that it acts on; what the
    function reads elsewhere is left to Newton's iteration.
    """

    def __init__(
        self,
        part: Controller,
        frames: list[int],
        offsets: list[Array],
        row: RowKind | None,
    ) -> None:
        self.part = part
        self.frames = frames
        self.offsets = np.array(offsets)
        self.row = row
        self.assembly: Any = None
        self.sensors: dict[str, Any] = {}
        self.n_outputs = 0
        self.codes: dict[int, IntArray] = {}

    def bind(self, assembly: Any) -> None:
        """Learn where sensors find their numbers."""
        self.assembly = assembly
        layout = layout_of(assembly.system)
        self.n_outputs = layout.n_outputs
        self.codes = codes_without_inertia(assembly.system.blocks)
        known, layout = layout.catalog.sensors, without_inertia(layout)
        self.sensors = {
            name: prepared(known[name], layout) for name in self.part.sensors
        }

    def evaluate(
        self,
        motion: Motion,
        block: BlockData,
        target: Target,
        level: int,  # noqa: ARG002  (the signature of kernels)
        mass: float,  # noqa: ARG002
        damping: float,
        stiffness: float,
    ) -> None:
        residual = self.residual(motion)
        np.add.at(target.residual, block.rows[0], residual)
        sizes = np.linalg.norm(residual.reshape(-1, 2, 3), axis=2).sum(axis=0)
        target.scales[:2] += sizes
        if stiffness == 0.0 and damping == 0.0:
            return
        size = residual.size
        matrix = np.zeros((size, size))
        for j in range(size):
            frame, k = self.frames[j // 6], j % 6
            if frame == 0:
                continue
            matrix[:, j] += stiffness * self._by_place(motion, frame, k)
        rates = np.zeros((size, size))
        for j in range(size):
            frame, k = self.frames[j // 6], j % 6
            if frame != 0 and damping != 0.0:
                rates[:, j] = damping * self._by_speed(motion, frame, k)
        for i, frame in enumerate(self.frames):
            part = slice(6 * i, 6 * i + 6)
            rates[:, part] = rates[:, part] @ se3.tangent_operator_inverse(
                motion.increments[frame]
            )
        np.add.at(target.data, block.slots[0], (matrix + rates).reshape(-1))

    def observe(
        self,
        motion: Motion,
        block: BlockData,  # noqa: ARG002  (the signature of kernels)
        output: Array,  # noqa: ARG002
        energies: Array,
    ) -> None:
        """Power of the action, booked as that of motors."""
        twists = motion.velocities[self.frames].reshape(-1)
        energies[MOTOR_POWER] -= float(self.residual(motion) @ twists)

    def _by_place(self, motion: Motion, frame: int, k: int) -> Array:
        length = float(self.assembly.equations.length[0])
        step = DIFFERENCE * (length if k < 3 else 1.0)
        twist = np.zeros(6)
        kept = motion.poses[frame].copy()
        found = []
        for sign in (1.0, -1.0):
            twist[k] = sign * step
            move = se3.pose_from_frame(se3.exp(twist))
            motion.poses[frame] = se3.compose_poses(kept, move)
            found.append(self.residual(motion))
        motion.poses[frame] = kept
        return (found[0] - found[1]) / (2.0 * step)

    def _by_speed(self, motion: Motion, frame: int, k: int) -> Array:
        kept = motion.velocities[frame, k]
        length = float(self.assembly.equations.length[0])
        scale = speed_scale(motion.velocities, length)
        step = DIFFERENCE * scale * (length if k < 3 else 1.0)
        found = []
        for sign in (1.0, -1.0):
            motion.velocities[frame, k] = kept + sign * step
            found.append(self.residual(motion))
        motion.velocities[frame, k] = kept
        return (found[0] - found[1]) / (2.0 * step)

    def residual(self, motion: Motion) -> Array:
        """Minus the wrenches, body-fixed at each frame."""
        given = self.action(motion)
        poses = motion.poses[self.frames]
        points = se3.frame_from_pose(se3.compose_poses(poses, self.offsets))
        forces = np.zeros((len(self.frames), 3))
        moments = np.zeros((len(self.frames), 3))
        place = points[-1, :3, 3]
        if self.row is None:
            forces[0], moments[0] = given[:3], given[3:]
        elif self.row is RowKind.ANGLE:
            moments[1] = float(given) * points[1, :3, 2]
            moments[0] = -moments[1]
        else:
            forces[1] = float(given) * points[0, :3, 2]
            forces[0] = -forces[1]
        frames = se3.frame_from_pose(poses)
        arms = place - frames[:, :3, 3]
        moments = moments + np.cross(arms, forces)
        back = np.swapaxes(frames[:, :3, :3], 1, 2)
        local = np.stack(
            [
                np.einsum("nij,nj->ni", back, forces),
                np.einsum("nij,nj->ni", back, moments),
            ],
            axis=1,
        )
        return -local.reshape(-1)

    def action(self, motion: Motion) -> Array:
        """What the function asks for: (), or (6,) on a node."""
        time = float(motion.time[0])
        what = f"The function of controller '{self.part.name}'"
        readings = self.readings(motion)
        answer = call_of_user(self.part.function, time, readings, what=what, time=time)
        try:
            given = np.asarray(answer, dtype=float)
        except (TypeError, ValueError):
            given = np.zeros(0)
        expected = (6,) if self.row is None else ()
        if given.shape != expected or not np.all(np.isfinite(given)):
            wanted = (
                "six finite numbers (force, moment)"
                if self.row is None
                else "one finite number (a torque or force)"
            )
            raise FunctionError(
                f"{what} returned {answer!r} at time {time:g}: expected {wanted}."
            )
        return given

    def readings(self, motion: Motion) -> dict[str, Any]:
        """What the sensors show now: a float, or an array for several columns."""
        outputs = np.zeros(self.n_outputs)
        energies = np.zeros(N_ENERGIES)
        equations = self.assembly.equations
        table = equations.table
        # only what has outputs: controllers would ask each other without end
        for b in np.flatnonzero(table[:, eq.N_OUTPUTS]).tolist():
            at, n, width = (
                int(table[b, k]) for k in (eq.OUTPUTS_AT, eq.OUTPUT_ROWS, eq.N_OUTPUTS)
            )
            output = outputs[at : at + n * width].reshape(n, width)
            data = eq.block_of(equations, equations.rows, b)
            data = data._replace(codes=self.codes.get(b, data.codes))
            equations.functions[b, eq.OBSERVE](motion, data, output, energies)
        add_spread_loads(
            motion,
            equations.spread_codes,
            equations.spread_loads,
            equations.parameters,
            outputs,
        )
        locked = np.zeros((1, 0, 6))
        row = Records(
            times=motion.time[:1],
            poses=motion.poses[None],
            velocities=motion.velocities[None],
            accelerations=motion.accelerations[None],
            multipliers=motion.multipliers[None],
            outputs=outputs[None],
            reactions=locked,
            energies=np.zeros((1, len(ENERGY_NAMES))),
        )
        shown = {}
        for name, sensor in self.sensors.items():
            values = np.asarray(sensor(row))[0]
            shown[name] = float(values[0]) if values.size == 1 else values
        return shown
