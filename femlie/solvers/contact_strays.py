"""Parts that nothing but contact holds, and that statics has led far away."""

from __future__ import annotations

import numpy as np

from ..contact import _layout as layout
from ..contact import _shapes as kinds
from ..contact.model import ContactModel
from ..elements.base import Array, BlockData, IntArray
from ..lie import quaternion
from ..system import System
from .contact_bodies import parts_joined

# gaps below this part of the size of a part touch: edges of bodies are rounded
TOUCHES = 1e-3
# a turn [rad] by more than this is no settling: what leaned may stand upright
TOPPLES = np.pi / 12.0
# and neither is a way from nowhere by more than this part of the size
FAR = 0.1
ROUND = (kinds.BALL, kinds.CAPSULE, kinds.CYLINDER)


def nearest_of_frames(data: BlockData, n_frames: int) -> Array:
    """(n_frames,) least gap [m] of what stands on each frame, as contacts settle."""
    gaps = np.full(n_frames, np.inf)
    for k in range(layout.N_POINTS):
        at = layout.POINT_WIDTH * k
        is_used = data.iterates[:, at + layout.ROW] >= 0.0
        is_used &= (data.codes[:, layout.FORM] == layout.LINE) | (k == 0)
        found = data.iterates[:, at + layout.DISTANCE]
        found = (found - data.parameters[:, layout.RADII])[is_used]
        for end in range(data.frames.shape[1]):
            np.minimum.at(gaps, data.frames[is_used, end], found)
    return gaps


def strays_in_words(
    system: System, gaps: Array, starts: Array, ends: Array
) -> list[str]:
    """Words on each free part that has gone far from the ground, or toppled.

    Parameters
    ----------
    system : System
        Without contacts.
    gaps : (n_frames,) array
        What `nearest_of_frames` tells of the start.
    starts, ends : (n_frames, 7) arrays
        Poses at the start, and where the run has ended.
    """
    model = system.contact
    assert model is not None
    segments = model.segments
    labels, is_held = parts_joined(system)
    places = [segments.ends(poses)[0] for poses in (starts, ends)]
    words = []
    for label in np.setdiff1d(labels, labels[is_held]).tolist():
        own = np.flatnonzero(labels[segments.frames[:, 0]] == label)
        if not own.size:
            continue
        before, after = (one[own].reshape(-1, 3) for one in places)
        size = float(np.ptp(before, axis=0).max() + 2.0 * segments.radii[own].max())
        way = float(np.linalg.norm(after.mean(axis=0) - before.mean(axis=0)))
        frames = np.flatnonzero(labels == label)
        is_off = gaps[frames].min() > TOUCHES * size
        turn = _turn(model, own, frames, starts, ends)
        if turn > TOPPLES or (is_off and way > FAR * size):
            who = segments.owners[own[0]]
            words.append(_words(f"'{who}'", (size, way, turn), is_off=is_off))
    return words


def _turn(
    model: ContactModel, own: IntArray, frames: IntArray, starts: Array, ends: Array
) -> float:
    """Angle [rad] by which a body has turned; zero for what bends, and what rolls."""
    carriers = model.segments.carriers
    of_shapes = carriers[model.shapes.segments]
    shapes = np.flatnonzero(np.isin(of_shapes, carriers[own]) & (of_shapes >= 0))
    is_round = any(model.shapes.items[k].kind in ROUND for k in shapes.tolist())
    if is_round or frames.size != 1:
        return 0.0
    back = quaternion.conjugate(starts[frames[0], 3:])
    turned = quaternion.multiply(back, ends[frames[0], 3:])
    return float(2.0 * np.arctan2(np.linalg.norm(turned[1:]), abs(turned[0])))


def _words(who: str, sizes: tuple[float, float, float], *, is_off: bool) -> str:
    """Two or three sentences; sizes are those of the part, its way, and its turn."""
    size, way, turn = sizes
    turned = f", turned by {np.degrees(turn):.0f} degrees" if turn > TOPPLES else ""
    off = " It touched nothing at the start." if is_off else ""
    return (
        f"{who}, {size:.3g} m long, has come to rest {way:.3g} m from where it began"
        f"{turned}.{off} Statics finds an equilibrium, not the way to one: begin near "
        "where it will rest, or run it as a dynamic analysis."
    )
