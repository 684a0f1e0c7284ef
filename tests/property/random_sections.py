"""Random sections of every kind, of a soft material, a few centimeters thick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import femlie as fl


class Draw:
    """Random choices from one seeded generator."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def chance(self, probability: float = 0.5) -> bool:
        return bool(self.rng.random() < probability)

    def pick(self, choices: Any) -> Any:
        choices = list(choices)
        return choices[int(self.rng.integers(len(choices)))]

    def number(self, lower: float, upper: float) -> float:
        return float(self.rng.uniform(lower, upper))

    def vector(self, size: float = 1.0) -> tuple[float, float, float]:
        x, y, z = size * self.rng.uniform(-1.0, 1.0, size=3)
        return float(x), float(y), float(z)

    def direction(self) -> tuple[float, float, float]:
        vector = self.rng.normal(size=3)
        x, y, z = vector / np.linalg.norm(vector)
        return float(x), float(y), float(z)

    def across(self, axis: Any) -> tuple[float, float, float]:
        """A direction at right angles to another."""
        x, y, z = np.cross(axis, self.direction())
        size = float(np.linalg.norm([x, y, z]))
        return float(x / size), float(y / size), float(z / size)

    def definite(self, scales: Any) -> Any:
        """A symmetric positive definite matrix of which the diagonal is near scales."""
        n = len(scales)
        root = np.eye(n) + 0.15 * self.rng.normal(size=(n, n))
        size = np.sqrt(np.asarray(scales, dtype=float))
        return size[:, None] * (root @ root.T) * size


def random_material(draw: Draw) -> fl.Material:
    young = draw.number(2e6, 4e6)
    density = draw.number(800.0, 1200.0)
    if draw.chance(0.3):
        return fl.Material(young=young, shear_modulus=0.4 * young, density=density)
    return fl.Material(young=young, poisson=draw.number(0.2, 0.45), density=density)


def shape_options(draw: Draw, size: float) -> dict[str, Any]:
    """What all shapes may be given besides their dimensions."""
    options: dict[str, Any] = {}
    if draw.chance(0.3):
        options["shear_factors"] = (draw.number(0.7, 0.95), draw.number(0.7, 0.95))
    if draw.chance(0.3):
        options["torsion_constant"] = draw.number(0.5, 1.0) * size**4
    if draw.chance(0.5):
        options["offset"] = draw.vector(0.3 * size)[:2]
    if draw.chance(0.4):
        options["damping_time"] = draw.number(1e-4, 1e-3)
    elif draw.chance(0.4):
        options["damping"] = draw.definite([20.0, 6.0, 6.0, 0.05, 0.05, 0.05])
    return options


def circle(draw: Draw, material: fl.Material, **options: Any) -> Any:
    return fl.CircularSection(
        radius=draw.number(0.05, 0.07), material=material, **options
    )


def tube(draw: Draw, material: fl.Material, **options: Any) -> Any:
    outer = draw.number(0.06, 0.08)
    inner = draw.number(0.4, 0.7) * outer
    return fl.TubeSection(
        outer_radius=outer, inner_radius=inner, material=material, **options
    )


def rectangle(draw: Draw, material: fl.Material, **options: Any) -> Any:
    return fl.RectangularSection(
        height=draw.number(0.1, 0.14),
        width=draw.number(0.08, 0.1),
        material=material,
        **options,
    )


def i_shape(draw: Draw, material: fl.Material, **options: Any) -> Any:
    return fl.ISection(
        height=draw.number(0.14, 0.18),
        width=draw.number(0.12, 0.15),
        web_thickness=0.03,
        flange_thickness=draw.number(0.025, 0.035),
        material=material,
        **options,
    )


SHAPES: tuple[Callable[..., Any], ...] = (circle, tube, rectangle, i_shape)


def general(draw: Draw) -> fl.GeneralSection:
    """Any 6x6 stiffness, mass matrix and damping, in any order."""
    order = draw.pick(fl.SectionOrder)
    rows = [0, 1, 2, 3, 4, 5]
    if order is fl.SectionOrder.BEAMDYN:
        rows = [1, 2, 0, 4, 5, 3]
    place = np.ix_(rows, rows)
    stiffness = draw.definite([4e4, 1.2e4, 1.2e4, 40.0, 50.0, 60.0])[place]
    line, center = draw.number(8.0, 14.0), draw.vector(0.02)
    cloud = draw.definite([0.03, 0.02, 0.015])
    cloud += 0.01 * np.eye(3)
    cross = np.cross(np.eye(3), center)  # rows e_i x c: minus the cross matrix of c
    mass = np.zeros((6, 6))
    mass[:3, :3] = line * np.eye(3)
    mass[:3, 3:] = line * cross
    mass[3:, :3] = line * cross.T
    mass[3:, 3:] = cloud + line * cross.T @ cross
    options: dict[str, Any] = {}
    if draw.chance(0.5):
        options["damping_time"] = draw.number(1e-4, 1e-3)
    elif draw.chance(0.5):
        damping = draw.definite([20.0, 6.0, 6.0, 0.05, 0.05, 0.05])
        options["damping"] = damping[place]
    if draw.chance(0.4):
        corner = 0.05
        loop = np.array([[-corner, -corner], [corner, -corner], [0.0, corner]])
        options["outline"] = (loop,)
    if draw.chance(0.3):
        return fl.GeneralSection(
            compliance=np.linalg.inv(stiffness),
            mass_matrix=mass[place],
            order=order,
            **options,
        )
    return fl.GeneralSection(
        stiffness=stiffness, mass_matrix=mass[place], order=order, **options
    )


def random_section(draw: Draw) -> Any:
    """A section of any kind with any options."""
    kind = draw.pick(("shape", "shape", "general", "tapered", "stations"))
    if kind == "general":
        return general(draw)
    material = random_material(draw)
    shape = draw.pick(SHAPES)
    options = shape_options(draw, 0.08)
    if kind == "shape":
        return shape(draw, material, **options)
    first = shape(draw, material, **options)
    if kind == "tapered":
        return fl.TaperedSection(start=first, end=shape(draw, material, **options))
    between = shape(draw, material, **options) if draw.chance() else general(draw)
    return fl.StationTable(
        stations=(0.0, draw.number(0.3, 0.7), 1.0),
        sections=(first, between, general(draw)),
    )
