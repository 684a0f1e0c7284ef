"""Where and how fast everything starts, and how large the model is."""

from __future__ import annotations

import numpy as np

from ..elements.base import Block, IntArray
from ..elements.joint_motion import slid_history
from ..lie import se3
from ..parts.structure import InitialMotion
from ..system import State
from .draft import Draft
from .initial import initial_velocities


def first_state(
    draft: Draft, motions: list[InitialMotion], numbers: IntArray, blocks: list[Block]
) -> State:
    """Where and how fast everything starts."""
    velocities = initial_velocities(motions, draft.places)
    velocities[numbers < 0] = 0.0
    velocities[_n_places(draft) :] = 0.0
    poses = se3.pose_from_frame(draft.places.frames)
    return State(
        time=0.0,
        poses=poses,
        velocities=velocities,
        accelerations=np.zeros(velocities.shape),
        multipliers=np.zeros(sum(b.n_elements * b.n_multipliers for b in blocks)),
        increments=np.zeros(velocities.shape),
        history=tuple(
            np.zeros((b.n_elements, b.n_history))
            if b.initial_history is None
            else slid_history(b, poses, velocities)
            for b in blocks
        ),
    )


def size_of(draft: Draft) -> float:
    """Diagonal of the model's box, or a length of its bodies."""
    places = draft.places
    used = places.node_frames >= 0
    used[list(places.inner)] = True
    frames = places.frames[1 : _n_places(draft), :3, 3]
    box = np.vstack([places.positions[used], frames])
    size = float(np.linalg.norm(np.ptp(box, axis=0))) if box.size else 0.0
    return size if size > 0.0 else _size_of_bodies(draft)


def _n_places(draft: Draft) -> int:
    """Number of frames that are somewhere; amplitudes of modal bodies come behind."""
    n_amplitudes = sum(body.amplitudes.size for body in draft.modal.values())
    return int(len(draft.places.frames) - n_amplitudes)


def _size_of_bodies(draft: Draft) -> float:
    """Length scale of a model whose frames all start at one place."""
    masses = [b.mass for b in draft.bodies.values() if b.mass is not None]
    arms = [float(np.linalg.norm(mass.center)) for mass in masses]
    radii = [float(np.sqrt(np.trace(mass.inertia) / mass.mass)) for mass in masses]
    return max([*arms, *radii], default=1.0) or 1.0
