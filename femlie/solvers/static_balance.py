"""Whether each part for itself is in balance at the end of a static run.

Residuals count against the forces of the whole model. What is very light beside the
rest may be far from its own equilibrium then.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .._equations import evaluate_blocks, update_signals
from ..assembly import Assembly
from ..elements.base import FORCE_FLOOR, Array, IntArray, Motion
from ..system import System
from .march import run
from .reports import describe_frame

# what may be left of the loads of a part, for parts with less of all loads than this
ALLOWED, LIGHT = 1e-3, 1e-4
ROUNDING = 10.0


def imbalance_in_words(assembly: Assembly, motion: Motion) -> list[str]:
    """What to say on the part that is farthest from its own balance.

    Parameters
    ----------
    assembly : Assembly
    motion : Motion
        At the end of the run, under all loads.
    """
    system = assembly.system
    left = _forces_on_frames(assembly, motion, 1.0)
    # loads grow with the load factor, all else stays
    loads = left - _forces_on_frames(assembly, motion, 0.0)
    run(assembly, update_signals, motion)
    labels = _parts(system)
    sizes = np.linalg.norm(left, axis=1)
    # below this a force is the rounding of stiff elements
    sizes[sizes < ROUNDING * float(assembly.target.scales[FORCE_FLOOR])] = 0.0
    n = int(labels.max()) + 1
    left_over = np.bincount(labels, sizes, n)
    loaded = np.bincount(labels, np.linalg.norm(loads, axis=1), n)
    left_over[loaded > LIGHT * loaded.sum()] = 0.0
    worst = int(np.argmax(left_over - ALLOWED * loaded))
    if not left_over[worst] > ALLOWED * loaded[worst] > 0.0:
        return []
    own = np.flatnonzero(labels == worst)
    frame = int(own[np.argmax(sizes[own])])
    words = (
        f"{describe_frame(system, frame)} and what it is joined to are out of balance "
        f"by {left_over[worst]:.3g} of the {loaded[worst]:.3g} that loads them, which "
        "is little beside the forces of the whole model. Give a smaller tolerance, or "
        "a model without what is so much heavier."
    )
    return [words]


def _forces_on_frames(assembly: Assembly, motion: Motion, factor: float) -> Array:
    """(n_frames, 6) residual at a load factor; moments over the size of the model."""
    kept = float(motion.time[0])
    motion.time[0] = factor
    run(assembly, update_signals, motion)
    run(assembly, evaluate_blocks, motion, assembly.target, 0, 0.0, 0.0, 0.0)
    motion.time[0] = kept
    numbers = assembly.system.dofs.numbers
    found = np.where(numbers >= 0, assembly.target.residual[numbers], 0.0)
    found[:, 3:] /= assembly.system.size
    return np.asarray(found)


def _parts(system: System) -> IntArray:
    """(n_frames,) number of the part of each frame; the ground joins none."""
    pairs = np.vstack(
        [
            np.zeros((0, 2), dtype=np.int64),
            *(
                block.frames[:, [0, k]]
                for block in system.blocks
                for k in range(1, block.frames.shape[1])
            ),
        ]
    )
    pairs = pairs[np.all(pairs > 0, axis=1)]
    n = len(system.dofs.numbers)
    graph = coo_matrix((np.ones(len(pairs)), pairs.T), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1])
