"""Friction in motion: what Coulomb's law adds to both problems of a step.

Velocities: a shut contact has two more impulses along its surface, with the law

    |L_T| <= mu L_N,    L_T = -mu L_N u_T / |u_T| where it slides.

Points that resist spin have a third impulse, about their normal over a radius R, with
the speed R omega_N, in the same law: it is a ball of three components there.

Places: what touched when the step began, and is pressed, has the same law for forces
and for slips since then. Without it a rod at rest on a slope would creep by ``g h^2/2``
in each step, since the smooth step knows nothing of contacts; with it such rods stay,
and what slides stays on its parabola. A contact that closes within a step has no
friction in places.

Slips are ``sum (e + e_0)/2 . dp + (m + m_0)/2 . dw`` over frames with ways dp and
rotation vectors dw: the sliding velocity as a covector at both ends of the step, which
is exact for round bodies that roll on flat or straight ones.

The loss of friction is what its impulses take at the mean of the speeds before and
after, where these are against the impulse, ``-(min(L_T u_T, 0) + min(L_T u_T+, 0))/2``:
never negative.
"""

from __future__ import annotations

import numpy as np

from ..contact import _friction_layout as layout
from ..contact._rubbing_rows import N_COLUMNS, SPUN, STATE, WAY
from ..elements.base import Array, IntArray
from ..lie import quaternion
from ..system import System
from .contact_rows import ContactRows, Look

# gaps below this part of the unit at the start of a step count as touching there
TOUCHED = 1e-8
# part of the cone from which on a contact may slide, and speed over what friction has
# changed above which it does
ON_CONE, NO_SLIP = 1.0 - 1e-9, 1e-7


class Rubbing:
    """Friction of the rows of one step.

    Parameters
    ----------
    system : System
    rows : ContactRows

    Attributes
    ----------
    found : (n_rows, 6) array
        As in `_rubbing_rows`.
    width : int
        Components of friction of each row, 2 or 3.
    loss : float
        Of the last step [J].
    """

    def __init__(self, system: System, rows: ContactRows) -> None:
        self.rows = rows
        numbers = system.dofs.numbers
        self.columns = np.where(numbers < 0, system.dofs.n_frame_rows, numbers)
        self.found = np.zeros((0, N_COLUMNS))
        self.loss = 0.0
        self.width = rows.n_tangents
        self._touched = np.zeros(0, dtype=bool)
        # rows whose covectors at the start are known, and these
        self._before = np.zeros(0, dtype=np.int64), np.zeros((0, 0, 6))

    def begin(self, start: Look) -> None:
        """Slips count from here."""
        self.start = start
        self.loss = 0.0
        self._touched = start.gaps < TOUCHED * self.rows.unit
        self._before = np.zeros(0, dtype=np.int64), np.zeros((0, 0, 6))
        self.found = np.zeros((start.gaps.size, N_COLUMNS))

    def coefficients(self, chosen: IntArray, *, of_places: bool) -> Array:
        """(len(chosen),) coefficients in one of the problems."""
        found = self.rows.friction[chosen]
        return np.where(self._touched[chosen], found, 0.0) if of_places else found

    def slips(self, look: Look, chosen: IntArray, tangents: Array) -> Array:
        """Slips (width len(chosen),) since the step began [m].

        Parameters
        ----------
        look : Look
        chosen : int array
        tangents : (width len(chosen), n_frame_rows) array
            At that place.
        """
        if not chosen.size:
            return np.zeros(0)
        mean = self._in_space(tangents, look.poses) + self._at_start(chosen)
        turn = quaternion.multiply(
            look.poses[:, 3:], quaternion.conjugate(self.start.poses[:, 3:])
        )
        way = np.empty((len(turn), 6))
        way[:, :3] = look.poses[:, :3] - self.start.poses[:, :3]
        way[:, 3:] = quaternion.log(turn)
        found = 0.5 * np.einsum("kni,ni->k", mean, way)
        each = found.reshape(-1, self.width)
        self.found[chosen, WAY] = np.linalg.norm(each[:, :2], axis=1)
        self.found[chosen, SPUN] = np.abs(each[:, 2:]).sum(axis=1)
        return np.asarray(found)

    def record(
        self,
        chosen: IntArray,
        total: tuple[Array, Array],
        speeds: tuple[Array, Array],
        mobility: Array,
    ) -> None:
        """Keep impulses, and book their loss.

        Parameters
        ----------
        chosen : (n,) int array
            Rows with friction.
        total : (n,) and (width n,) array
            Normal impulses, and those along both tangents and of spin [N s].
        speeds : two (width n,) arrays
            Sliding velocities before and after [m/s].
        mobility : (width n,) array
            Change of these per impulse [1/kg].
        """
        friction = total[1].reshape(-1, self.width)
        before, end = (speed.reshape(-1, self.width) for speed in speeds)
        mobility = mobility.reshape(-1, self.width).max(axis=1)
        limit = self.rows.friction[chosen] * total[0]
        size = np.linalg.norm(friction, axis=1)
        slides = size >= ON_CONE * limit
        slides &= np.linalg.norm(end, axis=1) > NO_SLIP * mobility * size
        state = np.where(slides, layout.SLIDES, layout.STICKS)
        self.found[chosen, : self.width] = friction
        self.found[chosen, STATE] = np.where(limit > 0.0, state, layout.OPEN)
        for velocity in (before, end):
            power = np.einsum("ki,ki->k", friction, velocity)
            self.loss -= 0.5 * float(np.minimum(power, 0.0).sum())

    def _at_start(self, chosen: IntArray) -> Array:
        """Covectors where the step began."""
        if not np.array_equal(chosen, self._before[0]):
            tangents = self.rows.tangents(self.start, chosen)
            self._before = chosen, self._in_space(tangents, self.start.poses)
        return self._before[1]

    def _in_space(self, rows: Array, poses: Array) -> Array:
        """(len(rows), n_frames, 6) covectors over ways and turns in space."""
        wide = np.zeros((len(rows), rows.shape[1] + 1))
        wide[:, :-1] = rows
        local = wide[:, self.columns].reshape(len(rows), -1, 2, 3)
        turned = quaternion.rotate(poses[None, :, None, 3:], local)
        return np.asarray(turned).reshape(len(rows), -1, 6)
