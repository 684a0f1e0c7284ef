"""URDF files: the only module that imports yourdfpy, which parses them."""

from __future__ import annotations

import logging
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.base import Array
from ..errors import ModelError, suggestion

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
# what yourdfpy raises on files that lack what it looks for
FAULTS = (KeyError, ValueError, TypeError, AttributeError, IndexError)


class UrdfFeature(Enum):
    """What may be left out where femlie, or the user, cannot follow a file."""

    FRICTION = "friction"  # dry friction of joints
    MIMIC = "mimic"  # joints that follow others; they move freely then
    LIMITS = "limits"  # ranges of joints
    SURFACES = "surfaces"  # what links look like
    # that no principal inertia is larger than the sum of the others
    INERTIA_CHECK = "inertia_check"


class Robot:
    """What a file says, checked, and where its links stand at zero.

    Attributes
    ----------
    path : Path
    root : str
        The link that is no joint's child.
    links : dict of str -> link of yourdfpy
        From the root outwards.
    joints : dict of str -> joint of yourdfpy
    frames : dict of str -> (4, 4) array
        Links in the frame of the root while all coordinates are zero.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        robot = _parsed(path)
        links = _by_name(robot.links, "link", self.error)
        self.joints = _by_name(robot.joints, "joint", self.error)
        for name, joint in self.joints.items():
            self._check_joint(name, joint, links)
        children = {joint.child for joint in self.joints.values()}
        roots = [name for name in links if name not in children]
        if len(roots) != 1:
            shown = ", ".join(f"'{name}'" for name in roots) or "none"
            raise self.error(
                f"expected one link that no joint moves, found {len(roots)} ({shown}): "
                "join them by fixed joints."
            )
        self.root = roots[0]
        self.frames = {self.root: np.eye(4)}
        below: dict[str, list[Any]] = {}
        for joint in self.joints.values():
            below.setdefault(joint.parent, []).append(joint)
        for joint in _outwards(self.root, below):
            if joint.child in self.frames:
                raise self.error(f"link '{joint.child}' is the child of two joints.")
            self.frames[joint.child] = self.frames[joint.parent] @ pose_of(joint)
        lost = [name for name in links if name not in self.frames]
        if lost:
            raise self.error(
                f"link '{lost[0]}' hangs on a ring of joints that no joint ties to "
                f"'{self.root}'."
            )
        self.links = {name: links[name] for name in self.frames}

    def error(self, message: str) -> ModelError:
        """Exception that names the file."""
        return ModelError(f"{self.path}: {message}")

    def _check_joint(self, name: str, joint: Any, links: dict[str, Any]) -> None:
        if joint.type not in KINDS:
            raise self.error(
                f"joint '{name}' is of the type {joint.type!r}: expected one of "
                f"{', '.join(KINDS)}."
            )
        for end in (joint.parent, joint.child):
            if end not in links:
                near = suggestion(str(end), links, what="links")
                raise self.error(f"joint '{name}' names the link {end!r}. {near}")
        axis = np.asarray(joint.axis, dtype=float)
        if joint.type in ("fixed", "floating"):
            return
        if axis.shape != (3,) or not np.linalg.norm(axis) > 0.0:
            raise self.error(
                f"joint '{name}' has the axis {axis.tolist()}: expected a direction."
            )


def _parsed(path: Path) -> Any:
    if not path.is_file():
        siblings = [p.name for p in path.parent.glob("*.urdf") if p.is_file()]
        near = suggestion(path.name, siblings, what=f"URDF files in '{path.parent}'")
        raise ModelError(f"There is no file '{path}'. {near}")
    try:
        # yourdfpy reads what it can of a damaged file, without a word
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise ModelError(f"{path}: it is not well-formed XML ({error}).") from None
    if root.tag != "robot":
        raise ModelError(
            f"{path}: it holds <{root.tag}>, expected <robot>: xacro files become URDF "
            "by the program xacro."
        )
    try:
        import yourdfpy
    except ImportError as error:
        raise ModelError(
            "URDF files are read by yourdfpy, which is not installed: pip install "
            "'femlie[robots]'."
        ) from error
    log = logging.getLogger("yourdfpy")
    level = log.level
    try:
        # it warns of what femlie refuses, and of what says nothing to a model
        log.setLevel(logging.CRITICAL)
        loaded = yourdfpy.URDF.load(
            str(path), build_scene_graph=False, load_meshes=False
        )
    except FAULTS as error:
        raise ModelError(
            f"{path}: it is no URDF that yourdfpy understands "
            f"({type(error).__name__}: {error})."
        ) from error
    finally:
        log.setLevel(level)
    return loaded.robot


def _by_name(
    items: list[Any], what: str, error: Callable[[str], ModelError]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in items:
        if not item.name or item.name in found:
            fault = "twice" if item.name else "without a name"
            raise error(f"{what} '{item.name}' stands there {fault}.")
        found[item.name] = item
    if not found and what == "link":
        raise error("it has no links.")
    return found


def _outwards(root: str, below: dict[str, list[Any]]) -> Iterator[Any]:
    """Joints from the root, each branch to its end before the next."""
    waiting = list(reversed(below.get(root, [])))
    visited = 0
    most = sum(map(len, below.values()))
    while waiting and visited <= most:
        joint = waiting.pop()
        visited += 1
        yield joint
        waiting += reversed(below.get(joint.child, []))


def pose_of(item: Any) -> Array:
    """(4, 4) frame from the tag ``<origin>`` of a joint, a visual or an inertial."""
    return np.eye(4) if item.origin is None else np.asarray(item.origin, dtype=float)
