"""Contact rows of hard stops in joints, alone and beside those of lists."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..assembly import Assembly, eq_view
from ..elements import _joint_rows as joint_layout
from ..elements import _stop_kernel as layout
from ..elements.base import Array, IntArray
from ..elements.hard_stop import HardStop
from .contact_rows import ContactRows, ListRows, Look


class StopRows:
    """One row for each limit.

    Parameters
    ----------
    assembly : Assembly
        Whose history holds the angles that joints have counted.
    unit : float
        What gaps are measured by [m]: a gap of one radian, or of the size of the model,
        is one unit, so that angles and ways stand beside the gaps of rods.
    """

    def __init__(self, assembly: Assembly, unit: float) -> None:
        system = assembly.system
        self.stops: tuple[HardStop, ...] = system.stops
        self.unit = unit
        self.scales = np.array(
            [unit / (1.0 if stop.is_angle else system.size) for stop in self.stops]
        )
        self.sides = np.array([stop.side for stop in self.stops])
        self.restitution = np.array([stop.restitution for stop in self.stops])
        self.friction = np.zeros(len(self.stops))
        self.n_tangents = 2
        self.n_frame_rows = system.dofs.n_frame_rows
        numbers = system.dofs.numbers
        self.columns = np.where(numbers < 0, self.n_frame_rows, numbers)
        self.angles = [
            eq_view(assembly.equations, block, "history")[
                element, joint_layout.ANGLE_HISTORY :
            ]
            for block, element in (stop.place for stop in self.stops)
        ]
        # impulses since the last row of results, and depths now
        self.kept = np.zeros((len(self.stops), layout.N_OUTPUTS))

    @property
    def names(self) -> tuple[str, ...]:
        """Joints of the rows."""
        return tuple(stop.name for stop in self.stops)

    def begin(self, poses: Array) -> Look:
        """Rows for a step that starts at a place."""
        return self.at(poses)

    def at(self, poses: Array) -> Look:
        """The same rows at another place."""
        depths = [self._depth(k, poses)[0] for k in range(len(self.stops))]
        gaps = -self.scales * np.array(depths)
        return Look(poses.copy(), np.zeros((0, 0, 0)), gaps, has_passed=False)

    def gradients(self, look: Look, rows: IntArray) -> Array:
        """(len(rows), n_frame_rows) gradients of gaps over local motions."""
        found = np.zeros((rows.size, self.n_frame_rows + 1))
        for at, k in enumerate(rows.tolist()):
            element = self.stops[k].element
            pair = [element.parent_frame, element.child_frame]
            _, gradient = self._depth(k, look.poses)
            np.add.at(found[at], self.columns[pair].ravel(), -self.scales[k] * gradient)
        return found[:, :-1]

    def wrenches(self, look: Look, impulses: Array, friction: Array) -> Array:  # noqa: ARG002
        """(n_frames, 6) what impulses (n_rows,) do to each frame, in its own axes."""
        found = np.zeros(self.columns.shape)
        for k in np.flatnonzero(impulses).tolist():
            element = self.stops[k].element
            pair = [element.parent_frame, element.child_frame]
            _, gradient = self._depth(k, look.poses)
            wrench = -self.scales[k] * impulses[k] * gradient
            np.add.at(found, pair, wrench.reshape(2, 6))
        return found

    def passed(self, before: Array, after: Array) -> tuple[str, str] | None:  # noqa: ARG002
        """Nothing: behind a stop a coordinate is beyond its limit."""
        return None

    def tangents(self, look: Look, rows: IntArray) -> Array:  # noqa: ARG002
        """(2 len(rows), n_frame_rows) zeros: nothing slides."""
        return np.zeros((2 * rows.size, self.n_frame_rows))

    def record(
        self,
        look: Look,
        impulses: Array,
        friction: Array,  # noqa: ARG002
        outputs: Array,  # noqa: ARG002
    ) -> None:
        """Add impulses along the coordinates, and keep the depths."""
        self.kept[:, layout.FORCE] -= self.sides * self.scales * impulses
        self.kept[:, layout.DEPTH] = -look.gaps / self.scales

    def hand_over(self, recorded: Array, passed: float) -> None:
        """Write mean forces over a time [s] for the results, and begin anew."""
        recorded[:] = self.kept
        recorded[:, layout.FORCE] /= passed
        self.kept[:] = 0.0

    def forget(self) -> None:
        """There is no memory of earlier steps."""

    def name_of(self, row: int) -> str:
        """The joint that a row belongs to."""
        return self.stops[row].name

    def _depth(self, row: int, poses: Array) -> tuple[float, Array]:
        return self.stops[row].depth(poses, float(self.angles[row][0]))


class JoinedRows:
    """Rows of two kinds, one behind the other.

    Parameters
    ----------
    first : ContactRows
        Whose unit and outputs count.
    stops : StopRows
    """

    def __init__(self, first: ContactRows, stops: StopRows) -> None:
        self.first = first
        self.stops = stops

    @property
    def restitution(self) -> Array:
        """(n_rows,) coefficient of each row."""
        return np.concatenate([self.first.restitution, self.stops.restitution])

    @property
    def friction(self) -> Array:
        """(n_rows,) coefficient of friction of each row."""
        return np.concatenate([self.first.friction, self.stops.friction])

    @property
    def n_tangents(self) -> int:
        """Directions of friction of each row."""
        return self.first.n_tangents

    @property
    def unit(self) -> float:
        """Length [m] that gaps are measured by."""
        return self.first.unit

    def begin(self, poses: Array) -> Look:
        """Rows for a step that starts at a place."""
        return _joined(self.first.begin(poses), self.stops.begin(poses))

    def at(self, poses: Array) -> Look:
        """The same rows at another place within the step."""
        return _joined(self.first.at(poses), self.stops.at(poses))

    def gradients(self, look: Look, rows: IntArray) -> Array:
        """(len(rows), n_frame_rows) gradients of gaps over local motions."""
        n = self._n_first(look)
        own, others = self._looks(look)
        is_first = rows < n
        first = self.first.gradients(own, rows[is_first])
        found = np.zeros((rows.size, first.shape[1]))
        found[is_first] = first
        found[~is_first] = self.stops.gradients(others, rows[~is_first] - n)
        return found

    def tangents(self, look: Look, rows: IntArray) -> Array:
        """(n_tangents len(rows), n_frame_rows) sliding velocities."""
        own, _ = self._looks(look)
        is_first = rows < self._n_first(look)
        first = self.first.tangents(own, rows[is_first])
        n = self.n_tangents
        found = np.zeros((n * rows.size, first.shape[1]))
        found[np.repeat(is_first, n)] = first
        return found

    def wrenches(self, look: Look, impulses: Array, friction: Array) -> Array:
        """(n_frames, 6) what impulses (n_rows,) do to each frame, in its own axes."""
        n = self._n_first(look)
        own, others = self._looks(look)
        first = self.first.wrenches(own, impulses[:n], friction[:n])
        second = self.stops.wrenches(others, impulses[n:], friction[n:])
        return np.asarray(first + second)

    def passed(self, before: Array, after: Array) -> tuple[str, str] | None:
        """Names of two parts that no step may take from one place to the other."""
        return self.first.passed(before, after)

    def record(
        self, look: Look, impulses: Array, friction: Array, outputs: Array
    ) -> None:
        """Add impulses to the outputs of results, and set the gaps there."""
        n = self._n_first(look)
        own, others = self._looks(look)
        self.first.record(own, impulses[:n], friction[:n], outputs)
        self.stops.record(others, impulses[n:], friction[n:], outputs)

    def forget(self) -> None:
        """Keep no memory of earlier steps."""
        self.first.forget()

    def name_of(self, row: int) -> str:
        """The part that a row belongs to."""
        n = self.first.restitution.size
        return self.first.name_of(row) if row < n else self.stops.name_of(row - n)

    def _n_first(self, look: Look) -> int:
        return int(look.gaps.size - self.stops.restitution.size)

    def _looks(self, look: Look) -> tuple[Look, Look]:
        n = self._n_first(look)
        return look._replace(gaps=look.gaps[:n]), look._replace(gaps=look.gaps[n:])


class Rows(NamedTuple):
    """Rows of all that touches in a model; of lists of contacts, of hard stops."""

    all: ContactRows
    lists: ListRows | None
    stops: StopRows | None


def rows_of(assembly: Assembly) -> Rows:
    """Rows of a model that has contacts, or hard stops."""
    system = assembly.system
    lists = None
    if system.contact is not None:
        lists = ListRows(system, system.contact)
    if not system.stops:
        assert lists is not None
        return Rows(lists, lists, None)
    stops = StopRows(assembly, system.size if lists is None else lists.unit)
    return Rows(stops if lists is None else JoinedRows(lists, stops), lists, stops)


def _joined(first: Look, second: Look) -> Any:
    return first._replace(
        gaps=np.concatenate([first.gaps, second.gaps]),
        has_passed=first.has_passed or second.has_passed,
    )
