"""Shift of the diagonal that carries the static solver over unstable states."""

from __future__ import annotations

import numpy as np

from ..assembly import Assembly
from ..elements.base import Array


def load_shift(assembly: Assembly) -> Array:
    """(n_rows,) diagonal of the shift for a load of one force unit.

    ``4/l share`` on translations and ``4 l share^2`` on rotations, l the model's size
    and share the part of the total beam length that a frame carries.
    """
    system = assembly.system
    numbers = system.dofs.numbers
    n_frames = numbers.shape[0]
    beams = system.catalog.beams
    # beams inside modal bodies have ends without a frame of their own
    ends = np.minimum(beams.frames.reshape(-1), n_frames)
    share = np.zeros(n_frames + 1)
    np.add.at(share, ends, np.repeat(0.5 * beams.lengths, 2))
    share = share[:n_frames]
    total = share.sum()
    share = share / total if total > 0.0 else share
    share[share == 0.0] = 1.0 / max(n_frames - 1, 1)
    shift = np.zeros(system.dofs.n_rows)
    for columns, factor in (
        (slice(0, 3), 4.0 / system.size * share),
        (slice(3, 6), 4.0 * system.size * share**2),
    ):
        rows = numbers[:, columns]
        values = np.broadcast_to(factor[:, None], rows.shape)
        shift[rows[rows >= 0]] = values[rows >= 0]
    return shift
