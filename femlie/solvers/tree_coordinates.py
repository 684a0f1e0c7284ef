"""States and motions in the coordinates of a tree's joints, and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..elements.base import Array
from ..errors import ModelError, suggestion
from ..recursive._data import UNIVERSAL
from ..recursive.edges import Edge
from ..recursive.structure import Structure
from ..system import System

DIRECTIONS = ("place_1", "place_2", "place_3", "turn_1", "turn_2", "turn_3")


@dataclass(frozen=True)
class TreeState:
    """A state in relative coordinates, or several.

    Attributes
    ----------
    frames : (..., n_bodies, 7) array
        Pose of each joint's child frame in its parent frame.
    rates : (..., n_coordinates) array
        Rates of the free coordinates [m/s, rad/s].
    time : float or (...) array
        Time [s].
    history : tuple of arrays
        Angles counted so far, as the blocks of the model keep them. Several states
        share them: their angles are those within half a turn of them.
    """

    frames: Array
    rates: Array
    time: Any = 0.0
    history: tuple[Array, ...] = ()


@dataclass(frozen=True)
class TreeMotion:
    """Accelerations and forces of a state, or of several.

    Attributes
    ----------
    second_rates : (..., n_coordinates) array
        [m/s^2, rad/s^2].
    forces : (..., n_coordinates) array
        Applied along the free coordinates [N, N m]: given, or found for coordinates
        whose acceleration was given. Springs, dampers and motors act besides.
    driven_forces : (..., n_driven) array
        Of motors that prescribe a motion.
    wrenches : (..., n_bodies, 6) array
        What each joint does to its body, in the body's frame.
    multipliers : (..., m) array
        Of the constraints that close loops.
    poses, velocities, accelerations : (..., n_frames, 7 or 6) arrays
        Of all frames of the model.
    """

    second_rates: Array
    forces: Array
    driven_forces: Array
    wrenches: Array
    multipliers: Array
    poses: Array
    velocities: Array
    accelerations: Array


def coordinate_names(system: System, structure: Structure) -> tuple[str, ...]:
    """Names of the free coordinates: joint, and place or turn in its frame.

    Parameters
    ----------
    system : System
    structure : Structure

    Returns
    -------
    tuple of str
        ``"hinge.angle"``; branches without a joint have the name of their body or node;
        ``"arm.amplitude_1"`` of a modal body.
    """
    names = []
    for edge in structure.edges:
        amplitudes = _amplitude_names(system, edge)
        if amplitudes:
            names += amplitudes
            continue
        owner = edge.name or frame_name(system, edge.child)
        for i in edge.directions[: edge.n_free]:
            names.append(f"{owner}.{_direction_name(edge, i)}")
    return tuple(names)


def _amplitude_names(system: System, edge: Edge) -> list[str]:
    """Names of the coordinates of a frame that carries amplitudes; else none."""
    for name, body in system.catalog.modal_bodies.items():
        at = np.flatnonzero(body.amplitude_frames == edge.child)
        if at.size:
            first = 3 * int(at[0]) + 1
            return [f"{name}.amplitude_{first + i}" for i in edge.directions]
    return []


def _direction_name(edge: Edge, direction: int) -> str:
    n_turns = sum(i >= 3 for i in edge.directions)
    is_about_axis = direction == 5 and (n_turns == 1 or edge.motion == UNIVERSAL)
    if is_about_axis:
        return "angle"
    if edge.motion == UNIVERSAL:
        return "angle_2"
    return DIRECTIONS[direction]


def frame_name(system: System, frame: int) -> str:
    """Name of the body or group that a frame belongs to alone."""
    catalog = system.catalog
    nodes = set(np.flatnonzero(catalog.node_frames == frame).tolist())
    for name, group in catalog.groups.items():
        if len(group) and set(group.tolist()) <= nodes:
            return name
    return f"frame {frame}"


def find_coordinate(names: Sequence[str], name: str) -> int:
    """Number of a coordinate: ``"hinge.angle"``, or ``"hinge"`` if it has one.

    Parameters
    ----------
    names : sequence of str
    name : str

    Returns
    -------
    int

    Raises
    ------
    ModelError
        If there is none, or more than one.
    """
    found = [k for k, n in enumerate(names) if name in (n, n.rpartition(".")[0])]
    if len(found) != 1:
        what = "several coordinates" if found else "no coordinate"
        raise ModelError(
            f"The tree has {what} '{name}'. "
            f"{suggestion(name, names, what='coordinates')}"
        )
    return found[0]


def coordinate_vector(
    names: Sequence[str], values: npt.ArrayLike | Mapping[str, float]
) -> Array:
    """Values of all coordinates, from an array or from those named.

    Parameters
    ----------
    names : sequence of str
    values : (..., n_coordinates) array, or dict of coordinate -> float
        Zero for coordinates that a dict does not name.

    Returns
    -------
    (..., n_coordinates) array
    """
    if isinstance(values, Mapping):
        vector = np.zeros(len(names))
        for name, value in values.items():
            vector[find_coordinate(names, name)] = value
        return vector
    vector = np.asarray(values, dtype=float)
    if vector.shape[-1:] != (len(names),):
        raise ModelError(
            f"Values of joint coordinates have the shape {vector.shape}: expected "
            f"{len(names)} in the last axis, one for each of "
            f"{', '.join(names[:6])}{', ...' if len(names) > 6 else ''}."
        )
    return vector
