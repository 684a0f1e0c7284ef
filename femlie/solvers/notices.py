"""What a user should know of a run that came to its end: signs of wrong numbers."""

from __future__ import annotations

import math

import numpy as np

from ..elements.base import Array, IntArray
from ..lie import quaternion
from ..records import Records
from ..system import System

# the logarithm of a rotation turns its sign at pi
LARGEST_ELEMENT_TURN = 2.8
# constraints of a motion may be violated by this share of the model's size
ALLOWED_DRIFT = 1e-6
# rotations that are looked at together
PIECE = 200_000


def notices_of(system: System, records: Records, constraint_error: float) -> list[str]:
    """Elements that turned too far, constraints that a motion has left.

    Parameters
    ----------
    system : System
    records : Records
    constraint_error : float
        At the end, relative to the model's size or in radians.
    """
    found = [*_turned_beams(system, records), *_turned_bushings(system, records)]
    if constraint_error > ALLOWED_DRIFT:
        found.append(
            f"At the end constraints are violated by {constraint_error:.3g} of the "
            "model's size: use a smaller time step, or a method that holds them. Look "
            "for constraints that are singular in a position, and for derivatives of "
            "prescribed motions."
        )
    return found


def _turned_beams(system: System, records: Records) -> list[str]:
    """Elements that came near to a turn by pi, whose section forces flip there."""
    found = []
    beams = system.catalog.beams
    for name, rows in system.catalog.beam_ranges.items():
        frames, offsets = beams.frames[rows], beams.offsets[rows, :, 3:]
        # those inside a modal body have no frames of their own
        is_moving = np.all(frames < records.poses.shape[1], axis=1)
        turn = largest_turn(records.poses, frames[is_moving], offsets[is_moving])
        if turn > LARGEST_ELEMENT_TURN:
            found.append(
                f"The ends of an element of beam '{name}' turned by {turn:.3g} rad "
                "against each other: beyond pi its section forces mean nothing. Use "
                "more elements."
            )
    return found


def _turned_bushings(system: System, records: Records) -> list[str]:
    found = []
    none = np.zeros((1, 2, 4))
    none[..., 0] = 1.0
    for block in system.blocks:
        if block.kind != "bushing":
            continue
        for name, frames in zip(block.names, block.frames, strict=True):
            start = _relative(system.state.poses[None], frames[None], none)[0]
            offsets = np.stack([none[:, 0], quaternion.conjugate(start)], axis=1)
            turn = largest_turn(records.poses, frames[None], offsets)
            if turn > LARGEST_ELEMENT_TURN:
                found.append(
                    f"Bushing '{name}' turned by {turn:.3g} rad: beyond pi its torque "
                    "turns its sign. Use a joint with a spring, which counts turns."
                )
    return found


def largest_turn(poses: Array, frames: IntArray, offsets: Array) -> float:
    """Largest rotation [rad] between the two ends of elements, over all rows.

    Parameters
    ----------
    poses : (n_rows, n_frames, 7) array
    frames : (n, 2) int array
    offsets : (n, 2, 4) array
        Rotation of each end in its frame.
    """
    largest = 0.0
    step = max(1, PIECE // max(len(frames), 1))
    for first in range(0, len(poses), step):
        relative = _relative(poses[first : first + step], frames, offsets)
        least = float(np.abs(relative[..., 0]).min(initial=1.0))
        largest = max(largest, 2.0 * math.acos(min(least, 1.0)))
    return largest


def _relative(poses: Array, frames: IntArray, offsets: Array) -> Array:
    """(n_rows, n, 4) rotation of the second end in the first."""
    ends = [
        quaternion.multiply(poses[:, frames[:, k], 3:], offsets[None, :, k])
        for k in range(2)
    ]
    return quaternion.multiply(quaternion.conjugate(ends[0]), ends[1])
