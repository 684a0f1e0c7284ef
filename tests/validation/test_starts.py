"""Starts that break a joint are named or mended; right ones begin without a spike."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import GRAVITY, run

MASS, LENGTH = 2.0, 1.0
SLENDER = (1e-3, MASS * LENGTH**2 / 12.0, MASS * LENGTH**2 / 12.0)
WEIGHT = MASS * GRAVITY


def level_rod(velocity: tuple[float, float, float] | None = None) -> fl.Model:
    """Uniform rod, level, on a hinge at its end."""
    model = fl.Model()
    model.add(
        fl.Body("rod", position=(LENGTH / 2.0, 0.0, 0.0), mass=MASS, inertia=SLENDER)
    )
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="rod",
            axis=(0.0, 1.0, 0.0),
            position=(0.0, 0.0, 0.0),
        )
    )
    model.add(fl.Gravity("weight"))
    if velocity is not None:
        model.add(fl.InitialMotion("kick", velocity=velocity))
    return model


def two_rods(gap: float) -> fl.Model:
    """A second rod on the first one's end, placed off its hinge by a gap."""
    model = level_rod()
    model.add(
        fl.Body("arm", position=(1.5 * LENGTH, 0.0, 0.0), mass=MASS, inertia=SLENDER)
    )
    model.add(
        fl.Joint(
            "elbow",
            fl.REVOLUTE,
            parent="rod",
            child="arm",
            axis=(0.0, 1.0, 0.0),
            position=(LENGTH, 0.0, 0.0),
            child_position=(LENGTH + gap, 0.0, 0.0),
        )
    )
    return model


def test_joint_that_is_off_is_named_with_its_gap() -> None:
    with pytest.raises(fl.ModelError, match=r"joint 'elbow'.* 0\.001 "):
        run(two_rods(1e-3), duration=0.1, time_step=1e-3)


def test_projected_start_closes_the_gap_and_says_so() -> None:
    result = run(two_rods(1e-3), duration=0.1, time_step=1e-3, projects_start=True)
    rod, arm = result.positions("rod")[0], result.positions("arm")[0]
    # the rod cannot move along itself, so that the arm comes by the whole gap
    np.testing.assert_allclose(rod, [LENGTH / 2.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(arm, [1.5 * LENGTH - 1e-3, 0.0, 0.0], atol=1e-12)
    assert any("elbow" in text and "moved" in text for text in result.warnings)


def test_start_without_a_gap_says_nothing() -> None:
    assert run(two_rods(0.0), duration=0.01, time_step=1e-3).warnings == ()


def test_start_speed_along_the_link_is_named() -> None:
    with pytest.raises(fl.ModelError, match=r"joint 'hinge'.*velocities"):
        run(level_rod((1.0, 0.0, 0.0)), duration=0.1, time_step=1e-3)


def test_projected_start_takes_the_speed_along_the_link_away() -> None:
    # (1, 0, 0) goes; (0, 0, 1) of the mass center becomes the turn of the same impulse
    # about the hinge: omega = m v L/2 / (m L^2/3) = 1.5 v / L, and 3/4 v at the center
    model = level_rod((1.0, 0.0, 1.0))
    result = run(model, duration=0.01, time_step=1e-3, projects_start=True)
    np.testing.assert_allclose(
        result.velocities("rod")[0], [0.0, 0.0, 0.75, 0.0, -1.5, 0.0], atol=1e-3
    )
    assert any("hinge" in text for text in result.warnings)


@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_first_reaction_of_a_level_rod_is_a_quarter_of_its_weight(step: float) -> None:
    result = run(level_rod(), duration=10.0 * step, time_step=step)
    vertical = result.reactions("hinge")[:, 2]
    assert vertical[0] == pytest.approx(WEIGHT / 4.0, rel=1e-9)
    # later V = m g (1/4 + 9/4 sin^2) at the angle reached, smooth from the first step
    center = result.positions("rod")
    sine = -center[:, 2] / (LENGTH / 2.0)
    expected = WEIGHT * (1.0 + 9.0 * sine**2) / 4.0
    np.testing.assert_allclose(vertical, expected, rtol=0.0, atol=2e-3 * WEIGHT)


def steel_rod(n_elements: int, young: float) -> fl.Model:
    mesh = fl.straight_line(
        (0, 0, 0), (LENGTH, 0, 0), n_elements=n_elements, name="line",
        start_name="root", end_name="tip",
    )  # fmt: skip
    steel = fl.Material(young=young, poisson=0.3, density=7850.0)
    model = fl.Model(mesh)
    model.add(
        fl.Beam(
            "rod", cells="line", section=fl.CircularSection(radius=0.01, material=steel)
        )
    )
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="root",
            axis=(0.0, 1.0, 0.0),
        )
    )
    model.add(fl.Gravity("weight"))
    return model


def test_reaction_of_one_beam_swings_about_that_of_a_rigid_rod() -> None:
    # its one bending mode has a period near 13 ms: 0.16 s average it to 2 %
    result = run(steel_rod(1, 2.1e11), duration=0.16, time_step=2e-4)
    weight = 7850.0 * np.pi * 1e-4 * LENGTH * GRAVITY
    vertical = result.reactions("hinge")[:, 2] / weight
    turned = 0.75 * GRAVITY / LENGTH * result.times**2
    rigid = (1.0 + 9.0 * np.sin(turned) ** 2) / 4.0
    assert vertical.mean() == pytest.approx(rigid.mean(), rel=2e-2)
    assert np.all((vertical > 0.0) & (vertical < 0.5))


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-4])
def test_elastic_rod_starts_without_a_spike(step: float) -> None:
    result = run(steel_rod(10, 2.1e11), duration=20.0 * step, time_step=step)
    weight = 7850.0 * np.pi * 1e-4 * LENGTH * GRAVITY
    vertical = result.reactions("hinge")[:10, 2] / weight
    # free of stress at first, then it swings about 1/4: never beyond twice that, nor
    # below zero
    assert np.all((vertical > 0.0) & (vertical < 0.5 + 1e-2))
