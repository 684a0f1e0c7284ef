"""Sparse linear equations: analyze once, refactor and solve many times."""

from .analysis import Frames, analyze, analyze_in_order, looks_woven, regularize
from .cholmod import cholmod_for
from .complementarity import solve_complementarity
from .cones import solve_friction
from .factorization import (
    NEEDS_NEW_PIVOTS,
    OUTSIDE,
    SINGULAR,
    SOLVED,
    Factorization,
    placeholder,
    refactor,
    solve,
)
from .fronts import describe, is_symmetric_and_unsound, predicted_work
from .frozen import is_frozen, let_jump
from .modes import lowest_modes
from .ordering import equilibrate
from .outside import Outside
from .signs import inertia, is_surely_positive, null_vector
from .threads import calm

__all__ = [
    "NEEDS_NEW_PIVOTS",
    "OUTSIDE",
    "SINGULAR",
    "SOLVED",
    "Factorization",
    "Frames",
    "Outside",
    "analyze",
    "analyze_in_order",
    "calm",
    "cholmod_for",
    "describe",
    "equilibrate",
    "inertia",
    "is_frozen",
    "is_surely_positive",
    "is_symmetric_and_unsound",
    "let_jump",
    "looks_woven",
    "lowest_modes",
    "null_vector",
    "placeholder",
    "predicted_work",
    "refactor",
    "regularize",
    "solve",
    "solve_complementarity",
    "solve_friction",
]
