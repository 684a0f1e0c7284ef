"""What a model refuses, each in one sentence with the words that help."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from tests.unit.bad_parts import CASES
from tests.unit.sample_parts import ROUND, build, force, mesh, rod, support


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_one_sentence(name: str) -> None:
    parts, words = CASES[name]
    with pytest.raises((fl.ModelError, fl.MeshError)) as caught:
        build(*parts)
    text = str(caught.value)
    missing = [word for word in words if word not in text]
    assert not missing, text
    assert "\n" not in text
    assert text.endswith((".", "?"))


def test_names_are_unique_among_parts_and_sensors() -> None:
    model = fl.Model(mesh())
    model.add(rod())
    with pytest.raises(fl.ModelError, match=r"beam.*taken by a Beam"):
        model.add(fl.PointSensor("beam", at="tip"))
    model.add(fl.PointSensor("place", at="tip"))
    with pytest.raises(fl.ModelError, match=r"place.*taken by a PointSensor"):
        model.add(fl.Beam("place", cells="post", section=ROUND))


def test_a_beam_needs_a_mesh() -> None:
    model = fl.Model()
    model.add(rod())
    with pytest.raises(fl.ModelError, match=r"beam.*mesh"):
        model.build()


def test_a_part_and_a_group_of_other_nodes_may_not_share_a_name() -> None:
    model = fl.Model(mesh())
    model.add(fl.Beam("half", cells="rod", section=ROUND))
    model.add(force(at="half"))
    with pytest.raises(fl.ModelError, match=r"half.*part and a group"):
        model.build()


def test_building_twice_gives_the_same_and_changes_nothing() -> None:
    model = fl.Model(mesh())
    model.add(rod())
    model.add(support())
    parts = dict(model.parts)
    first, second = model.build(), model.build()
    assert model.parts == parts
    np.testing.assert_array_equal(first.state.poses, second.state.poses)
    np.testing.assert_array_equal(
        first.blocks[0].parameters, second.blocks[0].parameters
    )


def test_models_are_equal_by_what_they_hold() -> None:
    first, second, third = (fl.Model(mesh()) for _ in range(3))
    first.add(rod())
    second.add(rod())
    third.add(rod(drag=1.0))
    assert first == second
    assert first != third
