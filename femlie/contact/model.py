"""What may touch: segments of rods and spheres, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from . import _chords as chords
from . import _search as search
from .rods import lengths_of_rings, turns_along
from .shapes import Shapes

# bits of an integer, one for each contact part
MOST_PARTS = 62


@dataclass(frozen=True)
class Segments:
    """Elements of rods that may touch, and spheres at nodes.

    Attributes
    ----------
    frames : (n, 2) int array
        Frames of both ends; one frame twice for a sphere.
    offsets : (n, 2, 7) array
        Pose of the section at each end in its frame.
    lengths, radii : (n,) arrays [m]
        The length of a sphere is zero.
    chains, places : (n,) int arrays
        Rod that a segment belongs to, and its number along it.
    arcs : (n, 2) array [m]
        Arc length along the rod of both ends, from where the rod begins.
    rests : (n,) array [m]
        Arc length from the segment to the other end of the rod.
    neighbors : (n, 2) int array
        Segments across both ends, -1 at the ends of the rod.
    joints : (n, 2) int array
        Number of the point where the rod begins, and where it ends, which rods that
        are built together there share; -1 for spheres.
    ranks : (n,) int array
        Of two segments of different rods, the slave is that of lower rank.
    first, second : (n,) int arrays
        Bits of the contact parts that name the segment first, and second.
    is_sphere : (n,) bool array
    beams : (n,) int array
        Row of the beam element in the catalog; of one at its node for a sphere.
    owners : tuple of str
        Name of the part or group that each segment came from.
    shapes : (n,) int array
        Number of the rigid shape that a segment stands for, -1 for others: it touches
        as a master only, by the distance to the shape.
    carriers : (n,) int array
        Number of the name of shapes that it belongs to, -1 for beams: its corners and
        edges touch rigid shapes only.
    is_edge, is_complete : (n,) bool arrays
        Edges of bodies; all of what is on a body that is known by these altogether.
    is_crest : (n,) bool array
        Sharp edges and corners of shapes, which touch rods between their nodes only.
    """

    frames: IntArray
    offsets: Array
    lengths: Array
    radii: Array
    chains: IntArray
    places: IntArray
    arcs: Array
    rests: Array
    neighbors: IntArray
    joints: IntArray
    ranks: IntArray
    first: IntArray
    second: IntArray
    is_sphere: np.ndarray[tuple[int], np.dtype[np.bool_]]
    beams: IntArray
    owners: tuple[str, ...]
    shapes: IntArray
    carriers: IntArray
    is_edge: np.ndarray[tuple[int], np.dtype[np.bool_]]
    is_complete: np.ndarray[tuple[int], np.dtype[np.bool_]]
    is_crest: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @property
    def n(self) -> int:
        return int(self.radii.size)

    @cached_property
    def links(self) -> list[list[int]]:
        """Neighbors as lists, which plain Python reads faster."""
        links: list[list[int]] = self.neighbors.tolist()
        return links

    @cached_property
    def totals(self) -> Array:
        """(n,) length of the rod of each segment [m]."""
        return np.asarray(self.arcs.max(axis=1) + self.rests)

    @cached_property
    def n_chains(self) -> int:
        """Number of rods and spheres."""
        return int(self.chains.max(initial=-1)) + 1

    @cached_property
    def most_places(self) -> int:
        """Segments of the longest rod."""
        return int(self.places.max(initial=-1)) + 1

    @cached_property
    def has_rings(self) -> bool:
        """Whether some rod is a ring."""
        return bool(self.rings.any())

    @cached_property
    def has_offsets(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """(n,) whether sections of segments are not those of their nodes."""
        identity = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        return np.asarray(np.any(self.offsets != identity, axis=(1, 2)))

    @cached_property
    def sections(self) -> tuple[IntArray, Array, Any]:
        """Frames, offsets, and which of these are not zero, as kernels want them."""
        return self.frames, self.offsets, self.has_offsets

    @cached_property
    def listed(self) -> tuple[Any, ...]:
        """What `_listing.fill_rows` takes of them."""
        poses = self.offsets.reshape(self.n, 14)
        sizes = self.has_offsets, self.lengths, self.radii
        return (self.frames, poses, *sizes, self.first, self.second)

    @cached_property
    def turns(self) -> Array:
        """(n, 4) turns from sections to axes that go on along each rod."""
        return turns_along(
            self.chains, self.places, self.neighbors, self.offsets, self.is_sphere
        )

    @cached_property
    def rings(self) -> Array:
        """(n,) length of the ring that each segment is in, zero on open rods [m]."""
        return lengths_of_rings(self.chains, self.neighbors, self.arcs, self.rests)

    @property
    def identities(self) -> IntArray:
        """(n, 6) int array, as the search wants it: of rods and spheres."""
        return self._identities(self.carriers >= 0)

    @property
    def identities_with_crests(self) -> IntArray:
        """The same of crests of shapes, too."""
        return self._identities((self.carriers >= 0) & ~self.is_crest)

    def _identities(self, is_out: Any) -> IntArray:
        columns = np.empty((self.n, search.N_IDENTITIES), dtype=np.int64)
        columns[:, search.CHAIN] = self.chains
        columns[:, search.PLACE] = self.places
        columns[:, search.FIRST_GROUPS] = self.first
        columns[:, search.SECOND_GROUPS] = self.second
        columns[:, search.START_JOINT :] = self.joints
        # rigid shapes are found in another way
        groups = slice(search.FIRST_GROUPS, search.SECOND_GROUPS + 1)
        columns[is_out, groups] = 0
        return columns

    def parts_of(
        self, one: IntArray, other: IntArray
    ) -> tuple[IntArray, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """Number of the first contact part that asks for pairs, and in which order.

        True where it names the segment in ``one`` first.
        """
        numbers = np.empty(one.size, dtype=np.int64)
        is_forward = np.empty(one.size, dtype=bool)
        chords.find_parts(self.first, self.second, one, other, numbers, is_forward)
        return numbers, is_forward

    def ends(self, poses: Array) -> tuple[Array, Array]:
        """Places (n, 2, 3) of both ends, and how far each axis is from its chord."""
        ends, bows = np.empty((self.n, 2, 3)), np.empty(self.n)
        chords.find_chords(poses, self.sections, self.lengths, ends, bows)
        return ends, bows

    def sizes(self, bows: Array) -> Array:
        """(n, 5) array, as the search wants it."""
        columns = np.empty((self.n, search.N_SIZES))
        columns[:, search.RADIUS] = self.radii
        columns[:, search.BOW] = bows
        columns[:, search.ARC : search.ARC + 2] = self.arcs
        columns[:, search.REST] = self.rests
        return columns


@dataclass(frozen=True)
class ContactModel:
    """All contact parts of a model.

    Attributes
    ----------
    segments : Segments
    names : tuple of str
        Contact parts, in the order of their bits.
    between : tuple of pairs of str
        What each of them names.
    shapes : Shapes
        Rigid shapes.
    sizes : (2,) array
        Lengths [m] that gaps are measured by, and up to which pairs get multipliers.
    has_bodies : bool
        Whether rigid shapes may touch each other.
    crossings : (m, 2) int array
        Pairs of edges of bodies that may cross.
    partners : dict
        Segments that may touch each rigid shape, as far as they are known.
    restitution : tuple of float
        Of each of them.
    frictions : tuple of float
        Coefficient of friction of each; none: no friction.
    spin_radii : tuple of float
        Moment about the normal that points of each may bear, over the force that they
        may bear by friction [m]; none: no such moments.
    locked : (n_frames, 6) bool array
        Directions in which supports hold frames at rest.
    """

    segments: Segments
    names: tuple[str, ...]
    between: tuple[tuple[str, str], ...]
    shapes: Shapes = field(default_factory=lambda: Shapes((), np.zeros(0, np.int64)))
    sizes: Array = field(default_factory=lambda: np.zeros(0))
    has_bodies: bool = False
    crossings: IntArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    partners: dict[int, IntArray] = field(default_factory=dict)
    restitution: tuple[float, ...] = ()
    frictions: tuple[float, ...] = ()
    spin_radii: tuple[float, ...] = ()
    locked: Any = field(default_factory=lambda: np.zeros((0, 6), dtype=bool))

    @cached_property
    def is_complete(self) -> list[bool]:
        """Whether each rigid shape belongs to a body known by its features."""
        found: list[bool] = self.segments.is_complete[self.shapes.segments].tolist()
        return found

    @property
    def has_friction(self) -> bool:
        """Whether any contact part has friction."""
        return any(self.frictions)

    @property
    def has_spin(self) -> bool:
        """Whether points of any contact part resist spin."""
        return any(self.spin_radii)

    @property
    def rubs_on_shapes(self) -> bool:
        """Whether there is friction, and are rigid shapes to rub on."""
        return self.has_friction and bool(self.shapes.items)

    def part_of(self, one: int, other: int) -> str:
        """Name of the first contact part that asks for two segments."""
        numbers, _ = self.segments.parts_of(np.array([one]), np.array([other]))
        return self.names[numbers[0]]

    @property
    def unit(self) -> float:
        """Length [m] that gaps are measured by: twice the smallest radius."""
        if self.sizes.size:
            return float(self.sizes[0])
        return 2.0 * float(self.segments.radii.min())

    @property
    def reach(self) -> float:
        """Gap [m] up to which pairs get multipliers: twice the largest radius."""
        if self.sizes.size:
            return float(self.sizes[1])
        return 2.0 * float(self.segments.radii.max())


def pairs_within(
    segments: Segments,
    ends: Array,
    bows: Array,
    reach: float | Array,
    *,
    with_crests: bool = False,
) -> IntArray:
    """(m, 2) pairs of segments that may touch, with chords closer than ``reach``.

    Parameters
    ----------
    segments : Segments
    ends : (n, 2, 3) array
        Places of both ends [m].
    bows : (n,) array
        How far each axis is from its chord [m].
    reach : float or (n,) array
        Largest gap [m]; an array is a share of each segment, in place of radii.
    with_crests : bool
        Whether rods may touch crests of shapes.
    """
    sizes = segments.sizes(bows)
    most = float(reach) if np.ndim(reach) == 0 else 0.0
    if np.ndim(reach):
        sizes[:, search.BOW] += np.asarray(reach) - segments.radii
    identities = segments.identities
    if with_crests:
        identities = segments.identities_with_crests
    room = 8 * segments.n + 64
    while True:
        pairs = np.empty((room, 2), dtype=np.int64)
        n = int(search.find_pairs(ends, sizes, identities, float(most), pairs))
        if n <= room:
            found = pairs[:n]
            return np.asarray(found[np.lexsort((found[:, 1], found[:, 0]))])
        room = n


def near_pairs(
    segments: Segments, chords: tuple[Array, Array], pairs: IntArray, limit: float
) -> tuple[IntArray, Array]:
    """Pairs with gaps of chords below a limit, and these gaps (see `chord_gaps`)."""
    ends, bows = chords
    found, gaps = np.empty_like(pairs), np.empty(len(pairs))
    given = ends, segments.radii + bows, pairs, limit
    n = int(search.near_pairs(*given, found, gaps))
    return found[:n], gaps[:n]


def chord_gaps(segments: Segments, ends: Array, bows: Array, pairs: IntArray) -> Array:
    """(m,) distances of the chords of pairs, less radii and bows [m]."""
    gaps = np.empty(len(pairs))
    search.chord_gaps(ends, segments.radii + bows, pairs, gaps)
    return gaps
