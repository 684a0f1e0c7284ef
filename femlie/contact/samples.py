"""Gaps along slaves, by which the forms of contacts are chosen."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..elements.base import Array, BlockData, IntArray
from ._sample import sample


class Rows(Protocol):
    """What is looked at of a list of contacts."""

    frames: IntArray
    codes: IntArray
    parameters: Array


def block_of(contacts: Rows, n_iterates: int = 0) -> BlockData:
    """What kernels see of contacts that belong to no system of equations."""
    n = len(contacts.codes)
    return BlockData(
        contacts.frames,
        contacts.codes,
        contacts.parameters,
        np.zeros((n, 0)),
        np.zeros((n, n_iterates)),
        np.zeros((n, 0), np.int64),
        np.zeros((n, 0), np.uint32),
    )


def gaps_along(poses: Array, contacts: Rows, n_runs: int) -> Array:
    """(n_runs, 3, 3) array: gap at three places of each slave, nearest master.

    And whether that is a sharp edge.
    """
    block = block_of(contacts)
    gaps = np.zeros((n_runs, 3))
    masters = np.zeros((n_runs, 3), np.int64)
    features = np.zeros((n_runs, 3))
    sample(poses, block, gaps, masters, features)
    return np.stack([gaps, masters, features], axis=2)
