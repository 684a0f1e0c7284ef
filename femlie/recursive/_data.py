"""A tree as kernels see it: bodies in an order in which parents come first."""

from __future__ import annotations

from typing import NamedTuple

from ..elements.base import Array, IntArray

# how a relative frame moves in its coordinates
SUBGROUP = 0  # H <- H exp(sum axis_k dq_k)
SEPARATE = 1  # p <- p + dp in the parent's joint axes, R <- R exp(dw)
UNIVERSAL = 2  # R <- exp(da e_z) R exp(db e_x)
# columns of Tree.kinds
(
    MOTION,
    IS_REVERSED,
    N_COORDINATES,
    N_FREE,
    FIRST,
    IS_ABELIAN,
    FIRST_DRIVEN,
    IS_LEAF,
    IS_LAST_CHILD,  # of the children of its parent
    IS_ROTATION,  # moves by rotations about one point
    IS_ALIGNED,  # offsets without rotation
    IS_BALL,  # turns freely about a point
) = range(12)
N_KINDS = 12
# columns of Tree.driven
BODY, COORDINATE, COMPONENT, SIGNAL = range(4)
# columns of Tree.driven_values
VALUE, AMPLITUDE = range(2)
# entries of Newton.weights
MASS, DAMPING, STIFFNESS = range(3)
# unknowns of a body in the matrix of a Newton step: x, V, A and f, six each
PLACE_AT, SPEED_AT, RATE_AT, WRENCH_AT, N_BODY_UNKNOWNS = range(0, 30, 6)


class Tree(NamedTuple):
    """Bodies and their joints; body -1 is the ground."""

    frames: IntArray  # (n,) row of State.poses
    parents: IntArray  # (n,) body
    parent_frames: IntArray  # (n,) row of State.poses
    kinds: IntArray  # (n, N_KINDS) free coordinates come before driven ones
    directions: IntArray  # (n, 6) unit direction of each coordinate, 2 for a screw
    axes: Array  # (n, 6, 6) twist of each coordinate in the joint frame (subgroups)
    node_axes: Array  # (n, 6, 6) the same in the body's frame
    parent_offsets: Array  # (n, 7) joint frame in the frame of the parent in the tree
    child_offsets: Array  # (n, 7) joint frame in the frame of the body
    driven: IntArray  # (n_driven, 4)
    driven_values: Array  # (n_driven, 2) value, amplitude


class Relative(NamedTuple):
    """State in relative coordinates."""

    frames: Array  # (n, 7) child's joint frame in the parent's, as the joint has them
    rates: Array  # (n_coordinates,)
    driven_rates: Array  # (n_driven, 2) rate and second rate


class Geometry(NamedTuple):
    """What follows from the relative frames; filled by `_motion.set_motion`."""

    rotations: Array  # (n, 9) of the body in its parent
    places: Array  # (n, 3)
    directions: Array  # (n, 6, 6) twist of each coordinate in the body's frame


class Factors(NamedTuple):
    """Articulated inertias, eliminated from the leaves to the root."""

    inertias: Array  # (n, 6, 6) of each body
    couplings: Array  # (n, 6, 6) rows of the parent, columns of the body
    has_coupling: IntArray  # (n,)
    # bodies of a modal body share inertia beyond parent and child
    tie_starts: IntArray  # (n + 1,) ties of each body to earlier ones
    tie_bodies: IntArray  # (k,) the earlier body
    ties: Array  # (k, 6, 6) rows of the earlier body, columns of the later one
    filled_couplings: Array  # (n, 6, 6) couplings and ties while bodies are eliminated
    filled_ties: Array  # (k, 6, 6)
    carried_ties: Array  # (k + 1, 6, 6) rows of L^-1 U^T in the earlier body's frame
    is_held: IntArray  # (n_coordinates,) coordinates whose acceleration is given
    articulated: Array  # (n, 6, 6) upper halves, where there are children
    pivots: Array  # (n, 6, 6) L of S^T M S = L D L^T below the diagonal, D^-1 on it
    carried: Array  # (n, 6, 6) rows of W, see `_elimination`, in the body's frame
    steps: Array  # (n_coordinates,) L^-1 (force - S^T wrench)


class Closing(NamedTuple):
    """Constraints that close loops, with their multipliers' own matrix."""

    starts: IntArray  # (m + 1,) entries of each constraint
    entries: IntArray  # (k, 3) body, direction, place of B^T in the CSC data
    carried: Array  # (m, n_coordinates) L^-1 S^T B^T carried to the root
    matrix: Array  # (m, m)
    triangle: Array  # (m, m) columns in the order of the pivots
    normal: Array  # (m, m)
    scale: Array  # (m,)
    order: IntArray  # (m,)
    rank: IntArray  # (1,)
    touched: IntArray  # (n,)


class Whole(NamedTuple):
    """Where the model with all its joints has multipliers."""

    held: IntArray  # (k, 3) joints of the tree: body, multipliers, the first one
    held_slots: IntArray  # (k, 36) places of their B^T in the model's CSC data
    places: IntArray  # (m,) multipliers of the loops in the model, -1 for supports
    data: Array  # of the model's matrix
    multipliers: Array  # (n_multipliers,)
    work: Array  # (6, 13)


class Newton(NamedTuple):
    """Matrix of a Newton step, see `_tangent`; without entries where none is taken."""

    copies: IntArray  # (k, 4) place in the equations' data, and where it goes for each
    starts: IntArray  # (n,) first of the entries of each body in `slots`
    slots: IntArray  # (k,) places in the CSC data; the last one takes what is not there
    data: Array  # (n_entries + 1,)
    damping: Array  # (n_equation_entries + 1,) the equations' damping
    mass: Array  # the same, their inertia
    weights: Array  # (3,) of inertia, damping and stiffness
    rhs: Array  # (n,)
    row: Array  # (n,) solution
    work: Array  # (N_TANGENT_WORK, 6)
