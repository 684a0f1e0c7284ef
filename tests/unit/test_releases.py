"""Coordinates of a release at several nodes, node by node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.view.history import _curves
from tests.unit.sample_parts import ROUND

NODES = (0, 4)


def bar(**options: Any) -> fl.Model:
    """A bar between two posts, released at both ends; its middle is pushed down."""
    points = [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1.5, 0, 0], [2, 0, 0]]
    points += [[0, 0, -1], [2, 0, -1]]
    mesh = fl.mesh_from_arrays(
        points,
        [[0, 1], [1, 2], [2, 3], [3, 4], [0, 5], [4, 6]],
        node_groups={"ends": list(NODES), "feet": [5, 6], "off center": [1]},
        line_groups={"bar": [0, 1, 2, 3], "posts": [4, 5]},
        node_numbers=np.arange(10, 17),
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("bar", cells="bar", section=ROUND))
    model.add(fl.Beam("posts", cells="posts", section=ROUND))
    given = {"kind": fl.REVOLUTE, "axis": (0.0, 1.0, 0.0), **options}
    model.add(fl.EndRelease("hinges", beam="bar", at="ends", **given))
    model.add(fl.Support("feet", at="feet"))
    model.add(fl.Force("push", at="off center", force=(0.0, 0.0, -0.05)))
    model.add(fl.JointSensor("turns", joint="hinges"))
    model.add(fl.JointSensor("one", joint="hinges", coordinate="angle at node 14"))
    return model


@pytest.fixture(scope="module")
def results() -> Any:
    return fl.Static().solve(bar().build())


def turn_of_node(results: Any, node: int) -> Any:
    """Angle about y of the bar's end against the node, from the rotations of both."""
    own = results.rotations("bar", as_vector=True)[:, node]
    post = results.rotations(10 + node, as_vector=True)
    return (own - post)[:, 1]


def test_each_node_has_its_own_coordinate(results: Any) -> None:
    angles = results.joint_coordinate("hinges")
    assert angles.shape == (len(results.times), 2)
    expected = [turn_of_node(results, node) for node in NODES]
    np.testing.assert_allclose(angles, np.transpose(expected), atol=1e-9)
    assert angles[-1, 0] > 0.0 > angles[-1, 1]
    assert abs(angles[-1, 0] + angles[-1, 1]) > 1e-3  # pushed off center


def test_one_of_them_is_asked_for_by_its_node(results: Any) -> None:
    angles = results.joint_coordinate("hinges")
    last = results.joint_coordinate("hinges", "angle at node 14")
    np.testing.assert_array_equal(last, angles[:, 1])
    both = results.joint_coordinate("hinges", "angle")
    np.testing.assert_array_equal(both, angles)
    np.testing.assert_array_equal(results.sensor("one"), last)
    assert results.sensor_columns("turns") == ("angle at node 10", "angle at node 14")
    with pytest.raises(fl.ResultsError, match="angle at node 10"):
        results.joint_coordinate("hinges", "angle at node 11")


def test_tables_list_each_node(results: Any) -> None:
    table = results.to_dataframe("joints", "hinges")
    last = table[table["time"] == results.times[-1]]
    assert last["coordinate"].tolist() == ["angle at node 10", "angle at node 14"]
    assert set(last["dimension"]) == {"angle"}


def test_coordinates_survive_the_results_file(results: Any, tmp_path: Path) -> None:
    results.save(tmp_path / "results.h5")
    read = fl.load_results(tmp_path / "results.h5")
    angles = read.joint_coordinate("hinges")
    np.testing.assert_array_equal(angles, results.joint_coordinate("hinges"))


def test_legends_have_the_numbers_of_nodes(results: Any) -> None:
    assert _curves(results, "ends").names == ("node 10", "node 14")
    # the ends that the release took from their nodes have no number
    names = ("end 1", "node 11", "node 12", "node 13", "end 5")
    assert _curves(results, "bar").names == names
    turns = _curves(results, "hinges")
    assert turns.names == ("angle at node 10", "angle at node 14")
    assert turns.quantity == "angle"
