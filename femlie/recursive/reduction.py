"""The model without what the tree's joints hold: what is left for the blocks to say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import Any

import numpy as np

from ..elements import _joint_rows as layout
from ..elements.base import Block, IntArray
from ..elements.joint import (
    JointElement,
    joint_blocks,
)
from ..elements.joint_motion import has_law, laws_only, selected
from ..elements.joint_row import (
    Row,
    RowAction,
    RowKind,
)
from ..system import PLACE_ROW, DofMap, System
from .edges import Edge
from .structure import Structure

HOLD = RowAction.HOLD


class Part(Enum):
    """What the reduced system keeps of a block."""

    WHOLE = auto()
    ELEMENTS = auto()
    LAWS = auto()


def reduced_system(system: System, structure: Structure) -> System:
    """System of all frames without the rows that branches of the tree hold.

    Parameters
    ----------
    system : System
    structure : Structure

    Returns
    -------
    System
        Frames have all six unknowns, but those that the ground holds completely. Laws
        of the tree's joints stay, and so do constraints that close loops; supports
        that close loops become rows.
    """
    blocks = _blocks(system, structure)
    free = ~np.all(system.dofs.numbers < 0, axis=1)
    numbers = np.full_like(system.dofs.numbers, -1)
    n_rows = 6 * int(free.sum())
    numbers[free] = np.arange(n_rows).reshape(-1, 6)
    numbered, n_multipliers = _numbered(blocks)
    state = replace(
        system.state,
        multipliers=np.zeros(n_multipliers),
        history=tuple(
            np.zeros((b.n_elements, b.n_history))
            if b.initial_history is None
            else b.initial_history.copy()
            for b in numbered
        ),
    )
    return replace(
        system,
        state=state,
        blocks=tuple(numbered),
        # what is observed by name is that of the whole model
        spread=None,
        dofs=DofMap(
            numbers, n_rows, n_multipliers, np.full(n_multipliers, PLACE_ROW, np.int64)
        ),
    )


def _blocks(system: System, structure: Structure) -> list[Block]:
    blocks = []
    for block, part, elements in _parts(system, structure):
        if part is Part.WHOLE:
            # what looks at the whole model keeps doing so
            blocks.append(replace(block, bind=None))
        elif part is Part.LAWS:
            blocks.append(laws_only(block, elements))
        else:
            blocks.append(selected(block, elements))
    return blocks + _lock_blocks(structure)


def _parts(system: System, structure: Structure) -> Iterator[tuple[Block, Part, Any]]:
    """What the reduced system keeps of each block, and of which elements."""
    in_tree = {edge.element for edge in structure.edges}
    for b, block in enumerate(system.blocks):
        if block.kind != "joint" or block.n_multipliers == 0:
            yield block, Part.WHOLE, range(block.n_elements)
            continue
        kept = [k for k in range(block.n_elements) if (b, k) not in in_tree]
        laws = np.flatnonzero(has_law(block)).tolist()
        laws = [k for k in laws if (b, k) in in_tree]
        if kept:
            yield block, Part.ELEMENTS, kept
        if laws:
            yield block, Part.LAWS, laws


def _lock_blocks(structure: Structure) -> list[Block]:
    return joint_blocks([_lock_element(edge) for edge in structure.cut_locks])


def history_places(system: System, structure: Structure) -> IntArray:
    """Place in the model's history of each number in that of the reduced system.

    Parameters
    ----------
    system : System
    structure : Structure

    Returns
    -------
    (n_history,) int array
        -1 for supports.
    """
    sizes = [block.n_elements * block.n_history for block in system.blocks]
    starts = np.append(0, np.cumsum(sizes))
    first = {id(b): int(s) for b, s in zip(system.blocks, starts[:-1], strict=True)}
    places = [
        first[id(block)] + block.n_history * k + column
        for block, _, elements in _parts(system, structure)
        for k in elements
        for column in range(block.n_history)
    ]
    n_locks = sum(b.n_elements * b.n_history for b in _lock_blocks(structure))
    return np.array(places + [-1] * n_locks, dtype=np.int64)


def _numbered(blocks: Iterable[Block]) -> tuple[list[Block], int]:
    """Blocks whose joints know their multipliers, and how many there are."""
    numbered = []
    n = 0
    for block in blocks:
        own = block.n_elements * block.n_multipliers
        if own and block.kind == "joint":
            codes = block.codes.copy()
            first = block.n_multipliers * np.arange(block.n_elements)
            codes[:, layout.FIRST_MULTIPLIER] = n + first
            numbered.append(replace(block, codes=codes))
        elif own:
            codes = block.codes + n - block.codes[0, 0]
            numbered.append(replace(block, codes=codes))
        else:
            numbered.append(block)
        n += own
    return numbered, n


def _lock_element(edge: Edge) -> JointElement:
    """Locked directions of a frame as rows: a support that closes a loop."""
    held = ~np.isin(np.arange(6), edge.directions)
    rows = [Row(RowKind.COMPONENT, i, action=HOLD) for i in range(3) if held[i]]
    turns = np.flatnonzero(held[3:]).tolist()
    if len(turns) == 3:
        rows += [Row(RowKind.TURN, i, action=HOLD) for i in turns]
    elif len(turns) == 2:
        free = int(np.flatnonzero(~held[3:])[0])
        rows += [Row(RowKind.DIRECTION, i, free, action=HOLD) for i in turns]
    return JointElement(
        edge.name, 0, edge.child, edge.parent_offset, edge.child_offset, tuple(rows)
    )


def multiplier_places(system: System, structure: Structure) -> IntArray:
    """Number in the model of each multiplier of the reduced system, -1 for supports.

    Parameters
    ----------
    system : System
    structure : Structure

    Returns
    -------
    (n_multipliers,) int array
    """
    in_tree = {edge.element for edge in structure.edges}
    places: list[int] = []
    first = 0
    for b, block in enumerate(system.blocks):
        m = block.n_multipliers
        for k in range(block.n_elements if m else 0):
            if (b, k) not in in_tree:
                places += range(first + m * k, first + m * (k + 1))
        first += block.n_elements * m
    for edge in structure.cut_locks:
        places += [-1] * (6 - len(edge.directions))
    return np.array(places, dtype=np.int64)
