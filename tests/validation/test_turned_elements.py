"""Section forces of a beam some of whose elements point against it."""

from __future__ import annotations

from typing import Any

import meshio
import numpy as np
import pandas as pd
import pytest

import femlie as fl
from femlie.view.run import run_of
from femlie.view.run import section_forces as drawn_forces

N = 7
IN_ORDER = [[k, k + 1] for k in range(N)]
TURNED = [line[::-1] if k in (2, 3, 5) else line for k, line in enumerate(IN_ORDER)]
ORDER = [4, 2, 0, 6, 3, 5, 1]
SHUFFLED = [TURNED[k] for k in ORDER]
NAMES = [force.value for force in fl.SectionForce]
PLACES: dict[str, Any] = {
    "first": fl.SectionPlace.FIRST,
    "last": fl.SectionPlace.LAST,
    "largest": fl.SectionPlace.MAXIMUM,
    "within": 0.43,
    "in a turned one": 0.3,
}
STIFF = fl.CircularSection(
    radius=0.1, material=fl.Material(young=1e15, poisson=0.3, density=1.0)
)


def helix() -> Any:
    t = np.linspace(0.0, 1.0, N + 1)
    return np.column_stack([np.sin(1.5 * t), 1.0 - np.cos(1.5 * t), 0.4 * t])


def bent(lines: Any, *, is_modal: bool = False) -> fl.Model:
    """A clamped helix under loads that bend, shear and twist it everywhere."""
    mesh = fl.mesh_from_arrays(
        helix(),
        lines,
        node_groups={"root": [0], "tip": [N]},
        line_groups={"wire": list(range(N))},
    )
    steel = fl.Material(young=2e8, poisson=0.3, density=7800.0)
    bar = fl.RectangularSection(height=0.03, width=0.02, material=steel)
    model = fl.Model(mesh)
    up = (0.0, 0.0, 1.0)
    model.add(
        fl.Beam("rod", cells="wire", section=bar, orientation=up, curve=fl.SMOOTH)
    )
    if is_modal:
        ends = ("root", "tip")
        model.add(fl.ModalBody("arm", beams=("rod",), interfaces=ends, n_modes=6))
    model.add(fl.Support("clamp", at="root"))
    model.add(fl.Gravity("g", acceleration=(0.1, 0.2, -0.3)))
    model.add(fl.LineLoad("q", on="rod", force=(0.5, 1.0, 2.0), moment=(0.1, 0.2, 0)))
    force, moment = (0.3, -0.5, 0.7), (0.2, 0.4, -0.1)
    model.add(fl.Force("push", at="tip", force=force, moment=moment))
    for component in fl.SectionForce:
        for word, at in PLACES.items():
            name = f"{component.value} {word}"
            sensor = fl.SectionForceSensor(name, beam="rod", component=component, at=at)
            model.add(sensor)
    return model


def solved(lines: Any, **options: Any) -> fl.Results:
    return fl.Static().solve(bent(lines, **options).build())


@pytest.fixture(scope="module")
def plain() -> fl.Results:
    return solved(IN_ORDER)


def close(found: Any, expected: Any) -> None:
    size = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-8 * size)


def test_the_helix_feels_all_six(plain: fl.Results) -> None:
    forces = np.abs(plain.section_forces("rod")[-1]).reshape(-1, 6).max(axis=0)
    assert (forces > 0.05).all()


@pytest.mark.parametrize("place", ["ends", "first", "middle", "second"])
def test_results_have_one_direction(plain: fl.Results, place: Any) -> None:
    expected = plain.section_forces("rod", at=place)[-1]
    close(solved(TURNED).section_forces("rod", at=place)[-1], expected)
    # a turned element comes before others here, but element 4 runs along
    close(solved(SHUFFLED).section_forces("rod", at=place)[-1], expected[ORDER])


@pytest.mark.parametrize("lines", [TURNED, SHUFFLED], ids=["turned", "shuffled"])
def test_sensors_have_one_direction(plain: fl.Results, lines: Any) -> None:
    results = solved(lines)
    for name in NAMES:
        for word in PLACES:
            sensor = f"{name} {word}"
            close(results.sensor(sensor)[-1], plain.sensor(sensor)[-1])


def test_a_sensor_of_one_turned_element_has_the_direction_of_its_beam() -> None:
    found = []
    for lines in (IN_ORDER, TURNED):
        model = bent(lines)
        names = []
        for force in fl.SectionForce:
            for place in (fl.SectionPlace.FIRST, fl.SectionPlace.LAST, 0.2):
                names.append(f"{force.value} {place}")
                sensor = fl.SectionForceSensor(
                    names[-1], beam="rod", component=force, at=place, element=3
                )
                model.add(sensor)
        results = fl.Static().solve(model.build())
        found.append([results.sensor(name)[-1] for name in names])
    close(found[1], found[0])


def diagram(results: fl.Results) -> Any:
    """Rows of the last output time along the beam."""
    table = results.to_dataframe("section_forces", "rod")
    table = table[table["time"] == results.times[-1]]
    # at a node the end of what comes before, then the start of what comes after
    ranks = table["place"].map({"second": 0, "middle": 1, "first": 2})
    arcs = table["arc_length"].round(9)
    return table.assign(rank=ranks, arcs=arcs).sort_values(
        ["arcs", "rank"], ignore_index=True
    )


@pytest.mark.parametrize("lines", [TURNED, SHUFFLED], ids=["turned", "shuffled"])
def test_tables_run_along_the_beam(
    plain: fl.Results, lines: Any, tmp_path: Any
) -> None:
    results = solved(lines)
    expected, found = diagram(plain), diagram(results)
    assert found["node"].tolist() == expected["node"].tolist()
    for column in ("arc_length", "start_x", "start_y", "start_z", *NAMES):
        close(found[column].to_numpy(), expected[column].to_numpy())
    fl.export_csv(results, tmp_path)
    written = pd.read_csv(tmp_path / "section_forces.csv")
    last = written[written["load_factor [1]"] == 1.0]
    arcs = np.sort(last["arc_length [m]"])
    close(arcs, np.sort(expected["arc_length"]))


def test_pictures_have_the_signs_of_the_beam_at_the_ends_of_elements(
    plain: fl.Results,
) -> None:
    expected = drawn_forces(run_of(plain), -1)
    found = drawn_forces(run_of(solved(TURNED)), -1)
    is_turned = [line[0] > line[1] for line in TURNED]
    # surfaces are swept from the first end of the element as it is meshed
    found[is_turned] = found[is_turned, ::-1]
    close(found, expected)


def test_lines_for_paraview_run_along_the_beam(
    plain: fl.Results, tmp_path: Any
) -> None:
    grids = []
    for k, results in enumerate((plain, solved(TURNED))):
        fl.export_vtu(results, tmp_path / f"{k}")
        grids.append(meshio.read(max((tmp_path / f"{k}").glob("*.vtu"))))
    expected, found = grids
    assert found.cells[0].data.tolist() == expected.cells[0].data.tolist()
    for name in NAMES:
        for place in ("first", "middle", "second"):
            key = f"{name}_{place}"
            close(found.cell_data[key][0], expected.cell_data[key][0])


def test_inside_a_modal_body_the_beam_has_one_direction_too() -> None:
    expected, found = (
        solved(lines, is_modal=True).section_forces("rod")[-1]
        for lines in (IN_ORDER, TURNED)
    )
    close(found, expected)


def test_a_beam_runs_as_its_first_element(plain: fl.Results) -> None:
    """All turned: from the tip to the root, axes -1, 2, -3, the other face of a cut."""
    forwards = plain.section_forces("rod")[-1]
    backwards = solved([line[::-1] for line in IN_ORDER]).section_forces("rod")[-1]
    # the wrench changes its sign, and once more what lies along the axes that turn
    close(backwards[:, ::-1], forwards * [1, -1, 1, 1, -1, 1])


def test_signs_in_a_turned_element_are_those_of_its_load() -> None:
    """Statics of a straight bar along x, section axes x, z, -y; no other run needed."""
    mesh = fl.mesh_from_arrays(
        [[k, 0, 0] for k in range(4)],
        [[0, 1], [2, 1], [3, 2]],
        node_groups={"root": [0], "tip": [3]},
        line_groups={"wire": [0, 1, 2]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="wire", section=STIFF))
    model.add(fl.Support("clamp", at="root"))
    model.add(fl.Force("push", at="tip", force=(1, 2, 3), moment=(4, 5, 6)))
    forces = fl.Static().solve(model.build()).section_forces("rod")[-1]
    for element in range(3):
        for end in range(2):
            arm = [3 - element - end, 0, 0]
            x, y, z = np.array([4, 5, 6]) + np.cross(arm, [1, 2, 3])
            expected = [1, 3, -2, x, z, -y]
            np.testing.assert_allclose(forces[element, end], expected, atol=1e-7)


def test_pieces_of_one_beam_have_a_direction_each() -> None:
    """Two posts: one runs upwards, one downwards, each with a turned element."""
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [0, 0, 1], [0, 0, 2], [3, 0, 0], [3, 0, 1], [3, 0, 2]],
        [[0, 1], [2, 1], [5, 4], [3, 4]],
        node_groups={"feet": [0, 3], "heads": [2, 5]},
        line_groups={"posts": [0, 1, 2, 3]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("posts", cells="posts", section=STIFF))
    model.add(fl.Support("feet", at="feet"))
    model.add(fl.Force("wind", at="heads", force=(7, 0, -1)))
    forces = fl.Static().solve(model.build()).section_forces("posts")[-1]
    # axis 2 is x both ways. Upwards axis 3 is y, with the moment 7 N (2 m - z) about
    # it; downwards it is -y, and the face the other one
    up, down = [-1, 7, 0, 0, 0], [-1, -7, 0, 0, 0]
    expected = np.zeros((4, 2, 6))
    expected[:2, :, :5], expected[2:, :, :5] = up, down
    expected[..., 5] = [[14, 7], [7, 0], [0, 7], [7, 14]]
    np.testing.assert_allclose(forces, expected, atol=1e-7)
