"""What has been built of a model so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.base import Array, Block, IntArray
from ..elements.spread import SpreadLoads
from ..system import Glyph
from .beams import BeamElements
from .bodies import RigidBody
from .modal_bodies import ModalDraft
from .places import Places
from .signals import SignalTable


@dataclass
class Draft:
    """What has been built so far."""

    places: Places
    beams: dict[str, BeamElements]
    bodies: dict[str, RigidBody]
    modal: dict[str, ModalDraft] = field(default_factory=dict)
    signals: SignalTable = field(default_factory=SignalTable)
    blocks: list[Block] = field(default_factory=list)
    glyphs: list[Glyph] = field(default_factory=list)
    locked: dict[str, IntArray] = field(default_factory=dict)
    support_points: dict[str, Array] = field(default_factory=dict)
    joint_rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    masses: dict[str, Any] = field(default_factory=dict)
    folder: Path | None = None  # where files named by parts lie
    numbers: IntArray = field(default_factory=lambda: np.zeros((0, 6), np.int64))
    # frames whose rotation is locked because they carry a point mass alone
    particles: set[int] = field(default_factory=set)
    # loads along beams, whose block is the first one
    spread: SpreadLoads | None = None
    # parts and elements of joints with hard stops
    stopped: list[Any] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    beam_offsets: Array = field(default_factory=lambda: np.zeros((0, 2, 7)))

    def own_poses(self, nodes: IntArray) -> Array:
        """(n, 4, 4) frames of nodes at the start: bodies with their own axes.

        Those of other nodes are world axes.
        """
        places = self.places
        turns = np.tile(np.eye(3), (len(places.positions), 1, 1))
        for name, body in self.bodies.items():
            turns[places.body_nodes[name]] = body.frame[:3, :3]
        poses = places.node_poses(nodes)
        poses[:, :3, :3] = turns[nodes]
        return poses

    def owner_of(self, beam: str) -> ModalDraft | None:
        """Modal body that a beam is part of."""
        owners = [b for b in self.modal.values() if beam in b.part.beams]
        return owners[0] if owners else None

    def ends_of(self, beam: str) -> IntArray:
        """(2 n,) ends of a beam's elements, numbered as in `SpreadLoads`."""
        names = list(self.beams)
        before = (self.beams[name] for name in names[: names.index(beam)])
        start = 2 * sum(len(one.lengths) for one in before)
        return start + np.arange(2 * len(self.beams[beam].lengths))
