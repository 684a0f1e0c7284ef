"""All that a picture shows, as layers of triangles: beams, bodies, ghost and glyphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..elements.base import Array, IntArray
from ..lie import quaternion, se3
from ..system import BeamShapes
from . import beams as beam_surfaces
from .beams import Ends, Sizes, Sweep
from .camera import View, look_at
from .coloring import (
    FORCE_COLUMNS,
    PART_COLORS,
    Color,
    Scale,
    between,
    component,
    scale_of,
    title_of,
)
from .contacts import contact_layers, largest_force
from .framing import around, with_glyphs
from .layers import Layer
from .look import Look
from .markers import (
    Surroundings,
    bars,
    marker_layers,
    spans,
)
from .run import Run, body_frames, drawn_poses, section_forces, velocities_at
from .shapes import Patch, creased, joined, placed, sphere

BEAM_COLOR, BODY_COLOR, GHOST_COLOR = "#5b7fa6", "#c9b99a", "#8c8c8c"
INSIGHT = 0.45  # opacity of a body that would hide something
THICKENED_PIXELS = 4.0  # thickness to which thin sections are enlarged
ROUND_SHARE = 0.005  # radius of elements without outline, of the model's size


class Group(NamedTuple):
    """Beams that are drawn in one color or with one set of values."""

    name: str
    color: str
    sweeps: list[Sweep]


class Scene(NamedTuple):
    """What stays the same in all pictures of a run."""

    run: Run
    look: Look
    color: Color
    deformation_scale: float
    view: View
    groups: list[Group]
    following: IntArray  # (n_beams, 2) from `neighbors`
    bodies: dict[str, Patch]  # surfaces in their frames
    hiding: frozenset[str]  # bodies that something else lies in
    around: Surroundings
    scale: Scale | None
    notes: list[str]
    contact_force: float  # the largest one shown


def scene_of(
    run: Run,
    indices: Sequence[int],
    color: Color,
    deformation_scale: float,
    look: Look,
) -> Scene:
    """Prepare pictures of a run at some times, with one view and one color range."""
    shown = [run.start, *(drawn_poses(run, i, deformation_scale) for i in indices)]
    points, vectors = _visible(run, shown)
    view = look_at(points, vectors, look.size, look.direction)
    beams = run.catalog.beams
    radii = beam_surfaces.radii(beams)
    factor = look.section_scale
    if factor == "auto":
        factor = _section_scale(radii, view)
    round_radius = _round_radius(beams, points)
    thickness = np.where(radii > 0.0, factor * radii, round_radius)
    drawn = shown[1:] if len(shown) < 3 else [shown[1], shown[-1]]
    view = with_glyphs(run, drawn, points, thickness, (look, view))
    sizes = Sizes(factor, round_radius, view.pixel)
    least = 2 if color in FORCE_COLUMNS else 1
    pieces = _pieces(beams, shown, least)
    scene = Scene(
        run,
        look,
        color,
        deformation_scale,
        view,
        _groups(run, color, pieces, sizes),
        beam_surfaces.neighbors(beams, run.start),
        {n: creased(s.points, s.triangles) for n, s in run.catalog.surfaces.items()},
        _hiding_bodies(run),
        around(run, thickness, look, view),
        None,
        _notes(factor, deformation_scale),
        largest_force(run, indices),
    )
    return scene._replace(scale=_scale(scene, indices))


def _pieces(beams: BeamShapes, shown: list[Array], least: int) -> IntArray:
    """(n,) straight pieces that each element is drawn with."""
    pieces = np.full(len(beams.frames), least)
    for poses in shown:
        ends = beam_surfaces.end_poses(beams, poses)
        pieces = np.maximum(pieces, beam_surfaces.pieces_of(ends, least))
    return pieces


def _visible(run: Run, shown: list[Array]) -> tuple[Array, Array]:
    """Points (n, 3) that must be in the picture, and vectors (m, 3) of the loads."""
    catalog = run.catalog
    has_node = catalog.node_frames >= 0
    frames, offsets = catalog.node_frames[has_node], catalog.node_offsets[has_node]
    points = []
    for poses in shown:
        points.append(se3.compose_poses(poses[frames], offsets)[:, :3])
        points.append(poses[np.unique(catalog.beams.frames), :3])
        for glyph in catalog.glyphs:
            points.append(poses[[glyph.frame], :3])
            if spans(glyph):
                other = se3.compose_poses(poses[glyph.other], glyph.other_offset)
                points.append(other[None, :3])
        for surface in catalog.surfaces.values():
            pose = poses[surface.frame]
            points.append(quaternion.rotate(pose[3:], surface.points) + pose[:3])
    pushes = ("force", "line load")
    vectors = [glyph.vector for glyph in catalog.glyphs if glyph.kind in pushes]
    return np.concatenate(points), np.array(vectors).reshape(-1, 3)


def _hiding_bodies(run: Run) -> frozenset[str]:
    """Bodies in whose box a joint or a node of another frame lies at the start."""
    catalog = run.catalog
    glyphs = [glyph for glyph in catalog.glyphs if glyph.kind in ("joint", "spring")]
    ends = [run.start[[glyph.frame for glyph in glyphs]].reshape(-1, 7)]
    marks = se3.compose_poses(
        ends[0], np.array([g.offset for g in glyphs]).reshape(-1, 7)
    )
    nodes = run.start[np.unique(catalog.beams.frames)]
    points = np.concatenate((marks, nodes))[:, :3]
    hiding = []
    for name, surface in catalog.surfaces.items():
        body = se3.inverse_pose(run.start[surface.frame])
        local = quaternion.rotate(body[3:], points) + body[:3]
        low, high = surface.points.min(axis=0), surface.points.max(axis=0)
        if np.any(np.all((local > low) & (local < high), axis=1)):
            hiding.append(name)
    return frozenset(hiding)


def _section_scale(radii: Array, view: View) -> float:
    """Factor, 1 if all sections can be seen; the thickest stay slender."""
    drawn = 2.0 * radii[radii > 0.0] / view.pixel
    if not drawn.size or drawn.min() >= beam_surfaces.LEAST_PIXELS:
        return 1.0
    factor = min(
        THICKENED_PIXELS / drawn.min(), max(6.0 * THICKENED_PIXELS / drawn.max(), 1.0)
    )
    return float(f"{factor:.2g}")


def _round_radius(beams: BeamShapes, points: Array) -> float:
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    if not len(beams.lengths):
        return ROUND_SHARE * size
    return float(min(ROUND_SHARE * size, 0.12 * np.median(beams.lengths)))


def _notes(section_scale: float, deformation_scale: float) -> list[str]:
    notes = []
    if deformation_scale != 1.0:
        notes.append(f"displacements x {deformation_scale:g}")
    if section_scale != 1.0:
        notes.append(f"sections drawn x {section_scale:g}")
    return notes


def _groups(run: Run, color: Color, pieces: IntArray, sizes: Sizes) -> list[Group]:
    beams = run.catalog.beams
    rows_of = {"beams": np.arange(len(beams.frames))}
    if color == "part":
        rows_of = dict(run.catalog.beam_ranges)
    groups = []
    for number, (name, rows) in enumerate(rows_of.items()):
        if not len(rows):
            continue
        part = BeamShapes(
            beams.frames[rows],
            beams.offsets[rows],
            beams.lengths[rows],
            beams.outlines[rows],
            beams.loops,
            beams.nodes[rows],
        )
        sweeps = beam_surfaces.plan(part, pieces[rows], sizes)
        sweeps = [sweep._replace(rows=rows[sweep.rows]) for sweep in sweeps]
        is_part = color == "part"
        shade = PART_COLORS[number % len(PART_COLORS)] if is_part else BEAM_COLOR
        groups.append(Group(name, shade, sweeps))
    return groups


def layers_of(scene: Scene, index: int) -> list[Layer]:
    """Layers of the picture at one time, glyphs and bodies included."""
    poses = drawn_poses(scene.run, index, scene.deformation_scale)
    layers = _beam_layers(scene, index, poses) + _body_layers(scene, index, poses)
    if scene.look.shows_glyphs:
        glyphs = scene.run.catalog.glyphs
        layers += marker_layers(glyphs, poses, scene.around)
        largest = scene.contact_force
        layers += contact_layers(scene.run, index, poses, scene.around, largest)
    return layers


def ghost_layers(scene: Scene, index: int) -> list[Layer]:
    """The model at the start, transparent, if it can be told from what is drawn."""
    start = scene.run.start
    poses = drawn_poses(scene.run, index, scene.deformation_scale)
    moved = [np.abs(poses[:, :3] - start[:, :3]).max()]
    for surface in scene.run.catalog.surfaces.values():
        now, then = poses[surface.frame], start[surface.frame]
        turned = quaternion.rotate(now[3:], surface.points)
        turned -= quaternion.rotate(then[3:], surface.points)
        moved.append(np.abs(turned + now[:3] - then[:3]).max())
    if max(moved) < scene.view.pixel:
        return []
    beams, bodies = _beam_layers(scene, 0, start), _body_layers(scene, 0, start)
    patches = [layer.patch for layer in beams + bodies]
    ghost = joined(patches)
    return [Layer("ghost", ghost, GHOST_COLOR, opacity=0.18, label="at the start")]


def _beam_layers(scene: Scene, index: int, poses: Array) -> list[Layer]:
    ends = beam_surfaces.end_poses(scene.run.catalog.beams, poses)
    normals, is_open = beam_surfaces.miters(ends, scene.following)
    layers = []
    for group in scene.groups:
        patches = [
            beam_surfaces.swept(
                s,
                beam_surfaces.curve(ends[s.rows], s.stations),
                Ends(normals[s.rows], is_open[s.rows]),
            )
            for s in group.sweeps
        ]
        values = None
        if scene.color != "part":
            spread = [
                beam_surfaces.spread(s, _beam_values(scene, s, index))
                for s in group.sweeps
            ]
            values = np.concatenate(spread)
        label = group.name if scene.color == "part" else ""
        layer = Layer(f"beams {group.name}", joined(patches), group.color, values)
        layers.append(Layer(layer.name, layer.patch, layer.color, values, label=label))
    return layers


def _beam_values(scene: Scene, sweep: Sweep, index: int) -> Array:
    """Colored quantity (g, s) at the stations of a sweep."""
    run, beams, rows = scene.run, scene.run.catalog.beams, sweep.rows
    if scene.color in FORCE_COLUMNS:
        forces = section_forces(run, index)
        return between(component(scene.color, forces[rows]), sweep.stations)
    if scene.color == "contact_pressure" and run.contacts is not None:
        first, last = np.hsplit(run.contacts.on_elements(index)[1][rows], 2)
        return np.asarray(first + sweep.stations * (last - first))
    if scene.color == "speed":
        offsets = beams.offsets[rows, :, :3]
        ends = velocities_at(run, index, beams.frames[rows], offsets)
        blend = sweep.stations[:, None]
        along = ends[:, :1] + blend * (ends[:, 1:] - ends[:, :1])
        return np.asarray(np.linalg.norm(along, axis=-1))
    places = [
        beam_surfaces.curve(
            beam_surfaces.end_poses(beams, poses)[rows], sweep.stations
        )[..., :3, 3]
        for poses in (run.poses[index], run.start)
    ]
    return np.asarray(np.linalg.norm(places[0] - places[1], axis=-1))


def _body_values(scene: Scene, frame: int, points: Array, index: int) -> Array | None:
    """Colored quantity (n,) at points (n, 3) of a body's frame.

    None for forces, and for what stands on the ground.
    """
    run = scene.run
    if frame == 0:
        return None
    if scene.color == "speed":
        speeds = velocities_at(run, index, np.array([frame]), points)
        return np.asarray(np.linalg.norm(speeds, axis=-1))
    if scene.color == "displacement":
        now, start = run.poses[index, frame], run.start[frame]
        moved = quaternion.rotate(now[3:], points) - quaternion.rotate(
            start[3:], points
        )
        return np.asarray(np.linalg.norm(moved + now[:3] - start[:3], axis=-1))
    return None


def _body_layers(scene: Scene, index: int, poses: Array) -> list[Layer]:
    catalog = scene.run.catalog
    frames = se3.frame_from_pose(poses)
    layers = []
    number = len(scene.groups)
    for name, patch in scene.bodies.items():
        frame = catalog.surfaces[name].frame
        values = _body_values(scene, frame, patch.points, index)
        color, label = BODY_COLOR, ""
        if scene.color == "part":
            color, label = PART_COLORS[number % len(PART_COLORS)], name
            number += 1
        surface = placed(patch, frames[[frame]])
        opacity = INSIGHT if name in scene.hiding else 1.0
        layers.append(Layer(f"body {name}", surface, color, values, opacity, label))
    if scene.look.shows_glyphs:
        layers += _plain_bodies(scene, frames)
    return layers


def _plain_bodies(scene: Scene, frames: Array) -> list[Layer]:
    """Spheres at bodies without a surface, and rods to the nodes that they carry."""
    catalog = scene.run.catalog
    size = scene.around.size
    patches = []
    for numbers in body_frames(catalog).values():
        maps = frames[numbers].copy()
        maps[:, :3, :3] *= (
            1.2 * np.maximum(size, 1.3 * scene.around.reach[numbers])[:, None, None]
        )
        patches.append(placed(sphere(), maps))
    with_surface = [surface.frame for surface in catalog.surfaces.values()]
    owner, offsets = catalog.node_frames, catalog.node_offsets[:, :3]
    is_tied = (owner > 0) & ~np.isin(owner, with_surface)
    is_tied &= np.linalg.norm(offsets, axis=1) > scene.view.pixel
    if is_tied.any():
        starts = frames[owner[is_tied]]
        ends = (starts[:, :3, :3] @ offsets[is_tied, :, None])[..., 0]
        patches.append(bars(starts[:, :3, 3], starts[:, :3, 3] + ends, 0.35 * size))
    if not patches:
        return []
    return [Layer("bodies", joined(patches), BODY_COLOR, label="body")]


def _scale(scene: Scene, indices: Sequence[int]) -> Scale | None:
    """Color bar over all times shown; none where parts have the colors."""
    if scene.color == "part":
        return None
    low, high = np.inf, -np.inf
    for index in indices:
        values = [
            _beam_values(scene, sweep, index)
            for group in scene.groups
            for sweep in group.sweeps
        ]
        for name, patch in scene.bodies.items():
            frame = scene.run.catalog.surfaces[name].frame
            of_body = _body_values(scene, frame, patch.points, index)
            if of_body is not None:
                values.append(of_body)
        low = min([low, *(v.min() for v in values)])
        high = max([high, *(v.max() for v in values)])
    if not np.isfinite(low):
        return None
    is_scaled = scene.run.time_name == "mode"
    title = title_of(scene.color, scene.look.units, is_scaled=is_scaled)
    return scale_of(scene.color, title, min(0.0, low), high)
