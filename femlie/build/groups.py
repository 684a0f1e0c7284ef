"""The group that each frame moves in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _groups
from ..elements.base import Block, IntArray
from ..elements.joint import JointKind
from ..parts.connections import Joint
from ..parts.structure import FrameGroup, MotionGroup
from .places import Places

# joints whose relative motions form a subgroup
LOWER_PAIRS = (
    JointKind.FIXED,
    JointKind.REVOLUTE,
    JointKind.PRISMATIC,
    JointKind.SCREW,
    JointKind.CYLINDRICAL,
    JointKind.SPHERICAL,
    JointKind.PLANAR,
)


def frame_groups(
    chosen: list[FrameGroup],
    parts: dict[str, Any],
    places: Places,
    numbers: IntArray,
    blocks: list[Block],
) -> IntArray | None:
    """(n_frames,) numbers of the groups; later parts overwrite earlier ones.

    None where nothing is said: SE(3) everywhere.
    """
    if not chosen:
        return None
    n = numbers.shape[0]
    groups = np.full(n, _groups.SE3, dtype=np.int64)
    held = _held_by_ground(parts, numbers, blocks)
    for part in chosen:
        user = f"Frame group '{part.name}'"
        frames = np.arange(1, n)
        if part.on is not None:
            nodes = np.concatenate([places.moving(m, user=user) for m in part.on])
            frames = np.unique(places.node_frames[nodes])
        if part.group is MotionGroup.AUTO:
            groups[frames] = np.where(held[frames], _groups.SE3, _groups.SO3_R3)
        else:
            is_rigid = part.group is MotionGroup.SE3
            groups[frames] = _groups.SE3 if is_rigid else _groups.SO3_R3
    groups[0] = _groups.SE3
    return groups


def _held_by_ground(
    parts: dict[str, Any], numbers: IntArray, blocks: list[Block]
) -> NDArray[np.bool_]:
    """(n_frames,) bool array: whether the ground holds a frame in a subgroup."""
    held: NDArray[np.bool_] = np.array((numbers < 0).any(axis=1))
    for block in blocks:
        if block.kind != "joint":
            continue
        for name, (parent, child) in zip(block.names, block.frames, strict=True):
            part = parts.get(name)
            if isinstance(part, Joint) and part.kind in LOWER_PAIRS:
                if parent == 0:
                    held[child] = True
                if child == 0:
                    held[parent] = True
    return held
