"""Curvature of the rims of cylinders, where corners between pieces of them bear.

A rim is pieces of edges and corners between these. A corner that bears is a fixed point
of its body, over which a lying cylinder would fall; the rim rolls on. With the place s
along the rim, its tangent t and its radial direction u, the distance d of the other
shape with gradient n and second derivatives H,

- ``g_ss = t . H t - n . u / R``
- ``f(v, w) = t . H dp + w . (t x n)``, the variation of the slope ``g_s``

with the relative velocity dp of the place and the relative turn w. The gap of the rim
at its lowest place has the second variation of the corner less ``f f^T / g_ss``.
"""

from __future__ import annotations

import numpy as np

from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..contact import _shapes as kinds
from ..contact.model import ContactModel
from ..contact.shapes import RigidShape
from ..elements.base import Array, IntArray, Motion
from ..lie import quaternion, se3

# step of differences over the radius of the rim
STEP = 1e-3
# a slope above this is not the lowest place of a rim; a curvature below this part of
# that of the rim is a face that it stands on
LOWEST, FLAT = 1e-2, 1e-2


def stiffness_of_rims(assembly: Assembly, motion: Motion) -> Array:
    """What the entries of the static tangent lack where corners of rims bear."""
    system = assembly.system
    model = system.contact
    missing = np.zeros(assembly.target.data.size - 1)
    block = system.blocks[-1]
    if model is None or not model.has_bodies or block.kind != "contact":
        return missing
    units = eq_view(assembly.equations, len(system.blocks) - 1, "parameters")
    codes = block.codes
    numbers = codes[:, layout.MULTIPLIER]
    is_one = (codes[:, layout.FORM] == layout.SPHERE) & (codes[:, layout.SHAPE] != 0)
    is_one &= (numbers >= 0) & (motion.multipliers[numbers] > 0.0)
    for i in np.flatnonzero(is_one).tolist():
        frames = block.frames[i, [0, 2]]
        found = _slope_of_rim(model, motion.poses, codes[i], frames)
        if found is None:
            continue
        force = motion.multipliers[numbers[i]] / units[i, layout.UNIT]
        rows = system.dofs.numbers[frames].ravel()
        _add(assembly, missing, rows, force * np.outer(found, found))
    return missing


def _slope_of_rim(
    model: ContactModel, poses: Array, codes: IntArray, frames: IntArray
) -> Array | None:
    """Variation (12,) of the slope of a gap along a rim over the root of its curvature.

    Of the frames of the body and of what it lies on; None for what is no rim, or is
    not at its lowest place.
    """
    slave, master = int(codes[layout.SLAVE]), int(codes[layout.MASTER])
    place = model.segments.offsets[slave, 0, :3]
    carriers = model.segments.carriers
    rims = [
        _rim_at(model.shapes.items[k], place)
        for k in np.flatnonzero(carriers[model.shapes.segments] == carriers[slave])
    ]
    body, ground = poses[frames]
    for rim in rims:
        if rim is None:
            continue
        axis, outward = quaternion.rotate(body[3:], np.stack(rim))
        radius = float(np.linalg.norm(outward))
        u = outward / radius
        point = body[:3] + quaternion.rotate(body[3:], place)
        shape = int(model.segments.shapes[master])
        n, bend = _derivatives(model, shape, poses, point, STEP * radius)
        t = np.cross(axis, u)
        second = float(t @ bend @ t - n @ u / radius)
        if abs(n @ t) > LOWEST or second < FLAT / radius:
            return None
        push, turn = bend @ t, np.cross(t, n)
        found = []
        for sign, frame in ((1.0, body), (-1.0, ground)):
            moment = turn + np.cross(point - frame[:3], push)
            back = quaternion.conjugate(frame[3:])
            found += [sign * quaternion.rotate(back, one) for one in (push, moment)]
        return np.asarray(np.concatenate(found) / second**0.5)
    return None


def _rim_at(item: RigidShape, place: Array) -> tuple[Array, Array] | None:
    """Axis, and way (3,) from it to a corner, in the frame that carries the cylinder.

    None where the corner is on none.
    """
    inside = se3.frame_from_pose(item.offset)
    x, y, z = inside[:3, :3].T @ (place - inside[:3, 3])
    is_in = 0.0 < np.hypot(x, y) <= item.dimensions[0] and abs(z) <= item.dimensions[1]
    if item.kind != kinds.CYLINDER or not is_in:
        return None
    return inside[:3, 2], inside[:3, :2] @ (x, y)


def _derivatives(
    model: ContactModel, shape: int, poses: Array, point: Array, step: float
) -> tuple[Array, Array]:
    """Gradient and second derivatives of the distance to a shape, by differences."""
    ways = step * np.eye(3)
    points = [point]
    for i in range(3):
        points += [point + ways[i], point - ways[i]]
        for j in range(i):
            points += [point + ways[i] + ways[j], point - ways[i] - ways[j]]
    d = iter(model.shapes.distances(shape, poses, np.array(points)).tolist())
    middle = next(d)
    n, bend, sums = np.zeros(3), np.zeros((3, 3)), np.zeros(3)
    for i in range(3):
        ahead, behind = next(d), next(d)
        n[i] = (ahead - behind) / (2.0 * step)
        sums[i] = ahead + behind - 2.0 * middle
        bend[i, i] = sums[i] / step**2
        for j in range(i):
            both = next(d) + next(d) - 2.0 * middle
            bend[i, j] = bend[j, i] = (both - sums[i] - sums[j]) / (2.0 * step**2)
    return n, bend


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
