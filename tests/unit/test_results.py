"""Results by name, against motions known in closed form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from femlie.errors import ResultsError
from femlie.records import concatenate_records, empty_records, layout_of, select_records
from femlie.results import Results
from tests.unit import results_by_hand as hand

TIMES = np.linspace(0.0, 3.0, 7)


@pytest.fixture(scope="module")
def results() -> Results:
    return Results(layout_of(hand.system()), hand.records(TIMES))


def world(values: np.ndarray, turns: Rotation) -> np.ndarray:
    return np.concatenate((turns.apply(values[:, :3]), turns.apply(values[:, 3:])), 1)


def close(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=2e-13 * (1 + abs(expected).max())
    )


def test_positions_of_a_group_and_of_a_node_are_those_of_the_motion(
    results: Results,
) -> None:
    each = np.stack([hand.motion_of(x, TIMES).place for x in hand.NODES], axis=1)
    close(results.positions("rod"), each)
    close(results.positions("tip"), each[:, 2])
    close(results.positions(20), each[:, 1])


def test_displacements_count_from_the_mesh(results: Results) -> None:
    moved = hand.motion_of(hand.NODES[2], TIMES).place - hand.NODES[2]
    close(results.displacements("tip"), moved)
    close(results.at(0.0).displacements("rod"), np.zeros((1, 3, 3)))


def test_rotations_are_relative_to_world_axes_at_the_start(results: Results) -> None:
    matrices = hand.turn_at(TIMES).as_matrix()
    close(results.rotations("rod"), np.repeat(matrices[:, None], 3, axis=1))
    vectors = results.rotations("tip", as_vector=True)
    close(vectors, hand.turn_at(TIMES).as_rotvec())
    assert np.linalg.norm(vectors, axis=1).max() <= np.pi


def test_velocities_and_accelerations_are_derivatives_seen_from_space(
    results: Results,
) -> None:
    motion = hand.motion_of(hand.NODES[1], TIMES)
    spin = hand.angular_velocity(TIMES)
    twist = np.concatenate((motion.velocity, spin), axis=1)
    close(results.velocities(20), twist)
    rates = np.zeros_like(twist)
    rates[:, :3], rates[:, 5] = motion.acceleration, hand.SPEED_RATE
    close(results.accelerations(20), rates)
    back = hand.turn_at(TIMES).inv()
    close(results.velocities(20, frame="body"), world(twist, back))
    close(results.accelerations(20, frame="body"), world(rates, back))


def test_a_body_without_node_and_a_joint_have_places_and_world_axes(
    results: Results,
) -> None:
    motion = hand.motion_of(hand.BLOCK, TIMES, hand.SLIDE_RATE)
    close(results.positions("block"), motion.place)
    close(results.rotations("block"), hand.turn_at(TIMES).as_matrix())
    close(results.rotations("feet")[:, 1], hand.turn_at(TIMES).as_matrix())
    arm = hand.turn_at(TIMES).apply(hand.CHILD_ARM)
    close(results.positions("hinge"), motion.place + arm)


def test_section_forces_stand_at_ends_and_middle_of_each_element(
    results: Results,
) -> None:
    columns = np.arange(36).reshape(2, 3, 6) + 100.0 * np.arange(7)[:, None, None, None]
    close(results.section_forces("rod"), columns[:, :, [0, 2]])
    for i, place in enumerate(("first", "middle", "second")):
        close(results.section_forces("rod", at=place), columns[:, :, i])


def test_reactions_act_about_the_held_nodes(results: Results) -> None:
    records = results.records
    turns = [hand.turn_at(TIMES) * hand.FRAME_TURNS[i] for i in (0, 1)]
    expected = []
    for i, turn in enumerate(turns):
        wrench = world(records.reactions[:, i], turn)
        origin = hand.motion_of(hand.FRAME_PLACES[i], TIMES).place
        node = hand.motion_of(hand.NODES[i], TIMES).place
        # the second support holds no rotation: its moment about the node is only the
        # one that comes from moving the force
        wrench[:, 3:] += np.cross(origin - node, wrench[:, :3])
        expected.append(wrench)
    close(results.reactions("feet"), np.stack(expected, axis=1))
    part = hand.turn_at(TIMES) * hand.SUPPORT_TURN
    in_part = np.stack([world(w, part.inv()) for w in expected], axis=1)
    close(results.reactions("feet", frame="part"), in_part)


def test_the_total_reaction_is_about_the_mean_of_the_held_nodes(
    results: Results,
) -> None:
    each = results.reactions("feet")
    places = results.positions("feet nodes")
    center = places.mean(axis=1)
    moment = sum(
        each[:, i, 3:] + np.cross(places[:, i] - center, each[:, i, :3]) for i in (0, 1)
    )
    total = np.concatenate((each[..., :3].sum(axis=1), moment), axis=1)
    close(results.reactions("feet", total=True), total)


def test_joint_reactions_in_three_frames_differ_by_rotations_only(
    results: Results,
) -> None:
    first = hand.HINGE + 100.0 * np.arange(7)
    child = first[:, None] + np.arange(6)
    turns = hand.turn_at(TIMES)
    in_world = world(child, turns * hand.CHILD_TURN)
    in_parent = world(in_world, (turns * hand.FRAME_TURNS[2] * hand.PARENT_TURN).inv())
    close(results.reactions("hinge", frame="child"), child)
    close(results.reactions("hinge"), in_world)
    close(results.reactions("hinge", frame="parent"), in_parent)
    for frame in ("world", "parent", "child"):
        action = results.reactions("hinge", frame=frame)
        close(results.reactions("hinge", frame=frame, on="parent"), -action)


def test_a_support_held_by_rows_shows_its_reaction_about_the_node(
    results: Results,
) -> None:
    # the joint's frame on the child sits in the node, turned with it
    local = hand.ROLLER + 100.0 * np.arange(7)[:, None] + np.arange(6)
    expected = world(local, hand.turn_at(TIMES))
    close(results.reactions("roller"), expected)
    part = hand.turn_at(TIMES) * hand.SUPPORT_TURN
    close(results.reactions("roller", frame="part"), world(expected, part.inv()))


def test_joint_coordinates_and_rates_are_the_last_columns_of_the_joint(
    results: Results,
) -> None:
    value = hand.ROLLER - 2 + 100.0 * np.arange(7)
    close(results.joint_coordinate("hinge"), value)
    close(results.joint_coordinate("hinge", "angle"), value)
    close(results.joint_rate("hinge"), value + 1.0)


def test_energies_have_names(results: Results) -> None:
    energy = results.energy
    close(energy.kinetic, 10.0 * np.arange(7))
    close(energy.relative_balance, 10.0 * np.arange(7) + 7.0)
    close(energy.total, 30.0 * np.arange(7) + 3.0)


def test_the_nearest_time_is_found(results: Results) -> None:
    assert results.index_at(1.1) == 2
    assert results.at(3.0).times.tolist() == [3.0]
    close(results.at(1.1).positions("tip"), results.positions("tip")[2:3])


@pytest.mark.parametrize(
    ("method", "words"),
    [("static", "load factors 1 and 1.5"), ("modal", "modes 1 and")],
)
def test_nothing_is_known_between_load_factors_or_modes(
    results: Results, method: str, words: str
) -> None:
    rows = replace(results, analysis={"method": method})
    assert rows.at(1.5).times.tolist() == [1.5]
    assert rows.index_at(1.5 + 1e-9) == 3
    with pytest.raises(ResultsError, match=words):
        rows.at(1.1)
    with pytest.raises(ResultsError, match="by `at`"):
        rows.between([0.5])


@pytest.mark.parametrize("time", [-0.1, 3.1, 99.0, float("nan")])
def test_a_time_outside_the_run_is_refused_with_its_range(
    results: Results, time: float
) -> None:
    with pytest.raises(ResultsError, match="0 to 3"):
        results.at(time)


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.velocities("tip", frame="local"),
        lambda r: r.accelerations("tip", frame="node"),
        lambda r: r.reactions("hinge", on="both"),
        lambda r: r.reactions("hinge", frame="body"),
    ],
)
def test_axes_and_sides_that_do_not_exist_are_refused(
    results: Results, ask: Any
) -> None:
    with pytest.raises(ResultsError):
        ask(results)


def test_results_are_saved_to_folders_that_exist(results: Results) -> None:
    with pytest.raises(ResultsError, match="no folder 'nowhere'"):
        results.save("nowhere/x.h5")


def test_results_are_shown_in_one_line(results: Results) -> None:
    assert repr(results).startswith("Results(")
    assert len(repr(results)) < 100


@pytest.mark.parametrize(
    ("ask", "parts"),
    [
        (lambda r: r.positions("tipp"), ("'tipp'", "'tip'", "'rod'", "Did you mean")),
        (lambda r: r.positions(99), ("99", "10 to 40")),
        (lambda r: r.positions("with orphan"), ("40", "no part")),
        (lambda r: r.section_forces("tip"), ("'tip'", "'rod'")),
        (lambda r: r.section_forces("rod", at="start"), ("'start'", "'first'")),
        (lambda r: r.reactions("rod"), ("'rod'", "'feet'", "'hinge'")),
        (lambda r: r.reactions("feet", frame="child"), ("'child'", "'part'")),
        (lambda r: r.reactions("hinge", frame="part"), ("'part'", "'parent'")),
        (lambda r: r.joint_coordinate("roller"), ("'roller'", "'hinge'")),
        (lambda r: r.joint_coordinate("hinge", "angel"), ("'angel'", "'angle'")),
        (lambda r: r.sensor("gab"), ("'gab'", "mean 'gap'")),
        (lambda r: r.to_dataframe("forces"), ("'forces'", "'reactions'")),
        (lambda r: r.to_dataframe("energy", "rod"), ("'rod'", "whole model")),
    ],
)
def test_unknown_names_are_refused_with_what_exists(
    ask, parts, results: Results
) -> None:
    with pytest.raises(ResultsError) as caught:
        ask(results)
    assert all(part in str(caught.value) for part in parts), str(caught.value)


def test_asking_changes_nothing(results: Results) -> None:
    before = [array.copy() for array in results.records]
    results.reactions("feet")
    results.section_forces("rod")
    results.displacements("rod")
    for old, new in zip(before, results.records, strict=True):
        np.testing.assert_array_equal(old, new)


def test_records_join_and_split(results: Results) -> None:
    records = results.records
    pieces = [
        select_records(records, slice(0, 3)),
        select_records(records, slice(3, 7)),
    ]
    nothing = empty_records(results.layout)
    joined = concatenate_records([*pieces, nothing])
    for old, new in zip(records, joined, strict=True):
        np.testing.assert_array_equal(old, new)


def test_tables_have_one_row_a_time_and_node(results: Results) -> None:
    frame = results.to_dataframe("displacements", "rod")
    assert len(frame) == 7 * 3
    assert frame["node"].tolist()[:4] == [10, 20, 30, 10]
    close(
        frame[[f"displacement_{x}" for x in "xyz"]].to_numpy().reshape(7, 3, 3),
        results.displacements("rod"),
    )
    assert frame.attrs["dimensions"]["rotation_x"] == "angle"
    assert "world axes" in frame.attrs["about"]


def test_the_table_of_reactions_says_part_point_and_axes(results: Results) -> None:
    frame = results.to_dataframe("reactions")
    assert frame["part"].tolist()[:4] == ["feet", "feet", "roller", "hinge"]
    rows = frame[frame["part"] == "hinge"]
    close(
        rows[["moment_x", "moment_y", "moment_z"]].to_numpy(),
        results.reactions("hinge")[:, 3:],
    )
    close(
        rows[["place_x", "place_y", "place_z"]].to_numpy(), results.positions("hinge")
    )
    assert "world axes" in frame.attrs["about"]


def test_every_table_can_be_made(results: Results) -> None:
    for what in (
        "positions",
        "velocities",
        "accelerations",
        "section_forces",
        "joints",
    ):
        frame = results.to_dataframe(what)
        assert len(frame) % 7 == 0
        assert not frame.isna().any().any()
    sections = results.to_dataframe("section_forces", "rod")
    assert len(sections) == 7 * 2 * 3
    last = sections.iloc[-1]
    assert (last["element"], last["place"]) == (1, "second")
    assert last["bending_moment_z"] == 635.0
    energy = results.to_dataframe("energy")
    assert energy["dissipated"].tolist() == [10.0 * i + 5.0 for i in range(7)]
