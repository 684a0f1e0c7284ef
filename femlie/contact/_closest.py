"""Closest points: on a run of master segments, or on both segments of a pair.

On the master ``r . x_M' = 0`` with ``r = x_S - x_M``, by Newton's method with the slope
``|x_M'|^2 - r . x_M''``. The walk from one segment to the next keeps a segment as long
as its own closest point lies on it, or so near to its end that it makes no difference:
contact forces leave small kinks at nodes, and the choice would alternate.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _layout as layout
from ._segments import on_helix, place_on, point_on, segment

ITERATIONS = 15
SOLVED = 1e-15
# a step of Newton's method as small as this leaves less than rounding
LAST_STEP = 1e-9
# how far beyond its ends the axis of a segment is continued
BEYOND = 0.5
# a place beyond its segment by less than this stays on it where the next one is no
# closer or farther by more than this part: kinks would make the choice alternate
OVERHANG = 0.05
SAME = 1e-4
# which parameters stay where they are
IS_FREE, IS_FIXED = 0, 1


@inline
def clip(x, low, high):
    return min(max(x, low), high)


@routine
def closest(one, point, x):
    """Place on the axis of a segment closest to a point, from a first guess.

    And what leads from there to the point.
    """
    p, q, u, w = one
    # seen from the first section
    point = lie.quaternion_rotate(lie.quaternion_conjugate(q), lie.subtract(point, p))
    square = lie.dot(u, u)
    for _ in range(ITERATIONS):
        place, along, bend = on_helix(u, w, x)
        r = lie.subtract(point, place)
        slope = square - lie.dot(r, bend)
        enough = LAST_STEP
        if slope < 0.1 * square:
            slope, enough = square, SOLVED
        new = clip(x + lie.dot(r, along) / slope, -BEYOND, 1.0 + BEYOND)
        change = new - x
        x = new
        if abs(change) < enough:
            # the axis is straight within the last step
            r = lie.add_scaled(r, -change, along)
            break
    else:
        r = lie.subtract(point, on_helix(u, w, x)[0])
    return x, lie.quaternion_rotate(q, r)


@inline
def project(one, point, x):
    """The place alone."""
    return closest(one, point, x)[0]


@inline
def chord_guess(one, point):
    """Closest place on the chord, in [0, 1]."""
    first = one[0]
    chord = lie.subtract(point_on(one, 1.0), first)
    square = lie.dot(chord, chord)
    if square == 0.0:
        return 0.0
    return clip(lie.dot(lie.subtract(point, first), chord) / square, 0.0, 1.0)


@inline
def stays(here, there, x):
    """Whether a place just beyond the end of a segment still counts as on it.

    ``here`` is the distance there, ``there`` that of the next segment.
    """
    is_near = -OVERHANG <= x <= 1.0 + OVERHANG
    return is_near and abs(here - there) <= SAME * here


@inline
def distance_at(one, x, point):
    return lie.norm(lie.subtract(point, point_on(one, x)))


@routine
def walk(poses, block, row, eta, point, origin, one):
    """Closest place near a guess on a run: row, place, whether fixed, what ends it.

    The walk begins on the segment ``one`` of ``row``. What ends it is `CHAIN_END` or
    `NOT_LISTED` where the place lies beyond the last segment, which is then continued,
    else 0. The segment itself comes last.
    """
    codes = block.codes
    for _ in range(codes[row, layout.COUNT] + 1):
        eta = project(one, point, eta)
        if 0.0 <= eta <= 1.0:
            return row, eta, IS_FREE, 0, one
        end = 1 if eta > 1.0 else 0
        there = codes[row, layout.NEXT + 2 + end]
        if there < 0:
            return row, eta, IS_FREE, there, one
        shared = 0 if codes[there, layout.NEXT + 2] == row else 1
        other = segment(poses, block, there, 1, origin)
        found = project(other, point, float(shared))
        is_node = found < 0.0 if shared == 0 else found > 1.0
        if is_node:
            found = float(shared)
        here = distance_at(one, eta, point)
        if stays(here, distance_at(other, clip(found, 0.0, 1.0), point), eta):
            return row, eta, IS_FREE, 0, one
        if is_node:
            return row, float(end), IS_FIXED, 0, one
        row, eta, one = there, found, other
    return row, clip(eta, 0.0, 1.0), IS_FIXED, 0, one


@routine
def nearest(poses, block, first, point, origin):
    """The same from the closest of all segments of a run."""
    best, at, smallest = first, 0.0, -1.0
    found = segment(poses, block, first, 1, origin)
    for row in range(first, first + block.codes[first, layout.COUNT]):
        one = segment(poses, block, row, 1, origin)
        eta = clip(project(one, point, chord_guess(one, point)), 0.0, 1.0)
        distance = distance_at(one, eta, point)
        if smallest < 0.0 or distance < smallest:
            best, at, smallest, found = row, eta, distance, one
    return walk(poses, block, best, at, point, origin, found)


@routine
def approach(slave, master, xi, eta, held_slave, held_master):
    """Closest points of two axes by Newton's method, from a guess; may lie beyond."""
    for _ in range(2 * ITERATIONS):
        p, s, bend = place_on(slave, xi)
        q, t, curve = place_on(master, eta)
        r = lie.subtract(p, q)
        ss, tt, st = lie.dot(s, s), lie.dot(t, t), lie.dot(s, t)
        f, g = lie.dot(r, s), -lie.dot(r, t)
        a, b = ss + lie.dot(r, bend), tt - lie.dot(r, curve)
        a = a if a > 0.1 * ss else ss
        b = b if b > 0.1 * tt else tt
        c = -st
        if a * b - c * c < 1e-6 * ss * tt:
            # nearly parallel: a step along the valley has no meaning
            a, b = 1.001 * ss, 1.001 * tt
        if held_slave == IS_FIXED:
            dx, dy = 0.0, -g / b if held_master == IS_FREE else 0.0
        elif held_master == IS_FIXED:
            dx, dy = -f / a, 0.0
        else:
            size = a * b - c * c
            dx, dy = (c * g - b * f) / size, (c * f - a * g) / size
        new_x = clip(xi + clip(dx, -1.0, 1.0), -BEYOND, 1.0 + BEYOND)
        new_y = clip(eta + clip(dy, -1.0, 1.0), -BEYOND, 1.0 + BEYOND)
        change = abs(new_x - xi) + abs(new_y - eta)
        xi, eta = new_x, new_y
        if change < SOLVED:
            break
    return xi, eta


@inline
def distance_between(slave, xi, master, eta):
    return distance_at(master, eta, point_on(slave, xi))


@inline
def is_past_rod(codes, row, eta):
    """Whether a place on a master is beyond the end of its rod."""
    end = 1 if eta > 1.0 else 0
    is_last = codes[row, layout.NEXT + 2 + end] == layout.CHAIN_END
    return is_last and not 0.0 <= eta <= 1.0


@routine
def leads_back(slave, xi, master, eta):
    """Whether the distance falls from the end of a master to its inside."""
    q, t, _ = place_on(master, eta)
    slope = lie.dot(lie.subtract(q, place_on(slave, xi)[0]), t)
    return slope < 0.0 if eta < 0.5 else slope > 0.0


@routine
def meet(poses, block, row, xi, eta, origin):
    """Closest points near a guess: row, places, which are held, what ends the walk."""
    codes = block.codes
    held_slave = IS_FIXED if codes[row, layout.FORM] == layout.SPHERE else IS_FREE
    held_master = IS_FREE
    ended = 0
    skips = was_held = False
    for _ in range(12):
        slave = segment(poses, block, row, 0, origin)
        master = segment(poses, block, row, 1, origin)
        xi, eta = approach(slave, master, xi, eta, held_slave, held_master)
        ended = 0
        side, end = -1, 0
        if held_master == IS_FREE and is_past_rod(codes, row, eta):
            # axes that are nearly parallel may be closest far beyond the end
            side, end = 1, (1 if eta > 1.0 else 0)
        elif held_slave == IS_FREE and not skips and not 0.0 <= xi <= 1.0:
            side, end = 0, (1 if xi > 1.0 else 0)
        elif held_master == IS_FREE and not 0.0 <= eta <= 1.0:
            side, end = 1, (1 if eta > 1.0 else 0)
        if side < 0:
            is_back = held_master == IS_FIXED and not was_held
            if is_back and leads_back(slave, xi, master, eta):
                held_master, was_held = IS_FREE, True
                continue
            break
        there = codes[row, layout.NEXT + 2 * side + end]
        if there == layout.NOT_LISTED:
            ended = there
            break
        is_kept = there == layout.CHAIN_END
        if not is_kept:
            shared = 0 if codes[there, layout.NEXT + 2 * side] == row else 1
            other = segment(poses, block, there, side, origin)
            x, y = float(shared), eta
            if side == 0:
                x, y = approach(other, master, x, y, IS_FREE, held_master)
                is_kept = x < 0.0 if shared == 0 else x > 1.0
                x = float(shared) if is_kept else x
                near = distance_between(other, clip(x, 0.0, 1.0), master, y)
            else:
                x, y = approach(slave, other, xi, x, held_slave, IS_FREE)
                is_kept = y < 0.0 if shared == 0 else y > 1.0
                y = float(shared) if is_kept else y
                near = distance_between(slave, x, other, clip(y, 0.0, 1.0))
            here = distance_between(slave, xi, master, eta)
            if stays(here, near, xi if side == 0 else eta):
                # look at the other side, then be content
                if side == 1 or held_master != IS_FREE or 0.0 <= eta <= 1.0:
                    break
                skips = True
                continue
            if not is_kept:
                row, xi, eta = there, x, y
        if is_kept and side == 0:
            xi, held_slave = float(end), IS_FIXED
        elif is_kept:
            eta, held_master = float(end), IS_FIXED
    return row, xi, eta, held_slave, held_master, ended


@routine
def nearest_pair(poses, block, first, origin):
    """Row and places of the closest chords of a point contact."""
    best, at, there, smallest = first, 0.5, 0.5, -1.0
    for row in range(first, first + block.codes[first, layout.COUNT]):
        slave = segment(poses, block, row, 0, origin)
        master = segment(poses, block, row, 1, origin)
        a, b = slave[0], point_on(slave, 1.0)
        c, d = master[0], point_on(master, 1.0)
        xi, eta, _ = between_chords(a, lie.subtract(b, a), c, lie.subtract(d, c))
        r = lie.subtract(point_on(slave, xi), point_on(master, eta))
        distance = lie.dot(r, r)
        if smallest < 0.0 or distance < smallest:
            best, at, there, smallest = row, xi, eta, distance
    return best, at, there


@routine
def between_chords(a, u, c, v):
    """Closest places of two straight segments, and the square of their distance.

    Segments ``a + x u`` and ``c + y v`` with x and y in [0, 1] (Ericson 2005, 5.1.9).
    """
    r = lie.subtract(a, c)
    uu, vv, uv = lie.dot(u, u), lie.dot(v, v), lie.dot(u, v)
    ur, vr = lie.dot(u, r), lie.dot(v, r)
    x = 0.0
    size = uu * vv - uv * uv
    if size > 1e-12 * uu * vv:
        x = clip((uv * vr - ur * vv) / size, 0.0, 1.0)
    y = (uv * x + vr) / vv if vv > 0.0 else 0.0
    if not 0.0 <= y <= 1.0 or vv == 0.0:
        y = clip(y, 0.0, 1.0)
        if uu > 0.0:
            x = clip((uv * y - ur) / uu, 0.0, 1.0)
    r = lie.add_scaled(lie.add_scaled(r, x, u), -y, v)
    return x, y, lie.dot(r, r)
