"""A small mesh, and parts on it that each take other options."""

from __future__ import annotations

import math
from typing import Any

import femlie as fl

RUBBER = fl.Material(young=5e6, poisson=0.45, density=1100.0)
ROUND = fl.CircularSection(radius=0.01, material=RUBBER)
NAN, INFINITE = math.nan, math.inf


def mesh() -> fl.Mesh:
    """A rod along x of four cells, a post along z, and a node of its own."""
    points = [[0.25 * k, 0, 0] for k in range(5)]
    points += [[0, 1, 0], [0, 1, 1], [2, 2, 2]]
    lines = [[k, k + 1] for k in range(4)] + [[5, 6]]
    return fl.mesh_from_arrays(
        points,
        lines,
        node_groups={
            "root": [0],
            "tip": [4],
            "both": [0, 4],
            "alone": [7],
            "post foot": [5],
        },
        line_groups={"rod": [0, 1, 2, 3], "half": [0, 1], "post": [4]},
    )


def rod(**options: Any) -> fl.Beam:
    return fl.Beam("beam", **{"cells": "rod", "section": ROUND, **options})


def modal(**options: Any) -> fl.ModalBody:
    given = {"beams": ("beam",), "interfaces": ("root", "tip"), "n_modes": 2}
    return fl.ModalBody("arm", **{**given, **options})


def body(**options: Any) -> fl.Body:
    given = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0), "position": (0.0, 0.0, 3.0)}
    return fl.Body("body", **{**given, **options})


def joint(kind: Any = fl.REVOLUTE, **options: Any) -> fl.Joint:
    given = {"parent": fl.GROUND, "child": "root", **options}
    return fl.Joint("joint", kind, **given)


def force(**options: Any) -> fl.Force:
    return fl.Force("force", **{"at": "tip", "force": (1.0, 0.0, 0.0), **options})


def support(**options: Any) -> fl.Support:
    return fl.Support("support", **{"at": "root", **options})


def spring(**options: Any) -> fl.SpringDamper:
    given = {"first": "root", "second": "tip", "stiffness": 1.0}
    return fl.SpringDamper("spring", **{**given, **options})


def bushing(**options: Any) -> fl.Bushing:
    given = {"first": "root", "second": "tip", "stiffness": (1.0,) * 6}
    return fl.Bushing("bushing", **{**given, **options})


def contact(*between: str, **options: Any) -> fl.Contact:
    return fl.Contact("touch", between=between, **options)


def build(*parts: Any) -> Any:
    model = fl.Model(mesh())
    for part in parts:
        model.add(part)
    return model.build()


MOVE = fl.Motor(motion=1.0)
TABLE = fl.Table(times=(0.0, 1.0), values=(0.0, 1.0))
ALONG = fl.JointCoordinate.ALONG
