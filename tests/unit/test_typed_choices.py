"""Errors on fixed choices say what to type."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

import pytest

import femlie as fl
from femlie.fields import check_fields
from femlie.mesh import straight_line
from tests.unit.sample_parts import ROUND


def build_with(part: Any) -> None:
    model = fl.Model(straight_line((0, 0, 0), (1, 0, 0), n_elements=2))
    model.add(fl.Beam("beam", cells="line", section=ROUND))
    model.add(part)
    model.build()


def message_of(part: Any) -> str:
    with pytest.raises(fl.ModelError) as caught:
        build_with(part)
    return str(caught.value)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (fl.Joint("j", "revolute", parent="ground", child="start"), fl.JointKind),
        (fl.Support("s", at="start", kind="planar"), fl.SupportKind),
        (fl.PointSensor("s", at="end", quantity="displacement"), fl.Quantity),
        (fl.SectionForceSensor("s", beam="beam", component="N"), fl.SectionForce),
        (fl.Beam("b", cells="line", section=ROUND, curve="smooth"), fl.Curve),
    ],
)
def test_every_choice_can_be_typed_as_it_is_written(
    part: Any, kind: type[Enum]
) -> None:
    names = re.findall(r"fl\.[\w.]+\w", message_of(part))
    found = []
    for name in names:
        value: Any = fl
        for step in name.split(".")[1:]:
            value = getattr(value, step)
        found.append(value)
    assert found == list(kind)


def test_a_choice_that_is_not_public_has_its_members() -> None:
    class Inner(Enum):
        ONE = 1
        TWO = 2

    from dataclasses import make_dataclass

    record = make_dataclass("Record", [("choice", Inner)])("one")
    with pytest.raises(fl.ModelError, match=r"expected Inner \(ONE, TWO\)"):
        check_fields(record, "Record")


@pytest.mark.parametrize(
    "part",
    [
        fl.Force("f", at=1, force=(1, 0, 0)),
        fl.Joint("j", fl.REVOLUTE, parent="ground", child=1),
        fl.SpringDamper("s", first="ground", second=1, stiffness=1.0),
    ],
)
def test_a_node_number_in_the_place_of_a_name_asks_for_a_group(part: Any) -> None:
    assert "a group that holds it alone" in message_of(part)
