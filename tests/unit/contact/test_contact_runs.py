"""Runs of models with contact: who may run them, from where, and words of faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main as command
from femlie.solvers.contact_words import alternation_in_words
from tests.validation import contact_models as models
from tests.validation import impact_models as falling

QUICK = fl.Static(checks_stability=False)
OTHERS = [
    fl.MuntheKaas(),
    fl.GaussLegendre(),
    fl.BLieDF(),
    fl.Rattle(),
    fl.GeneralizedAlpha(formulation=fl.TREE),
    fl.MuntheKaas(formulation=fl.TREE),
    fl.GaussLegendre(formulation=fl.TREE),
]


@pytest.mark.parametrize("solver", OTHERS, ids=lambda s: type(s).__name__)
def test_motion_with_contact_is_refused_in_one_sentence(solver: Any) -> None:
    with pytest.raises(
        fl.ModelError, match=r"'touch'.*knows nothing.*Static"
    ) as caught:
        solver.solve(models.crossing(4, 0.01), duration=0.1, time_step=0.01)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("at_equilibrium", [False, True])
def test_modes_with_contact_are_refused(at_equilibrium: bool) -> None:
    with pytest.raises(fl.ModelError, match=r"'touch'.*knows nothing"):
        fl.Modal(at_equilibrium=at_equilibrium).solve(models.crossing(4, 0.01))


def test_contact_without_a_run_costs_no_kernel() -> None:
    """Blocks of a built model hold no contact: kernels come with a static run."""
    system = models.crossing(4, 0.01)
    assert all(block.kind != "contact" for block in system.blocks)
    assert system.contact is not None


def test_run_goes_on_from_where_another_ended() -> None:
    system = models.crossing(10, 0.0122)
    first = QUICK.solve(system, load_steps=2)
    second = QUICK.solve(system, start=first.last_state)
    np.testing.assert_allclose(
        second.contact.total("touch")[-1], first.contact.total("touch")[-1], rtol=1e-8
    )


def hold(_time: float, _readings: Any) -> tuple[float, ...]:
    return (0.0,) * 6


def test_python_parts_run_beside_contact() -> None:
    """The same loop, interpreted."""
    system = models.crossing(6, 0.01)
    model = models.crossing_model(6, 0.01)
    model.add(fl.PointSensor("place", at="a_0"))
    push = fl.Controller("push", function=hold, sensors=("place",), at="a_1")
    model.add(push)
    compiled = QUICK.solve(system, load_steps=2)
    interpreted = QUICK.solve(model.build(), load_steps=2)
    assert interpreted.summary["loop"] == "interpreted"
    np.testing.assert_allclose(
        interpreted.contact.total("touch"), compiled.contact.total("touch"), rtol=1e-9
    )


def test_deep_overlap_is_refused_before_the_run() -> None:
    with pytest.raises(fl.ModelError, match=r"'upper' and 'lower' overlap.*95 %"):
        QUICK.check(models.crossing(6, 0.0, height=0.001))


def test_run_that_does_not_converge_says_what_to_change() -> None:
    solver = fl.Static(iteration_limit=3)
    with pytest.raises(fl.ConvergenceError, match=r"load_steps.*rods touch") as caught:
        solver.solve(models.crossing(6, 0.01))
    assert caught.value.results is not None
    assert caught.value.results.contact.total("touch").shape == (1, 3)


@pytest.mark.parametrize("push", [-1e-3, 1e-3])
def test_contact_that_has_not_closed_is_said(push: float) -> None:
    """A rod that may move up and down only, three radii above another one."""
    mesh = models.joined(
        models.line("a", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 4),
        models.line("b", (0.5, -0.3, 0.05), (0.5, 0.3, 0.05), 4),
    )
    model = models.two_rods(mesh, "a", "b", models.section())
    model.add(fl.Support("clamp", at="a_0"))
    held = (True, True, False, True, True, True)
    for end in "01":
        guide = fl.Support(f"guide {end}", at=f"b_{end}", kind=fl.CUSTOM, held=held)
        model.add(guide)
        force = (0.0, 0.0, push)
        model.add(fl.Force(f"push {end}", at=f"b_{end}", force=force))
    words = r"No contact has closed: '.*' and '.*' are nearest.* 0.03 m apart"
    with pytest.raises(fl.ConvergenceError, match=words) as caught:
        fl.Static().solve(model.build())
    assert "\n" not in str(caught.value)


def test_residuals_that_go_up_and_down_are_said_to_alternate() -> None:
    alternating = [1e-2, 3e-4] * 10
    assert "between 0.0003 and 0.01" in alternation_in_words(alternating)
    assert alternation_in_words([0.9**k for k in range(20)]) == ""
    assert alternation_in_words([1e-2, np.nan] * 10) == ""
    assert alternation_in_words(alternating[:8]) == ""


def test_names_that_may_not_touch_are_refused_by_results() -> None:
    results = QUICK.solve(models.crossing(4, 0.005))
    assert results.contact.beams == ("upper", "lower")
    with pytest.raises(fl.ResultsError, match=r"'tuch'.*'touch'"):
        results.contact.total("tuch")
    with pytest.raises(fl.ResultsError, match=r"'uper'.*'upper'"):
        results.contact.forces("uper")
    alone = QUICK.solve(models.cantilever(4))
    with pytest.raises(fl.ResultsError, match="no contact"):
        alone.contact.total("touch")
    assert len(alone.to_dataframe("contacts")) == 0


def test_group_of_lines_means_its_own_lines_only() -> None:
    """A strut between two nodes of the group is none of it."""
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1.0], [0.5, 0.5, -1.0]],
        [[0, 1], [1, 2], [2, 3], [0, 2], [4, 5]],
        line_groups={"frame": [0, 1, 2, 3], "outside": [0, 1, 2], "post": [4]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("bars", cells="frame", section=models.section()))
    model.add(fl.Beam("mast", cells="post", section=models.section()))
    model.add(fl.Contact("touch", between=("outside", "mast")))
    contact = model.build().contact
    assert contact is not None
    assert sorted(contact.segments.beams.tolist()) == [0, 1, 2, 4]


FILE = """
material.m = { young = 1e9, poisson = 0.3, density = 1000.0 }
section.s = { shape = "circle", radius = 0.01, material = "m" }
beam.a = { cells = "a", section = "s" }
beam.b = { cells = "b", section = "s" }
support."hold a" = { at = "a start" }
support."hold b" = { at = "b start" }
force.f = { at = "a end", force = [0, 0, -1e-3] }
contact.touch = { between = CONTACT }
[analysis]
method = "METHOD"
MORE
[[mesh]]
line = { start = [0, 0, 0.02], end = [1, 0, 0.02], n_elements = 4, name = "a", start_name = "a start", end_name = "a end" }
[[mesh]]
line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 4, name = "b", start_name = "b start", end_name = "b end" }
"""  # noqa: E501


def file_of(folder: Path, contact: str, method: str, more: str = "") -> str:
    text = FILE.replace("CONTACT", contact).replace("METHOD", method)
    path = folder / "model.toml"
    path.write_text(text.replace("MORE", more), encoding="utf-8")
    return str(path)


def test_command_checks_and_runs_contact(tmp_path: Path, capsys: Any) -> None:
    file = file_of(tmp_path, '["a", "b"]', "static")
    assert command(["check", file]) == 0
    assert "contact between 'a' and 'b'" in capsys.readouterr().out
    assert command(["run", file, "-o", str(tmp_path / "out"), "--quiet"]) == 0
    found = fl.load_results(tmp_path / "out" / "results.h5")
    # two equal cantilevers share the load
    assert found.contact.total("touch")[-1, 2] == pytest.approx(5e-4, rel=0.01)


@pytest.mark.parametrize(
    ("contact", "method", "more", "words"),
    [
        ('["a", "c"]', "static", "", ["Contact", "touch", "'c'"]),
        ('["a"]', "static", "", ["contact.touch", "between", "2 entries"]),
        (
            '["a", "b"]',
            "rattle",
            "duration = 1.0\ntime_step = 0.1",
            ["touch", "knows nothing"],
        ),
    ],
)
def test_command_refuses_with_exit_code_two(
    contact: str, method: str, more: str, words: list[str], tmp_path: Path, capsys: Any
) -> None:
    file = file_of(tmp_path, contact, method, more)
    assert command(["check", file]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said


def test_what_may_touch_others_is_not_said_to_be_left_over() -> None:
    system = falling.falling_rods().build()
    assert not [words for words in system.warnings if "nothing connects" in words]
    model = falling.falling_rods()
    for name in [n for n in model.parts if n.startswith(("low ", "high "))]:
        del model.parts[name]
    assert any("nothing connects" in words for words in model.build().warnings)
