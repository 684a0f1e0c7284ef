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
    edges, first, count = _edges(system)
    keep = _on_loops(edges, system)
    if not np.any(keep):
        return 0
    rows = np.unique(
        np.concatenate(
            [np.arange(f, f + c) for f, c in zip(first[keep], count[keep], strict=True)]
        )
    )
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


def joined(frames: IntArray) -> IntArray:
    """(k, 2) frames that the elements of a block join: its first with each other.

    Parameters
    ----------
    frames : (n_elements, n_frames) array
        An element of one frame joins it to itself.
    """
    n = frames.shape[1]
    others = frames[:, 1:] if n > 1 else frames
    first = np.repeat(frames[:, 0], others.shape[1])
    return np.column_stack([first, others.reshape(-1)])


def _edges(system: System) -> tuple[IntArray, IntArray, IntArray]:
    """Frames that elements with multipliers join, first row and rows of each pair.

    The rows of an element of several frames stand at each of its pairs.
    """
    pairs, first, count = [], [], []
    at = 0
    for block in system.blocks:
        m = block.n_multipliers
        if m:
            n, n_pairs = block.n_elements, max(1, block.frames.shape[1] - 1)
            pairs.append(joined(block.frames))
            first.append(np.repeat(at + m * np.arange(n), n_pairs))
            count.append(np.full(n * n_pairs, m))
            at += n * m
    return np.vstack(pairs), np.concatenate(first), np.concatenate(count)


def _on_loops(edges: IntArray, system: System) -> np.ndarray:
    """Which edges are left when frames with one edge are cut off again and again."""
    # frames with all directions locked are ground
    is_ground = np.all(system.dofs.numbers < 0, axis=1)
    ends = np.where(is_ground[edges], 0, edges)
    keep = np.ones(len(edges), dtype=bool)
    while True:
        degree = np.bincount(ends[keep].reshape(-1), minlength=len(is_ground))
        leaf = degree == 1
        leaf[0] = False
        # partly locked frames close loops through their support
        leaf &= ~np.any(system.dofs.numbers < 0, axis=1)
        cut = keep & np.any(leaf[ends], axis=1)
        if not np.any(cut):
            return keep
        keep &= ~cut
