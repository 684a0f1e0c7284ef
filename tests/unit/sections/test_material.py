"""Isotropic material: what follows from its numbers, and what is refused."""

from __future__ import annotations

import dataclasses
import math

import pytest

from femlie.errors import ModelError
from femlie.sections import Material


def test_shear_modulus_follows_from_young_and_poisson():
    steel = Material(young=210e9, poisson=0.3, density=7850.0)
    assert steel.shear_modulus == pytest.approx(80.7692307692e9, rel=1e-11)


def test_poisson_follows_from_both_moduli():
    assert Material(young=1.0, shear_modulus=0.4).poisson == pytest.approx(0.25)
    assert Material(young=3.0, shear_modulus=1.0).poisson == 0.5


def test_what_followed_follows_again_in_a_changed_copy():
    steel = Material(young=210e9, poisson=0.25)
    soft = dataclasses.replace(steel, young=1e9)
    assert (soft.poisson, soft.shear_modulus) == (0.25, pytest.approx(0.4e9))
    rubber = dataclasses.replace(steel, poisson=0.5)
    assert rubber.shear_modulus == pytest.approx(70e9)
    by_moduli = dataclasses.replace(Material(young=1.0, shear_modulus=0.4), young=1.1)
    assert by_moduli.poisson == pytest.approx(0.375)
    with pytest.raises(ModelError, match="leave one of the three out"):
        dataclasses.replace(by_moduli, poisson=0.1)


def test_three_numbers_that_agree_are_accepted():
    material = Material(young=2.5, poisson=0.25, shear_modulus=1.0)
    assert (material.poisson, material.shear_modulus) == (0.25, 1.0)


def test_equal_numbers_make_equal_materials():
    one = Material(young=210e9, poisson=0.3)
    assert one == Material(young=210e9, poisson=0.3)
    assert len({one, Material(young=210e9, poisson=0.3)}) == 1


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"young": -1.0, "poisson": 0.3}, ("young is -1.0", "positive")),
        ({"young": 0.0, "poisson": 0.3}, ("young is 0.0", "positive")),
        ({"young": math.nan, "poisson": 0.3}, ("young is nan", "positive")),
        ({"young": math.inf, "poisson": 0.3}, ("young is inf", "positive")),
        ({"young": "210e9", "poisson": 0.3}, ("young is '210e9'", "number")),
        ({"young": True, "poisson": 0.3}, ("young is True", "number")),
        ({"young": 1.0, "poisson": 0.51}, ("poisson is 0.51", "up to 0.5")),
        ({"young": 1.0, "poisson": -1.0}, ("poisson is -1.0", "above -1")),
        ({"young": 1.0, "poisson": math.nan}, ("poisson is nan", "above -1")),
        ({"young": 1.0, "poisson": "steel"}, ("poisson is 'steel'", "number")),
        ({"young": 1.0, "poisson": 0.3, "density": -7.0}, ("density is -7.0",)),
        ({"young": 1.0, "poisson": 0.3, "density": math.inf}, ("density is inf",)),
        ({"young": 1.0, "shear_modulus": 0.0}, ("shear_modulus is 0.0", "positive")),
        ({"young": 1.0, "shear_modulus": 0.2}, ("shear_modulus is 0.2", "poisson 1.5")),
        ({"young": 2.0}, ("young is 2", "poisson or shear_modulus")),
        (
            {"young": 2.5, "poisson": 0.25, "shear_modulus": 1.1},
            ("shear_modulus is 1.1", "make it 1", "leave one of the three out"),
        ),
    ],
)
def test_refusals_name_the_number_and_its_value(numbers, words):
    with pytest.raises(ModelError) as refusal:
        Material(**numbers)
    message = str(refusal.value)
    for word in ("Material", *words):
        assert word in message
