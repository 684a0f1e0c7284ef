"""What names stand for: nodes of groups and parts, released ends, parts of one name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main as command
from femlie.mesh import mesh_from_arrays

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
ROUND = fl.CircularSection(radius=0.01, material=STEEL)


def bent_rod() -> fl.Model:
    """Two lines of order 2 along x; every node is one of the beam."""
    mesh = mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [0.5, 0, 0], [2, 0, 0], [1.5, 0, 0]],
        [[0, 1, 2], [1, 3, 4]],
        node_groups={"root": [0], "joint": [1]},
        line_groups={"rod": [0, 1]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="rod", section=ROUND))
    return model


def test_names_mean_middle_nodes_too() -> None:
    model = bent_rod()
    model.add(fl.Support("all", at="rod"))
    assert model.build().dofs.n_frame_rows == 0
    model = bent_rod()
    model.add(fl.InitialMotion("push", on=("rod",), velocity=(0.0, 0.0, 2.0)))
    velocities = model.build().state.velocities[1:, :3]
    assert np.linalg.norm(velocities, axis=1) == pytest.approx(2.0 * np.ones(5))


def test_results_of_a_beam_come_in_the_order_of_its_lines() -> None:
    model = bent_rod()
    model.add(fl.Support("root", at="root"))
    results = fl.Static().solve(model.build())
    along = results.positions("rod")[-1, :, 0]
    assert along.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]


def hinged_rods() -> fl.Model:
    """Two beams with a hinge between them: the second one's start is released."""
    mesh = mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
        [[0, 1], [1, 2]],
        node_groups={"root": [0], "knee": [1], "tip": [2]},
        line_groups={"left": [0], "right": [1]},
    )
    model = fl.Model(mesh)
    for name in ("left", "right"):
        model.add(fl.Beam(name, cells=name, section=ROUND))
    model.add(
        fl.EndRelease("hinge", beam="right", at="knee", kind=fl.REVOLUTE,
                      axis=(0, 1, 0))
    )  # fmt: skip
    return model


def test_released_end_is_a_node_of_its_beam() -> None:
    model = hinged_rods()
    model.add(fl.InitialMotion("swing", on=("right",), velocity=(0.0, 0.0, 1.0)))
    system = model.build()
    moving = np.linalg.norm(system.state.velocities[:, :3], axis=1) > 0.5
    # both nodes of the right beam, and none of the left one
    frames = system.catalog.node_frames
    released = frames[system.catalog.groups["right"]]
    assert np.flatnonzero(moving).tolist() == sorted(released.tolist())
    assert set(frames[system.catalog.groups["left"]]).isdisjoint(released.tolist())
    # the mesh's own node stays with the left beam
    assert frames[1] in frames[system.catalog.groups["left"]]


def test_release_inside_a_beam_where_nothing_else_is_is_refused() -> None:
    model = bent_rod()
    model.add(fl.EndRelease("cut", beam="rod", at="joint"))
    with pytest.raises(fl.ModelError, match="nothing else is at node"):
        model.build()


def test_release_at_several_nodes_shows_all_coordinates(tmp_path: Path) -> None:
    mesh = mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]],
        [[0, 1], [1, 2], [2, 3]],
        node_groups={"ends": [0, 3], "knees": [1, 2]},
        line_groups={"outer": [0, 2], "inner": [1]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("outer", cells="outer", section=ROUND))
    model.add(fl.Beam("inner", cells="inner", section=ROUND))
    spring = fl.JointSpring(stiffness=50.0)
    model.add(
        fl.EndRelease("knee", beam="inner", at="knees", kind=fl.REVOLUTE,
                      axis=(0, 1, 0), spring=spring)
    )  # fmt: skip
    model.add(fl.Support("ends", at="ends"))
    model.add(fl.JointSensor("turn", joint="knee"))
    model.add(fl.LineLoad("load", on="inner", force=(0.0, 0.0, -10.0)))
    results = fl.Static().solve(model.build())
    angles = results.joint_coordinate("knee")[-1]
    assert angles.shape == (2,)
    # the model is its own mirror image
    assert angles[0] == pytest.approx(-angles[1], rel=1e-9)
    assert abs(angles[0]) > 1e-6
    assert results.sensor("turn")[-1] == pytest.approx(angles)
    assert results.sensor_columns("turn") == ("angle at node 1", "angle at node 2")
    assert results.joint_coordinate("knee", "angle").shape[-1] == 2
    table = results.to_dataframe("joints")
    assert set(table["coordinate"]) == {"angle at node 1", "angle at node 2"}
    assert fl.plot_history(results, "knee", tmp_path / "knee.png").is_file()


@pytest.mark.parametrize("at", [None, "root"])
def test_a_part_and_a_group_of_one_name_with_other_nodes_are_refused(at: Any) -> None:
    model = bent_rod()
    model.add(fl.Body("joint", at=at, mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fl.Force("push", at="joint", force=(1.0, 0.0, 0.0)))
    with pytest.raises(fl.ModelError, match="a part and a group of the mesh with"):
        model.build()


def test_a_body_may_have_the_name_of_the_group_that_it_sits_on() -> None:
    model = bent_rod()
    model.add(fl.Body("joint", at="joint", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fl.Force("push", at="joint", force=(1.0, 0.0, 0.0)))
    model.build()


def test_point_mass_on_a_body_can_be_named() -> None:
    model = fl.Model()
    model.add(fl.Body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fl.PointMass("knob", at="plate", mass=0.5))
    model.add(fl.Force("push", at="knob", force=(1.0, 0.0, 0.0)))
    assert model.build().summary["mass"] == 1.5


@pytest.mark.parametrize("same", [True, False], ids=["same object", "equal copy"])
def test_a_table_that_ends_as_it_begins_is_not_uniform(same: bool) -> None:
    thin = fl.CircularSection(radius=0.01, material=STEEL)
    thick = fl.CircularSection(radius=0.02, material=STEEL)
    last = thin if same else fl.CircularSection(radius=0.01, material=STEEL)
    table = fl.StationTable(stations=(0.0, 0.5, 1.0), sections=(thin, thick, last))
    mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=200, name="rod")
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="rod", section=table))
    # two cones: pi/3 (r1^2 + r1 r2 + r2^2) L
    cones = np.pi / 3.0 * (1e-4 + 2e-4 + 4e-4) * 7850.0
    system = model.build()
    assert system.summary["mass"] == pytest.approx(cones, rel=1e-4)
    # pictures show the change too
    assert len(system.catalog.beams.loops) > 100


TABLE_BY_NAME = """
mesh.line = {{ start = [0, 0, 0], end = [1, 0, 0], n_elements = 100, name = "rod" }}
material.steel = {{ young = 210e9, poisson = 0.3, density = 7850.0 }}
section.thin = {{ shape = "circle", radius = 0.01, material = "steel" }}
section.thick = {{ shape = "circle", radius = 0.02, material = "steel" }}
section.bulge = {{ shape = "stations", stations = [0, 0.5, 1], sections = [{names}] }}
beam.rod = {{ cells = "rod", section = "bulge" }}
"""


def test_sections_of_a_table_shared_by_name_are_a_table(tmp_path: Path) -> None:
    file = tmp_path / "model.toml"
    file.write_text(TABLE_BY_NAME.format(names='"thin", "thick", "thin"'))
    mass = fl.read_model(file).build().summary["mass"]
    assert mass == pytest.approx(np.pi / 3.0 * 7e-4 * 7850.0, rel=1e-3)


class SplitSpring:
    """Three frames in a row, held together by springs of 100 N/m."""

    n_multipliers = 0

    def residual(self, local: Any) -> Any:
        places = local.frames[:, :, :3, 3]
        force = np.zeros((len(places), 3, 6))
        for k, sign in ((0, 1.0), (1, 1.0)):
            pull = 100.0 * sign * (places[:, k] - places[:, k + 1])
            force[:, k, :3] += pull
            force[:, k + 1, :3] -= pull
        return force.reshape(len(places), -1)


def test_frames_between_the_first_and_the_last_are_connected_too() -> None:
    model = fl.Model()
    for k, name in enumerate(("a", "b", "c")):
        model.add(
            fl.Body(name, position=(float(k), 0, 0), mass=1.0, inertia=(1.0, 1.0, 1.0))
        )
    model.add(fl.UserElement("springs", at=("a", "b", "c"), element=SplitSpring()))
    summary = model.build().summary
    assert summary["disconnected_parts"] == 1


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (fl.Body, {"position": (1.0, 2.0)}, "position of Body 'x'.*three numbers"),
        (fl.Body, {"position": np.array([np.nan, 0, 0])}, "position.*finite"),
        (fl.Body, {"orientation": (1.0,)}, "orientation.*three numbers"),
        (fl.Body, {"inertia": np.array([1.0, np.inf, 1.0])}, "inertia.*finite"),
        (fl.Body, {"center": np.array([0.0, np.nan, 0.0])}, "center.*finite"),
        (
            fl.Bushing,
            {"first": "ground", "second": "y", "stiffness": (1.0,) * 6,
             "position": (0.0, 0.0)},
            "position of Bushing 'x'.*three numbers",
        ),
        (
            fl.Force,
            {"at": "y", "force": (1.0, 0, 0),
             "over_time": fl.Motion(value=np.sin, time_scale=0.0)},
            "time_scale.*more than zero",
        ),
    ],
)  # fmt: skip
def test_vectors_and_scales_are_looked_at(kind: Any, fields: Any, words: str) -> None:
    if kind is fl.Body:
        fields = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0), **fields}
    with pytest.raises(fl.ModelError, match=words):
        fl.Model().add(kind("x", **fields))


def test_a_class_is_no_sensor_by_its_name() -> None:
    class PressureSensor:
        name = "p"

    with pytest.raises(fl.ModelError, match="which is no part"):
        fl.Model().add(PressureSensor())


def test_a_surface_is_found_from_wherever_a_model_is_written(tmp_path: Path) -> None:
    for folder in ("first", "second/deep"):
        (tmp_path / folder).mkdir(parents=True)
    box = Path(__file__).parents[2] / "meshes" / "heavy_top.stl"
    (tmp_path / "first" / "top.stl").write_bytes(box.read_bytes())
    file = tmp_path / "first" / "model.toml"
    file.write_text(
        '[body.top]\nmass = 1.0\ninertia = [1, 1, 1]\nsurface = "top.stl"\n'
    )
    read = fl.read_model(file)
    copy = tmp_path / "second" / "deep" / "copy.toml"
    fl.write_model(read.model, None, copy)
    assert 'surface = "../../first/top.stl"' in copy.read_text()
    again = fl.read_model(copy).build()
    assert again.catalog.surfaces["top"].points.shape == (
        read.build().catalog.surfaces["top"].points.shape
    )


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["run", "model.toml", "--color", "speed"], "--picture"),
        (["view", "r.h5", "--animate", "f.gif", "--time", "1.0"], "--save"),
    ],
)
def test_options_without_effect_are_refused(
    arguments: list[str], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.toml").write_text(
        "[body.x]\nmass = 1.0\ninertia = [1, 1, 1]\n"
        '[analysis]\nmethod = "rattle"\nduration = 1.0\ntime_step = 0.1\n'
    )
    with pytest.raises(SystemExit) as caught:
        raise SystemExit(command(arguments))
    assert caught.value.code == 2
    assert word in capsys.readouterr().err
    assert not (tmp_path / "model_results").exists()
