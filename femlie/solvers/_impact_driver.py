"""Compiled parts of a step of generalized-alpha with impacts, one function for all.

Between them `femlie.solvers.impacts` solves for what contacts do.
"""

from __future__ import annotations

from .._equations import (
    copy_rows,
    evaluate_blocks,
    move_frames,
    observe_blocks,
    start_step,
)
from .._groups import group_rates
from .._jit import routine, shared
from ._alpha_driver import begin_step, iterate, project_velocities
from ._alpha_moves import watch_multipliers
from ._alpha_scheme import (
    ALPHA_F,
    ALPHA_M,
    ERROR_TOLERANCE,
    IS_STABILIZED,
    LAST_ATTEMPT,
    PROJECTS_VELOCITIES,
    SMALLEST_STEP,
    local_error,
    next_step,
    update_alpha,
    weights_of,
)
from ._step_state import DONE, ERROR_TOO_LARGE, TIME_STEP, WANTS_PIVOTS, restore
from .march import BEFORE, NOW, finish_step

# what is asked for
(
    SMOOTH,
    STEP_MATRIX,
    MASS_MATRIX,
    DAMPED_MATRIX,
    PLACES,
    SPEEDS,
    BALANCE,
    MOVE,
    ADD_SPEEDS,
    ADD_RATES,
    OBSERVE,
    ACCEPT,
    RECORD,
) = range(13)
# behind the values of generalized-alpha: what the error makes of the step
FACTOR, N_VALUES = 11, 12


@shared
def smooth_step(equations, motion, target, factorization, memory):
    """One step as if nothing touched; it is not accepted yet."""
    values, options = memory.values, memory.options
    is_held = equations.sizes[1] > equations.sizes[0]
    n_levels = 2 if options[IS_STABILIZED] != 0 and is_held else 1
    code = DONE
    for attempt in range(LAST_ATTEMPT + 1):
        wanted, old_time = begin_step(equations, motion, memory, attempt)
        code = iterate(
            equations, motion, target, factorization, memory, n_levels, attempt
        )
        if code == DONE or code == WANTS_PIVOTS or attempt == LAST_ATTEMPT:
            break
        restore(motion, memory, old_time)
        values[TIME_STEP] = wanted
    if code != DONE:
        return code
    if values[ERROR_TOLERANCE] > 0.0:
        error = local_error(
            memory.rates, memory.old_rates, memory.alpha, values, equations.length[0]
        )
        values[FACTOR] = next_step(values, error)
        is_long = values[TIME_STEP] > values[SMALLEST_STEP]
        if error > values[ERROR_TOLERANCE] and is_long:
            return ERROR_TOO_LARGE
    if options[PROJECTS_VELOCITIES] != 0 and is_held:
        code = project_velocities(equations, motion, target, factorization, memory)
    update_alpha(memory.alpha, memory.rates, memory.old_rates, values)
    watch_multipliers(motion.multipliers, memory.old_multipliers, memory.alternation)
    return code


@routine
def add_speeds(motion, memory):
    """Velocities follow the deformation in ``memory.after``, a local motion."""
    _, to_speed = weights_of(memory.values)
    for i in range(motion.velocities.shape[0]):
        for k in range(6):
            motion.velocities[i, k] += to_speed * memory.after[i, k]


@routine
def add_rates(equations, motion, memory):
    """Accelerations of the new place and velocity: add the change in ``memory.after``.

    The algorithmic accelerations, of the frames' groups, follow. ``memory.rates`` still
    holds the accelerations of the smooth step in these.
    """
    values = memory.values
    to_alpha = (1.0 - values[ALPHA_F]) / (1.0 - values[ALPHA_M])
    for i in range(motion.accelerations.shape[0]):
        for k in range(6):
            motion.accelerations[i, k] += memory.after[i, k]
    copy_rows(memory.old_rates, memory.rates)
    group_rates(
        equations.groups, motion.poses, motion.velocities, motion.accelerations,
        memory.speeds, memory.rates,
    )  # fmt: skip
    for i in range(motion.accelerations.shape[0]):
        for k in range(6):
            change = memory.rates[i, k] - memory.old_rates[i, k]
            memory.alpha[i, k] += to_alpha * change


@shared
def act(equations, motion, target, factorization, memory, buffer, task):
    """Do one of the parts of a step."""
    if task == SMOOTH:
        return smooth_step(equations, motion, target, factorization, memory)
    if task == STEP_MATRIX:
        to_rate, to_speed = weights_of(memory.values)
        start_step(equations, motion)
        evaluate_blocks(equations, motion, target, 0, to_rate, to_speed, 1.0)
    elif task == MASS_MATRIX:
        evaluate_blocks(equations, motion, target, 2, 1.0, 0.0, 0.0)
    elif task == DAMPED_MATRIX:
        to_rate, to_speed = weights_of(memory.values)
        evaluate_blocks(equations, motion, target, 2, 1.0, to_speed / to_rate, 0.0)
    elif task == PLACES:
        evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
    elif task == SPEEDS:
        evaluate_blocks(equations, motion, target, 1, 0.0, 0.0, 0.0)
    elif task == MOVE:
        move_frames(equations, motion, memory.row, 1.0)
        start_step(equations, motion)
    elif task == BALANCE:
        evaluate_blocks(equations, motion, target, 2, 0.0, 0.0, 0.0)
    elif task == ADD_SPEEDS:
        add_speeds(motion, memory)
    elif task == ADD_RATES:
        add_rates(equations, motion, memory)
    elif task == OBSERVE:
        output = buffer.outputs[buffer.n[0]]
        energies = memory.book[NOW:BEFORE]
        observe_blocks(equations, motion, output, energies, everything=True)
    else:
        finish_step(equations, motion, target, buffer, memory.book, task == RECORD)
    return DONE
