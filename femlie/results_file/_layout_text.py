"""Layouts as text and named arrays, for results files.

The text is JSON. Arrays of up to 16 numbers stand in it; it holds the names of larger
ones, which come beside it and are called after where they stand.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from .. import sensors
from ..errors import ResultsError
from ..records import ContactTable, JointTable, Layout
from ..system import (
    BeamShapes,
    Catalog,
    ElementRange,
    Glyph,
    ModalShape,
    ModalSpread,
    Surface,
)

RECORDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        Layout,
        JointTable,
        ContactTable,
        Catalog,
        ElementRange,
        BeamShapes,
        Surface,
        Glyph,
        ModalShape,
        ModalSpread,
        sensors.PointSensor,
        sensors.RelativeSensor,
        sensors.JointSensor,
        sensors.SectionForceSensor,
        sensors.ReactionSensor,
        sensors.EnergySensor,
    )
}
ENUMS: dict[str, type[Enum]] = {
    kind.__name__: kind
    for kind in (sensors.Quantity, sensors.SectionForce, sensors.SectionPlace)
}
INLINE_SIZE = 16
Arrays = dict[str, np.ndarray[Any, Any]]


def encode(layout: Layout) -> tuple[str, Arrays]:
    """Text of a layout, and its larger arrays by name."""
    arrays: Arrays = {}
    tree = _encode(layout, "", arrays)
    return json.dumps(tree, allow_nan=False, ensure_ascii=False), arrays


def decode(text: str, arrays: Arrays) -> Layout:
    """Layout that `encode` wrote."""
    layout = _decode(json.loads(text), arrays)
    if not isinstance(layout, Layout):
        message = "The results file holds no layout of a model; it is damaged."
        raise ResultsError(message)
    return layout


def safe_name(name: str) -> str:
    """A name that HDF5 takes as one link: no slash, not '.', not empty."""
    plain = name.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")
    if set(plain) <= {"."}:
        return plain.replace(".", "%2E") or "%"
    return plain


def _encode(value: Any, path: str, arrays: Arrays) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Enum):
        return {"enum": type(value).__name__, "value": value.value}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return _encode_array(value, path, arrays)
    if isinstance(value, dict):
        items = [
            [key, _encode(item, f"{path}/{safe_name(key)}", arrays)]
            for key, item in value.items()
        ]
        return {"dict": items}
    if isinstance(value, tuple | list):
        items = [_encode(x, f"{path}/{i}", arrays) for i, x in enumerate(value)]
        return {"tuple": items}
    kind = type(value).__name__
    if is_dataclass(value) and RECORDS.get(kind) is type(value):
        content = {
            field.name: _encode(
                getattr(value, field.name), f"{path}/{field.name}", arrays
            )
            for field in fields(value)
        }
        return {"record": kind, "fields": content}
    message = f"A results file cannot hold '{path}', which is of type {kind}."
    raise ResultsError(message)


def _encode_array(value: np.ndarray[Any, Any], path: str, arrays: Arrays) -> Any:
    if value.size > INLINE_SIZE:
        name = path.lstrip("/")
        arrays[name] = value
        return {"array": name}
    return {
        "numbers": value.ravel().tolist(),
        "shape": list(value.shape),
        "type": value.dtype.name,
    }


def _decode(tree: Any, arrays: Arrays) -> Any:
    if not isinstance(tree, dict):
        return tree
    if "array" in tree:
        return arrays[tree["array"]]
    if "numbers" in tree:
        return np.array(tree["numbers"], dtype=tree["type"]).reshape(tree["shape"])
    if "dict" in tree:
        return {key: _decode(item, arrays) for key, item in tree["dict"]}
    if "tuple" in tree:
        return tuple(_decode(item, arrays) for item in tree["tuple"])
    if "enum" in tree:
        return ENUMS[tree["enum"]](tree["value"])
    content = {key: _decode(item, arrays) for key, item in tree["fields"].items()}
    return RECORDS[tree["record"]](**content)
