"""Joints, supports, loads and springs as glyphs whose size follows the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..elements.base import Array
from ..lie import se3
from ..system import Catalog, Glyph
from .camera import View
from .coloring import GLYPH_COLORS, glyph_color
from .layers import Layer
from .shapes import (
    Patch,
    arrow,
    axes_along,
    box,
    coil,
    cone,
    cylinder,
    joined,
    moment_arrow,
    placed,
    ring,
    sphere,
    unit,
)

LOADS = ("force", "moment", "line load")
OUTERMOST = 20  # glyphs of a kind on each side that are looked at
NEGLIGIBLE = 1e-9  # of the largest load of a kind: it has no direction to show
ARROW_LENGTH = 5.0  # of the largest load, in glyph sizes
LINE_ARROW_LENGTH = 3.0  # of the largest load along a line
TOWARD_FIRST = np.array([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]).T


class Surroundings(NamedTuple):
    """What glyphs must know of the model around them, one row a frame."""

    size: float  # of a glyph
    reach: Array  # (n_frames,) half the thickness of what is drawn there
    outward: Array  # (n_frames, 3) away from the beams that end there, unit or zero
    down: Array  # (3,) toward the ground
    hulls: dict[int, Array]  # points of the surfaces of bodies, in their frames


def surroundings(
    catalog: Catalog, poses: Array, thickness: Array, size: float, up: Array
) -> Surroundings:
    """Look at the model as it stands at the start.

    Parameters
    ----------
    catalog : Catalog
    poses : (n_frames, 7) array
    thickness : (n_beams,) array
        Drawn radius of each beam element.
    size : float
        Of a glyph.
    up : (3,) array
        Of the picture; the ground lies below along the nearest axis of the world.
    """
    nearest = np.argmax(np.abs(up))
    down = -np.sign(up[nearest]) * np.eye(3)[nearest]
    frames = catalog.beams.frames
    along = unit(poses[frames[:, 1], :3] - poses[frames[:, 0], :3])
    outward = np.zeros((len(poses), 3))
    np.add.at(outward, frames[:, 0], -along)
    np.add.at(outward, frames[:, 1], along)
    outward[np.linalg.norm(outward, axis=1) < 0.5] = 0.0
    reach = np.zeros(len(poses))
    for side in range(2):
        np.maximum.at(reach, frames[:, side], thickness)
    # markers on the ground stand beside no body
    hulls = {s.frame: s.points for s in catalog.surfaces.values() if s.frame > 0}
    return Surroundings(size, reach, unit(outward), down, hulls)


def marker_layers(
    glyphs: Sequence[Glyph], poses: Array, around: Surroundings
) -> list[Layer]:
    """Layers of all glyphs, one for each kind and label.

    Parameters
    ----------
    glyphs : sequence of Glyph
    poses : (n_frames, 7) array
        As drawn.
    around : Surroundings
    """
    frames = se3.frame_from_pose(poses)
    largest = {
        kind: max(float(np.linalg.norm(g.vector)) for g in glyphs if g.kind == kind)
        for kind in {g.kind for g in glyphs}
    }
    patches: dict[tuple[str, str], list[Patch]] = {}
    for glyph in glyphs:
        if glyph.kind not in DRAW:
            continue
        if glyph.kind in LOADS:
            strength = np.linalg.norm(glyph.vector)
            if strength <= NEGLIGIBLE * largest[glyph.kind]:
                continue
        patch = DRAW[glyph.kind](glyph, frames, around, largest[glyph.kind])
        patches.setdefault((glyph.kind, _label(glyph)), []).append(patch)
        base = _base(glyph, frames, around)
        if base is not None:
            patches.setdefault(("support", "ground"), []).append(base)
    order = {kind: number for number, kind in enumerate(GLYPH_COLORS)}
    return [
        Layer(f"{kind} {label}", joined(found), glyph_color(kind, label), label=label)
        for (kind, label), found in sorted(
            patches.items(), key=lambda item: order[item[0][0]]
        )
    ]


def _label(glyph: Glyph) -> str:
    if glyph.kind in LOADS or glyph.label in ("", glyph.kind):
        return glyph.kind
    return glyph.label if glyph.kind == "spring" else f"{glyph.label} {glyph.kind}"


def outermost_of(glyphs: Sequence[Glyph], poses: Array, view: View) -> list[Glyph]:
    """Glyphs that may reach out of the model in a view: of each kind the outermost."""
    right = np.cross(view.up, view.direction)
    sides = np.stack((right, -right, view.up, -view.up))
    kinds: dict[tuple[str, str], list[Glyph]] = {}
    for glyph in glyphs:
        kinds.setdefault((glyph.kind, glyph.label), []).append(glyph)
    found: list[Glyph] = []
    for alike in kinds.values():
        if len(alike) <= OUTERMOST:
            found += alike
            continue
        reach = poses[[glyph.frame for glyph in alike], :3] @ sides.T
        order = np.argsort(reach, axis=0)[-OUTERMOST:]
        found += [alike[k] for k in np.unique(order)]
    return found


def spans(glyph: Glyph) -> bool:
    """Whether a glyph reaches from one frame to another place of the other one."""
    links = ("distance", "point on line", "point on plane")
    is_link = glyph.kind == "joint" and glyph.label in links
    return is_link or glyph.kind == "spring"


def _base(glyph: Glyph, frames: Array, around: Surroundings) -> Patch | None:
    """What shows that a joint or a spring is tied to the ground."""
    if glyph.kind not in ("joint", "spring") or glyph.other != 0:
        return None
    frame = _other(glyph, frames)
    place, size = frame[:3, 3], around.size
    if glyph.kind == "spring" or glyph.label == "distance":
        away = unit(place - _own(glyph, frames)[:3, 3])
        if not away.any():
            away = around.down
        plate = box((0.4, 2.6, 2.6))
        return placed(plate, _at(place + 0.2 * size * away, axes_along(away), size))
    if glyph.label in ("prismatic", "cylindrical", "screw"):
        rail = frame @ TOWARD_FIRST
        return placed(box((24.0, 0.5, 0.5)), _scaled(rail, size))
    if glyph.label in ("revolute", "spherical", "universal", "fixed"):
        size *= 1.6
        return placed(_pin(), _at(place, axes_along(around.down), size))
    return None


def _own(glyph: Glyph, frames: Array) -> Array:
    return np.asarray(frames[glyph.frame] @ se3.frame_from_pose(glyph.offset))


def _other(glyph: Glyph, frames: Array) -> Array:
    return np.asarray(frames[glyph.other] @ se3.frame_from_pose(glyph.other_offset))


def _at(place: Array, axes: Array, scale: float = 1.0) -> Array:
    frame = np.eye(4)
    frame[:3, :3] = scale * axes
    frame[:3, 3] = place
    return frame[None]


def _support(glyph: Glyph, frames: Array, around: Surroundings, _: float) -> Patch:
    """Plate behind a clamped end, cone under a pin, rail or balls if it may slide."""
    reach = around.reach[glyph.frame]
    size = max(around.size, 1.2 * reach)
    frame = _own(glyph, frames)
    place, axis = frame[:3, 3], frame[:3, 2]
    outward = around.outward[glyph.frame]
    if glyph.label in ("clamped", "fixed", "guided"):
        if glyph.frame in around.hulls:
            place, outward = _under(frames[glyph.frame], glyph, around), around.down
        ground = outward if outward.any() else around.down
        plate = box((0.5, 2.6, 2.6))
        place = place + 0.25 * size * ground
        return placed(plate, _at(place, axes_along(ground), size))
    if glyph.label in ("sliding", "cylindrical"):
        rail = joined([box((12.0, 0.5, 0.5)), box((2.4, 1.6, 1.6))])
        return placed(rail, _scaled(frame @ TOWARD_FIRST, size))
    shape, ground = _pin(), around.down
    if glyph.label in ("roller", "planar"):
        toward = axis @ (2.0 * around.down + outward)
        shape, ground = _roller(), axis if toward > 0.0 else -axis
    elif outward @ around.down < -0.5:
        ground = outward
    # from the skin of what stands there, not from its middle
    skin = reach * np.sqrt(max(1.0 - (outward @ ground) ** 2, 0.0))
    return placed(shape, _at(place + skin * ground, axes_along(ground), size))


def _under(body: Array, glyph: Glyph, around: Surroundings) -> Array:
    """Middle of the underside of a body, where it stands on the ground."""
    points = around.hulls[glyph.frame] @ body[:3, :3].T + body[:3, 3]
    depths = points @ around.down
    lowest = points[depths > depths.max() - 1e-3 * np.ptp(depths)]
    return np.asarray(0.5 * (lowest.min(axis=0) + lowest.max(axis=0)))


def _pin() -> Patch:
    plate = placed(box((0.3, 2.4, 2.4)), _at(np.array([1.65, 0.0, 0.0]), np.eye(3)))
    return joined([cone(0.9, 1.5), plate])


def _roller() -> Patch:
    ring = [np.array([1.75, y, z]) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    balls = [placed(sphere(0.25), _at(place, np.eye(3))) for place in ring]
    plate = placed(box((0.2, 2.4, 2.4)), _at(np.array([2.1, 0.0, 0.0]), np.eye(3)))
    return joined([cone(0.9, 1.5), *balls, plate])


def _joint(glyph: Glyph, frames: Array, around: Surroundings, _: float) -> Patch:
    """Shape of a joint about the third axis of its frame."""
    size = max(around.size, 1.35 * around.reach[glyph.frame])
    frame = _own(glyph, frames)
    if spans(glyph):
        return _bar(frame[:3, 3], _other(glyph, frames)[:3, 3], 0.15 * around.size)
    shape = _JOINT_SHAPES.get(glyph.label, _axes)()
    patch = placed(shape, _scaled(frame @ TOWARD_FIRST, size))
    if glyph.label not in ("revolute", "cylindrical"):
        return patch
    depths = [
        _depth(frame, number, frames, around) for number in (glyph.frame, glyph.other)
    ]
    half = min(max(2.0 * size, *depths) + 0.4 * size, 8.0 * size)
    axis = half * frame[:3, 2]
    pin = _bar(frame[:3, 3] - axis, frame[:3, 3] + axis, 0.4 * size)
    return joined([patch, pin])


def _release(glyph: Glyph, frames: Array, around: Surroundings, _: float) -> Patch:
    """Ring around the end of a beam, a little inside, that a release lets move."""
    reach, outward = around.reach[glyph.frame], around.outward[glyph.frame]
    size = max(0.9 * around.size, 1.5 * reach)
    frame = _own(glyph, frames)
    axis = outward if outward.any() else frame[:3, 0]
    place = frame[:3, 3] - max(1.4 * around.size, reach) * outward
    return placed(ring(0.18), _at(place, axes_along(axis), size))


def _depth(frame: Array, number: int, frames: Array, around: Surroundings) -> float:
    """How far the surface of a body reaches along the third axis of a frame."""
    hull = around.hulls.get(number)
    if hull is None:
        return 0.0
    body = frames[number]
    arms = hull @ body[:3, :3].T + body[:3, 3] - frame[:3, 3]
    return float(np.abs(arms @ frame[:3, 2]).max())


def _scaled(frame: Array, scale: float) -> Array:
    return np.asarray(frame @ np.diag([scale, scale, scale, 1.0]))[None]


def _axes() -> Patch:
    rods = [axes_along(axis) for axis in np.eye(3)]
    return joined([placed(cylinder(0.18, 2.4), _at(np.zeros(3), r)) for r in rods])


def _cross() -> Patch:
    rods = [axes_along(axis) for axis in np.eye(3)[:2]]
    return joined([placed(cylinder(0.35, 2.6), _at(np.zeros(3), r)) for r in rods])


_JOINT_SHAPES: dict[str, Callable[[], Patch]] = {
    "revolute": lambda: cylinder(1.0, 2.4),
    "spherical": sphere,
    "prismatic": lambda: box((3.2, 1.4, 1.4)),
    "cylindrical": lambda: cylinder(0.7, 3.2),
    "screw": lambda: joined([cylinder(0.7, 1.2), cylinder(0.4, 3.4)]),
    "universal": _cross,
    "planar": lambda: box((0.3, 2.6, 2.6)),
    "fixed": lambda: box((1.4, 1.4, 1.4)),
}


def _bar(start: Array, end: Array, radius: float) -> Patch:
    length = float(np.linalg.norm(end - start))
    axes = axes_along(end - start) if length else np.eye(3)
    return placed(cylinder(radius, length), _at(0.5 * (start + end), axes))


def bars(starts: Array, ends: Array, radius: float) -> Patch:
    """Thin rods between points (n, 3)."""
    return joined([_bar(a, b, radius) for a, b in zip(starts, ends, strict=True)])


def _spring(glyph: Glyph, frames: Array, around: Surroundings, _: float) -> Patch:
    """Coil between two points; about the axis where both are at one place."""
    own, other = _own(glyph, frames), _other(glyph, frames)
    start, end = other[:3, 3], own[:3, 3]
    length = float(np.linalg.norm(end - start))
    size = max(around.size, 1.3 * around.reach[glyph.frame])
    if length > 2.0 * around.size:
        radius = min(1.2 * around.size, 0.2 * length)
        turns = int(np.clip(0.7 * length / (1.3 * radius), 4, 16))
        spiral = coil(length, radius, turns)
        return placed(spiral, _at(start, axes_along(end - start)))
    axes = own[:3, :3] @ TOWARD_FIRST[:3, :3]
    return placed(coil(2.0, 0.9, turns=5), _at(end - size * axes[:, 0], axes, size))


def _load_vector(glyph: Glyph, frames: Array) -> Array:
    turn = frames[glyph.frame, :3, :3] if glyph.is_follower else np.eye(3)
    return np.asarray(turn @ glyph.vector)


def _force(glyph: Glyph, frames: Array, around: Surroundings, largest: float) -> Patch:
    """Arrow that ends at its point, or starts there where it pulls away."""
    vector = _load_vector(glyph, frames)
    strength = float(np.linalg.norm(vector))
    direction = vector / strength
    length = ARROW_LENGTH * around.size * (0.5 + 0.5 * strength / largest)
    own = _own(glyph, frames)
    place = own[:3, 3]
    hull = around.hulls.get(glyph.frame)
    if hull is not None:
        body = frames[glyph.frame]
        depth = (hull @ body[:3, :3].T + body[:3, 3] - place) @ direction
        start = place + max(depth.max(), 0.0) * direction
    elif around.outward[glyph.frame] @ direction > 0.3:
        start = place
    else:
        gap = 1.1 * around.reach[glyph.frame]
        start = place - (length + gap) * direction
    return placed(arrow(), _at(start, axes_along(direction), length))


def _line_load(
    glyph: Glyph, frames: Array, around: Surroundings, largest: float
) -> Patch:
    """Small arrow that ends at the skin of the beam."""
    vector = _load_vector(glyph, frames)
    strength = float(np.linalg.norm(vector))
    direction = vector / strength
    length = LINE_ARROW_LENGTH * around.size * (0.4 + 0.6 * strength / largest)
    gap = length + 1.1 * around.reach[glyph.frame]
    start = _own(glyph, frames)[:3, 3] - gap * direction
    return placed(arrow(), _at(start, axes_along(direction), length))


def _moment(glyph: Glyph, frames: Array, around: Surroundings, _: float) -> Patch:
    """Arrow around the axis of the moment."""
    size = max(2.6 * around.size, 1.8 * around.reach[glyph.frame])
    axes = axes_along(_load_vector(glyph, frames))
    return placed(moment_arrow(), _at(_own(glyph, frames)[:3, 3], axes, size))


DRAW: dict[str, Callable[[Glyph, Array, Surroundings, float], Patch]] = {
    "support": _support,
    "joint": _joint,
    "release": _release,
    "spring": _spring,
    "force": _force,
    "moment": _moment,
    "line load": _line_load,
}
