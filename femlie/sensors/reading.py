"""Numbers of sensors, read from records.

The same functions serve results and, with one row, controllers in a running simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .. import along_beams, coordinates, tracking
from ..elements.base import Array, IntArray
from ..errors import ModelError, ResultsError, check_name, suggestion
from ..lie import quaternion, se3
from ..mesh.chains import only_chain
from ..records import ENERGY_NAMES, Layout, Records
from ..recovery import whole_records
from .parts import (
    DIMENSIONS,
    SCALARS,
    EnergySensor,
    JointSensor,
    PointSensor,
    Quantity,
    ReactionSensor,
    RelativeSensor,
    SectionForce,
    SectionForceSensor,
    SectionPlace,
    Sensor,
    Vector,
)

Read = Callable[[Records], Array]
AXES = ("x", "y", "z")
WRENCH_COLUMNS = ("force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z")
STORED_ENERGIES = 3  # kinetic, strain, potential
N_FORCES = 3


@dataclass(frozen=True)
class PreparedSensor:
    """A sensor with its places looked up; call it with records.

    Attributes
    ----------
    columns : tuple of str
        What each column of the values is.
    dimensions : tuple of str
        ``"length"``, ``"angle"``, ``"force"``, ... of each column.
    read : callable
        Records to an (n, k) array.
    """

    columns: tuple[str, ...]
    dimensions: tuple[str, ...]
    read: Read

    def __call__(self, records: Records) -> Array:
        return self.read(records)


def prepared(sensor: Sensor, layout: Layout) -> PreparedSensor:
    """Look up once where a sensor reads.

    Parameters
    ----------
    sensor : Sensor
    layout : Layout

    Returns
    -------
    PreparedSensor
        Cheap to call with the single row of a running simulation.

    Raises
    ------
    ModelError
        If the sensor names what does not exist.
    """
    reader = _PREPARE[type(sensor)](sensor, layout)
    if not layout.catalog.modal_bodies:
        return reader
    read = reader.read
    return replace(reader, read=lambda records: read(whole_records(layout, records)))


def check_sensor(name: str, layout: Layout) -> None:
    """Refuse what is no name of a sensor.

    Raises
    ------
    ResultsError
    """
    sensors = layout.catalog.sensors
    check_name(name, sensors, what="sensors")
    if name not in sensors:
        hint = suggestion(name, sensors, what="sensors")
        raise ResultsError(f"There is no sensor '{name}'. {hint}")


def evaluate_sensor(sensor: Sensor, layout: Layout, records: Records) -> Array:
    """(n_times, k) values of a sensor."""
    return prepared(sensor, layout)(records)


def _point(sensor: Any, layout: Layout, at: str | int, arm: Vector) -> tracking.Points:
    points = tracking.named_points(layout, at, error=ModelError)
    if points.frames.size != 1:
        message = (
            f"Sensor '{sensor.name}' sits at '{at}', which has {points.frames.size} "
            "nodes; expected one."
        )
        raise ModelError(message)
    offsets = se3.compose_poses(points.offsets, (*arm, 1.0, 0.0, 0.0, 0.0))
    return tracking.Points(points.frames, offsets, points.numbers)


def _vector(sensor: Any, dimension: str, read: Read) -> PreparedSensor:
    """A vector, or its part along the sensor's direction."""
    if sensor.direction is None:
        return PreparedSensor(AXES, (dimension,) * 3, read)
    direction = np.array(sensor.direction)
    direction /= np.linalg.norm(direction)
    return PreparedSensor(
        ("value",), (dimension,), lambda records: (read(records) @ direction)[:, None]
    )


def _prepare_point(sensor: PointSensor, layout: Layout) -> PreparedSensor:
    points = _point(sensor, layout, sensor.at, sensor.point)
    start = tracking.point_poses(layout.start, points)[:, :3]
    quantity, frame = sensor.quantity, sensor.frame

    def read(records: Records) -> Array:
        if quantity in (Quantity.VELOCITY, Quantity.ANGULAR_VELOCITY):
            twist = tracking.velocities(records, points, frame)[:, 0]
            return twist[:, :3] if quantity is Quantity.VELOCITY else twist[:, 3:]
        if quantity in (Quantity.ACCELERATION, Quantity.ANGULAR_ACCELERATION):
            twist = tracking.accelerations(records, points, frame)[:, 0]
            return twist[:, :3] if quantity is Quantity.ACCELERATION else twist[:, 3:]
        poses = tracking.point_poses(records.poses, points)[:, 0]
        if quantity is Quantity.ROTATION:
            return quaternion.log(poses[:, 3:])
        vector = poses[:, :3]
        if quantity is Quantity.DISPLACEMENT:
            vector = vector - start
        if frame == "body":
            vector = quaternion.rotate(quaternion.conjugate(poses[:, 3:]), vector)
        return vector

    return _vector(sensor, DIMENSIONS[quantity], read)


def _pair(sensor: RelativeSensor, layout: Layout) -> tracking.Points:
    first = _point(sensor, layout, sensor.first, sensor.first_point)
    second = _point(sensor, layout, sensor.second, sensor.second_point)
    if first.frames[0] == second.frames[0] and np.all(first.offsets == second.offsets):
        message = (
            f"Sensor '{sensor.name}' looks from '{sensor.first}' to "
            f"'{sensor.second}', which are one point: name two points."
        )
        raise ModelError(message)
    return tracking.Points(
        *(np.concatenate(both) for both in zip(first, second, strict=True))
    )


def _prepare_relative(sensor: RelativeSensor, layout: Layout) -> PreparedSensor:
    points = _pair(sensor, layout)
    quantity = sensor.quantity
    dimension = DIMENSIONS[quantity]
    if quantity in SCALARS:
        return PreparedSensor(
            ("value",), (dimension,), lambda records: _scalar(records, points, quantity)
        )
    if quantity in (Quantity.POSITION, Quantity.DISPLACEMENT):
        start = _between(layout.start[None], points, sensor.frame)[0]
        if quantity is Quantity.POSITION:
            start = np.zeros(3)
        return _vector(
            sensor,
            dimension,
            lambda records: _between(records.poses, points, sensor.frame) - start,
        )
    if quantity is Quantity.ROTATION:
        return _vector(
            sensor, dimension, lambda records: _rotation(records, points, sensor.frame)
        )
    return _vector(sensor, dimension, lambda records: _rates(records, points, sensor))


def _between(poses: Array, points: tracking.Points, frame: str) -> Array:
    """(n, 3) vector from the first point to the second."""
    found = tracking.point_poses(poses, points)
    vector = found[:, 1, :3] - found[:, 0, :3]
    return vector if frame == "world" else _seen(found[:, 0], vector)


def _seen(pose: Array, vector: Array) -> Array:
    return quaternion.rotate(quaternion.conjugate(pose[:, 3:]), vector)


def _scalar(records: Records, points: tracking.Points, quantity: Quantity) -> Array:
    way = _between(records.poses, points, "world")
    distance = np.linalg.norm(way, axis=1)
    if quantity is Quantity.DISTANCE:
        return np.asarray(distance[:, None])
    twists = tracking.velocities(records, points, "world")
    gap = twists[:, 1, :3] - twists[:, 0, :3]
    # two points in one place part with the speed of either
    along = np.einsum("ni,ni->n", way, gap) / np.where(distance > 0.0, distance, 1.0)
    rate = np.where(distance > 0.0, along, np.linalg.norm(gap, axis=1))
    return np.asarray(rate[:, None])


def _rotation(records: Records, points: tracking.Points, frame: str) -> Array:
    turns = tracking.point_poses(records.poses, points)[..., 3:]
    first, second = turns[:, 0], turns[:, 1]
    vector = quaternion.log(quaternion.multiply(quaternion.conjugate(first), second))
    return vector if frame == "first" else quaternion.rotate(first, vector)


def _rates(records: Records, points: tracking.Points, sensor: RelativeSensor) -> Array:
    """Relative velocities and accelerations.

    Seen from the first one: ``v - w x r`` and ``a - dw x r - w x (w x r)
    - 2 w x (v - w x r)``, with r, v, a the differences in world axes.
    """
    quantity = sensor.quantity
    twists = tracking.velocities(records, points, "world")
    gap = twists[:, 1] - twists[:, 0]
    poses = tracking.point_poses(records.poses, points)
    way = poses[:, 1, :3] - poses[:, 0, :3]
    spin = twists[:, 0, 3:]
    is_seen = sensor.frame == "first"
    vector = gap[:, 3:]
    slip = gap[:, :3] - np.cross(spin, way)
    if quantity is Quantity.VELOCITY:
        vector = slip if is_seen else gap[:, :3]
    elif quantity is not Quantity.ANGULAR_VELOCITY:
        rates = tracking.accelerations(records, points, "world")
        change = rates[:, 1] - rates[:, 0]
        if quantity is Quantity.ACCELERATION:
            vector = change[:, :3]
            if is_seen:
                vector = vector - np.cross(rates[:, 0, 3:], way)
                vector = vector - np.cross(spin, np.cross(spin, way) + 2.0 * slip)
        else:
            vector = change[:, 3:]
            if is_seen:
                vector = vector - np.cross(spin, gap[:, 3:])
    return _seen(poses[:, 0], vector) if is_seen else vector


def _prepare_joint(sensor: JointSensor, layout: Layout) -> PreparedSensor:
    names, columns = coordinates.coordinate_columns(
        layout, sensor.joint, sensor.coordinate, error=ModelError
    )
    dimensions = tuple(coordinates.coordinate_dimension(name) for name in names)
    if sensor.rate:
        names = tuple(f"{name}_rate" for name in names)
        dimensions = tuple(f"{word}/time" for word in dimensions)
        columns = columns + 1
    return PreparedSensor(
        names, dimensions, lambda records: records.outputs[:, columns]
    )


class Terms(NamedTuple):
    """One section force of elements one after another."""

    columns: IntArray  # (k, 3) both ends and the middle
    signs: Array  # (k, 1)
    lengths: Array  # (k,) [m]


def _prepare_section(sensor: SectionForceSensor, layout: Layout) -> PreparedSensor:
    along = along_beams.section_columns(layout, sensor.beam, error=ModelError)
    component = list(SectionForce).index(sensor.component)
    columns, signs = along.columns[..., component], along.signs[..., component]
    rows = layout.catalog.beam_ranges.get(sensor.beam)
    lengths = np.ones(len(columns))
    if rows is not None:
        lengths = layout.catalog.beams.lengths[rows]
    chosen = np.arange(len(columns))
    if sensor.element is not None:
        if not 0 <= sensor.element < len(columns):
            message = (
                f"Sensor '{sensor.name}' reads element {sensor.element} of beam "
                f"'{sensor.beam}', which has the elements 0 to {len(columns) - 1}."
            )
            raise ModelError(message)
        chosen = np.array([sensor.element])
    elif sensor.at is not SectionPlace.MAXIMUM and rows is not None:
        chain = only_chain(layout.catalog.beams.nodes[rows])
        if chain is None:
            message = (
                f"Sensor '{sensor.name}' reads a place along beam '{sensor.beam}', "
                "whose elements branch or are several pieces: name one of them by "
                "element, or make each piece a beam."
            )
            raise ModelError(message)
        chosen = chain.lines
    dimension = "force" if component < N_FORCES else "moment"
    terms = Terms(columns[chosen], signs[chosen], lengths[chosen])
    read = _section_reader(sensor.at, terms)
    return PreparedSensor((sensor.component.value,), (dimension,), read)


def _section_reader(at: SectionPlace | float, terms: Terms) -> Read:
    columns, signs, lengths = terms
    if at is SectionPlace.MAXIMUM:
        flat = columns.ravel()
        flat_signs = np.broadcast_to(signs, columns.shape).ravel()

        def read_largest(records: Records) -> Array:
            values = records.outputs[:, flat] * flat_signs
            largest = np.abs(values).argmax(axis=1)[:, None]
            return np.take_along_axis(values, largest, axis=1)

        return read_largest
    if isinstance(at, SectionPlace):
        fraction = 0.0 if at is SectionPlace.FIRST else 1.0
    else:
        fraction = at
    ends = np.cumsum(lengths)
    place = fraction * ends[-1]
    element = min(int(np.searchsorted(ends, place)), len(ends) - 1)
    t = 1.0 - (ends[element] - place) / lengths[element]
    # the parabola through both ends and the middle
    weights = np.array(
        [(1.0 - t) * (1.0 - 2.0 * t), 4.0 * t * (1.0 - t), t * (2.0 * t - 1.0)]
    )
    weights = weights * signs[element]
    three = columns[element]
    return lambda records: (records.outputs[:, three] @ weights)[:, None]


def _prepare_reaction(sensor: ReactionSensor, layout: Layout) -> PreparedSensor:
    part, frame = sensor.part, sensor.frame
    tracking.check_wrenches(layout, part, frame, error=ModelError)

    def read(records: Records) -> Array:
        found = tracking.wrenches(layout, records, part)
        return tracking.total_wrench(found, frame)

    if sensor.direction is None:
        dimensions = ("force",) * N_FORCES + ("moment",) * 3
        return PreparedSensor(WRENCH_COLUMNS, dimensions, read)
    half = slice(3, 6) if sensor.moment else slice(0, 3)
    dimension = "moment" if sensor.moment else "force"
    return _vector(sensor, dimension, lambda records: read(records)[:, half])


def _prepare_energy(sensor: EnergySensor, _: Layout) -> PreparedSensor:
    name = sensor.energy
    if name == "total":

        def read(records: Records) -> Array:
            stored = records.energies[:, :STORED_ENERGIES]
            return np.asarray(stored.sum(axis=1, keepdims=True))
    else:
        column = ENERGY_NAMES.index(name)

        def read(records: Records) -> Array:
            return records.energies[:, column, None]

    dimension = "ratio" if name == "relative_balance" else "energy"
    return PreparedSensor((name,), (dimension,), read)


_PREPARE: dict[type, Callable[[Any, Layout], PreparedSensor]] = {
    PointSensor: _prepare_point,
    RelativeSensor: _prepare_relative,
    JointSensor: _prepare_joint,
    SectionForceSensor: _prepare_section,
    ReactionSensor: _prepare_reaction,
    EnergySensor: _prepare_energy,
}
