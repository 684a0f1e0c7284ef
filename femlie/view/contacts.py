"""Contact forces as arrows on the elements of rods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..elements.base import Array
from .beams import end_poses
from .coloring import GLYPH_COLORS
from .layers import Layer
from .markers import LINE_ARROW_LENGTH, Surroundings
from .run import Run
from .shapes import Patch, arrow, axes_along, joined, placed

# by state of friction
NAMES = ("contact force", "contact that sticks", "contact that slides")
# forces below this part of the largest one are not drawn
SMALL = 0.01


def largest_force(run: Run, indices: Sequence[int]) -> float:
    """Size of the largest force on an element at some times; zero without contact."""
    if run.contacts is None:
        return 0.0
    forces = [run.contacts.on_elements(index)[0] for index in indices]
    return max(float(np.linalg.norm(f, axis=1).max(initial=0.0)) for f in forces)


def contact_layers(
    run: Run, index: int, poses: Array, around: Surroundings, largest: float
) -> list[Layer]:
    """One arrow an element that is pressed; with friction, colored by stick and slip.

    Arrows begin on the far side of the rod and point away from the other one, which
    would hide them.

    Parameters
    ----------
    run : Run
    index : int
        Row of the time.
    poses : (n_frames, 7) array
        As drawn.
    around : Surroundings
    largest : float
        Force whose arrow has full length.
    """
    if run.contacts is None or largest == 0.0:
        return []
    forces, pressures = run.contacts.on_elements(index)
    sizes = np.linalg.norm(forces, axis=1)
    beams = run.catalog.beams
    # where the force acts on each element
    shares = np.maximum(pressures, 1e-300)
    shares /= shares.sum(axis=1, keepdims=True)
    places = np.einsum("nk,nki->ni", shares, end_poses(beams, poses)[:, :, :3])
    thickness = around.reach[beams.frames].max(axis=1)
    states = run.contacts.states_on_elements(index)
    patches: dict[int, list[Patch]] = {}
    for k in np.flatnonzero(sizes > SMALL * largest):
        direction = forces[k] / sizes[k]
        frame = np.eye(4)
        length = LINE_ARROW_LENGTH * around.size * (0.2 + 0.8 * sizes[k] / largest)
        frame[:3, :3] = length * axes_along(direction)
        frame[:3, 3] = places[k] + 1.05 * thickness[k] * direction
        one = placed(arrow(), frame[None])
        patches.setdefault(int(states[k]), []).append(one)
    return [
        Layer(NAMES[k], joined(own), GLYPH_COLORS[NAMES[k]], label=NAMES[k])
        for k, own in sorted(patches.items())
    ]
