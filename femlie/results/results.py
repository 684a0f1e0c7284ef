"""What happened in a run, by name and time; save and load."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import along_beams, coordinates, tracking
from ..elements.base import Array
from ..errors import ResultsError, check_name, suggestion
from ..lie import quaternion
from ..records import SECTION_PLACES, Layout, Records, select_records
from ..recovery import whole_records
from ..results_file import Stored, save_stored
from ..sensors import PreparedSensor, check_sensor, prepared
from ..system import State
from ..tracking import MotionFrame, WrenchFrame
from .contacts import ContactResults
from .dense import records_between, row_at
from .energies import Energies
from .joints import JointForces
from .tables import What, table

if TYPE_CHECKING:
    from pandas import DataFrame

SectionEnds = Literal["ends", "first", "middle", "second"]
SECTIONS: dict[str, Any] = {place: k for k, place in enumerate(SECTION_PLACES)}
SECTIONS["ends"] = [0, 2]
ROW_NAMES = {"static": "load factor", "modal": "mode"}


@dataclass(frozen=True)
class Results:
    """Motion and forces of a run.

    A name is a part, else a group of the mesh; a node is meant by the user's number.
    Quantities of one node have the shape (n_times, 3) or (n_times, 6), those of several
    (n_times, n_nodes, ...), in the order of the group.

    Attributes
    ----------
    layout : Layout
        Names of the model and their places in the records.
    records : Records
    summary : dict
        Numbers of the run.
    warnings : tuple of str
    analysis : dict
        What was asked for.
    last_state : State or None
        Where the run ended, to start another one from: ``solve(..., start=)``. Its time
        is zero after statics; a run that was killed left its latest checkpoint.
    """

    layout: Layout
    records: Records
    summary: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    analysis: dict[str, Any] = field(default_factory=dict)
    last_state: State | None = None

    def __repr__(self) -> str:
        method = self.summary.get("analysis", self.analysis.get("method", "unknown"))
        n, what = self.times.size, self.row_name
        span = f" from {self.times[0]:g} to {self.times[-1]:g}" if n > 1 else ""
        rows = f"{what} {self.times[0]:g}" if n == 1 else f"{n} {what}s{span}"
        is_done = self.summary.get("converged", True)
        return f"Results({method}, {rows}{'' if is_done else ', not converged'})"

    @property
    def times(self) -> Array:
        """(n_times,) output times [s]; load factors in statics."""
        return self.records.times

    @property
    def energy(self) -> Energies:
        """Energies at the output times."""
        return Energies(*self.records.energies.T)

    @cached_property
    def whole_records(self) -> Records:
        """Records with inner nodes and section forces of modal bodies."""
        return whole_records(self.layout, self.records)

    @property
    def contact(self) -> ContactResults:
        """What contacts did."""
        return ContactResults(self.layout, self.records)

    @property
    def joints(self) -> JointForces:
        """What friction and hard stops did in joints."""
        return JointForces(self.layout, self.records)

    @property
    def row_name(self) -> str:
        """What the times are: ``"time"``, ``"load factor"`` or ``"mode"``."""
        methods = (self.analysis.get("method"), self.summary.get("analysis"))
        return next((word for key, word in ROW_NAMES.items() if key in methods), "time")

    @property
    def is_static(self) -> bool:
        """Whether the times are load factors."""
        return self.row_name == "load factor"

    @property
    def is_modal(self) -> bool:
        """Whether the times are numbers of modes; 0 is the state without."""
        return self.row_name == "mode"

    @property
    def frequencies(self) -> Array:
        """(n_modes,) natural frequencies [Hz]; row k + 1 shows mode k."""
        if (found := self.summary.get("frequencies")) is not None:
            return np.array(found)
        method = self.summary.get("analysis")
        raise ResultsError(f"No frequencies: the analysis was {method}, not modal.")

    def positions(self, name: str | int) -> Array:
        """Places of nodes.

        Parameters
        ----------
        name : str or int

        Returns
        -------
        (n_times, 3) or (n_times, n_nodes, 3) array
            World axes [m].
        """
        points = tracking.named_points(self.layout, name)
        return _single(tracking.point_poses(self.whole_records.poses, points)[..., :3])

    def displacements(self, name: str | int) -> Array:
        """Ways of nodes from their places as meshed.

        Parameters
        ----------
        name : str or int

        Returns
        -------
        (n_times, 3) or (n_times, n_nodes, 3) array
            World axes [m].
        """
        points = tracking.named_points(self.layout, name)
        return _single(tracking.displacements(self.layout, self.whole_records, points))

    def rotations(self, name: str | int, *, as_vector: bool = False) -> Array:
        """Rotations of own axes: of nodes, world axes at the start; else the body's.

        Parameters
        ----------
        name : str or int
        as_vector : bool
            Rotation vectors, wrapped to pi, instead of matrices.

        Returns
        -------
        (n_times, 3, 3) or (n_times, n_nodes, 3, 3) array
            Node to world; or (n_times, 3) or (n_times, n_nodes, 3) vectors [rad].
        """
        points = tracking.named_points(self.layout, name)
        turns = tracking.point_poses(self.whole_records.poses, points)[..., 3:]
        if as_vector:
            return _single(quaternion.log(turns))
        return _single(quaternion.to_matrix(turns))

    def velocities(self, name: str | int, *, frame: MotionFrame = "world") -> Array:
        """Velocities of nodes.

        Parameters
        ----------
        name : str or int
        frame : "world" or "body"
            Axes of both vectors: world, or the own ones, as of `rotations`.

        Returns
        -------
        (n_times, 6) or (n_times, n_nodes, 6) array
            Velocity of the node [m/s], then angular velocity [rad/s].
        """
        points = tracking.named_points(self.layout, name)
        return _single(tracking.velocities(self.whole_records, points, frame))

    def accelerations(self, name: str | int, *, frame: MotionFrame = "world") -> Array:
        """Accelerations of nodes as seen from space.

        Parameters
        ----------
        name : str or int
        frame : "world" or "body"
            Axes of both vectors: world, or the own ones, as of `rotations`.

        Returns
        -------
        (n_times, 6) or (n_times, n_nodes, 6) array
            Acceleration of the node [m/s^2], then angular acceleration [rad/s^2].
        """
        points = tracking.named_points(self.layout, name)
        return _single(tracking.accelerations(self.whole_records, points, frame))

    def section_forces(self, name: str, *, at: SectionEnds = "ends") -> Array:
        """Section forces of a beam, in the axes of each section as the beam runs.

        A beam runs as the first element of its cells does, whichever way the others
        point; so does each of several pieces, which end at branches.

        Parameters
        ----------
        name : str
        at : "ends", "first", "middle" or "second"
            Where in each element, along the beam.

        Returns
        -------
        (n_times, n_elements, 2, 6) or (n_times, n_elements, 6) array
            N, Vy, Vz [N], T, My, Mz [N m] on the positive face; for ``"ends"`` of the
            first and the second end.
        """
        check_name(at, SECTIONS, what="places")
        if at not in SECTIONS:
            hint = suggestion(at, SECTIONS, what="places")
            raise ResultsError(f"Section forces are not known at '{at}'. {hint}")
        return along_beams.section_forces(
            self.layout, self.whole_records.outputs, name, places=SECTIONS[at]
        )

    def reactions(
        self,
        name: str,
        *,
        frame: WrenchFrame = "world",
        on: Literal["child", "parent"] = "child",
        total: bool = False,
    ) -> Array:
        """What a support does to the model, or a joint to its child.

        Parameters
        ----------
        name : str
            A support, a joint, or a spring between two frames.
        frame : "world", "part", "parent" or "child"
            Axes: world; of a support's part (its axes ride on each held node); of the
            joint's frame on the parent or on the child.
        on : "child" or "parent"
            On the parent (the ground of a support), the opposite acts at the same
            point.
        total : bool
            Sum over all nodes of a support, about the mean of their places.

        Returns
        -------
        (n_times, 6) or (n_times, n_nodes, 6) array
            Force [N], then moment [N m] about the held node or about the origin of the
            joint's frame on the child.

        Notes
        -----
        A rigid body held at several of its nodes shows its reaction at the first one.
        """
        tracking.check_wrenches(self.layout, name, frame)
        if on not in ("child", "parent"):
            raise ResultsError(
                f"Reactions are not known on {on!r}, expected 'child' or 'parent'."
            )
        found = tracking.wrenches(self.layout, self.records, name)
        sign = -1.0 if on == "parent" else 1.0
        if total:
            return sign * tracking.total_wrench(found, frame)
        return sign * _single(tracking.expressed(found, frame))

    def joint_coordinate(self, name: str, coordinate: str | None = None) -> Array:
        """Coordinates of a joint, counted through all turns.

        Parameters
        ----------
        name : str
        coordinate : str or None
            One of several.

        Returns
        -------
        (n_times,) or (n_times, n_coordinates) array
            [rad or m].
        """
        _, columns = coordinates.coordinate_columns(self.layout, name, coordinate)
        return _single(self.records.outputs[:, columns])

    def joint_rate(self, name: str, coordinate: str | None = None) -> Array:
        """Rates of the coordinates of a joint.

        Parameters
        ----------
        name : str
        coordinate : str or None
            One of several.

        Returns
        -------
        (n_times,) or (n_times, n_coordinates) array
            [rad/s or m/s].
        """
        _, columns = coordinates.coordinate_columns(self.layout, name, coordinate)
        return _single(self.records.outputs[:, columns + 1])

    def sensor(self, name: str) -> Array:
        """Values of a sensor.

        Parameters
        ----------
        name : str

        Returns
        -------
        (n_times,) or (n_times, n_columns) array
        """
        return _single(self._prepared(name)(self.records))

    def sensor_columns(self, name: str) -> tuple[str, ...]:
        """What each column of a sensor is."""
        return self._prepared(name).columns

    def _prepared(self, name: str) -> PreparedSensor:
        check_sensor(name, self.layout)
        return prepared(self.layout.catalog.sensors[name], self.layout)

    def index_at(self, time: float) -> int:
        """Row of the output time nearest to a time; in statics, of a load factor.

        Parameters
        ----------
        time : float
            [s]; the load factor in statics, the number of a mode.

        Raises
        ------
        ResultsError
            A time outside the run; a load factor or a mode that is not among the rows.
        """
        is_in_time = self.row_name == "time"
        what = f"{self.row_name}s"
        return row_at(self.times, time, what=what, takes_nearest=is_in_time)

    def between(self, times: ArrayLike) -> Results:
        """Results at any times between the output times.

        Motion follows a polynomial of degree 5 on the group from one output time to the
        next; forces and energies lie on straight lines. Statics and modes have none.
        """
        if self.row_name != "time":
            raise ResultsError(
                f"There is no motion between {self.row_name}s: ask for rows by `at`."
            )
        records = records_between(self.records, times)
        return replace(self, records=records, last_state=None)

    def at(self, time: float) -> Results:
        """Results at one output time only; see `index_at`."""
        row = self.index_at(time)
        records = select_records(self.records, slice(row, row + 1))
        return replace(self, records=records, last_state=None)

    def to_dataframe(self, what: What, name: str | None = None) -> DataFrame:
        """Table of one quantity, one row for each time and node, element or joint.

        Parameters
        ----------
        what : str
            ``"positions"``, ``"displacements"`` (with rotation vectors),
            ``"velocities"``, ``"accelerations"``, ``"section_forces"``,
            ``"reactions"``, ``"joints"``, ``"contacts"``, ``"sensors"``, ``"energy"``.
        name : str or None
            One part, group or sensor; all if None.

        Returns
        -------
        pandas.DataFrame
            Column ``time``, what the row is of and, for displacements and section
            forces, where in the model as built, then the numbers; ``attrs`` has the
            dimension of each column, and where and in which axes it is given.
        """
        return table(self.layout, self.whole_records, what, name)

    def save(self, path: str | Path) -> None:
        """Write all to one HDF5 file, which `load_results` reads."""
        run = self.layout, self.records, self.summary, self.warnings
        save_stored(path, Stored(*run, self.analysis, self.last_state))


def _single(values: Array) -> Array:
    """Drop the axis of nodes, or of columns, where there is only one."""
    return np.asarray(values[:, 0] if values.shape[1] == 1 else values)
