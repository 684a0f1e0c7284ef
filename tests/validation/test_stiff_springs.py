"""Stiff steel structures at steps of a hundredth of a second.

Known faults of an explicit rod program: a helix, and steel rods, go to NaN unless the
step is tiny.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import GRAVITY, run

STEEL = fl.Material(young=2.1e11, poisson=0.3, density=7850.0)
LOAD = 0.2


def helix_spring(repository: Path, load: float = 0.0) -> fl.Model:
    """Five coils of 2 mm wire that hang from their top."""
    model = fl.Model(repository / "meshes" / "helix_spring.msh")
    model.add(
        fl.Beam(
            "spring",
            cells="wire",
            section=fl.CircularSection(radius=1e-3, material=STEEL),
        )
    )
    model.add(fl.Support("hook", at="top"))
    if load:
        model.add(fl.PointMass("load", at="bottom", mass=load))
    model.add(fl.Gravity("weight"))
    return model


@functools.cache
def bounce(repository: Path, load: float, step: float, radius: float) -> fl.Results:
    return run(
        helix_spring(repository, load),
        duration=1.0,
        time_step=step,
        spectral_radius=radius,
    )


@pytest.mark.parametrize("radius", [0.7, 0.9, 1.0])
@pytest.mark.parametrize("load", [0.0, LOAD])
def test_helix_bounces_at_a_hundredth_of_a_second(
    repository: Path, load: float, radius: float
) -> None:
    result = bounce(repository, load, 1e-2, radius)
    assert np.isfinite(result.records.poses).all()
    total = result.energy.total
    # let go at rest: what it gains it had as height; waves in the wire are dissipated
    strain = result.energy.strain.max()
    assert total.max() - total[0] < 0.02 * strain
    assert total[-1] > total[0] - 0.5 * strain


@pytest.mark.parametrize("radius", [0.9, 1.0])
def test_bouncing_helix_follows_its_motion_at_small_steps(
    repository: Path, radius: float
) -> None:
    coarse = bounce(repository, LOAD, 1e-2, radius).displacements("bottom")
    fine = bounce(repository, LOAD, 1e-3, radius).displacements("bottom")
    # the period of 0.13 s has 13 steps: the phase is off by 2 % after one of them
    size = np.abs(fine[:, 2]).max()
    np.testing.assert_allclose(coarse[:13, 2], fine[:130:10, 2], atol=0.05 * size)


def test_bounce_is_twice_the_static_sag(repository: Path) -> None:
    static = fl.Static().solve(helix_spring(repository, LOAD).build())
    sag = static.displacements("bottom")[-1, 2]
    # axial rate near G d^4 / (8 D^3 n) = 505 N/m; the load at the rim tilts the spring
    assert sag < -LOAD * GRAVITY / 505.0
    lowest = bounce(repository, LOAD, 1e-3, 0.9).displacements("bottom")[:, 2].min()
    # one degree of freedom would go to twice the sag, several share the energy
    assert 1.5 * sag > lowest > 2.2 * sag


def steel_cantilever(force: float) -> fl.Model:
    mesh = fl.straight_line(
        (0, 0, 0), (3, 0, 0), n_elements=20, name="line", start_name="wall",
        end_name="tip",
    )  # fmt: skip
    model = fl.Model(mesh)
    model.add(
        fl.Beam(
            "rod", cells="line", section=fl.CircularSection(radius=0.02, material=STEEL)
        )
    )
    model.add(fl.Support("clamp", at="wall"))
    ramp = fl.Table(times=(0.0, 1.0, 100.0), values=(0.0, 1.0, 1.0))
    model.add(fl.Force("push", at="tip", force=(0, 0, -force), over_time=ramp))
    return model


def test_steel_cantilever_sags_as_euler_and_bernoulli_say() -> None:
    force = 10.0
    expected = force * 3.0**3 / (3.0 * 2.1e11 * 0.25 * np.pi * 0.02**4)
    static = fl.Static().solve(steel_cantilever(force).build())
    # mesh 1/(4 n^2) = 6e-4, shear (r/L)^2 = 1e-4, large displacement 1e-6
    assert -static.displacements("tip")[-1, 2] == pytest.approx(expected, rel=2e-3)
    moving = run(steel_cantilever(force), duration=2.0, time_step=1e-2)
    late = -moving.displacements("tip")[moving.times > 1.0, 2]
    # first mode of 4 Hz, excited by the ramp's kinks: 2 / (omega T) of the sag
    assert late.mean() == pytest.approx(expected, rel=0.02)
    assert np.abs(late - expected).max() < 0.1 * expected


@pytest.mark.parametrize("step", [1e-2, 5e-2])
def test_load_beyond_reason_is_solved_or_refused_but_never_nan(step: float) -> None:
    try:
        result = run(steel_cantilever(1e6), duration=1.0, time_step=step)
    except fl.ConvergenceError as error:
        result = error.results
    assert np.isfinite(result.records.poses).all()
