"""The same mechanics along a tree and with all frames as unknowns."""

from __future__ import annotations

import inspect
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._equations import evaluate_blocks, update_signals
from femlie._jit import IS_COMPILED
from femlie.assembly import Assembly
from femlie.solvers.march import NOW, Recorder, observe, run
from femlie.solvers.start import KktSolver, accelerations, constraint_rows
from femlie.solvers.tree_inertia import TreeInertia
from tests.property.tree_models import MODELS

# importing the module by its name would hide the function of that name in femlie
momentum = vars(inspect.getmodule(fl.compare))["momentum"]
N_STATES = 20 if IS_COMPILED else 3
TOLERANCE = 1e-10
# reactions of these are not unique
REDUNDANT = ("planar_four_bar",)


def random_state(tree: fl.Tree, seed: int) -> fl.TreeState:
    """Coordinates moved by up to a half, loops closed again, rates of order one."""
    rng = np.random.default_rng(seed)
    is_flexible = bool(tree.system.catalog.beam_ranges)
    size = 0.05 if is_flexible else 0.5
    if tree.loop_multipliers.size:
        size = min(size, 0.1)
    state = tree.moved(
        tree.start,
        step=size * rng.normal(size=tree.n_coordinates),
        rates=rng.normal(size=tree.n_coordinates),
    )
    state = fl.TreeState(state.frames, state.rates, 0.3, state.history)
    return fl.assemble(tree, state).state if tree.loop_multipliers.size else state


def absolute_motion(tree: fl.Tree, state: fl.TreeState) -> Any:
    """Accelerations and multipliers of the absolute form at the same state."""
    system = tree.system
    tree.place(state)
    own = tree.problem.motion
    assembly = Assembly(system)
    motion = assembly.motion(system.state)
    motion.time[0] = state.time
    for name in ("poses", "bases", "velocities"):
        getattr(motion, name)[:] = getattr(own, name)
    run(assembly, update_signals, motion)
    accelerations(assembly, motion)
    return assembly, motion


def assert_same(given: Any, expected: Any) -> None:
    scale = float(np.abs(expected).max(initial=1e-300))
    np.testing.assert_allclose(given, expected, rtol=0, atol=TOLERANCE * scale)


@pytest.fixture(scope="module", params=MODELS)
def tree(request: Any) -> fl.Tree:
    return fl.Tree(MODELS[request.param]().build())


def test_accelerations_and_reactions(tree: fl.Tree, request: Any) -> None:
    for seed in range(N_STATES):
        state = random_state(tree, seed)
        assembly, motion = absolute_motion(tree, state)
        if motion.multipliers.size:
            for level in (0, 1):
                gaps = constraint_rows(assembly, motion, level)
                assert np.abs(gaps).max() < 1e-11
        found = tree.forward_dynamics(state)
        assert_same(found.accelerations, motion.accelerations)
        if request.node.callspec.params["tree"] not in REDUNDANT:
            whole = tree.state(state, found)
            if motion.multipliers.size:
                assert_same(whole.multipliers, motion.multipliers)


def test_energies_and_wrenches_of_supports(tree: fl.Tree) -> None:
    state = random_state(tree, 100)
    assembly, motion = absolute_motion(tree, state)
    found = tree.results(state, tree.forward_dynamics(state))
    recorder = Recorder(assembly, capacity=2)
    energies = np.zeros(6)
    run(assembly, observe, motion, recorder.buffer, energies)
    assert_same(found.records.energies[0, :3], energies[:3])
    recorder.take(motion, np.zeros(NOW))
    expected = recorder.finish()
    if expected.reactions.size:
        assert_same(found.records.reactions, expected.reactions)


def test_kinetic_energy_is_that_of_the_joint_space_mass_matrix(tree: fl.Tree) -> None:
    if tree.driven:
        pytest.skip("driven joints move besides")
    state = random_state(tree, 101)
    mass = tree.matrices(state).mass_matrix()
    found = tree.results(state, tree.forward_dynamics(state))
    kinetic = float(found.records.energies[0, 0])
    assert 0.5 * state.rates @ mass @ state.rates == pytest.approx(kinetic, rel=1e-11)


def test_inverse_dynamics_undoes_forward_dynamics(tree: fl.Tree) -> None:
    rng = np.random.default_rng(5)
    state = random_state(tree, 102)
    forces = rng.normal(size=tree.n_coordinates)
    found = tree.forward_dynamics(state, forces=forces)
    if tree.loop_multipliers.size:
        return
    back = tree.inverse_dynamics(state, found.second_rates)
    scale = float(np.abs(back.wrenches).max())
    np.testing.assert_allclose(back.forces, forces, rtol=0, atol=TOLERANCE * scale)


def test_many_states_are_answered_as_one_by_one(tree: fl.Tree) -> None:
    states = [random_state(tree, 200 + i) for i in range(3)]
    many = fl.TreeState(
        frames=np.array([s.frames for s in states]),
        rates=np.array([s.rates for s in states]),
        time=0.3,
        history=states[0].history,
    )
    together = tree.forward_dynamics(many)
    for i, state in enumerate(states):
        alone = tree.forward_dynamics(state)
        np.testing.assert_array_equal(together.second_rates[i], alone.second_rates)


def test_derivatives_of_inverse_dynamics(tree: fl.Tree) -> None:
    if tree.loop_multipliers.size:
        pytest.skip("for models without loops")
    state = random_state(tree, 103)
    rng = np.random.default_rng(6)
    second = rng.normal(size=tree.n_coordinates)
    found = tree.matrices(state).inverse_dynamics_derivatives(second)
    h = 1e-4

    def forces(direction: Any, scale: float, *, of_rates: bool) -> Any:
        moved = tree.moved(
            state,
            step=None if of_rates else scale * h * direction,
            rates=state.rates + (scale * h * direction if of_rates else 0.0),
        )
        return tree.inverse_dynamics(moved, second).forces

    for of_rates, columns in ((False, found.by_coordinates), (True, found.by_rates)):
        for k in range(tree.n_coordinates):
            e = np.eye(tree.n_coordinates)[k]
            steps = [forces(e, s, of_rates=of_rates) for s in (1, -1, 2, -2)]
            slope = (8.0 * (steps[0] - steps[1]) - (steps[2] - steps[3])) / (12.0 * h)
            scale = 1.0 + float(np.abs(columns).max())
            np.testing.assert_allclose(columns[:, k], slope, rtol=0, atol=2e-9 * scale)


def test_flexible_slider_crank_with_a_redundant_hinge_and_a_stop() -> None:
    path = Path(__file__).parents[2] / "examples"
    script = runpy.run_path(str(path / "04_slider_crank.py"))
    tree = fl.Tree(script["make_model"]().build(folder=path))
    assert tree.driven == ("front bearing",)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n = tree.n_coordinates
        state = tree.moved(
            tree.start, step=1e-3 * rng.normal(size=n), rates=0.1 * rng.normal(size=n)
        )
        state = fl.assemble(tree, replace(state, time=0.3)).state
        assembly, motion = absolute_motion(tree, state)
        found = tree.forward_dynamics(state)
        assert_same(found.accelerations, motion.accelerations)
        # which bearing carries how much is not unique: both shares balance the rest
        motion.multipliers[:] = tree.state(state, found).multipliers
        run(assembly, evaluate_blocks, motion, assembly.target, 0, 0.0, 0.0, 0.0)
        left = assembly.target.residual[: tree.system.dofs.n_frame_rows]
        assert np.abs(left).max() < TOLERANCE * np.abs(motion.multipliers).max()


@pytest.mark.parametrize("name", ["modal_robot", "floating_modal_body"])
def test_momentum_of_modal_bodies_is_that_of_the_absolute_form(name: str) -> None:
    tree = fl.Tree(MODELS[name]().build())
    state = random_state(tree, 104)
    assembly, motion = absolute_motion(tree, state)
    expected = momentum(assembly, assembly.state(motion))
    assert_same(tree.matrices(state).centroidal_momentum()[:3], expected[:3])


@pytest.mark.parametrize(
    "name", ["modal_robot", "held_modal_body", "floating_modal_body"]
)
def test_centroidal_matrix_counts_what_modal_bodies_share(name: str) -> None:
    tree = fl.Tree(MODELS[name]().build())
    state = random_state(tree, 105)
    matrices = tree.matrices(state)
    given = matrices.centroidal_matrix() @ state.rates
    assert_same(given, matrices.centroidal_momentum())


@pytest.mark.parametrize("name", ["modal_robot", "modal_slider_crank"])
@pytest.mark.skipif(not IS_COMPILED, reason="two runs")
def test_modal_bodies_move_alike_in_both_formulations(name: str) -> None:
    system = MODELS[name]().build()
    ends = []
    for formulation in (fl.TREE, fl.ABSOLUTE):
        solver = fl.GaussLegendre(stages=2, formulation=formulation)
        results = solver.solve(system, duration=0.02, time_step=1e-4)
        ends.append(results.whole_records.poses[-1])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)


def test_inertia_along_the_tree_is_that_of_the_whole_matrix(tree: fl.Tree) -> None:
    """What explicit methods ask for the fastest mode, without a matrix."""
    system = tree.system
    assembly = Assembly(system)
    motion = assembly.motion(system.state)
    motion.velocities[:] = 0.0
    first = system.dofs.n_frame_rows
    rhs = np.zeros(system.dofs.n_rows)
    rhs[:first] = np.random.default_rng(8).normal(size=first)
    expected = KktSolver(assembly, motion).solve(rhs)[:first]
    found = TreeInertia(assembly, motion).solve(rhs)
    # a mechanism that its motor drives does not move at all
    scale = max(float(np.abs(expected).max()), 1.0)
    np.testing.assert_allclose(found[:first], expected, rtol=0, atol=TOLERANCE * scale)
    assert not found[first:].any()
