"""Make the meshes of the examples that no mesh generator made.

``python meshes/make_meshes.py`` writes rod.msh, crank_housing.stl and heavy_top.stl
beside this file.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
Array = np.ndarray


def write_rod(path: Path, *, n_elements: int = 20) -> None:
    """Straight rod of 1 m along x, groups rod, root and tip (Gmsh 2.2)."""
    n = n_elements + 1
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "3"]
    lines += ['0 1 "root"', '0 2 "tip"', '1 3 "rod"', "$EndPhysicalNames"]
    lines += ["$Nodes", str(n)]
    lines += [f"{k + 1} {k / n_elements:.12g} 0 0" for k in range(n)]
    lines += ["$EndNodes", "$Elements", str(n + 1)]
    lines += ["1 15 2 1 1 1", f"2 15 2 2 2 {n}"]
    lines += [f"{k + 3} 1 2 3 3 {k + 1} {k + 2}" for k in range(n_elements)]
    path.write_text("\n".join([*lines, "$EndElements", ""]), encoding="ascii")


def write_stl(path: Path, triangles: Array) -> None:
    """Binary STL of triangles (n, 3 corners, 3)."""
    record = np.zeros(
        len(triangles),
        dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("unused", "<u2")],
    )
    edges = np.diff(triangles, axis=1)
    normal = np.cross(edges[:, 0], edges[:, 1])
    record["normal"] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    record["corners"] = triangles
    count = np.array([len(triangles)], dtype="<u4")
    path.write_bytes(b"femlie".ljust(80) + count.tobytes() + record.tobytes())


def strip(lower: Array, upper: Array) -> Array:
    """Triangles between two closed loops (n, 3) that run the same way."""
    a, b, c, d = lower, np.roll(lower, -1, 0), np.roll(upper, -1, 0), upper
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def tube(loops: list[Array]) -> Array:
    """Closed surface through loops, each joined to the next, the last to the first."""
    pairs = zip(loops, [*loops[1:], loops[0]], strict=True)
    return np.concatenate([strip(a, b) for a, b in pairs])


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> Array:
    """Box between two corners: two loops, and a pair of triangles on each end."""
    (x, y, z), (u, v, w) = low, high
    lower = np.array([[x, y, z], [u, y, z], [u, v, z], [x, v, z]])
    upper = lower + [0.0, 0.0, w - z]
    ends = [lower[[0, 2, 1]], lower[[0, 3, 2]], upper[[0, 1, 2]], upper[[0, 2, 3]]]
    return np.concatenate([strip(lower, upper), np.stack(ends)])


def bearing(start: float, end: float, *, bore: float, radius: float) -> Array:
    """Pedestal 0.25 high with a bore along y at the origin, between two y."""
    up, straight = np.linspace(0.0, np.pi, 25)[:-1], np.linspace(0.0, 1.0, 9)[:-1]
    arc = radius * np.column_stack([np.cos(up), np.sin(up)])
    corners = radius * np.array([[-1.0, 0], [-1, 0], [1, 0], [1, 0]])
    corners[1:3, 1] = -0.25
    sides = [a + straight[:, None] * (b - a) for a, b in pairwise(corners)]
    outer = np.concatenate([arc, *sides])
    inner = bore * outer / np.linalg.norm(outer, axis=1, keepdims=True)

    def at(loop: Array, y: float) -> Array:
        return np.column_stack([loop[:, 0], np.full(len(loop), y), loop[:, 1]])

    return tube([at(outer, end), at(outer, start), at(inner, start), at(inner, end)])


def housing() -> Array:
    """Bed with two bearings, a guide under the slider and a wall for its spring."""
    return np.concatenate(
        [
            bearing(0.06, 0.09, bore=0.025, radius=0.05),
            bearing(0.15, 0.18, bore=0.025, radius=0.05),
            block((-0.2, -0.06, -0.29), (0.95, 0.21, -0.25)),
            block((0.34, -0.03, -0.25), (0.72, 0.03, -0.05)),
            block((0.93, -0.05, -0.25), (0.95, 0.05, 0.06)),
        ]
    )


def heavy_top() -> Array:
    """Disc with four lobes on a stem along y, its point at the origin."""
    angles = np.linspace(0.0, 2.0 * np.pi, 97)[:-1]
    circle = np.column_stack([np.sin(angles), 0.0 * angles, np.cos(angles)])
    lobes = (1.0 + 0.12 * np.cos(4.0 * angles))[:, None] * circle
    stem, disc = 0.02 * circle, 0.25 * lobes
    outline = [(stem, 0.08), (stem, 0.98), (disc, 0.98), (disc, 1.02)]
    outline += [(stem, 1.02), (stem, 1.12)]
    loops = [shape + [0.0, height, 0.0] for shape, height in outline]
    parts = [strip(a, b) for a, b in pairwise(loops)]
    for loop, height, order in ((loops[0], 0.0, 1), (loops[-1], 1.15, -1)):
        point = np.broadcast_to([0.0, height, 0.0], loop.shape)
        fan = np.stack([point, np.roll(loop, -1, 0), loop], 1)
        parts.append(fan[:, ::order])
    return np.concatenate(parts)


if __name__ == "__main__":
    write_rod(HERE / "rod.msh")
    write_stl(HERE / "crank_housing.stl", housing())
    write_stl(HERE / "heavy_top.stl", heavy_top())
