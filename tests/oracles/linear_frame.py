"""Small displacements of space frames by the classical 12x12 Timoshenko stiffness.

Przemieniecki, Theory of Matrix Structural Analysis, section 5.6: an exact solution for
members loaded at their ends only, so that one element a member is enough.
"""

from __future__ import annotations

import numpy as np


def member_stiffness(length: float, stiffness: np.ndarray) -> np.ndarray:
    """(12, 12) stiffness in member axes; (6,) EA, GAy, GAz, GJ, EIy, EIz.

    Order at either end: displacements 1, 2, 3, then rotations 1, 2, 3.
    """
    stretch, shear_y, shear_z, twist, bend_y, bend_z = stiffness
    k = np.zeros((12, 12))
    for value, i, j in ((stretch, 0, 6), (twist, 3, 9)):
        pair = np.ix_([i, j], [i, j])
        k[pair] = value / length * np.array([[1.0, -1.0], [-1.0, 1.0]])
    # bending in the plane 1-2 by rotations about 3, in 1-3 by rotations about -2
    for bend, shear, rows, sign in (
        (bend_z, shear_y, [1, 5, 7, 11], 1.0),
        (bend_y, shear_z, [2, 4, 8, 10], -1.0),
    ):
        phi = 12.0 * bend / (shear * length**2)
        own, other = (4.0 + phi) * length**2, (2.0 - phi) * length**2
        arm = 6.0 * length * sign
        k[np.ix_(rows, rows)] = (
            bend
            / (length**3 * (1.0 + phi))
            * np.array(
                [
                    [12.0, arm, -12.0, arm],
                    [arm, own, -arm, other],
                    [-12.0, -arm, 12.0, -arm],
                    [arm, other, -arm, own],
                ]
            )
        )
    return k


def member_axes(start: np.ndarray, end: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(3, 3) axes of a member as rows: along it, ``up`` made perpendicular, the third."""
    along = (end - start) / np.linalg.norm(end - start)
    second = up - (up @ along) * along
    second /= np.linalg.norm(second)
    return np.array([along, second, np.cross(along, second)])


def displacements(
    points: np.ndarray,
    members: np.ndarray,
    ups: np.ndarray,
    stiffness: np.ndarray,
    *,
    clamped: np.ndarray,
    forces: np.ndarray,
) -> np.ndarray:
    """(n, 6) displacements and rotations of nodes in world axes.

    Parameters
    ----------
    points : (n, 3) array
    members : (m, 2) int array
    ups : (m, 3) array
        Directions that span with a member its plane of axes 1 and 2.
    stiffness : (m, 6) array
        EA, GAy, GAz, GJ, EIy, EIz of each member.
    clamped : (k,) int array
        Nodes held in all directions.
    forces : (n, 6) array
        Forces and moments on nodes in world axes.
    """
    n = len(points)
    total = np.zeros((6 * n, 6 * n))
    for (a, b), up, constants in zip(members, ups, stiffness, strict=True):
        turn = np.kron(np.eye(4), member_axes(points[a], points[b], up))
        length = float(np.linalg.norm(points[b] - points[a]))
        rows = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
        own = turn.T @ member_stiffness(length, constants) @ turn
        total[np.ix_(rows, rows)] += own
    free = np.ones((n, 6), dtype=bool)
    free[clamped] = False
    kept = np.flatnonzero(free.reshape(-1))
    found = np.zeros(6 * n)
    found[kept] = np.linalg.solve(total[np.ix_(kept, kept)], forces.reshape(-1)[kept])
    return found.reshape(n, 6)
