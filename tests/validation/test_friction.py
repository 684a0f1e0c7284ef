"""Friction of rods against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.contact import _friction_layout as friction_layout
from femlie.solvers import _static_driver as driver
from femlie.solvers.static_run import StaticRun
from tests.validation import contact_models as models
from tests.validation import friction_models

QUICK = fl.Static(checks_stability=False)
SLIDES = int(friction_layout.SLIDES)
STICKS = int(friction_layout.STICKS)


@pytest.mark.parametrize("coefficient", [0.5, 5.0])
def test_stacked_cantilevers_that_slide_share_their_couple(coefficient: float) -> None:
    """Each bears half of the load, and the couple ``mu q/2 r`` of friction per length.

    So its moment is ``q x^2/4 - mu q r x/2`` with x from the tip, which moves by
    ``q L^4/(16 EI) (1 - 8/3 mu r/L)`` (elementary).
    """
    load = 1e-3
    system = friction_models.stacked(20, coefficient, load)
    results = QUICK.solve(system, load_steps=2)
    share = 1.0 - 8.0 / 3.0 * coefficient * models.RADIUS
    expected = -share * load / (16.0 * models.BENDING)
    tip = results.displacements("u_1")[-1, 2]
    assert tip == pytest.approx(expected, rel=1e-3)
    assert np.all(results.contact.states("upper")[-1, :-1] == SLIDES)
    sizes = results.contact.total_friction_size("touch")
    total = results.contact.total_size("touch")
    np.testing.assert_allclose(sizes, coefficient * total, rtol=1e-6)


@pytest.mark.parametrize("n", [10, 40])
def test_stacked_cantilevers_that_stick_are_one_beam(n: int) -> None:
    """Of bending stiffness ``2 EI + 2 EA r^2 = 10 EI``, on any mesh."""
    load = 1e-3
    results = QUICK.solve(friction_models.stacked(n, 1000.0, load), load_steps=2)
    tip = results.displacements("u_1")[-1, 2]
    # shear adds 0.1 %
    assert tip == pytest.approx(-load / (80.0 * models.BENDING), rel=2e-3)
    assert np.all(results.contact.states("upper")[-1] <= STICKS)
    assert results.contact.largest_slip("touch").max() < 1e-12


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
def test_rod_sticks_up_to_the_limit_and_slides_beyond(direction: Any) -> None:
    """Along the lower rod, around it, and at an angle."""
    n_steps = 16
    pull = 2e-3 * np.array(direction)
    system = friction_models.rubbed(0.3, pull)
    results = QUICK.solve(system, load_steps=n_steps)
    contact = results.contact
    sizes = np.linalg.norm(contact.total_friction("touch"), axis=1)
    limit = 0.3 * contact.total_size("touch")
    states = contact.states("lower").max(axis=1)
    assert set(states[1:].tolist()) == {STICKS, SLIDES}
    assert np.all(np.diff(states[1:]) >= 0)
    slides = states == SLIDES
    assert np.all(sizes <= limit * (1.0 + 1e-9))
    np.testing.assert_allclose(sizes[slides], limit[slides], rtol=1e-9)
    assert contact.largest_slip("touch")[states == STICKS].max() < 1e-12
    assert contact.largest_slip("touch")[slides].min() > 1e-6
    # against the motion
    way = contact.total_friction("touch")[slides] @ [*direction, 0.0]
    assert np.all(way < -0.99 * sizes[slides])


@pytest.mark.parametrize("radii", [(0.01, 0.02), (0.02, 0.01)])
def test_rods_roll_on_each_other(radii: tuple[float, float]) -> None:
    """``r_S dphi_S = -r_M dphi_M``; a thin wire turns back a little."""
    results = QUICK.solve(friction_models.rollers(radii, 1.0), load_steps=20)
    turn = results.rotations("a_0", as_vector=True)[-1, 0]
    assert turn == pytest.approx(-radii[1] / radii[0], rel=1e-3)


def test_rope_on_a_drum_is_a_capstan() -> None:
    """``T_2/T_1 = exp(mu phi)`` (D4) within r/R = 0.02; all of the rope slides."""
    n, coefficient = 40, 0.3
    results = QUICK.solve(friction_models.capstan(n, coefficient, 200.0), load_steps=10)
    tension = results.section_forces("rope", at="middle")[-1, :, 0]
    ratio = tension[-1] / tension[0]
    assert ratio == pytest.approx(np.exp(coefficient * np.pi), rel=0.02)
    arc = slice(n // 4, 3 * n // 4)
    angle = np.pi / (n - 2 * (n // 8)) * np.arange(n // 2)
    slope = np.polyfit(angle, np.log(tension[arc]), 1)[0]
    assert slope == pytest.approx(coefficient, rel=0.02)


def test_tip_on_a_plate_drags_with_mu_times_its_force() -> None:
    """D4a: against the sliding, towards the clamp, of the tip."""
    way = 0.3017207738
    system = friction_models.with_friction(models.plate_on_tip(20, way), 0.2)
    results = QUICK.solve(system, load_steps=10)
    force = results.contact.total("touch")[1:]
    # at first the tip rolls by more than it is drawn in
    np.testing.assert_allclose(force[3:, 0], -0.2 * force[3:, 1], rtol=1e-3)
    smooth = QUICK.solve(models.plate_on_tip(20, way), load_steps=10)
    assert smooth.contact.total("touch")[-1, 1] == pytest.approx(-1.0, rel=0.01)
    # the same rod with that force, and its moment about the axis, as dead loads
    loaded = friction_models.loaded_tip(force[-1])
    alone = QUICK.solve(loaded, load_steps=4)
    np.testing.assert_allclose(
        alone.displacements("s_1")[-1], results.displacements("s_1")[-1], atol=1e-5
    )


def test_twisted_rods_resist_more_with_friction() -> None:
    torques = []
    for coefficient in (0.0, 0.2, 0.5):
        system = friction_models.with_friction(models.ply(20, 0.5), coefficient)
        results = QUICK.solve(system, load_steps=6)
        first, second = (
            results.reactions(f"{k} clamp")[-1] for k in ("first", "second")
        )
        torque = first[3] + second[3] + models.RADIUS * (first[2] - second[2])
        torques.append(abs(torque))
    assert torques[0] < torques[1] < torques[2]


@pytest.mark.slow
def test_strand_with_friction_is_pulled_with_default_settings() -> None:
    """Seven wires, 1 %: no more friction than the cone has room for."""
    system = friction_models.with_friction(models.strand(20, 0.01), 0.2)
    results = fl.Static().solve(system, load_steps=10)
    contact = results.contact
    sizes, total = contact.total_friction_size("touch"), contact.total_size("touch")
    assert np.all(sizes <= 0.2 * total * (1.0 + 1e-9))
    assert sizes[-1] > 0.1 * total[-1]


@pytest.mark.slow
@pytest.mark.long
def test_strand_of_long_wires_is_pulled_and_bent_with_default_settings() -> None:
    """7 x 200 elements, 1 % and 0.1 rad; tension of thin wires, ``E A cos^3``."""
    n, stretch, angle = 200, 0.01, 0.1
    system = friction_models.bent_strand(n, stretch, angle)
    results = fl.Static().solve(system, load_steps=20)
    contact = results.contact
    sizes, total = contact.total_friction_size("touch"), contact.total_size("touch")
    assert np.all(sizes <= 0.115 * total * (1.0 + 1e-9))
    half = int(np.argmin(np.abs(results.times - 0.5)))
    core, wire, lay = 1.97e-3, 1.865e-3, 0.115
    cosine = np.cos(np.arctan(2.0 * np.pi * (core + wire) / lay))
    area = np.pi * (core**2 + 6.0 * wire**2 * cosine**3)
    tension = results.reactions("pulled")[half, 0]
    # wires turn and bend in themselves, which adds a thousandth
    assert tension == pytest.approx(188e9 * area * stretch, rel=2e-3)
    # action and reaction of all that the strand is held by
    other = results.reactions("turned")[:, :3]
    np.testing.assert_allclose(
        results.reactions("pulled")[:, :3], -other, atol=1e-6 * tension
    )


def test_both_rods_may_be_the_slave() -> None:
    """Point form: elements of other numbers make the other rod the slave."""
    forces = []
    for n in ((9, 11), (11, 9)):
        for between in (("upper", "lower"), ("lower", "upper")):
            system = friction_models.rubbed(0.3, (4e-3, 2e-3), n=n, between=between)
            results = QUICK.solve(system, load_steps=10)
            sign = 1.0 if between[0] == "upper" else -1.0
            forces.append(sign * results.contact.total("touch")[-1])
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(forces[2], forces[3], rtol=1e-9, atol=1e-9)
    # another mesh, and the same rods
    np.testing.assert_allclose(forces[0], forces[2], rtol=0.01, atol=0.05)


def forces_with(factor: float, patch: Any) -> list[Any]:
    """Forces with the automatic penalty times a factor."""
    solver = fl.Static(checks_stability=False, tolerance=1e-13)
    with models.scaled_penalties(factor, patch):
        slid = solver.solve(friction_models.rubbed(0.3, (4e-3, 2e-3)), load_steps=10)
        along = solver.solve(friction_models.stacked(10, 2.0, 0.1), load_steps=2)
    found = [slid.contact.total("touch")[-1]]
    found.append(along.contact.total_friction_size("touch")[-1:])
    return found


def test_answer_does_not_depend_on_the_penalty(monkeypatch: Any) -> None:
    """Six decades."""
    expected = forces_with(1.0, monkeypatch)
    for factor in (1e-3, 1e-1, 1e1, 1e3):
        for one, other in zip(forces_with(factor, monkeypatch), expected, strict=True):
            size = np.abs(other).max()
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-8 * size)


CASES = {
    "crossing": (lambda: friction_models.rubbed(0.3, (4e-3, 2e-3)), 10),
    "stacked, sliding": (lambda: friction_models.stacked(20, 5.0, 1e-3), 1),
    "stacked, sticking": (lambda: friction_models.stacked(20, 1e3, 1e-3), 1),
    "capstan": (lambda: friction_models.capstan(24, 0.3, 200.0), 10),
    "rolling": (lambda: friction_models.rollers((0.01, 0.02), 1.0), 20),
}


@pytest.mark.parametrize("name", CASES)
def test_newton_ends_quadratically(name: str) -> None:
    make, load_steps = CASES[name]
    run = StaticRun(QUICK, make(), fl.Output(), None)
    run.march(None, 1.0 / load_steps, largest=1.0 / load_steps)
    found = [float(x) for x in run.memory.log[: int(run.memory.counts[driver.LOG]) + 1]]
    last = max(k for k, residual in enumerate(found) if residual > 1e-7)
    assert found[last + 1] < max(1e3 * found[last] ** 2, 1e-10)
    assert found[-1] < 1e-10
