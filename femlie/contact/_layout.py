"""Columns of the numbers of a contact element: one row a pair of segments.

Rows of one slave segment with neighboring master segments form a run; those of one
point contact likewise. The first row of each holds what all of them share.
"""

from __future__ import annotations

from .._jit import inline

# forms: a weighted gap along the slave, a point free on both, a sphere at one node, an
# edge of a rigid body, which touches between its ends
LINE, POINT, SPHERE, EDGE = range(4)
# codes
FORM = 0
FIRST = 1  # first row of the run or of the point contact
COUNT = 2  # how many rows it has
MULTIPLIER = 3  # absolute numbers of two multipliers, -1 where there is none
OWNS = 5  # whether this row owns them (2)
NEXT = 7  # rows across both ends of the slave, then of the master segment (4)
SLAVE, MASTER = 11, 12  # numbers of the segments
HAS_OFFSETS = 13
TOTAL = 14  # row of the outputs for the sum over the contact part
IS_FIRST = 15  # whether the slave is what the part names first
SHAPE = 16  # one more than where the rigid shape stands in the table, 0 without
AT_NODES = 17  # of what moves: lines touch with their nodes, edges are between them
N_CODES = 18
# what stands in NEXT where there is no row: end of the chain, or not listed
CHAIN_END, NOT_LISTED = -1, -2

# parameters
LENGTH = 0  # of the slave segment
RADII = 1  # sum of both radii
UNIT = 2  # length that gaps are divided by: one for all rows
GROWTH = 3  # share of the radii that grows with the load factor
PENALTY = 4  # stiffness of both multipliers, zero for a node that is held
SLAVE_OFFSETS = 6  # poses of the sections at both ends in their nodes (14)
MASTER_OFFSETS = 20
MASTER_LENGTH = 34
REACH = 35  # gaps above this are not looked at
WEAK = 36  # springs in the matrix alone that hold bodies, of places and of turns (2)
N_PARAMETERS = 38
N_FRICTION = 18  # what friction has behind these
TABLE = N_PARAMETERS + N_FRICTION  # first column of the table of rigid shapes

# iterates of the first row: eight numbers a point of integration
N_POINTS = 3
ROW = 0  # row of the master segment that the point is nearest to, -1 if cut
ETA = 1  # place on the master segment
NORMAL = 2  # from master to slave in the frame of the slave's first node (3)
DISTANCE = 5  # at the start of the step
WEIGHT = 6  # in the weighted gaps of both nodes (2)
POINT_WIDTH = 8
XI = 8 * N_POINTS  # place on the slave segment, point contacts
SIZE = XI + 1  # length that stands for each multiplier (2)
OLD = SIZE + 2  # multipliers when the stage began (2)
N_ITERATES = OLD + 2

# Gauss's rule of three points on [0, 1]
GAUSS_PLACES = (0.1127016653792583, 0.5, 0.8872983346207417)
GAUSS_WEIGHTS = (0.2777777777777778, 0.4444444444444444, 0.2777777777777778)

N_MULTIPLIERS = 2
WIDTH = 24 + N_MULTIPLIERS  # without friction

# the stage of the iteration, in motion.time: contact off; the conditions themselves;
# higher numbers are rounds of penalty, the highest being the softest
STAGE = 2
OFF, EXACT = -1.0, 0.0
ROUNDS = 3
SOFTEST = 1.0  # penalty of the first round over the stiffness that contact meets
STEP_UP = 10.0  # from one round to the next
LAST = 10.0  # what decides who is active behind the rounds, over the same stiffness
TOUCHING = 1e-6  # gaps below this, in units, count as closed in rounds of penalty

# outputs, one row a segment: world force, pressures at both ends, reach less gap; then
# one row a contact part: force on what it names first, sum of sizes, -, the same
FORCE, PRESSURE, CLOSENESS = 0, 3, 5
FORCE_SUM = 3
N_OUTPUTS = 6


# below this stands for a force of zero: bodies without other stiffness are to have none
NO_FORCE = 1e-290
# what stands in the scales of a target where rods pass through each other
NO_EVENT, PASSES = 0.0, 1.0


@inline
def is_line(codes, i):
    """Whether a row belongs to a line contact."""
    return codes[i, FORM] == LINE


@inline
def place_of(codes, i, k):
    """Place on its slave segment of point k of a line."""
    return 0.5 * k if codes[i, AT_NODES] != 0 else GAUSS_PLACES[k]


@inline
def n_points(codes, i):
    """Points of integration of the run or point contact that begins in row i."""
    return N_POINTS if codes[i, FORM] == LINE else 1
