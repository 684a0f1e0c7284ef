"""Momentum that contacts cannot change, where these push parts out of each other.

The push leaves the momentum of each frame alone, as seen from space. So it changes
moments of momentum where it moves frames: by the order of the step. Where a rigid
motion of all that touches each other changes none of the gaps, which is so where
nothing else is touched, contacts keep momentum and its moment (Noether); along a plane
they keep momentum. These are restored by the smallest change of velocities, in kinetic
energy, that consists of such motions N: ``v + N x`` with ``N^T M N x = N^T (L - M v)``,
where ``N^T L`` is what they were. Balls that are pushed through their mass centers only
keep their spin: it takes no part.

Where something is touched that is held, moments are left alone: its push stands against
what forces have done within the step, and a rod that slides across itself would spin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..elements.base import Array, IntArray, Motion
from ..lie import quaternion
from ..system import System
from ._free_motions import local_motions

Product = Callable[[Array], Array]

# change of a gap by a motion, over the size of its gradient, that is none
SYMMETRIC = 1e-8
# levers over the size of the model, and what couples spin and flight, that are none
NO_LEVER = 1e-12
# kinds of elements that may hold a frame, or push it, from outside
FROM_GROUND = ("user", "controller")


class Symmetry(NamedTuple):
    """Rigid motions of some frames that leave all gaps as they are.

    Attributes
    ----------
    frames, rows : int arrays
        Frames that touch each other, and their unknowns (n, 6).
    takes_part : (n, 6) bool array
        Unknowns that the motions have: not the spins of balls.
    center : (3,) array
        A point in space that turns are about [m].
    size : float
        Length that turns are divided by [m].
    motions : (6, n) array
        Translations, and turns times the size, in world axes.
    """

    frames: IntArray
    rows: IntArray
    takes_part: Any
    center: Array
    size: float
    motions: Array


class FreeParts:
    """Parts of a model that nothing but contacts holds.

    Parameters
    ----------
    system : System
    """

    def __init__(self, system: System) -> None:
        numbers = system.dofs.numbers
        n = len(numbers)
        links = [np.zeros((0, 2), dtype=np.int64)]
        is_held = np.any(numbers < 0, axis=1)
        for block in system.blocks:
            frames = block.frames
            links += [frames[:, [0, k]] for k in range(1, frames.shape[1])]
            if block.n_multipliers or block.kind in FROM_GROUND:
                is_alone = np.all(frames == frames[:, :1], axis=1)
                is_held[frames[is_alone, 0]] = True
        one, other = np.vstack(links).T
        graph = coo_matrix((np.ones(one.size), (one, other)), shape=(n, n))
        n_labels, self.labels = connected_components(graph, directed=False)
        is_free = np.ones(n_labels, dtype=bool)
        is_free[self.labels[is_held]] = False
        # -1 where something is held
        self.labels = np.where(is_free[self.labels], self.labels, -1)
        self.numbers = numbers
        self.size = system.size
        self.n_rows = system.dofs.n_rows
        # of bodies alone, whose inertia does not change
        self.coupled: dict[int, bool] = {}
        self.label_of_row = np.full(system.dofs.n_frame_rows, -1, dtype=np.int64)
        is_row = numbers >= 0
        of_all = np.repeat(self.labels[:, None], 6, axis=1)
        self.label_of_row[numbers[is_row]] = of_all[is_row]

    def symmetries(
        self, gradients: Array, mass: Product, motion: Motion
    ) -> list[Symmetry]:
        """Symmetries of all that is free and touches something.

        Parameters
        ----------
        gradients : (n, n_frame_rows) array
            Of gaps that are shut, and of what sticks or slides.
        mass : callable
            Products of the mass matrix with rows of unknowns (n_rows,).
        motion : Motion
        """
        row, column = np.nonzero(gradients)
        label = self.label_of_row[column]
        row, label = row[label >= 0], label[label >= 0]
        if not label.size:
            return []
        n = len(gradients)
        of_row, of_label = _groups(row, label, n)
        found = []
        for number in np.unique(of_label[label]).tolist():
            own = np.flatnonzero(of_label == number)
            frames = np.flatnonzero(np.isin(self.labels, own))
            is_own = of_row == number
            own_gaps = gradients[is_own]
            takes_part = self._takes_part(frames, own_gaps, mass)
            symmetry = self._symmetry(frames, takes_part, own_gaps, motion)
            if symmetry is not None:
                found.append(symmetry)
        return found

    def _takes_part(self, frames: IntArray, gradients: Array, mass: Product) -> Any:
        """(n, 6) whether unknowns of frames take part in motions of the whole."""
        rows = self.numbers[frames]
        takes_part = np.ones(rows.shape, dtype=bool)
        levers = np.abs(gradients[:, rows[:, 3:]]).max(axis=(0, 2), initial=0.0)
        is_alone = np.bincount(self.labels[frames])[self.labels[frames]] == 1
        for k in np.flatnonzero(is_alone & (levers <= NO_LEVER * self.size)).tolist():
            takes_part[k, 3:] = self._is_coupled(int(frames[k]), mass)
        return takes_part

    def _is_coupled(self, frame: int, mass: Product) -> bool:
        """Whether the mass center of a body that stands alone is not on its frame."""
        if frame not in self.coupled:
            rows = self.numbers[frame]
            own = _pushed(mass, self.n_rows, rows, np.eye(6))
            inertia = np.diag(own)
            most = np.sqrt(inertia[:3, None] * inertia[3:])
            self.coupled[frame] = bool(np.any(np.abs(own[:3, 3:]) > NO_LEVER * most))
        return self.coupled[frame]

    def _symmetry(
        self, frames: IntArray, takes_part: Any, gradients: Array, motion: Motion
    ) -> Symmetry | None:
        """All rigid motions, or translations alone; none where all change gaps."""
        places = motion.poses[frames, :3]
        center = places.mean(axis=0)
        size = float(np.linalg.norm(places - center, axis=1).max(initial=0.0))
        if size == 0.0:
            size = self.size
        rows = self.numbers[frames]
        trial = Symmetry(frames, rows, takes_part, center, size, np.eye(6))
        motions = _local_motions(trial, motion)
        changes = gradients[:, rows[takes_part]] @ motions
        largest = np.linalg.norm(gradients, axis=1).max(initial=0.0)
        if np.abs(changes).max(initial=0.0) <= SYMMETRIC * largest:
            return trial
        _, values, rights = np.linalg.svd(changes[:, :3])
        kept = rights[int(np.sum(values > SYMMETRIC * largest)) :].T
        ways = np.vstack([kept, np.zeros_like(kept)])
        return trial._replace(motions=ways) if kept.size else None

    def kept(self, symmetry: Symmetry, mass: Product, motion: Motion) -> Array:
        """Momentum (n,) of each motion.

        Parameters
        ----------
        symmetry : Symmetry
        mass : callable
            Products of the mass matrix with rows of unknowns (n_rows,).
        motion : Motion
        """
        takes_part = symmetry.takes_part
        velocities = motion.velocities[symmetry.frames][takes_part]
        rows = symmetry.rows[takes_part]
        pushed = _pushed(mass, self.n_rows, rows, velocities)
        return np.asarray(_local_motions(symmetry, motion).T @ pushed)

    def restore(
        self, symmetry: Symmetry, kept: Array, mass: Product, motion: Motion
    ) -> None:
        """Change velocities so that motions have their momenta."""
        takes_part, frames = symmetry.takes_part, symmetry.frames
        velocities = motion.velocities[frames]
        motions = _local_motions(symmetry, motion)
        pushed = _pushed(mass, self.n_rows, symmetry.rows[takes_part], motions)
        missing = kept - pushed.T @ velocities[takes_part]
        change = np.linalg.lstsq(motions.T @ pushed, missing, rcond=None)[0]
        velocities[takes_part] += motions @ change
        motion.velocities[frames] = velocities


def turned_momenta(momenta: Array, before: Array, after: Array) -> Array:
    """Momenta (n, 6) in the axes of frames that turn, and stay as they are in space.

    Parameters
    ----------
    momenta : (n, 6) array
        In the axes of poses ``before`` (n, 7).
    before, after : (n, 7) arrays
    """
    turns = quaternion.multiply(quaternion.conjugate(after[:, 3:]), before[:, 3:])
    turned = quaternion.rotate(turns[:, None], momenta.reshape(-1, 2, 3))
    return np.asarray(turned).reshape(-1, 6)


def _groups(row: IntArray, label: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Numbers of what rows (n,) and labels hang together in, from pairs of both.

    Of labels that no row has a number of their own.
    """
    m = int(label.max()) + 1
    if np.all(label == label[0]):
        alone = np.zeros(n, dtype=np.int64)
        return alone, np.where(np.arange(m) == label[0], 0, -1)
    pairs = np.unique(np.stack([row, label], axis=1), axis=0)
    ends = (pairs[:, 0], n + pairs[:, 1])
    graph = coo_matrix((np.ones(len(pairs)), ends), shape=(n + m, n + m))
    _, group = connected_components(graph, directed=False)
    return group[:n], group[n:]


def _pushed(mass: Product, n_rows: int, rows: IntArray, motions: Array) -> Array:
    """Momenta of some unknowns, of which all that are coupled are given."""
    whole = np.zeros((*motions.shape[1:], n_rows))
    whole[..., rows] = motions.T
    return np.asarray(mass(whole)[..., rows].T)


def _local_motions(symmetry: Symmetry, motion: Motion) -> Array:
    """(n_unknowns, n) motions in the axes of each frame, of what takes part."""
    found = np.empty((int(symmetry.takes_part.sum()), symmetry.motions.shape[1]))
    turns = symmetry.motions[3:] / symmetry.size
    local_motions(
        motion.poses,
        symmetry.frames,
        symmetry.center,
        (np.ascontiguousarray(symmetry.motions[:3]), turns),
        symmetry.takes_part,
        found,
    )
    return found
