"""A segment on a rigid shape, with a state and dense matrices, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from femlie.contact import _layout as layout
from femlie.contact.shapes import RigidShape, Shapes
from femlie.lie import se3
from tests.contact_pair import LENGTH, Pair, assembled, codes_of, parameters_of

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
    codes = codes_of(form)
    codes[0, layout.SHAPE] = 1
    parameters = parameters_of(offsets, RADIUS, 2.0 * RADIUS)
    friction = np.zeros((1, layout.N_FRICTION))
    parameters = np.hstack([parameters, friction, table[None]])
    return assembled(poses, codes, parameters, frames=(0, 1, 2, 2), stage=stage)
