"""Reduction of modal bodies, and what the model and results know of their inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import Assembly
from femlie.build.beams import beam_block, beam_elements
from femlie.build.modal_reduction import BeamMesh, mesh_matrices, reduce_mesh
from femlie.build.signals import SignalTable
from femlie.cli.report import model_report
from femlie.lie import se3, so3
from femlie.records import Records, layout_of
from femlie.recovery import whole_records
from femlie.view.run import body_frames, run_of
from femlie.view.scene import Look, layers_of, scene_of
from tests.sample_elements import forked_body

STEEL = fl.Material(young=2e11, poisson=0.3, density=7800.0)
BAR = fl.RectangularSection(
    height=0.03, width=0.02, material=STEEL, offset=(0.004, 0.002), damping_time=1e-4
)


def arc(t: float) -> tuple[float, float, float]:
    return (np.sin(1.2 * t), 1.0 - np.cos(1.2 * t), 0.2 * t)


def bent_mesh(n: int = 6) -> fl.Mesh:
    return fl.mesh_from_curve(arc, n_elements=n, name="rod")


def bent_beam() -> fl.Beam:
    return fl.Beam(
        "rod",
        cells="rod",
        section=BAR,
        curve=fl.SMOOTH,
        added_mass=0.7,
        start_offset=(0.0, 0.01, 0.02),
        end_offset=(0.0, 0.01, 0.02),
    )


def model_of(*parts: Any, n: int = 6, **options: Any) -> fl.Model:
    model = fl.Model(bent_mesh(n))
    model.add(bent_beam())
    given = {"interfaces": ("start", "end"), "n_modes": 4, **options}
    model.add(fl.ModalBody("arm", beams=("rod",), **given))
    for part in parts:
        model.add(part)
    return model


def mesh_of_beam() -> BeamMesh:
    mesh = bent_mesh()
    beam = beam_elements(bent_beam(), mesh)
    identity = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (6, 2, 1))
    block = beam_block([beam], np.zeros((6, 2), int), identity, SignalTable())
    return BeamMesh(mesh.points, beam.nodes, beam.ends, block.parameters)


def in_world_axes(system: Any, matrix: Any) -> Any:
    """Matrix of a free model by motions of its nodes in world axes."""
    catalog, n = system.catalog, len(system.catalog.node_frames)
    back = np.zeros((6 * n, 6 * n))
    for node, frame in enumerate(catalog.node_frames):
        offset = se3.frame_from_pose(catalog.node_offsets[node])
        rows = system.dofs.numbers[frame]
        back[rows, 6 * node : 6 * node + 6] = se3.adjoint(offset)
    return back.T @ matrix @ back


def test_matrices_of_the_mesh_are_those_of_the_beams() -> None:
    model = fl.Model(bent_mesh())
    model.add(bent_beam())
    system = model.build()
    assembly = Assembly(system)
    stiffness, mass = mesh_matrices(mesh_of_beam())
    for own, weights in ((stiffness, (0.0, 1.0)), (mass, (1.0, 0.0))):
        tangent = assembly.tangent(
            system.state, 0, mass=weights[0], stiffness=weights[1]
        )
        expected = in_world_axes(system, tangent.toarray())
        scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
        np.testing.assert_allclose(own.toarray() / scale, expected / scale, atol=1e-12)


def test_reduction_matches_condensed_stiffness_and_projected_mass() -> None:
    mesh = mesh_of_beam()
    ports = [np.array([0]), np.array([6])]
    reduction = reduce_mesh(mesh, ports, 3)
    stiffness = mesh_matrices(mesh)[0].toarray()
    free, held = np.arange(6, 36), np.arange(36, 42)
    condensed = stiffness[np.ix_(held, held)] - stiffness[
        np.ix_(held, free)
    ] @ np.linalg.solve(stiffness[np.ix_(free, free)], stiffness[np.ix_(free, held)])
    scale = np.sqrt(np.outer(np.diag(condensed), np.diag(condensed)))
    given = reduction.stiffness[:6, :6]
    np.testing.assert_allclose(given / scale, condensed / scale, atol=1e-8)
    system = model_of(n_modes=3).build()
    inertia = Assembly(system).tangent(system.state, 0, mass=1.0, stiffness=0.0)
    rigid = np.tile(np.eye(6), (7, 1))
    rigid.reshape(7, 6, 6)[:, :3, 3:] = -so3.hat(mesh.places)
    shapes = np.hstack([rigid, reduction.shapes.reshape(42, -1)])
    projected = shapes.T @ mesh_matrices(mesh)[1] @ shapes
    # unknowns move frames: of the second interface only what it does beyond the motion
    # of the body is a shape
    change = np.eye(15)
    change[6:12, :6] = -rigid[36:42]
    expected = change.T @ projected @ change
    np.testing.assert_allclose(
        inertia.toarray(), expected, atol=1e-11 * np.abs(expected).max()
    )


def test_interfaces_that_are_tied_move_as_one() -> None:
    model = forked_body()
    model.add(fl.RigidLink("tie", at=("left", "right")))
    model.add(fl.Support("foot", at="stem"))
    model.add(fl.Force("push", at="left", force=(1e-5, 2e-5, -3e-5)))
    plain = fl.Model(model.mesh)
    for name, part in model.parts.items():
        if name != "body":
            plain.add(part)
    assert model.build().blocks[-1].frames.shape == (1, 2 + 2)
    tips = [tip_of(one, "right") for one in (model, plain)]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-4 * np.abs(tips[1]).max())


def tip_of(model: fl.Model, name: str = "end") -> Any:
    return fl.Static().solve(model.build()).displacements(name)[-1]


def test_size_summary_and_motion_leave_amplitudes_out() -> None:
    shifted = fl.mesh_from_arrays(
        bent_mesh().points + [50.0, 0.0, 0.0],
        bent_mesh().lines,
        node_groups={"start": [0], "end": [6]},
        line_groups={"rod": np.arange(6)},
    )
    model, plain = fl.Model(shifted), fl.Model(shifted)
    for one in (model, plain):
        one.add(bent_beam())
        spin = (0.1, 0.2, 0.3)
        one.add(fl.InitialMotion("spin", angular_velocity=spin, velocity=(1, 2, 3)))
    model.add(fl.ModalBody("arm", beams=("rod",), interfaces=("start", "end")))
    ours, theirs = model.build(), plain.build()
    box = np.linalg.norm(np.ptp(shifted.points, axis=0))
    assert ours.size == pytest.approx(box, rel=1e-12)
    for key in ("nodes", "mass", "length", "beams"):
        assert ours.summary[key] == pytest.approx(theirs.summary[key], rel=1e-12)
    assert ours.summary["floating_parts"] == theirs.summary["floating_parts"] == 1
    amplitudes = ours.catalog.amplitude_frames
    assert amplitudes.size == 2
    assert not np.any(ours.state.velocities[amplitudes])
    assert np.all(ours.dofs.numbers[amplitudes, 3:] < 0)


def random_records(system: Any, seed: int, size: float) -> Any:
    """Records of one arbitrary state, and the layout."""
    rng = np.random.default_rng(seed)
    layout = layout_of(system)
    free = system.dofs.numbers >= 0
    step = size * rng.normal(size=free.shape) * free
    rates = rng.normal(size=free.shape) * free
    changes = rng.normal(size=free.shape) * free
    poses = se3.compose_poses(system.state.poses, se3.pose_from_frame(se3.exp(step)))
    shapes = layout.shapes()
    rows = {name: np.zeros((1, *shape)) for name, shape in shapes.items()}
    rows |= {"poses": poses[None], "velocities": rates[None]}
    rows["accelerations"] = changes[None]
    return Records(**rows), layout


def stepped(records: Any, h: float) -> Any:
    """The same after a small time, to second order."""
    way = h * records.velocities + 0.5 * h * h * records.accelerations
    poses = se3.compose_poses(records.poses, se3.pose_from_frame(se3.exp(way)))
    return records._replace(
        poses=poses, velocities=records.velocities + h * records.accelerations
    )


def test_inner_nodes_move_with_the_rates_of_their_places() -> None:
    system = forked_body().build()
    records, layout = random_records(system, 3, 0.1)
    h = 1e-4
    here = whole_records(layout, records)
    after, before = (
        whole_records(layout, stepped(records, sign * h)) for sign in (1.0, -1.0)
    )
    inner = slice(layout.n_frames, None)
    way = se3.relative_log(before.poses[:, inner], after.poses[:, inner]) / (2 * h)
    np.testing.assert_allclose(here.velocities[:, inner], way, atol=1e-6)
    rate = (after.velocities - before.velocities)[:, inner] / (2 * h)
    np.testing.assert_allclose(here.accelerations[:, inner], rate, atol=1e-6)
    assert whole_records(layout, here) is here


def test_inner_nodes_follow_a_rigid_motion() -> None:
    system = forked_body().build()
    layout = layout_of(system)
    rigid = se3.pose_from_frame(se3.exp([1.0, 2.0, 3.0, 0.5, -0.8, 1.1]))
    records, _ = random_records(system, 1, 0.0)
    poses = se3.compose_poses(rigid, records.poses[0])
    kept = system.catalog.amplitude_frames
    poses[kept] = records.poses[0, kept]
    whole = whole_records(layout, records._replace(poses=poses[None]))
    expected = se3.compose_poses(rigid, layout.start[layout.n_frames :])
    given = whole.poses[0, layout.n_frames :]
    np.testing.assert_allclose(given[:, :3], expected[:, :3], atol=1e-14)
    apart = se3.relative_log(expected, given)
    np.testing.assert_allclose(apart, 0.0, atol=1e-14)


def loaded(tip: float = 1.0) -> tuple[fl.Model, fl.Model]:
    parts = (
        fl.Support("foot", at="start"),
        fl.Force("push", at="end", force=(0.0, 0.3 * tip, tip)),
    )
    plain = fl.Model(bent_mesh())
    plain.add(bent_beam())
    for part in parts:
        plain.add(part)
    return model_of(*parts), plain


def test_results_show_the_inside_by_the_same_names() -> None:
    modal, plain = (fl.Static().solve(model.build()) for model in loaded(0.1))
    for name in ("rod", "end", 3):
        given, expected = modal.displacements(name), plain.displacements(name)
        assert given.shape == expected.shape
        np.testing.assert_allclose(given, expected, atol=1e-4 * np.abs(expected).max())
    given, expected = modal.section_forces("rod"), plain.section_forces("rod")
    assert given.shape == expected.shape
    np.testing.assert_allclose(given, expected, atol=1e-4 * np.abs(expected).max())
    assert modal.positions("arm").shape == plain.positions("rod").shape
    table = modal.to_dataframe("section_forces", "rod")
    assert len(table) == len(plain.to_dataframe("section_forces", "rod"))
    ours, theirs = (r.summary["balance"] for r in (modal, plain))
    np.testing.assert_allclose(ours["loads"], theirs["loads"], atol=1e-7)


def test_results_come_back_from_a_file_with_their_inside(tmp_path: Path) -> None:
    model, _ = loaded()
    model.add(fl.PointSensor("middle", at=3))
    results = fl.Static().solve(model.build())
    results.save(tmp_path / "run.h5")
    again = fl.load_results(tmp_path / "run.h5")
    np.testing.assert_array_equal(again.positions("rod"), results.positions("rod"))
    given, expected = again.section_forces("rod"), results.section_forces("rod")
    np.testing.assert_array_equal(given, expected)
    np.testing.assert_allclose(again.sensor("middle"), results.positions(3))
    fl.export_csv(results, tmp_path / "tables")
    fl.export_vtu(results, tmp_path / "vtu")


@pytest.mark.parametrize("kind", ["gravity", "line load", "moments"])
def test_spread_loads_act_as_on_the_beam(kind: str) -> None:
    load: Any = {
        "gravity": fl.Gravity("down", acceleration=(0.3, 0.2, -1.0)),
        "line load": fl.LineLoad(
            "wind", on="rod", force=(2.0, 3.0, -5.0), projected=True
        ),
        "moments": fl.LineLoad("twist", on="rod", moment=(0.2, 0.3, -0.5)),
    }[kind]
    plain = fl.Model(bent_mesh())
    plain.add(bent_beam())
    for part in (fl.Support("foot", at="start"), load):
        plain.add(part)
    model = model_of(fl.Support("foot", at="start"), load, n_modes=30)
    given, expected = (
        fl.Static().solve(one.build()).displacements("rod") for one in (model, plain)
    )
    np.testing.assert_allclose(given, expected, atol=2e-4 * np.abs(expected).max())
    ours, theirs = (
        fl.Static().solve(one.build()).summary["balance"]["loads"]
        for one in (model, plain)
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3 * np.abs(theirs).max())


def test_every_option_acts() -> None:
    base = model_of().build()
    for options in ({"n_modes": 5}, {"interfaces": ("end", "start")}):
        other = model_of(**options).build()
        assert other.digests["arm"] != base.digests["arm"]
        blocks = [s.blocks[-1].parameters for s in (base, other)]
        same = blocks[0].shape == blocks[1].shape
        assert not (same and np.array_equal(*blocks))


def test_exchanged_interfaces_give_the_same_body() -> None:
    parts = (
        fl.Support("foot", at="start"),
        fl.Force("push", at="end", force=(0.0, 300.0, 800.0)),
    )
    first = tip_of(model_of(*parts))
    second = tip_of(model_of(*parts, interfaces=("end", "start")))
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-9 * np.abs(first).max())


def test_model_file_says_the_same(tmp_path: Path) -> None:
    model, _ = loaded()
    fl.write_model(model, None, tmp_path / "model.toml")
    again = fl.read_model(tmp_path / "model.toml")
    assert again.model.parts["arm"] == model.parts["arm"]


def test_pictures_show_the_bent_body() -> None:
    model, _ = loaded(3e3)
    results = fl.Static().solve(model.build())
    run = run_of(results)
    assert run.poses.shape[1] == len(run.start)
    last = len(run.times) - 1
    scene = scene_of(run, [last], "bending_moment", 1.0, Look())
    (layer,) = [x for x in layers_of(scene, last) if x.name.startswith("beams")]
    ends = results.positions("rod")[-1]
    tip = ends[np.argmax(np.linalg.norm(ends - ends[0], axis=1))]
    near = np.linalg.norm(layer.patch.points - tip, axis=1).min()
    assert near < 0.05
    assert np.ptp(layer.values) > 0.0


def test_tree_names_what_lies_inside_a_modal_body() -> None:
    tree = fl.Tree(model_of().build())
    assert "arm.amplitude_4" in tree.coordinates
    body, _ = tree.point("end")
    assert body >= 0
    model = forked_body()
    mesh = model.mesh
    inner = fl.mesh_from_arrays(
        mesh.points,
        mesh.lines,
        node_groups={**mesh.node_groups, "knee": [3]},
        line_groups={"all": np.arange(6)},
    )
    whole = fl.Model(inner)
    for part in model.parts.values():
        whole.add(part)
    with pytest.raises(fl.ModelError, match="'knee' lies inside a modal body"):
        fl.Tree(whole.build()).point("knee")


def test_summary_tells_interfaces_and_frequencies(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(MODEL_FILE, encoding="utf-8")
    file = fl.read_model(path)
    system = file.model.build()
    words = model_report(file, system)
    (line,) = [row for row in words.splitlines() if "modal body" in row]
    first = system.summary["modal_bodies"]["arm"]["frequencies"][0]
    assert "2 interfaces" in line
    assert f"{first:.6g}"[:5] in line
    assert not body_frames(system.catalog)


MODEL_FILE = """
mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 4, name = "rod" }
material.steel = { young = 2e11, poisson = 0.3, density = 7800.0 }
section.bar = { shape = "circle", radius = 0.01, material = "steel" }
beam.rod = { cells = "rod", section = "bar" }
modal_body.arm = { beams = ["rod"], interfaces = ["start", "end"], n_modes = 2 }
support.foot = { at = "start" }
"""


def test_tree_refuses_a_ring_of_modal_bodies() -> None:
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [0.5, 0.2, 0], [1, 0, 0], [0.5, -0.2, 0]],
        [[0, 1], [1, 2], [2, 3], [3, 0]],
        node_groups={"left": [0], "right": [2]},
        line_groups={"upper": [0, 1], "lower": [2, 3]},
    )
    model = fl.Model(mesh)
    for name in ("upper", "lower"):
        model.add(fl.Beam(name, cells=name, section=BAR))
        ports = ("left", "right")
        model.add(fl.ModalBody(f"{name} body", (name,), ports, n_modes=2))
    system = model.build()
    with pytest.raises(fl.ModelError, match="modal bodies make a ring"):
        fl.Tree(system)
    assert fl.Modal(n_modes=7).solve(system).frequencies[6] > 1.0


def test_a_body_without_mass_names_a_frame_at_an_interface() -> None:
    model = forked_body()
    model.add(fl.Body("tool", position=(2.0, 0.8, 0.2), mass=0.0))
    model.add(fl.RigidLink("tie", at=("left", "tool")))
    frames = model.build().catalog.node_frames
    assert frames[-1] == frames[4]
