"""The words of model files, and the types that they choose."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any, get_args

from ..errors import suggestion
from ..mesh import (
    box,
    cubic_lattice,
    cylinder,
    mesh_from_curve,
    sphere,
    straight_line,
)
from ..parts import PART_KINDS
from ..sections import (
    CircularSection,
    GeneralSection,
    ISection,
    RectangularSection,
    StationTable,
    TaperedSection,
    TubeSection,
)
from ..sensors import Sensor
from .place import Place, toml_text


def snake_case(name: str) -> str:
    """``LineLoad`` as the file says it, ``line_load``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


PARTS = {snake_case(kind.__name__): kind for kind in PART_KINDS}
SENSORS = {
    snake_case(kind.__name__).removesuffix("_sensor"): kind for kind in get_args(Sensor)
}
MESHES = {"line": straight_line, "curve": mesh_from_curve, "lattice": cubic_lattice}
SOLIDS = {"box": box, "cylinder": cylinder, "sphere": sphere}
SECTIONS: dict[str, Any] = {
    "circle": CircularSection,
    "tube": TubeSection,
    "rectangle": RectangularSection,
    "i": ISection,
    "general": GeneralSection,
    "tapered": TaperedSection,
    "stations": StationTable,
}
# module and class, imported when asked for: a model is checked without any solver
METHODS = {
    "static": ("femlie.solvers.static", "Static"),
    "modal": ("femlie.solvers.modal", "Modal"),
    "generalized_alpha": ("femlie.solvers.generalized_alpha", "GeneralizedAlpha"),
    "munthe_kaas": ("femlie.solvers.munthe_kaas", "MuntheKaas"),
    "gauss_legendre": ("femlie.solvers.gauss_legendre", "GaussLegendre"),
    "bliedf": ("femlie.solvers.bliedf", "BLieDF"),
    "rattle": ("femlie.solvers.rattle", "Rattle"),
}
TABLES = ("mesh", "urdf", "material", "section", *PARTS, "sensor", "analysis")


def solver_type(method: str) -> Any:
    """Class of a solver by the word for it."""
    module, name = METHODS[method]
    return getattr(importlib.import_module(module), name)


def choose(key: str, known: Mapping[str, Any], table: Any, place: Place) -> str:
    """The word at a key of a table, one of those known."""
    if not isinstance(table, dict):
        raise place.wrong(table, f"a table with {key}")
    words = ", ".join(f'"{word}"' for word in known)
    if key not in table:
        raise place.error(f"has no key '{key}', expected one of {words}.")
    word = table[key]
    if not isinstance(word, str):
        raise place.at(key).wrong(word, f"one of {words}")
    if word not in known:
        near = suggestion(word, known, what=f"values of {key}")
        raise place.at(key).error(f"is {toml_text(word)}, which is not known. {near}")
    return word
