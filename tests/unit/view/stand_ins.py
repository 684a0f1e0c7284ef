"""Results built by hand, so that pictures are tested without a solver."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from femlie.lie import quaternion, se3
from femlie.records import JointTable, Layout, Records
from femlie.results import Results
from femlie.sections import CircularSection, ISection, Material, TubeSection
from femlie.system import BeamShapes, Catalog, ElementRange, Glyph, Surface
from femlie.view.shapes import axes_along, box

IDENTITY = np.array([0.0, 0, 0, 1, 0, 0, 0])
STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
ZERO = np.zeros(3)


def results(
    catalog: Catalog, times: Any, poses: Any, forces: Any, analysis: str
) -> Results:
    """Results whose velocities are differences of the poses.

    ``forces[name]`` are section forces (n_times, n_elements, 3, 6) of a beam.
    """
    times, poses = np.asarray(times, dtype=float), np.asarray(poses)
    velocities = np.zeros((*poses.shape[:2], 6))
    if len(times) > 1:
        moved = se3.relative_log(poses[:-1], poses[1:])
        velocities[1:] = moved / np.diff(times)[:, None, None]
    sections, outputs, start = {}, [np.zeros((len(times), 0))], 0
    for name, values in forces.items():
        sections[name] = start + 18 * np.arange(values.shape[1])
        outputs.append(values.reshape(len(times), -1))
        start += outputs[-1].shape[1]
    no_joints = JointTable(*(np.zeros((0, n), int) for n in (2, 7, 1, 1)), rows={})
    layout = Layout(catalog, poses[0], 0, start, np.zeros(0, int), sections, no_joints)
    rest = [np.zeros((len(times), n)) for n in (0, start, 0, 11)]
    rest[1] = np.concatenate(outputs, axis=1)
    recorded = Records(times, poses, velocities, 0.0 * velocities, *rest)
    return Results(layout, recorded, analysis={"method": analysis})


def pose(place: Any, turn: Any = ZERO) -> Any:
    """Pose of a place and a rotation vector."""
    return np.concatenate((place, quaternion.exp(np.asarray(turn, dtype=float))))


def model(
    nodes: Any, lines: Any, sections: list[Any], part_of: Any, names: list[str]
) -> Catalog:
    """Catalog of beams whose frames are the nodes, in world axes at the start."""
    nodes, lines = np.asarray(nodes, dtype=float), np.asarray(lines)
    part_of = np.asarray(part_of)
    offsets = np.tile(IDENTITY, (len(lines), 2, 1))
    for row, (a, b) in enumerate(lines):
        along = nodes[b] - nodes[a]
        up = (
            np.array([0.0, 0, 1])
            if abs(along[2]) < 0.9 * np.linalg.norm(along)
            else None
        )
        frame = np.eye(4)
        frame[:3, :3] = axes_along(along, up)
        offsets[row] = se3.pose_from_frame(frame)
    numbers, loops = np.full(len(sections), -1), []
    for i, section in enumerate(sections):
        if section is not None:
            numbers[i] = len(loops)
            loops.append(section.outline)
    outlines = np.repeat(numbers[part_of][:, None], 2, axis=1)
    lengths = np.linalg.norm(nodes[lines[:, 1]] - nodes[lines[:, 0]], axis=1)
    shapes = BeamShapes(lines + 1, offsets, lengths, outlines, tuple(loops), lines)
    ranges = {n: np.flatnonzero(part_of == i) for i, n in enumerate(names)}
    return Catalog(
        node_frames=np.arange(len(nodes)) + 1,
        node_offsets=np.tile(IDENTITY, (len(nodes), 1)),
        node_numbers=np.arange(len(nodes)) + 1,
        groups={name: np.unique(lines[rows]) for name, rows in ranges.items()},
        parts={name: (ElementRange(0, rows),) for name, rows in ranges.items()},
        kinds=dict.fromkeys(names, "beam"),
        beams=shapes,
        beam_ranges=ranges,
    )


def glyph(kind: str, label: str, frame: int, vector: Any = ZERO, **more: Any) -> Glyph:
    """Glyph at the origin of a frame."""
    fields = {"other": 0, "offset": IDENTITY, "other_offset": IDENTITY, **more}
    return Glyph(label, kind, label, frame, vector=np.asarray(vector, float), **fields)


def with_parts(catalog: Catalog, **fields: Any) -> Catalog:
    """Copy of a catalog with glyphs, surfaces, ..."""
    return Catalog(**{**catalog.__dict__, **fields})


def bent_cantilever(n: int = 4, n_times: int = 5) -> Results:
    """A rod of length 1 that is rolled up into half a circle by an end moment."""
    x = np.linspace(0.0, 1.0, n + 1)
    nodes = np.column_stack((x, 0 * x, 0 * x))
    lines = np.column_stack((np.arange(n), np.arange(1, n + 1)))
    tube = TubeSection(outer_radius=0.02, inner_radius=0.015, material=STEEL)
    catalog = model(nodes, lines, [tube], np.zeros(n, int), ["rod"])
    glyphs = (
        glyph("support", "clamped", 1),
        glyph("moment", "moment", n + 1, (0.0, -1.0, 0.0)),
    )
    times = np.linspace(0.0, 1.0, n_times)
    poses = np.zeros((n_times, n + 2, 7))
    poses[..., 3] = 1.0
    for i, t in enumerate(times):
        turn = np.array([0.0, -np.pi * t, 0.0])
        twist = np.concatenate((np.array([1.0, 0, 0]), turn))
        poses[i, 1:] = se3.pose_from_frame(se3.exp(x[:, None] * twist))
    forces = np.zeros((n_times, n, 3, 6))
    forces[..., 4] = -times[:, None, None]
    catalog = with_parts(catalog, glyphs=glyphs)
    return results(catalog, times, poses, {"rod": forces}, "static")


def swaying_frame(width: float = 4.0, radius: float | None = None) -> Results:
    """A space frame of I-columns and tube beams that sways along x, clamped below."""
    corners = [(x, y) for x in (0, width, 2 * width) for y in (0.0, 0.75 * width)]
    height, n = 0.75 * width, 4
    nodes: list[Any] = []
    lines: list[Any] = []
    part: list[int] = []

    def number(place: Any) -> int:
        near = [i for i, p in enumerate(nodes) if np.allclose(p, place)]
        if not near:
            nodes.append(np.asarray(place, float))
        return near[0] if near else len(nodes) - 1

    def member(a: Any, b: Any, kind: int) -> None:
        steps = [
            np.asarray(a) + s * (np.asarray(b) - a) for s in np.linspace(0, 1, n + 1)
        ]
        ids = [number(p) for p in steps]
        lines.extend(itertools.pairwise(ids))
        part.extend([kind] * n)

    for storey in (0, 1):
        low, high = height * storey, height * (storey + 1)
        for x, y in corners:
            member(np.array([x, y, low]), np.array([x, y, high]), 0)
        for y in (0.0, 0.75 * width):
            for x in (0.0, width):
                member(np.array([x, y, high]), np.array([x + width, y, high]), 1)
        for x in (0.0, width, 2 * width):
            member(np.array([x, 0.0, high]), np.array([x, 0.75 * width, high]), 1)
    column = ISection(
        height=0.3, width=0.3, web_thickness=0.02, flange_thickness=0.03, material=STEEL
    )
    beam = TubeSection(outer_radius=0.1, inner_radius=0.08, material=STEEL)
    if radius is not None:
        column = CircularSection(radius=radius, material=STEEL)
        beam = TubeSection(
            outer_radius=radius, inner_radius=0.9 * radius, material=STEEL
        )
    points = np.array(nodes)
    catalog = model(points, lines, [column, beam], part, ["columns", "beams"])
    feet = [i + 1 for i, p in enumerate(nodes) if p[2] == 0.0]
    corner = number((0.0, 0.0, 2 * height)) + 1
    glyphs = [glyph("support", "clamped", f) for f in feet]
    glyphs.append(glyph("force", "force", corner, (1000.0, 0, 0)))
    z = points[:, 2] / (2 * height)
    poses = np.zeros((2, len(nodes) + 1, 7))
    poses[..., 3] = 1.0
    poses[:, 1:, :3] = points
    sway = 0.12 * width
    poses[1, 1:, 0] += sway * (3 * z**2 - 2 * z**3)
    slope = sway * (6 * z - 6 * z**2) / (2 * height)
    turn = np.column_stack((0 * z, slope, 0 * z))
    poses[1, 1:, 3:] = quaternion.exp(turn)
    forces = {}
    for name, rows in catalog.beam_ranges.items():
        values = np.zeros((2, len(rows), 3, 6))
        ends = points[np.array(lines)[rows]]
        levels = np.stack((ends[:, 0, 2], ends[:, :, 2].mean(axis=1), ends[:, 1, 2]), 1)
        values[1, :, :, 5] = 1e4 * (height - levels) if name == "columns" else 3e3
        values[1, :, :, 0] = 1e3 * (ends[:, :1, 0] - width)
        forces[name] = values
    catalog = with_parts(catalog, glyphs=tuple(glyphs))
    return results(catalog, [0.0, 1.0], poses, forces, "static")


def bouncing_spring(n_times: int = 20) -> Results:
    """A helix of round wire with a mass at its lower end."""
    n, turns = 160, 5
    angle = np.linspace(0.0, 2 * np.pi * turns, n + 1)
    pitch = 0.05 / angle[-1]
    nodes = np.column_stack(
        (0.02 * np.cos(angle), 0.02 * np.sin(angle), -pitch * angle)
    )
    lines = np.column_stack((np.arange(n), np.arange(1, n + 1)))
    wire = CircularSection(radius=0.0015, material=STEEL)
    catalog = model(nodes, lines, [wire], np.zeros(n, int), ["wire"])
    times = np.linspace(0.0, 1.0, n_times)
    poses = np.zeros((n_times, n + 2, 7))
    poses[..., 3] = 1.0
    for i, t in enumerate(times):
        poses[i, 1:, :3] = nodes
        poses[i, 1:, 2] *= 1.0 + 0.5 * np.sin(2 * np.pi * t)
    forces = np.zeros((n_times, n, 3, 6))
    forces[..., 3] = np.sin(2 * np.pi * times)[:, None, None]
    cube = box((0.03, 0.03, 0.015))
    catalog = with_parts(
        catalog,
        glyphs=(glyph("support", "clamped", 1),),
        surfaces={
            "mass": Surface(
                n + 1, cube.points + np.array([-0.02, 0, -0.01]), cube.triangles
            )
        },
        kinds={"wire": "beam", "mass": "body"},
    )
    return results(catalog, times, poses, {"wire": forces}, "dynamic")


def slider_crank(n_times: int = 24) -> Results:
    """Crank (a box), rod (a beam), slider (a box) on a rail, and a spring behind."""
    crank, rod, n = 0.3, 0.8, 4
    x = np.linspace(0.0, rod, n + 1)
    times = np.linspace(0.0, 1.0, n_times)
    poses = np.zeros((n_times, n + 4, 7))
    poses[..., 3] = 1.0
    for i, t in enumerate(times):
        angle = 2 * np.pi * t + 0.9
        tip = crank * np.array([np.cos(angle), 0.0, np.sin(angle)])
        slide = tip[0] + np.sqrt(rod**2 - tip[2] ** 2)
        lean = np.arctan2(-tip[2], slide - tip[0])
        along = np.array([np.cos(lean), 0.0, np.sin(lean)])
        for k in range(n + 1):
            poses[i, 1 + k] = pose(tip + x[k] * along, (0.0, -lean, 0.0))
        poses[i, n + 2] = pose(0.5 * tip, (0.0, -angle, 0.0))
        poses[i, n + 3] = pose((slide, 0.0, 0.0))
    start = np.column_stack((x, 0 * x, 0 * x))
    lines = np.column_stack((np.arange(n), np.arange(1, n + 1)))
    section = CircularSection(radius=0.015, material=STEEL)
    catalog = model(start, lines, [section], np.zeros(n, int), ["rod"])
    link, block = box((0.36, 0.03, 0.06)), box((0.14, 0.1, 0.1))
    across = pose(ZERO, (-np.pi / 2, 0.0, 0.0))
    pivot = np.concatenate(([-crank / 2, 0.0, 0.0], across[3:]))
    rail = pose(ZERO, (0.0, np.pi / 2, 0.0))
    wall = pose((1.6, 0.0, 0.0))
    beside = pose((0.9, 0.0, 0.0), (0.0, np.pi / 2, 0.0))
    at_slider = pose((0.07, 0.0, 0.0))
    glyphs = (
        glyph("joint", "revolute", n + 2, offset=pivot, other_offset=across),
        glyph("joint", "revolute", 1, offset=across, other=n + 2),
        glyph("joint", "spherical", n + 1, other=n + 3),
        glyph("joint", "prismatic", n + 3, offset=rail, other_offset=beside),
        glyph("spring", "spring", n + 3, offset=at_slider, other_offset=wall),
        glyph("force", "force", n + 3, (-300.0, 0.0, 0.0)),
    )
    catalog = with_parts(
        catalog,
        glyphs=glyphs,
        surfaces={
            "crank": Surface(n + 2, link.points, link.triangles),
            "slider": Surface(n + 3, block.points, block.triangles),
        },
        kinds={"rod": "beam", "crank": "body", "slider": "body"},
    )
    forces = np.zeros((n_times, n, 3, 6))
    forces[..., 0] = 100 * np.sin(2 * np.pi * times)[:, None, None]
    return results(catalog, times, poses, {"rod": forces}, "dynamic")
