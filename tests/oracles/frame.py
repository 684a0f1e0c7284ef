"""Space frames of straight Timoshenko members by the linear stiffness method.

Przemieniecki, Theory of Matrix Structural Analysis (1968), eq. (5.116); a member of any
number of elements gives the same displacements of its ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Member(NamedTuple):
    """Section of a member that is alike in both directions of bending."""

    stretch: float  # E A
    shear: float  # G A times the shear factor
    twist: float  # G J
    bend: float  # E I


def tube(
    young: float, poisson: float, *, outer_radius: float, inner_radius: float
) -> Member:
    """Tube with Cowper's shear factor (J. Appl. Mech. 33, 1966)."""
    a, b = outer_radius, inner_radius
    area, second_moment = np.pi * (a**2 - b**2), np.pi / 4 * (a**4 - b**4)
    shear_modulus = 0.5 * young / (1.0 + poisson)
    m = b / a
    square = (1 + m**2) ** 2
    factor = (6 * (1 + poisson) * square) / (
        (7 + 6 * poisson) * square + (20 + 12 * poisson) * m**2
    )
    return Member(
        young * area,
        shear_modulus * area * factor,
        2.0 * shear_modulus * second_moment,
        young * second_moment,
    )


def member_stiffness(section: Member, start: Any, end: Any) -> Any:
    """Stiffness (12, 12) in world axes: translation and rotation of start, then end."""
    chord = np.asarray(end) - np.asarray(start)
    length = float(np.linalg.norm(chord))
    local = np.zeros((12, 12))

    def add(rows: list[int], block: list[list[float]]) -> None:
        local[np.ix_(rows, rows)] += np.array(block)

    pair = [[1.0, -1.0], [-1.0, 1.0]]
    add([0, 6], (section.stretch / length * np.array(pair)).tolist())
    add([3, 9], (section.twist / length * np.array(pair)).tolist())
    phi = 12.0 * section.bend / (section.shear * length**2)
    scale = section.bend / (length**3 * (1.0 + phi))
    near, far = (4.0 + phi) * length**2, (2.0 - phi) * length**2
    for rows, sign in (([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)):
        s = sign * 6.0 * length
        force, moment = [12, s, -12, s], [s, near, -s, far]
        block = [force, moment, [-x for x in force], [s, far, -s, near]]
        add(rows, (scale * np.array(block)).tolist())
    along = chord / length
    helper = np.eye(3)[int(np.argmin(np.abs(along)))]
    second = np.cross(helper, along)
    second /= np.linalg.norm(second)
    axes = np.array([along, second, np.cross(along, second)])
    turn = np.kron(np.eye(4), axes)
    return turn.T @ local @ turn


def displacements(
    points: Any, lines: Any, section: Member, clamped: Any, loads: dict[int, Any]
) -> Any:
    """Displacements (n, 6) of all nodes: translation, rotation vector.

    Parameters
    ----------
    points : (n, 3) array
    lines : (m, 2) int array
    section : Member
    clamped : (k,) int array
    loads : dict of node to (6,) force and moment
    """
    n = len(points)
    stiffness, load = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for a, b in lines:
        rows = [*range(6 * a, 6 * a + 6), *range(6 * b, 6 * b + 6)]
        stiffness[np.ix_(rows, rows)] += member_stiffness(section, points[a], points[b])
    for node, wrench in loads.items():
        load[6 * node : 6 * node + 6] += wrench
    free = np.setdiff1d(
        np.arange(6 * n), (6 * np.asarray(clamped)[:, None] + np.arange(6)).reshape(-1)
    )
    result = np.zeros(6 * n)
    result[free] = np.linalg.solve(stiffness[np.ix_(free, free)], load[free])
    return result.reshape(n, 6)
