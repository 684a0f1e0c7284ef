"""Values of wrong kinds, and options that would do nothing, are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.build.check import check_part
from femlie.errors import FunctionError
from femlie.records import layout_of
from femlie.results import Results
from tests.unit import results_by_hand as hand
from tests.unit.sample_parts import (
    MOVE,
    ROUND,
    body,
    build,
    bushing,
    force,
    joint,
    rod,
    support,
)

BIG, BIGGER, BIGGEST = 2**62, 10**400, 10**5000
PUSH = fl.Motor(torque=1.0)


def fails(_: Any) -> Any:
    raise ZeroDivisionError("nothing to divide by")


def start(**options: Any) -> fl.InitialMotion:
    return fl.InitialMotion("start", **options)


def user(*at: str) -> fl.UserElement:
    class Idle:
        n_multipliers = 0

        def residual(self, _local: Any) -> Any:
            return np.zeros((1, 12))

    return fl.UserElement("own", at, Idle())


def wind(**options: Any) -> fl.LineLoad:
    return fl.LineLoad("wind", **{"on": "beam", "projected": True, **options})


KINDS = {
    "a function for a number": (rod(drag=len), "drag.*a number"),
    "nothing for a number": (rod(drag=None), "drag.*a number"),
    "a number for a motor": (joint(motor=5.0), "motor.*'joint'.*a Motor"),
    "a text for a motor": (joint(motor="angle"), "motor.*'joint'.*a Motor"),
    "a spring for a stop": (joint(stop=fl.JointSpring(stiffness=1.0)), "a Stop"),
    "a table for a spring": (joint(spring={"stiffness": 1.0}), "a JointSpring"),
    "nothing in a list of motors": (
        joint(motor=[fl.Motor(torque=None, motion="1")]),
        "motion of Motor in Joint 'joint'.*a number",
    ),
    "a number for a function": (force(over_time=2.0), "over_time.*a function"),
    "a number for a file": (body(surface=3), "surface.*a path"),
    "an integer of any length": (body(mass=BIGGER), "mass.*below 1e\\+150"),
    "an integer beyond repr": (
        body(mass=BIGGEST),
        "integer of 16610 bits",
    ),
    "a force that overflows": (force(force=(0, 0, -1e308)), "-1e\\+308.*below"),
    "an array that overflows": (force(force=np.full(3, 1e200)), "1e\\+200.*below"),
}
WITHOUT_EFFECT = {
    "no motors": (joint(motor=()), "motor of Joint 'joint' is empty"),
    "no stops": (joint(stop=[]), "stop of Joint 'joint' is empty"),
    "a name twice on a link": (
        fl.RigidLink("link", at=("tip", "body", "tip")),
        "at of RigidLink 'link' has 'tip' twice",
    ),
    "a part that starts twice": (
        start(on=("beam", "beam"), velocity=(1, 0, 0)),
        "on of InitialMotion 'start' has 'beam' twice",
    ),
    "a part in a group twice": (
        fl.FrameGroup("group", on=("body", "body")),
        "'body' twice",
    ),
}
FIELDS = {**KINDS, **WITHOUT_EFFECT}


@pytest.mark.parametrize(("part", "words"), FIELDS.values(), ids=list(FIELDS))
def test_fields_of_parts_are_refused_by_name(part: Any, words: str) -> None:
    with pytest.raises(fl.ModelError, match=words):
        check_part(part)


BUILDS = {
    "an element of a node and itself": (user("tip", "both end"), "'own'.*twice"),
    "a sensor of a node and itself": (
        fl.RelativeSensor("gap", first="tip", second="both end"),
        "'gap'.*one point",
    ),
    "a motion and a torque on one coordinate": (
        joint(motor=(MOVE, PUSH)),
        "'joint'.*motion.*torque.*'angle'",
    ),
    "a projected force along the beam": (wind(force=(2, 0, 0)), "'wind'.*along 'beam'"),
    "truth values for stiffness": (bushing(stiffness=(True,) * 6), "stiffness.*True"),
    "nothing for stiffness": (bushing(stiffness=None), "neither stiffness nor damping"),
    "one time": (
        force(over_time=fl.Table(times=(0,), values=(1,))),
        "1 time and 1 value:",
    ),
    "one number for a velocity": (start(velocity=5.0), "velocity.*'start' is 5.0"),
    "two numbers for a velocity": (start(velocity=(1, 2)), r"velocity.*\(1, 2\)"),
    "nothing for a velocity": (start(velocity=None), "velocity.*None"),
    "a text for a velocity": (start(velocity="abc"), "velocity.*'abc'"),
    "a velocity of uneven rows": (start(velocity=((1, 2, 3), (1,))), "velocity"),
    "a velocity that overflows": (start(velocity=(1e200, 0, 0)), "velocity"),
    "a text for a rotation": (
        start(velocity=(1, 0, 0), angular_velocity="x"),
        "angular_velocity.*'x'",
    ),
}


@pytest.mark.parametrize(("part", "words"), BUILDS.values(), ids=list(BUILDS))
def test_what_only_the_model_shows_is_refused_by_name(part: Any, words: str) -> None:
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]],
        [[0, 1], [1, 2]],
        node_groups={"root": [0], "tip": [2], "both end": [2]},
        line_groups={"rod": [0, 1]},
    )
    model = fl.Model(mesh)
    model.add(rod())
    with pytest.raises(fl.ModelError, match=words):
        _added(model, part)


def _added(model: fl.Model, part: Any) -> None:
    model.add(part)
    model.build()


def test_what_a_sweep_over_zero_wants_is_taken() -> None:
    build(rod(), joint(motor=fl.Motor(torque=0.0)))
    build(rod(), joint(fl.SCREW, pitch=0.0))
    build(rod(), force(total=True))
    build(rod(), wind(force=(2, 0, 0), moment=(1, 0, 0)))


def test_a_fault_in_a_function_of_place_is_named() -> None:
    with pytest.raises(FunctionError, match=r"velocity of Initial motion 'start' fai"):
        build(rod(), start(velocity=fails))


def test_a_support_at_an_end_that_is_released_says_so() -> None:
    pin = fl.EndRelease("pin", beam="beam", at="root")
    with pytest.raises(fl.ModelError, match="nothing but ends of beams that 'pin'"):
        build(rod(), support(), pin)


MESHES: dict[str, tuple[Callable[[], Any], str]] = {
    "groups in a list": (
        lambda: fl.mesh_from_arrays([[0, 0, 0]], node_groups=[0]),
        "node_groups.*dictionary",
    ),
    "groups in a text": (
        lambda: fl.mesh_from_arrays([[0, 0, 0]], line_groups="rod"),
        "line_groups.*dictionary",
    ),
    "a number for a group": (
        lambda: fl.mesh_from_arrays([[0, 0, 0]], node_groups={3: [0]}),
        "node_groups is 3",
    ),
    "uneven lines": (
        lambda: fl.mesh_from_arrays([[0, 0, 0]], [[0, 1], [0]]),
        "lines.*equal length",
    ),
    "a name in a list": (lambda: line(name=["rod"]), "name.*'rod'"),
    "an empty name": (lambda: line(name=""), "name.*not empty"),
    "an end without a text": (lambda: line(end_name=3), "end.*None for no group"),
    "a truth for a number": (lambda: line(n_elements=True), "n_elements.*integer"),
    "more lines than fit": (lambda: line(n_elements=10**20), "at most 10000000"),
    "a place in words": (lambda: line(start="x"), "start.*three numbers"),
    "a word for yes or no": (
        lambda: fl.mesh_from_curve(np.eye(3), n_elements=4, closed="no"),
        "closed.*True or False",
    ),
    "a curve that fails": (
        lambda: fl.mesh_from_curve(fails, n_elements=4),
        "'curve'.*ZeroDivisionError",
    ),
    "a curve of words": (
        lambda: fl.mesh_from_curve(lambda _: "abc", n_elements=4),
        "'abc'.*coordinates",
    ),
    "no mesh among meshes": (lambda: fl.join_meshes([line()]), "a list"),
    "a size in words": (
        lambda: fl.cubic_lattice((1, 1, 1), cell_size="1"),
        "cell_size.*positive",
    ),
    "more struts than fit": (
        lambda: fl.cubic_lattice((10**6,) * 3, cell_size=1.0),
        "nodes.*at most",
    ),
    "a box of words": (lambda: fl.box("x", density=1.0), "box.*'x'"),
    "a box without density": (
        lambda: fl.box((1, 1, 1), density=None),
        "density.*positive.*None",
    ),
    "facets that are no number": (
        lambda: fl.cylinder(1.0, 1.0, density=1.0, n_facets=np.nan),
        "n_facets.*integer",
    ),
    "facets with a fraction": (
        lambda: fl.sphere(1.0, density=1.0, n_facets=2.0),
        "n_facets.*integer",
    ),
    "a center in words": (
        lambda: fl.MassProperties(1.0, "abc", np.eye(3)),
        "center.*'abc'",
    ),
}


def line(**options: Any) -> fl.Mesh:
    given = {"start": (0, 0, 0), "end": (1, 0, 0), "n_elements": 2, **options}
    return fl.straight_line(**given)


@pytest.mark.parametrize(("make", "words"), MESHES.values(), ids=list(MESHES))
def test_meshes_and_solids_of_other_things_are_refused(
    make: Callable[[], Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        make()


SECTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "one station": (
        lambda: fl.StationTable(stations=1, sections=(ROUND,)),
        "stations.*list",
    ),
    "one section": (
        lambda: fl.StationTable(stations=(0, 1), sections=ROUND),
        "sections.*list",
    ),
    "an outline that is a number": (
        lambda: fl.GeneralSection(stiffness=np.eye(6), outline=3),
        "outline is 3",
    ),
    "an outline of words": (
        lambda: fl.GeneralSection(stiffness=np.eye(6), outline=("abc", "def")),
        "outline is 'abc'",
    ),
    "an outline of uneven points": (
        lambda: fl.GeneralSection(stiffness=np.eye(6), outline=((0, 0), (1,))),
        "outline",
    ),
    "a radius that overflows": (
        lambda: fl.CircularSection(radius=1e308, material=ROUND.material),
        "radius is 1e\\+308.*between 1e-50 and 1e\\+50",
    ),
    "a modulus of any length": (
        lambda: fl.Material(young=BIGGER, poisson=0.3),
        "young.*between",
    ),
    "a shear modulus far above": (
        lambda: fl.Material(young=1e-30, shear_modulus=1e9),
        "shear_modulus.*poisson -1",
    ),
    "stages that are a number": (
        lambda: fl.Tableau(stages=3, weights=(1,), order=1),
        "stages.*lists",
    ),
    "an order with a fraction": (
        lambda: fl.Tableau(stages=((), (0.5,)), weights=(0, 1), order=2.0),
        "order.*an integer",
    ),
    "an order of any length": (
        lambda: fl.Tableau(stages=((),), weights=(1,), order=BIG),
        "order.*an integer below",
    ),
    "a weight in words": (
        lambda: fl.Tableau(stages=((), ("x",)), weights=(0, 1), order=2),
        "stages.*numbers",
    ),
}


@pytest.mark.parametrize(("make", "words"), SECTIONS.values(), ids=list(SECTIONS))
def test_sections_and_tableaus_of_other_things_are_refused(
    make: Callable[[], Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        make()


RUNS: dict[str, tuple[Callable[[], Any], str]] = {
    "a number for a file": (lambda: fl.Output(path=3), "path.*output.*a text"),
    "steps beyond 64 bits": (lambda: fl.Output(every=BIG), "every.*below 4.6e\\+18"),
    "checkpoints beyond 64 bits": (
        lambda: fl.Output(checkpoint_every=BIGGER),
        "checkpoint_every.*below",
    ),
    "iterations beyond 64 bits": (
        lambda: fl.GeneralizedAlpha(iteration_limit=BIG),
        "iteration_limit.*below",
    ),
    "a range that all values leave": (
        lambda: fl.StopWhen(sensor="height", above=1.0, below=2.0),
        "'height'.*above 1 and below 2",
    ),
    "a number for a sensor": (lambda: fl.StopWhen(sensor=5, above=1.0), "a text"),
    "a number for an action": (
        lambda: fl.Event(sensor="height", action=5),
        "action.*a function",
    ),
    "no events": (lambda: run(stop=()), "stop is empty"),
    "a duration beyond doubles": (lambda: run(duration=1e308), "duration.*below"),
    "a duration of any length": (lambda: run(duration=BIGGER), "duration.*below"),
    "more steps than can be counted": (
        lambda: run(duration=1e100),
        "duration 1e\\+100.*steps",
    ),
    "a number for progress": (lambda: run(progress=5), "progress is 5"),
    "load steps beyond 64 bits": (
        lambda: fl.Static().solve(block(), load_steps=BIGGER),
        "load_steps.*below",
    ),
    "progress of statics": (
        lambda: fl.Static().solve(held(), progress=5),
        "progress is 5",
    ),
    "a joint to cut on no loop": (
        lambda: fl.Tree(pendulum(), cut=("joint",)),
        "cut names 'joint'.*no loop",
    ),
}


def block() -> Any:
    return build(body())


def pendulum() -> Any:
    return build(body(), joint(child="body", position=(1.0, 0.0, 3.0)))


def held() -> Any:
    return build(body(), support(at="body"))


def run(**options: Any) -> Any:
    given = {"duration": 0.1, "time_step": 0.01, **options}
    return fl.GeneralizedAlpha().solve(block(), **given)


@pytest.mark.parametrize(("make", "words"), RUNS.values(), ids=list(RUNS))
def test_runs_refuse_what_they_could_not_use(
    make: Callable[[], Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        make()


@pytest.fixture(scope="module")
def results() -> Results:
    return Results(layout_of(hand.system()), hand.records(np.linspace(0.0, 1.0, 3)))


@pytest.mark.parametrize("given", [0, None, 0.5, True, ["rod"], np.nan])
@pytest.mark.parametrize(
    "ask",
    [
        lambda r, x: r.section_forces(x),
        lambda r, x: r.section_forces("rod", at=x),
        lambda r, x: r.reactions(x),
        lambda r, x: r.joint_coordinate(x),
        lambda r, x: r.sensor(x),
        lambda r, x: r.to_dataframe(x),
        lambda r, x: r.to_dataframe("sensors", [x]),
        lambda r, x: r.to_dataframe("reactions", [x]),
    ],
)
def test_names_that_are_no_texts_are_refused_with_what_exists(
    ask: Callable[[Results, Any], Any], given: Any, results: Results
) -> None:
    with pytest.raises(fl.ResultsError, match=r"as a text\. Known"):
        ask(results, given)


@pytest.mark.parametrize("given", [None, 0.5, True, ["rod"]])
def test_places_are_names_or_numbers_of_nodes(given: Any, results: Results) -> None:
    with pytest.raises(fl.ResultsError, match="number of a node"):
        results.positions(given)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda r: r.joint_coordinate("hinge", 0), "coordinates of joint 'hinge'"),
        (lambda r: r.at("x"), "'x'.*times"),
        (lambda r: r.at(None), "None.*times"),
        (lambda r: r.between("x"), "times.*numbers"),
        (lambda r: r.save(None), "None.*path"),
        (lambda r: r.save(Path.home()), "it is a folder"),
        (lambda _: fl.load_results(3), "3.*path"),
    ],
)
def test_times_and_files_of_results_are_such(
    ask: Callable[[Results], Any], words: str, results: Results
) -> None:
    with pytest.raises(fl.ResultsError, match=words):
        ask(results)


def test_an_energy_that_is_no_text_is_refused_with_what_exists() -> None:
    with pytest.raises(fl.ModelError, match="Known energies"):
        fl.EnergySensor("energy", energy=3)  # type: ignore[arg-type]
