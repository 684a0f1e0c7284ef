"""Contact parts become segments: rods in order, radii, who touches whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.model import MOST_PARTS, ContactModel, Segments
from ..elements.base import Array, IntArray
from ..errors import ModelError
from ..lie import se3
from ..mesh import Mesh
from ..parts.contact import Contact
from ..sections import CircularSection, TubeSection
from .contact_shapes import ShapeDraft, add_shapes
from .draft import Draft
from .shapes import has_geometry

# ends of rods closer than this part of the radius are built together
TOGETHER = 1e-3
# lengths that differ by less in the sixth digit are equal in the choice of the slave
DIGITS = 6
# radii of rods that count as equally thick differ by no more than this
THICKER = 3.0


def contact_model(
    contacts: list[Contact], draft: Draft, mesh: Mesh | None
) -> ContactModel:
    """Segments of all contact parts.

    Raises
    ------
    ModelError
        Names that have no beams or shapes, sections that are not round.
    """
    _check_parts(contacts)
    elements = _Elements(draft, mesh)
    bits = np.zeros((2, elements.n), dtype=np.int64)
    radius = np.full(elements.n, np.nan)
    spheres: list[tuple[int, int, int]] = []
    shapes = ShapeDraft(draft)
    for k, part in enumerate(contacts):
        shapes.refuse_fixed(part)
        for side, name in enumerate(part.between):
            if has_geometry(name, draft):
                shapes.add(part, name, 1 << k, side)
                continue
            rows, nodes = elements.named(part, name)
            bits[side, rows] |= 1 << k
            spheres += [(node, k, side) for node in nodes]
            _set_radii(radius, rows, part, name, elements)
        has_shape = any(has_geometry(name, draft) for name in part.between)
        if not has_shape and not (bits & (1 << k)).any():
            raise ModelError(
                f"Contact '{part.name}' is between nodes only: name a beam or a group "
                "of lines for one of the two."
            )
    used = np.flatnonzero(bits.any(axis=0))
    segments = elements.segments(used, bits[0, used], bits[1, used], radius[used])
    model = ContactModel(
        _with_spheres(segments, elements, spheres, contacts),
        tuple(part.name for part in contacts),
        tuple((part.between[0], part.between[1]) for part in contacts),
        restitution=tuple(float(part.restitution) for part in contacts),
        frictions=tuple(float(part.friction) for part in contacts),
        spin_radii=tuple(float(part.spin_radius) for part in contacts),
    )
    return add_shapes(model, shapes)


def _check_parts(contacts: list[Contact]) -> None:
    if len(contacts) > MOST_PARTS:
        raise ModelError(
            f"The model has {len(contacts)} contact parts, expected at most "
            f"{MOST_PARTS}: one part may name a group with several rods."
        )
    for part in contacts:
        if part.spin_radius > 0.0 and part.friction == 0.0:
            raise ModelError(
                f"Contact '{part.name}' has spin_radius {part.spin_radius:g} and no "
                "friction, of which it is a part: give it a coefficient, friction=0.2, "
                "or leave spin_radius out."
            )


def _set_radii(
    radius: Array, rows: IntArray, part: Contact, name: str, elements: _Elements
) -> None:
    for row in rows.tolist():
        found = elements.radius(part, row)
        if not np.isnan(radius[row]) and radius[row] != found:
            raise ModelError(
                f"Contact '{part.name}' gives '{name}' the radius {found:g}, another "
                f"contact {radius[row]:g}: give one."
            )
        radius[row] = found


class _Elements:
    """All beam elements of the model, in the order of the catalog."""

    def __init__(self, draft: Draft, mesh: Mesh | None) -> None:
        self.draft = draft
        self.mesh = mesh
        beams = list(draft.beams.values())
        self.nodes = np.vstack([np.zeros((0, 2), np.int64), *[b.nodes for b in beams]])
        self.ends = np.concatenate([np.zeros((0, 2, 4, 4)), *[b.ends for b in beams]])
        self.lengths = np.concatenate([np.zeros(0), *[b.lengths for b in beams]])
        self.fractions = np.concatenate(
            [np.zeros(0), *[b.fractions[:, 1] for b in beams]]
        )
        self.parts = [b.part for b in beams for _ in range(len(b.nodes))]
        self.names = [part.name for part in self.parts]
        self.n = len(self.names)

    def named(self, contact: Contact, name: str) -> tuple[IntArray, list[int]]:
        """Rows of elements, or nodes that are spheres."""
        user = f"Contact '{contact.name}'"
        for body in self.draft.modal.values():
            if name in body.part.beams:
                raise ModelError(
                    f"{user} names beam '{name}' of modal body '{body.part.name}', but "
                    "contact bends rods in their inside: take the beam out of the body."
                )
        nodes = self.draft.places.carried(name, user=user)
        if name in self.draft.beams:
            return np.flatnonzero(np.array(self.names) == name), []
        if self.mesh is not None and name in self.mesh.line_groups:
            rows = self.on_lines(self.mesh, name)
            if rows.size:
                return rows, []
        bare = [n for n in nodes.tolist() if not np.any(self.nodes == n)]
        if bare:
            raise ModelError(
                f"{user} refers to '{name}', where there is no beam: contact knows "
                "beams, and nodes of beams as spheres."
            )
        return np.zeros(0, np.int64), nodes.tolist()

    def on_lines(self, mesh: Mesh, name: str) -> IntArray:
        """Rows of the elements that lie on the lines of a group."""
        lines = mesh.line_groups[name]
        ends, middles = mesh.lines[lines], mesh.mid_nodes[lines]
        is_whole = middles < 0
        halves = [
            np.column_stack([ends[~is_whole, k], middles[~is_whole]]) for k in (0, 1)
        ]
        pairs = np.sort(np.vstack([ends[is_whole], *halves]), axis=1)
        wanted = set(map(tuple, pairs.tolist()))
        own = np.sort(self.nodes, axis=1).tolist()
        return np.flatnonzero([tuple(pair) in wanted for pair in own])

    def section(self, row: int) -> Any:
        """Section in the middle of an element."""
        return self.parts[row].section.at(float(self.fractions[row]))

    def radius(self, contact: Contact, row: int) -> float:
        """Radius of the surface of an element."""
        if contact.radius is not None:
            return float(contact.radius)
        section = self.section(row)
        if isinstance(section, CircularSection):
            return float(section.radius)
        if isinstance(section, TubeSection):
            return float(section.outer_radius)
        raise ModelError(
            f"Contact '{contact.name}' needs round sections, but beam "
            f"'{self.names[row]}' has a {type(section).__name__}: give the contact a "
            "radius."
        )

    def offsets(self, rows: IntArray) -> Array:
        """(n, 2, 7) poses in their frames of the axis that contact sees."""
        found = self.draft.beam_offsets[rows].copy()
        for k, row in enumerate(rows.tolist()):
            section = self.section(row)
            if isinstance(section, (CircularSection, TubeSection)):
                shift = np.array([0.0, *section.offset, 1.0, 0.0, 0.0, 0.0])
                if np.any(shift[:3]):
                    found[k] = se3.compose_poses(found[k], shift)
        return found

    def segments(
        self, rows: IntArray, first: IntArray, second: IntArray, radii: Array
    ) -> Segments:
        """Segments of elements, in the order of their rods."""
        nodes = self.nodes[rows]
        chains, places, arcs, rests, neighbors, ends = _chains(
            nodes, self.lengths[rows]
        )
        lengths = self.lengths[rows]
        frames = self.draft.places.node_frames[nodes].reshape(-1, 2)
        points = self.ends[rows][:, :, :3, 3]
        return Segments(
            frames=frames,
            offsets=self.offsets(rows),
            lengths=lengths,
            radii=radii,
            chains=chains,
            places=places,
            arcs=arcs,
            rests=rests,
            neighbors=neighbors,
            joints=_joints(ends, points, chains, radii),
            ranks=_ranks(chains, lengths, radii, self.draft.numbers[frames, :3] >= 0),
            first=first,
            second=second,
            is_sphere=np.zeros(rows.size, dtype=bool),
            beams=rows,
            owners=tuple(self.names[row] for row in rows.tolist()),
            **no_shapes(rows.size),
        )


def no_shapes(n: int) -> dict[str, Any]:
    """What segments of beams have in the columns of rigid shapes."""
    return {
        "shapes": np.full(n, -1, dtype=np.int64),
        "carriers": np.full(n, -1, dtype=np.int64),
        "is_edge": np.zeros(n, dtype=bool),
        "is_complete": np.zeros(n, dtype=bool),
        "is_crest": np.zeros(n, dtype=bool),
    }


def _chains(
    nodes: IntArray, lengths: Array
) -> tuple[IntArray, IntArray, Array, Array, IntArray, IntArray]:
    """Rods: number and place of each element, arc lengths, neighbors, ends of rods.

    The last array, (n_chains, 2, 2): element and side where each rod begins and ends.
    """
    n = len(nodes)
    beyond: dict[int, list[tuple[int, int]]] = {}
    for k, pair in enumerate(nodes.tolist()):
        for side in range(2):
            beyond.setdefault(pair[side], []).append((k, side))
    neighbors = np.full((n, 2), -1, dtype=np.int64)
    for meeting in beyond.values():
        if len(meeting) == 2:
            (a, i), (b, j) = meeting
            neighbors[a, i], neighbors[b, j] = b, a
    chains = np.full(n, -1, dtype=np.int64)
    places = np.zeros(n, dtype=np.int64)
    arcs = np.zeros((n, 2))
    rests = np.zeros(n)
    ends: list[list[list[int]]] = []
    starts = [k for k in range(n) if np.any(neighbors[k] < 0)]
    for k in [*starts, *range(n)]:
        if chains[k] >= 0:
            continue
        side = 0 if neighbors[k, 0] < 0 or neighbors[k, 1] >= 0 else 1
        order, last = _follow(k, side, nodes, neighbors)
        own = np.array(order)
        chains[own] = len(ends)
        places[own] = np.arange(own.size)
        stops = np.cumsum(lengths[own])
        for element, stop, start_side in zip(order, stops, last, strict=True):
            arcs[element, 1 - start_side] = stop
            arcs[element, start_side] = stop - lengths[element]
        rests[own] = stops[-1] - stops
        ends.append([[order[0], last[0]], [order[-1], 1 - last[-1]]])
    return chains, places, arcs, rests, neighbors, np.array(ends, dtype=np.int64)


def _follow(
    k: int, side: int, nodes: IntArray, neighbors: IntArray
) -> tuple[list[int], list[int]]:
    """Elements of a rod from one on, and the side at which each begins."""
    order, sides = [k], [side]
    while True:
        here, out = order[-1], 1 - sides[-1]
        there = int(neighbors[here, out])
        if there < 0 or there == order[0]:
            return order, sides
        sides.append(0 if nodes[there, 0] == nodes[here, out] else 1)
        order.append(there)


def _joints(ends: IntArray, points: Array, chains: IntArray, radii: Array) -> IntArray:
    """(n, 2) numbers of the points where the rod of each segment begins and ends."""
    flat = ends.reshape(-1, 2)
    places = points[flat[:, 0], flat[:, 1]]
    near = TOGETHER * radii[flat[:, 0]]
    numbers = np.full(len(flat), -1, dtype=np.int64)
    for k in range(len(flat)):
        if numbers[k] < 0:
            away = np.linalg.norm(places - places[k], axis=1)
            numbers[(away <= near[k]) & (numbers < 0)] = k
    return np.asarray(numbers.reshape(-1, 2)[chains])


def _ranks(chains: IntArray, lengths: Array, radii: Array, is_free: Any) -> IntArray:
    """Rank of each segment's rod: coarser meshes first, then shorter rods.

    Multipliers finer than the master's mesh would alternate. Rods that are much thinner
    come before: they may wind round others, never the other way. Rods that are held
    everywhere come last, since nodes that are held bear no multipliers.
    """
    n = int(chains.max(initial=-1)) + 1
    totals = np.bincount(chains, lengths, n)
    counts = np.maximum(np.bincount(chains, minlength=n), 1)
    free = np.bincount(chains, is_free.any(axis=(1, 2)), n) > 0.0
    thickness = _thickness(chains, radii, n)
    keys = [
        (
            not free[k],
            thickness[k],
            -float(f"{mean:.{DIGITS}g}"),
            float(f"{total:.{DIGITS}g}"),
            k,
        )
        for k, (mean, total) in enumerate(zip(totals / counts, totals, strict=True))
    ]
    ranks = np.empty(n, dtype=np.int64)
    ranks[[key[-1] for key in sorted(keys)]] = np.arange(n)
    return ranks[chains]


def _thickness(chains: IntArray, radii: Array, n: int) -> list[int]:
    """Class of each rod: those of one are at most `THICKER` times the thinnest."""
    largest = np.zeros(n)
    np.maximum.at(largest, chains, radii)
    classes, thinnest, number = [0] * n, np.inf, -1
    for k in np.argsort(largest, kind="stable").tolist():
        if number < 0 or largest[k] > THICKER * thinnest:
            number, thinnest = number + 1, largest[k]
        classes[k] = number
    return classes


def _with_spheres(
    segments: Segments,
    elements: _Elements,
    spheres: list[tuple[int, int, int]],
    contacts: list[Contact],
) -> Segments:
    """Segments and the spheres at nodes behind them."""
    if not spheres:
        return segments
    parts = {node: contacts[k] for node, k, _ in reversed(spheres)}
    nodes = sorted(parts)
    m = len(nodes)
    bits = np.zeros((2, m), dtype=np.int64)
    for node, part, side in spheres:
        bits[side, nodes.index(node)] |= 1 << part
    owner = [int(np.argwhere(elements.nodes == node)[0, 0]) for node in nodes]
    side_of = [int(np.argwhere(elements.nodes == node)[0, 1]) for node in nodes]
    radii = [elements.radius(parts[n], k) for n, k in zip(nodes, owner, strict=True)]
    offsets = elements.offsets(np.array(owner))[np.arange(m), side_of]
    frames = elements.draft.places.node_frames[nodes]
    chain, arcs, rests = _places_of_spheres(segments, owner, side_of)
    none = np.full((m, 2), -1, dtype=np.int64)
    return Segments(
        frames=np.vstack([segments.frames, np.stack([frames, frames], axis=1)]),
        offsets=np.concatenate([segments.offsets, np.stack([offsets, offsets], 1)]),
        lengths=np.concatenate([segments.lengths, np.zeros(m)]),
        radii=np.concatenate([segments.radii, radii]),
        chains=np.concatenate([segments.chains, chain]),
        places=np.concatenate([segments.places, np.zeros(m, np.int64)]),
        arcs=np.vstack([segments.arcs, arcs]),
        rests=np.concatenate([segments.rests, rests]),
        neighbors=np.vstack([segments.neighbors, none]),
        joints=np.vstack([segments.joints, none]),
        ranks=np.concatenate([segments.ranks, -1 - np.arange(m)]),
        first=np.concatenate([segments.first, bits[0]]),
        second=np.concatenate([segments.second, bits[1]]),
        is_sphere=np.concatenate([segments.is_sphere, np.ones(m, dtype=bool)]),
        beams=np.concatenate([segments.beams, owner]),
        owners=(*segments.owners, *(elements.names[row] for row in owner)),
        **no_shapes(segments.n + m),
    )


def _places_of_spheres(
    segments: Segments, owner: list[int], side_of: list[int]
) -> tuple[IntArray, Array, Array]:
    """Rod and arc lengths of each sphere: its own, or of the rod that it sits on.

    On a rod that touches others itself a sphere does not touch its neighbors.
    """
    m = len(owner)
    chain = int(segments.chains.max(initial=-1)) + 1 + np.arange(m)
    arcs, rests = np.zeros((m, 2)), np.zeros(m)
    for k, (row, side) in enumerate(zip(owner, side_of, strict=True)):
        for own in np.flatnonzero(segments.beams == row):
            chain[k] = segments.chains[own]
            arcs[k] = segments.arcs[own, side]
            whole = segments.arcs[own].max() + segments.rests[own]
            rests[k] = whole - arcs[k, 0]
    return chain, arcs, rests
