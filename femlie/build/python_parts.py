"""Parts that are written in Python: users' elements and controllers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.user import user_block
from ..errors import ModelError
from ..lie import se3
from ..parts.loads import Controller
from ..parts.structure import UserElement
from .controllers import controller_block
from .draft import Draft
from .first_state import size_of


def add_python_parts(
    draft: Draft, parts: dict[str, Any], sensors: dict[str, Any]
) -> None:
    """Blocks of users' elements and of controllers.

    Raises
    ------
    ModelError
        Groups of different sizes, what the parts themselves refuse.
    """
    places = draft.places
    if not len(places.positions):
        return
    length = size_of(draft)
    for part in parts.values():
        if not isinstance(part, UserElement):
            continue
        user = f"User element '{part.name}'"
        nodes = [places.carried(name, user=user) for name in part.at]
        if len({group.size for group in nodes}) != 1:
            sizes = ", ".join(
                f"'{name}' has {group.size}"
                for name, group in zip(part.at, nodes, strict=True)
            )
            raise ModelError(f"{user} needs groups of equal size: {sizes}.")
        frames = np.stack([places.node_frames[group] for group in nodes], axis=1)
        seen = np.stack([draft.own_poses(group) for group in nodes], axis=1)
        offsets = se3.inverse(places.frames[frames]) @ seen
        draft.blocks.append(
            user_block(part.name, part.element, frames, length=length, offsets=offsets)
        )
    for part in parts.values():
        if isinstance(part, Controller):
            draft.blocks.append(controller_block(part, parts, places, sensors))
