"""What a user should know of a run that came to its end: signs of wrong numbers."""

from __future__ import annotations

import math

import numpy as np

from ..elements.base import Array, IntArray
from ..lie import quaternion
from ..records import ENERGY_NAMES, Records
from ..system import System

# the logarithm of a rotation turns its sign at pi
LARGEST_ELEMENT_TURN = 2.8
# constraints of a motion may be violated by this share of the model's size
ALLOWED_DRIFT = 1e-6
# energy that nothing gave is told above this share of what was there
ALLOWED_GAIN = 0.05
# and energy that corrections of places in contact gave; an impact lends some of it
ALLOWED_CORRECTION = 0.1
# what moved by less than this share of the model's size stands still
STILL = 1e-11
# rotations that are looked at together
PIECE = 200_000


def notices_of(system: System, records: Records, constraint_error: float) -> list[str]:
    """Elements that turned too far, constraints left, energy that nothing gave.

    Parameters
    ----------
    system : System
    records : Records
    constraint_error : float
        At the end, relative to the model's size or in radians.
    """
    found = [*_turned_beams(system, records), *_turned_bushings(system, records)]
    if has_moved(records, system.size):
        found += energy_from_nothing(records)
    if constraint_error > ALLOWED_DRIFT:
        found.append(
            f"At the end constraints are violated by {constraint_error:.3g} of the "
            "model's size: use a smaller time step, or a method that holds them. Look "
            "for constraints that are singular in a position, and for derivatives of "
            "prescribed motions."
        )
    return found


def has_moved(records: Records, length: float) -> bool:
    """Whether more than rounding moved: else the energies are nothing but rounding."""
    poses = records.poses
    span = poses.max(axis=0) - poses.min(axis=0)
    reach = max(length, float(np.abs(poses[..., :3]).max(initial=0.0)))
    still = STILL * np.array([*[reach] * 3, *[1.0] * 4])
    return bool(np.any(span > still))


def energy_from_nothing(records: Records) -> list[str]:
    """Energy beyond what loads, motors and corrections of impacts gave."""
    change = records.energies - records.energies[:1]
    columns = {name: change[:, k] for k, name in enumerate(ENERGY_NAMES)}
    if not np.any(records.energies[:, ENERGY_NAMES.index("kinetic")]):
        return []
    given = [columns[name] for name in ("load_work", "motor_work", "correction_work")]
    held = [columns[name] for name in ("kinetic", "strain", "potential")]
    gained = np.sum(held, axis=0) - np.sum(given, axis=0)
    start = records.energies[:1, [ENERGY_NAMES.index(n) for n in ("kinetic", "strain")]]
    size = np.abs([*given, *held]).max() + np.abs(start).max()
    k = int(np.argmax(gained))
    if not gained[k] > ALLOWED_GAIN * size:
        return _energy_from_corrections(records, columns)
    words = (
        f"Up to {records.times[k]:g} s the motion gained {gained[k]:.3g} J, "
        f"{100.0 * gained[k] / size:.2g} % of its energy, that no load and no motor "
        "gave: it is wrong. Use a smaller time step, or more numerical damping."
    )
    return [words]


def _energy_from_corrections(records: Records, columns: dict[str, Array]) -> list[str]:
    """What contact gave by moving parts out of each other, at the end of a run.

    Without the first row, in which they are parted that overlap at the start.
    """
    work = columns["correction_work"]
    given = float(work[-1] - work[min(1, len(work) - 1)])
    others = ("load_work", "motor_work", "kinetic", "strain", "potential")
    start = records.energies[0, [ENERGY_NAMES.index(n) for n in ("kinetic", "strain")]]
    size = max(np.abs(columns[name]).max() for name in others) + np.abs(start).max()
    if not given > ALLOWED_CORRECTION * size:
        return []
    words = (
        f"Moving parts in contact out of each other gave {given:.3g} J, "
        f"{100.0 * given / size:.2g} % of the energy of the motion: use a smaller time "
        "step, or more numerical damping."
    )
    return [words]


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
