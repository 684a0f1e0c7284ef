"""Bend of 45 degrees under a force across its plane (Bathe and Bolourchi 1979).

Radius 100, section 1 x 1, E = 1e7. Authors use different constants of torsion and
shear; the converged places below were computed for each by shooting along the arc
length, with an error of about 1e-9 relative. Two-node elements converge with the square
of their length: 0.5 % of the displacement for 8 elements, 0.05 % for 32.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.validation.models import bend_45, effort, end, push, solve

START = np.array([70.71067811865476, 29.28932188134524, 0.0])
# EA, GA, GJ, EI; places at 300, 450, 600
ROWS = {
    "Saint-Venant": (
        (1e7, 5e6, 5e6 * 0.141, 1e7 / 12.0),
        (58.5405134, 22.1152402, 40.4747949),
        (51.9747625, 18.3720430, 48.7009672),
        (46.8967696, 15.5603254, 53.6048585),
    ),
    "shear factor 5/6": (
        (1e7, 5e6 * 5.0 / 6.0, 5e6 * 0.1405770146, 1e7 / 12.0),
        (58.5357092, 22.1125138, 40.4807574),
        (51.9694246, 18.3691630, 48.7053489),
        (46.8915864, 15.5576762, 53.6079863),
    ),
    "rounded": (
        (1e7, 4.16667e6, 8.333e5, 8.333e5),
        (58.7783139, 22.2443415, 40.1932664),
        (52.2375693, 18.5076751, 48.5042421),
        (47.1493813, 15.6842989, 53.4761081),
    ),
    "polar": (
        (1e7, 5e6, 5e6 / 6.0, 1e7 / 12.0),
        (58.7791225, 22.2447809, 40.1918917),
        (52.2385580, 18.5081789, 48.5029273),
        (47.1504386, 15.6848005, 53.4748588),
    ),
}
LOADS = (300.0, 450.0, 600.0)


def bent(name: str, load: float, n_elements: int, **options):
    return solve(
        push(bend_45(n_elements, ROWS[name][0]), force=(0, 0, load)), **options
    )


def error(place, name: str, load: float) -> float:
    expected = np.array(ROWS[name][1 + LOADS.index(load)])
    return float(np.linalg.norm(place - expected) / np.linalg.norm(expected - START))


@pytest.mark.parametrize(("n_elements", "allowed"), [(8, 5e-3), (32, 5e-4)])
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", ROWS)
def test_tip_is_where_the_converged_solution_puts_it(name, load, n_elements, allowed):
    assert error(end(bent(name, load, n_elements)), name, load) < allowed


@pytest.mark.parametrize("n_elements", [8, 16, 32])
def test_bend_takes_one_load_step_and_at_most_seven_iterations(n_elements):
    results = bent("Saint-Venant", 600.0, n_elements)
    assert effort(results)[0] == 1
    assert results.summary["iterations_by_step"][0] <= 7


@pytest.mark.parametrize("name", ROWS)
def test_tip_error_falls_with_the_square_of_the_element_length(name):
    numbers = np.array([8, 16, 32, 64])
    errors = [error(end(bent(name, 600.0, n)), name, 600.0) for n in numbers]
    slope = np.polyfit(np.log(numbers), np.log(errors), 1)[0]
    # the fitted slope still has a part of fourth order
    assert slope == pytest.approx(-2.0, abs=0.1)


@pytest.mark.parametrize("name", ROWS)
def test_extrapolated_tip_has_four_more_digits(name):
    coarse, fine = (end(bent(name, 600.0, n)) for n in (32, 64))
    assert error(fine + (fine - coarse) / 3.0, name, 600.0) < 1e-6


@pytest.mark.parametrize("load", [600.0, 3000.0])
def test_one_load_step_and_ten_reach_the_same_place(load):
    once, often = (
        end(bent("Saint-Venant", load, 8, load_steps=n))
        if load == 600.0
        else end(solve(push(bend_45(8), force=(0, 0, load)), load_steps=n))
        for n in (1, 10)
    )
    np.testing.assert_allclose(once, often, rtol=0.0, atol=1e-10 * 100.0)


def test_ten_load_steps_are_all_in_the_results():
    results = bent("Saint-Venant", 600.0, 8, load_steps=10)
    np.testing.assert_allclose(results.times, np.linspace(0.0, 1.0, 11), atol=1e-12)
