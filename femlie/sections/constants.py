"""Area, second moments, torsion constant and shear factors of the known shapes.

All formulas broadcast: dimensions are floats, or (n,) arrays for n sections at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from femlie.sections.base import Array

ZETA_5 = 1.0369277551433699263


class SectionConstants(NamedTuple):
    """Geometry of a section about its centroid; each entry a float or an (n,) array.

    Attributes
    ----------
    area : float
        Area [m^2].
    second_moment_y, second_moment_z : float
        Integral of ``z^2`` (bending about y) and of ``y^2`` (about z) [m^4].
    torsion_constant : float
        Saint-Venant's constant [m^4]: torque per twist and shear modulus.
    shear_factors : (float, float)
        Shear stiffness over shear modulus times area, along y and z [1].
    """

    area: Any
    second_moment_y: Any
    second_moment_z: Any
    torsion_constant: Any
    shear_factors: tuple[Any, Any]


def tube_constants(outer: Any, inner: Any, poisson: float) -> SectionConstants:
    """Circular tube, solid for a zero inner radius (radii [m]).

    References
    ----------
    [Cowper1966], circle and hollow circle.
    """
    area = np.pi * (outer**2 - inner**2)
    second_moment = 0.25 * np.pi * (outer**4 - inner**4)
    ratio = (inner / outer) ** 2
    square = (1.0 + ratio) ** 2
    shear_factor = (
        6.0
        * (1.0 + poisson)
        * square
        / ((7.0 + 6.0 * poisson) * square + (20.0 + 12.0 * poisson) * ratio)
    )
    return SectionConstants(
        area, second_moment, second_moment, 2.0 * second_moment, (shear_factor,) * 2
    )


def rectangle_constants(height: Any, width: Any, poisson: float) -> SectionConstants:
    """Rectangle, height along y and width along z [m].

    References
    ----------
    [Cowper1966], rectangle.
    """
    area = height * width
    shear_factor = _rectangle_shear_factor(poisson)
    return SectionConstants(
        area,
        area * width**2 / 12.0,
        area * height**2 / 12.0,
        rectangle_torsion_constant(height, width),
        (shear_factor, shear_factor),
    )


def _rectangle_shear_factor(poisson: float) -> float:
    return 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson)


def rectangle_torsion_constant(height: Any, width: Any) -> Any:
    """Saint-Venant's torsion constant of a rectangle [m^4], to rounding.

    With ``a >= b`` the sides,
    ``J = a b^3 (1/3 - (b/a) (64/pi^5) sum tanh(n pi a / 2 b) / n^5)``, n odd.

    Notes
    -----
    ``tanh x = 1 - 2 / (1 + exp(2 x))`` splits the sum into ``31/32 zeta(5)`` and one
    that converges like ``exp(-n pi)``: its terms up to n = 11 reach double precision.

    References
    ----------
    [TimoshenkoGoodier1970], section 109.
    """
    long = np.maximum(height, width)
    short = np.minimum(height, width)
    rest: Any = 0.0
    for n in range(1, 13, 2):
        decay = np.exp(-n * np.pi * long / short)
        rest = rest + decay / (1.0 + decay) / n**5
    series = 31.0 / 32.0 * ZETA_5 - 2.0 * rest
    ratio = short / long
    return long * short**3 * (1.0 / 3.0 - ratio * 64.0 / np.pi**5 * series)


def i_constants(
    height: Any, width: Any, web: Any, flange: Any, poisson: float
) -> SectionConstants:
    """Doubly symmetric I without fillets: web along y, flanges along z [m].

    Notes
    -----
    Shear factor along the web: Cowper's for thin walls, between the middle lines of the
    flanges. Along the flanges, where the web carries next to nothing: the factor of a
    rectangle times the flanges' share of the area.

    References
    ----------
    [Cowper1966], thin-walled I-section.
    """
    clear = height - 2.0 * flange
    area = 2.0 * width * flange + clear * web
    second_moment_y = (2.0 * flange * width**3 + clear * web**3) / 12.0
    second_moment_z = (width * height**3 - (width - web) * clear**3) / 12.0
    depth = height - flange
    shear_factors = (
        _i_web_shear_factor(
            2.0 * width * flange / (depth * web), width / depth, poisson
        ),
        _rectangle_shear_factor(poisson) * 2.0 * width * flange / area,
    )
    torsion_constant = i_torsion_constant(height, width, web, flange)
    return SectionConstants(
        area, second_moment_y, second_moment_z, torsion_constant, shear_factors
    )


def _i_web_shear_factor(m: Any, n: Any, poisson: float) -> Any:
    return (10.0 * (1.0 + poisson) * (1.0 + 3.0 * m) ** 2) / (
        (12.0 + 72.0 * m + 150.0 * m**2 + 90.0 * m**3)
        + poisson * (11.0 + 66.0 * m + 135.0 * m**2 + 90.0 * m**3)
        + 30.0 * n**2 * (m + m**2)
        + 5.0 * poisson * n**2 * (8.0 * m + 9.0 * m**2)
    )


def i_torsion_constant(height: Any, width: Any, web: Any, flange: Any) -> Any:
    """Saint-Venant's torsion constant of an I without fillets [m^4].

    Thin rectangles, less the loss at four flange ends, plus the gain at two junctions,
    each given by the circle of diameter ``D`` that fits into it:
    ``J = 2/3 b t^3 + 1/3 (h - 2 t) w^3 - 0.42 t^4 + 2 alpha D^4``.

    Notes
    -----
    A fit, good for a web up to 1.5 times as thick as the flanges: within 1 % of the
    solution of Prandtl's equation for ``h >= 20 t``, within 3 % down to ``h = 8 t``,
    ``b = 4 t``.

    References
    ----------
    [ElDarwishJohnston1965], with the fillet radius zero.
    """
    ratio = web / flange
    alpha = -0.042 + 0.2204 * ratio - 0.0725 * ratio**2
    diameter = flange + web**2 / (4.0 * flange)
    thin = (2.0 * width * flange**3 + (height - 2.0 * flange) * web**3) / 3.0
    return thin - 0.42 * flange**4 + 2.0 * alpha * diameter**4


def circle_loop(radius: float, *, reverse: bool = False) -> Array:
    """Closed polygon (49, 2) on a circle."""
    angles = np.linspace(0.0, 2.0 * np.pi, 49)
    loop = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    loop[-1] = loop[0]
    return loop[::-1] if reverse else loop
