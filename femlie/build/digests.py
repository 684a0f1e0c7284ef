"""Short digests of what a model says, by which a restart knows its model again.

Python functions and objects count by their names only.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ..mesh import Mesh
from ..parts.loads import Controller
from ..parts.structure import Body
from .bodies import RigidBody

MESH = "(mesh)"
DIGEST_BYTES = 8


def digests_of(
    mesh: Mesh | None,
    parts: Mapping[str, Any],
    sensors: Mapping[str, Any],
    bodies: Mapping[str, RigidBody],
) -> dict[str, str]:
    """Digest of each part by its name, in their order, and of the mesh.

    A surface counts by what it gives a body, not by its file; a sensor where a
    controller reads it.
    """
    found = {} if mesh is None else {MESH: digest(_content_of_mesh(mesh))}
    for name, part in parts.items():
        content: Any = part
        if isinstance(part, Body):
            body = bodies[name]
            content = [dataclasses.replace(part, surface=None), body.frame, body.mass]
        elif isinstance(part, Controller):
            content = [part, *(sensors.get(sensor) for sensor in part.sensors)]
        found[name] = digest(content)
    return found


def _content_of_mesh(mesh: Mesh) -> list[Any]:
    groups = (mesh.node_groups, mesh.line_groups, mesh.surface_groups)
    return [mesh.points, mesh.lines, mesh.mid_nodes, *(dict(g) for g in groups)]


def digest(value: Any) -> str:
    """The same for equal values, whether numbers come as lists, tuples or arrays."""
    total = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for piece in _pieces(value):
        total.update(piece)
        total.update(b";")
    return total.hexdigest()


def _pieces(value: Any) -> Iterator[bytes]:
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        yield repr(value.shape).encode()
        yield (value.astype(np.float64) + 0.0).tobytes()
    elif value is None or isinstance(value, (bool, np.bool_, str, Path, Enum)):
        yield f"{type(value).__name__} {value}".encode()
    elif isinstance(value, (int, float, np.number)):
        yield float(value + 0.0).hex().encode()
    elif isinstance(value, (list, tuple, np.ndarray)):
        yield from _sequence(value)
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield str(key).encode()
            yield from _pieces(value[key])
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__.encode()
        for field in dataclasses.fields(value):
            yield field.name.encode()
            yield from _pieces(getattr(value, field.name))
    else:
        name = getattr(value, "__qualname__", type(value).__qualname__)
        yield f"object {name}".encode()


def _sequence(value: Any) -> Iterator[bytes]:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = None
    is_plain = numbers is not None and numbers.dtype.kind == "f"
    if is_plain and not any(isinstance(entry, (str, bool)) for entry in value):
        yield from _pieces(numbers)
        return
    yield f"sequence {len(value)}".encode()
    for entry in value:
        yield from _pieces(entry)
