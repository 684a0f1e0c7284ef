"""Exported files, read back by other programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import meshio
import numpy as np
import pandas as pd
import pytest

import femlie as fl
from femlie.errors import ModelError
from femlie.export import export_csv, export_vtu
from femlie.records import layout_of
from femlie.results import Results
from femlie.units import Units
from tests.unit import results_by_hand as hand
from tests.unit.sample_parts import ROUND

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
        np.testing.assert_allclose(
            mesh.point_data[name], expected, rtol=0.0, atol=1e-15
        )
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
        "positions",
        "displacements",
        "section_forces",
        "reactions",
        "joints",
        "sensors",
        "energy",
    ]
    moves = pd.read_csv(tmp_path / "displacements.csv")
    assert list(moves)[:6] == [
        "time [s]",
        "node",
        "start_x [m]",
        "start_y [m]",
        "start_z [m]",
        "displacement_x [m]",
    ]
    starts = moves[[f"start_{x} [m]" for x in "xyz"]].to_numpy().reshape(3, 3, 3)
    np.testing.assert_allclose(starts, np.tile(hand.NODES, (3, 1, 1)), atol=1e-14)
    columns = [f"displacement_{x} [m]" for x in "xyz"]
    np.testing.assert_array_equal(
        moves[columns].to_numpy().reshape(3, 3, 3), results.displacements("rod")
    )
    forces = pd.read_csv(tmp_path / "section_forces.csv")
    assert {"axial_force [N]", "torsion_moment [N m]"} < set(forces)
    assert forces["place"].tolist()[:3] == ["first", "middle", "second"]
    assert forces["node"].fillna(-1).tolist()[:6] == [10, -1, 20, 20, -1, 30]
    np.testing.assert_allclose(
        forces["start_x [m]"][:6], [0.0, 0.5, 1.0, 1.0, 2.0, 3.0], atol=1e-14
    )
    np.testing.assert_allclose(
        forces["arc_length [m]"][:6], [0.0, 0.5, 1.0, 1.0, 2.0, 3.0], atol=1e-14
    )
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


def solved_portal(*, columns: tuple[int, ...] = (0, 1)) -> Results:
    """Two columns 2 m high in one part, and a girder of 4 m that one end of releases.

    Node numbers are 11, 12, ...
    """
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [0, 0, 2], [2, 0, 2], [4, 0, 2], [4, 0, 0]],
        [[0, 1], [4, 3], [1, 2], [2, 3]],
        node_groups={"feet": [0, 4], "corner": [3]},
        line_groups={"columns": list(columns), "girder": [2, 3]},
        node_numbers=[11, 12, 13, 14, 15],
    )
    model = fl.Model(mesh)
    for name in ("columns", "girder"):
        model.add(fl.Beam(name, cells=name, section=ROUND))
    model.add(fl.EndRelease("pin", beam="girder", at="corner", kind=fl.REVOLUTE,
                            axis=(0, 1, 0)))  # fmt: skip
    model.add(fl.Support("feet", at="feet"))
    model.add(fl.Force("push", at="corner", force=(0.1, 0, 0)))
    return fl.Static().solve(model.build())


def test_places_along_members_are_given_where_they_form_one_line(
    tmp_path: Path,
) -> None:
    export_csv(solved_portal(), tmp_path)
    table = pd.read_csv(tmp_path / "section_forces.csv")
    last = table[table["load_factor [1]"] == 1.0]
    girder, columns = (last[last["part"] == part] for part in ("girder", "columns"))
    assert girder["arc_length [m]"].tolist() == [0.0, 1.0, 2.0, 2.0, 3.0, 4.0]
    # the released end is at the node that it was released from
    assert girder["node"].fillna(-1).tolist() == [12, -1, 13, 13, -1, 14]
    # two columns are no line along which there is one length
    assert columns["arc_length [m]"].isna().all()
    assert columns["start_z [m]"].tolist() == [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]
    places = pd.read_csv(tmp_path / "positions.csv")
    assert list(places) == ["load_factor [1]", "node", "x [m]", "y [m]", "z [m]"]


def test_a_table_without_one_line_has_no_arc_length() -> None:
    frame = solved_portal().to_dataframe("section_forces", "columns")
    assert "arc_length" not in frame
    assert "arc_length" in solved_portal().to_dataframe("section_forces", "girder")


def test_the_middle_of_a_curved_element_lies_on_its_arc() -> None:
    corners = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    model = fl.Model(fl.mesh_from_arrays(corners, [[0, 1], [1, 2]],
                                         line_groups={"arch": [0, 1]},
                                         node_groups={"foot": [0]}))  # fmt: skip
    model.add(fl.Beam("arch", cells="arch", section=ROUND, curve=fl.SMOOTH))
    model.add(fl.Support("foot", at="foot"))
    model.add(fl.Gravity("none", acceleration=(0, 0, -1e-9)))
    frame = fl.Static().solve(model.build()).to_dataframe("section_forces")
    places = frame[["start_x", "start_y", "start_z"]].to_numpy()[:6]
    np.testing.assert_allclose(places[[0, 2, 5]], corners, atol=1e-12)
    # the chord between two of these nodes passes the center at 0.71
    assert np.linalg.norm(places[[1, 4]], axis=1).min() > 0.95


def a_box() -> fl.Model:
    """A body of 2 kg on a spring that lets it slide along z."""
    model = fl.Model()
    model.add(fl.Body("box", mass=2.0, inertia=(1, 1, 1), position=(0, 0, 0)))
    model.add(fl.SpringDamper("spring", first=fl.GROUND, second="box",
                              first_point=(0, 0, 1), stiffness=200.0))  # fmt: skip
    model.add(fl.Joint("guide", fl.PRISMATIC, parent=fl.GROUND, child="box"))
    return model


@pytest.mark.parametrize(
    ("solver", "arguments", "first"),
    [
        (fl.Static(), {}, "load_factor [1]"),
        (fl.GeneralizedAlpha(), {"duration": 0.02, "time_step": 0.01}, "time [s]"),
        (fl.Modal(n_modes=1), {}, "mode"),
    ],
)
def test_models_without_beams_have_tables_too(
    solver: Any, arguments: dict[str, float], first: str, tmp_path: Path
) -> None:
    results = solver.solve(a_box().build(), **arguments)
    assert results.to_dataframe("section_forces").empty
    names = {path.stem for path in export_csv(results, tmp_path)}
    assert {"positions", "displacements", "joints"} <= names
    assert "section_forces" not in names
    assert pd.read_csv(tmp_path / "joints.csv").columns[0] == first


def test_frequencies_and_effective_masses_have_a_table(tmp_path: Path) -> None:
    results = fl.Modal(n_modes=1).solve(a_box().build())
    export_csv(results, tmp_path)
    table = pd.read_csv(tmp_path / "frequencies.csv")
    assert table["mode"].tolist() == [1]
    # a mass of 2 on a spring of 200: 10 rad/s
    np.testing.assert_allclose(table["frequency [Hz]"], 10.0 / (2.0 * np.pi), rtol=1e-9)
    np.testing.assert_allclose(table["effective_mass_z [kg]"], 2.0, rtol=1e-9)
    np.testing.assert_allclose(table["effective_mass_x [kg]"], 0.0, atol=1e-12)
    export_csv(results, tmp_path, units=Units("mm", "N", "ms"))
    header = (tmp_path / "frequencies.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("mode,frequency [1/ms],effective_mass_x [N ms^2/mm]")


def test_a_bushing_stands_in_no_table_of_section_forces(tmp_path: Path) -> None:
    model = fl.Model(fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=2))
    model.add(fl.Beam("rod", cells="line", section=ROUND))
    spring = (1e3,) * 6
    model.add(fl.Bushing("foot", first=fl.GROUND, second="start", stiffness=spring))
    model.add(fl.Force("push", at="end", force=(0, 0, 1e-3)))
    results = fl.Static().solve(model.build())
    assert set(results.to_dataframe("section_forces")["part"]) == {"rod"}
    assert "section_forces" in {p.stem for p in export_csv(results, tmp_path)}
    with pytest.raises(fl.ResultsError, match=r"no beam 'foot'.*'rod'"):
        results.to_dataframe("section_forces", "foot")
