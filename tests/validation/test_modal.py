"""Natural frequencies against closed forms."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main
from femlie.linear import modes
from tests.validation.models import line, rod, section

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
RADIUS, LENGTH = 1e-3, 1.0
ROUND = fl.CircularSection(radius=RADIUS, material=STEEL)
AREA, BENDING = np.pi * RADIUS**2, 210e9 * np.pi * RADIUS**4 / 4.0
LINE_MASS = 7850.0 * AREA
# bending wave of a slender beam: frequency = root^2 times this [Hz]
UNIT = np.sqrt(BENDING / LINE_MASS) / (2.0 * np.pi * LENGTH**2)
# roots of cos x cosh x = -1 (cantilever) and = 1 (free at both ends): Blevins 1979,
# table 8-1
CANTILEVER = np.array([1.87510407, 4.69409113, 7.85475744])
FREE = np.array([4.73004074, 7.85320462, 10.9956079])


def straight(n_elements, **options):
    return rod(line((0, 0, 0), (LENGTH, 0, 0), n_elements), ROUND, **options)


def cantilever(n_elements):
    model = straight(n_elements)
    model.add(fl.Support("wall", at="root"))
    return model


def frequencies(model, n_modes=6, **options):
    return fl.Modal(n_modes=n_modes, **options).solve(model.build()).frequencies


@pytest.mark.parametrize(
    ("exact", "is_free"),
    [(CANTILEVER, False), (FREE, True)],
    ids=["cantilever", "free"],
)
def test_bending_frequencies_of_a_beam_converge_with_the_square_of_the_element(
    exact, is_free
):
    sizes = np.array([10, 20, 40])
    errors = []
    for n in sizes:
        model = straight(n) if is_free else cantilever(n)
        found = frequencies(model, 12)
        bending = found[6 * is_free :: 2][: exact.size]
        # both planes have the same frequencies
        assert found[6 * is_free + 1 :: 2][: exact.size] == pytest.approx(
            bending, rel=1e-6
        )
        errors.append(np.abs(bending / (UNIT * exact**2) - 1.0))
    errors = np.array(errors)
    # shear and rotary inertia of the real rod: some (radius / length)^2
    assert np.all(errors[-1] < 6e-3)
    slopes = np.log2(errors[:-1] / errors[1:])
    assert np.all(np.abs(slopes[:, :3] - 2.0) < 0.2)


def test_free_beam_has_six_rigid_motions_of_no_frequency():
    found = frequencies(straight(12), 8)
    assert np.abs(found[:6]).max() < 1e-3 * found[6]


def test_first_mode_of_a_cantilever_moves_its_share_of_the_mass():
    """61.3 % of the mass in the first mode across, 18.8 % in the second."""
    results = fl.Modal(n_modes=4).solve(cantilever(40).build())
    total = LINE_MASS * LENGTH
    across = np.array(results.summary["effective_masses"])[:, 1:].sum(axis=1) / total
    assert across == pytest.approx([0.6131, 0.6131, 0.1883, 0.1883], abs=2e-3)


def test_shapes_stand_in_the_rows_of_the_results():
    results = fl.Modal(n_modes=2).solve(cantilever(20).build())
    moved = results.displacements("tip")
    assert moved.shape == (3, 3)
    assert np.abs(moved[0]).max() == 0.0
    assert np.abs(moved[1:]).max(axis=1) == pytest.approx(0.1, rel=0.02)
    assert list(results.times) == [0.0, 1.0, 2.0]


def test_string_is_tuned_by_its_tension():
    """f_n = n / (2 L) sqrt(T / m) sqrt(1 + n^2 pi^2 E I / (T L^2)): a stiff string."""
    strain = 1e-3
    tension = 210e9 * AREA * strain
    held = [True, True, True, True, False, False]
    model = straight(80, rest_strain=(-strain, 0, 0, 0, 0, 0))
    model.add(fl.Support("root", at="root", kind=fl.CUSTOM, held=tuple(held)))
    model.add(fl.Support("tip", at="tip", kind=fl.PINNED))
    found = frequencies(model, 6, at_equilibrium=True)[::2]
    n = np.arange(1, 4)
    stiff = np.sqrt(1.0 + n**2 * np.pi**2 * BENDING / (tension * LENGTH**2))
    exact = n / (2.0 * LENGTH) * np.sqrt(tension / LINE_MASS) * stiff
    assert found == pytest.approx(exact, rel=3e-3)


def pendulum(n_hinges):
    model = fl.Model()
    inertia = (0.02, 0.03, 0.04)
    model.add(fl.Body("bob", mass=2.0, inertia=inertia, position=(0, 0, -0.5)))
    for k in range(n_hinges):
        model.add(
            fl.Joint(
                f"hinge {k}", fl.REVOLUTE, parent=fl.GROUND, child="bob",
                axis=(0, 1, 0), position=(0.0, 0.3 * k, 0.0),
            )
        )  # fmt: skip
    model.add(fl.Gravity("gravity", acceleration=(0, 0, -9.81)))
    return model


@pytest.mark.parametrize("n_hinges", [1, 2])
def test_pendulum_swings_as_one_hinge_or_two_in_line_let_it(n_hinges):
    """f = sqrt(m g d / (I + m d^2)) / (2 pi), however redundant the hinges."""
    found = frequencies(pendulum(n_hinges), 1, at_equilibrium=True)
    exact = np.sqrt(2.0 * 9.81 * 0.5 / (0.03 + 2.0 * 0.25)) / (2.0 * np.pi)
    assert found == pytest.approx([exact], rel=1e-9)


def test_model_with_fewer_modes_than_asked_for_says_so():
    results = fl.Modal(n_modes=6).solve(pendulum(1).build())
    assert len(results.frequencies) == 1
    assert "1 modes" in results.warnings[-1]


def test_lanczos_finds_what_dense_matrices_give(monkeypatch):
    model = cantilever(30)
    model.add(
        fl.Joint(
            "slide", fl.POINT_ON_PLANE, parent=fl.GROUND, child="tip", axis=(0, 0, 1)
        )
    )
    expected = frequencies(model, 6)
    monkeypatch.setattr(modes, "LARGEST_DENSE", 0)
    assert frequencies(model, 6) == pytest.approx(expected, rel=1e-7)
    assert np.array_equal(frequencies(model, 6), frequencies(model, 6))


def test_velocities_of_the_start_do_not_count():
    system = cantilever(10).build()
    spinning = dataclasses.replace(
        system.state, velocities=np.ones_like(system.state.velocities)
    )
    resting = fl.Modal(n_modes=4).solve(system).frequencies
    found = fl.Modal(n_modes=4).solve(system, start=spinning).frequencies
    assert np.array_equal(found, resting)


def test_model_without_mass_is_refused_with_the_reason():
    model = rod(line((0, 0, 0), (1, 0, 0), 4), section(1e4, 1e4, 1.0, 1.0))
    model.add(fl.Support("wall", at="root"))
    with pytest.raises(fl.ModelError, match="mass"):
        fl.Modal().solve(model.build())


def test_results_of_another_analysis_have_no_frequencies():
    results = fl.Static().solve(cantilever(2).build())
    with pytest.raises(fl.ResultsError, match="modal"):
        _ = results.frequencies


def test_modal_analysis_runs_from_a_file(tmp_path):
    text = """
mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 20 }
material.steel = { young = 210e9, poisson = 0.3, density = 7850.0 }
section.round = { shape = "circle", radius = 1e-3, material = "steel" }
beam.rod = { cells = "line", section = "round" }
support.wall = { at = "start" }
[analysis]
method = "modal"
n_modes = 3
"""
    path = tmp_path / "rod.toml"
    path.write_text(text)
    folder = tmp_path / "out"
    assert main(["run", str(path), "-o", str(folder), "--quiet"]) == 0
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["analysis"] == "modal"
    first = UNIT * CANTILEVER[0] ** 2
    assert summary["frequencies"][0] == pytest.approx(first, rel=5e-3)
    assert len(fl.load_results(folder / "results.h5").frequencies) == 3
