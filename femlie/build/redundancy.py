"""Constraint rows that depend on others, found loop by loop."""

from __future__ import annotations

import numpy as np

from ..assembly import STATIC, Assembly
from ..elements.base import IntArray
from ..system import System

# rows below this share of the largest pivot depend on others
TOLERANCE = 1e-9


def count_redundant(system: System) -> int:
    """Number of constraint rows that others imply at the start.

    Only frames on loops of the joint graph (the ground closes loops) can have such
    rows; leaves are cut off first. The rank comes from a QR factorization with column
    pivoting of the rows of what is left, scaled to unit rows.
    """
    m = system.dofs.n_multipliers
    if m == 0:
        return 0
    rows = _rows_on_loops(system)
    if rows.size == 0:
        return 0
    n = system.dofs.n_frame_rows
    matrix = Assembly(system, regime=STATIC).tangent(system.state).tocsr()
    jacobian = matrix[n + rows, :n].toarray()
    used = np.any(jacobian != 0.0, axis=0)
    jacobian = jacobian[:, used]
    sizes = np.linalg.norm(jacobian, axis=1)
    empty = sizes == 0.0
    jacobian = jacobian[~empty] / sizes[~empty, None]
    if jacobian.size == 0:
        return int(empty.sum())
    # scipy.linalg is slow to import, and most models have no loop
    from scipy.linalg import qr

    _, triangle, _ = qr(jacobian.T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(triangle))
    rank = int(np.sum(pivots > TOLERANCE * pivots[0]))
    return int(empty.sum()) + jacobian.shape[0] - rank


def _rows_on_loops(system: System) -> IntArray:
    """Rows of joints on loops, and of all other elements with multipliers.

    What else holds frames together need not tie every one of them, so that no joint
    next to it is cut off as a leaf.
    """
    n_frames = system.dofs.numbers.shape[0]
    edges, of_joints, others = [], [], []
    is_met = np.zeros(n_frames, dtype=bool)
    at = 0
    for block in system.blocks:
        n, m = block.n_elements, block.n_multipliers
        rows = at + np.arange(n * m).reshape(n, m)
        at += n * m
        if m and block.kind == "joint":
            edges.append(block.frames)
            of_joints.append(rows)
        elif m:
            is_met[block.frames.reshape(-1)] = True
            others.append(rows.reshape(-1))
    ends = np.vstack([np.zeros((0, 2), np.int64), *edges])
    keep = _on_loops(ends, is_met, system)
    first = 0
    for rows in of_joints:
        others.append(rows[keep[first : first + len(rows)]].reshape(-1))
        first += len(rows)
    return np.concatenate(others)


def _on_loops(edges: IntArray, is_met: np.ndarray, system: System) -> np.ndarray:
    """Which edges are left when frames with one edge are cut off again and again.

    ``is_met`` (n_frames,): frames that are no leaves because more acts on them.
    """
    # frames with all directions locked are ground
    is_ground = np.all(system.dofs.numbers < 0, axis=1)
    # partly locked frames close loops through their support
    is_held = np.any(system.dofs.numbers < 0, axis=1)
    ends = np.where(is_ground[edges], 0, edges)
    keep = np.ones(len(edges), dtype=bool)
    while True:
        degree = np.bincount(ends[keep].reshape(-1), minlength=len(is_ground))
        leaf = (degree == 1) & ~is_held & ~is_met
        leaf[0] = False
        cut = keep & np.any(leaf[ends], axis=1)
        if not np.any(cut):
            return keep
        keep &= ~cut
