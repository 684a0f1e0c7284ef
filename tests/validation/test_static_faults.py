"""What goes wrong for people elsewhere, as small models with their right behavior."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from tests.validation.models import (
    cantilever,
    end,
    line,
    polyline,
    push,
    rod,
    section,
    solve,
)

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
BAR = fl.CircularSection(radius=0.01, material=STEEL)
PLAIN = section(1e4, 1e4, 1.0, 1.0)


# fault F07
def test_an_orientation_parallel_to_its_member_is_refused_before_any_solve():
    model = rod(line((0, 0, 0), (0, 0, 3), 2), BAR, orientation=(0, 0, 1))
    with pytest.raises(fl.ModelError) as caught:
        model.build()
    text = str(caught.value)
    for part in ("(0, 0, 1)", "'rod'", "node 0", "node 1", "(0.0, 0.0, 1.0)"):
        assert part in text


# fault F08
def test_vertical_members_need_no_orientation():
    model = rod(
        polyline([(0, 0, 0), (0, 0, 4), (4, 0, 4), (4, 0, 0)], 4), BAR, orientation=None
    )
    model.add(fl.Support("left foot", at="root"))
    model.add(fl.Support("right foot", at="tip"))
    results = solve(push(model, at="middle", force=(10.0, 10.0, -10.0)))
    assert np.isfinite(results.records.outputs).all()
    listed = model.build().summary["default_orientations"]
    assert listed == "rod: z axis, x axis for 8 vertical elements"


def test_a_lattice_along_all_axes_needs_no_orientation(repository):
    model = fl.Model(fl.read_mesh(repository / "meshes" / "lattice_1000.msh"))
    thin = fl.CircularSection(radius=5e-4, material=STEEL)
    model.add(fl.Beam("rods", cells="struts", section=thin))
    model.add(fl.Support("floor", at="bottom"))
    model.add(fl.Force("push", at="top", force=(0.1, 0, 0)))
    results = solve(model)
    assert np.isfinite(results.records.poses).all()
    assert results.summary["balance"]["error"] < 1e-9


# fault F15
def test_a_model_without_support_has_no_static_equilibrium():
    model = push(rod(line((0, 0, 0), (1, 0, 0), 2), PLAIN), force=(0, 1, 0))
    with pytest.raises(fl.ModelError, match="6 free motions"):
        solve(model)


def test_a_part_that_nothing_holds_is_named():
    mesh = fl.mesh_from_arrays(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)],
        [(0, 1), (2, 3)],
        node_groups={"root": [0], "tip": [1]},
        line_groups={"both": [0, 1]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rods", cells="both", section=PLAIN))
    model.add(fl.Support("clamp", at="root"))
    with pytest.raises(fl.ModelError, match=r"node 2 of 'rods' at \(0, 1, 0\)"):
        solve(push(model, force=(0, 1, 0)))


def test_a_member_that_can_spin_about_itself_is_named():
    model = rod(line((0, 0, 0), (1, 0, 0), 4), PLAIN)
    model.add(fl.Support("left", at="root", kind=fl.PINNED))
    model.add(fl.Support("right", at="tip", kind=fl.PINNED))
    results = solve(push(model, at="middle", force=(0, 1, 0)))
    assert any("turning about (1, 0, 0)" in text for text in results.warnings)


# fault F29
def test_a_run_at_its_iteration_limit_is_no_result():
    bending = 210e9 * np.pi * 0.01**4 / 4.0
    model = push(
        cantilever(line((0, 0, 0), (1, 0, 0), 10), BAR),
        moment=(0, 0, 2.0 * np.pi * bending),
    )
    with pytest.raises(fl.ConvergenceError) as caught:
        solve(model, iteration_limit=2)
    error = caught.value
    assert "node 10 of 'rod'" in str(error)
    assert "force along its axis" in str(error)
    assert len(error.residuals) == 3
    assert error.residuals[-1] > 1e-10
    # the last converged state is the unloaded start
    assert not error.results.summary["converged"]
    np.testing.assert_array_equal(error.results.times, [0.0])
    np.testing.assert_array_equal(end(error.results), [1.0, 0.0, 0.0])


def test_a_run_that_stops_later_keeps_the_load_steps_before():
    model = push(cantilever(line((0, 0, 0), (1, 0, 0), 10), PLAIN), force=(0, 10.0, 0))
    with pytest.raises(fl.ConvergenceError) as caught:
        solve(model, load_steps=10, iteration_limit=12)
    times = caught.value.results.times
    assert 0.1 <= times[-1] < 1.0
    assert f"load factor {times[-1]:.6g}" in str(caught.value)


# fault F06
@pytest.mark.parametrize("n_elements", [1, 5])
@pytest.mark.parametrize("degrees", [10.0, 170.0, 1000.0])
def test_an_arm_on_a_turned_hub_keeps_its_length(n_elements, degrees):
    model = rod(line((0, 0, 0), (1, 0, 0), n_elements), section(1e7, 1e7, 1e3, 1e3))
    angle = np.radians(degrees)
    model.add(fl.Support("hub", at="root", rotation=(0, 0, angle)))
    results = solve(model)
    expected = [np.cos(angle), np.sin(angle), 0.0]
    np.testing.assert_allclose(end(results), expected, rtol=0.0, atol=1e-10)
    # EA times the square of rounded places
    assert results.energy.strain[-1] < 1e7 * 1e-28


def test_an_arm_on_a_hub_that_turns_in_steps_keeps_its_length():
    model = rod(line((0, 0, 0), (1, 0, 0), 5), section(1e7, 1e7, 1e3, 1e3))
    model.add(fl.Support("hub", at="root", rotation=(0, 0, np.radians(170.0))))
    results = solve(model, load_steps=17)
    reach = np.linalg.norm(results.positions("tip"), axis=1)
    np.testing.assert_allclose(reach, 1.0, rtol=0.0, atol=1e-10)


# fault F28
def small_frame(length_unit: float, force_unit: float, load: float) -> fl.Results:
    """A steel frame of 20 mm; units in m and N."""
    stress_unit = force_unit / length_unit**2
    material = fl.Material(
        young=210e9 / stress_unit,
        poisson=0.3,
        density=7850.0 / (stress_unit / length_unit) * 1.0,
    )
    mm = 1e-3 / length_unit
    wire = fl.CircularSection(radius=0.2 * mm, material=material)
    corners = np.array([(0, 0, 0), (0, 0, 20), (15, 0, 20), (15, 10, 5)], float) * mm
    model = rod(polyline(corners.tolist(), 8), wire, orientation=None)
    model.add(fl.Support("clamp", at="root"))
    if load:
        model = push(model, force=(load / force_unit, 2 * load / force_unit, 0))
    return solve(model)


def test_a_small_frame_is_the_same_in_meters_and_millimeters():
    meters = small_frame(1.0, 1.0, 0.2)
    millimeters = small_frame(1e-3, 1.0, 0.2)
    largest = np.abs(meters.displacements("rod")[-1]).max()
    assert largest > 1e-3
    np.testing.assert_allclose(
        millimeters.displacements("rod")[-1] * 1e-3,
        meters.displacements("rod")[-1],
        rtol=0.0,
        atol=1e-8 * largest,
    )
    scale = np.array([1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])
    forces = meters.section_forces("rod")[-1]
    np.testing.assert_allclose(
        millimeters.section_forces("rod")[-1] * scale,
        forces,
        rtol=0.0,
        atol=1e-8 * np.abs(forces).max(),
    )
    assert meters.summary["iterations"] == millimeters.summary["iterations"]


@pytest.mark.parametrize("length_unit", [1.0, 1e-3])
def test_a_small_frame_without_load_stays_where_it_is(length_unit):
    results = small_frame(length_unit, 1.0, 0.0)
    stretch = 210e9 * np.pi * 0.2e-3**2
    forces = results.section_forces("rod")[-1, :, :, :3]
    assert np.abs(forces).max() <= 1e-12 * stretch
    size = 30e-3 / length_unit
    assert np.abs(results.displacements("rod")[-1]).max() < 1e-14 * size
