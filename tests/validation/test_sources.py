"""Experiments of Mueller and Terze 2013, and of chains of prisms by Gauss-Legendre.

Source of the figures: axes of the figures of the paper. Curves: see data/README.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from examples.experiments.source_models import (
    box_top,
    chain,
    double_pendulum,
    floating_bodies,
    three_bar,
)
from tests.property.integrators import momenta
from tests.validation.dynamics import reference

STEP = 1e-3


def pivot_gap(motion: fl.Results, name: str, arm: Any, place: Any) -> Any:
    """(n,) distance of a point of a body, in its axes, from a place."""
    point = motion.positions(name) + motion.rotations(name) @ np.asarray(arm)
    return np.linalg.norm(point - np.asarray(place), axis=1)


def along(motion: fl.Results, name: str, curve: str, columns: slice) -> float:
    """Largest distance of a body from a reference curve."""
    times, values = reference(curve)
    known = times <= motion.times[-1] + 1e-9
    rows = [motion.index_at(time) for time in times[known]]
    assert np.abs(motion.times[rows] - times[known]).max() < 1e-9
    away = motion.positions(name)[rows] - values[known, columns]
    return float(np.abs(away).max())


@pytest.mark.slow
def test_box_top_on_se3_stays_on_its_pivot_to_rounding() -> None:
    motion = fl.MuntheKaas().solve(
        box_top().build(), duration=10.0, time_step=STEP, output=fl.Output(every=10)
    )
    energy = motion.energy.total
    assert energy[0] == pytest.approx(13972.398950622206, rel=1e-14)
    drift = np.abs(energy - energy[0]).max()
    assert pivot_gap(motion, "top", (-0.5, 0, 0), (0, 0, 0)).max() < 5e-14
    assert along(motion, "top", "seed_heavytop", slice(3, 6)) < 2.5e-5
    # with the pivot in place the method is Runge-Kutta on Euler's equations about it,
    # which alone tell the drift; the axis of figure 3a ends at 6e-4 J
    assert drift == pytest.approx(drift_of_eulers_equations(), rel=1e-3)
    assert drift < 10 * 6e-4


def drift_of_eulers_equations() -> float:
    """Energy drift [J] of the classical method on the top's angular velocity alone."""
    inertia = np.array([0.36, 0.306 + 21.6 * 0.25, 0.09 + 21.6 * 0.25])

    def rate(w: Any) -> Any:
        return -np.cross(w, inertia * w) / inertia

    w = np.array([0.0, 20.0 * np.pi, 10.0 * np.pi])
    start = 0.5 * w @ (inertia * w)
    worst = 0.0
    for step in range(1, 10001):
        first = rate(w)
        second = rate(w + 0.5 * STEP * first)
        third = rate(w + 0.5 * STEP * second)
        fourth = rate(w + STEP * third)
        w = w + STEP / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
        if step % 10 == 0:
            worst = max(worst, abs(0.5 * w @ (inertia * w) - start))
    return float(worst)


@pytest.mark.slow
def test_box_top_on_so3_r3_drifts_as_in_the_source() -> None:
    motion = fl.MuntheKaas().solve(
        box_top(fl.SO3_R3).build(),
        duration=10.0,
        time_step=STEP,
        output=fl.Output(every=10),
    )
    gap = pivot_gap(motion, "top", (-0.5, 0, 0), (0, 0, 0)).max()
    # the axes of figures 2b and 3b end at 3e-5 m and 5e-3 J
    assert 1e-6 < gap < 6e-5
    assert np.abs(motion.energy.total - motion.energy.total[0]).max() < 1e-2


@pytest.mark.slow
def test_box_top_converges_with_order_four_along_its_curve() -> None:
    errors = []
    for step in (1e-3, 5e-4):
        motion = fl.MuntheKaas().solve(box_top().build(), duration=0.1, time_step=step)
        errors.append(along(motion, "top", "seed_heavytop", slice(3, 6)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("group", [fl.SE3, fl.SO3_R3], ids=lambda g: g.value)
def test_double_pendulum_follows_its_curve_for_a_second(group: Any) -> None:
    solver = fl.MuntheKaas(tableau=fl.RungeKutta.FEHLBERG_8)
    motion = solver.solve(double_pendulum(group).build(), duration=1.0, time_step=STEP)
    assert motion.energy.total[0] == pytest.approx(95.07388233297829, rel=1e-13)
    for name, columns in (("link 1", slice(0, 3)), ("link 2", slice(3, 6))):
        assert along(motion, name, "seed_dpend", columns) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("group", [fl.SE3, fl.SO3_R3], ids=lambda g: g.value)
def test_double_pendulum_drifts_as_in_the_source(group: Any) -> None:
    motion = fl.MuntheKaas().solve(
        double_pendulum(group).build(),
        duration=5.0,
        time_step=STEP,
        output=fl.Output(every=5),
    )
    shoulder = pivot_gap(motion, "link 1", (-0.1, 0, 0), (0, 0, 0)).max()
    tips = [
        motion.positions(name) + motion.rotations(name) @ np.array([x, 0.0, 0.0])
        for name, x in (("link 1", 0.1), ("link 2", -0.1))
    ]
    elbow = np.abs(tips[0] - tips[1]).max()
    # axes of figures 5 to 7: 2e-15 or 4e-5 m, 4e-5 or 1e-3 m, 2e-2 J; the source says
    # neither mass nor gravity
    if group is fl.SE3:
        assert shoulder < 1e-13
        assert 1e-8 < elbow < 1e-3
    else:
        assert 1e-8 < shoulder < 2e-4
        assert 1e-8 < elbow < 1e-3
    assert np.abs(motion.energy.total - motion.energy.total[0]).max() < 2e-1


@pytest.mark.slow
@pytest.mark.parametrize("group", [fl.SE3, fl.SO3_R3], ids=lambda g: g.value)
def test_floating_bodies_follow_their_curve_and_keep_their_momenta(
    group: Any,
) -> None:
    system = floating_bodies(group).build()
    motion = fl.MuntheKaas().solve(
        system, duration=10.0, time_step=STEP, output=fl.Output(every=50)
    )
    assert motion.energy.total[0] == pytest.approx(0.8907529014, rel=1e-9)
    first, last = (momenta(motion, system, row) for row in (0, -1))
    assert first[:3] == pytest.approx(np.zeros(3), abs=1e-15)
    spin = 2.0 * np.pi - 10.0
    # m x_1 v_1 + m x_2 v_2 + J (w_1 + w_2) about z; about x and y J w_2 and half of it
    about_z = -2.7 * 0.2 * (-0.05 * spin) + 0.01125 * spin
    assert first[3:] == pytest.approx([0.0028125, -0.0365625, about_z], abs=1e-15)
    assert last == pytest.approx(first, abs=1e-7)
    solver = fl.MuntheKaas(tableau=fl.RungeKutta.FEHLBERG_8)
    exact = solver.solve(system, duration=10.0, time_step=2e-3)
    for name, columns in (("link 1", slice(0, 3)), ("link 2", slice(3, 6))):
        assert along(motion, name, "seed_floating", columns) < 1e-3
        assert along(exact, name, "seed_floating", columns) < 1e-7
    # the axes of figures 9 and 10 end at 3e-7 m and 1.2e-7 J
    assert motion.summary["constraint_error"] * system.size < 3e-7
    assert np.abs(motion.energy.total - motion.energy.total[0]).max() < 2.4e-7


@pytest.mark.slow
@pytest.mark.parametrize(
    "solver",
    [fl.MuntheKaas(), fl.GeneralizedAlpha(), fl.Rattle()],
    ids=["MK", "A", "R"],
)
def test_loop_stays_closed_as_the_group_says(solver: Any) -> None:
    """Figures 12 to 14: joints to the ground to rounding on SE(3), 1e-5 m else."""
    half = 0.5 * np.hypot(0.1, 0.15)
    gaps = {}
    for group in (fl.SE3, fl.SO3_R3):
        motion = solver.solve(
            three_bar(group).build(),
            duration=10.0,
            time_step=STEP,
            output=fl.Output(every=20),
        )
        gaps[group] = [
            pivot_gap(motion, "link 1", (-0.1, 0, 0), (0, 0, 0)).max(),
            pivot_gap(motion, "link 2", (half, 0, 0), (0.3, 0.15, 0)).max(),
        ]
        energy = motion.energy.total
        assert np.abs(energy - energy[0]).max() < 2.5e-3
    if isinstance(solver, fl.MuntheKaas):
        assert max(gaps[fl.SE3]) < 1e-12
        assert 1e-12 < max(gaps[fl.SO3_R3]) < 1e-5
    else:
        assert max(max(gap) for gap in gaps.values()) < 1e-12


def plane_angles(motion: fl.Results, n: int) -> Any:
    """(n_times, n) angles of the links about x from the vertical."""
    turns = [motion.rotations(f"link {k + 1}")[:, :, 2] for k in range(n)]
    return np.stack([np.arctan2(-a[:, 1], a[:, 2]) for a in turns], axis=1)


@pytest.mark.slow
def test_double_pendulum_of_prisms_follows_its_curve() -> None:
    solver = fl.GaussLegendre(stages=3, form=fl.RotationForm.AMBIENT)
    motion = solver.solve(chain(2).build(), duration=10.0, time_step=0.01)
    times, values = reference("thesis_double")
    rows = [motion.index_at(time) for time in times]
    angles = plane_angles(motion, 2)[rows]
    # the source says 1e-12 between its two solutions; the curve has 12 digits
    assert np.abs(angles[:, 0] - values[:, 0]).max() < 2e-11
    assert np.abs(angles[:, 1] - angles[:, 0] - values[:, 1]).max() < 2e-11


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 4])
def test_small_swings_keep_energy_and_unit_length(n: int) -> None:
    solver = fl.GaussLegendre(stages=3, form=fl.RotationForm.AMBIENT)
    motion = solver.solve(chain(n).build(), duration=10.0, time_step=0.01)
    total = motion.energy.total
    swing = np.ptp(motion.energy.kinetic)
    assert np.abs(total - total[0]).max() < 1e-12 * max(abs(total[0]), swing)
    lengths = np.linalg.norm(motion.records.poses[:, 1:, 3:], axis=-1)
    assert np.abs(lengths - 1.0).max() < 1e-14


@pytest.mark.slow
def test_single_pendulum_of_a_prism_is_where_theory_says() -> None:
    solver = fl.GaussLegendre(stages=3)
    motion = solver.solve(chain(1).build(), duration=10.0, time_step=0.01)
    # 12 digits of an independent solution of 66.8333 d2t/dt2 = -490.5 sin(t)
    assert plane_angles(motion, 1)[-1, 0] == pytest.approx(-0.036205490167, abs=2e-12)


@pytest.mark.slow
@pytest.mark.long
def test_rattle_has_no_energy_trend_over_a_million_steps() -> None:
    motion = fl.Rattle().solve(
        chain(2, 0.6, relative=0.5).build(),
        duration=1e4,
        time_step=0.01,
        output=fl.Output(every=500),
    )
    energy = motion.energy.total
    assert motion.summary["steps"] == 1_000_000
    fifth = len(energy) // 5
    means = [energy[k * fifth : (k + 1) * fifth].mean() for k in range(5)]
    spread = np.ptp(energy)
    assert spread < 1e-2 * np.ptp(motion.energy.kinetic)
    assert np.ptp(means) < 0.05 * spread
    assert motion.summary["constraint_error"] < 1e-13
