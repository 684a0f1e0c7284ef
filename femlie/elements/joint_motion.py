"""What the held rows of a joint leave free: the joint's relative motion, read back.

A joint is described once, by its rows. Trees ask for the motions that the held ones
leave, and for the rows that act by a force law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from . import _joint_rows as layout
from .base import Array, Block, IntArray
from .joint_coordinate import joint_coordinate
from .joint_row import (
    RowAction,
    RowKind,
    axes_of,
)

Z = 2
# rates below this part of their terms are rounding
ROUNDING = 1e-12
HELD_TURNS = {(RowKind.TURN, i, Z) for i in range(3)}
PARALLEL_AXES = {(RowKind.DIRECTION, i, Z) for i in range(2)}
CROSSED_AXES = {(RowKind.DIRECTION, Z, 0)}


class Turning(IntEnum):
    """Rotations that a joint leaves: none, about its axis, two in turn, or all."""

    NONE = 0
    AXIS = 1
    UNIVERSAL = 2
    ALL = 3


@dataclass(frozen=True)
class DrivenRow:
    """A coordinate that follows ``value + amplitude signal``.

    Attributes
    ----------
    component : int
        0, 1, 2: place along the parent's joint axes; 3: angle about the joint's axis.
    value, amplitude : float [m or rad]
    signal : int
        Number of the signal; -1: none.
    """

    component: int
    value: float
    amplitude: float
    signal: int


@dataclass(frozen=True)
class JointMotion:
    """Relative motion of a joint's child frame in its parent frame.

    Attributes
    ----------
    places : (3,) tuple of bool
        Translations that are not held at zero, along the parent's joint axes.
    turning : Turning
    pitch : float or None
        Advance of a screw per radian [m/rad].
    driven : tuple of DrivenRow
        Coordinates with a motion of their own.
    n_held : int
        Rows of the joint that hold something.
    """

    places: tuple[bool, ...]
    turning: Turning
    pitch: float | None
    driven: tuple[DrivenRow, ...]
    n_held: int


def joint_motion(block: Block, element: int) -> JointMotion | None:
    """Motion that the held rows of a joint leave, if it is one that trees know.

    Parameters
    ----------
    block : Block
        Of kind ``"joint"``.
    element : int

    Returns
    -------
    JointMotion or None
        None for distances, for rows that hold one direction only, and for what holds
        nothing: such joints close loops instead.
    """
    held = {}
    pitch = None
    driven = []
    for row in range(n_rows(block)):
        codes, numbers = _row(block, element, row)
        if codes[layout.ACTION] != RowAction.HOLD:
            continue
        kind = RowKind(int(codes[layout.KIND]))
        value, signal = float(numbers[layout.VALUE]), int(codes[layout.SIGNAL])
        axes = axes_of(kind, int(codes[layout.COORDINATE]))
        # a held angle is a coordinate that stands still, so that it is not left free
        moves = signal >= 0 or value != 0.0 or kind is RowKind.ANGLE
        if kind is RowKind.SCREW:
            pitch = -float(numbers[layout.OTHER_FACTOR])
        if moves and kind in (RowKind.COMPONENT, RowKind.ANGLE):
            component = axes[0] if kind is RowKind.COMPONENT else 3
            amplitude = float(numbers[layout.AMPLITUDE]) if signal >= 0 else 0.0
            driven.append(DrivenRow(component, value, amplitude, signal))
        elif moves or kind is RowKind.DISTANCE:
            return None
        held[kind, *axes] = moves
    turning = _turning({key for key in held if key[0] not in _PLACES})
    if turning is None or not held:
        return None
    places = tuple(held.get((RowKind.COMPONENT, i, Z), True) for i in range(3))
    if turning is Turning.UNIVERSAL and any(places):
        return None
    if pitch is not None and (turning is not Turning.AXIS or any(places[:2])):
        return None
    return JointMotion(places, turning, pitch, tuple(driven), len(held))


_PLACES = (RowKind.COMPONENT, RowKind.SCREW)


def _turning(held: set[tuple[RowKind, int, int]]) -> Turning | None:
    angle = (RowKind.ANGLE, Z, Z)
    if not held:
        return Turning.ALL
    if held in (HELD_TURNS, PARALLEL_AXES | {angle}):
        # an angle that a motor moves is a coordinate all the same
        return Turning.NONE if held == HELD_TURNS else Turning.AXIS
    if held == PARALLEL_AXES:
        return Turning.AXIS
    if held in (CROSSED_AXES, CROSSED_AXES | {angle}):
        return Turning.UNIVERSAL
    return None


def n_rows(block: Block) -> int:
    """Rows of each element of a block of joints."""
    return int((block.codes.shape[1] - layout.ROW_CODES) // layout.N_ROW_CODES)


def _row(block: Block, element: int, row: int) -> tuple[IntArray, Array]:
    first = layout.ROW_CODES + layout.N_ROW_CODES * row
    codes = block.codes[element, first : first + layout.N_ROW_CODES]
    first = layout.ROW_PARAMETERS + layout.N_ROW_PARAMETERS * row
    return codes, block.parameters[element, first : first + layout.N_ROW_PARAMETERS]


def has_law(block: Block) -> IntArray:
    """(n_elements,) bool array: whether a row of a joint acts by a law, or rubs."""
    codes = block.codes[:, layout.ROW_CODES :].reshape(
        block.n_elements, -1, layout.N_ROW_CODES
    )
    return np.asarray(np.any(codes[:, :, layout.ACTION] >= RowAction.LAW, axis=1))


def rubbing_names(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Joints with friction, each once."""
    found = [name for b in blocks if rubbing_rows(b) for name in b.names]
    return tuple(dict.fromkeys(found))


def rubbing_rows(block: Block) -> tuple[int, ...]:
    """Rows with friction, the same of all elements of a block."""
    if block.kind != "joint" or not block.n_elements:
        return ()
    codes = block.codes[0, layout.ROW_CODES :].reshape(-1, layout.N_ROW_CODES)
    rows = np.flatnonzero(codes[:, layout.ACTION] == RowAction.RUB)
    return tuple(rows.tolist())


def slid_history(block: Block, poses: Array, velocities: Array) -> Array:
    """History at the start; friction of joints that move is at its limit.

    Parameters
    ----------
    block : Block
        With an initial history.
    poses : (n_frames, 7) array
    velocities : (n_frames, 6) array

    Returns
    -------
    (n_elements, n_history) array
    """
    assert block.initial_history is not None
    history = block.initial_history.copy()
    if block.kind != "joint":
        return history
    for rubbing, row in enumerate(rubbing_rows(block)):
        column = layout.N_HISTORY + layout.N_RUB_HISTORY * rubbing + layout.ANCHOR
        for element, pair in enumerate(block.frames):
            _, parameters = _row(block, element, row)
            offsets = block.parameters[element, : layout.ROW_PARAMETERS].reshape(2, 7)
            kind, axis = coordinate_of(block, element, row)
            _, gradient = joint_coordinate(poses[pair], offsets, kind, axis, 0.0)
            if is_rounding(gradient, velocities[pair]):
                continue
            rate = float(gradient @ velocities[pair].ravel())
            give = parameters[layout.LIMIT] / parameters[layout.STICK_STIFFNESS]
            history[element, column] -= np.sign(rate) * give
    return history


def coordinate_of(block: Block, element: int, row: int) -> tuple[RowKind, int]:
    """Kind and first axis of a row."""
    codes, _ = _row(block, element, row)
    kind = RowKind(codes[layout.KIND])
    return kind, axes_of(kind, int(codes[layout.COORDINATE]))[0]


def is_rounding(gradient: Array, velocities: Array) -> bool:
    """Whether a coordinate with a gradient (12,) rests at velocities (2, 6)."""
    terms = gradient * velocities.ravel()
    return bool(abs(terms.sum()) <= ROUNDING * np.abs(terms).sum())


def selected(block: Block, elements: Sequence[int]) -> Block:
    """Some elements of a block, with multipliers numbered from zero."""
    rows = np.asarray(elements, dtype=np.int64)
    codes = block.codes[rows].copy()
    if block.n_multipliers:
        codes[:, layout.FIRST_MULTIPLIER] = block.n_multipliers * np.arange(rows.size)
    history = block.initial_history
    return replace(
        block,
        frames=block.frames[rows],
        codes=codes,
        parameters=block.parameters[rows],
        names=tuple(block.names[k] for k in rows.tolist()),
        initial_history=None if history is None else history[rows],
    )


def laws_only(block: Block, elements: Sequence[int]) -> Block:
    """Some joints of a block without the rows that hold or observe."""
    chosen = selected(block, elements)
    kept = [
        row
        for row in range(n_rows(block))
        if _row(block, int(elements[0]), row)[0][layout.ACTION] >= RowAction.LAW
    ]
    columns = np.arange(layout.ROW_CODES + layout.N_ROW_CODES * n_rows(block))
    own = (columns - layout.ROW_CODES) // layout.N_ROW_CODES
    codes = chosen.codes[:, (columns < layout.ROW_CODES) | np.isin(own, kept)]
    columns = np.arange(chosen.parameters.shape[1])
    own = (columns - layout.ROW_PARAMETERS) // layout.N_ROW_PARAMETERS
    is_kept = (columns < layout.ROW_PARAMETERS) | np.isin(own, kept)
    return replace(
        chosen,
        codes=codes,
        parameters=chosen.parameters[:, is_kept],
        n_multipliers=0,
        n_outputs=layout.MULTIPLIERS + 2 * len(kept),
    )
