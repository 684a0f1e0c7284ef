"""Tables of results with pandas: one row for each time and node, element or joint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .. import along_beams, coordinates, tracking
from ..elements.base import Array, IntArray
from ..errors import ResultsError, check_name, suggestion
from ..lie import quaternion
from ..records import ENERGY_NAMES, SECTION_PLACES, Layout, Records
from ..sensors import SectionForce, check_sensor, prepared
from .beam_places import AXES, columns_of_places, places_along_beams
from .contacts import ContactResults

if TYPE_CHECKING:
    from pandas import DataFrame

What = Literal[
    "positions",
    "displacements",
    "velocities",
    "accelerations",
    "section_forces",
    "reactions",
    "joints",
    "contacts",
    "sensors",
    "energy",
]


class Table(NamedTuple):
    """Columns of a table.

    Attributes
    ----------
    keys : dict of name -> (k,) sequence
        What each row is of, and where that is in the model as built; the same at all
        times.
    values : dict of name -> (n, k) array
    dimensions : dict of column -> str
        ``"length"``, ``"force"``, ...
    about : str
        Where, on what and in which axes.
    """

    keys: Mapping[str, Any]
    values: Mapping[str, Array]
    dimensions: Mapping[str, str]
    about: str


def table(layout: Layout, records: Records, what: What, name: str | None) -> DataFrame:
    """Table of one quantity; see `Results.to_dataframe`."""
    check_name(what, get_args(What), what="tables")
    if what not in _TABLES:
        hint = suggestion(what, get_args(What), what="tables")
        raise ResultsError(f"There is no table of '{what}'. {hint}")
    if what == "energy" and name is not None:
        message = (
            f"Energies are those of the whole model: '{name}' has no table of them."
        )
        raise ResultsError(message)
    import pandas as pd

    content = _TABLES[what](layout, records, name)
    n = len(records.times)
    k = max([len(rows) for rows in content.keys.values()], default=1)
    columns: dict[str, Any] = {"time": np.repeat(records.times, k)}
    for key, rows in content.keys.items():
        columns[key] = np.tile(np.asarray(rows), n)
    for key, values in content.values.items():
        columns[key] = values.ravel()
    frame = pd.DataFrame(columns)
    frame.attrs["dimensions"] = {"time": "time", **content.dimensions}
    frame.attrs["about"] = content.about
    return frame


def moving_nodes(layout: Layout) -> tracking.Points:
    """All nodes that belong to a part; number -1 where the mesh has none."""
    catalog = layout.catalog
    nodes = np.flatnonzero(catalog.node_frames >= 0)
    return tracking.Points(
        catalog.node_frames[nodes],
        catalog.node_offsets[nodes],
        catalog.node_numbers[nodes],
    )


def _points(layout: Layout, name: str | None) -> tracking.Points:
    if name is None:
        return moving_nodes(layout)
    return tracking.named_points(layout, name)


def _labels(layout: Layout, name: str | None) -> npt.NDArray[np.object_]:
    """The user's number of each node; the name of a body that has no numbered one."""
    catalog = layout.catalog
    labels = catalog.node_numbers.astype(object)
    for group, nodes in catalog.groups.items():
        if catalog.kinds.get(group) is not None:
            # a point mass on a body comes behind it
            labels[nodes[labels[nodes] == -1]] = group
    if name is None:
        return labels[catalog.node_frames >= 0]
    if name not in catalog.groups:
        return np.array([name] * _points(layout, name).frames.size, dtype=object)
    return labels[catalog.groups[name]]


def _start(layout: Layout, points: tracking.Points) -> dict[str, Array]:
    return columns_of_places(tracking.point_poses(layout.start, points)[..., :3])


START_DIMENSIONS = {f"start_{letter}": "length" for letter in AXES}


def _vectors(
    names: Mapping[str, str], values: Array
) -> tuple[dict[str, Array], dict[str, str]]:
    """Columns of vectors (n, k, 3 m), and their dimensions."""
    columns, dimensions = {}, {}
    for i, (name, dimension) in enumerate(names.items()):
        for axis, letter in enumerate(AXES):
            column = f"{name}_{letter}" if name else letter
            columns[column] = values[..., 3 * i + axis]
            dimensions[column] = dimension
    return columns, dimensions


def _positions(layout: Layout, records: Records, name: str | None) -> Table:
    points = _points(layout, name)
    places = tracking.point_poses(records.poses, points)[..., :3]
    values = _vectors({"": "length"}, places)
    return Table(
        {"node": _labels(layout, name)}, *values, "places of nodes, world axes"
    )


def _displacements(layout: Layout, records: Records, name: str | None) -> Table:
    points = _points(layout, name)
    turns = quaternion.log(tracking.turns_since(layout, records, points))
    moves = tracking.displacements(layout, records, points)
    values = _vectors(
        {"displacement": "length", "rotation": "angle"},
        np.concatenate((moves, turns), axis=-1),
    )
    about = "displacements and rotation vectors of nodes since the mesh, world axes"
    columns, dimensions = values
    keys = {"node": _labels(layout, name), **_start(layout, points)}
    return Table(keys, columns, START_DIMENSIONS | dimensions, about)


def _velocities(layout: Layout, records: Records, name: str | None) -> Table:
    points = _points(layout, name)
    values = _vectors(
        {"velocity": "length/time", "angular_velocity": "angle/time"},
        tracking.velocities(records, points, "world"),
    )
    return Table(
        {"node": _labels(layout, name)}, *values, "velocities of nodes, world axes"
    )


def _accelerations(layout: Layout, records: Records, name: str | None) -> Table:
    points = _points(layout, name)
    values = _vectors(
        {"acceleration": "length/time^2", "angular_acceleration": "angle/time^2"},
        tracking.accelerations(records, points, "world"),
    )
    about = "accelerations of nodes, world axes"
    return Table({"node": _labels(layout, name)}, *values, about)


def _section_forces(layout: Layout, records: Records, name: str | None) -> Table:
    # bushings have section forces, but no place along a beam
    beams = [part for part in layout.sections if part in layout.catalog.beam_ranges]
    if name is not None and name not in beams:
        hint = suggestion(name, beams, what="beams")
        raise ResultsError(f"There is no beam '{name}' with section forces. {hint}")
    names = beams if name is None else [name]
    shape = (len(records.times), -1, 6)
    numbers = [np.zeros((len(records.times), 0, 6))]
    for part in names:
        along = along_beams.section_forces(layout, records.outputs, part)
        numbers.append(along.reshape(shape))
    sizes = np.array([len(layout.sections[part]) for part in names], np.int64)
    elements = np.concatenate([np.zeros(0, np.int64)] + [np.arange(k) for k in sizes])
    keys = {
        "part": np.repeat(np.array(names, dtype=object), sizes * len(SECTION_PLACES)),
        "element": np.repeat(elements, len(SECTION_PLACES)),
        "place": np.tile(np.array(SECTION_PLACES, dtype=object), len(elements)),
        **places_along_beams(layout, names),
    }
    flat = np.concatenate(numbers, axis=1)
    values = {force.value: flat[..., i] for i, force in enumerate(SectionForce)}
    dimensions = {name: "force" if "force" in name else "moment" for name in values}
    about = (
        "section forces on the positive face, section axes as the beam runs; start_x, "
        "start_y, start_z and arc_length are of the model as built"
    )
    return Table(
        keys, values, START_DIMENSIONS | {"arc_length": "length"} | dimensions, about
    )


def _reactions(layout: Layout, records: Records, name: str | None) -> Table:
    known = [*layout.catalog.support_points, *layout.joints.rows]
    names = list(dict.fromkeys(known)) if name is None else [name]
    parts: list[str] = []
    points: list[int] = []
    places, wrenches = [np.zeros((len(records.times), 0, 3))], []
    for part in names:
        tracking.check_wrenches(layout, part, "world")
        found = tracking.wrenches(layout, records, part)
        k = found.values.shape[1]
        parts += [part] * k
        points += range(k)
        places.append(found.places)
        wrenches.append(found.values)
    wrenches.append(np.zeros((len(records.times), 0, 6)))
    values = _vectors(
        {"place": "length", "force": "force", "moment": "moment"},
        np.concatenate(
            (np.concatenate(places, axis=1), np.concatenate(wrenches, axis=1)), axis=-1
        ),
    )
    about = (
        "what a support does to the model and a joint to its child, world axes, "
        "moments about the place"
    )
    keys = {"part": np.array(parts, dtype=object), "point": points}
    return Table(keys, *values, about)


def _joints(layout: Layout, records: Records, name: str | None) -> Table:
    known = [joint for joint, rows in layout.catalog.joint_rows.items() if rows]
    joints: list[str] = []
    names: list[str] = []
    columns: list[IntArray] = [np.zeros(0, np.int64)]
    for joint in known if name is None else [name]:
        found, where = coordinates.coordinate_columns(layout, joint, None)
        joints += [joint] * len(found)
        names += found
        columns.append(where)
    flat = np.concatenate(columns)
    keys = {
        "joint": np.array(joints, dtype=object),
        "coordinate": np.array(names, dtype=object),
        "dimension": np.array(
            [coordinates.coordinate_dimension(n) for n in names], dtype=object
        ),
    }
    values = {"value": records.outputs[:, flat], "rate": records.outputs[:, flat + 1]}
    about = "coordinates of joints, counted through all turns, and their rates"
    return Table(keys, values, {}, about)


def _contacts(layout: Layout, records: Records, name: str | None) -> Table:
    found = ContactResults(layout, records)
    table = layout.contacts
    names = ([] if table is None else list(table.names)) if name is None else [name]
    n = len(records.times)
    forces = np.zeros((n, len(names), 3))
    sizes, gaps = np.zeros((n, len(names))), np.zeros((n, len(names)))
    for k, one in enumerate(names):
        forces[:, k] = found.total(one)
        sizes[:, k] = found.total_size(one)
        gaps[:, k] = found.smallest_gap(one)
    pairs = (
        [] if table is None else [table.between[table.names.index(m)] for m in names]
    )
    columns, dimensions = _vectors({"force": "force"}, forces)
    columns |= {"sum_of_sizes": sizes, "smallest_gap": gaps}
    dimensions |= {"sum_of_sizes": "force", "smallest_gap": "length"}
    if found.has_friction:
        more = _friction(found, names, n)
        columns |= more[0]
        dimensions |= more[1]
    keys = {
        "contact": names,
        "first": [pair[0] for pair in pairs],
        "second": [pair[1] for pair in pairs],
    }
    about = "forces of contact on the first, world axes; sums of their sizes"
    return Table(keys, columns, dimensions, about)


def _friction(
    found: ContactResults, names: list[str], n: int
) -> tuple[dict[str, Array], dict[str, str]]:
    """Columns of friction of contact parts, and their dimensions."""
    forces = np.zeros((n, len(names), 3))
    sizes, slips = np.zeros((n, len(names))), np.zeros((n, len(names)))
    for k, one in enumerate(names):
        forces[:, k] = found.total_friction(one)
        sizes[:, k] = found.total_friction_size(one)
        slips[:, k] = found.largest_slip(one)
    columns, dimensions = _vectors({"friction": "force"}, forces)
    columns |= {"sum_of_friction": sizes, "largest_slip": slips}
    dimensions |= {"sum_of_friction": "force", "largest_slip": "length"}
    return columns, dimensions


def _sensors(layout: Layout, records: Records, name: str | None) -> Table:
    sensors = layout.catalog.sensors
    if name is not None:
        check_sensor(name, layout)
    columns, dimensions = {}, {}
    for sensor in sensors if name is None else [name]:
        reader = prepared(sensors[sensor], layout)
        values = reader(records)
        for i, column in enumerate(reader.columns):
            title = sensor if len(reader.columns) == 1 else f"{sensor} {column}"
            columns[title] = values[:, i : i + 1]
            dimensions[title] = reader.dimensions[i]
    return Table({}, columns, dimensions, "sensors")


def _energy(_: Layout, records: Records, __: str | None) -> Table:
    columns = {key: records.energies[:, i, None] for i, key in enumerate(ENERGY_NAMES)}
    dimensions = dict.fromkeys(ENERGY_NAMES, "energy") | {"relative_balance": "ratio"}
    return Table({}, columns, dimensions, "energies of the whole model")


_TABLES: dict[str, Callable[[Layout, Records, str | None], Table]] = {
    "positions": _positions,
    "displacements": _displacements,
    "velocities": _velocities,
    "accelerations": _accelerations,
    "section_forces": _section_forces,
    "reactions": _reactions,
    "joints": _joints,
    "contacts": _contacts,
    "sensors": _sensors,
    "energy": _energy,
}
