"""Multipliers: which belong to which element, and what each of them holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..elements import _joint_rows as joint_rows
from ..elements.base import Block, IntArray
from ..elements.joint_row import (
    RowAction,
    RowKind,
)
from ..system import ANGLE_ROW, PLACE_ROW

ANGLE_KINDS = (RowKind.DIRECTION, RowKind.TURN, RowKind.ANGLE)


def number_multipliers(blocks: Iterable[Block]) -> tuple[list[Block], IntArray]:
    """Blocks whose joints know their multipliers, and the kind of each multiplier."""
    numbered = []
    kinds: list[int] = []
    for block in blocks:
        if block.n_multipliers == 0:
            numbered.append(block)
            continue
        codes = block.codes.copy()
        codes[:, joint_rows.FIRST_MULTIPLIER] += len(kinds)
        if block.kind == "joint":
            kinds += _kinds_of_held_rows(codes)
        else:
            kinds += [PLACE_ROW] * (block.n_elements * block.n_multipliers)
        numbered.append(replace(block, codes=codes))
    return numbered, np.array(kinds, dtype=np.int64)


def _kinds_of_held_rows(codes: IntArray) -> list[int]:
    rows = codes[:, joint_rows.ROW_CODES :].reshape(-1, joint_rows.N_ROW_CODES)
    held = rows[rows[:, joint_rows.ACTION] == RowAction.HOLD]
    is_angle = np.isin(held[:, joint_rows.KIND], ANGLE_KINDS)
    return [int(kind) for kind in np.where(is_angle, ANGLE_ROW, PLACE_ROW)]
