"""Oracle: a plane hanging chain by the Lie-group generalized-alpha method.

Each link is a frame of SE(2) at its mass center with a body-fixed twist; multipliers
keep the joints' positions and velocities (stabilized index 2). The step's matrix is
taken by complex step, so that no derivative is written down.

References
----------
Bruels, Cardona, Arnold (2012), Mechanism and Machine Theory 48, 121-137: the method.
Arnold, Bruels, Cardona (2015), Numerische Mathematik 129, 149-179: the stabilized
index-2 form and the starting accelerations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # real, or complex where a derivative is taken

# Data of the chain: a square prism of 2 m by 0.2 m, hinged at the middles of its ends.
LENGTH, WIDTH, MASS, GRAVITY, ANGLE = 2.0, 0.2, 50.0, 9.81, 0.1
HALF = LENGTH / 2
MASSES = np.array([MASS, MASS, MASS / 12 * (LENGTH**2 + WIDTH**2)])


class Coefficients(NamedTuple):
    """alpha_m, alpha_f, beta, gamma of the method, and the time step h [s]."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    h: float


class State(NamedTuple):
    """What one step hands to the next, for n links."""

    position: Array  # (..., n, 2) mass centers (y, z) [m]
    angle: Array  # (..., n) about x, from the downward vertical [rad]
    velocity: Array  # (..., n, 3) body-fixed twist v = (u_y, u_z, w)
    rate: Array  # (..., n, 3) its time derivative, which meets the equations of motion
    pseudo: Array  # (..., n, 3) the acceleration-like variable a of the method


def straight_chain_tip(
    n_links: int, *, time_step: float, duration: float, spectral_radius: float
) -> tuple[float, float]:
    """Place of the free end of a chain let go, straight and 0.1 rad off the vertical.

    Parameters
    ----------
    n_links : int
        Number of links, each of 2 m and 50 kg; the first hangs from the origin.
    time_step, duration : float
        Step [s] and time at which the place is wanted [s], a whole number of steps.
    spectral_radius : float
        At infinite frequency, 0 to 1.

    Returns
    -------
    tuple of float
        The end's (y, z) [m]; z points up.

    Notes
    -----
    At rest ``vdot`` is even in time, so ``a_0 = vdot(0)`` differs from the right start
    ``vdot((alpha_m - alpha_f) h)`` by second order only, which is what the order needs.
    Work grows with the third power of `n_links`: 24 links and 1000 steps take seconds.
    """
    rho = spectral_radius
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    coefficients = Coefficients(alpha_m, alpha_f, beta, gamma, time_step)
    state = _start(n_links)
    multipliers = np.zeros((n_links, 2))
    for _ in range(round(duration / time_step)):
        state, multipliers = _step(state, multipliers, coefficients)
    lower = _ends(state.position, state.angle)[1]
    return float(lower[-1, 0]), float(lower[-1, 1])


def _turn(angle: Array, vector: Array) -> Array:
    """R(angle) x."""
    cos, sin, y, z = np.cos(angle), np.sin(angle), vector[..., 0], vector[..., 1]
    return np.stack([cos * y - sin * z, sin * y + cos * z], axis=-1)


def _compose_exp(position: Array, angle: Array, twist: Array) -> tuple[Array, Array]:
    """H exp(twist) on SE(2); the series are exact to rounding below one radian."""
    y, z, w = twist[..., 0], twist[..., 1], twist[..., 2]
    factorial = np.cumprod(np.arange(1.0, 23.0))  # 1!, 2!, ...
    sine = sum((-1) ** k * w ** (2 * k) / factorial[2 * k] for k in range(10))
    cosine = sum((-1) ** k * w ** (2 * k + 1) / factorial[2 * k + 1] for k in range(10))
    # the ratios of sin(w) and of one minus cos(w) to w
    shift = np.stack([sine * y - cosine * z, cosine * y + sine * z], axis=-1)
    return position + _turn(angle, shift), angle + w


def _ends(position: Array, angle: Array) -> tuple[Array, Array]:
    """Places of the upper and lower ends."""
    arm = HALF * np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
    return position + arm, position - arm


def _mismatch(upper: Array, lower: Array) -> Array:
    """Lower end of the link before, or the origin, minus the upper end of this one."""
    before = np.zeros_like(lower)
    before[..., 1:, :] = lower[..., :-1, :]
    return before - upper


def _mismatch_rate(angle: Array, velocity: Array) -> Array:
    """B(q) v, the time derivative of the mismatches [m/s]."""
    linear, swing = velocity[..., :2], np.zeros_like(velocity[..., :2])
    swing[..., 0] = HALF * velocity[..., 2]
    return _mismatch(_turn(angle, linear - swing), _turn(angle, linear + swing))


def _joint_wrench(angle: Array, multipliers: Array) -> Array:
    """B(q)^T lambda, body-fixed: -lambda above, +lambda of the next below."""
    below = np.zeros_like(multipliers)
    below[..., :-1, :] = multipliers[..., 1:, :]
    above_local, below_local = _turn(-angle, multipliers), _turn(-angle, below)
    force = below_local - above_local
    torque = HALF * (below_local + above_local)[..., 0]
    return np.concatenate([force, torque[..., None]], axis=-1)


def _imbalance(state: State, multipliers: Array) -> Array:
    """M vdot - ad(v)^T M v - gravity + B^T lambda; the ad term is m w x u here."""
    u_y, u_z, w = (state.velocity[..., i] for i in range(3))
    up = np.zeros_like(state.position)
    up[..., 1] = GRAVITY
    other = np.zeros_like(state.velocity)
    other[..., :2] = np.stack([-w * u_z, w * u_y], axis=-1) + _turn(-state.angle, up)
    return MASSES * state.rate + MASS * other + _joint_wrench(state.angle, multipliers)


def _end_of_step(old: State, pseudo: Array, eta: Array, c: Coefficients) -> State:
    """Bruels, Cardona, Arnold 2012, the recurrences, with -B(q_n)^T eta added to Dq."""
    mean = (0.5 - c.beta) * old.pseudo + c.beta * pseudo
    delta = old.velocity + c.h * mean - _joint_wrench(old.angle, eta)
    position, angle = _compose_exp(old.position, old.angle, c.h * delta)
    velocity = old.velocity + c.h * ((1 - c.gamma) * old.pseudo + c.gamma * pseudo)
    blend = (1 - c.alpha_m) * pseudo + c.alpha_m * old.pseudo
    rate = (blend - c.alpha_f * old.rate) / (1 - c.alpha_f)
    return State(position, angle, velocity, rate, pseudo)


def _split(unknowns: Array) -> tuple[Array, Array, Array]:
    """(..., 7 n) to a (n, 3) [m/s2, rad/s2], lambda (n, 2) [N] and eta (n, 2) [m/s]."""
    table = unknowns.reshape(*unknowns.shape[:-1], -1, 7)
    return table[..., :3], MASS * table[..., 3:5], table[..., 5:]


def _residual(unknowns: Array, old: State, c: Coefficients) -> Array:
    """(..., 7 n): motion, Phi(q) = 0 and B(q) v = 0 at the end of the step."""
    pseudo, multipliers, eta = _split(unknowns)
    new = _end_of_step(old, pseudo, eta, c)
    motion = _imbalance(new, multipliers) / MASS
    closed = _mismatch(*_ends(new.position, new.angle)) / (c.beta * c.h**2)
    kept = _mismatch_rate(new.angle, new.velocity) / (c.gamma * c.h)
    rows = np.concatenate([motion, closed, kept], axis=-1)
    return rows.reshape(unknowns.shape)


def _step(old: State, guess: Array, c: Coefficients) -> tuple[State, Array]:
    """Newton's method with the first matrix kept, until corrections stop shrinking."""
    parts = [old.rate, guess / MASS, np.zeros_like(guess)]
    unknowns = np.concatenate(parts, axis=-1).ravel()
    # Complex step: no difference is taken, so no digit is lost.
    shifted = unknowns + 1e-30j * np.eye(unknowns.size)
    inverse = np.linalg.inv(_residual(shifted, old, c).imag.T / 1e-30)
    last, size = float("inf"), float(np.finfo(float).max)
    while size < last:
        correction = inverse @ _residual(unknowns, old, c)
        unknowns = unknowns - correction
        last, size = size, float(np.linalg.norm(correction))
    assert size < 1e-6 * np.linalg.norm(unknowns), "the step was not solved"
    pseudo, multipliers, eta = _split(unknowns)
    return _end_of_step(old, pseudo, eta, c), multipliers


def _start(n_links: int) -> State:
    """Put the chain at rest; vdot from M vdot + B^T lambda = gravity and B vdot = 0."""
    angle = np.full(n_links, ANGLE)
    middles = LENGTH * (np.arange(n_links) + 0.5)
    position = middles[:, None] * np.array([np.sin(ANGLE), -np.cos(ANGLE)])
    rest = np.zeros((n_links, 3))
    units = np.eye(3 * n_links).reshape(-1, n_links, 3)
    b = _mismatch_rate(angle, units).reshape(3 * n_links, -1).T
    weight = -_imbalance(State(position, angle, rest, rest, rest), rest[:, :2]).ravel()
    masses = np.tile(MASSES, n_links)
    pull = np.linalg.solve(b / masses @ b.T, b @ (weight / masses))
    rate = ((weight - b.T @ pull) / masses).reshape(-1, 3)
    return State(position, angle, rest, rate, rate)
