"""Meshes without a file: from arrays, along curves, joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from femlie.errors import MeshError, call_of_user
from femlie.mesh.checks import check_count, check_group_name, check_mesh
from femlie.mesh.coincidence import merge_coincident
from femlie.mesh.mesh import Array, IntArray, Mesh

# Samples per element on which the arc length of a curve is summed: the chords are
# then short by a part of about (turning angle per element / 64)^2 / 24.
_SAMPLES_PER_ELEMENT = 64
_FEWEST_SAMPLES = 4096

Groups = Mapping[str, Sequence[int] | npt.NDArray[Any]]
Curve = Callable[[float], npt.ArrayLike] | npt.ArrayLike


def mesh_from_arrays(
    points: npt.ArrayLike,
    lines: npt.ArrayLike = (),
    *,
    node_groups: Groups | None = None,
    line_groups: Groups | None = None,
    surface_groups: Mapping[str, npt.ArrayLike] | None = None,
    node_numbers: npt.ArrayLike | None = None,
) -> Mesh:
    """Mesh of given points, lines and groups; all indices count from 0.

    Parameters
    ----------
    points : (n, 3) array
        Coordinates [length].
    lines : (n_lines, 2) or (n_lines, 3) integer array
        End nodes of each line and, for order 2, its middle node (-1: none). Named nodes
        may do without.
    node_groups : mapping of name to (k,) integers, optional
        Named nodes.
    line_groups : mapping of name to (k,) integers, optional
        Named lines.
    surface_groups : mapping of name to (k, 3) integers, optional
        Triangles of named surfaces, as rows of ``points``.
    node_numbers : (n,) integer array, optional
        Numbers by which results, sensors and messages know the nodes; default: those of
        the rows of ``points``, from 0.

    Returns
    -------
    Mesh

    Raises
    ------
    MeshError
        If shapes or indices are wrong, or the mesh is unusable (`read_mesh`).
    """
    places = _points(points, "points")
    rows = _integers(lines, "lines")
    if rows.size == 0:
        rows = rows.reshape(0, 2)
    if rows.ndim != 2 or rows.shape[1] not in (2, 3):
        raise MeshError(f"lines must have shape (n, 2) or (n, 3), got {rows.shape}.")
    has_middle = rows.shape[1] == 3
    surfaces = {}
    for name, given in _named(surface_groups, "surface_groups").items():
        surfaces[name] = _integers(given, f"surface group '{name}'")
        if surfaces[name].ndim != 2 or surfaces[name].shape[1] != 3:
            raise MeshError(
                f"The surface group '{name}' must have shape (n, 3), "
                f"got {surfaces[name].shape}."
            )
    numbers = np.arange(len(places))
    if node_numbers is not None:
        numbers = _integers(node_numbers, "node_numbers")
    mesh = Mesh(
        points=places,
        lines=rows[:, :2],
        mid_nodes=rows[:, 2] if has_middle else np.full(len(rows), -1),
        node_groups=_groups(node_groups, "node"),
        line_groups=_groups(line_groups, "line"),
        surface_groups=surfaces,
        node_numbers=numbers,
        source="arrays",
    )
    return check_mesh(mesh)


def mesh_from_curve(
    curve: Curve,
    *,
    n_elements: int,
    name: str = "curve",
    start: str | None = "start",
    end: str | None = "end",
    closed: bool = False,
) -> Mesh:
    """Lines along a curve, of equal arc length.

    Parameters
    ----------
    curve : callable or (k, 3) array
        Place [length] at a parameter between 0 and 1, or points of a polyline.
    n_elements : int
        Number of lines.
    name : str
        Name of the group of all lines.
    start, end : str or None
        Names of the groups of the first and the last node; None for no group.
    closed : bool
        Whether the last line ends at the first node. A callable must then give one
        place at 0 and 1; a polyline is closed by a straight piece.

    Returns
    -------
    Mesh
        Straight lines whose nodes lie on the curve; corners of a polyline between
        nodes are cut. Arc lengths are equal to about 1e-6 of themselves.

    Raises
    ------
    MeshError
        If the curve is unusable, or too few elements are asked for.
    """
    check_group_name("The name of a curve", name)
    for what, group in (("start", start), ("end", end)):
        check_group_name(f"The {what} of the curve '{name}'", group, may_lack=True)
    if not isinstance(closed, (bool, np.bool_)):
        raise MeshError(
            f"closed of the curve '{name}' is {closed!r}: expected True or False."
        )
    what = f"n_elements of the curve '{name}'"
    n = check_count(what, n_elements, least=3 if closed else 1)
    points = _points_along(curve, n, name, closed=bool(closed))
    nodes = np.arange(len(points))
    last = np.roll(nodes, -1) if closed else nodes[1:]
    lines = np.column_stack([nodes[: len(last)], last])
    ends: dict[str, list[int]] = {}
    for group, node in ((start, 0), (end, int(lines[-1, 1]))):
        if group is not None:
            ends.setdefault(group, []).append(node)
    return mesh_from_arrays(
        points, lines, node_groups=ends, line_groups={name: np.arange(len(lines))}
    )


def straight_line(
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    *,
    n_elements: int,
    name: str = "line",
    start_name: str | None = "start",
    end_name: str | None = "end",
) -> Mesh:
    """Equal lines from one point to another; see `mesh_from_curve`.

    Parameters
    ----------
    start, end : (3,) array
        End points [length].
    n_elements : int
        Number of lines.
    name : str
        Name of the group of all lines.
    start_name, end_name : str or None
        Names of the groups of the first and the last node; None for no group.
    """
    ends = np.stack([_point(start, "start"), _point(end, "end")])
    return mesh_from_curve(
        ends, n_elements=n_elements, name=name, start=start_name, end=end_name
    )


def join_meshes(*meshes: Mesh, tolerance_ratio: float | None = 1e-9) -> Mesh:
    """One mesh of several; groups of the same name unite.

    Parameters
    ----------
    *meshes : Mesh
        What to join.
    tolerance_ratio : float or None
        Points of different meshes become one node where their distance is at most
        this part of the diagonal of the whole. None keeps all nodes apart.

    Returns
    -------
    Mesh
        Its nodes are numbered from 0 in messages, like the rows of ``points``.

    Raises
    ------
    MeshError
        If there is nothing to join, or the result is unusable, for instance because
        two meshes hold the same line.

    Notes
    -----
    Coincident nodes of one and the same mesh (two ends of a hinge) stay apart, unless
    a node of another mesh lies at their place.
    """
    _check_meshes(meshes)
    points = np.concatenate([mesh.points for mesh in meshes])
    kept = rows = np.arange(len(points))
    if tolerance_ratio is not None:
        owners = np.repeat(
            np.arange(len(meshes)), [len(mesh.points) for mesh in meshes]
        )
        size = float(np.linalg.norm(np.ptp(points, axis=0)))
        tolerance = tolerance_ratio * size
        kept, rows = merge_coincident(points, tolerance=tolerance, owners=owners)
    lines, mid_nodes = [], []
    groups: tuple[dict[str, Any], dict[str, Any], dict[str, Any]] = ({}, {}, {})
    first_node = first_line = 0
    for mesh in meshes:
        here = rows[first_node : first_node + len(mesh.points)]
        lines.append(here[mesh.lines])
        mid_nodes.append(np.where(mesh.mid_nodes < 0, -1, here[mesh.mid_nodes]))
        _unite(groups[0], {name: here[k] for name, k in mesh.node_groups.items()})
        _unite(
            groups[1], {name: first_line + k for name, k in mesh.line_groups.items()}
        )
        _unite(groups[2], {name: here[k] for name, k in mesh.surface_groups.items()})
        first_node += len(mesh.points)
        first_line += len(mesh.lines)
    joined = Mesh(
        points=points[kept],
        lines=np.concatenate(lines),
        mid_nodes=np.concatenate(mid_nodes),
        node_groups=groups[0],
        line_groups=groups[1],
        surface_groups=groups[2],
        node_numbers=np.arange(len(kept)),
        source=" + ".join(mesh.source for mesh in meshes),
    )
    return check_mesh(joined)


def _check_meshes(meshes: tuple[Any, ...]) -> None:
    if not meshes:
        raise MeshError("join_meshes needs at least one mesh, got none.")
    for mesh in meshes:
        if not isinstance(mesh, Mesh):
            raise MeshError(
                f"join_meshes got a {type(mesh).__name__}: expected meshes, one after "
                "another (join_meshes(*meshes) for a list)."
            )


def _unite(groups: dict[str, IntArray], more: dict[str, IntArray]) -> None:
    for name, rows in more.items():
        groups[name] = np.concatenate([groups[name], rows]) if name in groups else rows


def _points_along(curve: Curve, n_elements: int, name: str, *, closed: bool) -> Array:
    """Nodes at equal arc lengths; a closed curve does not repeat its first node."""
    fractions = np.linspace(0.0, 1.0, n_elements + 1)
    if callable(curve):
        n_samples = max(_FEWEST_SAMPLES, _SAMPLES_PER_ELEMENT * n_elements)
        parameters = np.linspace(0.0, 1.0, n_samples + 1)
        samples = np.array([_place(curve, t, name) for t in parameters])
    else:
        samples = _points(curve, f"curve '{name}'")
        if closed and np.any(samples[0] != samples[-1]):
            samples = np.concatenate([samples, samples[:1]])
    steps = np.linalg.norm(np.diff(samples, axis=0), axis=1)
    arc = np.concatenate([[0.0], np.cumsum(steps)])
    if len(samples) < 2 or not np.isfinite(arc[-1]) or arc[-1] == 0.0:
        raise MeshError(
            f"The curve '{name}' has the length {arc[-1]}: "
            "its points must be finite, and not all in one place."
        )
    gap = float(np.linalg.norm(samples[-1] - samples[0]))
    if closed and gap > 1e-9 * arc[-1]:
        raise MeshError(
            f"The curve '{name}' is to be closed, but its ends are {gap:.3g} apart: "
            "let it return to its start, or leave out closed=True."
        )
    if callable(curve):
        wanted = np.interp(fractions * arc[-1], arc, parameters)
        points = np.array([_place(curve, t, name) for t in wanted])
    else:
        points = np.column_stack(
            [np.interp(fractions * arc[-1], arc, samples[:, k]) for k in range(3)]
        )
    return points[:-1] if closed else points


def _place(curve: Callable[[float], npt.ArrayLike], t: float, name: str) -> Array:
    what = f"The curve '{name}' (at {t:.6g} of 1)"
    given = call_of_user(curve, float(t), what=what)
    try:
        place = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise MeshError(f"{what} gave {given!r}: expected three coordinates.") from None
    if place.size != 3:
        raise MeshError(
            f"The curve '{name}' must give three coordinates for one parameter, "
            f"got shape {place.shape} at {t:.6g}."
        )
    return place.ravel()


def _point(given: npt.ArrayLike, what: str) -> Array:
    try:
        return _points([np.asarray(given)], what)[0]
    except (MeshError, ValueError):
        raise MeshError(f"{what} is {given!r}: expected three numbers.") from None


def _points(given: npt.ArrayLike, what: str) -> Array:
    try:
        points = np.array(given, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise MeshError(f"{what} must be numbers of shape (n, 3) ({error}).") from error
    if points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(
            f"{what} must have shape (n, 3), got {points.shape}; "
            "give plane points a third coordinate of zero."
        )
    return points


def _integers(given: npt.ArrayLike, what: str) -> IntArray:
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise MeshError(f"{what} must have rows of equal length ({error}).") from error
    if array.size and array.dtype.kind not in "iu":
        raise MeshError(
            f"{what} must hold integer indices counted from 0, "
            f"got {array.dtype} values."
        )
    return array.astype(np.int64)


def _groups(given: Groups | None, kind: str) -> dict[str, IntArray]:
    return {
        name: _integers(rows, f"{kind} group '{name}'").reshape(-1)
        for name, rows in _named(given, f"{kind}_groups").items()
    }


def _named(given: Any, what: str) -> Mapping[str, Any]:
    """A table of names, or an error that names what is none."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise MeshError(
            f"{what} is {given!r}: expected a dictionary of names and rows, such as "
            "{'tip': [0]}."
        )
    for name in given:
        check_group_name(f"A name in {what}", name)
    return given
