"""Points that spin about their normal, against closed forms, in statics and motion."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import femlie as fl
from femlie.contact import _friction_layout as layout
from femlie.solvers import _static_driver as driver
from femlie.solvers.static_run import StaticRun
from tests.validation import impact_models as impacts
from tests.validation import spin_models
from tests.validation.impact_models import GRAVITY
from tests.validation.spin_models import FRICTION
from tests.validation.test_rubbing_bodies import check_books, rubbing, run

QUICK = fl.Static(checks_stability=False)
STICKS, SLIDES = int(layout.STICKS), int(layout.SLIDES)
RADIUS = 0.1
BALL = fl.sphere(RADIUS, density=1000.0)
MASS = 1000.0 * 4.0 / 3.0 * np.pi * RADIUS**3


N_ELEMENTS = 15
LIMIT = FRICTION * spin_models.LOAD * spin_models.SPIN_RADIUS


def stiffness_of(case: str) -> float:
    """Moment over the turn of the head, or of the frame, while nothing slips.

    The element in the middle of the rod across, of half a length a, does not bend
    under a couple there. What is beside it, of length l, is clamped to it; its end is
    turned by phi, and moved by ``(a + l) phi``, so that with ``f = 12 EI/(GA l^2)`` and
    ``k = EI/(l (1 + f))`` its moment and force are ``k (6 (a + l)/l - 2 + f) phi`` and
    ``k/l (12 (a + l)/l - 6) phi`` (Timoshenko).
    """
    if case == "post on a plane":
        return spin_models.TORSION / spin_models.LENGTH
    rigid = spin_models.HALF / N_ELEMENTS
    free, bending = spin_models.HALF - rigid, spin_models.BENDING
    shear = 12.0 * bending / (spin_models.SHEAR * free**2)
    size = bending / (free * (1.0 + shear))
    way = spin_models.HALF / free
    moment, force = 6.0 * way - 2.0 + shear, (12.0 * way - 6.0) / free
    return float(2.0 * size * (moment + force * rigid))


@pytest.mark.parametrize("case", ["post on a plane", "rods crosswise"])
def test_moment_rises_elastically_to_its_limit_and_stays(case: str) -> None:
    is_post = case == "post on a plane"
    stiffness = stiffness_of(case)
    turn = 2.0 * LIMIT / stiffness
    system = spin_models.post(turn) if is_post else spin_models.crosswise(turn)
    results = QUICK.solve(system, load_steps=10)
    limit, head = LIMIT, "head" if is_post else "turned"
    turned = turn * np.maximum(results.times - 0.2, 0.0) / 0.8
    expected = np.minimum(stiffness * turned, limit)
    moments = results.contact.largest_spin_moment("touch")
    # the mesh stiffens bending
    rel = 1e-6 if is_post else 0.01
    np.testing.assert_allclose(moments, expected, rtol=0, atol=rel * limit)
    reaction = results.reactions(head)[:, 5]
    np.testing.assert_allclose(reaction, moments, rtol=0, atol=1e-6 * limit)
    slides = results.contact.largest_state("touch") == SLIDES
    assert np.sum(slides) >= 4
    np.testing.assert_allclose(moments[slides], limit, rtol=1e-4)
    assert results.contact.largest_spin("touch")[~slides].max() < 1e-12
    # work of the turned head is what is stored and what the spin has taken
    work = np.trapezoid(reaction, turned)
    lost = np.sum(moments * results.contact.largest_spin("touch"))
    strain = results.energy.strain
    stored = strain[-1] - strain[np.argmin(np.abs(results.times - 0.2))]
    missing = 1e-5 if is_post else 0.02
    assert work == pytest.approx(stored + lost, rel=missing)


def test_newton_ends_quadratically_while_it_spins() -> None:
    system = spin_models.crosswise(2.0 * LIMIT / stiffness_of("rods"))
    job = StaticRun(QUICK, system, fl.Output(), None)
    job.march(None, 0.1, largest=0.1)
    found = [float(x) for x in job.memory.log[: int(job.memory.counts[driver.LOG]) + 1]]
    last = max(k for k, residual in enumerate(found) if residual > 1e-7)
    assert found[last + 1] < max(1e3 * found[last] ** 2, 1e-10)
    assert found[-1] < 1e-10


def test_spin_needs_friction_and_is_in_files() -> None:
    model = fl.Model()
    model.add(fl.Body("ball", solid=BALL, position=(0.0, 0.0, RADIUS)))
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE))
    model.add(fl.Contact("touch", between=("ball", "floor"), spin_radius=0.01))
    with pytest.raises(fl.ModelError, match=r"'touch' has spin_radius 0.01 and no fri"):
        model.build()


@pytest.mark.parametrize("given", [-0.1, float("nan"), "wide"])
def test_impossible_radii_are_refused_by_name(given: Any) -> None:
    part = fl.Contact("touch", between=("a", "b"), friction=0.1, spin_radius=given)
    with pytest.raises(fl.ModelError, match=r"spin_radius of Contact 'touch'"):
        fl.Model().add(part)


SPIN_RADIUS = 0.02
# mu m g R / I of a solid ball
SLOWING = FRICTION * GRAVITY * SPIN_RADIUS / (0.4 * RADIUS**2)


def spinning(spin: float, speed: float = 0.0, spin_radius: float = SPIN_RADIUS) -> Any:
    start = {"velocity": (speed, 0.0, 0.0), "angular_velocity": (0.0, 0.0, spin)}
    model = rubbing(BALL, RADIUS, FRICTION, start=start)
    return with_radius(model, spin_radius)


def with_radius(model: Any, spin_radius: float) -> Any:
    """The same model with another contact."""
    part = dataclasses.replace(model.parts["touch"], spin_radius=spin_radius)
    del model.parts["touch"]
    model.add(part)
    return model


def test_spinning_ball_is_stopped_by_mu_m_g_r() -> None:
    spin = 3.0
    results = run(spinning(spin), 0.3, 1e-3)
    omega = results.velocities("thing")[:, 5]
    expected = np.maximum(spin - SLOWING * results.times, 0.0)
    np.testing.assert_allclose(omega, expected, rtol=0, atol=SLOWING * 1e-3)
    stopped = results.times > spin / SLOWING + 2e-3
    assert np.abs(omega[stopped]).max() < 1e-12
    turned = results.rotations("thing", as_vector=True)[:, 2]
    assert np.ptp(turned[stopped]) < 1e-12
    moments = results.contact.largest_spin_moment("touch")
    weight = MASS * GRAVITY
    slides = (results.times > 0.0) & (results.times < spin / SLOWING - 1e-3)
    np.testing.assert_allclose(
        moments[slides], FRICTION * weight * SPIN_RADIUS, rtol=1e-6
    )
    inertia = 0.4 * MASS * RADIUS**2
    loss = results.energy.friction_loss[-1]
    assert loss == pytest.approx(0.5 * inertia * spin**2, rel=1e-6)
    check_books(results)


def test_without_a_radius_it_goes_on_spinning() -> None:
    results = run(spinning(3.0, spin_radius=0.0), 0.05)
    np.testing.assert_allclose(results.velocities("thing")[:, 5], 3.0, rtol=1e-9)
    assert results.contact.largest_spin_moment("touch").max() == 0.0


@pytest.mark.parametrize("step", [2e-3, 5e-4])
def test_sliding_and_spinning_slow_each_other(step: float) -> None:
    """Both have one limit, along ``(u, R omega)``; the ball begins to roll meanwhile.

    ``u' = -7/2 mu g u / D`` at the point of contact, ``omega' = -5/2 mu g R^2 omega /
    (r^2 D)`` with ``D^2 = u^2 + (R omega)^2``.
    """
    speed, spin, duration = 1.0, 30.0, 0.06

    def rates(_: float, y: Any) -> Any:
        size = np.hypot(y[0], SPIN_RADIUS * y[1])
        slide = -3.5 * FRICTION * GRAVITY * y[0] / size
        return [slide, -SLOWING * SPIN_RADIUS * y[1] / size]

    exact = solve_ivp(rates, (0.0, duration), [speed, spin], rtol=1e-11, atol=1e-12)
    results = run(spinning(spin, speed), duration, step)
    velocity = results.velocities("thing")[-1]
    u = velocity[0] - RADIUS * velocity[4]
    assert u == pytest.approx(exact.y[0, -1], abs=2.0 * step * speed)
    assert velocity[5] == pytest.approx(exact.y[1, -1], abs=2.0 * step * spin)
    # alone it would have lost more
    assert velocity[5] > spin - SLOWING * duration + 0.1
    check_books(results)


def test_ball_spins_on_a_rod() -> None:
    spin = 10.0
    results = run(spin_models.ball_on_rod(spin, 0.1 * impacts.RADIUS), 0.05)
    slowing = FRICTION * GRAVITY * 0.1 * impacts.RADIUS / (0.4 * impacts.RADIUS**2)
    omega = results.velocities("ball")[:, 5]
    expected = np.maximum(spin - slowing * results.times, 0.0)
    np.testing.assert_allclose(omega, expected, rtol=0, atol=1e-3 * slowing)


def test_small_torques_do_not_turn_what_sticks() -> None:
    model = with_radius(rubbing(BALL, RADIUS, FRICTION), SPIN_RADIUS)
    limit = FRICTION * MASS * GRAVITY * SPIN_RADIUS
    model.add(fl.Force("twist", at="thing", moment=(0.0, 0.0, 0.99 * limit)))
    results = run(model, 0.1, 5e-3)
    assert np.abs(results.rotations("thing", as_vector=True)).max() < 1e-12
    moments = results.contact.largest_spin_moment("touch")[1:]
    np.testing.assert_allclose(moments, 0.99 * limit, rtol=1e-6)
    assert np.all(results.contact.largest_state("touch")[1:] == STICKS)


def test_restart_takes_the_same_way_to_the_last_digit(tmp_path: Path) -> None:
    def output(name: str) -> Any:
        return fl.Output(path=tmp_path / name, checkpoint_every=20, every=4)

    whole = run(spinning(20.0, 1.0), 0.06, output=output("whole.h5"))
    run(spinning(20.0, 1.0), 0.04, output=output("part.h5"))
    rest = run(spinning(20.0, 1.0), 0.06, start=tmp_path / "part.h5",
               output=output("rest.h5"))  # fmt: skip
    assert whole.contact.largest_spin_moment("touch").max() > 0.0
    for name, array in whole.records._asdict().items():
        assert np.array_equal(getattr(rest.records, name), array), name
