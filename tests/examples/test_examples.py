"""Every example runs, its number holds, and its file says what its script says."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main as command
from femlie.lie import so3
from tests.oracles import chain, frame

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = sorted((REPOSITORY / "examples").glob("[0-9][0-9]_*.py"))
NAMES = [script.stem for script in SCRIPTS]
LONGEST = 60  # lines of code
LARGEST_PICTURE = 150_000  # bytes

# a file would list hundreds of parts that a loop of the script makes
WITHOUT_FILE = ("23_hanging_chain",)
every_example = pytest.mark.parametrize("name", NAMES)
every_file = pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in WITHOUT_FILE]
)


def load(name: str) -> ModuleType:
    """The script of an example as a module."""
    file = REPOSITORY / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"example_{name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Run an example as a user would in an empty folder, once for all tests."""
    done: dict[str, tuple[ModuleType, fl.Results]] = {}

    def once(name: str) -> tuple[ModuleType, fl.Results]:
        if name not in done:
            example = load(name)
            folder = tmp_path_factory.mktemp(name)
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                done[name] = example, example.main(draws=False)
            assert [path.suffix for path in folder.iterdir()] == [".h5"]
        return done[name]

    return once


@every_file
def test_file_and_script_say_the_same(name):
    example = load(name)
    file = fl.read_model(REPOSITORY / "examples" / f"{name}.toml")
    assert file.model == example.make_model()
    assert file.analysis is not None
    assert file.analysis.solver == example.SOLVER
    assert file.analysis.arguments == example.RUN


@every_example
def test_script_is_short(name):
    text = (REPOSITORY / "examples" / f"{name}.py").read_text(encoding="utf-8")
    kinds = (ast.Module, ast.FunctionDef)
    documented = [n for n in ast.walk(ast.parse(text)) if isinstance(n, kinds)]
    said: set[int] = set()
    for node in documented:
        assert ast.get_docstring(node)
        said |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(text.splitlines(), start=1)
    code = [line for k, line in lines if k not in said and line.strip()]
    assert sum(not line.lstrip().startswith("#") for line in code) <= LONGEST


@every_example
def test_gallery_shows_the_example(name):
    gallery = (REPOSITORY / "docs" / "gallery.md").read_text(encoding="utf-8")
    picture = REPOSITORY / "docs" / "pictures" / f"{name}.png"
    assert f"(pictures/{name}.png)" in gallery
    assert f"(../examples/{name}.py)" in gallery
    assert 0 < picture.stat().st_size < LARGEST_PICTURE


@every_file
def test_file_runs_from_the_command_line(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = str(REPOSITORY / "examples" / f"{name}.toml")
    # the scripts run to the end: here, the first steps will do
    is_dynamic = "duration" in load(name).RUN
    short = ["--set", "analysis.duration=0.01"] if is_dynamic else []
    assert command(["run", file, "--quiet", *short]) == 0
    results = fl.load_results(tmp_path / f"{name}_results" / "results.h5")
    assert results.summary["converged"]
    assert not results.warnings


def test_tower_leans_as_the_beam_on_springs(run):
    example, result = run("01_guyed_tower")
    moved = result.displacements("mast top")[-1, 0]
    # the estimate leaves out the force in the mast, which bows it more between the
    # stays and shortens it
    assert moved == pytest.approx(example.top_by_hand(), rel=0.02)


def test_tower_hands_the_wind_to_the_ground(run):
    example, result = run("01_guyed_tower")
    across = 0.0
    for height in (20.0, 40.0):
        for angle in (0.0, 120.0, 240.0):
            across += np.hypot(height, 20.0 * np.sin(np.radians(angle)))
    wind = 40.0 * example.WIND_ON_MAST + across * example.WIND_ON_STAYS
    ground = [result.reactions(name)[-1] for name in ("foot", "blocks")]
    total = np.vstack(ground).sum(axis=0)
    np.testing.assert_allclose(total[:2], [-wind, 0.0], rtol=1e-9, atol=1e-9 * wind)


def test_stays_of_the_tower_stay_taut(run):
    _, result = run("01_guyed_tower")
    assert result.section_forces("stays")[-1, ..., 0].min() > 0.0


def test_frame_sways_as_the_stiffness_method_says(run):
    example, result = run("02_frame_from_gmsh")
    mesh = fl.read_mesh(REPOSITORY / "meshes" / "frame_msh41.msh")
    tube = frame.tube(210e9, 0.3, outer_radius=0.05, inner_radius=0.045)
    corner = int(mesh.nodes("load point")[0])
    loads = {corner: np.array([1000.0, 0, 0, 0, 0, 0])}
    moved = frame.displacements(
        mesh.points, mesh.lines, tube, mesh.nodes("supports"), loads
    )
    exact = moved[corner, 0]
    assert pytest.approx(exact, rel=1e-5) == example.SWAY
    finer = example.make_model("frame_order2_msh41.msh").build()
    fine = example.sway_of(example.SOLVER.solve(finer))
    best = fine + (fine - example.sway_of(result)) / 3.0
    # the error left is of fourth order: (1 - best / exact) ~ (1 - fine / exact)^2
    assert best == pytest.approx(exact, rel=3e-4)


def test_feet_of_the_frame_hold_the_push(run):
    _, result = run("02_frame_from_gmsh")
    total = result.reactions("feet")[-1].sum(axis=0)[:3]
    np.testing.assert_allclose(total, [-1000.0, 0.0, 0.0], atol=1e-6)


def test_spring_bounces_with_the_period_of_a_close_coil_spring(run):
    example, motion = run("03_helix_spring")
    # slope of the wire: cos(4.5 degrees) for a close coil, and it grows in motion
    assert example.period_of(motion) == pytest.approx(
        example.period_by_hand(), rel=0.01
    )


def test_spring_comes_back_to_where_it_was_let_go(run):
    _, motion = run("03_helix_spring")
    travel = motion.joint_coordinate("guide")
    late = travel[motion.times > 0.7]
    # its own waves take a little of the energy
    assert abs(late.max()) < 0.02 * np.ptp(travel)


def test_slider_follows_the_rigid_formula_but_for_the_bow_of_the_rod(run):
    example, motion = run("04_slider_crank")
    angle = motion.joint_coordinate("front bearing")
    away = motion.positions("slider")[:, 0] - example.rigid_slider(angle)
    assert np.abs(away).max() < 1e-4 * example.ROD
    assert angle[-1] == pytest.approx(5.5 * np.pi, abs=1e-9)


def test_crank_has_five_redundant_rows():
    example = load("04_slider_crank")
    system = example.make_model().build(folder=REPOSITORY / "examples")
    assert system.n_redundant == 5


def test_both_bearings_carry_what_one_alone_would(run):
    example, motion = run("04_slider_crank")
    model = example.make_model()
    del model.parts["back bearing"]
    system = model.build(folder=REPOSITORY / "examples")
    assert system.n_redundant == 0
    alone = example.SOLVER.solve(system, **{**example.RUN, "duration": 0.2})
    single = alone.reactions("front bearing")[:, :3]
    both = example.bearing_force(motion)[: len(single)]
    assert np.abs(both - single).max() < 1e-6 * np.abs(single).max()


def test_housing_weighs_what_its_shape_says():
    example = load("04_slider_crank")
    system = example.make_model().build(folder=REPOSITORY / "examples")
    bearing = 0.03 * (0.5 * np.pi * 0.05**2 + 0.1 * 0.25 - np.pi * 0.025**2)
    blocks = 1.15 * 0.27 * 0.04 + 0.38 * 0.06 * 0.2 + 0.02 * 0.1 * 0.31
    mass = 7200.0 * (2.0 * bearing + blocks)
    # arcs are cut by 24 facets on a half turn
    assert system.summary["mass_by_part"]["housing"] == pytest.approx(mass, rel=1e-3)


def test_rod_spring_and_buffer_accelerate_the_slider(run):
    _, motion = run("04_slider_crank")
    travel, rate = motion.joint_coordinate("guide"), motion.joint_rate("guide")
    mass = 2700.0 * 0.1 * 0.06 * 0.1
    rod = motion.reactions("slider hinge", on="parent")[:, 0]
    spring = 300.0 * (0.93 - 0.70 - travel - 0.2) - 3.0 * rate
    depth = np.maximum(-0.28 - travel, 0.0)
    buffer = np.maximum(2e4 * depth * (1.0 - 0.5 * rate), 0.0)
    assert buffer.max() > 300.0
    inertia = mass * motion.accelerations("slider")[:, 0]
    left = inertia - rod - spring - buffer
    assert np.abs(left).max() < 1e-6 * np.abs(inertia).max()


@pytest.mark.slow
def test_pendulum_swings_as_the_chain_of_masses(run):
    example, motion = run("05_rubber_pendulum")
    area = np.pi * 5e-3**2
    rod = chain.Rod(
        1.0, 1100.0 * area, 5e6 * area, 0.25 * 5e6 * area * 5e-3**2, 0.05, 2e-6, 9.81
    )
    times = np.linspace(0.0, 1.0, 1001)
    coarse, fine = (chain.bob_path(rod, n, times) for n in (40, 80))
    best = fine + (fine - coarse) / 3.0
    assert pytest.approx(best[:, 1].min(), abs=1e-4) == example.LOWEST
    model = example.make_model()
    ends = {"name": "rod", "start_name": "root", "end_name": "tip"}
    model.mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=80, **ends)
    finer = example.SOLVER.solve(model.build(), **example.RUN).positions("bob")
    assert np.abs(finer[:, [0, 2]] - best).max() < 1e-3
    assert np.abs(motion.positions("bob")[:, [0, 2]] - best).max() < 1e-2


def test_pendulum_keeps_its_energy_and_finds_its_lowest_point(run):
    example, motion = run("05_rubber_pendulum")
    assert motion.positions("bob")[:, 2].min() == pytest.approx(
        example.LOWEST, abs=2e-3
    )
    assert np.ptp(motion.energy.total) < 1e-3 * motion.energy.kinetic.max()


def test_heavy_top_is_where_the_benchmark_says(run):
    example, motion = run("06_heavy_top")
    place = motion.sensor("mass center")[-1]
    # order 4: 0.15 rad of spin in a millisecond, 2000 steps of 0.075 rad
    assert np.linalg.norm(place - example.PLACE) < 2e-5
    assert motion.summary["constraint_error"] < 1e-12


def test_crossed_rods_press_as_the_exact_equations_say(run):
    example, result = run("30_crossed_rods")
    force = result.contact.total("crossing")[-1]
    assert force[2] == pytest.approx(example.FORCE, rel=0.01)
    # small deflections are far off
    assert example.linear_force() < 0.6 * example.FORCE


def test_twisted_rods_press_as_helices(run):
    example, result = run("31_twisted_ply")
    assert result.summary["refused_steps"] == 0
    pressure = result.contact.pressures("first")[-1, example.N // 2, 0]
    assert pressure == pytest.approx(example.pressure_by_hand(result), rel=0.005)
    forces = [
        result.contact.forces(name)[-1].sum(axis=0) for name in ("first", "second")
    ]
    np.testing.assert_allclose(forces[0], -forces[1], atol=1e-9 * pressure)


def test_tension_of_a_rope_on_a_drum_grows_as_that_of_a_belt(run):
    example, result = run("32_rope_over_drum")
    closed = example.FRICTION * example.DRUM / (example.DRUM + example.ROPE)
    assert example.exponent(result) == pytest.approx(closed, rel=0.02)
    tension = result.section_forces("rope", at="middle")[-1, :, 0]
    ratio = tension[-1] / tension[0]
    assert ratio == pytest.approx(np.exp(closed * np.pi), rel=0.02)


def test_falling_chain_hits_when_it_must_and_stays_out_of_bars_and_floor(run):
    example, motion = run("33_falling_chain")
    row = 8 * example.RUN["time_step"]
    assert example.FALL <= example.first_impact(motion) <= example.FALL + row
    for name in ("impact", "landing"):
        assert motion.contact.smallest_gap(name).min() > -1e-9
    assert motion.contact.total_size("landing").max() > 0.0
    energy = motion.energy
    lost = energy.total[0] - energy.total[-1]
    booked = energy.impact_loss - energy.correction_work + energy.numerical_dissipation
    assert lost == pytest.approx(booked[-1], rel=1e-9)
    assert np.all(np.diff(energy.impact_loss) >= -1e-12)
    assert energy.total.max() <= energy.total[0] + 1e-9


def test_strand_is_as_stiff_as_thin_wires_and_friction_takes_work(run):
    example, result = run("34_seven_wire_strand")
    pulled = int(np.argmin(np.abs(result.times - 0.2)))
    stretch = result.displacements("head")[pulled, 0] / example.LAY
    assert stretch == pytest.approx(example.stretch_by_hand(), rel=0.01)
    angle, moment = example.loop(result)
    low, high = (example.angle_by_hand(sticks=sticks) for sticks in (True, False))
    assert low < angle[0] < high
    # friction takes work, and less than the moment does in all
    work = np.trapezoid(moment, angle)
    assert 0.0 < work < np.abs(np.diff(angle)) @ np.abs(moment[1:])


def test_ball_rolls_and_rod_slides_as_fast_as_they_must(run):
    example, motion = run("35_ball_and_rod_on_a_slope")
    duration = motion.times[-1]
    for name, by_hand in zip(
        ("center", "head"), example.accelerations_by_hand(), strict=True
    ):
        velocity = motion.velocities(name, frame="world")[-1, 0]
        assert velocity / duration == pytest.approx(by_hand, rel=1e-3)
    states = motion.contact.states("rod")[1:]
    assert states.min() == 2
    assert motion.contact.states("tail")[1:].max() == 1
    mass = 700.0 * np.pi * example.ROD**2 * 0.3
    way = motion.displacements("head")[-1, 0]
    push = example.FRICTION * mass * -example.GRAVITY[2] / example.COS_Q
    assert motion.energy.friction_loss[-1] == pytest.approx(push * way, rel=5e-3)


def test_knot_is_pulled_as_a_circle_and_by_both_tails_alike(run):
    example, motion = run("37_overhand_knot")
    pull, by_hand = example.pull_and_circle(motion)
    # the rope is a 22nd of the circle thick: a quarter more than of a thin one
    assert 1.0 < pull / by_hand < 1.4
    forces = motion.section_forces("rope", at="middle")[motion.times > 1.1]
    # the loop chatters on itself, so that its tails differ by some percent
    assert forces[:, -5:, 0].mean() == pytest.approx(pull, rel=0.15)
    assert motion.contact.smallest_gap("knot").min() > -0.02 * example.RADIUS


def test_door_meets_wall_and_frame_with_the_speeds_of_its_energies(run):
    example, motion = run("38_door")
    rate = motion.joint_rate("lower hinge")
    force = motion.joints.stop_force("lower hinge")
    hits = [np.flatnonzero(found)[0] for found in (force < 0.0, force > 0.0)]
    speeds = np.abs(rate[[k - 1 for k in hits]])
    np.testing.assert_allclose(speeds, example.speeds_by_hand(), rtol=1e-3)
    restitutions = np.array([example.WALL, example.FRAME])
    np.testing.assert_allclose(np.abs(rate[hits]), restitutions * speeds, rtol=5e-3)
    held = force[-1] + motion.joints.friction("lower hinge")[-1]
    np.testing.assert_allclose(held, example.STIFFNESS * example.WOUND, rtol=1e-6)


def test_yarn_is_stopped_by_impulses_of_its_momentum(run):
    example, motion = run("36_yarn_on_cylinder")
    row = 8 * example.RUN["time_step"]
    hit = motion.times[motion.contact.total_size("drape") > 0.0][0]
    assert example.FALL <= hit <= example.FALL + row
    mass = example.RUBBER.density * np.pi * example.RADIUS**2 * example.LENGTH
    momentum = example.momentum(motion) + 9.81 * mass * example.RUN["duration"]
    assert example.impulse(motion) == pytest.approx(momentum, rel=0.01)
    assert motion.contact.smallest_gap("drape").min() > -1e-9
    assert motion.energy.total.max() <= motion.energy.total[0] + 1e-9


def stroke_of_the_press(example: ModuleType) -> float:
    """Way of the slider in a turn of the crank, by circles that meet."""
    middle = {name: complex(*place[:2]) for name, place in example.MIDDLE.items()}
    along = complex(*example.half("link 2")[:2])
    reach = complex(*example.half("crank")[:2])
    foot, knee = middle["link 2"] - along, middle["link 2"] + along
    shaft, first = middle["crank"] - reach, middle["crank"] + reach
    pin = middle["slider"]
    elbow = 2.0 * middle["link 5"] - pin
    rocker, plate, rod = abs(knee - foot), abs(first - knee), abs(pin - elbow)
    before, places = knee, []
    for angle in np.linspace(0.0, 2.0 * np.pi, 20001):
        crank = shaft + 2.0 * reach * np.exp(1j * angle)
        length = abs(crank - foot)
        x = (rocker**2 - plate**2 + length**2) / (2.0 * length)
        y = np.sqrt(rocker**2 - x**2)
        ends = [foot + (x + s * y) * (crank - foot) / length for s in (1j, -1j)]
        before = min(ends, key=lambda end: abs(end - before))
        turn = (crank - before) / (first - knee)
        far = before + turn * (elbow - knee)
        places.append(far.imag - np.sqrt(rod**2 - (pin.real - far.real) ** 2))
    return float(np.ptp(places))


def test_press_has_the_stroke_of_plane_geometry(run):
    example, motion = run("20_six_bar_press")
    turning = motion.times > 1.0
    stroke = np.ptp(motion.positions("slider")[turning, 1])
    # the extremes lie between output rows
    assert stroke == pytest.approx(stroke_of_the_press(example), abs=1e-5)


def test_motor_of_the_press_does_the_work_of_its_kinetic_energy(run):
    _, motion = run("20_six_bar_press")
    kinetic = motion.records.energies[:, 0]
    work = motion.records.energies[:, 4]
    assert np.abs(work - kinetic).max() < 1e-4 * kinetic.max()


def test_joints_of_the_press_peak_with_the_acceleration_of_its_slider(run):
    _, motion = run("20_six_bar_press")
    turning = motion.times > 1.0
    times = motion.times[turning]
    pushed = np.abs(motion.accelerations("slider")[turning, 1])
    for name in ("C", "E"):
        force = np.linalg.norm(motion.reactions(name)[turning, :3], axis=1)
        assert abs(times[force.argmax()] - times[pushed.argmax()]) < 0.01
    torque = np.abs(motion.reactions("O")[turning, 5])
    assert 0.03 < times[pushed.argmax()] - times[torque.argmax()] < 0.12


def test_tool_of_the_arm_follows_the_circle(run):
    example, motion = run("21_robot_arm")
    place = motion.positions("tool")
    away = place - place[0] - example.circle(motion.times)
    assert np.linalg.norm(away, axis=1).max() < 1e-5
    robot = fl.read_urdf(example.URDF, folder=example.HERE)
    meshed = so3.exp(np.array(robot.parts["tool"].orientation))
    turned = motion.rotations("tool") - meshed
    assert np.abs(turned).max() < 1e-4


def test_motors_of_the_arm_hold_its_weight_at_rest(run):
    """At rest, the second motor carries the moment of all that hangs on it."""
    example, motion = run("21_robot_arm")
    robot = fl.read_urdf(example.URDF, folder=example.HERE)
    moment = 0.0
    for name in ("link_2", "link_3", "link_4", "link_5", "link_6", "gripper"):
        body = robot.parts[name]
        turn = motion.rotations(name)[0]
        moment += 9.81 * body.mass * (motion.positions(name)[0] + turn @ body.center)[0]
    # weight turns the arm down about the positive axis, the motor holds against it
    motor = example.make_model().parts["joint_2"].motor
    assert motor.over_time.values[0] == pytest.approx(-moment, abs=1e-4)


def test_angles_of_the_squeezer_are_the_published_ones(run):
    example, motion = run("22_squeezer")
    crank = example.BETA + motion.joint_coordinate("shaft")[-1]
    coupler = motion.joint_coordinate("pin")[-1]
    assert crank == pytest.approx(example.CRANK, abs=1e-8)
    assert coupler == pytest.approx(example.COUPLER, abs=1e-8)


def test_motor_of_the_squeezer_does_the_work_that_its_bodies_and_spring_gain(run):
    _, motion = run("22_squeezer")
    turn = motion.joint_coordinate("shaft")
    energies = motion.records.energies
    gained = energies[:, 0] + energies[:, 1] + energies[:, 2]
    work = 0.033 * (turn - turn[0])
    assert np.abs(gained - gained[0] - work).max() < 1e-6 * work.max()


def test_chain_swings_with_the_period_of_a_rope(run):
    example, motion = run("23_hanging_chain")
    # rods of length h are 0.01 % off at 256 of them; a row comes every 10 ms
    assert 4.0 * example.quarter(motion) == pytest.approx(example.PERIOD, rel=1e-3)
    total = motion.energy.total
    assert np.ptp(total) < 1e-8 * motion.energy.kinetic.max()
