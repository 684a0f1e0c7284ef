"""Make the meshes of the examples that no mesh generator made.

``python meshes/make_meshes.py`` writes rod.msh, crank_housing.stl, heavy_top.stl,
six_bar_press.msh, strand.msh and overhand_knot.msh beside this file.
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


def write_strand(path: Path, *, n_elements: int = 24) -> None:
    """Core and six wires of one lay, as Utting and Jones tested (Gmsh 2.2).

    Core 3.94 mm, wires 3.73 mm, lay 115 mm; groups core, wires, starts and ends.
    """
    # a thousandth of a millimeter of air
    n, lay, away = n_elements + 1, 0.115, 0.5 * (3.94e-3 + 3.73e-3) + 1e-6
    x = np.linspace(0.0, lay, n)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "4"]
    lines += ['0 1 "starts"', '0 2 "ends"', '1 3 "core"', '1 4 "wires"']
    lines += ["$EndPhysicalNames", "$Nodes", str(7 * n)]
    for k in range(7):
        angle = np.pi * k / 3.0 + 2.0 * np.pi * x / lay
        radius = away if k < 6 else 0.0
        y, z = radius * np.cos(angle), radius * np.sin(angle)
        lines += [
            f"{k * n + j + 1} {x[j]:.12g} {y[j]:.12g} {z[j]:.12g}" for j in range(n)
        ]
    lines += ["$EndNodes", "$Elements", str(7 * (n + 1))]
    elements = []
    for k in range(7):
        elements += [f"15 2 1 1 {k * n + 1}", f"15 2 2 2 {k * n + n}"]
        group = 4 if k < 6 else 3
        for j in range(k * n + 1, k * n + n):
            elements.append(f"1 2 {group} {k + 3} {j} {j + 1}")
    lines += [f"{k + 1} {text}" for k, text in enumerate(elements)]
    path.write_text("\n".join([*lines, "$EndElements", ""]), encoding="ascii")


def write_knot(path: Path, *, n_elements: int = 120) -> None:
    """A loose overhand knot in a rope of radius 4 mm (Gmsh 2.2).

    Two tails along x, and an oval of half circles of 0.1 m between them; where it meets
    itself both parts are wound round each other by three half turns. Groups rope, left
    and right.
    """
    tail, radius, half, away = 0.4, 0.1, 0.07, 0.005
    arc = np.pi * radius
    oval = 4.0 * half + 2.0 * arc
    s = np.linspace(-tail, oval + tail, 20001)
    first = np.clip((s - half) / radius, 0.0, np.pi)
    second = np.clip((s - oval + half + arc) / radius, 0.0, np.pi)
    turn = first + second
    # what is straight, then what the half circles add
    straight = np.minimum(s, half) - np.clip(s - half - arc, 0.0, 2.0 * half)
    straight += np.maximum(s - oval + half, 0.0)
    x = straight + radius * np.sin(turn)
    y = radius * (1.0 - np.cos(turn))
    z = np.zeros_like(s)
    for u, start in ((s, np.pi), (s - oval, 2.0 * np.pi)):
        along = np.clip(u / half, -1.0, 1.0)
        winding = along + 0.5 * np.sin(np.pi * along) / np.pi
        fading = np.clip((np.abs(u) - half) / (0.8 * half), 0.0, 1.0)
        share = 0.5 * away * (1.0 + np.cos(np.pi * fading))
        y += share * np.sin(start + 1.5 * np.pi * winding)
        z += share * np.cos(start + 1.5 * np.pi * winding)
    places = np.stack([x, y, z], axis=1)
    ways = np.linalg.norm(np.diff(places, axis=0), axis=1)
    arcs = np.concatenate([[0.0], np.cumsum(ways)])
    at = np.linspace(0.0, arcs[-1], n_elements + 1)
    nodes = np.stack([np.interp(at, arcs, column) for column in places.T], axis=1)
    n = n_elements + 1
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "3"]
    lines += ['0 1 "left"', '0 2 "right"', '1 3 "rope"', "$EndPhysicalNames"]
    lines += ["$Nodes", str(n)]
    lines += [
        f"{k + 1} " + " ".join(f"{number:.9g}" for number in node)
        for k, node in enumerate(nodes)
    ]
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


def prism(corners: Array, low: float, high: float) -> Array:
    """Closed surface over a convex polygon (n, 2), between two z."""
    lower, upper = (
        np.column_stack([corners, np.full(len(corners), z)]) for z in (low, high)
    )
    ends = []
    for k in range(1, len(corners) - 1):
        ends += [lower[[0, k + 1, k]], upper[[0, k, k + 1]]]
    return np.concatenate([strip(lower, upper), np.stack(ends)])


def around(*points: tuple[float, float], radius: float) -> Array:
    """Convex polygon (n, 2), counterclockwise, with round corners about some points."""
    turns = np.linspace(0.0, 2.0 * np.pi, 25)[:-1]
    circle = radius * np.column_stack([np.cos(turns), np.sin(turns)])
    rest = sorted(set(map(tuple, (np.array(points)[:, None] + circle).reshape(-1, 2))))
    # each half of the hull turns left all the way
    halves: list[list[tuple[float, ...]]] = []
    for ordered in (rest, rest[::-1]):
        half: list[tuple[float, ...]] = []
        for point in ordered:
            while len(half) > 1 and not turns_left(half[-2], half[-1], point):
                half.pop()
            half.append(point)
        halves.append(half[:-1])
    return np.array(halves[0] + halves[1])


def turns_left(
    a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]
) -> bool:
    """Whether the way from a by b to c turns left by more than rounding."""
    (ux, uy), (vx, vy) = (b[0] - a[0], b[1] - a[1]), (c[0] - b[0], c[1] - b[1])
    return ux * vy - uy * vx > 1e-12


def press() -> dict[str, Array]:
    """Links of a six-bar press over their pins, each about its mass center."""
    a, c, e = (-0.2944, 0.6173), (0.6566, 0.2881), (1.0188, -0.7968)
    o, d, pin = (1.1403, 0.2516), (1.4197, 0.2516), (1.4, -1.645)
    guided = pin + np.array(
        [[-0.12, -0.16], [0.12, -0.16], [0.12, 0.16], [-0.12, 0.16]]
    )
    # one behind the other
    low, middle, high = (-0.06, -0.02), (-0.02, 0.02), (0.02, 0.06)
    links = {
        "link 2": (around(a, c, radius=0.04), low, (0.1811, 0.4527)),
        "link 3": (around(c, d, e, radius=0.05), middle, (1.1034, -0.1438)),
        "crank": (around(o, d, radius=0.04), high, (1.28, 0.2516)),
        "link 5": (around(e, pin, radius=0.04), high, (1.2094, -1.2209)),
        "slider": (guided, (-0.06, 0.02), pin),
    }
    return {
        name: prism(outline - np.array(center), *levels)
        for name, (outline, levels, center) in links.items()
    }


def write_surfaces(path: Path, parts: dict[str, Array]) -> None:
    """Surfaces of triangles (n, 3 corners, 3) by name (Gmsh 2.2)."""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat"]
    lines += ["$PhysicalNames", str(len(parts))]
    lines += [f'2 {k} "{name}"' for k, name in enumerate(parts, 1)]
    points: dict[tuple[float, ...], int] = {}
    elements = []
    for k, triangles in enumerate(parts.values(), 1):
        own = len(points)  # parts share no points
        seen: dict[tuple[float, ...], int] = {}
        for triangle in triangles:
            corners = []
            for corner in triangle.round(6).tolist():
                number = seen.setdefault(tuple(corner), own + len(seen) + 1)
                points[(k, *corner)] = number
                corners.append(str(number))
            elements.append(f"{len(elements) + 1} 2 2 {k} {k} {' '.join(corners)}")
    lines += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{n} {x:.6g} {y:.6g} {z:.6g}" for (_, x, y, z), n in points.items()]
    lines += ["$EndNodes", "$Elements", str(len(elements)), *elements]
    path.write_text("\n".join([*lines, "$EndElements", ""]), encoding="ascii")


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
    write_strand(HERE / "strand.msh")
    write_knot(HERE / "overhand_knot.msh")
    write_stl(HERE / "crank_housing.stl", housing())
    write_stl(HERE / "heavy_top.stl", heavy_top())
    write_surfaces(HERE / "six_bar_press.msh", press())
