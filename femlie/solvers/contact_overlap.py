"""Overlap of parts at the start of a run: how deep, between what, what is refused."""

from __future__ import annotations

import numpy as np

from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..contact import _shapes as kinds
from ..contact.model import ContactModel, chord_gaps, pairs_within
from ..contact.shape_pairs import gaps_to_shapes, near_shapes, partners
from ..elements.base import Array, IntArray
from ..errors import ModelError
from ..system import System

# depth over radii from which on no direction leads out
DEEP = 0.9
# overlaps below this part of the unit are rounding
OVERLAP = 1e-6
# a node at rest may be in a rigid shape by this part of the radius of its rod
HELD = 0.1
# a rod this little thinner than its bore has no room in it
NO_ROOM = 1e-9


def gaps_of(model: ContactModel, poses: Array, ends: Array, pairs: IntArray) -> Array:
    """(m,) gaps of chords, of two segments or of one and a rigid shape [m]."""
    is_shape = model.segments.shapes[pairs[:, 1]] >= 0
    gaps = np.zeros(len(pairs))
    bows = np.zeros(model.segments.n)
    gaps[~is_shape] = chord_gaps(model.segments, ends, bows, pairs[~is_shape])
    gaps[is_shape] = gaps_to_shapes(model, poses, ends, pairs[is_shape])
    return gaps


def refuse_deep_start(system: System) -> None:
    """Refuse rods whose chords lie deep in each other, before anything is compiled.

    Raises
    ------
    ModelError
    """
    model = system.contact
    assert model is not None
    segments = model.segments
    ends, bows = segments.ends(system.state.poses)
    pairs = pairs_within(segments, ends, bows, 0.0)
    for k in range(len(model.shapes.items)):
        _refuse_in_shape(model, k, system.state.poses, ends)
    if model.shapes.items:
        others, _ = near_shapes(model, system.state.poses, (ends, bows), 0.0)
        # corners of bodies have no radius to speak of, and a way out
        others = others[segments.carriers[others[:, 0]] < 0]
        pairs = np.vstack([pairs, others])
    if not len(pairs):
        return
    depths = -gaps_of(model, system.state.poses, ends, pairs)
    depths /= segments.radii[pairs].sum(axis=1)
    worst = int(np.argmax(depths))
    if depths[worst] > DEEP:
        pair = pairs[worst]
        start = overlap_words(model, model.part_of(*pair.tolist()), pair)
        raise ModelError(deep_words(start, float(depths[worst])))


def _refuse_in_shape(model: ContactModel, k: int, poses: Array, ends: Array) -> None:
    """Refuse rods without room in a hollow shape, and what is held in a shape."""
    segments, item = model.segments, model.shapes.items[k]
    own = partners(model, k)
    own = own[segments.carriers[own] < 0]
    if item.kind in (kinds.HOLLOW, kinds.BORE):
        _refuse_tight(model, k, own, model.shapes.seen(k, poses, ends[own]))
    if not own.size or not model.locked[item.frame].all():
        return
    radii = segments.radii[own, None]
    is_held = model.locked[segments.frames[own], :3].all(axis=2)
    depths = radii - model.shapes.distances(k, poses, ends[own])
    depths[~is_held | (depths <= HELD * radii)] = 0.0
    if not depths.any():
        return
    (part, one, shape), place = _deepest(model, k, own, ends, depths)
    raise ModelError(
        f"Contact '{part}': '{one}' is held at ({place}) and overlaps '{shape}' there "
        f"by {depths.max():.3g} m, so that nothing parts them: move one of them, or "
        "name lines that leave out where they overlap."
    )


def _deepest(
    model: ContactModel, k: int, own: IntArray, ends: Array, depths: Array
) -> tuple[tuple[str, str, str], str]:
    """Contact part, rod and shape k where an end of ``own`` is deepest, and where."""
    owners = model.segments.owners
    at, side = np.unravel_index(int(depths.argmax()), depths.shape)
    one, shape = int(own[at]), int(model.shapes.segments[k])
    place = ", ".join(f"{x:.4g}" for x in ends[one, side])
    return (model.part_of(one, shape), owners[one], owners[shape]), place


def _refuse_tight(model: ContactModel, k: int, own: IntArray, seen: Array) -> None:
    """Refuse rods that are as thick as the hollow that they are in."""
    segments, item = model.segments, model.shapes.items[k]
    is_in = (item.depth_in_hollow(seen) > 0.0).any(axis=1)
    is_tight = segments.radii[own] >= (1.0 - NO_ROOM) * item.dimensions[0]
    for one in own[is_in & is_tight].tolist():
        shape = int(model.shapes.segments[k])
        raise ModelError(
            f"Contact '{model.part_of(one, shape)}': '{segments.owners[one]}' of "
            f"radius {segments.radii[one]:g} has no room in the hollow of "
            f"'{segments.owners[shape]}', whose radius is {item.dimensions[0]:g}: give "
            "one of them another radius, or hold it by a joint."
        )


def words_of_deep_end(model: ContactModel, poses: Array) -> str:
    """What to say where a node of a rod has ended in a rigid shape; else empty.

    No multiplier is where a support holds the node: it would contradict that.
    """
    segments = model.segments
    ends, _ = segments.ends(poses)
    for k in range(len(model.shapes.items)):
        own = partners(model, k)
        own = own[segments.carriers[own] < 0]
        radii = segments.radii[own, None]
        depths = radii - model.shapes.distances(k, poses, ends[own])
        if not (depths > HELD * radii).any():
            continue
        (part, one, shape), place = _deepest(model, k, own, ends, depths)
        return (
            f"Contact '{part}': '{one}' ends {depths.max():.3g} m deep in '{shape}' at "
            f"({place}), where a support or a joint holds it: these contradict each "
            "other."
        )
    return ""


def overlap_words(model: ContactModel, part: str, pair: IntArray) -> str:
    """Begin of a sentence on two segments that overlap."""
    first, second = (model.segments.owners[one] for one in pair.tolist())
    who = f"'{first}' and '{second}'" if first != second else f"parts of '{first}'"
    return f"Contact '{part}': {who} overlap at the start by"


def deep_words(start: str, depth: float) -> str:
    """Why such an overlap is refused."""
    return (
        f"{start} {100.0 * depth:.0f} % of the sum of their radii, so that no "
        "direction leads out: move them apart in the mesh, or give a smaller radius."
    )


def overlap(assembly: Assembly) -> tuple[float, int]:
    """Largest overlap over the sum of radii, and its row in the contact block."""
    b = len(assembly.system.blocks) - 1
    parameters = eq_view(assembly.equations, b, "parameters")
    if not len(parameters):
        return 0.0, -1
    distances = eq_view(assembly.equations, b, "iterates")
    codes = assembly.system.blocks[b].codes
    assert assembly.system.contact is not None
    is_feature = assembly.system.contact.segments.carriers >= 0
    depth, where = 0.0, -1
    for i in np.flatnonzero(codes[:, layout.FIRST] == np.arange(len(codes))):
        for k in range(layout.N_POINTS if codes[i, layout.FORM] == layout.LINE else 1):
            at = layout.POINT_WIDTH * k
            row = int(distances[i, at + layout.ROW])
            if row < 0:
                continue
            radii = parameters[row, layout.RADII]
            if is_feature[codes[row, layout.SLAVE]]:
                continue
            found = 1.0 - distances[i, at + layout.DISTANCE] / radii
            if found > depth:
                depth, where = float(found), row
    return depth, where
