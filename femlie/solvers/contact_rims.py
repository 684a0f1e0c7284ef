"""Curvature of the rims of cylinders, where corners between pieces of them bear.

A rim is pieces of edges and corners between these. A corner that bears is a fixed point
of its body, on which a lying cylinder would be about to fall; the rim rolls. Of the gap
``g(q, x)`` of a rim with its lowest place x counts ``d2g - f f^T / g_xx``, where f are
the variations of the slope ``g_x``: the corner has the first term only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..contact import _shapes as kinds
from ..contact.model import ContactModel
from ..contact.shapes import RigidShape
from ..elements.base import Array, IntArray, Motion
from ..lie import se3

# angle, and part of the radius, of differences; error: their square
STEP = 1e-4
# rolling is neutral: by this part of its stiffness it counts as stable
NEUTRAL = 1e-4
# a slope above this is not the lowest place of a rim
LOWEST = 1e-2


def stiffness_of_rims(assembly: Assembly, motion: Motion) -> Array:
    """What the entries of the static tangent lack where corners of rims bear."""
    system = assembly.system
    model = system.contact
    missing = np.zeros(assembly.target.data.size - 1)
    block = system.blocks[-1]
    if model is None or not model.has_bodies or block.kind != "contact":
        return missing
    unit = eq_view(assembly.equations, len(system.blocks) - 1, "parameters")
    codes = block.codes
    numbers = codes[:, layout.MULTIPLIER]
    is_one = (codes[:, layout.FORM] == layout.SPHERE) & (codes[:, layout.SHAPE] != 0)
    is_one &= (numbers >= 0) & (motion.multipliers[numbers] > 0.0)
    for i in np.flatnonzero(is_one).tolist():
        found = _slope_of_rim(model, motion.poses, codes[i])
        if found is None:
            continue
        variation, second = found
        force = motion.multipliers[numbers[i]] / unit[i, layout.UNIT]
        rows = system.dofs.numbers[block.frames[i, [0, 2]]].ravel()
        factor = (1.0 + NEUTRAL) * force / second
        _add(assembly, missing, rows, factor * np.outer(variation, variation))
    return missing


def _slope_of_rim(
    model: ContactModel, poses: Array, codes: Array
) -> tuple[Array, float] | None:
    """Variations (12,) of the slope of a gap along a rim, and its derivative.

    Of the frames of the body and of what it lies on; None for what is no rim.
    """
    slave, master = int(codes[layout.SLAVE]), int(codes[layout.MASTER])
    place = model.segments.offsets[slave, 0, :3]
    carriers = model.segments.carriers
    of_shapes = carriers[model.shapes.segments]
    for k in np.flatnonzero(of_shapes == carriers[slave]).tolist():
        rim = _rim_at(model.shapes.items[k], place)
        if rim is None:
            continue
        onto = int(model.segments.shapes[master])
        frames = model.shapes.items[k].frame, model.shapes.items[onto].frame
        gaps = _Gaps(model, rim[0], frames, onto)
        h = rim[1]
        now = gaps.at(poses)
        second = float(now[0] - 2.0 * now[1] + now[2]) / h**2
        is_lowest = abs(now[2] - now[0]) <= 2.0 * LOWEST * h
        if not is_lowest or second * h < LOWEST * STEP:
            return None
        return gaps.variation_of_slope(poses, h), second
    return None


def _rim_at(item: RigidShape, place: Array) -> tuple[Array, float] | None:
    """Three places (3, 3) of a rim around a corner, and the way between them [m].

    In the frame that carries the cylinder; None where the corner is on none.
    """
    inside = se3.frame_from_pose(item.offset)
    x, y, z = inside[:3, :3].T @ (place - inside[:3, 3])
    way = float(np.hypot(x, y))
    is_in = 0.0 < way <= item.dimensions[0] and abs(z) <= item.dimensions[1]
    if item.kind != kinds.CYLINDER or not is_in:
        return None
    angles = np.arctan2(y, x) + STEP * np.array([-1.0, 0.0, 1.0])
    rim = np.stack([way * np.cos(angles), way * np.sin(angles), [z] * 3], axis=1)
    return rim @ inside[:3, :3].T + inside[:3, 3], STEP * way


class _Gaps(NamedTuple):
    """Distances of places on a body to the shape that it lies on."""

    model: ContactModel
    places: Array
    frames: tuple[int, int]
    onto: int

    def at(self, poses: Array) -> Array:
        """(3,) distances [m]."""
        body = se3.frame_from_pose(poses[self.frames[0]])
        points = self.places @ body[:3, :3].T + body[:3, 3]
        return self.model.shapes.distances(self.onto, poses, points)

    def variation_of_slope(self, poses: Array, h: float) -> Array:
        """(12,) derivatives of the slope, by differences over ``h`` and ``STEP``."""
        steps = np.tile([h] * 3 + [STEP] * 3, 2)
        found = np.zeros(12)
        for j in range(12):
            for sign in (-1.0, 1.0):
                twist = np.zeros(6)
                twist[j % 6] = sign * steps[j]
                moved = poses.copy()
                frame = self.frames[j // 6]
                step = se3.pose_from_frame(se3.exp(twist))
                moved[frame] = se3.compose_poses(poses[frame], step)
                gaps = self.at(moved)
                found[j] += sign * (gaps[2] - gaps[0]) / (4.0 * h * steps[j])
        return found


def _add(assembly: Assembly, missing: Array, rows: IntArray, matrix: Array) -> None:
    """Add a small matrix of some unknowns to entries of the large one."""
    indptr, indices = assembly.indptr, assembly.indices
    for column, j in enumerate(rows.tolist()):
        if j < 0:
            continue
        own = indices[indptr[j] : indptr[j + 1]]
        for row, i in enumerate(rows.tolist()):
            at = np.flatnonzero(own == i)
            if i >= 0 and at.size:
                missing[indptr[j] + at[0]] += matrix[row, column]
