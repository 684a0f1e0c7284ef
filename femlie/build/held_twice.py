"""Equations of joints and supports that are fulfilled already.

Where all directions that an equation could move are locked (by supports, or as the
rotation of a point mass), its row of the matrix is empty and no solver can find its
force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..assembly import Assembly
from ..elements.base import Array
from ..elements.joint import (
    JointElement,
    joint_blocks,
)
from ..elements.joint_row import (
    Row,
    RowAction,
)
from ..errors import ModelError
from ..lie import se3
from ..system import PLACE_ROW, BeamShapes, Catalog, DofMap, State, System
from .catalog import KIND_NAMES
from .draft import Draft

HOLD = RowAction.HOLD
# an equation is empty if what is left of its gradient is below this share of it
TOLERANCE = 1e-9
# places at which the gradients are looked at besides the start, in radians and lengths
PROBES = (0.0, 0.3, -0.7)


def without_empty_rows(
    elements: Sequence[JointElement], draft: Draft, parts: dict[str, Any]
) -> list[JointElement]:
    """Elements without the equations that are fulfilled wherever the parts move.

    Parameters
    ----------
    elements : sequence of JointElement
    draft : Draft
        Gets a warning for each part that has lost equations.
    parts : dict of name -> part

    Raises
    ------
    ModelError
        A part that has no equation left, or one whose equation is empty at the start
        only.
    """
    words = {name: KIND_NAMES[type(part)].capitalize() for name, part in parts.items()}
    return [_checked(element, draft, words[element.name]) for element in elements]


def _checked(element: JointElement, draft: Draft, kind: str) -> JointElement:
    pair = [element.parent_frame, element.child_frame]
    acting = [row for row in element.rows if row.action is not RowAction.OBSERVE]
    if not acting or not np.all(np.any(draft.numbers[pair] < 0, axis=1)):
        return element
    is_empty = _empty(element, acting, draft)
    always = np.all(is_empty, axis=0)
    user = f"{kind} '{element.name}'"
    dropped = [row for row, gone in zip(acting, always, strict=True) if gone]
    for row, at_start in zip(acting, is_empty[0], strict=True):
        if at_start and row.action is HOLD and row not in dropped:
            raise ModelError(
                f"{user} holds a direction in which both of its sides, as they lie at "
                "the start, are held already, so that its force cannot be found: "
                "remove one of the supports there, or place it elsewhere."
            )
    if not dropped:
        return element
    _refuse_idle(dropped, user)
    rows = tuple(row for row in element.rows if not any(row is d for d in dropped))
    if not any(row.action is not RowAction.OBSERVE for row in rows):
        raise ModelError(
            f"{user} holds only what is held already: remove it, or a support there."
        )
    n_held = sum(row.action is HOLD for row in acting)
    draft.warnings.append(
        f"{user}: {len(dropped)} of its {n_held} equations hold what is held there "
        "already and were left out; supports take their forces."
    )
    return replace(element, rows=rows)


def _refuse_idle(dropped: list[Row], user: str) -> None:
    """Refuse motors, springs and stops on what cannot move."""
    if any(row.action >= RowAction.LAW for row in dropped):
        raise ModelError(
            f"{user} has a motor, spring or stop on a coordinate that cannot change, "
            "because what it joins is held there: remove it, or release a support."
        )
    if any(row.amplitude != 0.0 for row in dropped):
        raise ModelError(
            f"{user} prescribes a motion in a direction in which what it joins is held "
            "already: release that direction of the support there."
        )


def _empty(element: JointElement, rows: list[Row], draft: Draft) -> Array:
    """(n_probes, n_rows) whether nothing that may move changes a coordinate."""
    frames = list(dict.fromkeys((0, element.parent_frame, element.child_frame)))
    is_free = (draft.numbers[frames] >= 0)[1:].reshape(-1)
    system = _alone(element, rows, frames, draft)
    assembly = Assembly(system)
    n = is_free.size
    found = []
    for size in PROBES:
        increment = np.zeros(system.dofs.n_rows)
        increment[:n] = size * np.sin(1.0 + np.arange(n)) * is_free
        state = assembly.retract(system.state, increment)
        gradient = assembly.tangent(state).toarray()[n:, :n]
        left = np.linalg.norm(gradient[:, is_free], axis=1)
        found.append(left <= TOLERANCE * np.linalg.norm(gradient, axis=1))
    return np.array(found)


def _alone(
    element: JointElement, rows: list[Row], frames: list[int], draft: Draft
) -> System:
    """The coordinates as equations, with nothing locked but the ground."""
    numbers = np.arange(6 * len(frames)).reshape(-1, 6) - 6
    numbers[0] = -1
    own = replace(
        element,
        parent_frame=frames.index(element.parent_frame),
        child_frame=frames.index(element.child_frame),
        rows=tuple(replace(row, action=HOLD) for row in rows),
    )
    blocks = joint_blocks([own])
    n_frames, m = len(frames), len(rows)
    none = np.zeros(0, dtype=np.int64)
    ends = np.zeros((0, 2), dtype=np.int64)
    beams = BeamShapes(ends, np.zeros((0, 2, 7)), np.zeros(0), ends, (), ends)
    return System(
        state=State(
            time=0.0,
            poses=se3.pose_from_frame(draft.places.frames[frames]),
            velocities=np.zeros((n_frames, 6)),
            accelerations=np.zeros((n_frames, 6)),
            multipliers=np.zeros(m),
            increments=np.zeros((n_frames, 6)),
            history=tuple(np.zeros((b.n_elements, b.n_history)) for b in blocks),
        ),
        dofs=DofMap(numbers, 6 * (n_frames - 1), m, np.full(m, PLACE_ROW)),
        blocks=tuple(blocks),
        signals=draft.signals.finish(),
        size=1.0,
        catalog=Catalog(none, np.zeros((0, 7)), none, {}, {}, {}, beams, {}),
    )
