"""One space frame from three mesh files, and against linear frame analysis.

Columns and beams of steel tube, supports clamped, 1 kN at "load point". The files hold
the same frame, so that results may differ by rounding only. The displacements of a
small load are those of the classical Timoshenko frame, computed by an oracle that
shares no code with femlie; the mesh has several elements a member, with an error of the
square of their length.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import femlie as fl
from tests.oracles import frame as oracle
from tests.validation.models import solve

FILES = ("frame_msh22.msh", "frame_msh41.msh", "frame_msh41_bin.msh")
GROUPS = ("columns", "beams_x", "beams_y")
STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
TUBE = fl.TubeSection(outer_radius=0.05, inner_radius=0.045, material=STEEL)


def frame(mesh: fl.Mesh, load: float = 1000.0) -> fl.Model:
    model = fl.Model(mesh)
    for group in GROUPS:
        model.add(fl.Beam(f"{group} tubes", cells=group, section=TUBE))
    model.add(fl.Support("feet", at="supports"))
    model.add(fl.Force("push", at="load point", force=(load, 0.0, 0.0)))
    return model


@pytest.fixture(scope="module")
def solved(repository_of_module):
    meshes = [fl.read_mesh(repository_of_module / "meshes" / name) for name in FILES]
    return [(mesh, solve(frame(mesh))) for mesh in meshes]


@pytest.fixture(scope="module")
def repository_of_module(request):
    return request.getfixturevalue("repository")


def in_order_of_place(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rows sorted by place, so that numbering does not matter."""
    return values[np.lexsort(np.round(points, 6).T)]


def all_displacements(mesh: fl.Mesh, results: fl.Results) -> np.ndarray:
    found = np.full(mesh.points.shape, np.nan)
    for group in GROUPS:
        found[mesh.nodes(group)] = results.displacements(group)[-1]
    return in_order_of_place(mesh.points, found)


@pytest.mark.parametrize("which", [1, 2])
def test_displacements_do_not_depend_on_the_file_format(solved, which):
    size = np.linalg.norm(np.ptp(solved[0][0].points, axis=0))
    first, other = (all_displacements(*solved[k]) for k in (0, which))
    np.testing.assert_allclose(other, first, rtol=0.0, atol=1e-13 * size)


@pytest.mark.parametrize("which", [1, 2])
@pytest.mark.parametrize("group", GROUPS)
def test_section_forces_do_not_depend_on_the_file_format(solved, which, group):
    def forces(k: int) -> np.ndarray:
        mesh, results = solved[k]
        lines = mesh.lines[mesh.lines_of(group)]
        middles = mesh.points[lines].mean(axis=1)
        return in_order_of_place(
            middles, results.section_forces(f"{group} tubes", at="middle")[-1]
        )

    first = forces(0)
    largest = np.abs(first).max()
    np.testing.assert_allclose(forces(which), first, rtol=0.0, atol=1e-9 * largest)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_loads_and_reactions_are_in_balance(solved, which):
    balance = solved[which][1].summary["balance"]
    assert balance["error"] < 1e-9
    total = np.array(balance["loads"]) + np.array(balance["reactions"])
    np.testing.assert_allclose(total[:3], 0.0, atol=1e-9 * 1000.0)
    reaction = solved[which][1].reactions("feet")[-1][:, :3].sum(axis=0)
    np.testing.assert_allclose(reaction, [-1000.0, 0.0, 0.0], rtol=0.0, atol=1e-6)


def linear_displacements(mesh: fl.Mesh, load: float) -> np.ndarray:
    return oracle.displacements(
        mesh.points,
        np.vstack([mesh.lines[mesh.lines_of(group)] for group in GROUPS]),
        oracle.tube(210e9, 0.3, outer_radius=0.05, inner_radius=0.045),
        mesh.nodes("supports"),
        {int(mesh.nodes("load point")[0]): np.array([load, 0, 0, 0, 0, 0])},
    )


def refined(mesh: fl.Mesh, parts: int) -> fl.Mesh:
    """The frame with each line in equal parts."""
    points = [mesh.points]
    lines, groups = [], {}
    count = len(mesh.points)
    for group in GROUPS:
        first = len(lines)
        for a, b in mesh.lines[mesh.lines_of(group)]:
            shares = np.arange(1, parts)[:, None] / parts
            points.append(mesh.points[a] * (1.0 - shares) + mesh.points[b] * shares)
            chain = [a, *range(count, count + parts - 1), b]
            count += parts - 1
            lines += list(pairwise(chain))
        groups[group] = np.arange(first, len(lines))
    return fl.mesh_from_arrays(
        np.vstack(points),
        np.array(lines),
        node_groups={name: mesh.nodes(name) for name in ("supports", "load point")},
        line_groups=groups,
    )


def test_small_displacements_converge_to_linear_frame_analysis(repository):
    mesh = fl.read_mesh(repository / "meshes" / FILES[0])
    load = 1e-2
    expected = linear_displacements(mesh, load)[:, :3]
    largest = np.abs(expected).max()
    n = len(mesh.points)
    errors, found = [], []
    for parts in (1, 2, 4):
        fine = refined(mesh, parts)
        results = solve(frame(fine, load))
        values = np.zeros(fine.points.shape)
        for group in GROUPS:
            values[fine.nodes(group)] = results.displacements(group)[-1]
        found.append(values[:n])
        errors.append(np.abs(values[:n] - expected).max() / largest)
    # members of four elements bent to an S lack up to a sixteenth
    assert errors[0] < 1.0 / 16.0
    slope = np.polyfit(np.log([1, 2, 4]), np.log(errors), 1)[0]
    assert slope == pytest.approx(-2.0, abs=0.05)
    extrapolated = found[2] + (found[2] - found[1]) / 3.0
    np.testing.assert_allclose(extrapolated, expected, rtol=0.0, atol=1e-5 * largest)
