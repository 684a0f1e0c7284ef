"""``femlie warmup``: compile what most models need, by running small ones."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..input_file import ModelFile
from ..input_file.reader import model_of_tree
from .screen import DONE, ProgressBar, show

# one part of each kind that has a kernel of its own
MODEL: dict[str, Any] = {
    "mesh": {
        "line": {"start": [0, 0, 0], "end": [1, 0, 0], "n_elements": 2, "name": "rod"}
    },
    "section": {
        "round": {
            "shape": "circle",
            "radius": 0.01,
            "material": {"young": 1e9, "poisson": 0.3, "density": 1000.0},
        }
    },
    "beam": {"rod": {"cells": "rod", "section": "round"}},
    "support": {"root": {"at": "start"}},
    "body": {
        "arm": {"position": [1, 0, 0], "mass": 0.1, "inertia": [1e-4, 1e-4, 1e-4]}
    },
    "joint": {
        "hinge": {
            "kind": "revolute",
            "parent": "end",
            "child": "arm",
            "axis": [0, 1, 0],
            "spring": {"stiffness": 1.0},
        }
    },
    "spring_damper": {"tie": {"first": "start", "second": "arm", "stiffness": 1.0}},
    "force": {"push": {"at": "arm", "force": [0, 0, 0.1]}},
    "line_load": {"wind": {"on": "rod", "force": [0, 0.1, 0]}},
    "gravity": {"gravity": {"acceleration": [0, 0, -9.81]}},
}
ANALYSES: tuple[dict[str, Any], ...] = (
    {"method": "static"},
    {"method": "generalized_alpha", "duration": 2e-3, "time_step": 1e-3},
)
BODIES = ("body", "gravity", "force")
BODY_ANALYSES: tuple[dict[str, Any], ...] = (
    {"method": "munthe_kaas", "duration": 2e-3, "time_step": 1e-3},
)


def models() -> list[ModelFile]:
    """A model with one part of each kind for every method."""
    bodies = {kind: MODEL[kind] for kind in BODIES}
    runs = [(MODEL, analysis) for analysis in ANALYSES]
    runs += [(bodies, analysis) for analysis in BODY_ANALYSES]
    return [
        model_of_tree({**tables, "analysis": analysis}, Path("warmup"))
        for tables, analysis in runs
    ]


def warm_up() -> int:
    """Run the small models; what they compile stays in the cache."""
    from .._jit import CACHE_FOLDER, IS_COMPILED

    if not IS_COMPILED:
        show("compilation is switched off (NUMBA_DISABLE_JIT)")
        return DONE
    start = time.perf_counter()
    runs = models()
    with ProgressBar() as progress:
        for number, file in enumerate(runs):
            assert file.analysis is not None
            progress(number / len(runs), file.analysis.method)
            file.analysis.solve(file.build())
    seconds = time.perf_counter() - start
    show(f"compiled in {seconds:.1f} s, kept in {CACHE_FOLDER}")
    return DONE
