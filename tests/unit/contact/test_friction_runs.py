"""Runs with friction: input, refusals, results, pictures, restarts, lists."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

import femlie as fl
from femlie.cli.warmup import CONTACT_MODEL
from femlie.contact import _friction_layout as layout
from femlie.contact.carry_friction import carry_tangential
from femlie.input_file.reader import model_of_tree
from femlie.lie import quaternion
from femlie.solvers.contact import ContactRun
from femlie.view import plot
from femlie.view.scene import layers_of
from tests.validation import contact_models as models
from tests.validation import friction_models, spin_models
from tests.validation.test_spin import LIMIT, stiffness_of

QUICK = fl.Static(checks_stability=False)


@pytest.fixture(scope="module", name="rubbed")
def rubbed_fixture() -> fl.Results:
    system = friction_models.rubbed(0.3, (2e-3, 0.0), n=(5, 5))
    return QUICK.solve(system, load_steps=10)


@pytest.mark.parametrize("given", [-0.1, float("nan"), float("inf"), "rough"])
def test_impossible_coefficients_are_refused_by_name(given: Any) -> None:
    mesh = models.joined(
        models.line("a", (0.0, 0.0, 0.02), (1.0, 0.0, 0.02), 2),
        models.line("b", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 2),
    )
    model = fl.Model(mesh)
    for name in "ab":
        model.add(fl.Beam(name.upper(), cells=name, section=models.section()))
    part = fl.Contact("touch", between=("A", "B"), friction=given)
    with pytest.raises(fl.ModelError, match=r"friction of Contact 'touch'"):
        model.add(part)


def test_no_friction_is_the_plain_kernel() -> None:
    system = friction_models.rubbed(0.0, (1e-3, 0.0))
    run = ContactRun(system, system.contact)
    block = run.at(system.state.poses).blocks[-1]
    assert block.n_multipliers == 2
    assert "_friction" not in block.kernels[0].__module__


def test_friction_of_results_without_friction_is_refused() -> None:
    results = QUICK.solve(models.crossing(4, 0.01))
    with pytest.raises(fl.ResultsError, match=r"'touch' has no friction.*friction=0.2"):
        results.contact.states("upper")


def test_forces_hold_friction_and_balance(rubbed: fl.Results) -> None:
    contact = rubbed.contact
    upper, lower = contact.friction("upper"), contact.friction("lower")
    size = np.abs(upper).max()
    total = contact.total_friction("touch")
    np.testing.assert_allclose(upper.sum(axis=1), total, atol=1e-12 * size)
    np.testing.assert_allclose(lower.sum(axis=1), -total, atol=1e-12 * size)
    forces = contact.forces("upper").sum(axis=1)
    np.testing.assert_allclose(forces, contact.total("touch"), atol=1e-12 * size)
    assert rubbed.summary["balance"]["error"] < 1e-9
    # what pulls is what friction, and the tilt of the normal, resist
    assert contact.total("touch")[-1, 0] == pytest.approx(-3.0, rel=1e-3)
    pull = rubbed.reactions("high 0")[-1, 0] + rubbed.reactions("high 1")[-1, 0]
    assert pull == pytest.approx(-contact.total("touch")[-1, 0], rel=1e-9)


def test_file_table_and_mesh_hold_friction(rubbed: fl.Results, tmp_path: Path) -> None:
    rubbed.save(tmp_path / "rubbed.h5")
    again = fl.load_results(tmp_path / "rubbed.h5")
    np.testing.assert_array_equal(
        again.contact.states("lower"), rubbed.contact.states("lower")
    )
    table = rubbed.to_dataframe("contacts")
    np.testing.assert_array_equal(
        table["friction_x"], rubbed.contact.total_friction("touch")[:, 0]
    )
    assert {"sum_of_friction", "largest_slip"} <= set(table.columns)
    fl.export_vtu(rubbed, tmp_path)
    mesh = meshio.read(max(tmp_path.glob("*beams*.vtu")))
    assert mesh.cell_data["contact_state"][0].max() == layout.SLIDES


def test_arrows_are_colored_by_stick_and_slip(rubbed: fl.Results) -> None:
    states = rubbed.contact.states("lower").max(axis=1)
    for state, name in ((1, "contact that sticks"), (2, "contact that slides")):
        time = rubbed.times[np.flatnonzero(states == state)[-1]]
        picture = plot(rubbed, time=float(time), deformation_scale=1.0)
        names = {one.name for one in layers_of(picture.scene, picture.index)}
        assert name in names


def test_friction_is_read_from_files() -> None:
    tree = {**CONTACT_MODEL, "contact": {"touch": {"between": ["over", "under"]}}}
    tree["contact"]["touch"] |= {"friction": 0.25, "spin_radius": 0.003}
    system = model_of_tree(tree, Path("rubbing")).build()
    assert system.contact.frictions == (0.25,)
    assert system.contact.spin_radii == (0.003,)


def test_run_goes_on_from_where_another_ended() -> None:
    """Where rods touch is all that friction has to know."""
    system = friction_models.stacked(10, 1000.0, 1e-3)
    first = QUICK.solve(system, load_steps=2)
    second = QUICK.solve(system, start=first.last_state)
    np.testing.assert_allclose(
        second.displacements("u_1")[-1],
        first.displacements("u_1")[-1],
        rtol=1e-6,
        atol=1e-12,
    )


def test_contact_that_closes_makes_short_steps() -> None:
    """Pressed from a distance in one load step: friction has most of the way."""
    system = friction_models.with_friction(
        models.crossing(5, 0.02, height=2.0 * models.RADIUS + 1e-3), 0.3
    )
    results = QUICK.solve(system)
    assert results.summary["refused_steps"] > 0
    assert results.contact.total_friction_size("touch").shape == results.times.shape


def test_new_lists_keep_forces_of_friction() -> None:
    system = friction_models.stacked(6, 0.3, 1e-3)
    run = ContactRun(system, system.contact)
    run.at(system.state.poses)
    assert run.contacts is not None
    n = run.contacts.n_multipliers
    values = np.arange(3.0 * n)
    found = carry_tangential(run.contacts, values, np.zeros(0), run.contacts)
    np.testing.assert_array_equal(found, values[n:])


def test_new_lists_keep_moments_of_spin() -> None:
    """From point to point; lines have none."""
    system = spin_models.crosswise(1e-3)
    run = ContactRun(system, system.contact)
    run.at(system.state.poses)
    assert run.contacts is not None
    n = run.contacts.n_multipliers
    assert run.contacts.n_unknowns == 3 * n + 1
    iterates = np.zeros((len(run.contacts.codes), layout.N_ITERATES))
    values = np.arange(3.0 * n + 1.0)
    found = carry_tangential(run.contacts, values, iterates, run.contacts)
    np.testing.assert_array_equal(found, values[n:])
    lines = friction_models.stacked(6, 0.3, 1e-3)
    contact = dataclasses.replace(lines.contact, spin_radii=(0.01,))
    run = ContactRun(dataclasses.replace(lines, contact=contact), contact)
    run.at(lines.state.poses)
    assert run.contacts is not None
    assert run.contacts.n_unknowns == 3 * run.contacts.n_multipliers


def test_spin_goes_on_from_where_another_run_ended() -> None:
    """It counts from the last place: a head that turns no further spins no further."""
    turn = 2.0 * LIMIT / stiffness_of("post on a plane")
    system = spin_models.post(turn)
    first = QUICK.solve(system, load_steps=10)
    second = QUICK.solve(system, start=first.last_state)
    moments = second.contact.largest_spin_moment("touch")
    np.testing.assert_allclose(moments[-1], LIMIT, rtol=1e-4)
    assert second.contact.largest_spin("touch")[-1] < 1e-6 * turn


def test_axes_go_on_over_nodes_where_sections_differ() -> None:
    """Elements that are listed the other way round have other axes."""
    points = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]])
    rod = fl.mesh_from_arrays(
        points, np.array([[0, 1], [2, 1]]), line_groups={"a": [0, 1]}
    )
    mesh = models.joined(rod, models.line("b", (0.0, 0.0, 0.02), (1.0, 0.0, 0.02), 2))
    model = models.two_rods(mesh, "a", "b", models.section())
    segments = model.build().contact.segments
    first, second = (segments.places.tolist().index(k) for k in (0, 1))
    axes = [
        quaternion.rotate(
            quaternion.multiply(segments.offsets[k, 1, 3:], segments.turns[k]),
            np.array([1.0, 0.0, 0.0]),
        )
        for k in (first, second)
    ]
    np.testing.assert_allclose(axes[0], axes[1], atol=1e-12)
