"""Rigid shapes of a contact model, and the segments that stand for them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..contact.features import Feature, crests_of, features_of, is_complete
from ..contact.model import ContactModel, Segments
from ..contact.shapes import RigidShape, Shapes
from ..elements.base import Array, IntArray
from ..errors import ModelError
from ..lie import se3
from ..parts.contact import Contact
from .draft import Draft
from .shapes import Geometry, geometry, has_geometry

# gaps of bodies are measured by this part of their size, and looked at up to twice that
PART_OF_SIZE = 0.2
LAST = np.iinfo(np.int64).max


@dataclass
class Named:
    """A name with its shapes, and the bits of the contact parts that name it."""

    geometry: Geometry
    first: int = 0
    second: int = 0


@dataclass
class ShapeDraft:
    """Shapes by name, as contact parts name them."""

    draft: Draft
    names: dict[str, Named] = field(default_factory=dict)

    def add(self, contact: Contact, name: str, bit: int, side: int) -> None:
        """Note that a contact part names a shape on one of its sides."""
        if name not in self.names:
            user = f"Contact '{contact.name}'"
            self.names[name] = Named(geometry(name, self.draft, user=user))
        if side == 0:
            self.names[name].first |= bit
        else:
            self.names[name].second |= bit

    def refuse_fixed(self, contact: Contact) -> None:
        """Refuse one rigid shape with itself."""
        one, other = contact.between
        if one == other and has_geometry(one, self.draft):
            raise ModelError(
                f"Contact '{contact.name}' is between '{one}' and itself, which is "
                "rigid: name two things."
            )

    def refuse_idle(self, contact: Contact) -> None:
        """Refuse two things that never move against each other; radii of shapes."""
        known = [self.names.get(name) for name in contact.between]
        if known[0] is None or known[1] is None:
            return
        one, other = contact.between
        user = f"Contact '{contact.name}' is between '{one}' and '{other}'"
        if known[0].geometry.frame == known[1].geometry.frame:
            where = "the ground" if known[0].geometry.frame == 0 else "one body or node"
            raise ModelError(
                f"{user}, which both stand on {where} and never move against each "
                "other: name something else for one of them."
            )
        if contact.radius is not None:
            raise ModelError(
                f"{user} and has the radius {contact.radius:g}, but only surfaces of "
                "beams take it: leave it out."
            )


def add_shapes(model: ContactModel, shapes: ShapeDraft) -> ContactModel:
    """The model with segments for rigid shapes, their corners and edges."""
    if not shapes.names:
        return model
    rows: list[_Row] = []
    items: list[RigidShape] = []
    for carrier, (name, named) in enumerate(shapes.names.items()):
        for item in named.geometry.items:
            numbers = carrier, len(items)
            rows += _of_shape(name, named, item, numbers, model.segments)
            items.append(item)
    sizes = [PART_OF_SIZE * one.thickness for one in items]
    sizes = [size for size in sizes if np.isfinite(size)]
    radii = model.segments.radii
    lengths = 2.0 * radii if radii.size else np.array(sizes or [1.0])
    named_first = named_second = 0
    for named in shapes.names.values():
        named_first |= named.first
        named_second |= named.second
    segments = _joined(model.segments, rows)
    crossings = _crossings(rows) + model.segments.n
    standing = np.flatnonzero(segments.shapes >= 0)
    return replace(
        model,
        segments=segments,
        shapes=Shapes(tuple(items), standing),
        sizes=np.array([lengths.min(), lengths.max()]),
        crossings=crossings,
        has_bodies=(named_first & named_second) != 0,
    )


@dataclass
class _Row:
    """One segment on a rigid shape."""

    owner: str
    frame: int
    ends: Array  # (2, 7) in the frame
    length: float
    radius: float
    shape: int
    is_ball: bool
    is_edge: bool
    may_cross: bool = False
    is_crest: bool = False
    carrier: int = -1
    is_complete: bool = False
    first: int = 0
    second: int = 0

    @classmethod
    def of_feature(cls, name: str, item: RigidShape, feature: Feature) -> _Row:
        ends = se3.compose_poses(item.offset, feature.ends)
        return cls(
            name,
            item.frame,
            ends,
            feature.length,
            feature.radius,
            shape=-1,
            is_ball=feature.is_ball,
            is_edge=not feature.is_ball,
            may_cross=feature.may_cross,
        )

    @classmethod
    def of_shape(cls, name: str, item: RigidShape, number: int) -> _Row:
        ends = np.stack([item.offset, item.offset])
        return cls(
            name, item.frame, ends, 0.0, 0.0, number, is_ball=False, is_edge=False
        )


def _of_shape(
    name: str,
    named: Named,
    item: RigidShape,
    numbers: tuple[int, int],
    segments: Segments,
) -> list[_Row]:
    """Segments of a shape; ``numbers``: of its name, and its own."""
    found = [_Row.of_feature(name, item, feature) for feature in features_of(item)]
    found.append(_Row.of_shape(name, item, numbers[1]))
    whole = len(named.geometry.items) == 1 and is_complete(item)
    for row in found:
        row.is_complete = whole
        row.first, row.second = named.first, named.second
    # crests are for parts that are between the shape and rods
    rods = ~segments.is_sphere
    first = named.first & int(np.bitwise_or.reduce(segments.second[rods], initial=0))
    second = named.second & int(np.bitwise_or.reduce(segments.first[rods], initial=0))
    if first or second:
        crests = [_Row.of_feature(name, item, feature) for feature in crests_of(item)]
        for row in crests:
            row.may_cross, row.is_crest = False, True
            row.first, row.second = first, second
        found += crests
    for row in found:
        row.carrier = numbers[0]
    return found


def _crossings(rows: list[_Row]) -> IntArray:
    """(m, 2) pairs of edges of two bodies that may touch each other."""
    edges = np.array([k for k, row in enumerate(rows) if row.may_cross], np.int64)
    carriers, frames, first, second = (
        np.array([getattr(rows[k], name) for k in edges], dtype=np.int64)
        for name in ("carrier", "frame", "first", "second")
    )
    i, j = np.triu_indices(edges.size, 1)
    is_asked = (first[i] & second[j]) | (second[i] & first[j])
    chosen = (is_asked != 0) & (carriers[i] != carriers[j]) & (frames[i] != frames[j])
    return np.stack([edges[i[chosen]], edges[j[chosen]]], axis=1)


def _joined(segments: Segments, rows: list[_Row]) -> Segments:
    """Segments of beams, then those of shapes."""
    m = len(rows)
    lengths = np.array([row.length for row in rows])
    chains = int(segments.chains.max(initial=-1)) + 1 + np.arange(m)
    none = np.full((m, 2), -1, dtype=np.int64)
    zero = np.zeros(m, dtype=np.int64)
    shapes = np.array([row.shape for row in rows], dtype=np.int64)
    more = {
        "frames": np.array([[row.frame, row.frame] for row in rows], dtype=np.int64),
        "offsets": np.array([row.ends for row in rows]),
        "lengths": lengths,
        "radii": np.array([row.radius for row in rows]),
        "chains": chains,
        "places": zero,
        "arcs": np.stack([0.0 * lengths, lengths], axis=1),
        "rests": np.zeros(m),
        "neighbors": none,
        "joints": none,
        # rigid shapes are masters
        "ranks": np.where(shapes >= 0, LAST, -1),
        "first": np.array([row.first for row in rows], dtype=np.int64),
        "second": np.array([row.second for row in rows], dtype=np.int64),
        "is_sphere": np.array([row.is_ball for row in rows]),
        "beams": zero - 1,
        "shapes": shapes,
        "carriers": np.array([row.carrier for row in rows], dtype=np.int64),
        "is_edge": np.array([row.is_edge for row in rows]),
        "is_complete": np.array([row.is_complete for row in rows]),
        "is_crest": np.array([row.is_crest for row in rows]),
    }
    joined = {
        name: np.concatenate([getattr(segments, name), values])
        for name, values in more.items()
    }
    owners = (*segments.owners, *(row.owner for row in rows))
    return Segments(**joined, owners=owners)
