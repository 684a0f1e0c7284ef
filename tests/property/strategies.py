"""One strategy that builds random models from all parts and all their options.

A model is a chain of things (beams, bodies, masses), each tied to the one before by a
random connection and to the ground by a soft bushing, so that any of them is regular in
statics too. Lengths are about one, materials soft, starts consistent.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import femlie as fl
from femlie.lie import se3
from tests.property import random_connections as connect
from tests.property.random_sections import Draw, random_section

BRICK = np.array(
    [[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)]
)
BRICK_TRIANGLES = np.array(
    [
        *([0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4]),
        *([2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]),
    ]
)


@dataclass
class Thing:
    """What connections may refer to: names of single nodes or bodies, and places."""

    names: list[str]
    places: list[Any]
    beam: str | None = None
    is_flexible: bool = False


class Builder:
    """Points, cells and parts of one random model.

    ``horizon`` is the time over which tables run; 1 for statics.
    """

    def __init__(self, draw: Draw, horizon: float) -> None:
        self.draw = draw
        self.horizon = horizon
        self.points: list[Any] = []
        self.lines: list[Any] = []
        self.node_groups: dict[str, list[int]] = {}
        self.line_groups: dict[str, list[int]] = {}
        self.surface_groups: dict[str, Any] = {}
        self.parts: list[Any] = []
        self.sensors: list[Any] = []
        self.things: list[Thing] = []

    def add_points(self, points: Any) -> list[int]:
        first = len(self.points)
        self.points += list(np.asarray(points, dtype=float))
        return list(range(first, len(self.points)))

    def add_node(self, group: str, point: Any) -> None:
        self.node_groups[group] = self.add_points([point])

    def somewhere(self, n: int) -> Any:
        """(4, 4) frame of the n-th thing."""
        frame = se3.exp([0, 0, 0, *self.draw.rng.normal(size=3)])
        frame[:3, 3] = 0.8 * np.array([n % 2, n // 2, 0.3 * n]) + self.draw.vector(0.1)
        return frame

    def beam(self, n: int) -> Thing:
        """A chain of cells, straight or curved, with any options of a beam."""
        draw = self.draw
        shape = draw.pick(("straight", "kinked", "smooth", "quadratic"))
        n_cells = 1 if shape == "quadratic" else draw.pick((2, 3))
        n_points = 3 if shape == "quadratic" else n_cells + 1
        x = np.linspace(0.0, draw.number(0.6, 0.9), n_points)
        y, z = np.zeros(n_points), np.zeros(n_points)
        if shape != "straight":
            y = draw.number(0.1, 0.3) * x**2
        if shape == "kinked":
            z[1:] = 0.1 * draw.rng.uniform(-1.0, 1.0, size=n_points - 1)
        frame = self.somewhere(n)
        places = np.column_stack([x, y, z]) @ frame[:3, :3].T + frame[:3, 3]
        nodes = self.add_points(places)
        name = f"beam {n}"
        group = f"lines {n}"
        if shape == "quadratic":
            self.lines.append([nodes[0], nodes[2], nodes[1]])
        else:
            self.lines += [[a, b, -1] for a, b in itertools.pairwise(nodes)]
        self.line_groups[group] = list(
            range(len(self.lines) - n_cells, len(self.lines))
        )
        names = []
        for k, node in enumerate(nodes):
            names.append(f"node {n}.{k}")
            self.node_groups[names[-1]] = [node]
        self.node_groups[f"nodes {n}"] = [nodes[0], nodes[-1]]
        options = self.beam_options(shape, frame)
        self.parts.append(fl.Beam(name, cells=group, **options))
        return Thing(names, list(places), beam=name, is_flexible=True)

    def beam_options(self, shape: str, frame: Any) -> dict[str, Any]:
        draw = self.draw
        options: dict[str, Any] = {"section": random_section(draw)}
        # the axis is near the first axis of the frame
        up = frame[:3, 1] * draw.number(-0.3, 0.3) + frame[:3, 2]
        options["orientation"] = tuple(up.tolist())
        if shape == "smooth":
            options["curve"] = fl.SMOOTH
        if shape in ("smooth", "quadratic") and draw.chance(0.3):
            options["rest_shape"] = fl.RestShape.STRAIGHT
        if draw.chance(0.5):
            strain = draw.rng.uniform(-1, 1, size=6) * [0.02, 0.01, 0.01, 0.1, 0.1, 0.1]
            options["rest_strain"] = tuple(strain.tolist())
            if draw.chance():
                time = connect.table(draw, self.horizon)
                options["rest_strain_over_time"] = time
        for key, size in (("mass_damping", 2.0), ("drag", 5.0), ("added_mass", 3.0)):
            if draw.chance(0.4):
                options[key] = draw.number(0.3, 1.0) * size
        for key in ("start_offset", "end_offset"):
            if draw.chance(0.3):
                options[key] = draw.vector(0.05)
        return options

    def body(self, n: int) -> Thing:
        """A body with mass given in any way, on nodes or by itself."""
        draw = self.draw
        name = f"body {n}"
        place = self.somewhere(n)[:3, 3]
        options: dict[str, Any] = {"orientation": draw.vector(2.0)}
        names, places = [name], [place]
        at = draw.pick((None, "node", "group"))
        if at == "node":
            options["at"] = f"node {n}.0"
            self.add_node(options["at"], place)
            names.append(options["at"])
            places.append(place)
        elif at == "group":
            options["at"] = f"nodes {n}"
            self.node_groups[options["at"]] = self.add_points(
                [place + draw.vector(0.2) for _ in range(3)]
            )
        if at is None or draw.chance():
            options["position"] = tuple((place + draw.vector(0.05)).tolist())
        else:
            given = self.points[self.node_groups[options["at"]][0]]
            options["position"] = tuple(given.tolist())
        places[0] = np.array(options["position"])
        options |= self.body_mass(n, options)
        self.parts.append(fl.Body(name, **options))
        return Thing(names, places)

    def body_mass(self, n: int, options: dict[str, Any]) -> dict[str, Any]:
        draw = self.draw
        way = draw.pick(("numbers", "numbers", "solid", "properties", "surface"))
        size = (0.2, draw.number(0.2, 0.4), 0.3)
        if way == "solid":
            solid = draw.pick(
                (
                    fl.box(size, density=500.0),
                    fl.cylinder(0.1, 0.3, axis=draw.direction(), density=500.0),
                    fl.sphere(0.15, density=500.0),
                )
            )
            frame = se3.exp([*draw.vector(0.1), *draw.vector()])
            return {"solid": solid.moved(frame)}
        spread = draw.definite([0.1, 0.15, 0.2])
        # such a matrix keeps the triangle rule
        inertia = np.trace(spread) * np.eye(3) - spread
        mass, center = draw.number(4.0, 8.0), draw.vector(0.1)
        if way == "properties":
            return {"solid": fl.MassProperties(mass, np.array(center), inertia)}
        if way == "surface":
            corners = (BRICK - 0.5) * size + options["position"]
            rows = np.array(self.add_points(corners))
            self.surface_groups[f"surface {n}"] = rows[BRICK_TRIANGLES]
            return {"surface_group": f"surface {n}", "density": 400.0}
        given = draw.pick((3, 6, 9))
        if given == 3:
            values: Any = np.diag(inertia).tolist()
        elif given == 6:
            (a, b, c), (d, e, f) = np.diag(inertia), inertia[[0, 0, 1], [1, 2, 2]]
            values = [float(x) for x in (a, b, c, d, e, f)]
        else:
            values = inertia.tolist()
        chosen = {"mass": mass, "inertia": connect.nested(values)}
        return {**chosen, "center": center} if draw.chance(0.7) else chosen

    def mass(self, n: int) -> Thing:
        """Point masses on nodes of their own, with or without inertia."""
        draw = self.draw
        place = self.somewhere(n)[:3, 3]
        name = f"node {n}.0"
        self.add_node(name, place)
        inertia = None
        if draw.chance():
            inertia = draw.pick(((0.2, 0.25, 0.3), (0.2, 0.25, 0.3, 0.01, 0.0, 0.02)))
        part = fl.PointMass(f"mass {n}", at=name, mass=3.0, inertia=inertia)
        self.parts.append(part)
        return Thing([name], [place])

    def attach(self, n: int) -> None:
        """Tie the n-th thing to the one before, and softly to the ground."""
        draw = self.draw
        thing = self.things[n]
        # the first end of a beam may be released from its node
        here = int(draw.rng.integers(int(thing.is_flexible), len(thing.names)))
        first, place = thing.names[here], thing.places[here]
        ground = connect.random_bushing(draw, f"soil {n}", (fl.GROUND, first), place)
        self.parts.append(ground)
        if n == 0:
            return
        before = self.things[n - 1]
        there = int(draw.rng.integers(len(before.names)))
        pair, places = (before.names[there], first), (before.places[there], place)
        kind = draw.pick(("joint", "joint", "joint", "bushing", "spring", "link"))
        name = f"{kind} {n}"
        if kind == "joint":
            part: Any = connect.random_joint(draw, name, pair, place, self.horizon)
        elif kind == "bushing":
            part = connect.random_bushing(draw, name, pair, place)
        elif kind == "spring":
            part = connect.random_spring_damper(draw, name, pair, places)
        else:
            part = fl.RigidLink(name, at=pair)
        self.parts.append(part)

    def hold(self) -> None:
        """Supports and joints to the ground, and a release, on flexible things."""
        draw = self.draw
        beams = [thing for thing in self.things if thing.is_flexible]
        for k, thing in enumerate(beams[:2]):
            choice = draw.pick(("support", "joint", "spring", "release", "none"))
            at, place = thing.names[0], thing.places[0]
            pair = draw.pick(((fl.GROUND, at), (at, fl.GROUND)))
            if choice == "support":
                name = f"support {k}"
                part: Any = connect.random_support(draw, name, at, self.horizon)
            elif choice == "joint":
                name = f"anchor {k}"
                part = connect.random_joint(draw, name, pair, place, self.horizon)
            elif choice == "spring":
                places = (place, place + [0.2, 0.3, 0.1])
                part = connect.random_spring_damper(
                    draw, f"tether {k}", (at, fl.GROUND), places
                )
            elif choice == "release" and thing.beam is not None:
                part = self.release(k, thing)
            else:
                continue
            self.parts.append(part)

    def release(self, k: int, thing: Thing) -> fl.EndRelease:
        """One end of a beam hangs on a held mass by a joint with a spring."""
        draw = self.draw
        weight = fl.PointMass(
            f"fitting {k}", at=thing.names[0], mass=1.0, inertia=(0.1, 0.12, 0.14)
        )
        ground = (fl.GROUND, thing.names[0])
        place = thing.places[0]
        self.parts.append(connect.random_bushing(draw, f"footing {k}", ground, place))
        self.parts.append(weight)
        kind = draw.pick(connect.RELEASES)
        spring = None
        if kind is not fl.SPHERICAL and draw.chance():
            # where the first axis across lies is nobody's choice in a planar release
            is_planar = kind is fl.PLANAR
            chosen = fl.JointCoordinate.ANGLE if is_planar else None
            spring = connect.random_spring(draw, chosen)
        axis = draw.direction()
        across = tuple(np.cross(axis, np.roll(axis, 1) + [0.0, 0.0, 1.0]).tolist())
        return fl.EndRelease(
            f"release {k}",
            beam=str(thing.beam),
            at=thing.names[0],
            kind=kind,
            axis=axis,
            second_axis=across if kind is fl.PLANAR else None,
            spring=spring,
        )
