"""Every linear solver leads to the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.linear import analysis, fronts

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
CELLS = (3, 2, 3) if IS_COMPILED else (1, 1, 1)


def lattice(strain=None):
    """A lattice on the floor, pulled by a moving grip (rows) or by a force."""
    model = fl.Model(fl.cubic_lattice(CELLS, cell_size=0.01))
    section = fl.CircularSection(radius=5e-4, material=STEEL)
    model.add(fl.Beam("rods", cells="struts", section=section))
    model.add(fl.Support("floor", at="bottom"))
    if strain is None:
        model.add(fl.Force("push", at="top", force=(0.3, 0.1, -0.2)))
    else:
        pull = (0.1 * strain * CELLS[2] * 0.01, 0.0, strain * CELLS[2] * 0.01)
        model.add(fl.Support("grip", at="top", displacement=pull))
    return model.build()


@pytest.fixture(params=[False, True], ids=["fresh factors", "old factors"])
def fronts_for_all(monkeypatch, request):
    monkeypatch.setattr(analysis, "FEW_LOOPS", -np.inf)
    monkeypatch.setattr(analysis, "LEAST_FLOPS", 0.0)
    if request.param:
        monkeypatch.setattr(fronts, "FLOPS_PER_ENTRY", 1e-2)


@pytest.mark.usefixtures("fronts_for_all")
@pytest.mark.parametrize("strain", [None, 0.1, -0.005])
def test_static_analysis_with_fronts_is_that_with_frozen_pivots(strain, monkeypatch):
    found = fl.Static().solve(lattice(strain))
    assert found.summary["linear_solver"].startswith("multifrontal")
    monkeypatch.setattr(analysis, "FEW_LOOPS", np.inf)
    plain = fl.Static().solve(lattice(strain))
    assert plain.summary["linear_solver"] == "frozen-pivot sparse LU"
    assert found.positions("rods") == pytest.approx(plain.positions("rods"), abs=1e-10)
    forces = plain.section_forces("rods")
    difference = np.abs(found.section_forces("rods") - forces).max()
    assert difference < 1e-7 * np.abs(forces).max()


@pytest.mark.usefixtures("fronts_for_all")
def test_motion_with_fronts_is_that_with_frozen_pivots(monkeypatch):
    settings = {"duration": 2e-3, "time_step": 1e-4}
    found = fl.GeneralizedAlpha().solve(lattice(), **settings)
    assert found.summary["linear_solver"].startswith("multifrontal")
    monkeypatch.setattr(analysis, "FEW_LOOPS", np.inf)
    plain = fl.GeneralizedAlpha().solve(lattice(), **settings)
    assert found.positions("rods") == pytest.approx(plain.positions("rods"), abs=1e-10)


@pytest.mark.usefixtures("fronts_for_all")
def test_two_runs_with_fronts_agree_to_the_last_bit():
    runs = [fl.Static().solve(lattice(0.05)).records.poses for _ in range(2)]
    assert np.array_equal(runs[0], runs[1])


@pytest.mark.slow
def test_lattice_of_ten_thousand_struts_is_stretched_and_compressed():
    """Uniform struts along z carry N = E A ln(1 + strain), clamped at both ends."""
    mesh = fl.cubic_lattice((36, 13, 6), cell_size=0.01)
    for strain in (0.1, -0.005):
        model = fl.Model(mesh)
        section = fl.CircularSection(radius=5e-4, material=STEEL)
        model.add(fl.Beam("rods", cells="struts", section=section))
        model.add(fl.Support("floor", at="bottom"))
        model.add(fl.Support("grip", at="top", displacement=(0, 0, 0.06 * strain)))
        results = fl.Static().solve(model.build())
        assert results.summary["linear_solver"] == "multifrontal LDL^T"
        pull = np.sum(results.reactions("floor")[-1, :, 2])
        # engineering strain of the element: d = (length - rest length) / rest length
        stiffness = 210e9 * np.pi * 5e-4**2 * 37 * 14
        assert pull == pytest.approx(-stiffness * strain, rel=1e-6)
