"""Modal bodies against the beams that they are made of, rigid bodies, and theory.

Frequencies of slender rods: Euler and Bernoulli; (k L)^2 of a rod that is clamped at
both ends, or free, is 22.3733, 61.6728, 120.903 (Blevins 1979, table 8-1).
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.assembly import Assembly
from femlie.system import State

STEEL = fl.Material(young=2e11, poisson=0.3, density=7800.0)
SLENDER = fl.CircularSection(radius=2e-3, material=STEEL)
WAVE_NUMBERS = np.array([22.3733, 61.6728, 120.903])
# importing the module by its name would hide the function of that name in femlie
momentum = vars(inspect.getmodule(fl.compare))["momentum"]
SMALL = 8 if IS_COMPILED else 4

compiled = pytest.mark.skipif(not IS_COMPILED, reason="long runs")


def rod_model(
    *parts: Any,
    modes: int | None,
    n_elements: int = SMALL,
    section: Any = SLENDER,
    interfaces: tuple[str, ...] = ("start", "end"),
) -> fl.Model:
    """A rod of one meter; ``modes`` None: plain beams."""
    mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=n_elements, name="rod")
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="rod", section=section))
    if modes is not None:
        model.add(
            fl.ModalBody("body", beams=("rod",), interfaces=interfaces, n_modes=modes)
        )
    for part in parts:
        model.add(part)
    return model


def slender_frequencies() -> Any:
    inertia, area = np.pi / 4 * 2e-3**4, np.pi * 2e-3**2
    speed = np.sqrt(2e11 * inertia / (7800.0 * area))
    return WAVE_NUMBERS * speed / (2.0 * np.pi)


def test_modes_with_clamped_interfaces_are_those_of_the_mesh() -> None:
    holds = [fl.Support(f"hold {at}", at=at) for at in ("start", "end")]
    modal = rod_model(*holds, modes=6, n_elements=20).build()
    plain = rod_model(*holds, modes=None, n_elements=20).build()
    given = fl.Modal(n_modes=6).solve(modal).frequencies
    expected = fl.Modal(n_modes=6).solve(plain).frequencies
    np.testing.assert_allclose(given, expected, rtol=1e-9)
    found = modal.summary["modal_bodies"]["body"]["frequencies"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    masses = [
        np.sum(fl.Modal(n_modes=6).solve(one).summary["effective_masses"], axis=0)
        for one in (modal, plain)
    ]
    np.testing.assert_allclose(masses[0], masses[1], rtol=1e-6, atol=1e-9)
    # 20 elements with linear inertia: the third mode is one per cent off
    np.testing.assert_allclose(expected[::2], slender_frequencies(), rtol=0.02)


def free_frequencies(modes: int | None) -> Any:
    """Of the first elastic modes of a free rod; six motions are rigid."""
    system = rod_model(modes=modes, n_elements=16).build()
    return fl.Modal(n_modes=12).solve(system).frequencies[6:]


def test_free_body_approaches_the_mesh_and_theory_with_more_modes() -> None:
    expected = free_frequencies(None)
    errors = []
    for modes in (0, 4, 8):
        given = free_frequencies(modes)[:4]
        assert np.all(given > expected[:4] * (1.0 - 1e-7))
        errors.append(np.abs(given / expected[:4] - 1.0).max())
    assert errors[0] > 20.0 * errors[1] > 60.0 * errors[2]
    assert errors[2] < 1e-3
    np.testing.assert_allclose(
        free_frequencies(8)[[0, 2]], slender_frequencies()[:2], rtol=0.02
    )


def test_free_body_with_all_modes_is_the_mesh() -> None:
    given, expected = (
        fl.Modal(n_modes=14).solve(rod_model(modes=m, n_elements=4).build())
        for m in (18, None)
    )
    pairs = given.frequencies[6:], expected.frequencies[6:]
    np.testing.assert_allclose(*pairs, rtol=1e-7)


def tip_compliance(model: fl.Model) -> Any:
    """(6, 6) motion of the tip by wrenches on it, at the start; the root is held."""
    system = model.build()
    stiffness = Assembly(system).tangent(system.state, 0).toarray()
    frame = int(system.catalog.node_frames[-1])
    rows = system.dofs.numbers[frame]
    to_world = np.kron(np.eye(2), system.state.frames[frame, :3, :3])
    loads = np.zeros((len(stiffness), 6))
    loads[rows] = to_world.T
    scale = 1.0 / np.sqrt(np.diag(stiffness))
    scaled = scale[:, None] * stiffness * scale
    first = np.linalg.solve(scaled, scale[:, None] * loads)
    rest = scale[:, None] * loads - scaled @ first
    return to_world @ (scale[:, None] * (first + np.linalg.solve(scaled, rest)))[rows]


def test_small_loads_move_the_tip_as_on_the_beam() -> None:
    hold = fl.Support("hold", at="start")
    section = fl.RectangularSection(
        height=0.05, width=0.03, material=STEEL, offset=(0.004, 0.01)
    )
    given, expected = (
        tip_compliance(rod_model(hold, modes=m, section=section, n_elements=4))
        for m in (3, None)
    )
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(given / scale, expected / scale, rtol=0, atol=1e-10)


def test_end_moment_bends_the_body_into_the_exact_arc() -> None:
    angle = 1.0
    moment = angle * 2e11 * np.pi / 4 * 2e-3**4
    model = rod_model(
        fl.Support("hold", at="start"),
        fl.Force("turn", at="end", moment=(0.0, 0.0, moment)),
        modes=2,
    )
    tip = fl.Static().solve(model.build()).positions("end")[-1]
    np.testing.assert_allclose(
        tip, [np.sin(angle) / angle, (1 - np.cos(angle)) / angle, 0.0], atol=1e-9
    )


def state_at(results: Any, system: Any, row: int) -> State:
    records = results.records
    arrays = {
        name: getattr(records, name)[row]
        for name in ("poses", "velocities", "accelerations", "multipliers")
    }
    return State(
        time=0.0,
        increments=np.zeros_like(records.velocities[row]),
        history=system.state.history,
        **arrays,
    )


@compiled
@pytest.mark.parametrize("about_axis", ["one axis", "any axis"])
def test_spinning_body_keeps_momentum_and_does_not_grow(about_axis: str) -> None:
    spin = (0.0, 0.0, 20.0) if about_axis == "one axis" else (3.0, 5.0, 20.0)
    motion = fl.InitialMotion("spin", angular_velocity=spin, about=(0.5, 0, 0))
    section = fl.CircularSection(radius=0.01, material=STEEL)
    system = rod_model(motion, modes=4, section=section).build()
    solver = fl.Rattle()
    results = solver.solve(
        system, duration=1.0, time_step=1e-4, output=fl.Output(every=100)
    )
    assembly = Assembly(system)
    momenta = [
        momentum(assembly, state_at(results, system, row))
        for row in range(len(results.times))
    ]
    start = momenta[0]
    apart = np.abs(np.array(momenta) - start).max(axis=0)
    assert apart.max() < 1e-10 * np.abs(start).max()
    total = results.energy.total
    assert np.abs(total / total[0] - 1.0).max() < 1e-5
    half = len(total) // 2
    first, last = (np.ptp(part) for part in (total[:half], total[half:]))
    assert last < 2.0 * first + 1e-12 * total[0]
    bent = results.displacements("rod") - results.displacements("rod")[:, :1]
    assert np.isfinite(bent).all()


def slider_crank(young: float, modes: int | None) -> fl.Model:
    """A crank of 0.15 m at up to 50 rad/s and a rod of 0.3 m."""
    material = fl.Material(young=young, poisson=0.3, density=7800.0)
    mesh = fl.straight_line(
        (0.15, 0, 0), (0.45, 0, 0), n_elements=8, name="rod",
        start_name="pin", end_name="wrist",
    )  # fmt: skip
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.005, material=material)
    inertia = (1e-5, 2e-4, 2e-4)
    crank = fl.Body("crank", position=(0.075, 0, 0), mass=0.1, inertia=inertia)
    slider = fl.Body("slider", position=(0.45, 0, 0), mass=0.05, inertia=(1e-5,) * 3)
    turns = fl.Table(times=(0.0, 0.04, 0.08, 0.12), values=(0.0, 0.5, 2.0, 4.0))
    for part in (crank, slider, fl.Beam("rod", cells="rod", section=section)):
        model.add(part)
    if modes is not None:
        ports = ("pin", "wrist")
        model.add(fl.ModalBody("link", ("rod",), ports, n_modes=modes))
    z, x = (0, 0, 1), (1, 0, 0)
    motor = fl.Motor(motion=1.0, over_time=turns)
    for name, kind, ends, axis, place, drive in (
        (
            "drive",
            fl.REVOLUTE,
            (fl.GROUND, "crank"),
            z,
            0.0,
            motor,
        ),
        ("pin joint", fl.REVOLUTE, ("crank", "pin"), z, 0.15, None),
        ("wrist joint", fl.SPHERICAL, ("wrist", "slider"), z, 0.45, None),
        ("guide", fl.PRISMATIC, (fl.GROUND, "slider"), x, 0.45, None),
    ):
        joint = fl.Joint(
            name, kind, parent=ends[0], child=ends[1], axis=axis,
            position=(place, 0, 0), motor=drive,
        )  # fmt: skip
        model.add(joint)
    return model


def sag(model: fl.Model) -> Any:
    """(n, 3) way of the middle of the rod from the line between its ends."""
    solver = fl.GeneralizedAlpha(spectral_radius=0.7)
    results = solver.solve(model.build(), duration=0.12, time_step=2e-4)
    nodes = results.positions("rod")
    return nodes[:, 4] - 0.5 * (nodes[:, 0] + nodes[:, 8])


@compiled
def test_slider_crank_approaches_the_flexible_rod_with_modes_and_stiffness() -> None:
    shares = []
    for young in (2e10, 8e10, 3.2e11):
        expected = sag(slider_crank(young, None))
        size = np.abs(expected).max()
        errors = [
            np.abs(sag(slider_crank(young, modes)) - expected).max() / size
            for modes in (0, 2, 6)
        ]
        assert errors[0] > 2.0 * errors[1]
        assert errors[2] < 1.1 * errors[1]
        shares.append(errors[2])
    assert shares[0] > 2.0 * shares[1] > 4.0 * shares[2]
    assert shares[2] < 0.01


def tumbling(model: fl.Model, **options: Any) -> Any:
    duration = 0.5 if IS_COMPILED else 0.02
    solver = fl.MuntheKaas()
    return solver.solve(model.build(), duration=duration, time_step=2e-3, **options)


def test_body_with_one_interface_and_no_modes_is_rigid() -> None:
    section = fl.RectangularSection(
        height=0.05, width=0.03, material=STEEL, offset=(0.01, 0.02)
    )
    weight = fl.Gravity("weight")
    motion = fl.InitialMotion(
        "start", velocity=(1.0, 2.0, 0.5), angular_velocity=(3.0, 4.0, 5.0)
    )
    modal = rod_model(
        weight, motion, modes=0, section=section, interfaces=("start",), n_elements=3
    )
    # the height lies along z, which is axis 2 of the section; its axis 3 is -y
    mass = 7800.0 * 0.05 * 0.03
    across = np.array([0.03**2 + 0.05**2, 0.05**2, 0.03**2]) / 12.0
    # rotary inertia of the sections, and a rod of its length
    inertia = mass * (across + np.array([0.0, 1.0, 1.0]) / 12.0)
    rigid = fl.Model()
    body = fl.Body(
        "body",
        position=(0, 0, 0),
        mass=mass,
        inertia=tuple(inertia),
        center=(0.5, -0.02, 0.01),
    )
    rigid.add(body)
    rigid.add(weight)
    rigid.add(motion)
    given, expected = tumbling(modal), tumbling(rigid)
    np.testing.assert_allclose(
        given.positions("start"), expected.positions("body"), atol=1e-10
    )
    np.testing.assert_allclose(
        given.energy.kinetic, expected.energy.kinetic, rtol=1e-10
    )
    np.testing.assert_allclose(
        given.rotations("end"), expected.rotations("body"), atol=1e-10
    )


@compiled
def test_stiff_body_approaches_the_rigid_one() -> None:
    motion = fl.InitialMotion("start", angular_velocity=(3.0, 4.0, 5.0))
    gaps = []
    for young in (1e10, 1e11, 1e12):
        material = fl.Material(young=young, poisson=0.3, density=7800.0)
        section = fl.RectangularSection(height=0.05, width=0.03, material=material)
        ends = []
        for modes, ports in ((4, ("start", "end")), (0, ("start",))):
            model = rod_model(motion, modes=modes, section=section, interfaces=ports)
            solver = fl.GaussLegendre(stages=3)
            run = solver.solve(model.build(), duration=0.2, time_step=1e-3)
            ends.append(run.positions("end")[-1])
        gaps.append(np.abs(ends[0] - ends[1]).max())
    assert gaps[0] > 5.0 * gaps[1] > 25.0 * gaps[2]


def heavy_swing(**options: Any) -> fl.Model:
    section = fl.CircularSection(radius=0.01, material=STEEL, damping_time=1e-4)
    parts = (
        fl.Joint("pin", fl.SPHERICAL, parent=fl.GROUND, child="start"),
        fl.Gravity("weight", **options),
        fl.LineLoad("wind", on="rod", force=(3.0, 5.0, 0.0), moment=(0.1, 0.3, 0.0)),
    )
    return rod_model(*parts, modes=3, section=section, n_elements=4)


@compiled
def test_energy_is_balanced_with_weight_wind_and_damping() -> None:
    ramp = fl.Table(times=(0.0, 0.1), values=(0.5, 1.5))
    for options in ({}, {"over_time": ramp}):
        system = heavy_swing(**options).build()
        gaps = []
        for step in (5e-4, 2.5e-4):
            solver = fl.GaussLegendre(stages=3)
            results = solver.solve(system, duration=0.1, time_step=step)
            gaps.append(abs(results.energy.relative_balance[-1]))
        assert results.energy.dissipated[-1] > 0.0
        # the ledger sums powers by the trapezoidal rule
        assert gaps[1] < 0.3 * gaps[0]
        assert gaps[1] < 1e-6


@compiled
def test_common_velocity_changes_no_deformation() -> None:
    ends = []
    for drift in (0.0, 50.0):
        motion = fl.InitialMotion(
            "start", velocity=(drift, 0, 0), angular_velocity=(0.0, 8.0, 3.0)
        )
        section = fl.CircularSection(radius=0.01, material=STEEL)
        system = rod_model(motion, modes=3, section=section).build()
        solver = fl.GaussLegendre(stages=2)
        run = solver.solve(system, duration=0.02, time_step=1e-4)
        places = run.positions("rod")[-1]
        ends.append(places - [drift * 0.02, 0.0, 0.0])
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


METHODS = {
    "generalized-alpha": fl.GeneralizedAlpha(spectral_radius=1.0),
    "Munthe-Kaas": fl.MuntheKaas(),
    "Gauss-Legendre": fl.GaussLegendre(stages=2),
    "RATTLE": fl.Rattle(),
    "BLieDF": fl.BLieDF(),
}


def swinging(*parts: Any) -> Any:
    """A soft rod on a ball joint: periods of its modes are long beside the steps."""
    soft = fl.Material(young=1e8, poisson=0.3, density=1000.0)
    section = fl.CircularSection(radius=0.02, material=soft)
    pin = fl.Joint("pin", fl.SPHERICAL, parent=fl.GROUND, child="start")
    start = fl.InitialMotion("spin", angular_velocity=(1.0, 0.5, 2.0))
    weight = fl.Gravity("weight")
    model = rod_model(
        pin, start, weight, *parts, modes=2, section=section, n_elements=4
    )
    return model.build()


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_all_methods_move_the_body_alike(name: str) -> None:
    system = swinging()
    expected = fl.GaussLegendre(stages=3).solve(system, duration=0.05, time_step=5e-5)
    given = METHODS[name].solve(system, duration=0.05, time_step=2.5e-5)
    ends = [run.positions("rod")[-1] for run in (given, expected)]
    moved = np.abs(ends[1] - expected.positions("rod")[0]).max()
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-4 * moved)


@compiled
def test_group_of_the_frames_does_not_matter() -> None:
    ends = []
    for group in (fl.SE3, fl.SO3_R3):
        system = swinging(fl.FrameGroup("all", group=group))
        solver = fl.GaussLegendre(stages=3)
        run = solver.solve(system, duration=0.05, time_step=2.5e-4)
        ends.append(run.positions("rod")[-1])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-8)


@compiled
def test_restart_gives_the_same_digits(tmp_path: Any) -> None:
    system = swinging()
    solver = fl.GeneralizedAlpha()
    path = tmp_path / "run.h5"
    whole = solver.solve(system, duration=0.02, time_step=1e-4)
    solver.solve(system, duration=0.01, time_step=1e-4, output=fl.Output(path=path))
    rest = solver.solve(system, duration=0.02, time_step=1e-4, start=path)
    np.testing.assert_array_equal(whole.positions("rod")[-1], rest.positions("rod")[-1])
