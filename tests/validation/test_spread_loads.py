"""Section forces under loads along members, by equilibrium of what has been cut off."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import Assembly
from femlie.lie import quaternion, se3
from femlie.results_file import _layout_text
from tests.validation.dynamics import rubber_rod
from tests.validation.models import cantilever, line, push, section, solve

# so stiff that nothing moves: the limit of small displacements
STIFF = fl.Material(young=210e15, poisson=0.3, density=1000.0)
BAR = fl.RectangularSection(height=0.1, width=0.08, material=STIFF)
SPAN = 4.0
LINE_MASS = 1000.0 * 0.1 * 0.08
OTHER_MASS = 3.0
UP_IS_Y = (0.0, 1.0, 0.0)


def loaded(load: Any, n_elements: int, **options: Any) -> fl.Results:
    model = cantilever(
        line((0, 0, 0), (SPAN, 0, 0), n_elements), BAR, orientation=UP_IS_Y, **options
    )
    model.add(load)
    return solve(model)


# load, and what of it acts per length: force along x, y, z, then moment
LOADS: dict[str, tuple[Any, tuple[float, ...], dict[str, float]]] = {
    "dead": (fl.LineLoad("q", on="rod", force=(5, -7, 3)), (5, -7, 3, 0, 0, 0), {}),
    "follower": (
        fl.LineLoad("q", on="rod", force=(5, -7, 3), follower=True),
        (5, -7, 3, 0, 0, 0),
        {},
    ),
    "moments": (fl.LineLoad("q", on="rod", moment=(2, 3, 4)), (0, 0, 0, 2, 3, 4), {}),
    # per length across (3, 4, 0): 4/5 of the bar's
    "projected": (
        fl.LineLoad("q", on="rod", force=(3, 4, 0), projected=True),
        (2.4, 3.2, 0, 0, 0, 0),
        {},
    ),
    "weight": (
        fl.Gravity("g", acceleration=(1, -9, 2)),
        tuple(LINE_MASS * a for a in (1, -9, 2, 0, 0, 0)),
        {},
    ),
    "mass without stiffness": (
        fl.Gravity("g", acceleration=(1, -9, 2), on=("rod",)),
        tuple((LINE_MASS + OTHER_MASS) * a for a in (1, -9, 2, 0, 0, 0)),
        {"added_mass": OTHER_MASS},
    ),
}


@pytest.mark.parametrize("n_elements", [1, 3])
@pytest.mark.parametrize("kind", LOADS)
def test_a_cantilever_has_the_forces_of_its_span(kind: str, n_elements: int) -> None:
    """V = q z and M = q z^2 / 2 of the length z beyond the cut, at ends and middles."""
    load, density, options = LOADS[kind]
    results = loaded(load, n_elements, **options)
    q, mu = np.array(density[:3]), np.array(density[3:])
    largest = np.linalg.norm(density)
    h = SPAN / n_elements
    for place, way in (("first", 0.0), ("middle", 0.5), ("second", 1.0)):
        z = SPAN - h * (np.arange(n_elements) + way)[:, None]
        forces = results.section_forces("rod", at=place)[-1]
        moments = np.cross([1.0, 0.0, 0.0], q) * z**2 / 2 + mu * z
        expected = np.hstack([q * z, moments])
        np.testing.assert_allclose(
            forces, expected, rtol=0.0, atol=1e-9 * largest * SPAN**2
        )


@pytest.mark.parametrize("kind", LOADS)
def test_a_free_end_bears_nothing(kind: str) -> None:
    load, density, options = LOADS[kind]
    tip = loaded(load, 2, **options).section_forces("rod", at="second")[-1, -1]
    assert np.abs(tip).max() < 1e-12 * np.linalg.norm(density) * SPAN**2


def test_the_middle_of_one_element_on_two_pins_has_the_largest_moment() -> None:
    """Simple beam of one element under q: the moment q L^2 / 8, no shear there."""
    model = fl.Model(fl.straight_line((0, 0, 0), (SPAN, 0, 0), n_elements=1))
    model.add(fl.Beam("rod", cells="line", section=BAR, orientation=UP_IS_Y))
    model.add(fl.Support("left", at="start", kind=fl.HINGED, axis=(0, 0, 1)))
    held = (False, True, True, True, True, False)
    model.add(fl.Support("right", at="end", kind=fl.CUSTOM, held=held))
    model.add(fl.LineLoad("q", on="rod", force=(0, -7, 0)))
    model.add(
        fl.SectionForceSensor(
            "largest", beam="rod", component=fl.SectionForce.BENDING_MOMENT_Z
        )
    )
    model.add(
        fl.SectionForceSensor(
            "quarter", beam="rod", component=fl.SectionForce.BENDING_MOMENT_Z, at=0.25
        )
    )
    results = solve(model)
    middle = results.section_forces("rod", at="middle")[-1, 0]
    np.testing.assert_allclose(
        middle, [0, 0, 0, 0, 0, 7 * SPAN**2 / 8], rtol=0.0, atol=1e-9
    )
    assert results.sensor("largest")[-1] == pytest.approx(7 * SPAN**2 / 8, rel=1e-9)
    assert results.sensor("quarter")[-1] == pytest.approx(
        7 * SPAN**2 * 3 / 32, rel=1e-9
    )


def world_wrenches(results: fl.Results, row: int, name: str) -> tuple[Any, Any]:
    """Places (n, 2, 3) of section ends, and wrenches (n, 2, 6) there in world axes."""
    catalog = results.layout.catalog
    rows = catalog.beam_ranges[name]
    poses = se3.compose_poses(
        results.whole_records.poses[row, catalog.beams.frames[rows]],
        catalog.beams.offsets[rows],
    )
    forces = results.section_forces(name)[row]
    turned = [quaternion.rotate(poses[..., 3:], forces[..., k : k + 3]) for k in (0, 3)]
    return poses[..., :3], np.concatenate(turned, axis=-1)


def test_ends_at_a_corner_are_in_balance_with_what_acts_there() -> None:
    """Three members with eccentric ends and a body meet; all bend far."""
    soft = fl.RectangularSection(
        height=0.03,
        width=0.02,
        material=fl.Material(young=2e9, poisson=0.3, density=2000.0),
        offset=(0.004, -0.007),
    )
    mesh = fl.mesh_from_arrays(
        [[0, 0, 0], [0, 0, 1], [1, 0, 1.2], [0.2, 1, 1.1]],
        [[0, 1], [2, 1], [1, 3]],
        node_groups={"foot": [0], "corner": [1], "tips": [2, 3]},
        line_groups={"post": [0], "in": [1], "out": [2]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("post", cells="post", section=soft, end_offset=(0, 0, -0.05)))
    model.add(fl.Beam("in", cells="in", section=soft, start_offset=(0, 0.02, 0)))
    model.add(fl.Beam("out", cells="out", section=soft, start_offset=(0.03, 0, 0.01)))
    model.add(fl.Body("head", at="corner", mass=0.7, inertia=(1e-3, 1e-3, 1e-3)))
    model.add(fl.Support("foot", at="foot"))
    model.add(fl.Gravity("g"))
    model.add(fl.LineLoad("wind", on="in", force=(3, 9, 1)))
    model.add(fl.LineLoad("flow", on="out", force=(1, -4, 2), follower=True))
    model.add(fl.Force("push", at="corner", force=(2, 3, 4), moment=(1, 2, -1)))
    results = solve(model)
    corner = results.positions("corner")[-1]
    total = np.array([2, 3, 4 - 0.7 * 9.81, 1, 2, -1.0])
    size = np.abs(total)
    for name, end, sign in (("post", 1, -1.0), ("in", 1, -1.0), ("out", 0, 1.0)):
        places, wrenches = world_wrenches(results, -1, name)
        wrench = wrenches[0, end].copy()
        wrench[3:] += np.cross(places[0, end] - corner, wrench[:3])
        total += sign * wrench
        size += np.abs(wrench)
        free = wrenches[0, 1 - end] if name != "post" else np.zeros(6)
        assert np.abs(free).max() < 1e-9 * size.max()
    assert np.abs(results.displacements("corner")[-1]).max() > 0.05
    assert np.abs(total).max() < 1e-9 * size.max()


METHODS: dict[str, Callable[[], Any]] = {
    "alpha": fl.GeneralizedAlpha,
    "alpha on a tree": lambda: fl.GeneralizedAlpha(formulation=fl.TREE),
    "index 3": lambda: fl.GeneralizedAlpha(is_stabilized=False),
    "runge-kutta": fl.MuntheKaas,
    "gauss": fl.GaussLegendre,
    "rattle": fl.Rattle,
    "bliedf": fl.BLieDF,
}


def swinging(method: str, n_elements: int = 3) -> fl.Results:
    step = 1e-4 if method in ("runge-kutta", "rattle") else 2e-3
    return METHODS[method]().solve(
        rubber_rod(n_elements).build(),
        duration=0.1,
        time_step=step,
        output=fl.Output(every=round(0.1 / step)),
    )


def missing(results: fl.Results, row: int) -> tuple[Any, Any]:
    """What is left of each element's balance, (n, 6) about its first end, and sizes.

    Rates of momentum are integrals over the line of mass centers, which bows from the
    chord by ``z (1 - z) (L/2) (t_A - t_B)``, of the density times acceleration; weight
    likewise. Rotary inertia is averaged, five sixths own and one sixth of the other.
    """
    places, forces = world_wrenches(results, row, "rod")
    order = results.layout.catalog.beams.nodes
    x = results.positions("rod")[row][order]
    a, v = (f("rod")[row][order] for f in (results.accelerations, results.velocities))
    turns = results.rotations("rod")[row][order]
    h = 1.0 / len(order)
    density, area = 1100.0, np.pi * 5e-3**2
    tangent = turns[..., 0]
    spin, change = v[..., 3:], a[..., 3:]
    tangent_rate = np.cross(change, tangent) + np.cross(spin, np.cross(spin, tangent))
    total = forces[:, 1] - forces[:, 0]
    total[:, 3:] += np.cross(places[:, 1] - places[:, 0], forces[:, 1, :3])
    size = np.linalg.norm(forces, axis=1)
    points, weights = np.polynomial.legendre.leggauss(4)
    for z, weight in zip(0.5 * (1 + points), 0.5 * weights, strict=True):
        bow = 0.5 * h * z * (1 - z)
        place = (1 - z) * x[:, 0] + z * x[:, 1] + bow * (tangent[:, 0] - tangent[:, 1])
        rate = (1 - z) * a[:, 0, :3] + z * a[:, 1, :3]
        rate = rate + bow * (tangent_rate[:, 0] - tangent_rate[:, 1])
        force = weight * density * area * h * ([0, 0, -9.81] - rate)
        total[:, :3] += force
        total[:, 3:] += np.cross(place - x[:, 0], force)
    bending = np.pi * 5e-3**4 / 4
    rotary = 0.5 * h * density * np.diag([2 * bending, bending, bending])
    local, rates = (np.einsum("nsji,nsj->nsi", turns, q) for q in (spin, change))
    mean, mean_rate = ((5 * q + q[:, ::-1]) / 6 for q in (local, rates))
    torque = mean_rate @ rotary + np.cross(local, mean @ rotary)
    total[:, 3:] -= np.einsum("nsij,nsj->ni", turns, torque)
    return total, size


@pytest.mark.parametrize("method", METHODS)
def test_each_element_of_a_swinging_rod_is_in_balance(method: str) -> None:
    results = swinging(method)
    total, size = missing(results, -1)
    # the same numbers in two ways, whatever the method
    assert np.abs(total[:, :3]).max() < 1e-11 * np.abs(size[:, :3]).max()
    assert np.abs(total[:, 3:]).max() < 1e-11 * np.abs(size[:, :3]).max()


@pytest.mark.parametrize("method", METHODS)
def test_neighbors_agree_and_the_tip_bears_nothing_in_motion(method: str) -> None:
    forces = swinging(method).section_forces("rod")[-1]
    size = np.abs(forces).max(axis=(0, 1))[:3].max()
    # as far as the method's equations are solved
    np.testing.assert_allclose(forces[1:, 0], forces[:-1, 1], rtol=0, atol=1e-6 * size)
    np.testing.assert_allclose(forces[-1, 1], 0.0, atol=1e-6 * size)


@pytest.mark.parametrize("n_elements", [1, 4])
def test_a_rotating_rod_has_the_centrifugal_force_of_what_is_beyond(
    n_elements: int,
) -> None:
    """N = m w^2 (L^2 - x^2) / 2 of a rod that hardly stretches, in middles as well."""
    speed, line_mass, length = 3.0, 2.0, 1.5
    stiff = section(1e9, 1e9, 1e9, 1e9, line_mass=line_mass)
    model = fl.Model(fl.straight_line((0, 0, 0), (length, 0, 0), n_elements=n_elements))
    model.add(fl.Beam("rod", cells="line", section=stiff, orientation=(0, 0, 1)))
    hinge = fl.Joint(
        "hinge", fl.REVOLUTE, parent=fl.GROUND, child="start", axis=(0, 0, 1)
    )
    model.add(hinge)
    model.add(fl.InitialMotion("spin", angular_velocity=(0, 0, speed)))
    results = fl.GeneralizedAlpha(spectral_radius=0.0).solve(
        model.build(), duration=0.4, time_step=2e-3
    )
    pull = np.linalg.norm(results.reactions("hinge")[-1, :3])
    root = results.section_forces("rod", at="first")[-1, 0]
    assert root[0] == pytest.approx(pull, rel=1e-8)
    h = length / n_elements
    # the method loses some 1e-6 of the speed
    speed = results.velocities("end")[-1, 5]
    assert speed == pytest.approx(3.0, rel=1e-5)
    for place, way in (("first", 0.0), ("middle", 0.5), ("second", 1.0)):
        x = h * (np.arange(n_elements) + way)
        expected = line_mass * speed**2 * (length**2 - x**2) / 2
        found = results.section_forces("rod", at=place)[-1, :, 0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * root[0])


def test_loads_on_what_the_ground_holds_are_in_the_forces_too() -> None:
    """A bar between two clamps: weight on nodes that cannot move counts as well."""
    model = cantilever(line((0, 0, 0), (SPAN, 0, 0), 1), BAR, orientation=UP_IS_Y)
    model.add(fl.Support("other", at="tip"))
    model.add(fl.Gravity("g", acceleration=(0, -9, 0)))
    forces = solve(model).section_forces("rod")[-1, 0]
    q = 9 * LINE_MASS
    # q L / 2 on either side; q L^2 / 12 at clamps, which weight has exactly
    expected = [
        [0, -q * SPAN / 2, 0, 0, 0, -q * SPAN**2 / 12],
        [0, q * SPAN / 2, 0, 0, 0, -q * SPAN**2 / 12],
    ]
    np.testing.assert_allclose(forces, expected, rtol=0, atol=1e-9 * q)


def modal_twins(n_modes: int) -> list[fl.Model]:
    """A bent bar under loads too small to move it far, by beams and as one body."""
    steel = fl.Material(young=2e11, poisson=0.3, density=7800.0)
    bar = fl.RectangularSection(
        height=0.03, width=0.02, material=steel, offset=(0.004, 0.002)
    )

    def arc(t: float) -> tuple[float, float, float]:
        return (np.sin(1.2 * t), 1.0 - np.cos(1.2 * t), 0.2 * t)

    models = []
    for is_modal in (False, True):
        mesh = fl.mesh_from_curve(arc, n_elements=4, name="rod")
        model = fl.Model(mesh)
        model.add(
            fl.Beam(
                "rod",
                cells="rod",
                section=bar,
                curve=fl.SMOOTH,
                added_mass=0.7,
                start_offset=(0.0, 0.01, 0.02),
                end_offset=(0.0, 0.01, 0.02),
            )
        )
        if is_modal:
            ends = ("start", "end")
            model.add(
                fl.ModalBody("arm", beams=("rod",), interfaces=ends, n_modes=n_modes)
            )
        model.add(fl.Support("foot", at="start"))
        model.add(fl.Gravity("g", acceleration=(0.01, -0.02, 0.03)))
        ramp = fl.Table(times=(0.0, 1.0), values=(0.5, 2.0))
        force, moment = (0.01, 0.2, 0.03), (0.0, 0.02, 0.01)
        model.add(
            fl.LineLoad("q", on="rod", force=force, moment=moment, over_time=ramp)
        )
        models.append(model)
    return models


@pytest.mark.parametrize(
    ("solver", "arguments"),
    [
        (fl.Static(), {}),
        (fl.GeneralizedAlpha(), {"duration": 0.02, "time_step": 1e-3}),
    ],
    ids=["statics", "dynamics"],
)
def test_all_modes_of_a_body_give_the_forces_of_its_beams(
    solver: Any, arguments: dict[str, float], tmp_path: Any
) -> None:
    plain, modal = (
        solver.solve(model.build(), **arguments) for model in modal_twins(18)
    )
    modal.save(tmp_path / "run.h5")
    again = fl.load_results(tmp_path / "run.h5")
    for at in ("ends", "middle"):
        expected = plain.section_forces("rod", at=at)[-1]
        size = np.abs(expected).reshape(-1, 6).max(axis=0)
        scale = np.repeat([size[:3].max(), size[3:].max()], 3)
        for results in (modal, again):
            found = results.section_forces("rod", at=at)[-1]
            np.testing.assert_allclose(found / scale, expected / scale, atol=1e-4)


def test_old_results_of_a_modal_body_keep_the_forces_of_their_shapes() -> None:
    results = fl.Static().solve(modal_twins(4)[1].build())
    text, arrays = _layout_text.encode(results.layout)
    tree = json.loads(text)
    bodies = tree["fields"]["catalog"]["fields"]["modal_bodies"]["dict"]
    # files of older versions know nothing of what is spread along elements
    del bodies[0][1]["fields"]["spread"]
    old = replace(results, layout=_layout_text.decode(json.dumps(tree), arrays))
    # the stress alone is constant along an element: both ends balance each other
    places, wrenches = world_wrenches(old, -1, "rod")
    gap = wrenches[:, 1] - wrenches[:, 0]
    gap[:, 3:] += np.cross(places[:, 1] - places[:, 0], wrenches[:, 1, :3])
    assert np.abs(gap).max() < 1e-4 * np.abs(wrenches).max()


def test_forces_at_nodes_leave_neighbors_apart_by_what_acts_there() -> None:
    model = push(
        cantilever(line((0, 0, 0), (SPAN, 0, 0), 2), BAR, orientation=UP_IS_Y),
        force=(0, 1, 0),
    )
    model.add(fl.Force("half", at="middle", force=(0, 3, 0)))
    model.add(fl.LineLoad("q", on="rod", force=(0, -7, 0)))
    forces = solve(model).section_forces("rod")[-1]
    np.testing.assert_allclose(
        forces[0, 1] - forces[1, 0], [0, 3, 0, 0, 0, 0], atol=1e-9
    )


@pytest.mark.parametrize("is_modal", [False, True], ids=["beams", "modal body"])
def test_a_controller_sees_forces_without_the_inertia_of_the_element(
    is_modal: bool,
) -> None:
    """What it reads depends on places, speeds and loads, and is what statics says."""
    model = modal_twins(4)[int(is_modal)]
    for place in (fl.SectionPlace.FIRST, fl.SectionPlace.LAST):
        shear = fl.SectionForce.SHEAR_FORCE_Y
        model.add(
            fl.SectionForceSensor(place.value, beam="rod", component=shear, at=place)
        )
    seen: list[dict[str, Any]] = []

    def act(_: float, readings: dict[str, Any]) -> Any:
        seen.append(readings)
        return np.zeros(6)

    names = ("first", "last")
    model.add(fl.Controller("eye", sensors=names, function=act, at="end"))
    results = fl.Static().solve(model.build())
    size = abs(results.sensor("first")[-1])
    for name in names:
        expected = results.sensor(name)[-1]
        assert seen[-1][name] == pytest.approx(expected, abs=1e-6 * size)
    system = model.build()
    assembly = Assembly(system)
    for acceleration in (0.0, 1e6):
        rates = np.full_like(system.state.accelerations, acceleration)
        assembly.residual(replace(system.state, accelerations=rates), level=0)
    assert seen[-1] == seen[-2]
