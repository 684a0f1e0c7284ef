"""Contact of rods against closed forms and published tables (cases D1 to D6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.contact import _layout as layout
from femlie.contact import lists, points
from femlie.solvers import _static_driver as driver
from femlie.solvers import contact as contact_run
from femlie.solvers.static_run import StaticRun
from tests.validation import contact_models as models

CROSSING = [  # load, approach of the supports (geometrically exact)
    (10.0, 1.221563564e-2),
    (50.0, 3.700081666e-2),
    (200.0, 7.068214947e-2),
]
QUICK = fl.Static(checks_stability=False)


@pytest.mark.parametrize(("load", "down"), CROSSING)
def test_crossing_rods_press_as_the_exact_solution(load: float, down: float) -> None:
    """D1, point form; 2 % at the largest load, where the mesh is coarse for it."""
    tolerance = 0.01 if load <= 50.0 else 0.02
    results = QUICK.solve(models.crossing(20, down), load_steps=4)
    assert results.contact.total("touch")[-1, 2] == pytest.approx(load, rel=tolerance)
    assert abs(results.contact.smallest_gap("touch")[-1]) < 1e-10 * models.RADIUS


def test_crossing_rods_press_to_0_2_percent_on_a_fine_mesh() -> None:
    load, down = CROSSING[0]
    results = QUICK.solve(models.crossing(60, down), load_steps=2)
    assert results.contact.total("touch")[-1, 2] == pytest.approx(load, rel=0.002)


@pytest.mark.parametrize(("share", "force"), [(0.5, 1.25), (0.75, 0.75), (1.0, 0.5)])
def test_shorter_cantilever_is_pressed_at_its_tip(share: float, force: float) -> None:
    """D2; the shorter rod is the slave."""
    results = QUICK.solve(models.stacked_tips(20, share=share))
    found = results.contact.total_size("touch")[-1] / 1e-3
    assert found == pytest.approx(force, rel=0.005)
    ends = results.contact.pressures("lower")[-1]
    assert ends[-1, 1] > 0.99 * ends.max()


@pytest.mark.parametrize("n", [20, 40, 80, 160])
def test_stacked_cantilevers_need_few_iterations_on_any_mesh(n: int) -> None:
    results = QUICK.solve(models.stacked_tips(n))
    assert results.summary["iterations"] <= 15
    assert results.summary["refused_steps"] == 0


def test_equal_cantilevers_share_the_load() -> None:
    """Each carries half: pressure q/2, deflection that of one under q/2."""
    load = 1e-3
    results = QUICK.solve(models.stacked(40, 40, load))
    inner = results.contact.pressures("upper")[-1, 8:32, 0] / (0.5 * load)
    assert np.std(inner) < 0.02
    assert np.mean(inner) == pytest.approx(1.0, abs=0.01)
    tip = results.displacements("u_1")[-1, 2]
    assert tip == pytest.approx(-0.5 * load / (8.0 * models.BENDING), rel=0.002)


@pytest.mark.parametrize("sizes", [(20, 40), (40, 20), (20, 10), (80, 20)])
def test_pressure_does_not_alternate_on_meshes_that_differ(sizes: Any) -> None:
    load = 1e-3
    results = QUICK.solve(models.stacked(*sizes, load))
    slave = "upper" if sizes[0] <= sizes[1] else "lower"
    found = results.contact.pressures(slave)[-1, :, 0] / (0.5 * load)
    # away from the clamp and from the tip
    n = found.size
    assert np.all(np.abs(found[n // 2 : n - 2] - 1.0) < 0.15)


def test_heavy_beam_touches_down_at_the_right_place() -> None:
    """D3: reactions of a beam whose free length is (72 EI h / q)^(1/4)."""
    height, free = 1e-4, 0.5
    weight = 72.0 * height / free**4
    results = QUICK.solve(models.heavy_beam(40, height, weight))
    wrench = results.reactions("clamp")[-1]
    assert wrench[1] == pytest.approx(2.0 * weight * free / 3.0, rel=0.02)
    assert wrench[5] == pytest.approx(weight * free**2 / 6.0, rel=0.02)
    pressure = results.contact.pressures("beam")[-1, :, 0] / weight
    assert np.all(pressure[:18] == 0.0)
    assert pressure[28:36] == pytest.approx(1.0, abs=0.05)
    # the concentrated force q a / 3 over the element that it stands on
    around = results.contact.forces("beam")[-1, 18:24, 1].sum()
    length = 24 / 40 - free
    assert around == pytest.approx(weight * (free / 3.0 + length), rel=0.1)


@pytest.mark.parametrize(
    ("way", "load"), [(0.3017207738, 1.0), (0.4934574804, 2.0), (0.7137915236, 5.0)]
)
def test_plate_on_a_tip_is_the_elastica(way: float, load: float) -> None:
    """D4a: the tip, a sphere, slides along the plate."""
    results = QUICK.solve(models.plate_on_tip(20, way), load_steps=8)
    assert results.contact.total("touch")[-1, 1] == pytest.approx(-load, rel=0.01)


@pytest.mark.parametrize(
    ("turns", "force"), [(1.3, 0.13608352789), (1.7, 0.38324433730), (2.5, None)]
)
def test_strut_at_a_wall_is_pressed_at_points(
    turns: float, force: float | None
) -> None:
    """D6: one point force, then two of EI k^3 h / (2 pi) with nothing in between."""
    phi, gap = turns * np.pi, 1e-3
    results = QUICK.solve(models.strut_at_wall(40, phi, gap), load_steps=10)
    total = results.contact.total_size("touch")[-1]
    expected = (2.0 * phi) ** 3 * gap / np.pi if force is None else force
    assert total == pytest.approx(expected, rel=0.02)
    pressure = results.contact.pressures("strut")[-1, :, 0]
    touching = np.flatnonzero(pressure > 0.0)
    if force is not None:
        assert touching.size == 1
    else:
        assert np.all(np.abs(pressure[19:22]) < 1e-12 * pressure.max())


def mid_pressure(n: int, turns: float) -> tuple[Any, Any]:
    results = QUICK.solve(models.ply(n, turns), load_steps=round(12 * turns))
    pressure = results.contact.pressures("upper")[-1, :, 0]
    return results, pressure[round(0.4 * n) : round(0.6 * n)]


@pytest.mark.slow
def test_ply_is_a_kirchhoff_helix() -> None:
    """Pressure 894 N/m after two turns: 1 % at 40 elements, 0.2 % extrapolated.

    ``p = T k - t k (M - EI t)`` with curvature k and torsion t of a helix of radius r
    whose turn, force and moment are those of the middle.
    """
    means = []
    for n in (40, 80):
        results, pressure = mid_pressure(n, 2.0)
        assert results.summary["refused_steps"] == 0
        assert np.ptp(pressure) < 0.002 * pressure.mean()
        means.append(pressure.mean())
        force = results.section_forces("upper", at="middle")[-1]
        tension = force[n // 2 - 1 : n // 2 + 1, 0].mean()
        torque = force[n // 2 - 1 : n // 2 + 1, 3].mean()
        way = np.diff(results.positions("a")[-1] - results.positions("b")[-1], axis=0)
        turn = np.linalg.norm(way[n // 2 - 3 : n // 2 + 3], axis=1).mean()
        places = results.positions("a")[-1, n // 2 - 3 : n // 2 + 4, 0]
        rate = 2.0 * np.arcsin(0.25 * turn / models.RADIUS) / np.diff(places).mean()
        square = 1.0 + (models.RADIUS * rate) ** 2
        curvature, torsion = models.RADIUS * rate**2 / square, rate / square
        closed = tension * curvature
        closed -= torsion * curvature * (torque - models.BENDING * torsion)
        assert pressure.mean() == pytest.approx(closed, rel=0.005)
    assert means[0] == pytest.approx(894.0, rel=0.01)
    assert (4.0 * means[1] - means[0]) / 3.0 == pytest.approx(894.0, rel=0.002)


def converged_forces(factor: float, patch: Any) -> list[float]:
    """Forces with the automatic penalty times a factor."""
    solver = fl.Static(checks_stability=False, tolerance=1e-13)
    with models.scaled_penalties(factor, patch):
        point = solver.solve(models.crossing(10, 0.01), load_steps=2)
        along = solver.solve(models.stacked_tips(10))
    return [one.contact.total_size("touch")[-1] for one in (point, along)]


def test_answer_does_not_depend_on_the_penalty(monkeypatch: Any) -> None:
    """Six decades."""
    expected = converged_forces(1.0, monkeypatch)
    for factor in (1e-3, 1e-1, 1e1, 1e3):
        found = converged_forces(factor, monkeypatch)
        assert found == pytest.approx(expected, rel=1e-8)


def residuals_of_last_step(system: Any, load_steps: int) -> list[float]:
    """Relative residuals behind each iteration of the last load step."""
    run = StaticRun(QUICK, system, fl.Output(), None)
    run.march(None, 1.0 / load_steps, largest=1.0 / load_steps)
    n = int(run.memory.counts[driver.LOG])
    return [float(x) for x in run.memory.log[: n + 1]]


WITH_STEPS = {
    "crossing": (models.crossing, (10, 0.02), 2),
    "tips": (models.stacked_tips, (20,), 1),
    "stacked": (models.stacked, (20, 20, 1e-3), 1),
    "heavy beam": (models.heavy_beam, (40, 1e-4, 0.1152), 1),
    "plate": (models.plate_on_tip, (10, 0.5), 8),
    "strut at one point": (models.strut_at_wall, (20, 1.3 * np.pi, 1e-3), 10),
    "strut at two points": (models.strut_at_wall, (20, 2.5 * np.pi, 1e-3), 10),
    "ply": (models.ply, (20, 0.5), 6),
}


@pytest.mark.parametrize("name", WITH_STEPS)
def test_newton_ends_quadratically(name: str) -> None:
    """Once nothing opens or closes any more, errors are squared.

    Looked at from the last residual above 1e-8 on; what follows is rounding.
    """
    make, arguments, load_steps = WITH_STEPS[name]
    found = residuals_of_last_step(make(*arguments), load_steps)
    last = max(k for k, residual in enumerate(found) if residual > 1e-8)
    assert found[last + 1] < 100.0 * found[last] ** 2
    assert found[-1] < 1e-10
    assert len(found) <= last + 4


def test_one_large_step_does_not_pass_through() -> None:
    """The supports move by 3.5 diameters at once."""
    load, down = CROSSING[-1]
    results = QUICK.solve(models.crossing(20, down))
    assert results.summary["refused_steps"] > 0
    assert results.contact.total("touch")[-1, 2] == pytest.approx(load, rel=0.02)


@pytest.mark.parametrize("angle", [5.5, 10.0])
def test_both_forms_agree_where_one_gives_way_to_the_other(
    angle: float, monkeypatch: Any
) -> None:
    forces = []
    for limit in (1e9, -1e9):
        for name in ("SHARP", "SHARP_BEFORE", "SHARP_NEW"):
            monkeypatch.setattr(points, name, limit)
        monkeypatch.setattr(lists, "SHARP_BEFORE", limit)
        results = QUICK.solve(models.crossing(20, 0.0122, angle=angle), load_steps=2)
        forces.append(results.contact.total_size("touch")[-1])
    assert forces[0] == pytest.approx(forces[1], rel=0.01)


def test_forms_are_chosen_by_the_curvature_of_the_gap() -> None:
    for angle, form in ((3.0, layout.LINE), (30.0, layout.POINT)):
        system = models.crossing(20, 0.01, angle=angle)
        run = contact_run.ContactRun(system, system.contact)
        run.at(system.state.poses)
        assert run.contacts is not None
        assert set(run.contacts.forms.values()) == {form}


def test_search_far_ahead_changes_nothing(monkeypatch: Any) -> None:
    poses = []
    for skin in (0.0, 100.0):
        system = models.crossing(10, 0.02, angle=40.0)
        run = contact_run.ContactRun

        def made(
            *base: Any, is_narrow: bool, _skin: float = skin, _run: Any = run
        ) -> Any:
            return _run(*base, skin=_skin, is_narrow=is_narrow)

        with monkeypatch.context() as local:
            local.setattr(contact_run, "ContactRun", made)
            results = QUICK.solve(system, load_steps=4)
        poses.append(results.records.poses[-1])
    np.testing.assert_allclose(poses[0], poses[1], rtol=0, atol=1e-10)


def test_overlap_at_the_start_is_said_and_pressed_out() -> None:
    height = 0.016
    results = QUICK.solve(models.crossing(20, 0.0, height=height), load_steps=4)
    assert "overlap at the start by 0.004 m" in results.warnings[0]
    assert abs(results.contact.smallest_gap("touch")[-1]) < 1e-10
    # as if the supports had come closer by as much
    other = QUICK.solve(models.crossing(20, 0.004), load_steps=4)
    assert results.contact.total("touch")[-1, 2] == pytest.approx(
        other.contact.total("touch")[-1, 2], rel=1e-6
    )


def test_rods_deep_in_each_other_are_refused_by_name() -> None:
    with pytest.raises(fl.ModelError, match=r"'upper'.*overlap.*radii.*move them"):
        QUICK.solve(models.crossing(6, 0.0, height=0.001))


def test_legs_of_one_rod_touch() -> None:
    """Self-contact: the total is that of two cantilevers tip to tip."""
    force, gap = 0.2, 0.002
    results = QUICK.solve(models.hairpin(20, force, gap), load_steps=4)
    assert results.summary["refused_steps"] == 0
    assert results.contact.total_size("touch")[-1] > 0.0
    first, second = results.positions("first")[-1], results.positions("second")[-1]
    assert np.linalg.norm(first - second) >= 2.0 * models.RADIUS * (1.0 - 1e-5)
    moved = results.displacements("first")[-1, 1]
    assert moved == pytest.approx(0.5 * gap, rel=0.01)
    forces = results.contact.forces("rod")[-1].sum(axis=0)
    assert np.abs(forces).max() < 1e-12


def test_model_without_contact_nearby_is_as_without_contact_part() -> None:
    system = models.stacked_tips(10)
    results = QUICK.solve(models.crossing(6, -0.01))
    assert np.all(results.contact.total("touch") == 0.0)
    assert system.contact is not None


def test_balance_and_records_hold_contact(tmp_path: Any) -> None:
    results = QUICK.solve(models.crossing(6, 0.01), load_steps=2)
    assert results.summary["balance"]["error"] < 1e-9
    forces = results.contact.forces("upper")[-1].sum(axis=0)
    np.testing.assert_allclose(forces, results.contact.total("touch")[-1], atol=1e-12)
    opposite = results.contact.forces("lower")[-1].sum(axis=0)
    np.testing.assert_allclose(opposite, -forces, atol=1e-12)
    table = results.to_dataframe("contacts")
    assert list(table["first"]) == ["upper"] * 3
    path = tmp_path / "touch.h5"
    results.save(path)
    again = fl.load_results(path)
    np.testing.assert_array_equal(
        again.contact.total("touch"), results.contact.total("touch")
    )


@pytest.mark.parametrize("aside", [0.0, 0.03])
def test_tip_presses_on_the_side_of_a_rod(aside: float) -> None:
    """All of the load goes through one point; the clamped rod bows as a beam does."""
    results = fl.Static().solve(models.tip_on_rod(20, 1.0, aside))
    np.testing.assert_allclose(
        results.contact.total("touch")[-1], [0.0, 0.0, -1.0], atol=1e-3
    )
    left, right = 0.5 + aside, 0.5 - aside
    bow = (left * right) ** 3 / (3.0 * models.BENDING)
    # shear of a slender rod of this length adds 0.3 %
    moved = -results.displacements("b_0")[-1, 2]
    assert moved == pytest.approx(bow, rel=0.01)


def test_tips_press_on_each_other() -> None:
    results = fl.Static().solve(models.tip_on_tip(1.0))
    stretch = 1.0 / (models.YOUNG * np.pi * models.RADIUS**2)
    assert results.contact.total("touch")[-1, 0] == pytest.approx(-1.0, rel=1e-9)
    assert results.displacements("b_1")[-1, 0] == pytest.approx(-stretch, rel=1e-6)


def test_rope_slides_round_a_drum_without_friction() -> None:
    """D4 with a coefficient of zero: one tension all along, pressure T / (R + r).

    It is contact along a line, for the gap does not change along the rope, although
    the rope crosses the drum at a right angle. Where the rope leaves the drum its
    bending stiffness counts.
    """
    results = QUICK.solve(models.rope_on_drum(60, 10.0), load_steps=4)
    arc = slice(22, 38)
    tension = results.section_forces("rope", at="middle")[-1, arc, 0]
    pressure = results.contact.pressures("rope")[-1, arc, 0]
    assert np.ptp(tension) < 1e-3 * tension.mean()
    assert tension.mean() == pytest.approx(10.0, rel=0.003)
    expected = tension / (models.DRUM + models.ROPE)
    np.testing.assert_allclose(pressure, expected, rtol=0.01)


DEFAULTS = {
    "crossing": (models.crossing, (20, 0.0122), 1),
    "tips": (models.stacked_tips, (40,), 1),
    "stacked": (models.stacked, (20, 80, 1e-3), 1),
    "heavy beam": (models.heavy_beam, (40, 1e-4, 0.1152), 1),
    "strut": (models.strut_at_wall, (20, 1.3 * np.pi, 1e-3), 10),
    "ply": (models.ply, (20, 0.5), 6),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_default_settings_do(name: str) -> None:
    make, arguments, load_steps = DEFAULTS[name]
    results = fl.Static().solve(make(*arguments), load_steps=load_steps)
    assert not results.warnings
    assert results.summary["refused_steps"] == 0


def test_strut_that_slides_along_its_wall_is_said_to_be_unstable() -> None:
    """With one contact in the middle each half buckles as a clamped and pinned column.

    Its first load is (4.4934 / (L / 2))^2 EI, phi = 4.4934 = 1.43 pi.
    """
    for turns, is_stable in ((1.40, True), (1.46, False)):
        system = models.strut_at_wall(40, turns * np.pi, 1e-3)
        results = fl.Static().solve(system, load_steps=10)
        assert any("unstable" in text for text in results.warnings) != is_stable


@pytest.mark.parametrize("load_steps", [1, 4])
def test_rods_that_come_from_far_press_as_those_that_touched(load_steps: int) -> None:
    """On the way nothing resists, so that there is no load to compare with."""
    near = QUICK.solve(models.crossing(10, 0.0122))
    height = 2.0 * models.RADIUS + 0.3
    far = QUICK.solve(models.crossing(10, 0.3122, height=height), load_steps=load_steps)
    assert far.summary["refused_steps"] == 0
    assert far.contact.total("touch")[-1, 2] == pytest.approx(
        near.contact.total("touch")[-1, 2], rel=1e-9
    )


def test_rods_that_never_meet_leave_each_other_alone() -> None:
    results = QUICK.solve(models.crossing(6, 0.01, height=1.0))
    assert np.all(results.contact.total("touch") == 0.0)
    assert np.all(np.isinf(results.contact.smallest_gap("touch")))


def test_rod_slides_along_another_and_off_its_tip() -> None:
    """A cantilever with a load at a from its clamp bows by P a^3 / (3 EI) there."""
    results = QUICK.solve(models.sliding_along(20, 0.6), load_steps=10)
    assert results.summary["refused_steps"] == 0
    force = -results.contact.total("touch")[:, 2]
    place = 0.5 + 0.6 * results.times
    # the crossing rod is clamped at both ends: 192 EI / L^3 with L = 0.6
    compliance = place**3 / 3.0 + 0.6**3 / 192.0
    expected = 0.01 * results.times * models.BENDING / compliance
    on_rod = place < 0.99
    np.testing.assert_allclose(force[on_rod], expected[on_rod], rtol=0.02)
    assert np.all(force[place > 1.02] == 0.0)


@pytest.mark.slow
def test_wires_of_a_strand_press_as_their_tension_says() -> None:
    """Each helix of curvature k under tension T is pressed outwards by T k.

    Torque and bending add less than 1 %; the six wires touch each other and the core.
    """
    n = 40
    results = QUICK.solve(models.strand(n, 0.01), load_steps=4)
    middle = slice(n // 2 - 3, n // 2 + 3)
    for k in range(6):
        tension = results.section_forces(f"wire {k}", at="middle")[-1, middle, 0].mean()
        places = results.positions(f"{k}")[-1, n // 2 - 3 : n // 2 + 4]
        angle = np.unwrap(np.arctan2(places[:, 2], places[:, 1]))
        rate = (angle[-1] - angle[0]) / (places[-1, 0] - places[0, 0])
        away = np.hypot(places[:, 1], places[:, 2]).mean()
        curvature = away * rate**2 / (1.0 + (away * rate) ** 2)
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
        outward = 0.5 * (places[1:] + places[:-1]) * [0.0, 1.0, 1.0]
        outward /= np.linalg.norm(outward, axis=1)[:, None]
        forces = results.contact.forces(f"wire {k}")[-1, middle]
        pressure = np.sum(forces * outward, axis=1) / lengths
        assert pressure.mean() == pytest.approx(tension * curvature, rel=0.02)
