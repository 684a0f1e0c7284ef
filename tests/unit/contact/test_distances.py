"""Signed distances to rigid shapes: by brute force, closed forms and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.contact import _near
from femlie.contact import _shapes as kinds
from femlie.contact.shapes import RigidShape, Shapes
from femlie.contact.surfaces import convex_parts

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
INF = float("inf")


def shapes_of(kind: int, *dimensions: float, surface: Any = None) -> Shapes:
    sizes = (*dimensions, 0.0, 0.0, 0.0)[:3]
    points = None if surface is None else surface.points
    triangles = None if surface is None else surface.triangles
    item = RigidShape(kind, sizes, 0, IDENTITY, "shape", points, triangles)
    return Shapes((item,), np.array([0]))


def surface_of(name: str) -> Any:
    if name == "cube":
        return fl.box((1.0, 0.8, 0.6), density=1.0).surface
    if name == "drum":
        return fl.cylinder(0.4, 0.7, density=1.0, n_facets=24).surface
    # an L with a hollow edge: two boxes that share a face would not be closed
    corners = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], dtype=float)
    points = np.vstack([np.column_stack([corners, np.full(6, z)]) for z in (0.0, 1.0)])
    caps = [(0, 1, 3), (1, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [(a, c, b) for a, b, c in caps] + [
        (a + 6, b + 6, c + 6) for a, b, c in caps
    ]
    for k in range(6):
        j = (k + 1) % 6
        faces += [(k, j, j + 6), (k, j + 6, k + 6)]
    return fl.Surface(points, np.array(faces))


def evaluate(shapes: Shapes, points: Any) -> Any:
    found = np.zeros((len(points), 13))
    _near.derivatives(shapes.parameters, 0, np.ascontiguousarray(points), found)
    return found[:, 0], found[:, 1:4], found[:, 4:].reshape(-1, 3, 3)


CASES = {
    "plane": (kinds.PLANE,),
    "ball": (kinds.BALL, 0.4),
    "hollow": (kinds.HOLLOW, 1.5),
    "cylinder": (kinds.CYLINDER, 0.4, 0.5),
    "endless cylinder": (kinds.CYLINDER, 0.4, INF),
    "bore": (kinds.BORE, 0.6, 0.5),
    "endless bore": (kinds.BORE, 1.5, INF),
    "capsule": (kinds.CAPSULE, 0.3, 0.4),
    "box": (kinds.BOX, 0.5, 0.4, 0.3),
}


def is_solid(name: str, p: Any) -> Any:
    """What is inside, said in another way."""
    across = np.hypot(p[:, 0], p[:, 1])
    flat = np.abs(p[:, 2])
    return {
        "plane": p[:, 2] < 0.0,
        "ball": np.linalg.norm(p, axis=1) < 0.4,
        "hollow": np.linalg.norm(p, axis=1) > 1.5,
        "cylinder": (across < 0.4) & (flat < 0.5),
        "endless cylinder": across < 0.4,
        "bore": (across > 0.6) & (flat < 0.5),
        "endless bore": across > 1.5,
        "capsule": np.hypot(across, np.maximum(flat - 0.4, 0.0)) < 0.3,
        "box": np.all(np.abs(p) < [0.5, 0.4, 0.3], axis=1),
    }[name]


def boundary_of(name: str) -> Any:
    """Points all over the surface, from grids of its parts."""
    angle = np.linspace(-np.pi, np.pi, 241)
    u, v = np.meshgrid(np.linspace(-1.0, 1.0, 241), angle, indexing="ij")
    u, v = u.ravel(), v.ravel()
    circle = np.stack([np.cos(v), np.sin(v), 0.0 * v], axis=1)
    up = np.array([0.0, 0.0, 1.0])
    ball = np.sqrt(1.0 - u**2)[:, None] * circle + u[:, None] * up
    if name == "plane":
        return np.stack([3.0 * u, v, 0.0 * u], axis=1)
    if name in ("ball", "hollow"):
        return ball * {"ball": 0.4, "hollow": 1.5}[name]
    if name == "capsule":
        ends = [0.3 * ball[s * u >= 0.0] + s * 0.4 * up for s in (-1.0, 1.0)]
        return np.vstack([*ends, 0.3 * circle + 0.4 * u[:, None] * up])
    if name == "box":
        w = v / np.pi
        sheets = [np.roll(np.stack([u, w, 0.0 * u + s], axis=1), k, axis=1)
                  for s in (-1.0, 1.0) for k in range(3)]  # fmt: skip
        return np.vstack(sheets) * [0.5, 0.4, 0.3]
    radius = {"cylinder": 0.4, "endless cylinder": 0.4, "bore": 0.6}.get(name, 1.5)
    long = 0.5 if name in ("cylinder", "bore") else 2.5
    parts = [radius * circle + long * u[:, None] * up]
    if name == "cylinder":
        disk = radius * np.abs(u)[:, None] * circle
        parts += [disk + 0.5 * up, disk - 0.5 * up]
    if name == "bore":
        disk = (radius + 2.0 * np.abs(u))[:, None] * circle
        parts += [disk + 0.5 * up, disk - 0.5 * up]
    return np.vstack(parts)


@pytest.mark.parametrize("name", CASES)
def test_distance_is_that_to_the_nearest_of_many_points(name: str) -> None:
    rng = np.random.default_rng(4)
    points = rng.uniform(-1.1, 1.1, size=(60, 3))
    found, normals, _ = evaluate(shapes_of(*CASES[name]), points)
    boundary = boundary_of(name)
    nearest = np.array([np.linalg.norm(boundary - p, axis=1).min() for p in points])
    # no point of the grid is nearer, and one is nearly as near
    assert np.all(np.abs(found) <= nearest + 1e-12)
    assert np.all(nearest - np.abs(found) < 0.02)
    np.testing.assert_array_equal(found < 0.0, is_solid(name, points))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-14)


def check_derivatives(shapes: Shapes, points: Any, atol: float = 1e-8) -> None:
    """Gradient and second derivatives against differences, off the folds."""
    h = 1e-5
    _, normals, bends = evaluate(shapes, points)
    n_smooth = 0
    for p, normal, bend in zip(points, normals, bends, strict=True):
        steps = np.vstack([h * np.eye(3), -h * np.eye(3)])
        d, n, b = evaluate(shapes, p + steps)
        if np.abs(b - bend).max() > 1e-3 * max(1.0, np.abs(bend).max() ** 2):
            continue
        n_smooth += 1
        np.testing.assert_allclose((d[:3] - d[3:]) / (2 * h), normal, atol=atol)
        large = atol * (1.0 + np.abs(bend).max()) ** 3
        np.testing.assert_allclose((n[:3] - n[3:]) / (2 * h), bend, rtol=0, atol=large)
        np.testing.assert_allclose(bend, bend.T, atol=1e-14 * (1 + abs(bend).max()))
    assert n_smooth > 0.8 * len(points)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_the_distance(name: str) -> None:
    points = np.random.default_rng(5).uniform(-1.1, 1.1, size=(40, 3))
    points = points[np.hypot(points[:, 0], points[:, 1]) > 0.1]
    check_derivatives(shapes_of(*CASES[name]), points)


@pytest.mark.parametrize("name", ["cube", "drum", "corner"])
def test_distance_to_triangles_is_that_of_all_of_them(name: str) -> None:
    """Nearest of many points on each triangle; the sign by the solid angle."""
    surface = surface_of(name)
    shapes = shapes_of(kinds.TRIANGLES, surface=surface)
    low, high = surface.points.min(axis=0) - 0.4, surface.points.max(axis=0) + 0.4
    points = np.random.default_rng(6).uniform(low, high, size=(80, 3))
    found, _, _ = evaluate(shapes, points)
    corners = surface.points[surface.triangles]
    a, b = np.meshgrid(np.linspace(0, 1, 61), np.linspace(0, 1, 61))
    a, b = a[a + b <= 1.0], b[a + b <= 1.0]
    weights = np.stack([1.0 - a - b, a, b], axis=1)
    boundary = (weights @ corners).reshape(-1, 3)
    for p, d in zip(points, found, strict=True):
        nearest = np.linalg.norm(boundary - p, axis=1).min()
        # no point of the grid is nearer, and one is nearly as near
        assert abs(d) <= nearest + 1e-12
        assert nearest - abs(d) < 0.03
        r = corners - p
        size = np.linalg.norm(r, axis=2)
        below = size.prod(axis=1)
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            below = below + np.sum(r[:, i] * r[:, j], axis=1) * size[:, k]
        # van Oosterom and Strackee 1983
        angle = 2.0 * np.arctan2(np.linalg.det(r), below).sum()
        assert (abs(angle) > 2.0 * np.pi) == (d < 0.0)
    check_derivatives(shapes, points)


def boss_on_plate() -> Any:
    """A block of side 2 on a plate of side 4, in one surface."""
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=float)
    rings = [(2.0, -1.0), (2.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    points = np.vstack(
        [np.column_stack([size * square, np.full(4, z)]) for size, z in rings]
    )
    quads = [(3, 2, 1, 0), (12, 13, 14, 15)]
    for ring in range(3):
        for k in range(4):
            a, b = 4 * ring + k, 4 * ring + (k + 1) % 4
            quads.append((a, b, b + 4, a + 4))
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return fl.Surface(points, np.array(triangles))


def test_hollow_edges_part_a_surface() -> None:
    """The block and the plate, which are seen apart; what is between them is outside.

    The plate has no top where the block stands: beside its open edges is outside.
    """
    surface = boss_on_plate()
    parts = convex_parts(surface.points, surface.triangles)
    assert sorted(len(part) for part in parts) == [10, 18]
    (whole,) = convex_parts(*outline_of(surface_of("cube")))
    assert len(whole) == 12
    points = np.array(
        [[0.0, 0.0, 1.2], [1.2, 0.0, 0.5], [1.1, 0.0, 0.2], [1.5, 0.0, -0.1]]
    )
    both = []
    for part in sorted(parts, key=len):
        item = RigidShape(
            kinds.TRIANGLES, (0.0,) * 3, 0, IDENTITY, "", surface.points, part
        )
        both.append(evaluate(Shapes((item,), np.array([0])), points)[0])
    block, plate = both
    np.testing.assert_allclose(block[:3], [0.2, 0.2, 0.1], atol=1e-14)
    np.testing.assert_allclose(plate[1:], [0.5, 0.2, -0.1], atol=1e-14)
    assert block[3] > 0.0
    assert plate[0] > 0.0


def outline_of(surface: Any) -> Any:
    return surface.points, surface.triangles


def test_box_of_triangles_is_a_box() -> None:
    points = np.random.default_rng(7).uniform(-1.0, 1.0, size=(50, 3))
    surface = fl.box((1.0, 0.8, 0.6), density=1.0).surface
    given = evaluate(shapes_of(kinds.TRIANGLES, surface=surface), points)
    expected = evaluate(shapes_of(kinds.BOX, 0.5, 0.4, 0.3), points)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
