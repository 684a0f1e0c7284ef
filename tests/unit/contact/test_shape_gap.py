"""Gap on rigid shapes: exact tangent, invariance, balance, bracket."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.contact import _layout as layout
from femlie.contact import _shapes as kinds
from tests.block_case import slopes
from tests.contact_pair import (
    N_ROWS,
    Pair,
    check_balance,
    check_brackets,
    check_rigid_motion,
)
from tests.shape_pair import RADIUS, on_shape

INF = float("inf")
LINE, POINT, SPHERE, EDGE = layout.LINE, layout.POINT, layout.SPHERE, layout.EDGE
NEAR = RADIUS - 0.01
CUBE = fl.box((1.0, 0.8, 0.6), density=1.0).surface
# form, kind, dimensions, place of the middle of the segment
CASES: dict[str, tuple[Any, ...]] = {
    "line on a plane": (LINE, kinds.PLANE, (0.0, 0.0, 0.0), (0.3, 0.2, NEAR)),
    "sphere on a plane": (SPHERE, kinds.PLANE, (0.0, 0.0, 0.0), (0.3, 0.2, NEAR)),
    "line on a ball": (LINE, kinds.BALL, (2.0, 0.0, 0.0), (0.1, 0.2, 2.0)),
    "point on a ball": (POINT, kinds.BALL, (0.4, 0.0, 0.0), (0.1, 0.05, 0.4 + NEAR)),
    "sphere in a ball": (SPHERE, kinds.HOLLOW, (1.5, 0.0, 0.0), (1.3, 0.9, 0.5)),
    "line round a drum": (LINE, kinds.CYLINDER, (1.0, INF, 0.0), (0.0, 1.05, 0.2)),
    "point on a drum": (
        POINT, kinds.CYLINDER, (0.3, 0.5, 0.0), (0.05, 0.3 + NEAR, 0.1),
    ),
    "point on the rim of a drum": (
        POINT, kinds.CYLINDER, (0.3, 0.5, 0.0), (0.05, 0.34, 0.53),
    ),
    "line on the end of a drum": (
        LINE, kinds.CYLINDER, (2.0, 0.5, 0.0), (0.1, 0.2, 0.5 + NEAR),
    ),
    "line in a bore": (LINE, kinds.BORE, (1.0, 1.5, 0.0), (0.0, 0.93, 0.2)),
    "point on the lip of a bore": (
        POINT, kinds.BORE, (0.6, 0.5, 0.0), (0.02, 0.56, 0.54),
    ),
    "line on a capsule": (LINE, kinds.CAPSULE, (1.0, 0.6, 0.0), (0.0, 1.05, 0.2)),
    "point on the cap of a capsule": (
        POINT, kinds.CAPSULE, (0.3, 0.4, 0.0), (0.02, 0.05, 0.7 + NEAR),
    ),
    "line on a box": (LINE, kinds.BOX, (0.8, 0.6, 0.4), (0.1, 0.05, 0.4 + NEAR)),
    "point on the edge of a box": (
        POINT, kinds.BOX, (0.5, 0.4, 0.3), (0.03, 0.44, 0.33),
    ),
    "sphere at the corner of a box": (
        SPHERE, kinds.BOX, (0.5, 0.4, 0.3), (0.84, 0.43, 0.33),
    ),
    "edge on a ball": (EDGE, kinds.BALL, (0.4, 0.0, 0.0), (0.1, 0.05, 0.4 + NEAR)),
    "point on the edge of triangles": (
        POINT, kinds.TRIANGLES, (0.0, 0.0, 0.0), (0.03, 0.44, 0.33),
    ),
    "sphere at a corner of triangles": (
        SPHERE, kinds.TRIANGLES, (0.0, 0.0, 0.0), (0.84, 0.43, 0.33),
    ),
    "line on triangles": (
        LINE, kinds.TRIANGLES, (0.0, 0.0, 0.0), (0.05, 0.05, 0.3 + NEAR),
    ),
}  # fmt: skip
# turns of the segment, in which its sections are not along the first axis
TURNS = {
    "point on the rim of a drum": (0.0, 0.8, 0.0),
    "point on the lip of a bore": (0.0, 0.8, 0.0),
    "point on the edge of a box": (0.0, 0.8, 0.9),
    "point on the edge of triangles": (0.0, 0.8, 0.9),
}
OTHERS = {"line on a box": 0.02, "line on triangles": 0.02}


def case_of(name: str, **settings: Any) -> Pair:
    form, kind, dimensions, place = CASES[name]
    surface = CUBE if kind == kinds.TRIANGLES else None
    settings = {"turn": TURNS.get(name, (0.0, 0.0, 0.0)), **settings}
    if name in OTHERS:
        settings["bend"] = OTHERS[name]
    return on_shape(form, kind, dimensions, place, surface=surface, **settings)


@pytest.fixture(params=CASES, name="case")
def case_fixture(request: Any) -> Pair:
    return case_of(request.param)


def test_every_case_is_in_contact(case: Pair) -> None:
    assert np.abs(case.evaluate()[0][:24]).max() > 0.1


def test_tangent_is_the_derivative_of_the_residual(case: Pair) -> None:
    expected = slopes(lambda x: case.displaced(x).evaluate()[0], N_ROWS)
    # both frames of the shape are one
    expected[:, 18:24] = 0.0
    given = case.evaluate(1.0)[1]
    np.testing.assert_allclose(given, expected, rtol=0, atol=1e-7 * abs(given).max())


@pytest.mark.parametrize("name", ["line round a drum", "point on the edge of a box"])
def test_rounds_of_penalty_have_exact_tangents(name: str) -> None:
    case = case_of(name, stage=2.0)
    expected = slopes(lambda x: case.displaced(x).evaluate()[0], N_ROWS)
    expected[:, 18:24] = 0.0
    given = case.evaluate(1.0)[1]
    np.testing.assert_allclose(given, expected, rtol=0, atol=1e-7 * abs(given).max())


def test_rigid_motion_of_the_whole_changes_nothing(case: Pair) -> None:
    check_rigid_motion(case)


def test_action_equals_reaction(case: Pair) -> None:
    check_balance(case)


def test_asymmetry_is_the_bracket_of_local_motions(case: Pair) -> None:
    check_brackets(case)


def test_integral_is_cut_beyond_a_sharp_edge() -> None:
    """A segment that reaches over the edge of a box is looked at on the box only."""
    place = (0.47, 0.0, 0.3 + NEAR)
    case = on_shape(LINE, kinds.BOX, (0.5, 0.4, 0.3), place, bend=0.0)
    rows = case.data.iterates[0, layout.ROW :: layout.POINT_WIDTH][: layout.N_POINTS]
    np.testing.assert_array_equal(rows >= 0.0, [True, True, False])


def test_edge_that_touches_with_its_end_bears_nothing() -> None:
    """Its end is a corner of the body, which bears."""
    case = on_shape(EDGE, kinds.BALL, (0.4, 0.0, 0.0), (0.4, 0.0, 0.38))
    assert np.abs(case.evaluate()[0][:24]).max() == 0.0
