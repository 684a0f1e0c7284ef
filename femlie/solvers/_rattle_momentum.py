"""Momenta of frames within a step of RATTLE, and slopes of their kinetic energy."""

from __future__ import annotations

from .._groups import SO3_R3
from .._jit import routine
from ..elements._scatter import increment_map, load3, load_quaternion
from ..lie import _kernels as lie

AT_START, AT_END = range(2)
# accelerations that leave nothing of all forces but inertia: 2^70
SCALE = 1180591620717411303424.0


@routine
def rows_of(array, numbers, n_rows, row):
    """(n_frames, 6) values as a vector of unknowns, multipliers zero."""
    row[:] = 0.0
    for i in range(numbers.shape[0]):
        for k in range(6):
            if numbers[i, k] < n_rows:
                row[numbers[i, k]] = array[i, k]


@routine
def scale_rows(target, source, factor):
    """``target = factor source``."""
    for i in range(target.shape[0]):
        for k in range(6):
            target[i, k] = factor * source[i, k]


@routine
def subtract_rows(target, source):
    """``target -= source``."""
    for i in range(target.shape[0]):
        for k in range(6):
            target[i, k] -= source[i, k]


@routine
def extrapolate(speeds, rates, h, increments):
    """``x = h (v + h/2 dv/dt)``."""
    for i in range(increments.shape[0]):
        for k in range(6):
            increments[i, k] = h * (speeds[i, k] + 0.5 * h * rates[i, k])


@routine
def multiply_frames(indptr, indices, data, first, vector, out):
    """``M v`` of the frame rows and columns."""
    out[:] = 0.0
    for j in range(first):
        x = vector[j]
        for p in range(indptr[j], indptr[j + 1]):
            if indices[p] < first:
                out[indices[p]] += data[p] * x


@routine
def add_pushes(indptr, indices, data, first, multipliers, factor, out):
    """Add ``factor B^T l``."""
    for j in range(first, out.shape[0]):
        x = factor * multipliers[j]
        for p in range(indptr[j], indptr[j + 1]):
            if indices[p] < first:
                out[indices[p]] += data[p] * x


@routine
def half_slope(indptr, indices, data, first, vector, out):
    """``K^T v / (2 s)``: the slope of kinetic energy along local motions."""
    out[:] = 0.0
    for j in range(first):
        total = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            if indices[p] < first:
                total += data[p] * vector[indices[p]]
        out[j] = 0.5 * total / SCALE


@routine
def add_turning_slope(groups, numbers, n_rows, momentum, twists, out):
    """On SO(3) x R^3 the body velocity turns with the frame: ``(M v)_u x u``."""
    for i in range(groups.shape[0]):
        if groups[i] != SO3_R3:
            continue
        p0 = momentum[numbers[i, 0]] if numbers[i, 0] < n_rows else 0.0
        p1 = momentum[numbers[i, 1]] if numbers[i, 1] < n_rows else 0.0
        p2 = momentum[numbers[i, 2]] if numbers[i, 2] < n_rows else 0.0
        turning = lie.cross((p0, p1, p2), load3(twists, i, 0))
        for k in range(3):
            if numbers[i, 3 + k] < n_rows:
                out[numbers[i, 3 + k]] += turning[k]


@routine
def add_group_momentum(groups, poses, moves, factor, mean):
    """Add momentum in body axes as that of the frames' groups."""
    for i in range(groups.shape[0]):
        p = load3(moves, i, 0)
        if groups[i] == SO3_R3:
            p = lie.quaternion_rotate(load_quaternion(poses, i), p)
        for k in range(3):
            mean[i, k] += factor * p[k]
            mean[i, 3 + k] += factor * moves[i, 3 + k]


@routine
def local_momentum(groups, poses, increments, mean, side, out):
    """``W^T P`` at the end of the step, or where it starts, as (n_frames, 6)."""
    for i in range(groups.shape[0]):
        a, b = increment_map(increments, i)
        p = load3(mean, i, 0)
        s = load3(mean, i, 3)
        if side == AT_END:
            f = lie.apply_transposed(a, p)
            m = lie.add(lie.apply_transposed(b, p), lie.apply_transposed(a, s))
        else:
            f = lie.apply(a, p)
            m = lie.add(lie.apply(b, p), lie.apply(a, s))
        if groups[i] == SO3_R3:
            q = lie.quaternion_conjugate(load_quaternion(poses, i))
            f = lie.quaternion_rotate(q, p)
        for k in range(3):
            out[i, k] = f[k]
            out[i, 3 + k] = m[k]


@routine
def carry_momentum(groups, first_poses, last_poses, moves, out):
    """Momentum in the axes of the first pose, as the frame at the last one has it.

    ``Ad(q_0^-1 q_1)^T``, or on SO(3) x R^3 without the way between the places.
    """
    for i in range(groups.shape[0]):
        back = lie.quaternion_conjugate(load_quaternion(first_poses, i))
        turn = lie.quaternion_multiply(back, load_quaternion(last_poses, i))
        way = lie.subtract(load3(last_poses, i, 0), load3(first_poses, i, 0))
        turn = lie.quaternion_conjugate(turn)
        f = load3(moves, i, 0)
        m = load3(moves, i, 3)
        if groups[i] != SO3_R3:
            m = lie.subtract(m, lie.cross(lie.quaternion_rotate(back, way), f))
        f = lie.quaternion_rotate(turn, f)
        m = lie.quaternion_rotate(turn, m)
        for k in range(3):
            out[i, k] = f[k]
            out[i, 3 + k] = m[k]


@routine
def has_any(vector, first):
    total = 0.0
    for k in range(first):
        total = max(total, abs(vector[k]))
    return total > 0.0
