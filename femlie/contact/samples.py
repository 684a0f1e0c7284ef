"""Gaps along slaves, by which the forms of contacts are chosen."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..elements.base import Array, BlockData, IntArray
from . import _forming as forming
from ._sample import sample
from .model import ContactModel
from .runs import Runs


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


class Samples(NamedTuple):
    """Gaps at three places of each slave.

    Attributes
    ----------
    gaps : (n, 3) array [m]
    places : (n, 3) int array
        Place of the nearest master segment among all masters.
    edges : (n, 3) array
        Whether that is a sharp edge.
    masters : int array
        All masters.
    """

    gaps: Array
    places: IntArray
    edges: Array
    masters: IntArray

    def of(self, members: list[int]) -> Array:
        """(n, 3, 3) gap, nearest master and sharpness of some runs."""
        nearest = self.masters[self.places[members]]
        return np.stack([self.gaps[members], nearest, self.edges[members]], axis=2)


def sampled(
    model: ContactModel,
    poses: Array,
    chords: tuple[Array, Array],
    runs: Runs,
    rows: Rows | None,
) -> Samples:
    """Gaps along all slaves.

    Parameters
    ----------
    model : ContactModel
    poses : (n_frames, 7) array
    chords : tuple
        Places (n, 2, 3) of both ends of segments, and how far axes are from them (n,).
    runs : Runs
    rows : Rows or None
        Rows of all runs, where rigid shapes are among the masters.
    """
    gaps, edges = np.zeros((runs.n, 3)), np.zeros((runs.n, 3))
    places = np.zeros((runs.n, 3), np.int64)
    if rows is None:
        segments = model.segments
        axes = forming.Axes(
            poses,
            segments.sections,
            np.empty((segments.n, forming.AXIS_WIDTH)),
            np.zeros(segments.n, dtype=bool),
        )
        forming.sample_runs(
            axes,
            chords,
            segments.radii,
            segments.neighbors,
            (runs.slaves, runs.starts, runs.masters),
            gaps,
            places,
        )
        return Samples(gaps, places, edges, runs.masters)
    masters = np.zeros((runs.n, 3), np.int64)
    sample(poses, block_of(rows), gaps, masters, edges)
    for k in range(runs.n):
        own = runs.masters[runs.starts[k] : runs.starts[k + 1]]
        places[k] = runs.starts[k] + np.argmax(own == masters[k][:, None], axis=1)
    return Samples(gaps, places, edges, runs.masters)
