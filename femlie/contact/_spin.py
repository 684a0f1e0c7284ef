"""How far two surfaces have spun on each other, about their normal, in a step.

Each body has a tangent of its surface from the start of the step, across the normal m
that it had there. It goes along the great circle from m to the normal n of now, as it
would where the surface rolls without pivoting, and

    spin = angle about n from the master's tangent to the slave's, less that before
           - dx_S k_S . n + dx_M k_M . n

with ways dx of the point along curved rods and their curvatures k, by which sections
turn there. Its rate is ``(omega_S - omega_M) . n``. Nothing refers to space, and what
rolls along great circles does not spin, however far.

A side whose section turns by phi while the normal changes by dn adds

    (phi . (m + n) - (m x n) . dn) / (1 + m . n)

the last part being the area of the triangle m, n, n + dn on the unit sphere. Derived
here. A moment M about the normal on the slave and its opposite on the master are in
balance; it is borne as the force ``M / R`` with the radius R of the contact that the
part gives, and the spin counts as the slip ``R spin``.
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from . import _friction_layout as layout
from ._gap import two_across
from ._shape_slip import meeting_shape
from ._shape_spots import is_shape
from ._slip import LEAST_COSINE, meeting, was_marked
from ._turning import turning

# axes of a shape in its own axes
STILL = (1.0, 0.0, 0.0, 0.0)


@inline
def spins(block, i):
    """Whether the point that begins in row i resists spin."""
    return block.codes[i, layout.SPIN] >= 0


@inline
def three_of(values, first, spin):
    """Numbers along both tangents, and of spin where there is one."""
    return values[first], values[first + 1], values[spin] if spin >= 0 else 0.0


@inline
def numbers_of(codes, i, j):
    """Numbers of the first tangential multiplier, and of spin, -1 without."""
    spin = codes[i, layout.SPIN] if j == 0 else -1
    return codes[i, layout.TANGENT + 2 * j], spin


@inline
def row_of(j, k):
    """Where the multiplier of a tangent, or of spin, stands in its element."""
    return layout.FIRST_ROW + 2 * j + k if k < 2 else layout.SPIN_ROW


@inline
def along_circle(n, m, t):
    """A unit vector across m, taken along the great circle from m to n."""
    factor = lie.dot(n, t) / (1.0 + max(lie.dot(m, n), LEAST_COSINE))
    return lie.add_scaled(t, -factor, lie.add(m, n))


@inline
def within_turn(angle):
    """An angle between minus and plus half a turn."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@routine
def angle_between(block, i, n, axes, olds):
    """Angle about n from the master's tangent to the slave's."""
    iterates, at = block.iterates, layout.POINTS
    own = two_across(load3(iterates, i, at + layout.SLAVE_NORMAL))[0]
    other = two_across(load3(iterates, i, at + layout.MASTER_NORMAL))[0]
    own = along_circle(n, olds[0], lie.quaternion_rotate(axes[0], own))
    other = along_circle(n, olds[1], lie.quaternion_rotate(axes[1], other))
    sine = lie.dot(n, lie.cross(other, own))
    return math.atan2(sine, lie.dot(other, own))


@routine
def spin_at(motion, block, i, spot):
    """Spin of the point that begins in row i since the start of the step [rad]."""
    if not was_marked(block.iterates, i, layout.POINTS):
        return 0.0
    start = block.iterates[i, layout.SPIN_START]
    if is_shape(block.codes, i):
        slave, gap, _, own, other = meeting_shape(motion, block, i, 0, spot)
        n = gap[1]
        angle = angle_between(block, i, n, (slave[4], STILL), (own[1], other[1]))
        return within_turn(angle - start) - own[0] * lie.dot(slave[3], n)
    slave, master, normal, _, ways, olds = meeting(motion, block, i, 0, spot)
    n = normal[0]
    angle = angle_between(block, i, n, (slave[4], master[4]), olds)
    more = ways[1] * lie.dot(master[3], n) - ways[0] * lie.dot(slave[3], n)
    return within_turn(angle - start) + more


@routine
def mark_spin(motion, block, i, spot):
    """Let spin count from here, behind the marks of slip."""
    block.iterates[i, layout.SPIN_START] = 0.0
    block.iterates[i, layout.SPIN_START] = spin_at(motion, block, i, spot)


@routine
def own_spin(side, x, factor, way, n, old):
    """How the angle of one side changes, times a factor.

    Returned are the reduced vector, the moment that turns of the section have in it,
    and the derivatives in the place and in the normal.
    """
    one, bend = side[0], side[3]
    share = factor / (1.0 + max(lie.dot(old, n), LEAST_COSINE))
    moment = lie.scale(share, lie.add(old, n))
    moment = lie.add_scaled(moment, -factor * way, lie.cross(bend, n))
    by_normal = lie.scale(-share, lie.cross(old, n))
    by_normal = lie.add_scaled(by_normal, -factor * way, bend)
    _, m, _, last = turning(one, x, moment)
    back = lie.quaternion_conjugate(
        lie.quaternion_multiply(one[1], lie.quaternion_exp(lie.scale(x, one[3])))
    )
    by_w = lie.quaternion_rotate(back, lie.scale(-factor * way, n))
    vector = lie.ZERO3, m, lie.ZERO3, lie.add(last, by_w)
    rate = lie.dot(moment, bend) - factor * lie.dot(bend, n)
    return vector, moment, rate, by_normal
