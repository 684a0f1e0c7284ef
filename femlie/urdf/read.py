"""Links and joints of a URDF file as parts of a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..build.bodies import inertia_matrix
from ..elements.joint import JointKind
from ..errors import ModelError, suggestion
from ..lie import so3
from ..mesh import MassProperties
from ..model import Model
from ..parts.connections import Joint, JointSpring, Motor, Stop, Support
from ..parts.structure import Body, RigidLink
from .file import Robot, UrdfFeature, pose_of
from .surfaces import surface_of

KIND_OF = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "planar": JointKind.PLANAR,
}
HAS_LIMITS = ("revolute", "prismatic")
# a stop gives so much under the largest effort of its joint [rad or m]
DEPTH_OF_STOP = 0.01


@dataclass(frozen=True)
class _Options:
    """What the user adds to the joints of a file."""

    motors: Mapping[str, Any]
    springs: Mapping[str, Any]
    stop: Stop | None
    leave_out: tuple[UrdfFeature, ...]


def read_urdf(
    path: str | Path,
    *,
    base_is_free: bool = False,
    motors: Mapping[str, Motor] | None = None,
    springs: Mapping[str, JointSpring] | None = None,
    stop: Stop | None = None,
    leave_out: Sequence[UrdfFeature] = (),
    folder: Path | None = None,
) -> Model:
    """A robot from a URDF file.

    Parameters
    ----------
    path : str or path
    base_is_free : bool
        Whether the root link floats, instead of being clamped to the ground.
    motors : dict of joint -> Motor
        Added to the joints named.
    springs : dict of joint -> JointSpring
        Added to the joints named, beside the damping that the file gives.
    stop : Stop or None
        Stiffness and damping of the ends of all ranges. Default: a stiffness at which
        the largest effort of the joint presses a stop in by 0.01 (rad or m).
    leave_out : sequence of UrdfFeature
        What to pass over: dry friction, mimic joints, ranges, surfaces, or the check of
        inertias.
    folder : path or None
        Where a relative path starts, like that of `Model.build`; default: the current
        folder.

    Returns
    -------
    Model
        A body for each link, with its name, frame and inertia; a joint or, for fixed
        joints, a rigid link for each joint. Coordinates are zero as built. Add gravity
        and what else there is.

    Raises
    ------
    ModelError
        With the file and the joint or link that cannot be followed.

    Notes
    -----
    A joint whose name a link has is called ``joint NAME``. Links without mass are
    bodies without mass. Efforts and velocities of limits, collision shapes, colors and
    transmissions say nothing to a model.
    """
    start = Path.cwd() if folder is None else Path(folder)
    robot = Robot(start / path)
    given = {"motors": motors or {}, "springs": springs or {}}
    options = _Options(**given, stop=stop, leave_out=tuple(leave_out))
    _check_options(robot, options)
    model = Model(folder=folder)
    for name in robot.links:
        model.add(
            _body(robot, name, options, start, is_absolute=Path(path).is_absolute())
        )
    if not base_is_free:
        model.add(Support(f"base of {robot.root}", at=robot.root))
    for joint in robot.joints.values():
        part = _connection(robot, joint, options)
        if part is not None:
            model.add(part)
    return model


def _check_options(robot: Robot, options: _Options) -> None:
    movable = [name for name, j in robot.joints.items() if j.type in KIND_OF]
    for what in ("motors", "springs"):
        for name in getattr(options, what):
            if name not in movable:
                near = suggestion(name, movable, what="joints that move")
                raise robot.error(f"{what} names the joint '{name}'. {near}")
    for item in options.leave_out:
        if not isinstance(item, UrdfFeature):
            known = ", ".join(UrdfFeature.__members__)
            raise robot.error(
                f"leave_out holds {item!r}: expected members of fl.UrdfFeature "
                f"({known})."
            )
    stop = options.stop
    if stop is not None and (stop.lower is not None or stop.upper is not None):
        raise robot.error(
            "stop has limits of its own, where those of the file count: give its "
            "stiffness and damping only."
        )


def _body(
    robot: Robot, name: str, options: _Options, folder: Path, *, is_absolute: bool
) -> Body:
    link, frame = robot.links[name], robot.frames[name]
    mass, inertia, center = 0.0, np.zeros((3, 3)), np.zeros(3)
    if link.inertial is not None:
        pose = pose_of(link.inertial)
        mass = float(link.inertial.mass or 0.0)
        center = pose[:3, 3]
        if link.inertial.inertia is not None:
            inertia = pose[:3, :3] @ link.inertial.inertia @ pose[:3, :3].T
    if not np.isfinite(mass) or mass < 0.0:
        raise robot.error(
            f"link '{name}' has the mass {mass:g}: expected zero or more."
        )
    if mass == 0.0 and inertia.any():
        raise robot.error(
            f"link '{name}' has inertia but no mass, which no body has: give it "
            "both or none."
        )
    surface = None
    if UrdfFeature.SURFACES not in options.leave_out:
        surface = surface_of(robot, link, None if is_absolute else folder)
    inertia = 0.5 * (inertia + inertia.T)
    body = Body(
        name,
        position=_vector(frame[:3, 3]),
        orientation=_vector(so3.log(frame[:3, :3])),
        surface=surface,
    )
    if UrdfFeature.INERTIA_CHECK in options.leave_out and mass > 0.0:
        solid = MassProperties(mass, center, inertia, is_checked=False)
        return dataclasses.replace(body, solid=solid)
    _check_inertia(robot, name, inertia)
    return dataclasses.replace(
        body,
        mass=mass,
        inertia=tuple(map(_vector, inertia)),
        center=_vector(center),
    )


def _check_inertia(robot: Robot, name: str, inertia: Any) -> None:
    try:
        inertia_matrix(inertia, user=f"link '{name}'")
    except ModelError as error:
        raise robot.error(
            f"{error} Mend the file, or say leave_out=(fl.UrdfFeature.INERTIA_CHECK,)."
        ) from error


def _vector(values: Any) -> Any:
    return tuple(float(x) for x in values)


def _connection(
    robot: Robot, joint: Any, options: _Options
) -> Joint | RigidLink | None:
    name = f"joint {joint.name}" if joint.name in robot.links else joint.name
    if joint.type == "fixed":
        return RigidLink(name, at=(joint.parent, joint.child))
    _refuse_mimic(robot, joint, options)
    springs = _springs(robot, joint, options)
    if joint.type == "floating":
        return None
    frame = robot.frames[joint.child]
    axis = np.asarray(joint.axis, dtype=float)
    return Joint(
        name,
        KIND_OF[joint.type],
        parent=joint.parent,
        child=joint.child,
        axis=_vector(frame[:3, :3] @ axis / np.linalg.norm(axis)),
        position=_vector(frame[:3, 3]),
        motor=options.motors.get(joint.name),
        spring=springs,
        stop=_stop(robot, joint, options),
    )


def _refuse_mimic(robot: Robot, joint: Any, options: _Options) -> None:
    if joint.mimic is not None and UrdfFeature.MIMIC not in options.leave_out:
        raise robot.error(
            f"joint '{joint.name}' follows joint '{joint.mimic.joint}', and femlie has "
            "no gears: let it move freely by leave_out=(fl.UrdfFeature.MIMIC,), and "
            "give it a motor or a spring."
        )


def _springs(robot: Robot, joint: Any, options: _Options) -> Any:
    dynamics = joint.dynamics
    damping = _number(robot, joint, "damping", getattr(dynamics, "damping", None))
    friction = _number(robot, joint, "friction", getattr(dynamics, "friction", None))
    if friction != 0.0 and UrdfFeature.FRICTION not in options.leave_out:
        raise robot.error(
            f"joint '{joint.name}' has dry friction ({friction:g}), which joints of "
            "femlie do not have: leave_out=(fl.UrdfFeature.FRICTION,) passes it over."
        )
    if damping != 0.0 and joint.type not in ("revolute", "continuous", "prismatic"):
        raise robot.error(
            f"joint '{joint.name}' is {joint.type} and has damping, which acts on none "
            "of its coordinates: set it to zero and add spring-dampers."
        )
    own = () if damping == 0.0 else (JointSpring(damping=damping),)
    added = options.springs.get(joint.name)
    return (*own, *(() if added is None else (added,))) or None


def _number(robot: Robot, joint: Any, what: str, given: Any) -> float:
    try:
        value = float(given or 0.0)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value) or value < 0.0:
        raise robot.error(
            f"{what} of joint '{joint.name}' is {given!r}: expected zero or more."
        )
    return value


def _stop(robot: Robot, joint: Any, options: _Options) -> Stop | None:
    if joint.type not in HAS_LIMITS or UrdfFeature.LIMITS in options.leave_out:
        return None
    limit = joint.limit
    if limit is None:
        raise robot.error(
            f"joint '{joint.name}' is {joint.type} and has no <limit>: a joint that "
            "turns without end is continuous; or leave_out=(fl.UrdfFeature.LIMITS,)."
        )
    # what a URDF file does not give is zero
    lower, upper = float(limit.lower or 0.0), float(limit.upper or 0.0)
    if options.stop is not None:
        return dataclasses.replace(options.stop, lower=lower, upper=upper)
    effort = float(limit.effort or 0.0)
    if not 0.0 < effort < np.inf:
        raise robot.error(
            f"joint '{joint.name}' has limits but no effort for its stops: give "
            "stop=fl.Stop(stiffness=...), or leave_out=(fl.UrdfFeature.LIMITS,)."
        )
    return Stop(lower=lower, upper=upper, stiffness=effort / DEPTH_OF_STOP)
