"""A user's own element: a Python class with a residual, and an adapter to a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ..errors import FunctionError, ModelError, call_of_user
from ..lie import se3
from .base import (
    LOAD_POWER,
    Array,
    Block,
    BlockData,
    IntArray,
    Motion,
    Target,
    no_carry,
)

# step of central differences, relative to a radian and to the model's size
DIFFERENCE = 1e-6
# way along the motion, in radians and model sizes, that second differences span
SWEEP = 1e-4


@dataclass(frozen=True)
class Local:
    """What an element sees of the motion.

    Attributes
    ----------
    frames : (n, k, 4, 4) array
        Frames of each element, body to world: bodies in their own axes, nodes in axes
        that are those of the world in the model as built.
    twists, rates : (n, k, 6) arrays
        Body-fixed velocities, translation first, and their rates.
    multipliers : (n, m) array
    time : float
        Time [s]; the load factor in statics.
    """

    frames: Array
    twists: Array
    rates: Array
    multipliers: Array
    time: float


@dataclass(frozen=True)
class Contribution:
    """Residual of an element with its derivatives; None: no such term.

    Attributes
    ----------
    residual : (n, 6k + m) array
        Wrenches (inertia + internal - external + B^T lambda), body-fixed at each frame,
        force first; then constraints.
    stiffness, damping, mass : (n, 6k + m, 6k + m) arrays or None
        Derivatives by local motion and multipliers, by twists, by rates.
    """

    residual: Array
    stiffness: Array | None = None
    damping: Array | None = None
    mass: Array | None = None


@runtime_checkable
class Element(Protocol):
    """A user's own element.

    ``n_multipliers`` is the number of constraints of one element; ``residual`` gets a
    `Local` and returns (n, 6k + m). A method ``linearize(local) -> Contribution`` is
    used when there; else the tangent comes from differences. An attribute
    ``time_scale`` is the time over which constraints change by themselves (default 1).
    The power of the wrenches is booked as that of loads.
    """

    n_multipliers: int

    def residual(self, local: Local) -> Array: ...


def user_block(
    name: str,
    element: Element,
    frames: IntArray,
    *,
    length: float,
    offsets: Array | None = None,
) -> Block:
    """The block of a user's element on given frames.

    Parameters
    ----------
    name : str
        Name of the part.
    element : Element
    frames : (n, k) int array
        Frames of each element.
    length : float
        Size of the model [m], the scale of differences of places.
    offsets : (n, k, 4, 4) array or None
        What the element sees, in these frames; default: the frames themselves.

    Raises
    ------
    ModelError
        If the residual has another shape or numbers that are not finite.
    """
    if not isinstance(element, Element):
        raise ModelError(
            f"The element of '{name}' is {type(element).__name__}: expected an object "
            "with n_multipliers and residual(local)."
        )
    if offsets is None:
        offsets = np.tile(np.eye(4), (*frames.shape, 1, 1))
    adapter = _Adapter(name, element, length, offsets)
    n = frames.shape[0]
    return Block(
        kind="user",
        kernels=(adapter.evaluate, no_carry, adapter.observe),
        frames=np.ascontiguousarray(frames, dtype=np.int64),
        codes=int(element.n_multipliers) * np.arange(n, dtype=np.int64)[:, None],
        parameters=np.zeros((n, 0)),
        names=(name,) * n,
        n_multipliers=int(element.n_multipliers),
        is_compiled=False,
    )


def speed_scale(twists: Array, length: float) -> float:
    """Size of velocities [1/s]: the largest over the model's size, or one at rest."""
    places = np.abs(twists[..., :3]).max(initial=0.0) / length
    turns = np.abs(twists[..., 3:]).max(initial=0.0)
    return float(max(places, turns)) or 1.0


class _Adapter:
    """Kernels of a user's element, in their signatures."""

    def __init__(
        self, name: str, element: Element, length: float, offsets: Array
    ) -> None:
        self.name = name
        self.element = element
        self.length = length
        self.offsets = offsets
        n, k = offsets.shape[:2]
        # twists at the offsets from those of the frames; multipliers stay
        self.to_offsets = np.tile(np.eye(6 * k + element.n_multipliers), (n, 1, 1))
        for i in range(k):
            part = slice(6 * i, 6 * i + 6)
            inverse = se3.adjoint(se3.inverse(offsets[:, i]))
            self.to_offsets[:, part, part] = inverse
        self.time_scale = float(getattr(element, "time_scale", 1.0))
        if not (np.isfinite(self.time_scale) and self.time_scale > 0.0):
            raise ModelError(
                f"time_scale of the element of '{name}' is {self.time_scale:g}: "
                "expected a positive number."
            )

    def evaluate(
        self,
        motion: Motion,
        block: BlockData,
        target: Target,
        level: int,
        mass: float,
        damping: float,
        stiffness: float,
    ) -> None:
        local = self._local(motion, block)
        m = local.multipliers.shape[1]
        size = 6 * block.frames.shape[1]
        residual = self._residual(local).copy()
        wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
        tangent = None
        if wants_tangent or (m and level > 0):
            tangent = self._tangents(local)
        if m and level > 0 and tangent is not None:
            residual[:, size:] = self._higher_rows(local, tangent[0], level)
        residual = np.einsum("nji,nj->ni", self.to_offsets, residual)
        np.add.at(target.residual, block.rows, residual)
        wrenches = residual[:, :size].reshape(-1, 2, 3)
        sizes = np.linalg.norm(wrenches, axis=2).sum(axis=0)
        target.scales[:2] += sizes
        if wants_tangent and tangent is not None:
            back = np.swapaxes(self.to_offsets, 1, 2)
            stiff, damp, heavy = (back @ part @ self.to_offsets for part in tangent)
            matrix = self._weighted(motion, block, (stiff, damp, heavy), level,
                                    (mass, damping, stiffness))  # fmt: skip
            np.add.at(target.data, block.slots, matrix.reshape(len(matrix), -1))

    def observe(
        self,
        motion: Motion,
        block: BlockData,
        output: Array,  # noqa: ARG002  (the signature of kernels)
        energies: Array,
    ) -> None:
        """Power of the wrenches."""
        local = self._local(motion, block)
        size = 6 * block.frames.shape[1]
        wrenches = self._residual(local)[:, :size]
        energies[LOAD_POWER] -= float(np.sum(wrenches * local.twists.reshape(-1, size)))

    def _local(self, motion: Motion, block: BlockData) -> Local:
        frames = block.frames
        m = self.element.n_multipliers
        places = block.codes[:, :1] + np.arange(m)
        n, k = frames.shape
        moves = self.to_offsets[:, : 6 * k, : 6 * k]
        twists, rates = (
            np.einsum("nij,nj->ni", moves, given[frames].reshape(n, -1)).reshape(
                n, k, 6
            )
            for given in (motion.velocities, motion.accelerations)
        )
        return Local(
            frames=se3.frame_from_pose(motion.poses[frames]) @ self.offsets,
            twists=twists,
            rates=rates,
            multipliers=motion.multipliers[places],
            time=float(motion.time[0]),
        )

    def _residual(self, local: Local) -> Array:
        n, k = local.twists.shape[:2]
        expected = (n, 6 * k + self.element.n_multipliers)
        what = f"The element of '{self.name}'"
        given = call_of_user(self.element.residual, local, what=what, time=local.time)
        residual = np.asarray(given, dtype=float)
        if residual.shape != expected:
            raise FunctionError(
                f"{what} returned a residual of shape {residual.shape}: expected "
                f"{expected} (elements, 6 numbers a frame and one a constraint)."
            )
        if not np.all(np.isfinite(residual)):
            raise FunctionError(
                f"{what} returned a residual with numbers that are not finite at time "
                f"{local.time:g}."
            )
        return residual

    def _tangents(self, local: Local) -> tuple[Array, Array, Array]:
        """Stiffness, damping and mass (n, size, size), by hand or by differences."""
        n, k = local.twists.shape[:2]
        width = 6 * k + self.element.n_multipliers
        linearize = getattr(self.element, "linearize", None)
        if linearize is not None:
            what = f"The linearization of the element of '{self.name}'"
            found: Contribution = call_of_user(
                linearize, local, what=what, time=local.time
            )
            return tuple(
                np.zeros((n, width, width)) if part is None else np.asarray(part)
                for part in (found.stiffness, found.damping, found.mass)
            )  # type: ignore[return-value]
        matrices = [np.zeros((n, width, width)) for _ in range(3)]
        speed = speed_scale(local.twists, self.length)
        rate = speed_scale(local.rates, self.length)
        for j in range(6 * k):
            small = DIFFERENCE * (self.length if j % 6 < 3 else 1.0)
            for matrix, step, change in (
                (matrices[0], small, _moved),
                (matrices[1], small * speed, _faster),
                (matrices[2], small * rate, _accelerated),
            ):
                high = self._residual(change(local, j, step))
                low = self._residual(change(local, j, -step))
                matrix[:, :, j] = (high - low) / (2.0 * step)
        for j in range(self.element.n_multipliers):
            size = float(np.abs(local.multipliers[:, j]).max(initial=0.0)) or 1.0
            high = self._residual(_pushed(local, j, size))
            low = self._residual(_pushed(local, j, -size))
            matrices[0][:, :, 6 * k + j] = (high - low) / (2.0 * size)
        return matrices[0], matrices[1], matrices[2]

    def _higher_rows(self, local: Local, stiffness: Array, level: int) -> Array:
        """Constraints on the level of velocities or accelerations."""
        n, k = local.twists.shape[:2]
        size = 6 * k
        twists = local.twists.reshape(n, size)
        jacobian = stiffness[:, size:, :size]
        speed = np.einsum("nij,nj->ni", jacobian, twists)
        speed += self._time_rate(local)[:, size:]
        if level == 1:
            return speed
        rates = local.rates.reshape(n, size)
        return np.asarray(np.einsum("nij,nj->ni", jacobian, rates) + self._along(local))

    def _time_rate(self, local: Local) -> Array:
        step = DIFFERENCE * self.time_scale
        high = self._residual(_later(local, step))
        low = self._residual(_later(local, -step))
        return np.asarray((high - low) / (2.0 * step))

    def _along(self, local: Local) -> Array:
        """Second derivative of the constraints along the velocities."""
        k = local.twists.shape[1]
        at_rest = not np.any(local.twists)
        speed = 0.0 if at_rest else speed_scale(local.twists, self.length)
        step = SWEEP / max(speed, 1.0 / self.time_scale)
        rows = [self._residual(_swept(local, s))[:, 6 * k :] for s in (step, 0, -step)]
        return np.asarray((rows[0] - 2.0 * rows[1] + rows[2]) / step**2)

    def _weighted(
        self,
        motion: Motion,
        block: BlockData,
        tangents: tuple[Array, Array, Array],
        level: int,
        weights: tuple[float, float, float],
    ) -> Array:
        mass, damping, stiffness = weights
        k = block.frames.shape[1]
        size = 6 * k
        stiff, damp, heavy = (part.copy() for part in tangents)
        jacobian = stiff[:, size:, :size].copy()
        if level == 1:
            damp[:, size:, :size] = jacobian
            stiff[:, size:, :size] = 0.0
        elif level == 2:
            heavy[:, size:, :size] = jacobian
            stiff[:, size:, :size] = 0.0
        dynamic = mass * heavy[:, :, :size] + damping * damp[:, :, :size]
        maps = se3.tangent_operator_inverse(motion.increments[block.frames])
        for i in range(k):
            part = slice(6 * i, 6 * i + 6)
            dynamic[:, :, part] = dynamic[:, :, part] @ maps[:, i]
        matrix = stiffness * stiff
        matrix[:, :, :size] += dynamic
        matrix[:, :size, size:] = stiff[:, :size, size:]
        return matrix


def _moved(local: Local, j: int, step: float) -> Local:
    twist = np.zeros(6)
    twist[j % 6] = step
    frames = local.frames.copy()
    frames[:, j // 6] = frames[:, j // 6] @ se3.exp(twist)
    return Local(frames, local.twists, local.rates, local.multipliers, local.time)


def _swept(local: Local, step: float) -> Local:
    frames = local.frames @ se3.exp(step * local.twists)
    return Local(
        frames, local.twists, local.rates, local.multipliers, local.time + step
    )


def _faster(local: Local, j: int, step: float) -> Local:
    twists = local.twists.copy()
    twists[:, j // 6, j % 6] += step
    return Local(local.frames, twists, local.rates, local.multipliers, local.time)


def _accelerated(local: Local, j: int, step: float) -> Local:
    rates = local.rates.copy()
    rates[:, j // 6, j % 6] += step
    return Local(local.frames, local.twists, rates, local.multipliers, local.time)


def _pushed(local: Local, j: int, step: float) -> Local:
    multipliers = local.multipliers.copy()
    multipliers[:, j] += step
    return Local(local.frames, local.twists, local.rates, multipliers, local.time)


def _later(local: Local, step: float) -> Local:
    return Local(
        local.frames, local.twists, local.rates, local.multipliers, local.time + step
    )
