"""Cantilever rolled up by a moment at its tip.

Closed form: a moment M fixed in space bends a rod of length L into a circular arc of
the angle M L/EI, at every load. The two-node SE(3) element holds constant curvature
exactly, so every mesh must give the arc; tolerances only leave room for rounding and
for the solver's own tolerance of 1e-10. Iterations: Magisano, Leonetti and Garcea 2017
found that with the stress as an iterate such problems need a single load step.
"""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from tests.validation.models import cantilever, effort, end, line, push, section, solve

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
BENDING = 210e9 * np.pi * 0.01**4 / 4.0


def roll_up(n_elements: int, turns: float) -> fl.Model:
    """Steel rod, length 1, radius 10 mm."""
    rod = cantilever(
        line((0, 0, 0), (1, 0, 0), n_elements),
        fl.CircularSection(radius=0.01, material=STEEL),
    )
    return push(rod, moment=(0, 0, 2.0 * np.pi * turns * BENDING))


def arc(angle: float, fraction: float = 1.0) -> np.ndarray:
    """Place at a fraction of a rod of length 1 that turns by ``angle`` in all."""
    turned = angle * fraction
    return np.array([np.sin(turned), 1.0 - np.cos(turned), 0.0]) / angle


CIRCLES = [(1, n) for n in (4, 10, 100, 1000)] + [(2, n) for n in (10, 20, 100)]
CIRCLES_AND_SLOW = [*CIRCLES, pytest.param(2, 1000, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("turns", "n_elements"), CIRCLES_AND_SLOW)
def test_full_circles_take_one_load_step_and_at_most_four_iterations(turns, n_elements):
    results = solve(roll_up(n_elements, turns))
    assert effort(results)[0] == 1
    assert results.summary["iterations_by_step"][0] <= 4


@pytest.mark.parametrize(("turns", "n_elements"), CIRCLES_AND_SLOW)
def test_rolled_up_beam_closes_on_itself(turns, n_elements):
    results = solve(roll_up(n_elements, turns))
    angle = 2.0 * np.pi * turns
    np.testing.assert_allclose(end(results), arc(angle), atol=1e-8)
    np.testing.assert_allclose(end(results, "middle"), arc(angle, 0.5), atol=1e-8)


def test_a_rolled_up_beam_is_not_called_unstable():
    # a moment fixed in space has no potential: signs of the tangent mean nothing
    assert solve(roll_up(10, 1)).warnings == ()


@pytest.mark.parametrize("n_elements", [1, 2, 4, 32])
def test_one_element_bends_exactly_by_thirty_degrees(n_elements):
    # Bosten, Cosimo, Linn and Bruels, slides: M = EI pi/(6 L)
    results = solve(roll_up(n_elements, 1.0 / 12.0))
    place = [0.954929658551372, 0.255872630837368, 0.0]
    # one element to its rounding; the chain of n adds up n roundings of its places
    np.testing.assert_allclose(end(results), place, atol=1e-12 * n_elements)
    turned = results.rotations("tip", as_vector=True)[-1]
    np.testing.assert_allclose(turned, [0, 0, np.pi / 6.0], atol=1e-12 * n_elements)


# fault F01: rod of length 10 with EI = 100
@pytest.mark.parametrize("multiple", [1, 2, 0.5])
def test_tip_rotation_is_linear_in_the_moment(multiple):
    moment = 12.566371 * multiple
    rod = cantilever(line((0, 0, 0), (10, 0, 0), 10), section(1e4, 1e4, 1e2, 1e2))
    results = solve(push(rod, moment=(0, 0, moment)))
    angle = moment * 10.0 / 100.0
    turned = results.rotations("tip", as_vector=True)[-1]
    np.testing.assert_allclose(turned, [0, 0, angle], atol=1e-10)
    np.testing.assert_allclose(end(results), 10.0 * arc(angle), atol=1e-9)


def test_published_tip_of_the_first_moment_is_met():
    rod = cantilever(line((0, 0, 0), (10, 0, 0), 10), section(1e4, 1e4, 1e2, 1e2))
    results = solve(push(rod, moment=(0, 0, 12.566371)))
    # printed with six digits
    np.testing.assert_allclose(end(results), [7.56826, 5.49868, 0.0], atol=1.5e-5)


# fault F02: the same rod, one and two turns, 10 and 20 elements
@pytest.mark.parametrize("moment", [62.831853, 125.66371])
@pytest.mark.parametrize("n_elements", [10, 20])
def test_turned_rod_has_the_same_moment_everywhere(moment, n_elements):
    # with the section's axes along the world's, the moment is Mz
    rod = cantilever(
        line((0, 0, 0), (10, 0, 0), n_elements),
        section(1e4, 1e4, 1e2, 1e2),
        orientation=(0, 1, 0),
    )
    results = solve(push(rod, moment=(0, 0, moment)))
    forces = results.section_forces("rod", at="middle")[-1]
    expected = np.tile([0, 0, 0, 0, 0, moment], (n_elements, 1))
    np.testing.assert_allclose(forces, expected, atol=1e-7 * moment)
    assert np.linalg.norm(end(results)) < 1e-6
