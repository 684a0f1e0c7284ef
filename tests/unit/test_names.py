"""Which nodes a name stands for, and what parts at it do there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from tests.unit.sample_parts import ROUND, RUBBER

CLAMP = fl.SupportKind.CLAMPED


def curved() -> fl.Mesh:
    """Two lines of order 2 in a row along x, with middle nodes 3 and 4."""
    points = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0.5, 0, 0], [1.5, 0, 0]]
    return fl.mesh_from_arrays(
        points,
        [[0, 1, 3], [1, 2, 4]],
        node_groups={"root": [0], "corners": [0, 1, 2]},
        line_groups={"rod": [0, 1], "first": [0]},
    )


def straight(**groups: Any) -> fl.Mesh:
    """Four lines along x in two groups, ``left`` and ``right``."""
    points = [[0.5 * k, 0, 0] for k in range(5)]
    lines = [[k, k + 1] for k in range(4)]
    named = {"root": [0], "middle": [2], "tip": [4], **groups}
    return fl.mesh_from_arrays(
        points, lines, node_groups=named, line_groups={"left": [0, 1], "right": [2, 3]}
    )


def build(mesh: fl.Mesh, *parts: Any) -> Any:
    model = fl.Model(mesh)
    for part in parts:
        model.add(part)
    return model.build()


def released(*more: Any, name: str = "second") -> Any:
    """Two beams in a row; the second is released where they meet."""
    return build(
        straight(),
        fl.Beam("first", cells="left", section=ROUND),
        fl.Beam(name, cells="right", section=ROUND),
        fl.EndRelease("hinge", beam=name, at="middle", kind=fl.REVOLUTE),
        fl.Support("foot", at="root"),
        *more,
    )


def spins(system: Any, name: str) -> Any:
    """(k,) angular speeds of the nodes of a name at the start."""
    frames = system.catalog.node_frames[system.catalog.groups[name]]
    return np.linalg.norm(system.state.velocities[frames, 3:], axis=1)


def test_lines_of_order_two_hold_their_middle_nodes_in_order() -> None:
    assert curved().nodes("rod").tolist() == [0, 3, 1, 4, 2]
    assert curved().nodes("first").tolist() == [0, 3, 1]


def test_what_is_named_twice_in_a_group_counts_once() -> None:
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0]],
        [[0, 1]],
        node_groups={"tip": [1, 1]},
        line_groups={"rod": [0, 0]},
    )
    assert mesh.nodes("tip").tolist() == [1]
    assert mesh.lines_of("rod").tolist() == [0]


def test_support_on_lines_of_order_two_holds_their_middle_nodes() -> None:
    system = build(
        curved(),
        fl.Beam("beam", cells="rod", section=ROUND),
        fl.Support("bed", at="first", kind=CLAMP),
    )
    assert system.dofs.n_frame_rows == 2 * 6


def test_initial_motion_of_lines_of_order_two_moves_their_middle_nodes() -> None:
    system = build(
        curved(),
        fl.Beam("beam", cells="rod", section=ROUND),
        fl.InitialMotion("push", on=("rod",), velocity=(0.0, 0.0, 2.0)),
    )
    kinetic = 0.5 * np.sum(system.state.velocities[1:, :3] ** 2, axis=1)
    np.testing.assert_allclose(kinetic, 2.0)


def test_a_name_of_corner_nodes_and_of_their_curved_lines_is_ambiguous() -> None:
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [0.5, 0, 0]],
        [[0, 1, 2]],
        node_groups={"rod": [0, 1]},
        line_groups={"rod": [0], "cells": [0]},
    )
    beam = fl.Beam("beam", cells="cells", section=ROUND)
    with pytest.raises(fl.ModelError, match=r"nodes.*lines with other nodes"):
        build(mesh, beam, fl.Support("foot", at="rod"))


def test_nodes_of_a_beam_are_the_ends_of_its_elements() -> None:
    system = released()
    nodes = system.catalog.groups["second"]
    assert nodes.tolist() == system.catalog.beams.nodes[[2, 2, 3], [0, 1, 1]].tolist()
    assert nodes[0] >= 5  # its own end, not the node of the mesh
    assert system.catalog.groups["first"].tolist() == [0, 1, 2]


def test_initial_motion_of_a_beam_moves_its_released_end() -> None:
    spin = fl.InitialMotion(
        "spin", on=("second",), angular_velocity=(0, 0, 3.0), about=(1.0, 0, 0)
    )
    system = released(spin)
    np.testing.assert_allclose(spins(system, "second"), 3.0)
    np.testing.assert_allclose(spins(system, "first"), 0.0)


@pytest.mark.parametrize("name", ["second", "right"])
def test_initial_motion_of_lines_moves_ends_released_within(name: str) -> None:
    spin = fl.InitialMotion("spin", on=("right",), angular_velocity=(0, 0, 3.0))
    system = released(spin, name=name)
    np.testing.assert_allclose(spins(system, name), 3.0)


def test_initial_motion_of_lines_leaves_ends_released_from_them() -> None:
    system = released(fl.InitialMotion("go", on=("left",), angular_velocity=(0, 0, 1)))
    assert spins(system, "second")[0] == 0.0


def test_support_of_a_beam_holds_its_own_end_and_one_of_a_group_the_node() -> None:
    by_part = released(fl.Support("bed", at="second"))
    by_group = released(fl.Support("bed", at="right"))
    frames = {
        name: system.catalog.node_frames[system.catalog.groups["second"][0]]
        for name, system in (("part", by_part), ("group", by_group))
    }
    assert np.all(by_part.dofs.numbers[frames["part"]] < 0)
    assert np.all(by_group.dofs.numbers[frames["group"]] >= 0)
    assert np.all(by_group.dofs.numbers[by_group.catalog.node_frames[2]] < 0)


def test_a_beam_with_the_name_of_its_lines_may_be_released() -> None:
    system = released(fl.Force("push", at="right", force=(0, 0, 1)), name="right")
    assert system.catalog.groups["right"][0] >= 5


def test_a_beam_has_the_nodes_of_its_lines_where_a_group_of_nodes_has_the_name() -> (
    None
):
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
        [[0, 1], [1, 2]],
        node_groups={"rod": [0]},
        line_groups={"rod": [0, 1]},
    )
    system = build(mesh, fl.Beam("beam", cells="rod", section=ROUND))
    assert system.catalog.groups["beam"].tolist() == [0, 1, 2]


LUMP = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def test_a_body_with_the_name_of_a_group_is_tied_to_it() -> None:
    system = build(
        straight(),
        fl.Beam("first", cells="left", section=ROUND),
        fl.Body("middle", at="middle", **LUMP),
    )
    frames = system.catalog.node_frames
    assert frames[system.catalog.groups["middle"]].tolist() == [frames[2]]


def test_a_body_with_the_name_of_nodes_that_it_does_not_tie_is_refused() -> None:
    rod = fl.Beam("first", cells="left", section=ROUND)
    for at in ("root", None):
        with pytest.raises(fl.ModelError, match=r"'middle'.*part and a group"):
            build(straight(), rod, fl.Body("middle", at=at, **LUMP))


def test_a_part_with_the_name_of_other_lines_is_refused() -> None:
    mesh = straight(right=[0, 1, 2])
    rod = fl.Beam("right", cells="left", section=ROUND)
    with pytest.raises(fl.ModelError, match=r"'right'.*part and a group"):
        build(mesh, rod)


def test_a_support_with_the_name_of_other_nodes_is_refused() -> None:
    rod = fl.Beam("first", cells="left", section=ROUND)
    build(straight(), rod, fl.Support("root", at="root"))
    with pytest.raises(fl.ModelError, match=r"'middle' has the name of a group"):
        build(straight(), rod, fl.Support("middle", at="root"))


def test_a_body_at_a_part_lies_where_the_part_does() -> None:
    system = build(
        straight(),
        fl.PointMass("lump", at="tip", mass=1.0),
        fl.Body("bob", at="lump", **LUMP),
    )
    frame = system.catalog.node_frames[system.catalog.groups["bob"][0]]
    np.testing.assert_allclose(system.state.poses[frame, :3], [2.0, 0.0, 0.0])


def test_a_body_at_a_body_needs_a_position() -> None:
    first, second = fl.Body("first", **LUMP), fl.Body("second", at="first", **LUMP)
    with pytest.raises(fl.ModelError, match=r"'second'.*'first'.*position"):
        build(straight(), first, second)


def test_a_point_mass_on_a_body_has_the_nodes_of_the_body() -> None:
    system = build(
        straight(),
        fl.Body("bob", position=(0, 1, 0), **LUMP),
        fl.PointMass("lump", at="bob", mass=1.0),
        fl.Force("push", at="lump", force=(1, 0, 0)),
    )
    assert system.catalog.groups["lump"].tolist() == [5]
    assert system.summary["mass"] == pytest.approx(2.0)


def test_point_masses_that_name_each_other_are_refused() -> None:
    lumps = [
        fl.PointMass("one", at="other", mass=1.0),
        fl.PointMass("other", at="one", mass=1.0),
    ]
    with pytest.raises(fl.ModelError, match="neither a part"):
        build(straight(), *lumps)


def test_mass_does_not_depend_on_how_a_station_is_named() -> None:
    thick = fl.CircularSection(radius=0.02, material=RUBBER)
    copy = fl.CircularSection(radius=0.01, material=RUBBER)
    for last in (ROUND, copy):
        table = fl.StationTable(stations=(0, 0.5, 1), sections=(ROUND, thick, last))
        beam = fl.Beam("beam", cells="left", section=table)
        # midpoint values of the linear radius: 0.0125 ... on two elements of the rod
        mass = 2 * 0.5 * RUBBER.density * np.pi * 0.015**2
        assert build(straight(), beam).summary["mass"] == pytest.approx(mass)


def test_a_group_of_the_mesh_named_ground_is_not_taken_for_the_world() -> None:
    mesh = straight(ground=[4])
    rod = fl.Beam("first", cells="left", section=ROUND)
    hinge = fl.Joint("hinge", fl.SPHERICAL, parent=fl.GROUND, child="root")
    with pytest.raises(fl.ModelError, match=r"'hinge'.*'ground'.*rename"):
        build(mesh, rod, hinge)
