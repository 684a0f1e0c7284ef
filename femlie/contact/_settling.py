"""At the start of a step: nearest masters, where the integral is cut, weights."""

from __future__ import annotations

from .._jit import routine, scratch
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import meet, nearest, nearest_pair
from ._gap import put3
from ._layout import (
    GAUSS_PLACES,
    GAUSS_WEIGHTS,
    N_POINTS,
    POINT_WIDTH,
    is_line,
    n_points,
    place_of,
)
from ._segments import origin_of, point_on, segment
from ._shape_spots import is_shape, settle_on_shape

# a multiplier whose share of an element is less than this is left out
LEAST_SHARE = 1e-3


@routine
def settle(motion, block, i, k, keeps_normals):
    """Choose the master segment of a point anew; -1 where the integral is cut."""
    poses, iterates = motion.poses, block.iterates
    at = POINT_WIDTH * k
    origin = origin_of(poses, block.frames[i, 0])
    was_known = iterates[i, at + layout.ROW] >= 0.0
    if is_shape(block.codes, i):
        place = place_of(block.codes, i, k)
        settle_on_shape(motion, block, i, k, place, origin, keeps_normals)
        return
    if is_line(block.codes, i):
        place = place_of(block.codes, i, k)
        point = point_on(segment(poses, block, i, 0, origin), place)
        row, eta, _, ended, _ = nearest(poses, block, i, point, origin)
        at_node = block.codes[i, layout.AT_NODES] != 0
        iterates[i, at + layout.ROW] = row if ended == 0 or at_node else -1.0
    else:
        row, xi, eta = nearest_pair(poses, block, i, origin)
        row, xi, eta, _, _, _ = meet(poses, block, row, xi, eta, origin)
        point = point_on(segment(poses, block, row, 0, origin), xi)
        iterates[i, at + layout.ROW] = row
        iterates[i, layout.XI] = xi
    iterates[i, at + layout.ETA] = eta
    if keeps_normals and was_known:
        return
    r = lie.subtract(point, point_on(segment(poses, block, row, 1, origin), eta))
    distance = lie.norm(r)
    put3(iterates, i, at + layout.NORMAL, lie.scale(1.0 / max(distance, 1e-300), r))
    iterates[i, at + layout.DISTANCE] = distance


@routine
def set_weights(iterates, parameters, i, share):
    """Dual shape functions over the valid points of a slave segment.

    ``phi = D M^-1 N`` with ``M = int N N^T`` and ``D = diag(int N)``: orthogonal to the
    hat functions of the other node, with the integral of the own.
    """
    xx = xy = yy = x = y = 0.0
    n = 0
    for k in range(N_POINTS):
        if iterates[i, POINT_WIDTH * k + layout.ROW] < 0.0:
            continue
        n += 1
        w = parameters[i, layout.LENGTH] * GAUSS_WEIGHTS[k]
        b = GAUSS_PLACES[k]
        a = 1.0 - b
        xx += w * a * a
        xy += w * a * b
        yy += w * b * b
        x += w * a
        y += w * b
    share[0], share[1] = x, y
    for k in range(N_POINTS):
        at = POINT_WIDTH * k + layout.WEIGHT
        w = parameters[i, layout.LENGTH] * GAUSS_WEIGHTS[k]
        b = GAUSS_PLACES[k]
        a = 1.0 - b
        first, second = a, b
        if n > 1:
            size = xx * yy - xy * xy
            first = x * (yy * a - xy * b) / size
            second = y * (xx * b - xy * a) / size
        is_cut = iterates[i, POINT_WIDTH * k + layout.ROW] < 0.0
        iterates[i, at] = 0.0 if is_cut else w * first
        iterates[i, at + 1] = 0.0 if is_cut else w * second


@routine
def set_at_nodes(iterates, parameters, i, share):
    """Each node for itself, with half of the length."""
    half = 0.5 * parameters[i, layout.LENGTH]
    for j in range(2):
        at = POINT_WIDTH * 2 * j
        is_cut = iterates[i, at + layout.ROW] < 0.0
        share[j] = 0.0 if is_cut else half
        iterates[i, at + layout.WEIGHT + j] = share[j]
        iterates[i, at + layout.WEIGHT + 1 - j] = 0.0


@routine
def settle_all(motion, block, keeps_normals, sizes):
    """Where all points are, their weights, and the multipliers of this stage.

    Into ``sizes`` go the lengths that stand for the multipliers, zero before.
    """
    codes, parameters, iterates = block.codes, block.parameters, block.iterates
    share = scratch(2)
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i:
            continue
        at_nodes = codes[i, layout.AT_NODES] != 0
        for k in range(n_points(codes, i)):
            if at_nodes and k == 1:
                iterates[i, POINT_WIDTH * k + layout.ROW] = -1.0
            else:
                settle(motion, block, i, k, keeps_normals)
        if at_nodes:
            set_at_nodes(iterates, parameters, i, share)
        elif is_line(codes, i):
            set_weights(iterates, parameters, i, share)
        else:
            share[0], share[1] = 1.0, 0.0
            iterates[i, layout.WEIGHT] = 1.0
            iterates[i, layout.WEIGHT + 1] = 0.0
        for j in range(layout.N_MULTIPLIERS):
            if codes[i, layout.MULTIPLIER + j] >= 0:
                sizes[codes[i, layout.MULTIPLIER + j]] += share[j]
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i:
            continue
        for j in range(layout.N_MULTIPLIERS):
            number = codes[i, layout.MULTIPLIER + j]
            iterates[i, layout.SIZE + j] = 0.0
            if number < 0:
                continue
            iterates[i, layout.OLD + j] = motion.multipliers[number]
            least = LEAST_SHARE * parameters[i, layout.LENGTH]
            size = sizes[number]
            if is_line(codes, i) and size < least:
                continue
            iterates[i, layout.SIZE + j] = size
            for k in range(n_points(codes, i)):
                iterates[i, POINT_WIDTH * k + layout.WEIGHT + j] /= size
