"""Matrices of beams and jointed bodies, small and large, for tests and benchmarks."""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_array, block_diag, csc_matrix, diags_array

AXIAL, TORSIONAL, BENDING = 1e6, 1e3, 1e3


def beam_stiffness(length: float) -> np.ndarray:
    """Stiffness of a straight Bernoulli beam: (12, 12), axis 1, nodes one by one."""
    stiffness = np.zeros((12, 12))
    for i, value in ((0, AXIAL), (3, TORSIONAL)):
        pair = np.ix_([i, i + 6], [i, i + 6])
        stiffness[pair] = value / length * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for deflection, rotation, sign in ((1, 5, 1.0), (2, 4, -1.0)):
        a = 6.0 * length * sign
        b = length**2
        rows = [deflection, rotation, deflection + 6, rotation + 6]
        stiffness[np.ix_(rows, rows)] = (BENDING / length**3) * np.array(
            [
                [12.0, a, -12.0, a],
                [a, 4.0 * b, -a, 2.0 * b],
                [-12.0, -a, 12.0, -a],
                [a, 2.0 * b, -a, 4.0 * b],
            ]
        )
    return stiffness


def random_rotation(rng: np.random.Generator, first_axis=None) -> np.ndarray:
    """Rotation matrix, its first column along the given axis."""
    columns = rng.normal(size=(3, 3))
    if first_axis is not None:
        columns[:, 0] = first_axis
    basis, upper = np.linalg.qr(columns)
    basis *= np.sign(np.diag(upper))
    basis[:, 2] *= np.linalg.det(basis)
    return basis


def frame_stiffness(points, cells, *, clamped, rng) -> csc_matrix:
    """Stiffness of a frame of beams with clamped nodes left out.

    A last entry of each column of the pattern may be zero; nothing is dropped.
    """
    rows, columns, values = [], [], []
    for cell in cells:
        edge = points[cell[1]] - points[cell[0]]
        length = np.linalg.norm(edge)
        turn = np.kron(np.eye(4), random_rotation(rng, edge).T)
        numbers = (6 * np.asarray(cell)[:, None] + np.arange(6)).ravel()
        rows.append(np.repeat(numbers, 12))
        columns.append(np.tile(numbers, 12))
        values.append((turn.T @ beam_stiffness(length) @ turn).ravel())
    rows, columns = np.concatenate(rows), np.concatenate(columns)
    n = 6 * len(points)
    locked = (6 * np.asarray(clamped, dtype=int)[:, None] + np.arange(6)).ravel()
    numbers = np.full(n, -1)
    free = np.setdiff1d(np.arange(n), locked)
    numbers[free] = np.arange(free.size)
    rows, columns = numbers[rows], numbers[columns]
    kept = (rows >= 0) & (columns >= 0)
    entries = (np.concatenate(values)[kept], (rows[kept], columns[kept]))
    matrix = csc_matrix(entries, shape=(free.size, free.size))
    matrix.sort_indices()
    return matrix


def cantilever(n_elements: int, *, rng, clamped=(0,)) -> csc_matrix:
    """Straight beam: block tridiagonal, blocks of 6."""
    points = np.zeros((n_elements + 1, 3))
    points[:, 0] = np.arange(n_elements + 1)
    cells = [(i, i + 1) for i in range(n_elements)]
    return frame_stiffness(points, cells, clamped=clamped, rng=rng)


def lattice(shape, *, rng) -> csc_matrix:
    """Beams along the edges of a regular grid, clamped at one side."""
    points = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    numbers = np.arange(np.prod(shape)).reshape(shape)
    cells = [
        np.stack([ahead.ravel(), behind.ravel()], axis=1)
        for ahead, behind in (
            (numbers[:-1], numbers[1:]),
            (numbers[:, :-1], numbers[:, 1:]),
            (numbers[:, :, :-1], numbers[:, :, 1:]),
        )
    ]
    return frame_stiffness(
        points.reshape(-1, 3).astype(float),
        np.concatenate(cells),
        clamped=numbers[0].ravel(),
        rng=rng,
    )


def saddle_point(stiffness, rows) -> csc_matrix:
    """``[[K, B^T], [B, 0]]`` with stored zeros on the diagonal of the last rows."""
    n = stiffness.shape[0]
    corner = diags_array(np.ones(rows.shape[0]))
    matrix = block_array([[stiffness, rows.T], [rows, corner]], format="csc")
    matrix = csc_matrix(matrix)
    matrix.sort_indices()
    columns = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    matrix.data[(columns == matrix.indices) & (columns >= n)] = 0.0
    return matrix


def bodies(n_bodies: int, *, rng, size=1.0) -> csc_matrix:
    """Positive definite blocks of 6."""
    blocks = []
    for _ in range(n_bodies):
        random = rng.normal(size=(6, 6))
        diagonal = np.diag([2.0, 2.0, 2.0, 0.1, 0.2, 0.3])
        blocks.append(size * (diagonal + 0.02 * random @ random.T))
    return csc_matrix(block_diag(blocks, format="csc"))


def joint_rows(n_bodies: int, joints, *, n_rows: int, rng) -> csc_matrix:
    """Constraint rows between pairs of bodies; -1 is the ground."""
    rows, columns, values = [], [], []
    for k, pair in enumerate(joints):
        for body in pair:
            if body >= 0:
                rows.append(np.repeat(n_rows * k + np.arange(n_rows), 6))
                columns.append(np.tile(6 * body + np.arange(6), n_rows))
                values.append(rng.normal(size=6 * n_rows))
    entries = (
        np.concatenate(values),
        (np.concatenate(rows), np.concatenate(columns)),
    )
    return csc_matrix(entries, shape=(n_rows * len(joints), 6 * n_bodies))


def chain(n_links: int, *, rng, n_rows: int = 3) -> tuple[csc_matrix, int]:
    """Bodies one after the other, hung from the ground; also the multipliers."""
    rows = joint_rows(
        n_links, [(i - 1, i) for i in range(n_links)], n_rows=n_rows, rng=rng
    )
    return saddle_point(bodies(n_links, rng=rng), rows), rows.shape[0]


def joined_lattice(side: int, *, rng, n_rows: int = 2) -> tuple[csc_matrix, int]:
    """Square of bodies, each joined to its neighbors; also the multipliers."""
    numbers = np.arange(side**2).reshape(side, side)
    pairs = np.concatenate(
        [
            np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], axis=1),
            np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1),
        ]
    )
    rows = joint_rows(side**2, pairs, n_rows=n_rows, rng=rng)
    return saddle_point(bodies(side**2, rng=rng), rows), rows.shape[0]


def random_matrix(n: int, *, rng, density: float = 0.1) -> csc_matrix:
    """Structurally symmetric, numerically unsymmetric, with a large diagonal."""
    mask = rng.random((n, n)) < density
    mask |= mask.T | np.eye(n, dtype=bool)
    values = rng.normal(size=(n, n)) + 2.0 * np.eye(n)
    rows, columns = np.nonzero(mask)
    matrix = csc_matrix((values[mask], (rows, columns)), shape=(n, n))
    matrix.sort_indices()
    return matrix


def scaled(matrix, row_factors, column_factors) -> csc_matrix:
    """Rows and columns in other units; stored zeros stay."""
    columns = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    data = matrix.data * row_factors[matrix.indices] * column_factors[columns]
    return csc_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)
