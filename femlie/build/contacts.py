"""Contact parts become segments: rods in order, radii, who touches whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.model import MOST_PARTS, ContactModel, Segments
from ..elements.base import Array, IntArray
from ..errors import ModelError, suggestion
from ..lie import se3
from ..mesh import Mesh
from ..parts.contact import Contact
from ..sections import CircularSection, TubeSection
from .contact_rods import chains_of, joints_of, ranks_of
from .contact_shapes import ShapeDraft, add_shapes
from .draft import Draft
from .shapes import has_geometry


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
        shapes.refuse_idle(part)
        if not (bits & (1 << k)).any():
            _refuse_nodes(part, draft)
    used = np.flatnonzero(bits.any(axis=0))
    segments = elements.segments(used, bits[0, used], bits[1, used], radius[used])
    model = ContactModel(
        _with_spheres(segments, elements, spheres, contacts),
        tuple(part.name for part in contacts),
        tuple((part.between[0], part.between[1]) for part in contacts),
        restitution=tuple(float(part.restitution) for part in contacts),
        frictions=tuple(float(part.friction) for part in contacts),
        spin_radii=tuple(float(part.spin_radius) for part in contacts),
        locked=draft.numbers < 0,
    )
    return add_shapes(model, shapes)


def _refuse_nodes(part: Contact, draft: Draft) -> None:
    """Refuse a contact of spheres at nodes with each other."""
    if not any(has_geometry(name, draft) for name in part.between):
        raise ModelError(
            f"Contact '{part.name}' is between nodes only: name a beam or a group of "
            "lines for one of the two."
        )


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
    _refuse_twice(contacts)


def _refuse_twice(contacts: list[Contact]) -> None:
    """Refuse two contact parts of one pair: the second would do nothing."""
    known: dict[frozenset[str], str] = {}
    for part in contacts:
        first = known.setdefault(frozenset(part.between), part.name)
        if first != part.name:
            one, other = part.between
            raise ModelError(
                f"Contact '{part.name}' is between '{one}' and '{other}', as contact "
                f"'{first}' is, which alone would count: leave one of them out."
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
        nodes = self._nodes(name, user)
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

    def _nodes(self, name: str, user: str) -> IntArray:
        """Nodes of a name that is no shape; what is unknown may be one misspelt."""
        places = self.draft.places
        groups = set() if self.mesh is None else set(self.mesh.group_names)
        if name not in groups | places.parts.keys():
            shapes = {k for k in places.parts if has_geometry(k, self.draft)}
            known = groups | shapes | self.draft.beams.keys()
            raise ModelError(
                f"{user} refers to '{name}', which is no beam, shape, body or group "
                f"of the mesh. {suggestion(name, known)}"
            )
        return places.carried(name, user=user)

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
        chains, places, arcs, rests, neighbors, ends = chains_of(
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
            joints=joints_of(ends, points, chains, radii),
            ranks=ranks_of(chains, lengths, radii, self.draft.numbers[frames, :3] >= 0),
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
