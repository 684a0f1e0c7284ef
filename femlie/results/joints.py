"""What friction and hard stops do in joints, by name and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ..errors import ResultsError, suggestion
from ..records import Layout, Records


@dataclass(frozen=True)
class JointForces:
    """Forces along the coordinates of joints, on the child.

    Attributes
    ----------
    layout : Layout
    records : Records

    Notes
    -----
    A joint with one friction or stop gives (n_times,) arrays, one with several
    (n_times, k), in the order in which the part has them.
    """

    layout: Layout
    records: Records

    def friction(self, name: str) -> Array:
        """Friction of a joint: a force along the coordinate, a torque about it.

        Parameters
        ----------
        name : str
            A joint with friction.

        Returns
        -------
        (n_times,) or (n_times, k) array
            [N] or [N m]; negative where the coordinate grows.
        """
        return self._friction(name, 0)

    def friction_loss(self, name: str) -> Array:
        """Energy that the friction of a joint has taken since the model was built.

        Parameters
        ----------
        name : str
            A joint with friction.

        Returns
        -------
        (n_times,) or (n_times, k) array
            [J].
        """
        return self._friction(name, 1)

    def stop_force(self, name: str) -> Array:
        """Force or torque of the hard stops of a joint on its child.

        Parameters
        ----------
        name : str
            A joint with hard stops.

        Returns
        -------
        (n_times,) or (n_times, k) array
            [N] or [N m]: positive where the lower limit pushes the coordinate up,
            negative at the upper one. In motion the mean since the last output time,
            impacts included.
        """
        groups = self._stops(name)
        return _each([self.records.outputs[:, own].sum(axis=1) for own in groups])

    def stop_gap(self, name: str) -> Array:
        """Distance of a joint from the nearest of its hard stops.

        Parameters
        ----------
        name : str
            A joint with hard stops.

        Returns
        -------
        (n_times,) or (n_times, k) array
            [m] or [rad].
        """
        groups = self._stops(name)
        return _each([-self.records.outputs[:, own + 1].max(axis=1) for own in groups])

    def _stops(self, name: str) -> tuple[IntArray, ...]:
        return _known(self.layout.joints.stops, name, "hard stops")

    def _friction(self, name: str, behind: int) -> Array:
        """One number of each friction, ``behind`` the first."""
        columns = _known(self.layout.joints.frictions, name, "friction")
        return _each(list(self.records.outputs[:, columns + behind].T))


def _known(known: dict[str, Any], name: str, what: str) -> Any:
    if name not in known:
        hint = suggestion(name, list(known), what=f"joints with {what}")
        raise ResultsError(f"There is no joint '{name}' with {what}. {hint}")
    return known[name]


def _each(found: list[Array]) -> Array:
    """One array as it is, several as columns."""
    return found[0] if len(found) == 1 else np.stack(found, axis=1)
