"""Runge-Kutta methods as tables of numbers, checked against their order conditions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cache

import numpy as np

from ..elements.base import Array
from ..errors import ModelError
from ..fields import check_fields

# a tree is the sorted tuple of its branches; a single node is ()
Tree = tuple["Tree", ...]
# deviation from an order condition that rounding of the numbers explains
ORDER_TOLERANCE = 1e-12
HIGHEST_ORDER = 10


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method.

    Attributes
    ----------
    stages : tuple of tuples of float
        Row i holds the i weights of the slopes before stage i; the first is empty.
    weights : tuple of float
        Weights of the step.
    order : int
    embedded : tuple of float or None
        Weights of a second step, for the error; may have one more, for the slope at
        the end of the step.
    embedded_order : int

    Raises
    ------
    ModelError
        Shapes that do not fit, or an order condition that does not hold.

    References
    ----------
    Butcher 2008, chapter 3 (trees and order conditions).
    """

    stages: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    order: int
    embedded: tuple[float, ...] | None = None
    embedded_order: int = 0

    def __post_init__(self) -> None:
        check_fields(self, "the tableau")
        n = len(self.stages)
        lengths = [len(row) for row in self.stages]
        if lengths != list(range(n)) or len(self.weights) != n or n == 0:
            raise ModelError(
                f"The tableau has stages with {lengths} weights and "
                f"{len(self.weights)} weights of the step: expected rows of 0, 1, 2, "
                "... weights for an explicit method, and one weight of the step for "
                "each stage."
            )
        check_order(self.matrix, np.array(self.weights, float), self.order, "weights")
        if self.embedded is None:
            return
        if len(self.embedded) not in (n, n + 1):
            raise ModelError(
                f"The tableau has {len(self.embedded)} embedded weights: expected {n}, "
                f"or {n + 1} with one for the slope at the end of the step."
            )
        extended = np.zeros((n + 1, n + 1))
        extended[:n, :n] = self.matrix
        extended[n, :n] = self.weights
        embedded = np.zeros(n + 1)
        embedded[: len(self.embedded)] = self.embedded
        check_order(extended, embedded, self.embedded_order, "embedded weights")

    @property
    def matrix(self) -> Array:
        """(n, n) array of the weights of the stages."""
        n = len(self.stages)
        matrix = np.zeros((n, n))
        for i, row in enumerate(self.stages):
            matrix[i, :i] = row
        return matrix

    @property
    def rows(self) -> Array:
        """(n + 1, n) array: the stages, and the step as the last row."""
        return np.vstack([self.matrix, self.weights])

    @property
    def error_weights(self) -> Array:
        """(n + 1,) array: what the embedded step differs by, per slope."""
        n = len(self.stages)
        difference = np.zeros(n + 1)
        if self.embedded is not None:
            difference[:n] = self.weights
            difference[: len(self.embedded)] -= self.embedded
        return difference

    def growth(self, exponent: complex) -> float:
        """Factor on a mode ``exp(exponent)`` in one step: ``|R(z)|``."""
        n = len(self.stages)
        ones = np.ones(n)
        inner = np.linalg.solve(np.eye(n) - exponent * self.matrix, ones)
        return float(abs(1.0 + exponent * np.array(self.weights) @ inner))


def check_order(matrix: Array, weights: Array, order: int, what: str) -> None:
    """Refuse weights that break an order condition, and say by how much.

    Raises
    ------
    ModelError
    """
    if not 1 <= order <= HIGHEST_ORDER:
        raise ModelError(
            f"The order of the tableau's {what} is {order}: expected 1 to "
            f"{HIGHEST_ORDER}."
        )
    for size in range(1, order + 1):
        for tree in trees(size):
            found = float(weights @ stage_weight(tree, matrix))
            expected = 1.0 / density(tree)
            if abs(found - expected) > ORDER_TOLERANCE * max(
                1.0, float(np.abs(weights).sum())
            ):
                raise ModelError(
                    f"The tableau's {what} break a condition of order {size}: the "
                    f"sum over the tree {_picture(tree)} is {found:.15g}, expected "
                    f"{expected:.15g} (1/{density(tree)}). Correct the numbers, or "
                    f"say order = {size - 1}."
                )


@cache
def trees(size: int) -> tuple[Tree, ...]:
    """All rooted trees of a number of nodes."""
    if size == 1:
        return ((),)
    found = {tuple(sorted(branches)) for branches in _forests(size - 1, size - 1)}
    return tuple(sorted(found, key=lambda tree: (len(tree), tree)))


def _forests(size: int, largest: int) -> Iterator[Tree]:
    """Collections of trees with ``size`` nodes in all, the largest tree first."""
    if size == 0:
        yield ()
        return
    for n in range(min(size, largest), 0, -1):
        for tree in trees(n):
            for rest in _forests(size - n, n):
                yield (tree, *rest)


def n_nodes(tree: Tree) -> int:
    """Number of nodes of a tree."""
    return 1 + sum(n_nodes(branch) for branch in tree)


def density(tree: Tree) -> int:
    """Product of the numbers of nodes of all subtrees."""
    return n_nodes(tree) * math.prod(density(branch) for branch in tree)


def stage_weight(tree: Tree, matrix: Array) -> Array:
    """(n,) weights of the stages in a tree's condition."""
    product = np.ones(matrix.shape[0])
    for branch in tree:
        product = product * (matrix @ stage_weight(branch, matrix))
    return product


def _picture(tree: Tree) -> str:
    return "[" + "".join(_picture(branch) for branch in tree) + "]"


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(Fraction(word)) for word in text.split())


def _stages(text: str) -> tuple[tuple[float, ...], ...]:
    return ((), *(_numbers(line) for line in text.strip().splitlines()))


EULER = Tableau(stages=((),), weights=(1.0,), order=1)
HEUN = Tableau(
    stages=((), (1.0,)), weights=(0.5, 0.5), order=2, embedded=(1.0, 0.0),
    embedded_order=1,
)  # fmt: skip
# the classical method
RUNGE_KUTTA_4 = Tableau(
    stages=_stages("1/2 \n 0 1/2 \n 0 0 1"),
    weights=_numbers("1/6 1/3 1/3 1/6"),
    order=4,
)
# Dormand and Prince 1980: order 5, with one of order 4 for the error
DORMAND_PRINCE = Tableau(
    stages=_stages("""
        1/5
        3/40 9/40
        44/45 -56/15 32/9
        19372/6561 -25360/2187 64448/6561 -212/729
        9017/3168 -355/33 46732/5247 49/176 -5103/18656
    """),
    weights=_numbers("35/384 0 500/1113 125/192 -2187/6784 11/84"),
    order=5,
    embedded=_numbers("5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40"),
    embedded_order=4,
)
# Fehlberg 1968: order 8, with one of order 7 for the error
FEHLBERG_8 = Tableau(
    stages=_stages("""
        2/27
        1/36 1/12
        1/24 0 1/8
        5/12 0 -25/16 25/16
        1/20 0 0 1/4 1/5
        -25/108 0 0 125/108 -65/27 125/54
        31/300 0 0 0 61/225 -2/9 13/900
        2 0 0 -53/6 704/45 -107/9 67/90 3
        -91/108 0 0 23/108 -976/135 311/54 -19/60 17/6 -1/12
        2383/4100 0 0 -341/164 4496/1025 -301/82 2133/4100 45/82 45/164 18/41
        3/205 0 0 0 0 -6/41 -3/205 -3/41 3/41 6/41 0
        -1777/4100 0 0 -341/164 4496/1025 -289/82 2193/4100 51/82 33/164 12/41 0 1
    """),
    weights=_numbers("0 0 0 0 0 34/105 9/35 9/35 9/280 9/280 0 41/840 41/840"),
    order=8,
    embedded=_numbers("41/840 0 0 0 0 34/105 9/35 9/35 9/280 9/280 41/840 0 0"),
    embedded_order=7,
)


class RungeKutta(Enum):
    """Explicit Runge-Kutta methods that femlie knows by name."""

    EULER = "euler"
    HEUN = "heun"
    RUNGE_KUTTA_4 = "runge_kutta_4"
    DORMAND_PRINCE = "dormand_prince"
    FEHLBERG_8 = "fehlberg_8"

    @property
    def tableau(self) -> Tableau:
        """Its numbers."""
        return _KNOWN[self]


_KNOWN = {
    RungeKutta.EULER: EULER,
    RungeKutta.HEUN: HEUN,
    RungeKutta.RUNGE_KUTTA_4: RUNGE_KUTTA_4,
    RungeKutta.DORMAND_PRINCE: DORMAND_PRINCE,
    RungeKutta.FEHLBERG_8: FEHLBERG_8,
}
