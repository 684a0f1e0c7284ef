"""Rows that solvers record, and where each named thing stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .elements import _beam_geometry, _joint_kernel, _joint_rows
from .elements.base import Array, IntArray
from .elements.hard_stop import stop_columns
from .elements.joint_motion import rubbing_rows
from .errors import ResultsError
from .lie import se3
from .system import Catalog, State, System

ENERGY_NAMES = (
    "kinetic",
    "strain",
    "potential",
    "load_work",
    "motor_work",
    "dissipated",
    "numerical_dissipation",
    "relative_balance",
    "impact_loss",
    "correction_work",
    "friction_loss",
)
# where the section forces of an element are known: its first end, middle, second end
SECTION_PLACES = ("first", "middle", "second")
N_SECTION_OUTPUTS = _beam_geometry.N_OUTPUTS


class Records(NamedTuple):
    """Motion and forces at the output times, one row a time.

    Attributes
    ----------
    times : (n,) array
        Time [s]; the load factor in statics.
    poses : (n, n_frames, 7) array
        Place [m] and unit quaternion (w first); frame 0 is the ground.
    velocities, accelerations : (n, n_frames, 6) arrays
        Body-fixed, translation first [m/s, rad/s]; their rates.
    multipliers : (n, m) array
    outputs : (n, n_outputs) array
        What the blocks observed, one block after another, element by element.
    reactions : (n, n_locked_frames, 6) array
        Wrench [N, N m] that the ground does to each frame with locked directions:
        body-fixed, about the frame's origin, zero in free directions.
    energies : (n, 11) array
        In the order of ``ENERGY_NAMES`` [J]; ``relative_balance`` is a ratio.
    """

    times: Array
    poses: Array
    velocities: Array
    accelerations: Array
    multipliers: Array
    outputs: Array
    reactions: Array
    energies: Array


@dataclass(frozen=True)
class JointTable:
    """All elements between two frames: joints, moving supports, springs.

    Attributes
    ----------
    frames : (n, 2) int array
        Parent and child.
    offsets : (n, 2, 7) array
        Pose of the joint frame in each of them.
    wrenches : (n,) int array
        First column of the wrench in ``Records.outputs``.
    ends : (n,) int array
        Column behind the last coordinate; each coordinate has value and rate.
    rows : dict of part name -> int array of elements
    frictions : dict of joint name -> int array
        Columns of forces of friction; the energy lost stands behind each.
    stops : dict of joint name -> tuple of int arrays
        Columns of forces of hard stops, an array for each coordinate; the depth stands
        behind each.
    """

    frames: IntArray
    offsets: Array
    wrenches: IntArray
    ends: IntArray
    rows: dict[str, IntArray]
    frictions: dict[str, IntArray] = field(default_factory=dict)
    stops: dict[str, tuple[IntArray, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ContactTable:
    """What contacts write: a row a segment, then a row a contact part.

    Attributes
    ----------
    start : int
        First column in ``Records.outputs``.
    names : tuple of str
        Contact parts.
    between : tuple of pairs of str
        What each of them names.
    beams : (n_segments,) int array
        Row of the beam element in the catalog; for a sphere, of one at its node.
    reach : float
        Gaps above this are not looked at [m].
    width : int
        Numbers in a row; friction has more.
    """

    start: int
    names: tuple[str, ...]
    between: tuple[tuple[str, str], ...]
    beams: IntArray
    reach: float
    width: int = 6


@dataclass(frozen=True)
class Layout:
    """What is needed to read records by name.

    Attributes
    ----------
    catalog : Catalog
    start : (n_frames + n_inner, 7) array
        Poses as meshed: displacements and rotations count from them. Inner nodes of
        modal bodies stand behind the frames.
    n_multipliers, n_outputs : int
        Columns of ``Records``; section forces of modal bodies stand behind them.
    locked_frames : (n_locked_frames,) int array
        Sorted frames with locked directions.
    sections : dict of part name -> (n_elements,) int array
        First column of each beam element in ``Records.outputs``.
    joints : JointTable
    contacts : ContactTable or None
    """

    catalog: Catalog
    start: Array
    n_multipliers: int
    n_outputs: int
    locked_frames: IntArray
    sections: dict[str, IntArray]
    joints: JointTable
    contacts: ContactTable | None = None

    @property
    def n_frames(self) -> int:
        """Frames of the model, without inner nodes of modal bodies."""
        inner = (len(body.places) for body in self.catalog.modal_bodies.values())
        return int(self.start.shape[0]) - sum(inner)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of one row of each array of ``Records``."""
        n_frames = self.n_frames
        return {
            "times": (),
            "poses": (n_frames, 7),
            "velocities": (n_frames, 6),
            "accelerations": (n_frames, 6),
            "multipliers": (self.n_multipliers,),
            "outputs": (self.n_outputs,),
            "reactions": (self.locked_frames.size, 6),
            "energies": (len(ENERGY_NAMES),),
        }


def layout_of(system: System) -> Layout:
    """Where each part of a system stands in the records of its runs.

    Parameters
    ----------
    system : System

    Returns
    -------
    Layout
    """
    widths = np.array([b.n_all_outputs for b in system.blocks], np.int64)
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(widths)))
    catalog = system.catalog
    locked = [rows[:, 0] for rows in catalog.locked.values() if rows.size]
    sections = {
        name: np.concatenate(columns)
        for name, ranges in catalog.parts.items()
        if (
            columns := [
                starts[r.block] + r.elements * N_SECTION_OUTPUTS
                for r in ranges
                if system.blocks[r.block].kind == "beam"
            ]
        )
    }
    first = int(starts[-1])
    for body in catalog.modal_bodies.values():
        for name, elements in body.beams.items():
            sections[name] = first + elements * N_SECTION_OUTPUTS
        first += len(body.forces) * N_SECTION_OUTPUTS
    return Layout(
        catalog=catalog,
        start=np.concatenate([system.state.poses, _inner_starts(catalog, system)]),
        n_multipliers=sum(
            block.n_all_multipliers
            for block in system.blocks
            # shared multipliers come and go with the contacts
            if block.multipliers is None
        ),
        n_outputs=int(starts[-1]),
        locked_frames=np.unique(np.concatenate(locked or [np.zeros(0, np.int64)])),
        sections=sections,
        joints=_joint_table(system, starts),
        contacts=_contact_table(system, starts),
    )


def _contact_table(system: System, starts: IntArray) -> ContactTable | None:
    """Where contacts write, None without."""
    model = system.contact
    found = [k for k, b in enumerate(system.blocks) if b.n_output_rows is not None]
    if model is None or not found:
        return None
    return ContactTable(
        start=int(starts[found[0]]),
        names=model.names,
        between=model.between,
        beams=model.segments.beams,
        reach=model.reach,
        width=system.blocks[found[0]].n_outputs,
    )


def _inner_starts(catalog: Catalog, system: System) -> Array:
    """Poses at the start of all nodes inside modal bodies, which are not deformed."""
    poses = [np.zeros((0, 7))]
    for body in catalog.modal_bodies.values():
        base = se3.compose_poses(system.state.poses[body.frames[0]], body.offsets[0])
        straight = np.tile([1.0, 0.0, 0.0, 0.0], (len(body.places), 1))
        poses.append(se3.compose_poses(base, np.hstack([body.places, straight])))
    return np.concatenate(poses)


def _joint_table(system: System, starts: IntArray) -> JointTable:
    frames, offsets, wrenches, ends = [], [], [], []
    first_element: dict[int, int] = {}
    n_elements = 0
    for number, block in enumerate(system.blocks):
        if block.kernels[2] is not _joint_kernel.observe:
            continue
        first = starts[number] + np.arange(block.n_elements) * block.n_outputs
        frames.append(block.frames)
        offsets.append(block.parameters[:, : _joint_rows.ROW_PARAMETERS])
        wrenches.append(first + _joint_rows.WRENCH)
        ends.append(first + block.n_outputs)
        first_element[number] = n_elements
        n_elements += block.n_elements
    rows = {
        name: np.concatenate(found)
        for name, ranges in system.catalog.parts.items()
        if (
            found := [
                first_element[r.block] + r.elements
                for r in ranges
                if r.block in first_element
            ]
        )
    }
    return JointTable(
        frames=np.concatenate([np.zeros((0, 2), np.int64), *frames]),
        offsets=np.concatenate([np.zeros((0, 14)), *offsets]).reshape(-1, 2, 7),
        wrenches=np.concatenate([np.zeros(0, np.int64), *wrenches]),
        ends=np.concatenate([np.zeros(0, np.int64), *ends]),
        rows=rows,
        frictions=_frictions(system, starts),
        stops=stop_columns(system.blocks, starts),
    )


def _frictions(system: System, starts: IntArray) -> dict[str, IntArray]:
    """Columns of forces of friction, by joint."""
    found = {}
    for number, block in enumerate(system.blocks):
        rows = rubbing_rows(block)
        columns = starts[number] + np.array(
            [_joint_rows.MULTIPLIERS + block.n_multipliers + 2 * row for row in rows],
            dtype=np.int64,
        )
        for k, name in enumerate(block.names if rows else ()):
            found[name] = columns + k * block.n_outputs
    return found


def empty_records(layout: Layout) -> Records:
    """Records without a row."""
    return Records(*(np.zeros((0, *shape)) for shape in layout.shapes().values()))


def concatenate_records(pieces: Sequence[Records]) -> Records:
    """Records one after another.

    Parameters
    ----------
    pieces : sequence of Records
        At least one, all of one model.

    Returns
    -------
    Records
    """
    return Records(*(np.concatenate(arrays) for arrays in zip(*pieces, strict=True)))


def select_records(records: Records, rows: slice | Sequence[int] | IntArray) -> Records:
    """Some rows of records."""
    return Records(*(array[rows] for array in records))


def state_of_row(system: System, records: Records, row: int) -> State:
    """The state that a row shows; history is that of the model as built."""
    return replace(
        system.state,
        time=float(records.times[row]),
        poses=records.poses[row],
        velocities=records.velocities[row],
        accelerations=records.accelerations[row],
        multipliers=records.multipliers[row],
    )


def check_records(records: Records, layout: Layout) -> None:
    """Refuse records of another shape, and numbers that are not finite.

    Parameters
    ----------
    records : Records
    layout : Layout

    Raises
    ------
    ResultsError
        Naming the array, and the time of the first bad row.
    """
    n = np.shape(records.times)[0] if np.ndim(records.times) else -1
    for (name, shape), array in zip(layout.shapes().items(), records, strict=True):
        if np.shape(array) != (n, *shape):
            message = (
                f"Records hold '{name}' of shape {np.shape(array)}, expected "
                f"{(max(n, 0), *shape)} for this model."
            )
            raise ResultsError(message)
    for name, array in records._asdict().items():
        is_bad = ~np.isfinite(array).all(axis=tuple(range(1, array.ndim)))
        if is_bad.any():
            row = int(np.argmax(is_bad))
            message = (
                f"'{name}' holds a number that is not finite in row {row} (time "
                f"{records.times[row]:g}); nothing of this piece was written."
            )
            raise ResultsError(message)
