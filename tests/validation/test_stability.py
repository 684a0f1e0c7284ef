"""Equilibria that are unstable, and branches that a large load step may miss.

Lee's frame: column and beam of length 120, E = 720, A = 6, I = 2, nu = 0.3, hinged at
both ends, load down at 24 from the corner. P = 1.5 is below the first limit load
1.8547. The first branch has (u, v) = (7.82, 25.29) there with 20 elements, and (8.0251,
25.8840) by shooting along the arc length.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import STATIC, Assembly
from tests.validation.models import cantilever, polyline, push, section, solve


def lees_frame(load: float, n_elements: int, *, in_plane: bool) -> fl.Model:
    """``n_elements`` on either leg, a multiple of five."""
    points = polyline([(0, 0, 0), (0, 120, 0), (120, 120, 0)], n_elements)
    n = 2 * n_elements
    mesh = fl.mesh_from_arrays(
        points,
        np.column_stack([np.arange(n), np.arange(1, n + 1)]),
        node_groups={
            "feet": [0, n],
            "loaded": [n_elements + n_elements // 5],
            "between": np.arange(1, n),
        },
        line_groups={"members": np.arange(n)},
    )
    model = fl.Model(mesh)
    shear = 720.0 / 2.6
    model.add(
        fl.Beam(
            "frame",
            cells="members",
            section=section(720.0 * 6.0, shear * 6.0, shear * 4.0, 720.0 * 2.0),
            orientation=(0, 0, 1),
        )
    )
    model.add(fl.Support("hinges", at="feet", kind=fl.HINGED))
    if in_plane:
        model.add(fl.Support("plane", at="between", kind=fl.SupportKind.PLANAR))
    return push(model, at="loaded", force=(0, -load, 0))


def test_lees_frame_is_found_on_its_first_branch():
    results = solve(lees_frame(1.5, 10, in_plane=True))
    moved = results.displacements("loaded")[-1]
    # printed with three to four digits
    np.testing.assert_allclose(moved, [7.82, -25.29, 0.0], rtol=0.0, atol=6e-3)
    assert results.warnings == ()


def test_lees_frame_converges_to_the_shooting_solution():
    found = [
        solve(lees_frame(1.5, n, in_plane=True)).displacements("loaded")[-1]
        for n in (10, 20, 40)
    ]
    extrapolated = found[2] + (found[2] - found[1]) / 3.0
    # near the limit point errors are large: 2.6 %, 0.67 %, 0.17 % of u
    np.testing.assert_allclose(extrapolated, [8.0251, -25.8840, 0.0], atol=5e-3)


def test_lees_frame_in_space_is_said_to_be_unstable_across_its_plane():
    results = solve(lees_frame(1.5, 10, in_plane=False))
    assert any("unstable" in text for text in results.warnings)


@pytest.mark.parametrize("force", [(0.0, -50.0, 0.0), (-50.0, 0.0, 0.0)])
def test_right_angle_frame_pressed_in_its_plane_ends_stable_or_says_so(force):
    points = polyline([(0, 0, 0), (10, 0, 0), (10, 10, 0)], 10)
    model = push(cantilever(points, section(1e6, 1e6, 1e3, 1e3)), force=force)
    results = solve(model)
    system = model.build()
    assert system.warnings == ()
    is_said = any("unstable" in text for text in results.warnings)
    assert is_said == (negative_eigenvalues(model, results) > 0)


def negative_eigenvalues(model: fl.Model, results: fl.Results) -> int:
    """Of the whole tangent at the end, by dense eigenvalues."""
    system = model.build()
    state = dataclasses.replace(
        system.state, time=1.0, poses=results.records.poses[-1].copy()
    )
    matrix = Assembly(system).tangent(state, regime=STATIC).toarray()
    return int(np.sum(np.linalg.eigvalsh(0.5 * (matrix + matrix.T)) < 0.0))


def column(load: float) -> fl.Model:
    """A straight clamped column pressed from its tip: buckles at 2.4674."""
    points = polyline([(0, 0, 0), (0, 0, 1)], 20)
    model = cantilever(points, section(1e6, 1e6, 1, 1), orientation=(1, 0, 0))
    return push(model, force=(0, 0, -load))


@pytest.mark.parametrize(("load", "is_stable"), [(2.3, True), (2.6, False)])
def test_straight_column_is_called_unstable_above_the_euler_load(load, is_stable):
    # the element's own buckling load is 0.1 % above pi^2/4
    results = solve(column(load))
    assert any("unstable" in text for text in results.warnings) != is_stable
