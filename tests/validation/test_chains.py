"""Long chains of rigid links, where the index-3 form of generalized-alpha blows up.

Links of 2 m and 50 kg, prisms of 0.2 m, frames at the mass centers, steps of 10 ms for
10 s. Places of the tip: equations in relative coordinates, order 8 at 1e-10; for the
plane also `tests.oracles.link_chain`.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import femlie as fl
from femlie.lie import so3
from tests.oracles.chain_generalized_alpha import straight_chain_tip
from tests.oracles.link_chain import tip_of_chain
from tests.validation.dynamics import point_of, run

LENGTH, SIDE, MASS, GRAVITY, ANGLE = 2.0, 0.2, 50.0, 9.81, 0.1
ACROSS = MASS / 12.0 * (LENGTH**2 + SIDE**2)
ALONG = MASS / 6.0 * SIDE**2
STRAIGHT_TIPS = {
    8: (-1.582630, -15.921143),
    24: (2.983258, -47.904087),
    64: (-13.706322, -127.210758),
}
RADII = (0.5, 0.7, 0.9, 1.0)
slow = pytest.mark.slow


def turns(n_links: int, start: str) -> np.ndarray:
    """(n, 3) rotation vectors: all links, the first one, or two in two planes."""
    vectors = np.zeros((n_links, 3))
    if start == "straight":
        vectors[:, 0] = ANGLE
    else:
        vectors[0, 0] = ANGLE
    if start == "in space":
        vectors[1] = (0.0, ANGLE, 0.0)
    return vectors


def chain(n_links: int, start: str) -> tuple[fl.Model, float]:
    """Model, and potential energy above the lowest state."""
    model = fl.Model()
    kind = fl.SPHERICAL if start == "in space" else fl.REVOLUTE
    top, above, available = np.zeros(3), fl.GROUND, 0.0
    for k, vector in enumerate(turns(n_links, start)):
        half = so3.exp(vector) @ [0.0, 0.0, -LENGTH / 2.0]
        name = f"link {k}"
        model.add(
            fl.Body(
                name,
                position=tuple(top + half),
                orientation=tuple(vector),
                mass=MASS,
                inertia=(ACROSS, ACROSS, ALONG),
            )
        )
        model.add(
            fl.Joint(
                f"joint {k}",
                kind,
                parent=above,
                child=name,
                axis=(1.0, 0.0, 0.0),
                position=tuple(top),
            )
        )
        available += MASS * GRAVITY * (top[2] + half[2] + LENGTH * (k + 0.5))
        top, above = top + 2.0 * half, name
    model.add(fl.Gravity("weight"))
    return model, available


@functools.cache
def motion(
    n_links: int,
    start: str,
    radius: float,
    step: float = 0.01,
    duration: float = 10.0,
) -> tuple[fl.Results, float]:
    model, available = chain(n_links, start)
    every = round(0.1 / step)
    result = run(
        model, duration=duration, time_step=step, spectral_radius=radius, every=every
    )
    return result, available


def tip(
    n_links: int,
    start: str,
    radius: float,
    step: float = 0.01,
    duration: float = 10.0,
) -> np.ndarray:
    """(2,) y and z of the lower end."""
    half = (0.0, 0.0, -LENGTH / 2.0)
    result, _ = motion(n_links, start, radius, step, duration)
    return point_of(result, f"link {n_links - 1}", half)[-1, 1:]


def energy_change(n_links: int, start: str, radius: float) -> np.ndarray:
    """(n_times,) change over the available energy."""
    result, available = motion(n_links, start, radius)
    total = result.energy.total
    return (total - total[0]) / available


@pytest.mark.parametrize("n_links", [8, pytest.param(24, marks=slow)])
def test_published_tips_of_straight_chains_are_right(n_links: int) -> None:
    found = tip_of_chain(
        np.full(n_links, ANGLE),
        length=LENGTH,
        mass=MASS,
        inertia=ACROSS,
        gravity=GRAVITY,
        duration=10.0,
    )
    np.testing.assert_allclose(found, STRAIGHT_TIPS[n_links], atol=2e-6)


# Error of the method itself at h = 0.01: 1.6e-4, 2.76e-4 and 4.7e-5 m. An
# implementation that shares nothing with ours has the same (tests/oracles), and so has
# the method on angles without any constraint; at h/2 it is a quarter.
TIP_ERRORS = {8: 2e-4, 24: 3e-4, 64: 2e-4}


@pytest.mark.parametrize("n_links", [8, 24, pytest.param(64, marks=slow)])
def test_tip_of_a_straight_chain_is_right(n_links: int) -> None:
    distance = np.linalg.norm(tip(n_links, "straight", 0.9) - STRAIGHT_TIPS[n_links])
    assert distance < TIP_ERRORS[n_links]


def test_24_links_keep_to_the_tip_at_the_step_that_the_order_asks_for() -> None:
    distance = np.linalg.norm(tip(24, "straight", 0.9, 0.008) - STRAIGHT_TIPS[24])
    assert distance < 2e-4


@pytest.mark.parametrize(("n_links", "duration"), [(8, 2.0), (24, 0.5)])
def test_tip_is_that_of_the_method_computed_otherwise(
    n_links: int, duration: float
) -> None:
    expected = straight_chain_tip(
        n_links, time_step=0.01, duration=duration, spectral_radius=0.9
    )
    given = tip(n_links, "straight", 0.9, 0.01, duration)
    # ours stops at a residual of 1e-8, the other at rounding
    np.testing.assert_allclose(given, expected, rtol=0, atol=1e-6)


@slow
@pytest.mark.parametrize("n_links", [8, 24])
def test_error_of_the_tip_is_that_of_the_method(n_links: int) -> None:
    expected = straight_chain_tip(
        n_links, time_step=0.01, duration=10.0, spectral_radius=0.9
    )
    np.testing.assert_allclose(
        tip(n_links, "straight", 0.9), expected, rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("n_links", [8, 24])
def test_tip_converges_with_order_two(n_links: int) -> None:
    errors = [
        np.linalg.norm(tip(n_links, "straight", 0.9, h) - STRAIGHT_TIPS[n_links])
        for h in (0.01, 0.005)
    ]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("n_links", [8, 24, pytest.param(64, marks=slow)])
def test_straight_chain_keeps_its_energy(n_links: int, radius: float) -> None:
    assert np.abs(energy_change(n_links, "straight", radius)).max() < 1e-4


# loss allowed at the end, and at any time: dissipation of the scheme itself, which a
# chain in relative coordinates loses too
LOSSES = [
    (0.5, 0.13, 0.13),
    (0.7, 0.035, 0.035),
    (0.9, 3e-3, 1e-2),
    (0.95, 3e-3, 1e-2),
    (1.0, 3e-3, 1e-2),
]


@pytest.mark.parametrize(("radius", "at_end", "always"), LOSSES)
@pytest.mark.parametrize("n_links", [8, 24, pytest.param(64, marks=slow)])
def test_kinked_chain_stays_stable(
    n_links: int, radius: float, at_end: float, always: float
) -> None:
    change = energy_change(n_links, "kinked", radius)
    assert abs(change[-1]) < at_end
    assert np.abs(change).max() < always


@pytest.mark.parametrize("n_links", [8, 24, pytest.param(64, marks=slow)])
def test_kinked_chain_in_space_stays_stable(n_links: int) -> None:
    assert np.abs(energy_change(n_links, "in space", 0.9)).max() < 0.03


@slow
@pytest.mark.parametrize("radius", [0.5, 0.7, 1.0])
def test_chain_in_space_ends_at_every_radius(radius: float) -> None:
    change = energy_change(64, "in space", radius)
    # only dissipation, no growth: twice what the plane loses at the same radius
    assert change[-1] > -0.26
    assert change.max() < 1e-2


@pytest.mark.parametrize("n_links", [8, 24])
def test_constraints_hold_to_rounding(n_links: int) -> None:
    assert motion(n_links, "kinked", 0.9)[0].summary["constraint_error"] < 1e-12


@slow
def test_index_3_form_of_a_long_chain_is_refused_and_not_wrong() -> None:
    model, _ = chain(64, "kinked")
    with pytest.raises(fl.ConvergenceError):
        run(model, duration=10.0, time_step=0.01, is_stabilized=False)
