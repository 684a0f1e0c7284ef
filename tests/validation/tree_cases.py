"""Mechanisms of published benchmarks as models."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl

SLENDER = 1e-3  # share of a thin rod's inertia about its own axis


def thin_rod(name: str, start: Any, end: Any, mass: float) -> fl.Body:
    """A uniform rod between two points of the x-y plane."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    along = b - a
    angle = float(np.arctan2(along[1], along[0]))
    across = mass * float(along @ along) / 12.0
    return fl.Body(
        name,
        position=tuple(0.5 * (a + b)),
        orientation=(0.0, 0.0, angle),
        mass=mass,
        inertia=(SLENDER * across, across, across),
    )


def windows(n: int) -> fl.Model:
    """Four-bar linkage of ``n`` windows, upright, pushed at one meter a second.

    IFToMM multibody benchmark A02: rods of 1 m and 1 kg.
    """
    model = fl.Model()
    for i in range(n + 1):
        foot, top = (float(i), 0.0, 0.0), (float(i), 1.0, 0.0)
        model.add(thin_rod(f"post {i}", foot, top, 1.0))
        model.add(
            fl.Joint(
                f"foot {i}", fl.REVOLUTE, parent=fl.GROUND, child=f"post {i}",
                position=foot,
            )
        )  # fmt: skip
        if i == 0:
            continue
        left = (float(i - 1), 1.0, 0.0)
        model.add(thin_rod(f"beam {i}", left, top, 1.0))
        for k, place in ((i - 1, left), (i, top)):
            model.add(
                fl.Joint(
                    f"top {k} of {i}", fl.REVOLUTE, parent=f"post {k}",
                    child=f"beam {i}", position=place,
                )
            )  # fmt: skip
    for i in range(n + 1):
        model.add(
            fl.InitialMotion(
                f"spin {i}",
                on=(f"post {i}",),
                angular_velocity=(0.0, 0.0, -1.0),
                about=(float(i), 0.0, 0.0),
            )
        )
        if i > 0:
            model.add(
                fl.InitialMotion(
                    f"speed {i}", on=(f"beam {i}",), velocity=(1.0, 0.0, 0.0)
                )
            )
    model.add(fl.Gravity("weight", acceleration=(0.0, -9.81, 0.0)))
    return model


def pendulum(n: int, angle: float, *, slender: bool = False) -> fl.Model:
    """Chain of prisms of 2 m and 50 kg on ball joints; the first one turned about x."""
    length, width, mass = 2.0, 0.2, 50.0
    across = mass * length**2 / 12.0
    along = mass * width**2 / 6.0
    if not slender:
        across += mass * width**2 / 12.0
    model = fl.Model()
    before = fl.GROUND
    place = np.zeros(3)
    down = np.array([0.0, np.sin(angle), -np.cos(angle)])
    for i in range(n):
        name = f"link {i}"
        model.add(
            fl.Body(
                name,
                position=tuple(place + 0.5 * length * down),
                orientation=(angle, 0.0, 0.0),
                mass=mass,
                inertia=(across, across, along),
            )
        )
        model.add(
            fl.Joint(
                f"ball {i}", fl.SPHERICAL, parent=before, child=name,
                position=tuple(place),
            )
        )  # fmt: skip
        before = name
        place = place + length * down
    model.add(fl.Gravity("weight"))
    return model


def energy_change(results: fl.Results) -> float:
    """Largest change of kinetic and potential energy, over the most that moved."""
    energies = results.records.energies
    total = energies[:, 0] + energies[:, 2]
    return float(np.abs(total - total[0]).max() / energies[:, 0].max())


# Andrews' squeezer (Hairer and Wanner II, section VII.7): masses, inertias, places
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
START = {
    "beta": -0.0617138900142764,
    "theta": 0.0,
    "gamma": 0.455279819163070,
    "phi": 0.222668390165886,
    "delta": 0.487364979543843,
    "omega": -0.222668390165886,
    "epsilon": 1.230547444544982,
}


def _at(angle: float, length: float) -> Any:
    return length * np.array([np.cos(angle), np.sin(angle), 0.0])


def squeezer() -> fl.Model:
    """Andrews' squeezer at its start, driven by a constant torque on the crank."""
    d, da, e, ea = 0.028, 0.0115, 0.02, 0.01421
    rr, ra, ss, sa, sb, sc, sd = 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
    ta, tb, u, ua, ub = 0.02308, 0.00916, 0.04, 0.01228, 0.00449
    zf, zt, fa = 0.02, 0.04, 0.01421
    beta, gamma, delta = START["beta"], START["gamma"], START["delta"]
    second = beta + START["theta"]
    fourth = START["phi"] + delta
    epsilon = START["epsilon"]
    sixth = START["omega"] + epsilon
    across = 0.5 * np.pi
    a, b, c = (np.array([*place, 0.0]) for place in (A, B, C))
    pin = _at(beta, rr)
    hub = pin - _at(second, d)
    upper = a + _at(delta, zt)
    lower = a - _at(epsilon + across, u)
    bodies = (
        ("crank", _at(beta, ra), beta),
        ("coupler", pin - _at(second, da), second),
        ("triangle", b - _at(gamma + across, sa) + _at(gamma, sb), gamma),
        ("upper link", upper - _at(fourth + across, e - ea), fourth),
        ("upper lever", a + _at(delta, ta) + _at(delta + across, tb), delta),
        ("lower link", lower + _at(sixth, zf - fa), sixth),
        ("lower lever", a - _at(epsilon + across, ua) - _at(epsilon, ub), epsilon),
    )
    # the parameters fit: all links meet at the hub
    assert np.allclose(b - _at(gamma + across, ss), hub, atol=1e-9)
    assert np.allclose(upper - _at(fourth + across, e), hub, atol=1e-9)
    assert np.allclose(lower + _at(sixth, zf), hub, atol=1e-9)
    model = fl.Model()
    for k, (name, center, angle) in enumerate(bodies):
        inertia = (INERTIAS[k],) * 3
        model.add(
            fl.Body(
                name, position=tuple(center), orientation=(0.0, 0.0, angle),
                mass=MASSES[k], inertia=inertia,
            )
        )  # fmt: skip
    hinges = (
        ("shaft", fl.GROUND, "crank", np.zeros(3)),
        ("pin", "crank", "coupler", pin),
        ("hub of triangle", "coupler", "triangle", hub),
        ("hub of upper link", "coupler", "upper link", hub),
        ("hub of lower link", "coupler", "lower link", hub),
        ("triangle foot", fl.GROUND, "triangle", b),
        ("upper knee", "upper lever", "upper link", upper),
        ("lower knee", "lower lever", "lower link", lower),
        ("upper foot", fl.GROUND, "upper lever", a),
        ("lower foot", fl.GROUND, "lower lever", a),
    )
    for name, parent, child, place in hinges:
        motor = fl.Motor(torque=0.033) if name == "shaft" else None
        model.add(
            fl.Joint(
                name, fl.REVOLUTE, parent=parent, child=child, position=tuple(place),
                motor=motor,
            )
        )  # fmt: skip
    model.add(
        fl.SpringDamper(
            "spring", fl.GROUND, "triangle", stiffness=4530.0, length=0.07785,
            first_point=tuple(c),
            second_point=tuple(b - _at(gamma + across, sc) + _at(gamma, sd)),
        )
    )  # fmt: skip
    return model
