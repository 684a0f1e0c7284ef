"""Models whose parts are timed, built of the cases of `benchmarks.peers`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import femlie as fl
from benchmarks.peers import chain, flying_beam, heavy_top


def cantilever(n_elements: int) -> fl.Model:
    """Steel rod of 1 m that bends into a quarter of a circle."""
    mesh = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=n_elements, name="line", start_name="root",
        end_name="tip",
    )  # fmt: skip
    model = fl.Model(mesh)
    steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
    section = fl.CircularSection(radius=0.01, material=steel)
    model.add(fl.Beam("rod", cells="line", section=section))
    model.add(fl.Support("clamp", at="root"))
    bending = 210e9 * math.pi * 0.01**4 / 4.0
    model.add(fl.Force("bend", at="tip", moment=(0, 0, 0.5 * math.pi * bending)))
    return model


def grid(n: int) -> fl.Model:
    """Square grid of n x n nodes in the plane, clamped along one side."""
    numbers = np.arange(n * n).reshape(n, n)
    points = np.zeros((n, n, 3))
    points[:, :, 0], points[:, :, 1] = np.meshgrid(np.arange(n), np.arange(n))
    along = np.column_stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()])
    across = np.column_stack([numbers[:-1].ravel(), numbers[1:].ravel()])
    lines = np.vstack([along, across])
    mesh = fl.mesh_from_arrays(
        points.reshape(-1, 3),
        lines,
        node_groups={"side": numbers[:, 0], "corner": [n * n - 1]},
        line_groups={"beams": np.arange(len(lines))},
    )
    model = fl.Model(mesh)
    steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
    section = fl.CircularSection(radius=0.05, material=steel)
    model.add(fl.Beam("beams", cells="beams", section=section))
    model.add(fl.Support("wall", at="side"))
    model.add(fl.Force("push", at="corner", force=(0, 0, -100.0)))
    return model


def flying(n_elements: int) -> fl.Model:
    """The free rod of the flying beam."""
    return flying_beam.make_model(n_elements)


def links(n_links: int) -> fl.Model:
    """The chain that starts kinked."""
    model: Any = chain.make_model(n_links, chain.KINKED)
    return model


def top(form: str) -> fl.Model:
    """The heavy top on a joint or pinned."""
    return heavy_top.make_model(form)
