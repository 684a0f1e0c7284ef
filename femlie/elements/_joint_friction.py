"""Dry friction on a coordinate of a joint: what sticks springs back, and then slides.

The force follows the coordinate phi through a spring that slides where it is stretched
to the limit, as in plasticity without hardening (return mapping):

- stick: ``s = k (phi - a)`` as long as ``|s| <= S``, with the anchor a of the last
  accepted step
- slide: ``s = sign S``; at the end of the step ``a`` is where ``k (phi - a) = s``
- ``S = S_k + (S_s - S_k) exp(-(rate / v)^2)`` (Stribeck), from rest to motion.

The energy lost in a step is ``S`` times the way of the anchor, which is never negative.
Nothing depends on the time in which a motion happens but by the rate in S, so that the
law is the same in statics; a constant force below the limit moves nothing further.

Sources: Simo and Hughes 1998, ch. 1 (return mapping); Armstrong-Helouvry, Dupont,
Canudas de Wit 1994, eq. (14) (Stribeck).
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ._joint_rows import (
    ACTION,
    ANCHOR,
    BREAKAWAY,
    LIMIT,
    LOSS,
    N_HISTORY,
    N_ROW_CODES,
    N_ROW_PARAMETERS,
    N_RUB_HISTORY,
    RATES,
    ROW_CODES,
    ROW_PARAMETERS,
    RUB,
    STICK_STIFFNESS,
    STRIBECK_SPEED,
    VALUES,
    number_of_rows,
    row_place,
    row_sum,
)

# what is stretched to the limit sticks at first, whatever rounding says
AT_LIMIT = 1e-6


@routine
def number_of_rubbing(codes):
    """Rows with friction of an element."""
    count = 0
    if codes.shape[0] > 0:
        for row in range(number_of_rows(codes)):
            count += codes[0, ROW_CODES + N_ROW_CODES * row + ACTION] == RUB
    return count


@routine
def row_friction(parameters, history, place, value, rate):
    """Force of a row and its derivatives by value and rate; energy, anchor, loss.

    ``place``: element, number of the row and among those with friction.
    """
    i, row, rubbing = place
    j = ROW_PARAMETERS + N_ROW_PARAMETERS * row
    at = N_HISTORY + N_RUB_HISTORY * rubbing
    anchor, loss = history[i, at + ANCHOR], history[i, at + LOSS]
    limit, fading = parameters[i, j + LIMIT], parameters[i, j + STRIBECK_SPEED]
    pace = rate / fading
    extra = (parameters[i, j + BREAKAWAY] - limit) * math.exp(-pace * pace)
    limit += extra
    stick = parameters[i, j + STICK_STIFFNESS]
    force = stick * (value - anchor)
    slope, resistance = stick, 0.0
    size = abs(force)
    if size > limit:
        sign = 1.0 if force > 0.0 else -1.0
        force = sign * limit
        if size > (1.0 + AT_LIMIT) * limit:
            slope = 0.0
            resistance = -2.0 * sign * extra * pace / fading
        slid = value - force / stick
        loss += limit * abs(slid - anchor)
        anchor = slid
    return force, slope, resistance, 0.5 * force * force / stick, anchor, loss


@inline
def keep_anchors(s, block, first, n):
    """Anchors and losses of an accepted step."""
    codes, history = block.codes, block.history
    rubbing = 0
    for row in range(number_of_rows(codes)):
        if codes[first, ROW_CODES + N_ROW_CODES * row + ACTION] != RUB:
            continue
        coordinates = row_place(codes, block.parameters, first, row)
        for k in range(n):
            value = row_sum(s, coordinates, VALUES, k)
            rate = row_sum(s, coordinates, RATES, k)
            place = (first + k, row, rubbing)
            _, _, _, _, anchor, loss = row_friction(
                block.parameters, history, place, value, rate
            )
            at = N_HISTORY + N_RUB_HISTORY * rubbing
            history[first + k, at + ANCHOR] = anchor
            history[first + k, at + LOSS] = loss
        rubbing += 1
