"""When factors that are one iteration old still serve in Newton's iteration of a step.

The contraction of the residual by new factors is measured: it shrinks with the residual
itself, which is Newton's quadratic convergence, while old factors keep theirs. What new
factors cost is predicted from the number of operations (`factors.cost_of_factors`). No
clock decides, and nothing is kept from step to step, so that a run takes the same way
wherever it is begun again.
"""

from __future__ import annotations

import math

from .._jit import routine

# an iteration with old factors must go this far below the tolerance: new ones do anyway
MARGIN = 0.03
# old factors that contract less than this do not serve
SLOWEST = 0.1
MOST_ITERATIONS = 20.0


@routine
def iterations_with_old(ratio, tolerance, contraction):
    """Iterations to the tolerance if each contracts alike."""
    return max(1.0, math.ceil(math.log(tolerance / ratio) / math.log(contraction)))


@routine
def iterations_with_new(ratio, tolerance, contraction):
    """Iterations to the tolerance if the contraction shrinks with the residual."""
    n = 0.0
    while ratio > tolerance and n < MOST_ITERATIONS:
        n += 1.0
        last = ratio
        ratio *= contraction
        contraction *= ratio / last
    return n


@routine
def wants_factors(ratio, last, fresh, tolerance, cost):
    """Whether new factors are predicted to cost less than more iterations with old.

    Parameters
    ----------
    ratio, last : float
        Relative residual now and one iteration before; ``last`` is zero before the
        first one.
    fresh : float
        Contraction by the factors in their first iteration, over the residual there.
    tolerance : float
    cost : float
        Of new factors, in iterations; -1: they cost nothing.
    """
    if not ratio < SLOWEST * last:
        return True
    contraction = max(ratio / last, 1e-300)
    with_old = iterations_with_old(ratio, MARGIN * tolerance, contraction)
    with_new = iterations_with_new(ratio, tolerance, fresh * ratio)
    return with_old > (1.0 + cost) * with_new
