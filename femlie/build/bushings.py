"""6x6 bushings: the beam's internal forces between two frames at one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements import _beam_geometry as layout
from ..elements import _beam_kernel as kernels
from ..elements.base import Array, Block, IntArray
from ..errors import ModelError
from ..parts.structure import Bushing
from .check import array_of_numbers
from .places import Places, pose_in, rotation_of


def bushing_block(parts: list[Bushing], places: Places) -> Block:
    """The block of all bushings, free of force as they stand.

    Raises
    ------
    ModelError
        Stiffness or damping that is not symmetric or is negative, both ends on one
        thing.
    """
    k = layout
    n = len(parts)
    parameters = np.zeros((n, k.N_PARAMETERS))
    codes = np.zeros((n, k.N_CODES), dtype=np.int64)
    codes[:, k.REST_SIGNAL] = -1
    codes[:, k.HAS_OFFSETS] = 1
    frames = np.zeros((n, 2), dtype=np.int64)
    for i, part in enumerate(parts):
        frames[i] = _fill(part, places, parameters[i], codes[i])
    return Block(
        kind="bushing",
        kernels=(kernels.evaluate, kernels.carry, kernels.observe),
        static_evaluate=kernels.evaluate_static,
        frames=frames,
        codes=codes,
        parameters=parameters,
        names=tuple(part.name for part in parts),
        n_iterates=k.N_ITERATES,
        n_outputs=k.N_OUTPUTS,
    )


def _fill(
    part: Bushing, places: Places, parameters: Array, codes: IntArray
) -> tuple[int, int]:
    """Write the row of one bushing; returns its frames."""
    k = layout
    user = f"Bushing '{part.name}'"
    first, first_frame = places.frame_of(part.first, user=user)
    second, second_frame = places.frame_of(part.second, user=user)
    if first == second:
        raise ModelError(f"{user} has both ends on the same rigid thing.")
    frame = np.eye(4)
    if part.orientation is not None:
        frame[:3, :3] = rotation_of(part.orientation)
    frame[:3, 3] = (
        places.positions[places.node(part.second, user=user)]
        if part.position is None
        else part.position
    )
    parameters[k.OFFSET_A : k.OFFSET_A + 7] = pose_in(first_frame, frame)
    parameters[k.OFFSET_B : k.OFFSET_B + 7] = pose_in(second_frame, frame)
    stiffness = matrix_of(part.stiffness, user=user, what="stiffness")
    damping = matrix_of(part.damping, user=user, what="damping")
    if not np.any(stiffness) and not np.any(damping):
        raise ModelError(f"{user} has neither stiffness nor damping: give one.")
    parameters[k.STIFFNESS : k.STIFFNESS + 36] = stiffness.reshape(-1)
    parameters[k.DAMPING : k.DAMPING + 36] = damping.reshape(-1)
    parameters[k.DIAGONAL : k.DIAGONAL + 6] = np.diag(stiffness)
    codes[k.IS_DIAGONAL] = np.all(stiffness[~np.eye(6, dtype=bool)] == 0.0)
    parameters[k.FLOOR] = np.abs(stiffness[:3, :3]).max()
    codes[k.HAS_DAMPING] = bool(np.any(damping))
    return first, second


def matrix_of(given: Any, *, user: str, what: str) -> Array:
    """A symmetric 6x6 from six numbers or a matrix."""
    if given is None:
        return np.zeros((6, 6))
    values = array_of_numbers(
        given, what=f"{what} of {user}", expected="6 numbers or 6x6"
    )
    if values.shape == (6,):
        values = np.diag(values)
    if values.shape != (6, 6) or not np.all(np.isfinite(values)):
        raise ModelError(
            f"{what} of {user} must be 6 finite numbers or 6x6, got shape "
            f"{np.shape(given)}."
        )
    scale = np.abs(values).max()
    if np.abs(values - values.T).max() > 1e-9 * scale:
        raise ModelError(f"{what} of {user} is not symmetric.")
    if scale > 0.0 and np.linalg.eigvalsh(values)[0] < -1e-9 * scale:
        raise ModelError(f"{what} of {user} is negative in some direction.")
    return values
