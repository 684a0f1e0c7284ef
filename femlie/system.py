"""Numbered unknowns and what results need to know by name; no behavior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .elements.base import Array, Block, IntArray
from .elements.spread import SpreadLoads
from .lie import se3

if TYPE_CHECKING:
    from .contact.model import ContactModel
    from .elements.hard_stop import HardStop

# kinds of rows, for relative stopping rules
FORCE_ROW, MOMENT_ROW, PLACE_ROW, ANGLE_ROW, GAP_ROW = range(5)
# the signal that constant loads ride on: 1 in dynamics, the load factor in statics
CONSTANT_SIGNAL = 0


@dataclass(frozen=True)
class State:
    """Motion of all frames at one time.

    Attributes
    ----------
    time : float
        Time [s] at which a motion from here begins.
    poses : (n_frames, 7) array
        Place and unit quaternion (w first); row 0 is the ground.
    velocities, accelerations, increments : (n_frames, 6) arrays
        Body-fixed, translation first; increments count from the last accepted step.
    multipliers : (n_multipliers,) array
    history : tuple of (n_elements, n_history) arrays
        One per block.
    load_factor : float or None
        Load factor of an equilibrium; None in motion, where loads are those of the
        time.
    """

    time: float
    poses: Array
    velocities: Array
    accelerations: Array
    multipliers: Array
    increments: Array
    history: tuple[Array, ...]
    load_factor: float | None = None

    @property
    def frames(self) -> Array:
        """(n_frames, 4, 4) array of frames, body to world."""
        return se3.frame_from_pose(self.poses)


@dataclass(frozen=True)
class DofMap:
    """Numbers of the unknowns.

    Attributes
    ----------
    numbers : (n_frames, 6) int array
        Row of each direction of each frame, -1 where locked.
    n_frame_rows, n_multipliers : int
        Wrench rows come first, multiplier rows behind them.
    multiplier_kinds : (n_multipliers,) int array
        ``PLACE_ROW``, ``ANGLE_ROW`` or ``GAP_ROW``.
    groups : (n_frames,) int array or None
        Group that each frame moves in, as a number of `FrameGroup`; None: SE(3).
    """

    numbers: IntArray
    n_frame_rows: int
    n_multipliers: int
    multiplier_kinds: IntArray
    groups: IntArray | None = None

    @property
    def frame_groups(self) -> IntArray:
        """(n_frames,) int array: the group of each frame."""
        if self.groups is None:
            return np.zeros(self.numbers.shape[0], dtype=np.int64)
        return np.ascontiguousarray(self.groups, dtype=np.int64)

    @property
    def n_rows(self) -> int:
        return self.n_frame_rows + self.n_multipliers


@dataclass(frozen=True)
class Signals:
    """Functions of time that loads, motors and rest strains ride on.

    Attributes
    ----------
    table : (n_signals, 3) int array
        Kind (``CONSTANT``, ``PIECEWISE``, ``FUNCTION``), first number in ``data`` or
        number of the function, number of pieces.
    data : (n,) array
        For each piecewise signal: breaks (pieces + 1), then cubic coefficients, four a
        piece, highest power first, in the time since the start of the piece.
    functions : tuple of callables
        ``f(time)`` returning value, rate and second rate.
    """

    table: IntArray
    data: Array
    functions: tuple[Callable[[float], tuple[float, float, float]], ...] = ()


@dataclass(frozen=True)
class ElementRange:
    """Elements of one block that came from one part."""

    block: int
    elements: IntArray


@dataclass(frozen=True)
class BeamShapes:
    """What pictures need of beams, one row an element.

    Attributes
    ----------
    frames : (n, 2) int array
        Frames of both ends.
    offsets : (n, 2, 7) array
        Pose of the section at each end in its frame.
    lengths : (n,) array [m]
    outlines : (n, 2) int array
        Number of the outline at each end, -1 where the section has none.
    loops : tuple of tuples of (k, 2) arrays
        Closed polygons (y, z) of each outline [m].
    nodes : (n, 2) int array
        Nodes of the mesh.
    """

    frames: IntArray
    offsets: Array
    lengths: Array
    outlines: IntArray
    loops: tuple[tuple[Array, ...], ...]
    nodes: IntArray


@dataclass(frozen=True)
class Surface:
    """A triangulated surface that moves with a frame (points in the frame)."""

    frame: int
    points: Array  # (n, 3) [m]
    triangles: IntArray  # (m, 3)


@dataclass(frozen=True)
class Glyph:
    """A joint, support or load for pictures and reactions.

    Attributes
    ----------
    part : str
        Name of the part.
    kind : str
        ``"support"``, ``"joint"``, ``"release"``, ``"spring"``, ``"force"``,
        ``"moment"``, ``"line load"``.
    label : str
        What it is, e.g. ``"clamped"`` or ``"revolute"``.
    frame, other : int
        Frame that it sits on (child), and the other frame (parent; ground is 0).
    offset, other_offset : (7,) arrays
        Pose of the glyph in each frame.
    vector : (3,) array
        Direction and size of a load; zero else.
    is_follower : bool
        Whether ``vector`` turns with the frame.
    """

    part: str
    kind: str
    label: str
    frame: int
    other: int
    offset: Array
    other_offset: Array
    vector: Array
    is_follower: bool = False


@dataclass(frozen=True)
class ModalSpread:
    """What is spread along the n elements of a modal body: mass, weight, line loads.

    Attributes
    ----------
    masses : (n,) array [kg]
    centers : (n, 3) array
        Mass centers in the axes of the sections [m].
    rotary : (n, 3, 3) array
        Rotary inertia of one end about the mass center [kg m^2].
    ends : (k,) int array
        End of an element that each load acts on: twice the number of the element, plus
        0 or 1.
    columns : (k,) int array
        Of the outputs, where the signal stands that the load rides on.
    loads : (k, 9) array
        Force [N] and moment [N m] in world axes, and the point in those of the section.
    """

    masses: Array
    centers: Array
    rotary: Array
    ends: IntArray
    columns: IntArray
    loads: Array


@dataclass(frozen=True)
class ModalShape:
    """What is needed to see the inside of a modal body.

    Attributes
    ----------
    frames : (n,) int array
        Frames of the interfaces.
    amplitude_frames : (k,) int array
        Frames whose places are three amplitudes each.
    n_modes : int
    offsets : (n, 7) array
        Pose of each interface in its frame.
    interface_places : (n, 3) array
        At the start, seen from the first [m].
    first_frame : int
        Inner nodes stand behind the frames of the model, from here on.
    places : (m, 3) array
        Inner nodes at the start, seen from the first interface [m].
    shapes : (m, 6, N) array
        Their motion by deformation coordinates.
    forces : (n_elements, 18, N) array
        Section forces by relative logarithms and amplitudes.
    beams : dict of name -> int array of elements
    spread : ModalSpread or None
        None in files that older versions wrote.
    """

    frames: IntArray
    amplitude_frames: IntArray
    n_modes: int
    offsets: Array
    interface_places: Array
    first_frame: int
    places: Array
    shapes: Array
    forces: Array
    beams: dict[str, IntArray]
    spread: ModalSpread | None = None


@dataclass(frozen=True)
class Catalog:
    """Names of a model: which nodes, frames and elements belong to what.

    Attributes
    ----------
    node_frames : (n_nodes,) int array
        Frame that carries each node of the mesh, -1 for an orphan. Nodes inside modal
        bodies have numbers behind the last frame: see `femlie.recovery`.
    node_offsets : (n_nodes, 7) array
        Pose of the node in its frame: a body's with its own axes, others with axes
        that are world axes at the start.
    node_numbers : (n_nodes,) int array
        The user's own numbers.
    groups : dict of name -> (k,) int array of nodes
        Groups of the mesh and parts of the model.
    parts : dict of name -> tuple of ElementRange
        Elements of each part.
    kinds : dict of name -> str
        ``"beam"``, ``"body"``, ``"joint"``, ``"support"``, ``"spring"``, ``"force"``...
    beams : BeamShapes
        All beam elements; ``beam_ranges[name]`` gives the rows of a part.
    beam_ranges : dict of name -> int array of rows of ``beams``
    surfaces : dict of part name -> Surface
    glyphs : tuple of Glyph
    joint_rows : dict of joint name -> tuple of str
        What the observed coordinates of a joint are, in order (``"angle"``, ...); of
        a release at several nodes those of one after another
        (``"angle at node 7"``, ...).
    locked : dict of support name -> (k, 2) int array
        Locked unknowns as (frame, direction) that a support took away.
    support_points : dict of support name -> (k, 8) array
        Frame number and pose in it of each node that the support holds.
    sensors : dict of name -> sensor part
    modal_bodies : dict of name -> ModalShape
    """

    node_frames: IntArray
    node_offsets: Array
    node_numbers: IntArray
    groups: dict[str, IntArray]
    parts: dict[str, tuple[ElementRange, ...]]
    kinds: dict[str, str]
    beams: BeamShapes
    beam_ranges: dict[str, IntArray]
    surfaces: dict[str, Surface] = field(default_factory=dict)
    glyphs: tuple[Glyph, ...] = ()
    joint_rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    locked: dict[str, IntArray] = field(default_factory=dict)
    support_points: dict[str, Array] = field(default_factory=dict)
    sensors: dict[str, Any] = field(default_factory=dict)
    modal_bodies: dict[str, ModalShape] = field(default_factory=dict)

    @property
    def amplitude_frames(self) -> IntArray:
        """Sorted frames whose places are amplitudes of modal bodies."""
        found = [body.amplitude_frames for body in self.modal_bodies.values()]
        return np.concatenate([np.zeros(0, np.int64), *found])


@dataclass(frozen=True)
class System:
    """A model with numbered unknowns, ready for any solver.

    Attributes
    ----------
    state : State
        Where it starts.
    dofs : DofMap
    blocks : tuple of Block
    signals : Signals
    size : float
        Diagonal of the model's box [m], the length that tolerances refer to.
    n_redundant : int
        Constraint rows that depend on others.
    catalog : Catalog
    summary : dict
        Numbers of the model summary (nodes, elements, length, mass, ...).
    warnings : tuple of str
        What the build wants the user to know.
    digests : dict of part name -> str
        By which a restart knows the model again.
    contact : ContactModel or None
        What may touch.
    spread : SpreadLoads or None
        Loads along beams.
    stops : tuple of HardStop
        Limits of joints, which these do not pass.
    """

    state: State
    dofs: DofMap
    blocks: tuple[Block, ...]
    signals: Signals
    size: float
    catalog: Catalog
    n_redundant: int = 0
    summary: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    digests: dict[str, str] = field(default_factory=dict)
    contact: ContactModel | None = None
    spread: SpreadLoads | None = None
    stops: tuple[HardStop, ...] = ()

    def __repr__(self) -> str:
        """One line: how large the system is."""
        m = self.dofs.n_multipliers
        return (
            f"<System: {len(self.dofs.numbers) - 1} frames, {self.dofs.n_rows - m} "
            f"unknowns, {m} constraints>"
        )

    @property
    def row_kinds(self) -> IntArray:
        """(n_rows,) int array: what each row of the residual is."""
        kinds = np.empty(self.dofs.n_rows, dtype=np.int64)
        numbers = self.dofs.numbers
        is_free = numbers >= 0
        columns = np.broadcast_to(np.arange(6), numbers.shape)[is_free]
        kinds[numbers[is_free]] = np.where(columns < 3, FORCE_ROW, MOMENT_ROW)
        kinds[self.dofs.n_frame_rows :] = self.dofs.multiplier_kinds
        return kinds
