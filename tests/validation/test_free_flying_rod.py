"""Free-flying rod: momenta, energy, and the reference curve.

Invariants from integrals of the start velocities; curve see data/README.md.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import (
    fitted_order,
    free_rod,
    reference,
    richardson,
    run,
)

LENGTH, LINE_MASS, LINE_INERTIA = 10.0, 1.0, 10.0
MOMENTUM = (0.0, 12.732395447, 0.0)
MOMENT = (30.0, -8.333333333, 63.661977237)
ENERGY = 14.9166667


def momenta(result: fl.Results) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and moment of momentum about the origin, (n_times, 3) each.

    The rod bows from the chords by ``z (1 - z) (L/2) (t_A - t_B)``, so that integrals
    over an element weight (x_A, (L/2) t_A, x_B, -(L/2) t_B); its spins are averaged.
    """
    place = result.positions("rod")
    order = np.argsort(place[0, :, 0])
    place = place[:, order]
    speed = result.velocities("rod")[:, order, :3]
    spin = result.velocities("rod", frame="body")[:, order, 3:]
    turn = result.rotations("rod")[:, order]
    length = LENGTH / (place.shape[1] - 1)
    mass = LINE_MASS * length
    axis = np.array([1.0, 0.0, 0.0])
    tangent = 0.5 * length * turn @ axis
    turning = 0.5 * length * np.einsum("tnij,tnj->tni", turn, np.cross(spin, axis))
    a, b = np.s_[:, :-1], np.s_[:, 1:]
    momentum = mass * (
        (speed[a] + speed[b]) / 2.0 + (turning[a] - turning[b]) / 6.0
    ).sum(axis=1)
    weights = np.array([[40, 10, 20, 10], [10, 4, 10, 4], [20, 10, 40, 10],
                        [10, 4, 10, 4]]) / 120.0  # fmt: skip
    places = (place[a], tangent[a], place[b], -tangent[b])
    speeds = (speed[a], turning[a], speed[b], -turning[b])
    moment = mass * sum(
        weights[i, j] * np.cross(places[i], speeds[j]).sum(axis=1)
        for i in range(4)
        for j in range(4)
    )
    half = 0.5 * length * LINE_INERTIA
    for own, other in ((a, b), (b, a)):
        averaged = half * (5.0 * spin[own] + spin[other]) / 6.0
        moment += np.einsum("tnij,tnj->ti", turn[own], averaged)
    return momentum, moment


@functools.cache
def motion(n_elements: int, step: float, duration: float = 10.0) -> fl.Results:
    return run(
        free_rod(n_elements),
        duration=duration,
        time_step=step,
        every=round(0.1 / step),
    )


def test_invariants_start_right() -> None:
    momentum, moment = momenta(motion(40, 0.01))
    # the sine between the nodes of 40 elements: 5e-4
    np.testing.assert_allclose(momentum[0], MOMENTUM, atol=1e-2)
    np.testing.assert_allclose(moment[0], MOMENT, atol=0.05)
    assert motion(40, 0.01).energy.total[0] == pytest.approx(ENERGY, rel=1e-3)


@pytest.mark.parametrize("which", [0, 1], ids=["momentum", "moment of momentum"])
def test_drift_of_momenta_is_of_second_order(which: int) -> None:
    steps = (2e-3, 1e-3, 5e-4, 2.5e-4)
    drifts = []
    for step in steps:
        invariant = momenta(motion(10, step, 1.0))[which]
        drifts.append(np.abs(invariant - invariant[0]).max())
    # waves within the rod are resolved by the smaller steps only
    assert fitted_order(steps, drifts) == pytest.approx(2.0, abs=0.25)


def test_momenta_drift_little_at_a_large_step() -> None:
    for invariant in momenta(motion(20, 0.01)):
        size = np.linalg.norm(invariant[0])
        # a free body of SE(3) drifts by 2e-5 over these 1000 steps, a rod not much more
        assert np.abs(invariant - invariant[0]).max() < 1e-4 * size


def test_energy_is_dissipated_by_the_scheme_only() -> None:
    losses = []
    steps = (4e-3, 2e-3, 1e-3)
    for step in steps:
        total = motion(10, step, 1.0).energy.total
        losses.append(1.0 - total[-1] / total[0])
    # the damping of generalized-alpha is of third order in the step
    assert fitted_order(steps, losses) == pytest.approx(3.0, abs=0.3)
    assert 0.0 < losses[-1] < 1e-5


def test_end_of_the_rod_follows_the_reference() -> None:
    _, values = reference("free_rod")
    limit = richardson(
        motion(20, 0.0025).positions("B"), motion(40, 0.0025).positions("B")
    )
    # errors of the reference reach 7e-3
    assert np.linalg.norm(limit - values[: len(limit)], axis=1).max() < 2e-2
