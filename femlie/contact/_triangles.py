"""Signed distance to a closed surface of triangles, by a tree of boxes.

The sign is that of the angle-weighted normal of the face, edge or corner next to the
point (Baerentzen and Aanaes 2005). Numbers of a triangle in the table of shapes: three
corners, normal, normals of the three edges (edge k from corner k to the next) and of
the three corners, whether these are sharp. Numbers of a branch of the tree: its box,
first triangle, how many, and the other branch; the one follows it.
"""

from __future__ import annotations

from .._jit import inline, routine, scratch
from ..lie import _kernels as lie
from ._shapes import (
    SHARP,
    SMOOTH,
    TRIANGLES,
    Z,
    entry,
    entry3,
    kind_of,
    to_simple,
    unit_or,
)

CORNERS, NORMAL, EDGE_NORMALS, CORNER_NORMALS, EDGE_SHARP, CORNER_SHARP = (
    0, 9, 12, 21, 30, 33,
)  # fmt: skip
TRIANGLE_WIDTH = 36
LOW, HIGH, FIRST, COUNT, OTHER = 0, 3, 6, 7, 8
BRANCH_WIDTH = 9
MOST_OPEN = 64
# cosine from which on the normal of an edge is that of its face
FLAT = 1.0 - 1e-14
# features: the face, three edges, three corners
FACE, EDGE, CORNER = 0, 1, 4


@inline
def box_distance(parameters, at, y):
    """Square of the distance of a point to the box of a branch."""
    total = 0.0
    for k in range(3):
        low = entry(parameters, at + LOW + k) - y[k]
        high = y[k] - entry(parameters, at + HIGH + k)
        out = max(low, high, 0.0)
        total += out * out
    return total


@routine
def closest_feature(parameters, at, y):
    """Feature of a triangle that is next to a point, and the place there.

    By the regions of Ericson 2005, 5.1.5.
    """
    a = entry3(parameters, at + CORNERS)
    b = entry3(parameters, at + CORNERS + 3)
    c = entry3(parameters, at + CORNERS + 6)
    ab, ac, ap = lie.subtract(b, a), lie.subtract(c, a), lie.subtract(y, a)
    d1, d2 = lie.dot(ab, ap), lie.dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return CORNER, a
    bp = lie.subtract(y, b)
    d3, d4 = lie.dot(ab, bp), lie.dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return CORNER + 1, b
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return EDGE, lie.add_scaled(a, d1 / (d1 - d3), ab)
    cp = lie.subtract(y, c)
    d5, d6 = lie.dot(ab, cp), lie.dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return CORNER + 2, c
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return EDGE + 2, lie.add_scaled(a, d2 / (d2 - d6), ac)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        share = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return EDGE + 1, lie.add_scaled(b, share, lie.subtract(c, b))
    size = va + vb + vc
    place = lie.add_scaled(lie.add_scaled(a, vb / size, ab), vc / size, ac)
    return FACE, place


@routine
def nearest_triangle(parameters, at, y):
    """Place in the table of the triangle that is next to a point."""
    tree = int(entry(parameters, at + 1))
    first = int(entry(parameters, at + 2))
    waiting = scratch(MOST_OPEN)
    n = 1
    waiting[0] = 0.0
    best, smallest = -1, 0.0
    while n > 0:
        n -= 1
        number = int(waiting[n])
        branch = tree + BRANCH_WIDTH * number
        if best >= 0 and box_distance(parameters, branch, y) >= smallest:
            continue
        count = int(entry(parameters, branch + COUNT))
        if count == 0:
            one, other = number + 1, int(entry(parameters, branch + OTHER))
            near = box_distance(parameters, tree + BRANCH_WIDTH * one, y)
            if box_distance(parameters, tree + BRANCH_WIDTH * other, y) < near:
                one, other = other, one
            waiting[n], waiting[n + 1] = other, one
            n += 2
            continue
        start = int(entry(parameters, branch + FIRST))
        for k in range(start, start + count):
            own = first + TRIANGLE_WIDTH * k
            _, place = closest_feature(parameters, own, y)
            away = lie.subtract(y, place)
            square = lie.dot(away, away)
            if best < 0 or square < smallest:
                best, smallest = own, square
    return best


@routine
def to_triangles(parameters, at, y):
    """Distance to a closed surface, its derivatives, and whether at a sharp edge."""
    own = nearest_triangle(parameters, at, y)
    feature, place = closest_feature(parameters, own, y)
    normal = entry3(parameters, own + NORMAL)
    v = lie.subtract(y, place)
    if feature == FACE:
        return lie.dot(normal, v), normal, lie.ZERO33, SMOOTH
    k = feature - CORNER if feature >= CORNER else feature - EDGE
    column = CORNER_NORMALS if feature >= CORNER else EDGE_NORMALS
    outward = entry3(parameters, own + column + 3 * k)
    if lie.dot(normal, outward) > FLAT:
        # the edge is between faces of one plane
        return lie.dot(normal, v), normal, lie.ZERO33, SMOOTH
    size = lie.norm(v)
    sign = -1.0 if lie.dot(v, outward) < 0.0 else 1.0
    d = sign * max(size, 1e-300)
    n = lie.scale(sign, unit_or(v, size, outward))
    bend = lie.matrix_add_scaled(lie.IDENTITY33, -1.0, lie.outer(n, n))
    column = CORNER_SHARP if feature >= CORNER else EDGE_SHARP
    if feature < CORNER:
        start = entry3(parameters, own + CORNERS + 3 * k)
        end = entry3(parameters, own + CORNERS + 3 * ((k + 1) % 3))
        t = lie.subtract(end, start)
        t = unit_or(t, lie.norm(t), Z)
        bend = lie.matrix_add_scaled(bend, -1.0, lie.outer(t, t))
    is_sharp = SHARP if entry(parameters, own + column + k) > 0.0 else SMOOTH
    return d, n, lie.matrix_scale(1.0 / d, bend), is_sharp


@routine
def to_shape(parameters, at, y):
    """The same for any shape."""
    if kind_of(parameters, at) == TRIANGLES:
        return to_triangles(parameters, at, y)
    return to_simple(parameters, at, y)
