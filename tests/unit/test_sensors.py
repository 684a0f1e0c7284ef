"""Sensors, against motions known in closed form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from femlie.errors import ModelError
from femlie.records import Layout, Records, layout_of, select_records
from femlie.sensors import (
    EnergySensor,
    JointSensor,
    PointSensor,
    Quantity,
    ReactionSensor,
    RelativeSensor,
    SectionForce,
    SectionForceSensor,
    SectionPlace,
    evaluate_sensor,
    prepared,
)
from tests.unit import results_by_hand as hand

TIMES = np.linspace(0.0, 2.0, 6)
POINT = np.array([0.3, -0.4, 0.2])


@pytest.fixture(scope="module")
def layout() -> Layout:
    return layout_of(hand.system())


@pytest.fixture(scope="module")
def records() -> Records:
    return hand.records(TIMES)


def close(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    size = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13 * size)


def point_values(quantity: Quantity) -> np.ndarray:
    """World values of a point beside the tip."""
    motion = hand.motion_of(hand.NODES[2] + POINT, TIMES)
    change = np.tile([0.0, 0.0, hand.SPEED_RATE], (len(TIMES), 1))
    return {
        Quantity.POSITION: motion.place,
        Quantity.DISPLACEMENT: motion.place - hand.NODES[2] - POINT,
        Quantity.VELOCITY: motion.velocity,
        Quantity.ACCELERATION: motion.acceleration,
        Quantity.ROTATION: hand.turn_at(TIMES).as_rotvec(),
        Quantity.ANGULAR_VELOCITY: hand.angular_velocity(TIMES),
        Quantity.ANGULAR_ACCELERATION: change,
    }[quantity]


POINT_QUANTITIES = [q for q in Quantity if "distance" not in q.value]


@pytest.mark.parametrize("quantity", POINT_QUANTITIES)
def test_a_point_beside_a_node_moves_as_a_rigid_body_does(
    quantity: Quantity, layout: Layout, records: Records
) -> None:
    expected = point_values(quantity)
    sensor = PointSensor("s", at="tip", point=tuple(POINT), quantity=quantity)
    close(evaluate_sensor(sensor, layout, records), expected)
    along = np.array([1.0, 2.0, -2.0])
    part = replace(sensor, direction=tuple(along))
    close(evaluate_sensor(part, layout, records), (expected @ along / 3.0)[:, None])
    if quantity is not Quantity.ROTATION:
        in_body = replace(sensor, frame="body")
        seen = hand.turn_at(TIMES).inv().apply(expected)
        close(evaluate_sensor(in_body, layout, records), seen)


def relative_values(quantity: Quantity, frame: str) -> np.ndarray:
    """The block as seen from the tip: it slides along the turning x axis."""
    n = len(TIMES)
    way = np.zeros((3, n, 3))  # derivatives, times, axes
    way[0, :, 0] = 1.0 + 0.5 * hand.SLIDE_RATE * TIMES**2
    way[1, :, 0] = hand.SLIDE_RATE * TIMES
    way[2, :, 0] = hand.SLIDE_RATE
    if frame == "world":
        block = hand.motion_of(hand.BLOCK, TIMES, hand.SLIDE_RATE)
        tip = hand.motion_of(hand.NODES[2], TIMES)
        way = np.stack([one - other for one, other in zip(block, tip, strict=True)])
    return {
        Quantity.POSITION: way[0],
        Quantity.DISPLACEMENT: way[0] - [1.0, 0.0, 0.0],
        Quantity.VELOCITY: way[1],
        Quantity.ACCELERATION: way[2],
        Quantity.ROTATION: np.zeros((n, 3)),
        Quantity.ANGULAR_VELOCITY: np.zeros((n, 3)),
        Quantity.ANGULAR_ACCELERATION: np.zeros((n, 3)),
        Quantity.DISTANCE: (1.0 + 0.5 * hand.SLIDE_RATE * TIMES**2)[:, None],
        Quantity.DISTANCE_RATE: (hand.SLIDE_RATE * TIMES)[:, None],
    }[quantity]


@pytest.mark.parametrize("frame", ["world", "first"])
@pytest.mark.parametrize("quantity", POINT_QUANTITIES)
def test_relative_motion_is_that_of_a_slider_on_a_turning_line(
    quantity: Quantity, frame: Any, layout: Layout, records: Records
) -> None:
    sensor = RelativeSensor(
        "s", first="tip", second="block", quantity=quantity, frame=frame
    )
    close(evaluate_sensor(sensor, layout, records), relative_values(quantity, frame))


@pytest.mark.parametrize("quantity", [Quantity.DISTANCE, Quantity.DISTANCE_RATE])
def test_a_distance_grows_with_the_slide(
    quantity: Quantity, layout: Layout, records: Records
) -> None:
    sensor = RelativeSensor("s", first="tip", second="block", quantity=quantity)
    expected = relative_values(quantity, "world")
    close(evaluate_sensor(sensor, layout, records), expected)
    # a point of the tip that was where the block is at the start
    met = replace(sensor, first_point=(1.0, 0.0, 0.0))
    start = select_records(records, slice(0, 1))
    assert np.isfinite(evaluate_sensor(met, layout, start)).all()


def test_points_of_the_world_may_turn_against_each_other(
    layout: Layout, records: Records
) -> None:
    still = records._replace(
        poses=records.poses.copy(), velocities=records.velocities.copy()
    )
    still.poses[:, 4] = layout.start[4]
    still.velocities[:, 4] = 0.0
    sensor = RelativeSensor(
        "s", first="block", second="tip", quantity=Quantity.ROTATION
    )
    turn = hand.turn_at(TIMES)
    close(evaluate_sensor(sensor, layout, still), turn.as_rotvec())
    back = replace(sensor, first="tip", second="block", frame="first")
    close(evaluate_sensor(back, layout, still), -turn.as_rotvec())
    spin = replace(back, quantity=Quantity.ANGULAR_VELOCITY)
    close(evaluate_sensor(spin, layout, still), -hand.angular_velocity(TIMES))


def test_a_joint_sensor_reads_coordinate_and_rate(
    layout: Layout, records: Records
) -> None:
    value = (hand.ROLLER - 2 + 100.0 * np.arange(6))[:, None]
    sensor = JointSensor("s", joint="hinge")
    close(evaluate_sensor(sensor, layout, records), value)
    rate = JointSensor("s", joint="hinge", coordinate="angle", rate=True)
    close(evaluate_sensor(rate, layout, records), value + 1.0)
    assert prepared(rate, layout).columns == ("angle_rate",)
    assert prepared(rate, layout).dimensions == ("angle/time",)


@pytest.mark.parametrize(
    ("at", "element", "expected"),
    [
        (SectionPlace.FIRST, None, 4.0),
        (SectionPlace.LAST, None, 34.0),
        (SectionPlace.MAXIMUM, None, 34.0),
        (SectionPlace.LAST, 0, 16.0),
        (SectionPlace.MAXIMUM, 0, 16.0),
        (0.0, None, 4.0),
        (1.0, None, 34.0),
        # lengths are 1 and 2: half of the beam is a quarter of the second element
        (0.5, None, 25.0),
        (1.0 / 6.0, None, 10.0),
        (0.25, 1, 25.0),
    ],
)
def test_a_section_force_is_read_along_the_beam(
    at: Any, element: int | None, expected: float, layout: Layout, records: Records
) -> None:
    sensor = SectionForceSensor(
        "s",
        beam="rod",
        component=SectionForce.BENDING_MOMENT_Y,
        at=at,
        element=element,
    )
    values = (expected + 100.0 * np.arange(6))[:, None]
    close(evaluate_sensor(sensor, layout, records), values)
    assert prepared(sensor, layout).dimensions == ("moment",)


def test_the_largest_section_force_keeps_its_sign(
    layout: Layout, records: Records
) -> None:
    turned = records._replace(outputs=-records.outputs)
    sensor = SectionForceSensor("s", beam="rod", component=SectionForce.AXIAL_FORCE)
    expected = -(30.0 + 100.0 * np.arange(6))[:, None]
    close(evaluate_sensor(sensor, layout, turned), expected)


def test_a_reaction_sensor_reads_the_sum_of_a_support(
    layout: Layout, records: Records
) -> None:
    forces = sum(
        (hand.turn_at(TIMES) * hand.FRAME_TURNS[i]).apply(records.reactions[:, i, :3])
        for i in (0, 1)
    )
    sensor = ReactionSensor("s", part="feet")
    values = evaluate_sensor(sensor, layout, records)
    assert values.shape == (6, 6)
    close(values[:, :3], forces)
    up = ReactionSensor("s", part="feet", direction=(0.0, 0.0, 5.0))
    close(evaluate_sensor(up, layout, records), forces[:, 2:])
    local = ReactionSensor(
        "s", part="hinge", frame="child", direction=(0, 1, 0), moment=True
    )
    moment = (hand.HINGE + 4 + 100.0 * np.arange(6))[:, None]
    close(evaluate_sensor(local, layout, records), moment)


def test_energies_are_read_by_name(layout: Layout, records: Records) -> None:
    rows = 10.0 * np.arange(6)[:, None]
    close(evaluate_sensor(EnergySensor("s"), layout, records), 3.0 * rows + 3.0)
    lost = EnergySensor("s", energy="dissipated")
    close(evaluate_sensor(lost, layout, records), rows + 5.0)


def test_a_single_row_gives_what_all_rows_give(
    layout: Layout, records: Records
) -> None:
    for sensor in layout.catalog.sensors.values():
        reader = prepared(sensor, layout)
        together = reader(records)
        assert together.shape == (6, len(reader.columns))
        assert len(reader.dimensions) == len(reader.columns)
        for i in range(6):
            one = reader(select_records(records, slice(i, i + 1)))
            np.testing.assert_array_equal(one[0], together[i])


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: PointSensor("s", at="tipp"), ("'tipp'", "mean 'tip'")),
        (lambda: PointSensor("s", at="rod"), ("'rod'", "3 nodes")),
        (lambda: PointSensor("s", at=77), ("77",)),
        (lambda: PointSensor("s", at="tip", point=(1, 2)), ("'point'", "three")),
        (lambda: PointSensor("s", at="tip", point=(0, 0, np.nan)), ("'point'",)),
        (lambda: PointSensor("s", at="tip", direction=(0, 0, 0)), ("zero",)),
        (lambda: PointSensor("s", at="tip", frame="wrld"), ("'wrld'", "'world'")),
        (
            lambda: PointSensor("s", at="tip", quantity=Quantity.DISTANCE),
            ("distance", "relative"),
        ),
        (
            lambda: PointSensor(
                "s", at="tip", quantity=Quantity.ROTATION, frame="body"
            ),
            ("same components",),
        ),
        (
            lambda: RelativeSensor("s", first="tip", second="block", frame="first"),
            ("no effect",),
        ),
        (lambda: JointSensor("s", joint="hing"), ("'hing'", "mean 'hinge'")),
        (
            lambda: JointSensor("s", joint="hinge", coordinate="x"),
            ("'x'", "'angle'"),
        ),
        (
            lambda: SectionForceSensor(
                "s", beam="rod", component=SectionForce.AXIAL_FORCE, element=2
            ),
            ("element 2", "0 to 1"),
        ),
        (
            lambda: SectionForceSensor(
                "s", beam="rod", component=SectionForce.AXIAL_FORCE, at=1.5
            ),
            ("1.5", "0 to 1"),
        ),
        (
            lambda: SectionForceSensor(
                "s", beam="feet", component=SectionForce.AXIAL_FORCE
            ),
            ("'feet'", "'rod'"),
        ),
        (lambda: ReactionSensor("s", part="rod"), ("'rod'", "'feet'")),
        (lambda: ReactionSensor("s", part="feet", frame="child"), ("'child'",)),
        (lambda: ReactionSensor("s", part="feet", moment=True), ("direction",)),
        (lambda: EnergySensor("s", energy="kinetik"), ("'kinetik'", "'kinetic'")),
    ],
)
def test_wrong_sensors_are_refused_with_what_exists(
    make: Any, parts: tuple[str, ...], layout: Layout
) -> None:
    with pytest.raises(ModelError) as caught:
        prepared(make(), layout)
    assert all(part in str(caught.value) for part in parts), str(caught.value)


def test_lists_and_tuples_say_the_same() -> None:
    one = PointSensor("s", at="tip", point=[1, 2, 3], direction=[0, 0, 1])  # type: ignore[arg-type]
    other = PointSensor("s", at="tip", point=(1.0, 2.0, 3.0), direction=(0.0, 0.0, 1.0))
    assert one == other
