"""The formulas of generalized-alpha, whatever it is applied to.

Bruels, Cardona, Arnold 2012.
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ._step_state import TIME_STEP

# columns of the driver's counts behind the steps done, of its values behind the step
# and where the run began, and of its options
ITERATIONS, WORST_ROW, N_LOG, REFUSED = range(1, 5)
(
    TOLERANCE,
    ALPHA_M,
    ALPHA_F,
    BETA,
    GAMMA,
    ERROR_TOLERANCE,
    END_TIME,
    SMALLEST_STEP,
    COST_OF_FACTORS,
) = range(2, 11)
OUTPUT_EVERY, ITERATION_LIMIT, IS_STABILIZED, PROJECTS_VELOCITIES, FIRST_WAY = range(5)
# ways to begin a step that are tried one after another, counted from zero
LAST_ATTEMPT = 2


@inline
def scheme_of(values):
    """Step and coefficients of the scheme."""
    return (
        values[TIME_STEP], values[ALPHA_M], values[ALPHA_F], values[BETA], values[GAMMA]
    )  # fmt: skip


@inline
def way_of(options, attempt):
    """Number of the way to begin a step, of an attempt.

    With friction in joints the last way is the first one: only from where the step
    starts, where all sticks, does Newton's iteration find out which way they slide.
    """
    return (attempt + options[FIRST_WAY]) % (LAST_ATTEMPT + 1)


@inline
def predicted(scheme, old, speed, rate, attempt):
    """Increment, velocity and acceleration if the acceleration stays.

    ``old`` is the algorithmic acceleration. Where stiff modes swing within a step, this
    throws the first iterate far off: the second attempt starts from the velocity alone,
    the third from where the step starts.
    """
    h, alpha_m, alpha_f, beta, gamma = scheme
    new = (rate - alpha_m * old) / (1.0 - alpha_m)
    if attempt > 0:
        new = (1.0 - 0.5 / beta) * old
        if attempt > 1:
            new -= speed / (beta * h)
        rate = ((1.0 - alpha_m) * new + alpha_m * old - alpha_f * rate) / (
            1.0 - alpha_f
        )
    change = (0.5 - beta) * old + beta * new
    after = speed + h * ((1.0 - gamma) * old + gamma * new)
    return h * speed + h * h * change, after, rate


@inline
def algorithmic(scheme, old, rate, old_rate):
    """New algorithmic acceleration from the old one, new and old accelerations."""
    _, alpha_m, alpha_f, _, _ = scheme
    return ((1.0 - alpha_f) * rate + alpha_f * old_rate - alpha_m * old) / (
        1.0 - alpha_m
    )


@routine
def predict(rates, speeds, alpha, increments, values, numbers, n_rows, attempt):
    """Velocities and increments at the end of a step, in the frames' groups."""
    scheme = scheme_of(values)
    increments[:] = 0.0
    for i in range(numbers.shape[0]):
        for k in range(6):
            if numbers[i, k] < n_rows:
                increments[i, k], speeds[i, k], rates[i, k] = predicted(
                    scheme, alpha[i, k], speeds[i, k], rates[i, k], attempt
                )


@routine
def weights_of(values):
    """Weights of mass and damping in the matrix of a step."""
    h = values[TIME_STEP]
    to_rate = (1.0 - values[ALPHA_M]) / (values[BETA] * h * h * (1.0 - values[ALPHA_F]))
    return to_rate, values[GAMMA] / (values[BETA] * h)


@routine
def update_alpha(alpha, accelerations, old_accelerations, values):
    """New algorithmic accelerations from new and old accelerations."""
    scheme = scheme_of(values)
    for i in range(alpha.shape[0]):
        for k in range(6):
            alpha[i, k] = algorithmic(
                scheme, alpha[i, k], accelerations[i, k], old_accelerations[i, k]
            )


@routine
def local_error(accelerations, old_accelerations, alpha, values, length):
    """Estimate of the error of a step: ``h^2 |beta - 1/6| |a_n+1 - a_n|``.

    The largest over frames, translations relative to the model's size.
    """
    scheme = scheme_of(values)
    factor = values[TIME_STEP] ** 2 * abs(values[BETA] - 1.0 / 6.0)
    largest = 0.0
    for i in range(alpha.shape[0]):
        for part in range(2):
            square = 0.0
            for k in range(3 * part, 3 * part + 3):
                new = algorithmic(
                    scheme, alpha[i, k], accelerations[i, k], old_accelerations[i, k]
                )
                square += (new - alpha[i, k]) ** 2
            size = math.sqrt(square)
            if part == 0:
                size /= length
            largest = max(largest, factor * size)
    return largest


@routine
def next_step(values, error):
    """Factor on the step that brings the error to nine tenths of the tolerance."""
    if error <= 0.0:
        return 2.0
    factor = 0.9 * (values[ERROR_TOLERANCE] / error) ** (1.0 / 3.0)
    return min(2.0, max(0.2, factor))
