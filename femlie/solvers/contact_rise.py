"""Whether statics has led to where energy is higher than at the start.

Energy of deformation and of loads, all loads being there. What is let go at the start,
with friction or without, does not come to rest where this is larger: Newton's iteration
has jumped to an equilibrium there.
"""

from __future__ import annotations

import numpy as np

from .._equations import evaluate_blocks, observe_blocks, update_signals
from ..assembly import Assembly
from ..elements.base import (
    FORCE_SUM,
    LOAD_POWER,
    MOTOR_POWER,
    N_ENERGIES,
    POTENTIAL,
    STRAIN,
    Array,
    Motion,
)
from ..lie import quaternion
from .march import run

# part of all forces times the size of the model that is rounding, or parts an overlap
LEAST = 1e-3
# difference of powers by which a load is none that keeps its direction
SAME = 1e-9


def rise_in_words(assembly: Assembly, motion: Motion, starts: Array) -> list[str]:
    """What to say where energy has grown from a start to the present place.

    Nothing where supports, motors or rest strains have done work, or loads that do not
    keep their direction.

    Parameters
    ----------
    assembly : Assembly
    motion : Motion
        At the end of the run, under all loads.
    starts : (n_frames, 7) array
        Poses at the start.
    """
    ends = motion.poses.copy()
    turn = quaternion.log(
        quaternion.multiply(quaternion.conjugate(starts[:, 3:]), ends[:, 3:])
    )
    shift = ends[:, :3] - starts[:, :3]
    found = []
    for poses in (starts, ends):
        motion.poses[:] = poses
        back = quaternion.rotate(quaternion.conjugate(poses[:, 3:]), shift)
        found.append(_energies(assembly, motion, np.hstack([back, turn]), rate=0.0))
    driven = _energies(assembly, motion, np.zeros_like(motion.velocities), rate=1.0)
    target = assembly.target
    run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 0.0)
    least = LEAST * float(target.scales[FORCE_SUM]) * assembly.system.size
    before, after = found
    work = after[LOAD_POWER]
    is_dead = abs(work - before[LOAD_POWER]) <= SAME * least + SAME * abs(work)
    is_driven = any(one[MOTOR_POWER] != 0.0 for one in (*found, driven))
    if is_driven or not is_dead:
        return []
    change = (after - before)[[STRAIN, POTENTIAL]].sum() - work
    if not change > least:
        return []
    words = (
        f"The equilibrium has {change:.3g} J more energy of deformation and loads than "
        "the start has under the same loads, so that nothing leads there: Newton's "
        "iteration has jumped to it. Give more load steps, begin where parts touch, or "
        "run it as a dynamic analysis."
    )
    return [words]


def _energies(
    assembly: Assembly, motion: Motion, velocities: Array, *, rate: float
) -> Array:
    """(N_ENERGIES,) energies, and powers at velocities and a rate of all signals."""
    blocks = assembly.system.blocks
    everything = True
    outputs = np.zeros(sum(one.n_all_outputs for one in blocks))
    energies = np.zeros(N_ENERGIES)
    kept = motion.velocities.copy()
    motion.velocities[:] = velocities
    run(assembly, update_signals, motion)
    motion.signals[:, 1] = rate
    run(assembly, observe_blocks, motion, outputs, energies, everything)
    motion.velocities[:] = kept
    run(assembly, update_signals, motion)
    return energies
