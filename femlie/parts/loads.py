"""Loads: forces and moments at nodes, along lines, gravity, controllers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .structure import Vector
from .time import OverTime


@dataclass(frozen=True)
class Force:
    """Force and moment at each node of a group.

    Attributes
    ----------
    name : str
    at : str
        Node, group or body.
    force : (3,) [N]
    moment : (3,) [N m]
    point : (3,)
        Where the force acts from the node, world axes at the start [m].
    follower : bool
        Whether both turn with the node.
    total : bool
        Whether the values are shared by the nodes instead of acting on each.
    over_time : Table, callable or None
        Default: constant in dynamics, with the load factor in statics.
    """

    name: str
    at: str
    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)
    point: Vector = (0.0, 0.0, 0.0)
    follower: bool = False
    total: bool = False
    over_time: OverTime = None


@dataclass(frozen=True)
class LineLoad:
    """Force and moment per length of a beam as it lies at the start.

    Attributes
    ----------
    name : str
    on : str
        A beam, or a group of lines that beams lie on.
    force : (3,) [N/m]
    moment : (3,) [N]
    follower : bool
        Whether they turn with the section.
    projected : bool
        Whether the force counts per length across its direction (snow, wind).
    over_time : Table, callable or None
    """

    name: str
    on: str
    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)
    follower: bool = False
    projected: bool = False
    over_time: OverTime = None


@dataclass(frozen=True)
class Gravity:
    """Weight of everything, or of the parts named.

    Attributes
    ----------
    name : str
    acceleration : (3,) [m/s^2]
    on : tuple of str or None
        Beams, bodies and point masses; default: all.
    over_time : Table, callable or None
    """

    name: str
    acceleration: Vector = (0.0, 0.0, -9.81)
    on: tuple[str, ...] | None = None
    over_time: OverTime = None


@dataclass(frozen=True)
class Controller:
    """A Python function that sees sensors and acts on a coordinate or a node.

    It acts within a step, where accelerations are unknown: section forces that it sees
    leave out the inertia of the element itself, which results have.

    Attributes
    ----------
    name : str
    sensors : tuple of str
        Names of sensors of the model.
    function : callable
        ``f(time, readings)``, with ``readings[name]`` a float or an array; returns a
        torque or force for ``joint``, else six numbers (force, moment) for ``at``.
    joint : str or None
        Joint on whose first free coordinate it acts.
    at : str or None
        Node or body on which it acts, world axes.
    """

    name: str
    sensors: tuple[str, ...]
    function: Callable[[float, dict[str, Any]], Any]
    joint: str | None = None
    at: str | None = None
