"""What friction and hard stops do in joints, by name and time."""

from __future__ import annotations

from dataclasses import dataclass

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
        return self._columns(self.layout.joints.frictions, name, "friction")

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
        return self._columns(self.layout.joints.frictions, name, "friction", 1)

    def _columns(
        self, known: dict[str, IntArray], name: str, what: str, behind: int = 0
    ) -> Array:
        if name not in known:
            hint = suggestion(name, list(known), what=f"joints with {what}")
            raise ResultsError(f"There is no joint '{name}' with {what}. {hint}")
        found = self.records.outputs[:, known[name] + behind]
        return np.asarray(found[:, 0] if found.shape[1] == 1 else found)
