"""Columns that friction adds behind those of a frictionless contact (`_layout`)."""

from __future__ import annotations

from . import _layout as layout

# codes: absolute numbers of the tangential multipliers, two for each normal one
TANGENT = layout.N_CODES
# and of the one about the normal, points alone
SPIN = TANGENT + 4
N_CODES = SPIN + 1

# parameters
COEFFICIENT = layout.N_PARAMETERS
OFFSET = COEFFICIENT + 1  # half of the master's radius less the slave's
# arc length at the first end, signed length, length of the ring (zero: no ring)
SLAVE_ARC = OFFSET + 1
MASTER_ARC = SLAVE_ARC + 3
# turn from the section of the element to axes that go on along the rod (quaternions)
SLAVE_TURN = MASTER_ARC + 3
MASTER_TURN = SLAVE_TURN + 4
# moment about the normal over the force that stands for it; zero: none
SPIN_RADIUS = MASTER_TURN + 4
N_PARAMETERS = layout.TABLE
# what stands at an arc
ARC, LENGTH, RING = range(3)

# iterates: whether each multiplier bore a force when the step began, or touched; the
# axis of the slave that tangents are counted from; then what each point began with
CLOSED = layout.N_ITERATES
AXIS = CLOSED + 2
POINTS = AXIS + 1
# normal in the axes of slave and master, arc lengths on both; on a rigid shape the
# place on its surface takes that of the second arc
SLAVE_NORMAL, MASTER_NORMAL, ARCS, FOOT = 0, 3, 6, 7
POINT_WIDTH = 10
# tangential multipliers, and that of spin, when the stage began (5)
OLD = POINTS + POINT_WIDTH * layout.N_POINTS
# angle between tangents of both surfaces when the step began
SPIN_START = OLD + 5
N_ITERATES = SPIN_START + 1

# multipliers of one element: two normal ones, then two tangential ones for each, then
# that of spin for the first
N_MULTIPLIERS = layout.N_MULTIPLIERS + 5
FIRST_ROW = 24 + layout.N_MULTIPLIERS
SPIN_ROW = FIRST_ROW + 4
WIDTH = 24 + N_MULTIPLIERS

# stiffness against slip over that against overlap
SHARE, SHARE_ON_BODIES, SHARE_IN_ROUNDS = 0.5, 1e-6, 0.05
# in rounds: part of what a row misses by which forces count as beyond the cone
TRIAL = 0.01
# and stiffness of what slides over that of what sticks, in the matrix alone
HOLD = 0.1

# what a multiplier's rows are: derivatives of three rows by three slips, by the gap,
# state
BY_GAP = 9
LAW_STATE = BY_GAP + 3
N_LAW = LAW_STATE + 1

# outputs behind those without friction: world force of friction (part of the force),
# sum of sizes of friction, largest slip of this step, state, largest moment about the
# normal, largest spin of this step
FRICTION = layout.N_OUTPUTS
FRICTION_SUM = FRICTION + 3
SLIP = FRICTION_SUM + 1
STATE = SLIP + 1
SPIN_MOMENT = STATE + 1
SPIN_ANGLE = SPIN_MOMENT + 1
N_OUTPUTS = SPIN_ANGLE + 1
# states; in rounds of penalty friction stays what it was
OPEN, STICKS, SLIDES, STAYS = 0.0, 1.0, 2.0, 3.0
