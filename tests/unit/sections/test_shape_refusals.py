"""Shapes that cannot be: each refusal names the number and its value."""

from __future__ import annotations

import math

import numpy as np
import pytest

from femlie.errors import ModelError
from femlie.sections import (
    CircularSection,
    ISection,
    Material,
    RectangularSection,
    TubeSection,
)

STEEL = Material(young=210e9, poisson=0.3, density=7850.0)

SKEW = np.eye(6)
SKEW[0, 1] = 0.5
I_SIZES = {
    "height": 0.4,
    "width": 0.2,
    "web_thickness": 0.01,
    "flange_thickness": 0.02,
}


@pytest.mark.parametrize(
    ("kind", "numbers", "words"),
    [
        (CircularSection, {"radius": -0.1}, ("radius is -0.1", "positive")),
        (CircularSection, {"radius": 0.0}, ("radius is 0.0", "positive")),
        (CircularSection, {"radius": math.nan}, ("radius is nan", "positive")),
        (CircularSection, {"radius": "5 mm"}, ("radius is '5 mm'", "positive")),
        (
            CircularSection,
            {"radius": 1.0, "material": "steel"},
            ("'steel'", "Material"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "offset": (1.0,)},
            ("offset is (1.0,)", "two"),
        ),
        (CircularSection, {"radius": 1.0, "offset": 0.1}, ("offset is 0.1", "(y, z)")),
        (
            CircularSection,
            {"radius": 1.0, "offset": (0.0, math.inf)},
            ("offset is (0.0, inf)", "finite"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "shear_factors": (0.9, -0.8)},
            ("shear_factors is (0.9, -0.8)", "positive"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "torsion_constant": 0.0},
            ("torsion_constant is 0.0", "positive"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "damping_time": -1e-3},
            ("damping_time is -0.001", "not negative"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "damping_time": 0.5, "damping": np.eye(6)},
            ("damping_time = 0.5", "one of them"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "damping": np.eye(3)},
            ("damping has the shape (3, 3)", "(6, 6)"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "damping": SKEW},
            ("damping is not symmetric", "row 1, column 2 is 0.5"),
        ),
        (
            CircularSection,
            {"radius": 1.0, "damping": -np.eye(6)},
            ("damping is not positive semidefinite", "-1"),
        ),
        (
            TubeSection,
            {"outer_radius": 0.2, "inner_radius": 0.2},
            ("inner_radius is 0.2", "outer_radius 0.2", "smaller"),
        ),
        (
            TubeSection,
            {"outer_radius": 0.2, "inner_radius": -0.1},
            ("inner_radius is -0.1", "not negative"),
        ),
        (
            TubeSection,
            {"outer_radius": -0.2, "inner_radius": 0.1},
            ("outer_radius is -0.2", "positive"),
        ),
        (RectangularSection, {"height": 0.0, "width": 1.0}, ("height is 0.0",)),
        (RectangularSection, {"height": 1.0, "width": -2.0}, ("width is -2.0",)),
        (ISection, I_SIZES | {"height": -1.0}, ("height is -1.0",)),
        (ISection, I_SIZES | {"width": 0}, ("width is 0,",)),
        (ISection, I_SIZES | {"web_thickness": None}, ("web_thickness is None",)),
        (ISection, I_SIZES | {"flange_thickness": True}, ("flange_thickness is True",)),
        (
            ISection,
            I_SIZES | {"web_thickness": 0.25},
            ("web_thickness is 0.25", "width 0.2", "thinner"),
        ),
        (
            ISection,
            I_SIZES | {"flange_thickness": 0.2},
            ("flange_thickness is 0.2", "height 0.4", "room for a web"),
        ),
        (
            ISection,
            I_SIZES | {"web_thickness": 0.05},
            ("web_thickness is 0.05", "up to 0.03", "give torsion_constant"),
        ),
    ],
)
def test_refusals_name_the_number_and_its_value(kind, numbers, words):
    with pytest.raises(ModelError) as refusal:
        kind(**({"material": STEEL} | numbers))
    message = str(refusal.value)
    for word in (kind.__name__, *words):
        assert word in message
