"""A segment on a rigid shape, with a state and dense matrices, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from femlie.contact import _layout as layout
from femlie.contact.shapes import RigidShape, Shapes
from femlie.elements import base
from femlie.lie import se3
from tests.contact_pair import LENGTH, N_ROWS, Pair

RADIUS = 0.08


def on_shape(
    form: int,
    kind: int,
    dimensions: Any,
    place: Any,
    *,
    seed: int = 3,
    turn: Any = (0.0, 0.0, 0.0),
    stage: float = 0.0,
    bend: float = 0.15,
    surface: Any = None,
) -> Pair:
    """A bent segment along the first axis, its middle at a place seen from the shape.

    The nodes and the frame of the shape are beside it; frames are those of the pair of
    segments, the last of them carries the shape twice.
    """
    rng = np.random.default_rng(seed)
    middle = se3.exp([*place, 0.0, 0.0, 0.0]) @ se3.exp([0.0, 0.0, 0.0, *turn])
    sections = [
        middle
        @ se3.exp([0.5 * sign * LENGTH, 0.0, 0.0, 0.0, 0.0, 0.0])
        @ se3.exp(bend * rng.normal(size=6) * [0.1, 0.1, 0.1, 1.0, 1.0, 1.0])
        for sign in (-1.0, 1.0)
    ]
    if form == layout.SPHERE:
        sections[1] = sections[0]
    offsets = se3.exp(0.3 * rng.normal(size=(4, 6)))
    offsets[3] = offsets[2]
    if form == layout.SPHERE:
        offsets[1] = offsets[0]
    nodes = np.array([*sections, np.eye(4), np.eye(4)]) @ se3.inverse(offsets)
    away = se3.exp([0.2, -0.4, 0.3, 0.4, -0.8, 0.5])
    poses = se3.pose_from_frame(away @ nodes)
    points = None if surface is None else surface.points
    triangles = None if surface is None else surface.triangles
    item = RigidShape(kind, dimensions, 2, np.zeros(7), "shape", points, triangles)
    table = Shapes((item,), np.array([1])).table
    codes = np.zeros((1, layout.N_CODES), dtype=np.int64)
    codes[0, layout.FORM], codes[0, layout.COUNT] = form, 1
    is_line = form == layout.LINE
    at = layout.MULTIPLIER
    codes[0, at : at + 2] = (0, 1) if is_line else (0, -1)
    codes[0, layout.OWNS : layout.OWNS + 2] = (1, 1) if is_line else (1, 0)
    codes[0, layout.NEXT : layout.NEXT + 4] = layout.CHAIN_END
    codes[0, layout.HAS_OFFSETS] = codes[0, layout.SHAPE] = 1
    codes[0, [layout.SLAVE, layout.MASTER, layout.TOTAL, layout.IS_FIRST]] = 0, 1, 2, 1
    parameters = np.zeros((1, layout.N_PARAMETERS))
    parameters[0, layout.LENGTH] = LENGTH
    parameters[0, layout.RADII] = RADIUS
    parameters[0, layout.UNIT] = 2.0 * RADIUS
    parameters[0, layout.REACH] = 1.0
    parameters[0, layout.PENALTY : layout.PENALTY + 2] = 10.0
    at = layout.SLAVE_OFFSETS
    parameters[0, at : at + 28] = se3.pose_from_frame(offsets).ravel()
    rows = np.arange(N_ROWS, dtype=np.int64)[None].copy()
    if not is_line:
        rows[0, -1] = N_ROWS
    slots = N_ROWS * rows[0, :, None] + rows[0, None]
    slots[(rows[0, :, None] == N_ROWS) | (rows[0, None] == N_ROWS)] = N_ROWS**2
    zero = np.zeros((4, 6))
    motion = base.Motion(
        np.array([1.0, 1.0, stage]),
        np.zeros((1, 3)),
        poses.copy(),
        poses,
        zero,
        zero,
        zero,
        np.array([4.0, 3.0]),
    )
    data = base.BlockData(
        np.array([[0, 1, 2, 2]]),
        codes,
        np.hstack([parameters, table[None]]),
        np.zeros((1, 0)),
        np.zeros((1, layout.N_ITERATES)),
        rows,
        slots.reshape(1, -1).astype(np.uint32),
    )
    found = Pair(motion, data)
    found.carry(base.RESET)
    return found
