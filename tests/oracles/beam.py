"""The two-node beam and bushing from energies: 4x4 matrices, one element, no formulas.

Strain is ``log(H_A^-1 H_B)`` by square roots and a power series. Forces are derivatives
of energies and of Rayleigh's function by the local increments of both nodes. All of it
takes complex numbers, so that first derivatives are imaginary parts at a step of 1e-30
and exact to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracles.joint import STEP, exp, frame, hat, inverse

IDENTITY_POSE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Element:
    """One beam element as the theory describes it.

    ``stiffness``, ``damping`` per length and ``rotary`` (inertia per length about the
    mass center) in section axes; ``reference`` the strain gap ``d_0`` without stress;
    ``rest`` the strain that a signal multiplies; ``offsets`` poses of the section at
    both ends in their nodes; ``drag`` per length; ``mass_damping`` per momentum. A mass
    per length may stand there without rotary inertia (``added_mass``).
    """

    length: float
    reference: Any
    stiffness: Any
    damping: Any
    mass: float
    rotary: Any
    center: Any = (0.0, 0.0, 0.0)
    added_mass: float = 0.0
    drag: float = 0.0
    mass_damping: float = 0.0
    rest: Any = (0.0,) * 6
    offsets: tuple[Any, Any] = (IDENTITY_POSE, IDENTITY_POSE)


def square_root(matrix: Any) -> Any:
    """Denman and Beavers' iteration."""
    root, other = matrix, np.eye(4)
    for _ in range(12):
        root, other = (
            0.5 * (root + np.linalg.inv(other)),
            0.5 * (other + np.linalg.inv(root)),
        )
    return root


def log(matrix: Any) -> Any:
    """Twist (6,) of a frame, by the series of the logarithm of its 2^k-th root."""
    k = 4
    for _ in range(k):
        matrix = square_root(matrix)
    ratio = (matrix - np.eye(4)) @ np.linalg.inv(matrix + np.eye(4))
    term, total = ratio, np.zeros((4, 4))
    for n in range(1, 40, 2):
        total = total + term / n
        term = term @ ratio @ ratio
    total = 2.0**k * 2.0 * total
    return np.array(
        [total[0, 3], total[1, 3], total[2, 3], total[2, 1], total[0, 2], total[1, 0]]
    )


def moved(frames: Any, increment: Any) -> Any:
    """Both frames moved by local increments (12,)."""
    return [frames[0] @ exp(increment[:6]), frames[1] @ exp(increment[6:])]


def ends(element: Element, frames: Any) -> Any:
    """Section frames at both ends."""
    return [
        node @ frame(np.asarray(offset))
        for node, offset in zip(frames, element.offsets, strict=True)
    ]


def strain_gap(element: Element, frames: Any, signal: float = 0.0) -> Any:
    """``d - d_0 - L f signal``."""
    first, second = ends(element, frames)
    rest = element.length * np.asarray(element.rest) * signal
    return log(inverse(first) @ second) - np.asarray(element.reference) - rest


def strain_energy(element: Element, frames: Any, signal: float = 0.0) -> Any:
    gap = strain_gap(element, frames, signal)
    return 0.5 * gap @ np.asarray(element.stiffness) @ gap / element.length


def derivative(function: Any, n: int = 12) -> Any:
    """Derivatives of an analytic function of (n,) numbers at zero, last axis (n,)."""
    slopes = []
    for k in range(n):
        step = np.zeros(n, dtype=complex)
        step[k] = 1j * STEP
        slopes.append(np.asarray(function(step)).imag / STEP)
    return np.stack(slopes, axis=-1)


def strain_slopes(element: Element, frames: Any) -> Any:
    """``P``: derivatives (6, 12) of the strain gap by the increments."""
    return derivative(lambda x: strain_gap(element, moved(frames, x)))


def stress(element: Element, frames: Any, velocities: Any, signal: float = 0.0) -> Any:
    """Elastic and viscous stress resultants conjugate to the strain gap."""
    gap = strain_gap(element, frames, signal)
    rate = strain_slopes(element, frames) @ velocities
    elastic = np.asarray(element.stiffness) @ gap
    return (elastic + np.asarray(element.damping) @ rate) / element.length


def internal_wrench(
    element: Element, frames: Any, velocities: Any, signal: float = 0.0
) -> Any:
    """Slopes of the strain energy, and virtual work of the viscous stress, (12,)."""
    elastic = derivative(lambda x: strain_energy(element, moved(frames, x), signal))
    slopes = strain_slopes(element, frames)
    rate = slopes @ velocities
    return elastic + slopes.T @ np.asarray(element.damping) @ rate / element.length


def center_motion(element: Element, frames: Any, velocities: Any) -> Any:
    """World velocities of mass centers and first axes; spins in section axes."""
    speeds, turnings, spins = [], [], []
    for node, twist, offset in zip(
        frames, (velocities[:6], velocities[6:]), element.offsets, strict=True
    ):
        section = frame(np.asarray(offset))
        center = section @ np.array([*element.center, 1.0])
        speeds.append((node @ hat(twist) @ center)[:3])
        turnings.append((node @ hat(twist) @ section[:, 0])[:3])
        spins.append(section[:3, :3].T @ twist[3:])
    return speeds, turnings, spins


def quadratic(
    element: Element, frames: Any, velocities: Any, line: Any, end: Any
) -> Any:
    """``1/2 line`` times the integral of the speed's square, plus averaged spins.

    The line of mass centers bows by ``z (1 - z) (L/2) (t_A - t_B)`` from its chord;
    the integral over the element is a Gauss rule that is exact for its square.
    """
    (a, b), (first, second), spins = center_motion(element, frames, velocities)
    points, weights = np.polynomial.legendre.leggauss(4)
    total = 0.0
    for z, weight in zip(0.5 * (1.0 + points), 0.5 * weights, strict=True):
        bow = 0.5 * element.length * z * (1.0 - z) * (first - second)
        speed = (1.0 - z) * a + z * b + bow
        total = total + 0.5 * line * element.length * weight * (speed @ speed)
    own = spins[0] @ end @ spins[0] + spins[1] @ end @ spins[1]
    return total + (5.0 * own + 2.0 * spins[0] @ end @ spins[1]) / 12.0


def kinetic_energy(element: Element, frames: Any, velocities: Any) -> Any:
    line = element.mass + element.added_mass
    end = 0.5 * element.length * np.asarray(element.rotary)
    return quadratic(element, frames, velocities, line, end)


def drag_function(element: Element, frames: Any, velocities: Any) -> Any:
    """Rayleigh's function of drag and of mass-proportional damping."""
    line = element.mass + element.added_mass
    line = element.mass_damping * line + element.drag
    end = 0.5 * element.length * element.mass_damping * np.asarray(element.rotary)
    return quadratic(element, frames, velocities, line, end)


def ad(twist: Any) -> Any:
    u, w = hat(np.array([0, 0, 0, *twist[:3]])), hat(np.array([0, 0, 0, *twist[3:]]))
    matrix = np.zeros((6, 6), dtype=np.asarray(twist).dtype)
    matrix[:3, :3] = matrix[3:, 3:] = w[:3, :3]
    matrix[:3, 3:] = u[:3, :3]
    return matrix


def inertia_wrench(
    element: Element, frames: Any, velocities: Any, accelerations: Any
) -> Any:
    """Euler and Poincare: ``d/dt dT/dv - ad(v)^T dT/dv - dT/dq``, and drag, (12,).

    On the path ``H exp(t v + t^2/2 a)`` velocities are ``v + t a`` to first order.
    """

    def momentum(at: Any, speed: Any) -> Any:
        # T is quadratic in v: its derivatives by v are differences without error
        units = np.eye(12)
        energy = [kinetic_energy(element, at, speed + unit) for unit in units]
        without = [kinetic_energy(element, at, speed - unit) for unit in units]
        return 0.5 * (np.array(energy) - np.array(without))

    t = 1j * STEP
    path = moved(frames, t * velocities + 0.5 * t**2 * accelerations)
    rate = momentum(path, velocities + t * accelerations).imag / STEP
    now = momentum(frames, velocities)
    turned = np.concatenate(
        [ad(velocities[k : k + 6]).T @ now[k : k + 6] for k in (0, 6)]
    )
    slopes = derivative(lambda x: kinetic_energy(element, moved(frames, x), velocities))
    lost = derivative(lambda x: drag_function(element, frames, velocities + x))
    return rate - turned - slopes + lost


def section_forces(
    element: Element,
    frames: Any,
    velocities: Any,
    accelerations: Any,
    signal: float = 0.0,
) -> Any:
    """(3, 6) on the positive face at the first end, the middle and the second end.

    The positive face at the first end takes what the node does not: minus its wrench,
    of which inertia is a part. Equilibrium of the part between carries it along.
    """
    free = Element(**{**vars(element), "offsets": (IDENTITY_POSE, IDENTITY_POSE)})
    sections = ends(element, frames)
    speeds, rates = (in_sections(element, x) for x in (velocities, accelerations))
    internal = internal_wrench(free, sections, speeds, signal)
    inertia = inertia_wrench(free, sections, speeds, rates)
    half = exp(0.5 * log(inverse(sections[0]) @ sections[1]))
    middle = -carried(half).T @ internal[:6] + inertia_at_middle(half, inertia)
    wrench = internal + inertia
    return np.array([-wrench[:6], middle, wrench[6:]])


def in_sections(element: Element, twists: Any) -> Any:
    """Twists (12,) of the sections from those of the nodes."""
    found = []
    for offset, twist in zip(element.offsets, (twists[:6], twists[6:]), strict=True):
        section = frame(np.asarray(offset))
        found.append(vee(inverse(section) @ hat(twist) @ section))
    return np.concatenate(found)


# forces at both ends by the ones there and what they change by along the element:
# those that do the work of the load, and half of the length times the load at the end
WORK_OF_LOAD = ((1 / 2, 1 / 6), (1 / 2, 1 / 3))
LOAD_AT_END = ((1 / 2, 0.0), (1 / 2, 1 / 2))


def inertia_at_middle(half: Any, inertia: Any, shares: Any = WORK_OF_LOAD) -> Any:
    """(6,) what inertia adds in the middle, if it is linear along the chord.

    ``inertia`` (12,) on both ends stands for forces ``a + b z``, z from 0 to 1.
    """
    turns = half[:3, :3].T, half[:3, :3]
    forces = [r @ w[:3] for r, w in zip(turns, (inertia[:6], inertia[6:]), strict=True)]
    moments = [
        r @ w[3:] for r, w in zip(turns, (inertia[:6], inertia[6:]), strict=True)
    ]
    a, b = np.linalg.inv(shares) @ np.array(forces)
    chord = turns[0] @ (half @ half)[:3, 3]
    z, weight = np.polynomial.legendre.leggauss(3)
    parts = []
    for start in (0.0, 0.5):
        points = start + 0.25 * (1.0 + z)
        force = sum(0.25 * w * (a + b * x) for x, w in zip(points, weight, strict=True))
        moment = sum(
            0.25 * w * np.cross((x - 0.5) * chord, a + b * x)
            for x, w in zip(points, weight, strict=True)
        )
        parts.append((force, moment))
    # the halves of the free element, each with what its end passes; their mean
    from_first = -forces[0] + parts[0][0]
    first_moment = -moments[0] - np.cross(-0.5 * chord, forces[0]) + parts[0][1]
    second_moment = moments[1] + np.cross(0.5 * chord, forces[1]) - parts[1][1]
    return np.concatenate([from_first, 0.5 * (first_moment + second_moment)])


def vee(matrix: Any) -> Any:
    """Twist of a 4x4 matrix of the algebra."""
    return np.array(
        [
            *matrix[:3, 3],
            matrix[2, 1],
            matrix[0, 2],
            matrix[1, 0],
        ]
    )


def carried(step: Any) -> Any:
    """(6, 6) ``Ad(step)``: column k is the twist of ``step hat(e_k) step^-1``."""
    columns = [vee(step @ hat(unit) @ inverse(step)) for unit in np.eye(6)]
    return np.array(columns).T
