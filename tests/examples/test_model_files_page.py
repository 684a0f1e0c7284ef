"""docs/model_files.md knows every table, key and word of model files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from femlie.input_file.hints import ALTERNATIVES, hint_of, options_of, parameters_of
from femlie.input_file.model_file import OUTPUT_KEYS
from femlie.input_file.reader import HIDDEN
from femlie.input_file.words import (
    MESHES,
    METHODS,
    PARTS,
    SECTIONS,
    SENSORS,
    SOLIDS,
    TABLES,
    solver_type,
)
from femlie.mesh import mesh_from_arrays
from femlie.parts.connections import JointSpring, Motor, Stop
from femlie.parts.time import Table
from femlie.sections import Material
from femlie.solvers.schedule import StopWhen
from femlie.urdf import read_urdf

PAGE = (Path(__file__).parents[2] / "docs" / "model_files.md").read_text("utf-8")


def section(heading: str) -> str:
    """Text below a heading, up to the next one of its level or higher."""
    level, _, name = heading.partition(" ")
    found = re.search(
        rf"^{level} {re.escape(name)}$(.*?)(?=^#{{1,{len(level)}}} |\Z)",
        PAGE,
        re.MULTILINE | re.DOTALL,
    )
    assert found, f"there is no heading '{heading}'"
    return found[1]


def words_of(target: Any, *, hidden: tuple[str, ...] = ()) -> Iterator[str]:
    """Keys of a record, and the words that their values may be."""
    for name in parameters_of(target, hidden=("name", *hidden)):
        yield f"`{name}`"
        for option in options_of(hint_of(target, name)):
            if isinstance(option, type) and issubclass(option, Enum):
                yield from (f'`"{member.value}"`' for member in option)
            elif get_origin(option) is Literal:
                yield from (f'`"{word}"`' for word in get_args(option))


def cases() -> Iterator[tuple[str, list[str]]]:
    for kind, part in PARTS.items():
        yield f"### {kind}", list(words_of(part))
    for shape, item in SECTIONS.items():
        yield "## section", [f'`"{shape}"`', *words_of(item)]
    for shape, item in SOLIDS.items():
        yield "### body", [f'`"{shape}"`', *words_of(item)]
    for kind, sensor in SENSORS.items():
        yield "## sensor", [f'`"{kind}"`', *words_of(sensor)]
    for form, item in MESHES.items():
        names = [f"`{name}`" for name in parameters_of(item)]
        yield "## mesh", [f"`[mesh.{form}]`", *names]
    yield "## mesh", [f"`{name}`" for name in parameters_of(mesh_from_arrays)]
    yield "## material", list(words_of(Material))
    yield "## urdf", list(words_of(read_urdf, hidden=("folder",)))
    for record in (Motor, JointSpring, Stop):
        yield "### joint", list(words_of(record))
    yield "## Functions of time", [*words_of(Table), f"`{ALTERNATIVES[Table][0]}`"]
    for method in METHODS:
        solver = solver_type(method)
        keys = [*words_of(solver), *words_of(solver.solve, hidden=HIDDEN)]
        yield f"### {method}", keys
    yield "### generalized_alpha", [f"`{key}`" for key in OUTPUT_KEYS]
    yield "### stop", list(words_of(StopWhen))


@pytest.mark.parametrize(("heading", "words"), list(cases()), ids=lambda v: str(v)[:30])
def test_every_key_and_word_stands_under_its_heading(
    heading: str, words: list[str]
) -> None:
    text = section(heading)
    missing = [word for word in words if word not in text]
    assert not missing, f"{heading}: {missing}"


def test_every_kind_of_table_has_a_heading() -> None:
    for table in TABLES:
        level = "###" if table in PARTS else "##"
        assert section(f"{level} {table}")


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL))
def test_examples_on_the_page_are_toml(text: str) -> None:
    import tomllib

    assert tomllib.loads(text)
