"""Whether two rods have passed through each other on the way between two places.

The ends of two chords move on straight lines from start to end. They can meet only at
times when all four lie in one plane, which are the roots of a cubic polynomial.
"""

from __future__ import annotations

from .._jit import kernel, routine
from ..lie import _kernels as lie
from ._closest import between_chords
from ._search import row3

BISECTIONS = 60
# chords that come closer than this part of their radii have met
MET = 1e-4


@routine
def between(starts, ends, i, k, t):
    """End k of chord i at the time t of the way."""
    a, b = row3(starts, i, k), row3(ends, i, k)
    return lie.add_scaled(lie.scale(1.0 - t, a), t, b)


@routine
def volume(starts, ends, i, j, t):
    """Volume of the parallelepiped of two chords and what joins them."""
    a, b = between(starts, ends, i, 0, t), between(starts, ends, i, 1, t)
    c, d = between(starts, ends, j, 0, t), between(starts, ends, j, 1, t)
    normal = lie.cross(lie.subtract(b, a), lie.subtract(d, c))
    return lie.dot(normal, lie.subtract(c, a))


@routine
def is_met(starts, ends, i, j, t, least):
    """Whether two chords touch at a time."""
    a, c = between(starts, ends, i, 0, t), between(starts, ends, j, 0, t)
    u = lie.subtract(between(starts, ends, i, 1, t), a)
    v = lie.subtract(between(starts, ends, j, 1, t), c)
    _, _, square = between_chords(a, u, c, v)
    return square < least * least


@routine
def has_crossed(starts, ends, i, j, least):
    """Whether two chords meet on their way.

    The cubic is split where its slope vanishes; each part has one root at most.
    """
    f0, f1 = volume(starts, ends, i, j, 0.0), volume(starts, ends, i, j, 1.0)
    fa = volume(starts, ends, i, j, 1.0 / 3.0)
    fb = volume(starts, ends, i, j, 2.0 / 3.0)
    c3 = 4.5 * (f1 - f0) + 13.5 * (fa - fb)
    c2 = 9.0 * f0 - 22.5 * fa + 18.0 * fb - 4.5 * f1
    c1 = f1 - f0 - c2 - c3
    low, high = 1.0, 1.0
    root = c2 * c2 - 3.0 * c3 * c1
    if root > 0.0:
        root = root**0.5
        # both roots of 3 c3 t^2 + 2 c2 t + c1 without cancellation
        q = -(c2 + root) if c2 > 0.0 else -(c2 - root)
        x = q / (3.0 * c3) if c3 != 0.0 else 2.0
        y = c1 / q if q != 0.0 else 2.0
        low, high = min(x, y), max(x, y)
    t0 = 0.0
    for k in range(3):
        t1 = (low, high, 1.0)[k]
        t1 = min(max(t1, t0), 1.0)
        a, b = volume(starts, ends, i, j, t0), volume(starts, ends, i, j, t1)
        if t1 > t0 and (a <= 0.0) != (b <= 0.0):
            x, y = t0, t1
            for _ in range(BISECTIONS):
                z = 0.5 * (x + y)
                if (volume(starts, ends, i, j, z) <= 0.0) == (a <= 0.0):
                    x = z
                else:
                    y = z
            if is_met(starts, ends, i, j, 0.5 * (x + y), least):
                return True
        t0 = t1
    return False


@kernel
def first_crossing(starts, ends, radii, pairs):
    """Number of the first pair that has crossed, or -1.

    Parameters
    ----------
    starts, ends : (n, 2, 3) arrays
        Places of both ends of each chord before and after.
    radii : (n,) array
    pairs : (m, 2) int array
    """
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        if has_crossed(starts, ends, i, j, MET * (radii[i] + radii[j])):
            return k
    return -1
