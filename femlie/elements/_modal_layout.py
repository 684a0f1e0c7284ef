"""Numbers of a modal body as its kernels see them, and their work arrays.

A modal body has n interface frames, n_modes amplitudes of fixed-interface modes, and
N = 6 (n - 1) + n_modes deformation coordinates: six for each interface but the first,
whose frame is the body's, then the amplitudes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import allocating_routine, rows_of
from .base import Array

# columns of the codes; behind them signal and kind of each field of loads
N_INTERFACES, N_MODES, N_FIELDS = range(3)
FIELD_CODES = 3
N_FIELD_CODES = 2
# kinds of fields: weight, other forces and moments that keep their direction in space
WEIGHT, FORCE, TORQUE = range(3)
# columns of a field, then moments of the shapes (3 each)
VECTOR, SHARE, ARM, SHAPES = 0, 3, 4, 7
# first columns of the parameters, then what `first_columns` says
MASS = 0
FIRST_MOMENT = 1  # undeformed (3)
FLOOR = 4  # largest stiffness of a translation: force per rounding of a place
LENGTH = 5
OFFSETS = 6  # pose of each interface in its frame (7 each)
# position in `first_columns`
(
    PLACES,  # of the interfaces, seen from the first (3 each)
    STIFFNESS,  # by the relative logarithms and amplitudes (N, N)
    DAMPING,  # by the rates of the deformation coordinates (N, N)
    MOMENTS,  # first moments of the shapes (N, 3)
    SECOND_MOMENTS,  # int shape_k shape_l^T; shape 0 is the place (N + 1, N + 1, 3, 3)
    ROTARY,  # inertia of the sections about themselves (3, 3)
    ROTARY_COUPLING,  # (N, 3)
    SHAPE_INERTIA,  # (N, N) with rotary inertia
    FIELDS,  # see `VECTOR`
    END,
) = range(10)
# loads as a wrench about the first frame, world axes; then the signal of each field
N_OUTPUTS = 6


@allocating_routine
def first_columns(n: int, n_modes: int, n_fields: int) -> tuple[int, ...]:
    """First column of each array of parameters, and their number."""
    size = 6 * (n - 1) + n_modes
    places = OFFSETS + 7 * n
    stiffness = places + 3 * n
    damping = stiffness + size * size
    moments = damping + size * size
    second_moments = moments + 3 * size
    rotary = second_moments + 9 * (size + 1) * (size + 1)
    coupling = rotary + 9
    shape_inertia = coupling + 3 * size
    fields = shape_inertia + size * size
    return (
        places,
        stiffness,
        damping,
        moments,
        second_moments,
        rotary,
        coupling,
        shape_inertia,
        fields,
        fields + n_fields * (SHAPES + 3 * size),
    )


class Body(NamedTuple):
    """Numbers of one body."""

    offsets: Array  # (n, 7)
    places: Array  # (n, 3)
    stiffness: Array  # (N, N)
    damping: Array  # (N, N)
    moments: Array  # (N, 3)
    second_moments: Array  # ((N + 1)^2, 9)
    rotary: Array  # (1, 9)
    rotary_coupling: Array  # (N, 3)
    shape_inertia: Array  # (N, N)
    fields: Array  # (n_fields, 7 + 3 N) vector, share, arm, shapes
    totals: Array  # (1, 6) mass, first moment, floor, length


class Work(NamedTuple):
    """What one body's evaluation needs in between; (n, ...) one row an interface."""

    poses: Array  # (n, 7) of the interfaces
    twists: Array  # (n, 6)
    rates: Array  # (n, 6)
    relative: Array  # (n, 16) place, quaternion and matrix seen from the first
    logs: Array  # (n, 8) logarithm, and the coefficients c and e at it
    gaps: Array  # (N,) change of the logarithms; amplitudes
    stress: Array  # (N,)
    # deformation coordinates, their rates and second rates, one row each
    coordinates: Array  # (3, N)
    sums: Array  # (3, N + 1, 9) sum_l q_l int shape_l shape_k^T of these three
    forces: Array  # (6 + N,) on the first interface and along the coordinates
    wrenches: Array  # (n, 6) on the interfaces
    fields: Array  # (n_fields, 6) vectors and arms in the body's axes
    frame: Array  # (2, 3) acceleration of the origin, first moment


@allocating_routine
def body_of(block, i):
    """Arrays of element ``i``, which share its data."""
    n, n_modes = block.codes[i, N_INTERFACES], block.codes[i, N_MODES]
    n_fields = block.codes[i, N_FIELDS]
    size = 6 * (n - 1) + n_modes
    at = first_columns(n, n_modes, n_fields)
    p = block.parameters[i]
    return Body(
        rows_of(p, OFFSETS, n, 7),
        rows_of(p, at[0], n, 3),
        rows_of(p, at[1], size, size),
        rows_of(p, at[2], size, size),
        rows_of(p, at[3], size, 3),
        rows_of(p, at[4], (size + 1) * (size + 1), 9),
        rows_of(p, at[5], 1, 9),
        rows_of(p, at[6], size, 3),
        rows_of(p, at[7], size, size),
        rows_of(p, at[8], n_fields, SHAPES + 3 * size),
        rows_of(p, 0, 1, 6),
    )


@allocating_routine
def new_work(n, size, n_fields):
    return Work(
        np.zeros((n, 7)),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
        np.zeros((n, 16)),
        np.zeros((n, 8)),
        np.zeros(size),
        np.zeros(size),
        np.zeros((3, size)),
        np.zeros((3, size + 1, 9)),
        np.zeros(6 + size),
        np.zeros((n, 6)),
        np.zeros((n_fields, 6)),
        np.zeros((2, 3)),
    )
