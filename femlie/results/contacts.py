"""Contact forces, pressures and gaps, by name and time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contact import _friction_layout as layout_of_friction
from ..contact import _layout as layout_of_contact
from ..elements.base import Array, IntArray
from ..errors import ResultsError, suggestion
from ..records import ContactTable, Layout, Records, select_records


@dataclass(frozen=True)
class ContactResults:
    """What contacts did in a run; names are beams, or contact parts.

    Attributes
    ----------
    layout : Layout
    records : Records
    """

    layout: Layout
    records: Records

    @property
    def beams(self) -> tuple[str, ...]:
        """Names of beams that may touch."""
        rows = self._table().beams
        ranges = self.layout.catalog.beam_ranges
        return tuple(n for n, own in ranges.items() if np.isin(rows, own).any())

    def on_elements(self, row: int) -> tuple[Array, Array]:
        """Forces (n, 3) on all beam elements of the model at one output time.

        And pressures (n, 2) at their ends; zero where nothing may touch.
        """
        now = ContactResults(self.layout, select_records(self.records, [row]))
        n = len(self.layout.catalog.beams.frames)
        forces, pressures = np.zeros((n, 3)), np.zeros((n, 2))
        for name in self.beams:
            elements = self.layout.catalog.beam_ranges[name]
            forces[elements] = now.forces(name)[0]
            pressures[elements] = now.pressures(name)[0]
        return forces, pressures

    def forces(self, name: str) -> Array:
        """Forces on the elements of a beam.

        Parameters
        ----------
        name : str
            A beam.

        Returns
        -------
        (n_times, n_elements, 3) array
            World axes [N]; zero where nothing touches. Friction is part of them.
        """
        return self._of_beam(name)[..., layout_of_contact.FORCE :][..., :3]

    def pressures(self, name: str) -> Array:
        """Contact force per length at both ends of the elements of a beam.

        Parameters
        ----------
        name : str
            A beam.

        Returns
        -------
        (n_times, n_elements, 2) array
            [N/m]. On the rod that bears the multipliers (the slave: the coarser mesh,
            else the shorter rod) the force of a node over its share of the length; on
            the other one, forces shared by the ends of the element over half of it.

        Notes
        -----
        Where a zone of contact ends, the last node bears a force: its pressure grows as
        elements get shorter, and that of the other rod may be a little below zero.
        """
        return self._of_beam(name)[..., layout_of_contact.PRESSURE :][..., :2]

    def gaps(self, name: str) -> Array:
        """Smallest gap of each element of a beam.

        Parameters
        ----------
        name : str
            A beam.

        Returns
        -------
        (n_times, n_elements) array
            [m], at points of integration; infinite where nothing is near.
        """
        return self._gaps_of(self._of_beam(name)[..., layout_of_contact.CLOSENESS])

    def total(self, name: str) -> Array:
        """Force on what a contact part names first, by what it names second.

        Parameters
        ----------
        name : str
            A contact part.

        Returns
        -------
        (n_times, 3) array
            World axes [N]; friction is part of it.
        """
        return self._of_part(name)[:, :3]

    def total_size(self, name: str) -> Array:
        """Sum of the sizes of all normal forces of a contact part.

        Parameters
        ----------
        name : str
            A contact part.

        Returns
        -------
        (n_times,) array
            [N].
        """
        return self._of_part(name)[:, layout_of_contact.FORCE_SUM]

    def smallest_gap(self, name: str) -> Array:
        """Smallest gap of a contact part.

        Parameters
        ----------
        name : str
            A contact part.

        Returns
        -------
        (n_times,) array
            [m]; infinite where nothing is near.
        """
        return self._gaps_of(self._of_part(name)[:, layout_of_contact.CLOSENESS])

    @property
    def has_friction(self) -> bool:
        """Whether any contact of the model has friction."""
        table = self.layout.contacts
        return table is not None and table.width > layout_of_contact.N_OUTPUTS

    def friction(self, name: str) -> Array:
        """Forces of friction on the elements of a beam.

        Parameters
        ----------
        name : str
            A beam.

        Returns
        -------
        (n_times, n_elements, 3) array
            World axes [N], along the surface.
        """
        self._want_friction()
        return self._of_beam(name)[..., layout_of_friction.FRICTION :][..., :3]

    def slips(self, name: str) -> Array:
        """Largest slip of each element of a beam in the last load step.

        In motion, the sum since the row before.

        Parameters
        ----------
        name : str
            A beam.

        Returns
        -------
        (n_times, n_elements) array
            [m]; zero where nothing touches.
        """
        self._want_friction()
        return np.asarray(self._of_beam(name)[..., layout_of_friction.SLIP])

    def states(self, name: str) -> IntArray:
        """Whether the elements of a beam stick or slide.

        Parameters
        ----------
        name : str
            A beam.

        Returns
        -------
        (n_times, n_elements) int array
            0: no friction, 1: all contacts stick, 2: some slide.
        """
        self._want_friction()
        return _whole(self._of_beam(name)[..., layout_of_friction.STATE])

    def total_friction(self, name: str) -> Array:
        """Friction on what a contact part names first, by what it names second.

        Parameters
        ----------
        name : str
            A contact part.

        Returns
        -------
        (n_times, 3) array
            World axes [N].
        """
        return self._rubbing_part(name)[:, layout_of_friction.FRICTION :][:, :3]

    def total_friction_size(self, name: str) -> Array:
        """Sum of the sizes of all forces of friction of a contact part.

        Parameters
        ----------
        name : str
            A contact part.

        Returns
        -------
        (n_times,) array
            [N].
        """
        return self._rubbing_part(name)[:, layout_of_friction.FRICTION_SUM]

    def largest_slip(self, name: str) -> Array:
        """Largest slip of a contact part in the last load step.

        In motion, the sum since the row before.

        Parameters
        ----------
        name : str
            A contact part.

        Returns
        -------
        (n_times,) array
            [m].
        """
        return self._rubbing_part(name)[:, layout_of_friction.SLIP]

    def largest_spin_moment(self, name: str) -> Array:
        """Largest moment about the normal that a point of a contact part bears.

        Parameters
        ----------
        name : str
            A contact part, with ``spin_radius``.

        Returns
        -------
        (n_times,) array
            Size [N m]; in motion, the mean since the row before.
        """
        return self._rubbing_part(name)[:, layout_of_friction.SPIN_MOMENT]

    def largest_spin(self, name: str) -> Array:
        """Largest angle by which a point of a contact part has spun about its normal.

        Parameters
        ----------
        name : str
            A contact part, with ``spin_radius``.

        Returns
        -------
        (n_times,) array
            Size [rad], in the last load step; in motion, the sum since the row before.
        """
        return self._rubbing_part(name)[:, layout_of_friction.SPIN_ANGLE]

    def largest_state(self, name: str) -> IntArray:
        """Whether a contact part sticks or slides.

        Parameters
        ----------
        name : str
            A contact part.

        Returns
        -------
        (n_times,) int array
            0: no friction, 1: all contacts stick, 2: some slide.
        """
        return _whole(self._rubbing_part(name)[:, layout_of_friction.STATE])

    def states_on_elements(self, row: int) -> IntArray:
        """States (n,) of all beam elements of the model at one output time.

        See `states`; zero where nothing may touch, and without friction.
        """
        found = np.zeros(len(self.layout.catalog.beams.frames), dtype=np.int64)
        if self.has_friction:
            now = ContactResults(self.layout, select_records(self.records, [row]))
            for name in self.beams:
                found[self.layout.catalog.beam_ranges[name]] = now.states(name)[0]
        return found

    def _want_friction(self) -> None:
        """Refuse to tell of friction where there is none."""
        names = self._table().names
        if not self.has_friction:
            raise ResultsError(
                f"The contact '{names[0]}' has no friction: give it a coefficient, "
                f"Contact('{names[0]}', ..., friction=0.2)."
            )

    def _gaps_of(self, closeness: Array) -> Array:
        """Gaps from what is recorded: the reach less the gap, zero out of reach."""
        return np.where(closeness > 0.0, self._table().reach - closeness, np.inf)

    def _table(self) -> ContactTable:
        if self.layout.contacts is None:
            raise ResultsError("The model has no contact: add a Contact to it.")
        return self.layout.contacts

    def _columns(self) -> Array:
        """(n_times, n_rows, n_outputs) all that contacts wrote."""
        table = self._table()
        n = len(table.beams) + len(table.names)
        width = table.width
        own = self.records.outputs[:, table.start : table.start + n * width]
        return own.reshape(-1, n, width)

    def _of_part(self, name: str) -> Array:
        table = self._table()
        if name not in table.names:
            hint = suggestion(name, table.names, what="contacts")
            raise ResultsError(f"There is no contact '{name}'. {hint}")
        return np.asarray(
            self._columns()[:, len(table.beams) + table.names.index(name)]
        )

    def _rubbing_part(self, name: str) -> Array:
        """What friction is part of; refused where there is none."""
        self._want_friction()
        return self._of_part(name)

    def _of_beam(self, name: str) -> Array:
        table = self._table()
        ranges = self.layout.catalog.beam_ranges
        if name not in self.beams:
            hint = suggestion(name, self.beams, what="beams with contact")
            raise ResultsError(f"There is no beam '{name}' that may touch. {hint}")
        columns = self._columns()
        # an element, and the spheres at its nodes
        own = np.flatnonzero(np.isin(table.beams, ranges[name]))
        order = np.argsort(ranges[name])
        at = order[np.searchsorted(ranges[name], table.beams[own], sorter=order)]
        found = np.zeros((len(columns), len(ranges[name]), columns.shape[2]))
        close = layout_of_contact.CLOSENESS
        for segment, element in zip(own.tolist(), at.tolist(), strict=True):
            here, more = found[:, element], columns[:, segment]
            sums = np.ones(more.shape[1], dtype=bool)
            sums[[close, *range(layout_of_friction.SLIP, more.shape[1])]] = False
            here[:, sums] += more[:, sums]
            here[:, ~sums] = np.maximum(here[:, ~sums], more[:, ~sums])
        return found


def _whole(states: Array) -> IntArray:
    return np.asarray(np.rint(states).astype(np.int64))
