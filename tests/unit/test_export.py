"""Exported files, read back by other programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import meshio
import numpy as np
import pandas as pd
import pytest

from femlie.errors import ModelError
from femlie.export import Units, export_csv, export_vtu
from femlie.records import layout_of
from femlie.results import Results
from tests.unit import results_by_hand as hand

TIMES = np.array([0.0, 0.1, 1.0 / 3.0])


@pytest.fixture(scope="module")
def results() -> Results:
    return Results(layout_of(hand.system()), hand.records(TIMES))


def test_the_series_names_every_time_and_file(tmp_path: Path, results: Results) -> None:
    path = export_vtu(results, tmp_path / "made here", name="swing")
    tree = ET.parse(path)
    assert tree.getroot().attrib["type"] == "Collection"
    entries = [entry.attrib for entry in tree.iter("DataSet")]
    assert [float(entry["timestep"]) for entry in entries] == TIMES.repeat(2).tolist()
    assert [entry["part"] for entry in entries] == ["0", "1"] * 3
    for entry in entries:
        assert (path.parent / entry["file"]).is_file()


def test_beams_are_lines_with_motion_and_section_forces(
    tmp_path: Path, results: Results
) -> None:
    export_vtu(results, tmp_path)
    mesh = meshio.read(tmp_path / "results_beams_2.vtu")
    assert [(block.type, block.data.tolist()) for block in mesh.cells] == [
        ("line", [[0, 1], [1, 2]])
    ]
    np.testing.assert_array_equal(mesh.points, results.positions("rod")[2])
    for name, expected in (
        ("displacement", results.displacements("rod")[2]),
        ("rotation_vector", results.rotations("rod", as_vector=True)[2]),
        ("velocity", results.velocities("rod")[2, :, :3]),
        ("node", [10, 20, 30]),
    ):
        np.testing.assert_array_equal(mesh.point_data[name], expected)
    middle = mesh.cell_data["bending_moment_z_middle"][0]
    np.testing.assert_array_equal(
        middle, results.section_forces("rod", at="middle")[2, :, 5]
    )
    last = mesh.cell_data["axial_force_second"][0]
    np.testing.assert_array_equal(last, [212.0, 230.0])


def test_surfaces_of_bodies_are_triangles_that_move(
    tmp_path: Path, results: Results
) -> None:
    export_vtu(results, tmp_path)
    mesh = meshio.read(tmp_path / "results_bodies_1.vtu")
    surface = results.layout.catalog.surfaces["block"]
    turn = hand.turn_at(TIMES[1:2])
    place = hand.motion_of(hand.BLOCK, TIMES[1:2], hand.SLIDE_RATE).place
    expected = place + turn.apply(surface.points)
    np.testing.assert_allclose(mesh.points, expected, rtol=0, atol=1e-14)
    moved = expected - hand.BLOCK - surface.points
    np.testing.assert_allclose(
        mesh.point_data["displacement"], moved, rtol=0, atol=1e-14
    )
    np.testing.assert_array_equal(mesh.cells_dict["triangle"], surface.triangles)
    assert mesh.cell_data["body"][0].tolist() == [0] * 4


def test_nodes_without_beams_are_points(tmp_path: Path, results: Results) -> None:
    catalog = results.layout.catalog
    beams = replace(
        catalog.beams, nodes=np.zeros((0, 2), np.int64), lengths=np.zeros(0)
    )
    bare = replace(catalog, beams=beams, beam_ranges={}, surfaces={})
    export_vtu(replace(results, layout=replace(results.layout, catalog=bare)), tmp_path)
    mesh = meshio.read(tmp_path / "results_beams_0.vtu")
    assert mesh.cells_dict["vertex"].shape == (3, 1)
    assert not (tmp_path / "results_bodies_0.vtu").exists()


def test_the_viewer_library_reads_the_series(tmp_path: Path, results: Results) -> None:
    pyvista = pytest.importorskip("pyvista")
    reader = pyvista.get_reader(export_vtu(results, tmp_path))
    assert reader.time_values == TIMES.tolist()
    reader.set_active_time_value(TIMES[1])
    beams, bodies = reader.read()
    np.testing.assert_array_equal(beams.points, results.positions("rod")[1])
    assert (beams.n_cells, bodies.n_cells) == (2, 4)


def test_tables_have_units_in_their_headers_and_all_digits(
    tmp_path: Path, results: Results
) -> None:
    paths = export_csv(results, tmp_path)
    assert [path.stem for path in paths] == [
        "displacements",
        "section_forces",
        "reactions",
        "joints",
        "sensors",
        "energy",
    ]
    moves = pd.read_csv(tmp_path / "displacements.csv")
    assert list(moves)[:4] == [
        "time [s]",
        "node",
        "displacement_x [m]",
        "displacement_y [m]",
    ]
    columns = [f"displacement_{x} [m]" for x in "xyz"]
    np.testing.assert_array_equal(
        moves[columns].to_numpy().reshape(3, 3, 3), results.displacements("rod")
    )
    forces = pd.read_csv(tmp_path / "section_forces.csv")
    assert {"axial_force [N]", "torsion_moment [N m]"} < set(forces)
    assert forces["place"].tolist()[:3] == ["first", "middle", "second"]
    joints = pd.read_csv(tmp_path / "joints.csv")
    assert joints["unit"].tolist() == ["rad"] * 3
    values = pd.read_csv(tmp_path / "sensors.csv")
    assert {"tip speed x [m/s]", "angle [rad]", "foot [N]", "gap [m]"} < set(values)
    np.testing.assert_array_equal(values["gap [m]"], results.sensor("gap"))
    energy = pd.read_csv(tmp_path / "energy.csv")
    assert {"kinetic [N m]", "relative_balance [1]"} < set(energy)


def test_other_units_and_load_factors_are_said(
    tmp_path: Path, results: Results
) -> None:
    static = replace(results, analysis={"method": "static"})
    export_csv(static, tmp_path, units=Units(length="mm"))
    header = (tmp_path / "reactions.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("load_factor [1],part,point,place_x [mm]")
    assert "moment_x [N mm]" in header


def test_a_file_is_not_taken_for_a_folder(tmp_path: Path, results: Results) -> None:
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    with pytest.raises(ModelError, match="is a file"):
        export_csv(results, tmp_path / "taken")
    with pytest.raises(ModelError, match="is a file"):
        export_vtu(results, tmp_path / "taken")
