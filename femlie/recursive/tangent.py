"""Pattern of the matrix of a Newton step along a tree, and its order of elimination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements.base import Array, IntArray
from ._data import (
    DAMPING,
    FIRST,
    MASS,
    N_BODY_UNKNOWNS,
    N_FREE,
    PLACE_AT,
    RATE_AT,
    SPEED_AT,
    WRENCH_AT,
    Newton,
    Tree,
)
from ._problem import Problem
from ._tangent import N_TANGENT_WORK

# rows and columns of entries
Entries = list[tuple[int, int]]


@dataclass(frozen=True)
class Equations:
    """Pattern of the matrix of all blocks.

    Attributes
    ----------
    indptr, indices : int arrays
        Compressed by columns.
    bodies : (n_frame_rows // 6,) int array
        Body of every six rows.
    n_multipliers : int
        Constraints that close loops; their rows come last.
    """

    indptr: IntArray
    indices: IntArray
    bodies: IntArray
    n_multipliers: int


@dataclass(frozen=True)
class Pattern:
    """Pattern of the matrix of a Newton step.

    Attributes
    ----------
    indptr, indices : int arrays
        Compressed by columns.
    positions : (n,) int array
        Place of each row and column in the order of elimination.
    newton : Newton
    """

    indptr: IntArray
    indices: IntArray
    positions: IntArray
    newton: Newton


def no_newton() -> Newton:
    """Arrays of a tree that takes no Newton step."""
    whole, none = np.zeros(0, np.int64), np.zeros(0)
    return Newton(
        copies=np.zeros((0, 4), np.int64),
        starts=whole,
        slots=whole,
        data=none,
        damping=none,
        mass=none,
        weights=np.zeros(3),
        rhs=none,
        row=none,
        work=np.zeros((N_TANGENT_WORK, 6)),
    )


def newton_pattern(tree: Tree, equations: Equations) -> Pattern:
    """Where the entries of the matrix stand.

    Unknowns and rows are numbered body by body (x, V, A, f; rows of their definition,
    and the balance of the body), then coordinates, then constraints of loops.

    Parameters
    ----------
    tree : Tree
    equations : Equations

    Returns
    -------
    Pattern
    """
    n_bodies, m = tree.frames.size, equations.n_multipliers
    n_coordinates = int(tree.kinds[:, N_FREE].sum())
    first_row = N_BODY_UNKNOWNS * n_bodies + n_coordinates
    n = first_row + m
    own: Entries = []
    starts = np.zeros(n_bodies, dtype=np.int64)
    for b in range(n_bodies):
        starts[b] = len(own)
        own += _links(tree, b)
        for c in range(int(tree.kinds[b, N_FREE])):
            own += _coordinate(tree, b, c)
    sources, targets = _copied(equations, first_row)
    pairs = np.array(own, dtype=np.int64).reshape(-1, 2)
    keys = [pairs[:, 1] * n + pairs[:, 0], *targets]
    unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    has_nowhere = bool(unique.size) and unique[0] < 0
    inverse, unique = inverse - has_nowhere, unique[int(has_nowhere) :]
    inverse[inverse < 0] = unique.size
    parts = np.split(inverse, np.cumsum([k.size for k in keys])[:-1])
    size = equations.indices.size + 1
    newton = Newton(
        copies=np.stack([sources, *parts[1:]], axis=1).astype(np.int64),
        starts=starts,
        slots=parts[0].astype(np.int64),
        data=np.zeros(unique.size + 1),
        damping=np.zeros(size),
        mass=np.zeros(size),
        weights=np.zeros(3),
        rhs=np.zeros(n),
        row=np.zeros(n),
        work=np.zeros((N_TANGENT_WORK, 6)),
    )
    return Pattern(
        indptr=np.searchsorted(unique, np.arange(n + 1, dtype=np.int64) * n),
        indices=unique % n,
        positions=_positions(tree, equations, n),
        newton=newton,
    )


def _unknown(b: int, kind: int, direction: int) -> int:
    return N_BODY_UNKNOWNS * b + kind + direction


def _links(tree: Tree, b: int) -> Entries:
    """Entries that do not belong to a coordinate, in the order of the kernel."""
    motions = (PLACE_AT, SPEED_AT, RATE_AT)
    found = [(_unknown(b, k, j), _unknown(b, k, j)) for k in motions for j in range(6)]
    found += [(_unknown(b, WRENCH_AT, j), _unknown(b, WRENCH_AT, j)) for j in range(6)]
    pairs = [(i, j) for i in range(3) for j in range(3)]
    found += [
        (_unknown(b, RATE_AT, row), _unknown(b, column, col))
        for column in (SPEED_AT, PLACE_AT)
        for i, j in pairs
        if i != j
        for row, col in ((i, j), (i, 3 + j), (3 + i, 3 + j))
    ]
    parent = int(tree.parents[b])
    if parent < 0:
        return found
    for i, j in pairs:
        blocks = ((i, j), (i, 3 + j), (3 + i, 3 + j))
        for kind in motions:
            found += [
                (_unknown(b, kind, row), _unknown(parent, kind, col))
                for row, col in blocks
            ]
        found += [
            (_unknown(parent, WRENCH_AT, col), _unknown(b, WRENCH_AT, row))
            for row, col in blocks
        ]
    return found


def _coordinate(tree: Tree, b: int, c: int) -> Entries:
    """Entries of one coordinate, in the order of the kernel."""
    first = N_BODY_UNKNOWNS * tree.frames.size + int(tree.kinds[b, FIRST])
    own = first + c
    found: Entries = []
    for j in range(6):
        found += [
            (_unknown(b, PLACE_AT, j), own),
            (_unknown(b, SPEED_AT, j), own),
            (_unknown(b, RATE_AT, j), own),
            (own, _unknown(b, WRENCH_AT, j)),
        ]
    parent = int(tree.parents[b])
    if parent >= 0:
        for j in range(3):
            found += [
                (_unknown(parent, WRENCH_AT, j), own),
                (_unknown(parent, WRENCH_AT, 3 + j), own),
            ]
    return found + [(first + i, own) for i in range(int(tree.kinds[b, N_FREE]))]


def _copied(equations: Equations, first_row: int) -> tuple[IntArray, list[IntArray]]:
    """Entries of the blocks, and keys of where they go for x, V and A; -1: nowhere."""
    n_frame_rows = 6 * equations.bodies.size
    n = first_row + equations.n_multipliers
    columns = np.repeat(np.arange(equations.indptr.size - 1), np.diff(equations.indptr))
    rows = equations.indices
    body = np.append(equations.bodies, 0)

    def place(numbers: IntArray, kind: int) -> IntArray:
        six = np.minimum(numbers // 6, equations.bodies.size)
        at = N_BODY_UNKNOWNS * body[six] + kind + numbers % 6
        is_frame = numbers < n_frame_rows
        return np.where(is_frame, at, first_row + numbers - n_frame_rows)

    targets = [place(columns, PLACE_AT) * n + place(rows, WRENCH_AT)]
    is_block = (columns < n_frame_rows) & (rows < n_frame_rows)
    for kind in (SPEED_AT, RATE_AT):
        key = place(columns, kind) * n + place(rows, WRENCH_AT)
        targets.append(np.where(is_block, key, -1))
    return np.arange(rows.size), targets


def _positions(tree: Tree, equations: Equations, n: int) -> IntArray:
    """Order from the leaves to the root: A, V, x, f and coordinates of each body.

    A constraint comes where the branches that it joins meet.
    """
    n_bodies = tree.frames.size
    first_row = n - equations.n_multipliers
    meeting: dict[int, list[int]] = {}
    for k in range(equations.n_multipliers):
        meeting.setdefault(_meet(tree, equations, k), []).append(first_row + k)
    order: list[int] = []
    first = N_BODY_UNKNOWNS * n_bodies
    for b in range(n_bodies - 1, -1, -1):
        order += meeting.get(b, [])
        for kind in (RATE_AT, SPEED_AT, PLACE_AT, WRENCH_AT):
            order += range(_unknown(b, kind, 0), _unknown(b, kind, 6))
        at = first + int(tree.kinds[b, FIRST])
        order += range(at, at + int(tree.kinds[b, N_FREE]))
    order += meeting.get(-1, [])
    positions = np.zeros(n, dtype=np.int64)
    positions[order] = np.arange(n)
    return positions


def _meet(tree: Tree, equations: Equations, k: int) -> int:
    """Body where the paths of the bodies of a constraint meet; -1: the ground."""
    column = 6 * equations.bodies.size + k
    rows = equations.indices[equations.indptr[column] : equations.indptr[column + 1]]
    rows = rows[rows < 6 * equations.bodies.size]
    touched = {int(equations.bodies[row // 6]) for row in rows}
    if len(touched) < 2:
        return -1
    while len(touched) > 1:
        last = max(touched)
        touched.remove(last)
        touched.add(int(tree.parents[last]))
    return touched.pop()


def newton_scales(
    problem: Problem, pattern: Pattern, own: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Powers of two for rows and columns, from those of the matrix of all blocks.

    Joint wrenches take the size of the forces on all bodies that they carry, V and A
    that of rates within a step: pivots in leaf order then show what they are worth.

    Parameters
    ----------
    problem : Problem
        With its directions and weights.
    pattern : Pattern
    own : tuple of arrays
        Row and column factors of the matrix of all blocks.

    Returns
    -------
    tuple of (n,) arrays
    """
    tree, newton, rows = problem.tree, problem.newton, problem.rows
    n_bodies, m = tree.frames.size, problem.gaps.size
    at = rows[:, None] + np.arange(6)
    forces, moves = own[0][at], own[1][at]
    for b in range(n_bodies - 1, -1, -1):
        parent = tree.parents[b]
        if parent >= 0:
            for part in (slice(0, 3), slice(3, 6)):
                lowest = forces[b, part].min()
                forces[parent, part] = np.minimum(forces[parent, part], lowest)
    speeds, rates = moves * newton.weights[DAMPING], moves * newton.weights[MASS]
    columns = np.concatenate([moves, speeds, rates, 1.0 / forces], axis=1)
    lines = np.concatenate([1.0 / moves, 1.0 / speeds, 1.0 / rates, forces], axis=1)
    kept = np.arange(6)[None, :] < tree.kinds[:, N_FREE][:, None]
    directions = np.abs(problem.geometry.directions)
    step = (directions / moves[:, None, :]).max(axis=2)[kept]
    force = (directions / forces[:, None, :]).max(axis=2)[kept]
    first = own[0].size - m
    found = (
        np.concatenate([lines.reshape(-1), 1.0 / force, own[0][first:]]),
        np.concatenate([columns.reshape(-1), 1.0 / step, own[1][first:]]),
    )
    assert found[0].size == pattern.indptr.size - 1
    return np.exp2(np.floor(np.log2(found[0]))), np.exp2(np.floor(np.log2(found[1])))
