"""Models that several validation tests load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import femlie as fl

Array = np.ndarray
ACROSS = (0.0, 0.0, 1.0)


def section(
    stretch: float, shear: float, twist: float, bend: float, *, line_mass: float = 0.0
) -> fl.GeneralSection:
    """EA, GA, GJ and EI of a section that bends alike in both directions."""
    mass = np.diag([line_mass] * 3 + [line_mass * 1e-4] * 3)
    stiffness = np.diag([stretch, shear, shear, twist, bend, bend])
    return fl.GeneralSection(
        stiffness=stiffness, mass_matrix=mass if line_mass else None
    )


def rod(
    points: Array,
    rod_section: Any,
    *,
    curve: fl.Curve = fl.STRAIGHT,
    orientation: Sequence[float] | None = ACROSS,
    **options: Any,
) -> fl.Model:
    """One beam "rod" through points; groups "root", "tip" and "middle"."""
    n = len(points) - 1
    mesh = fl.mesh_from_arrays(
        points,
        np.column_stack([np.arange(n), np.arange(1, n + 1)]),
        node_groups={"root": [0], "middle": [n // 2], "tip": [n]},
        line_groups={"wire": np.arange(n)},
    )
    model = fl.Model(mesh)
    model.add(
        fl.Beam(
            "rod",
            cells="wire",
            section=rod_section,
            curve=curve,
            orientation=None if orientation is None else tuple(orientation),
            **options,
        )
    )
    return model


def line(start: Sequence[float], end: Sequence[float], n_elements: int) -> Array:
    """Points at equal distances, (n_elements + 1, 3)."""
    return np.linspace(start, end, n_elements + 1)


def polyline(corners: Sequence[Sequence[float]], n_elements: int) -> Array:
    """Points on straight legs of ``n_elements`` each."""
    legs = [line(a, b, n_elements) for a, b in pairwise(corners)]
    return np.vstack([legs[0], *[leg[1:] for leg in legs[1:]]])


def along(curve: Callable[[Array], Array], n_elements: int) -> Array:
    """Points of ``curve(s)``, s from 0 to 1."""
    return np.asarray(curve(np.linspace(0.0, 1.0, n_elements + 1))).T


def cantilever(points: Array, rod_section: Any, **options: Any) -> fl.Model:
    """A rod clamped at its first node."""
    model = rod(points, rod_section, **options)
    model.add(fl.Support("clamp", at="root"))
    return model


def bend_45(n_elements: int, constants: Sequence[float] | None = None) -> fl.Model:
    """Bathe and Bolourchi's bend: radius 100, EA, GA, GJ, EI."""
    angle = 0.25 * np.pi

    def arc(s: Array) -> Array:
        return 100.0 * np.array(
            [np.sin(s * angle), 1.0 - np.cos(s * angle), np.zeros_like(s)]
        )

    constants = constants or (1e7, 5e6, 5e6 * 0.141, 1e7 / 12.0)
    return cantilever(along(arc, n_elements), section(*constants), curve=fl.SMOOTH)


def push(model: fl.Model, **load: Any) -> fl.Model:
    """Add a force "push" at the tip unless told otherwise."""
    model.add(fl.Force("push", at=load.pop("at", "tip"), **load))
    return model


def solve(model: fl.Model, *, load_steps: int = 1, **options: Any) -> fl.Results:
    """Static equilibrium with default settings."""
    return fl.Static(**options).solve(model.build(), load_steps=load_steps)


def end(results: fl.Results, name: str = "tip") -> Array:
    """(3,) place at full load."""
    return np.asarray(results.positions(name)[-1])


def effort(results: fl.Results) -> tuple[int, int]:
    """Load steps with refused ones, and all iterations."""
    summary = results.summary
    return summary["steps"] + summary["refused_steps"], summary["iterations"]
