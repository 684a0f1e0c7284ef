"""Shapes as parts: what they take, files, refusals, pictures, results by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main as command
from femlie.contact import _shapes as kinds
from femlie.lie import se3, so3
from tests.validation import contact_models as rods
from tests.validation import shape_models as models

KIND = fl.ShapeKind
QUICK = fl.Static(checks_stability=False)


def rod_model(*parts: Any, between: tuple[str, str] = ("rod", "shape")) -> fl.Model:
    """A clamped rod along the first axis, and something that it may touch."""
    model = fl.Model(rods.line("s", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), 4))
    model.add(fl.Beam("rod", cells="s", section=rods.section()))
    model.add(fl.Support("left", at="s_0"))
    model.add(fl.Support("right", at="s_1"))
    for part in parts:
        model.add(part)
    model.add(fl.Contact("touch", between=between))
    return model


BAD: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a sphere without a radius": ({"kind": KIND.SPHERE}, ["'shape'", "needs a radius"]),
    "a plane with a radius": (
        {"kind": KIND.PLANE, "radius": 1.0},
        ["plane", "no radius", "it takes axis"],
    ),
    "a capsule without a length": (
        {"kind": KIND.CAPSULE, "radius": 1.0},
        ["capsule", "needs a length"],
    ),
    "a radius of zero": ({"kind": KIND.SPHERE, "radius": 0.0}, ["radius", "zero"]),
    "a length of zero": (
        {"kind": KIND.CYLINDER, "radius": 1.0, "length": 0.0},
        ["length", "0", "positive"],
    ),
    "a flat box": (
        {"kind": KIND.BOX, "size": (1.0, 0.0, 1.0)},
        ["size", "three positive lengths"],
    ),
    "a box that is hollow": (
        {"kind": KIND.BOX, "size": (1.0, 1.0, 1.0), "inside": True},
        ["box", "no inside"],
    ),
    "an axis of zero": (
        {"kind": KIND.PLANE, "axis": (0.0, 0.0, 0.0)},
        ["axis", "zero"],
    ),
    "an unknown carrier": (
        {"kind": KIND.PLANE, "on": "rid"},
        ["Shape 'shape'", "'rid'", "rod"],
    ),
    "a file that is not there": (
        {"kind": KIND.SURFACE, "surface": "nowhere.stl"},
        ["Shape 'shape'", "nowhere.stl", "no file"],
    ),
    "a surface with a hole": (
        {
            "kind": KIND.SURFACE,
            "surface": fl.Surface(np.eye(3), np.array([[0, 1, 2]])),
        },
        ["'shape'", "closed"],
    ),
    "a sphere around a rod": (
        {"kind": KIND.SPHERE, "radius": 0.2},
        ["'rod'", "'shape'", "overlap"],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_it_is_refused_in_one_sentence(name: str) -> None:
    options, words = BAD[name]
    with pytest.raises((fl.ModelError, fl.MeshError)) as caught:
        QUICK.solve(rod_model(fl.Shape("shape", **options)).build())
    text = str(caught.value)
    assert "\n" not in text
    assert not [word for word in words if word not in text], text


def test_one_rigid_thing_does_not_touch_itself() -> None:
    shape = fl.Shape("shape", KIND.PLANE, position=(0.0, 0.0, -1.0))
    with pytest.raises(fl.ModelError, match=r"'shape' and itself.*rigid"):
        rod_model(shape, between=("shape", "shape")).build()


def test_body_without_geometry_is_refused_by_name() -> None:
    body = fl.Body("shape", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(fl.ModelError, match=r"body 'shape'.*no shape.*solid"):
        rod_model(body).build()


def items(*parts: Any, name: str = "shape") -> Any:
    contact = rod_model(*parts, between=("rod", name)).build().contact
    assert contact is not None
    return contact.shapes.items


def test_joined_solids_are_all_their_shapes() -> None:
    below = np.eye(4)
    below[2, 3] = -0.3
    hammer = fl.combine(
        fl.box((0.2, 0.1, 0.1), density=1.0),
        fl.cylinder(0.02, 0.5, density=1.0).moved(below),
    )
    body = fl.Body("shape", solid=hammer, position=(0.0, 3.0, 0.0))
    found = items(body)
    assert [item.kind for item in found] == [kinds.BOX, kinds.CYLINDER]
    np.testing.assert_allclose(found[1].offset[:3], (0.0, 0.0, -0.3), atol=1e-15)


def test_axes_of_shapes_are_those_said() -> None:
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    (plane,) = items(
        fl.Shape("shape", KIND.PLANE, axis=tuple(axis), position=(0.0, 0.0, 9.0))
    )
    turn = np.asarray(rotation_of(plane.offset))
    np.testing.assert_allclose(turn[:, 2], axis, atol=1e-15)
    (box,) = items(
        fl.Shape(
            "shape",
            KIND.BOX,
            size=(1.0, 2.0, 3.0),
            orientation=(0.1, 0.2, 0.3),
            position=(0.0, 9.0, 0.0),
        )
    )
    np.testing.assert_allclose(
        rotation_of(box.offset), so3.exp(np.array([0.1, 0.2, 0.3])), atol=1e-14
    )
    assert box.dimensions == (0.5, 1.0, 1.5)


def rotation_of(pose: Any) -> Any:
    return se3.frame_from_pose(pose)[:3, :3]


TEXT = """
mesh.line = { start = [-0.5, 0, 0], end = [0.5, 0, 0], n_elements = 4, name = "s", start_name = "s_0", end_name = "s_1" }
material.soft = { young = 1e9, poisson = 0.3, density = 1000.0 }
section.round = { shape = "circle", radius = 0.01, material = "soft", shear_factors = [1.0, 1.0] }
beam.rod = { cells = "s", section = "round" }
support.left = { at = "s_0" }
support.right = { at = "s_1" }
shape.floor = { kind = "plane", position = [0, 0, -0.01] }
shape.bore = { kind = "cylinder", radius = 0.5, axis = [1, 0, 0], inside = true }
body.ball = { solid = { shape = "sphere", radius = 0.1, density = 1000.0 }, position = [0, 0, 0.2] }
contact.touch = { between = ["rod", "floor"] }
contact.wall = { between = ["rod", "bore"] }
contact.hit = { between = ["ball", "rod"] }
[analysis]
method = "static"
"""  # noqa: E501


def test_model_file_says_the_same_as_a_script(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(TEXT)
    model = fl.read_model(path).model
    other = rod_model(
        fl.Shape("floor", KIND.PLANE, position=(0.0, 0.0, -0.01)),
        fl.Shape("bore", KIND.CYLINDER, radius=0.5, axis=(1.0, 0.0, 0.0), inside=True),
        fl.Body("ball", solid=fl.sphere(0.1, density=1000.0), position=(0, 0, 0.2)),
        between=("rod", "floor"),
    )
    other.add(fl.Contact("wall", between=("rod", "bore")))
    other.add(fl.Contact("hit", between=("ball", "rod")))
    assert [model.parts[name] for name in ("floor", "bore")] == [
        other.parts[name] for name in ("floor", "bore")
    ]
    found, expected = (one.build().contact for one in (model, other))
    assert found is not None
    assert expected is not None
    np.testing.assert_array_equal(found.shapes.table, expected.shapes.table)


def test_written_model_file_has_the_shapes_of_solids(tmp_path: Path) -> None:
    solid = fl.combine(fl.box((1.0, 1.0, 1.0), density=1.0))
    model = rod_model(fl.Body("shape", solid=solid, position=(0.0, 0.0, 2.0)))
    fl.write_model(model, None, tmp_path / "model.toml")
    again = fl.read_model(tmp_path / "model.toml").model.build().contact
    assert again is not None
    assert [item.kind for item in again.shapes.items] == [kinds.BOX]


def test_check_names_shapes_and_contacts(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "model.toml"
    path.write_text(TEXT)
    assert command(["check", str(path)]) == 0
    text = capsys.readouterr().out
    assert "shape" in text
    assert "between 'rod' and 'floor'" in text


SHOWN = {
    "plane": fl.Shape("shape", KIND.PLANE, position=(0.0, 0.0, -1.0)),
    "sphere": fl.Shape("shape", KIND.SPHERE, radius=0.5, position=(0.0, 0.0, -1.0)),
    "drum": fl.Shape("shape", KIND.CYLINDER, radius=0.5, position=(0.0, 0.0, -1.0),
                     axis=(0.0, 1.0, 0.0)),
    "disk": fl.Shape("shape", KIND.CYLINDER, radius=0.5, length=0.1,
                     position=(0.0, 0.0, -1.0)),
    "bore": fl.Shape("shape", KIND.CYLINDER, radius=0.5, length=3.0, inside=True,
                     axis=(1.0, 0.0, 0.0)),
    "capsule": fl.Shape("shape", KIND.CAPSULE, radius=0.2, length=0.3,
                        position=(0.0, 0.0, -1.0)),
    "box": fl.Shape("shape", KIND.BOX, size=(0.4, 0.5, 0.6), position=(0, 0, -1.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_surface_that_is_drawn_lies_on_the_shape(name: str) -> None:
    """All corners are at distance zero, and facets see what is outside."""
    system = rod_model(SHOWN[name]).build()
    surface = system.catalog.surfaces["shape"]
    assert system.contact is not None
    shapes, poses = system.contact.shapes, system.state.poses
    corners = surface.points[surface.triangles]
    distance = shapes.distances(0, poses, corners)
    assert np.abs(distance).max() < 1e-9
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    above = corners.mean(axis=1) + 0.01 * normals
    assert np.all(shapes.distances(0, poses, above) > 0.0)


def test_results_hold_forces_on_shapes_by_their_contacts(tmp_path: Path) -> None:
    results = QUICK.solve(models.rod_over_edge(10, 0.01), load_steps=2)
    total = results.contact.total("touch")[-1]
    forces = results.contact.forces("rod")[-1].sum(axis=0)
    np.testing.assert_allclose(forces, total, atol=1e-12)
    assert list(results.to_dataframe("contacts")["second"]) == ["block"] * 3
    results.save(tmp_path / "edge.h5")
    again = fl.load_results(tmp_path / "edge.h5")
    np.testing.assert_array_equal(again.contact.total("touch")[-1], total)
    assert "block" in again.layout.catalog.surfaces


def test_run_of_turned_model_is_turned() -> None:
    """Everything turned about a skew axis: the same force."""
    turn = so3.exp(np.array([0.4, -0.3, 0.8]))
    sizes = []
    for whole in (np.eye(3), turn):
        ends = [tuple(whole @ (x, 0.0, 0.0)) for x in (-0.5, 0.5)]
        model = fl.Model(rods.line("s", *ends, 10))
        orientation = tuple(whole @ (0.0, 0.0, 1.0))
        model.add(
            fl.Beam("rod", cells="s", section=rods.section(), orientation=orientation)
        )
        for end in "01":
            way = tuple(whole @ (0.0, 0.0, -0.01))
            model.add(fl.Support(f"hold {end}", at=f"s_{end}", displacement=way))
        place = tuple(whole @ (0.0, 0.0, -0.05 - rods.RADIUS))
        axis = tuple(whole @ (0.0, 1.0, 0.0))
        model.add(
            fl.Shape("drum", KIND.CYLINDER, radius=0.05, position=place, axis=axis)
        )
        model.add(fl.Contact("touch", between=("rod", "drum")))
        results = QUICK.solve(model.build(), load_steps=2)
        sizes.append(results.contact.total_size("touch")[-1])
    assert sizes[1] == pytest.approx(sizes[0], rel=1e-9)


def test_search_of_features_finds_all_pairs_of_two_boxes() -> None:
    """Eight corners and twelve edges of each on the other, and crossing edges."""
    model = fl.Model()
    for k in range(2):
        solid = fl.box((0.2, 0.2, 0.2), density=1.0)
        model.add(fl.Body(f"box {k}", solid=solid, position=(0.0, 0.0, 0.5 * k)))
    model.add(fl.Contact("touch", between=("box 0", "box 1")))
    contact = model.build().contact
    assert contact is not None
    assert len(contact.crossings) == 144
    assert contact.has_bodies
    assert not contact.segments.identities[:, 2:4].any()
