"""Signed distance to rigid shapes, with its gradient and second derivatives.

All in the axes of the shape. Distances are negative inside of what is solid; gradients
have length one and point away from it. Shapes of revolution have the third axis.

Shapes stand in a table of numbers behind the columns of the parameters of a contact
block and of friction, row after row (`entry`): a kind and three dimensions each.
Triangles and their tree are in `_triangles`.

Sources: distances of simple shapes by their regions (Ericson 2005, 5.1); gradient and
second derivatives follow region by region.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _layout as layout

# half-space below the third coordinate; outside of a sphere, cylinder, capsule, box;
# inside of a hollow sphere, of a bore in a plate; closed surface of triangles
PLANE, BALL, CYLINDER, CAPSULE, BOX, HOLLOW, BORE, TRIANGLES = range(8)
# what is next to a point: inner of a smooth part, or an edge that is sharp
SMOOTH, SHARP = 0.0, 1.0
# points beside an edge by this part of the size count as next to it
AT_EDGE = 1e-9
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@inline
def entry(parameters, k):
    """Number ``k`` of the table of shapes."""
    width = parameters.shape[1] - layout.TABLE
    return parameters[k // width, layout.TABLE + k % width]


@inline
def entry3(parameters, k):
    return (
        entry(parameters, k),
        entry(parameters, k + 1),
        entry(parameters, k + 2),
    )


@inline
def kind_of(parameters, at):
    return int(entry(parameters, at))


@inline
def sign_of(x):
    return 1.0 if x >= 0.0 else -1.0


@inline
def unit_or(v, size, other):
    """``v / size``, or another vector where that is nothing."""
    return lie.scale(1.0 / size, v) if size > 0.0 else other


@inline
def from_point(v, radius, sign):
    """Distance to a sphere about the point that ``v`` comes from."""
    size = lie.norm(v)
    n = unit_or(v, size, Z)
    bend = lie.matrix_add_scaled(lie.IDENTITY33, -1.0, lie.outer(n, n))
    bend = lie.matrix_scale(sign / max(size, 1e-300), bend)
    return sign * (size - radius), lie.scale(sign, n), bend, SMOOTH


@inline
def from_line(v, radius):
    """Distance to a cylinder about the third axis, ``v`` being across it."""
    size = lie.norm(v)
    n = unit_or(v, size, X)
    t = lie.cross(Z, n)
    bend = lie.matrix_scale(1.0 / max(size, 1e-300), lie.outer(t, t))
    return size - radius, n, bend, SMOOTH


@routine
def to_cylinder(y, radius, half, sign):
    """A cylinder, or a bore where ``sign`` is -1.

    ``a`` is how far the point is out of the mantle, ``b`` out of the ends.
    """
    across = lie.norm((y[0], y[1], 0.0))
    out = unit_or((y[0], y[1], 0.0), across, X)
    up = sign_of(y[2])
    a, b = sign * (across - radius), abs(y[2]) - half
    turn = lie.cross(Z, out)
    tt = lie.matrix_scale(sign / max(across, 1e-300), lie.outer(turn, turn))
    if a > 0.0 and b > 0.0:
        d = (a * a + b * b) ** 0.5
        n = lie.add_scaled(lie.scale(sign * a / d, out), b / d * up, Z)
        m = lie.add_scaled(lie.scale(-b / d, out), sign * a / d * up, Z)
        bend = lie.matrix_scale(1.0 / d, lie.outer(m, m))
        return d, n, lie.matrix_add_scaled(bend, a / d, tt), SHARP
    at_edge = a > -AT_EDGE * radius and b > -AT_EDGE * radius
    feature = SHARP if at_edge else SMOOTH
    if a > b:
        return a, lie.scale(sign, out), tt, feature
    return b, lie.scale(up, Z), lie.ZERO33, feature


@routine
def to_box(y, sides):
    """A box about the origin with half sides."""
    a = abs(y[0]) - sides[0]
    b = abs(y[1]) - sides[1]
    c = abs(y[2]) - sides[2]
    signs = (sign_of(y[0]), sign_of(y[1]), sign_of(y[2]))
    if a <= 0.0 and b <= 0.0 and c <= 0.0:
        if a >= b and a >= c:
            return a, (signs[0], 0.0, 0.0), lie.ZERO33, SMOOTH
        if b >= c:
            return b, (0.0, signs[1], 0.0), lie.ZERO33, SMOOTH
        return c, (0.0, 0.0, signs[2]), lie.ZERO33, SMOOTH
    v = (max(a, 0.0) * signs[0], max(b, 0.0) * signs[1], max(c, 0.0) * signs[2])
    d = lie.norm(v)
    n = lie.scale(1.0 / d, v)
    i, near_a = 1.0 if a > 0.0 else 0.0, 1.0 if a > -AT_EDGE * sides[0] else 0.0
    j, near_b = 1.0 if b > 0.0 else 0.0, 1.0 if b > -AT_EDGE * sides[1] else 0.0
    k, near_c = 1.0 if c > 0.0 else 0.0, 1.0 if c > -AT_EDGE * sides[2] else 0.0
    free = (i, 0.0, 0.0, 0.0, j, 0.0, 0.0, 0.0, k)
    bend = lie.matrix_add_scaled(free, -1.0, lie.outer(n, n))
    feature = SHARP if near_a + near_b + near_c > 1.0 else SMOOTH
    return d, n, lie.matrix_scale(1.0 / d, bend), feature


@routine
def to_simple(parameters, at, y):
    """Distance, gradient, second derivatives, and whether at a sharp edge.

    Of any shape but triangles.
    """
    kind = kind_of(parameters, at)
    size = entry3(parameters, at + 1)
    if kind == PLANE:
        return y[2], Z, lie.ZERO33, SMOOTH
    if kind == BALL:
        return from_point(y, size[0], 1.0)
    if kind == HOLLOW:
        return from_point(y, size[0], -1.0)
    if kind == CAPSULE:
        if abs(y[2]) <= size[1]:
            return from_line((y[0], y[1], 0.0), size[0])
        v = (y[0], y[1], y[2] - sign_of(y[2]) * size[1])
        return from_point(v, size[0], 1.0)
    if kind == BOX:
        return to_box(y, size)
    return to_cylinder(y, size[0], size[1], 1.0 if kind == CYLINDER else -1.0)
