"""Which directions make subgroups, and the lower pairs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from femlie.errors import ModelError
from femlie.lie import se3, subgroup

ALL_MASKS = list(itertools.product([False, True], repeat=6))
PAIRS = [
    (subgroup.FIXED, 0),
    (subgroup.REVOLUTE, 1),
    (subgroup.PRISMATIC, 1),
    (subgroup.screw(0.3), 1),
    (subgroup.CYLINDRICAL, 2),
    (subgroup.PLANAR, 3),
    (subgroup.SPHERICAL, 3),
    (subgroup.FREE, 6),
]
IDS = [pair.name for pair, _ in PAIRS]


def is_closed_by_composition(mask: Any, rng: np.random.Generator) -> bool:
    """Whether products of exponentials of free twists have free logarithms."""
    twists = rng.uniform(-0.5, 0.5, size=(2, 20, 6)) * np.array(mask)
    product = se3.log(se3.exp(twists[0]) @ se3.exp(twists[1]))
    return bool(np.all(np.abs(product[:, ~np.array(mask)]) < 1e-13))


def test_twenty_two_masks_are_subgroups() -> None:
    assert sum(map(subgroup.is_subgroup, ALL_MASKS)) == 22


@pytest.mark.parametrize("mask", ALL_MASKS)
def test_mask_is_a_subgroup_when_products_stay_in_it(mask: Any) -> None:
    rng = np.random.default_rng(8)
    assert subgroup.is_subgroup(mask) == is_closed_by_composition(mask, rng)


def test_two_rotations_are_no_subgroup() -> None:
    assert not subgroup.is_subgroup([False, False, False, True, True, False])


def test_rotation_with_one_translation_across_its_axis_is_no_subgroup() -> None:
    assert not subgroup.is_subgroup([True, False, False, False, False, True])


@pytest.mark.parametrize("mask", ALL_MASKS)
def test_free_and_held_directions_make_up_all(mask: Any) -> None:
    free = subgroup.free_directions(mask)
    held = subgroup.held_directions(mask)
    assert free.shape == (sum(mask), 6)
    stacked = np.concatenate((free, held))
    np.testing.assert_array_equal(stacked.sum(axis=0), np.ones(6))
    np.testing.assert_array_equal(held @ free.T, np.zeros((6 - sum(mask), sum(mask))))


@pytest.mark.parametrize(("pair", "dimension"), PAIRS, ids=IDS)
def test_lower_pair_has_its_number_of_freedoms(
    pair: subgroup.Subgroup, dimension: int
) -> None:
    assert pair.dimension == dimension
    assert pair.free_basis.shape == (dimension, 6)
    assert pair.held_basis.shape == (6 - dimension, 6)


@pytest.mark.parametrize("pair", [pair for pair, _ in PAIRS], ids=IDS)
def test_held_wrenches_do_no_work_on_free_twists(pair: subgroup.Subgroup) -> None:
    work = pair.held_basis @ pair.free_basis.T
    np.testing.assert_array_equal(work, np.zeros_like(work))
    assert np.linalg.matrix_rank(np.vstack((pair.free_basis, pair.held_basis))) == 6


@pytest.mark.parametrize("pair", [pair for pair, _ in PAIRS], ids=IDS)
def test_lower_pair_is_closed_under_the_bracket(pair: subgroup.Subgroup) -> None:
    for x, y in itertools.product(pair.free_basis, repeat=2):
        assert np.all(pair.held_basis @ se3.ad(x) @ y == 0.0)


@pytest.mark.parametrize("pair", [pair for pair, _ in PAIRS], ids=IDS)
def test_products_of_free_motions_stay_free(pair: subgroup.Subgroup) -> None:
    rng = np.random.default_rng(9)
    x, y = rng.uniform(-0.5, 0.5, size=(2, 20, pair.dimension)) @ pair.free_basis
    product = se3.log(se3.exp(x) @ se3.exp(y))
    held = product @ pair.held_basis.T
    np.testing.assert_allclose(held, np.zeros_like(held), rtol=0, atol=1e-14)


def test_motions_of_a_revolute_pair_turn_about_the_third_axis() -> None:
    frame = se3.exp(np.pi / 2 * subgroup.REVOLUTE.free_basis[0])
    expected = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(frame, expected, rtol=0, atol=1e-15)


def test_full_turn_of_a_screw_advances_by_its_pitch() -> None:
    frame = se3.exp(2.0 * np.pi * subgroup.screw(0.3).free_basis[0])
    np.testing.assert_allclose(frame[:3, 3], [0.0, 0.0, 0.3], rtol=0, atol=1e-15)
    np.testing.assert_allclose(frame[:3, :3], np.eye(3), rtol=0, atol=1e-15)


def test_only_the_screw_mixes_directions() -> None:
    assert [pair.name for pair, _ in PAIRS if pair.mask is None] == ["screw"]
    assert subgroup.PLANAR.mask == (True, True, False, False, False, True)
    assert subgroup.screw(0.0).mask == subgroup.REVOLUTE.mask


def test_mask_that_is_no_subgroup_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"'roller' \(x, rotation z\)"):
        subgroup.from_mask("roller", [True, False, False, False, False, True])


def test_equal_pairs_compare_and_hash_alike() -> None:
    assert subgroup.screw(0.1) == subgroup.screw(0.1)
    assert len({subgroup.screw(0.1), subgroup.screw(0.1), subgroup.FREE}) == 2
