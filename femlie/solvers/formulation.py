"""Which coordinates a motion is computed in."""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any

from ..errors import ModelError


class Formulation(Enum):
    """Unknowns of a motion: all frames, or the coordinates of joints along a tree."""

    ABSOLUTE = "absolute"
    TREE = "tree"


ABSOLUTE, TREE = Formulation.ABSOLUTE, Formulation.TREE


def refuse_on_tree(solver: Any, *names: str) -> None:
    """Refuse options of a solver that its formulation would ignore.

    Parameters
    ----------
    solver : dataclass with ``formulation`` and ``cut``
    names : str
        Fields that the tree has no use for.

    Raises
    ------
    ModelError
    """
    if solver.formulation is not TREE:
        if len(solver.cut):
            raise ModelError(
                f"cut is {solver.cut}, which only formulation=fl.TREE uses: leave it "
                "out."
            )
        return
    for field in dataclasses.fields(solver):
        value = getattr(solver, field.name)
        if field.name in names and value != field.default:
            raise ModelError(
                f"{field.name} is {value}, which formulation=fl.TREE does not use: "
                "leave it out, or use formulation=fl.ABSOLUTE."
            )
