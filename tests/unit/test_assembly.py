"""Assembly: elements added up, locked directions left out, asking is free."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import STATIC, Assembly, eq_view
from femlie.elements import base
from femlie.lie import se3
from femlie.system import State, System

RUBBER = fl.Material(young=5e6, poisson=0.45, density=1100.0)
ROUND = fl.CircularSection(radius=0.05, material=RUBBER, damping_time=1e-3)


def frame_model() -> System:
    """Two beams, a clamp, a hinge, a bob and its weight."""
    points = [[0, 0, 0], [1, 0, 0], [2, 0.3, 0], [2, 0.3, 1]]
    mesh = fl.mesh_from_arrays(
        points,
        [[0, 1], [1, 2], [2, 3]],
        node_groups={"root": [0], "middle": [1], "tip": [3]},
        line_groups={"arm": [0, 1], "post": [2]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("arm", cells="arm", section=ROUND))
    model.add(fl.Beam("post", cells="post", section=ROUND, drag=1.0))
    model.add(fl.Support("clamp", at="root"))
    model.add(fl.Body("bob", position=(2, 0.3, 1.2), mass=2.0, inertia=(1, 1, 1)))
    model.add(fl.Joint("hinge", fl.REVOLUTE, parent="tip", child="bob", axis=(0, 1, 0)))
    model.add(fl.Gravity("weight"))
    model.add(fl.Force("push", at="middle", force=(1.0, 2.0, 3.0), follower=True))
    return model.build()


def in_motion(system: System, seed: int = 3) -> State:
    rng = np.random.default_rng(seed)
    state = system.state
    free = system.dofs.numbers >= 0
    n = len(free)

    def some(scale: float) -> Any:
        return np.where(free, scale * rng.normal(size=(n, 6)), 0.0)

    step = se3.pose_from_frame(se3.exp(some(0.1)))
    return State(
        time=0.3,
        poses=se3.compose_poses(state.poses, step),
        velocities=some(1.0),
        accelerations=some(1.0),
        multipliers=rng.normal(size=system.dofs.n_multipliers),
        increments=some(0.2),
        history=state.history,
    )


SYSTEM = frame_model()
ASSEMBLY = Assembly(SYSTEM)
STATE = in_motion(SYSTEM)


def dense_sum(level: int, weights: tuple[float, float, float]) -> tuple[Any, Any]:
    """All blocks, one element after another, into vectors with nothing locked."""
    n_frames = len(STATE.poses)
    size = 6 * n_frames + SYSTEM.dofs.n_multipliers
    total, matrix = np.zeros(size), np.zeros((size, size))
    motion = ASSEMBLY.motion(STATE)
    first = 6 * n_frames
    for block in SYSTEM.blocks:
        m = block.n_multipliers
        for i in range(block.n_elements):
            wrench = (6 * block.frames[i][:, None] + np.arange(6)).ravel()
            rows = np.concatenate([wrench, first + np.arange(m)])
            first += m
            width = rows.size
            data = base.BlockData(
                block.frames[i : i + 1],
                block.codes[i : i + 1],
                block.parameters[i : i + 1],
                np.zeros((1, block.n_history)),
                np.zeros((1, block.n_iterates)),
                np.arange(width)[None, :],
                np.arange(width**2, dtype=np.uint32)[None, :],
            )
            target = base.Target(
                np.zeros(width + 1), np.zeros(width**2 + 1), np.zeros(4)
            )
            block.kernels[0](motion, data, target, level, *weights)
            total[rows] += target.residual[:width]
            matrix[np.ix_(rows, rows)] += target.data[:-1].reshape(width, width)
    return total, matrix


def free_rows() -> Any:
    numbers = SYSTEM.dofs.numbers.ravel()
    places = np.flatnonzero(numbers >= 0)
    own = numbers.size + np.arange(SYSTEM.dofs.n_multipliers)
    return np.concatenate([places[np.argsort(numbers[places])], own])


@pytest.mark.parametrize("level", range(3))
def test_residual_and_tangent_are_the_sums_over_elements(level: int) -> None:
    total, matrix = dense_sum(level, (2.0, 3.0, 4.0))
    free = free_rows()
    np.testing.assert_allclose(
        ASSEMBLY.residual(STATE, level), total[free], rtol=1e-12, atol=1e-9
    )
    given = ASSEMBLY.tangent(STATE, level, mass=2.0, damping=3.0, stiffness=4.0)
    expected = matrix[np.ix_(free, free)]
    np.testing.assert_allclose(
        given.toarray(), expected, rtol=0, atol=1e-12 * np.abs(expected).max()
    )


def test_locked_directions_have_no_rows() -> None:
    assert np.all(SYSTEM.dofs.numbers[0] == -1)
    clamped = SYSTEM.catalog.locked["clamp"]
    assert len(clamped) == 6
    for frame, direction in clamped:
        assert SYSTEM.dofs.numbers[frame, direction] == -1
    free = int(np.sum(SYSTEM.dofs.numbers >= 0))
    assert ASSEMBLY.residual(STATE).size == free + SYSTEM.dofs.n_multipliers


def test_asking_changes_nothing() -> None:
    before = {
        name: np.copy(value) for name, value in vars(STATE).items() if name != "history"
    }
    first = ASSEMBLY.residual(STATE)
    ASSEMBLY.tangent(STATE, mass=1.0)
    ASSEMBLY.tangent(STATE, regime=STATIC)
    ASSEMBLY.retract(STATE, np.ones(first.size))
    np.testing.assert_array_equal(ASSEMBLY.residual(STATE), first)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(STATE, name), value)


def test_retraction_goes_along_the_local_increment() -> None:
    step = 1e-3 * np.random.default_rng(1).normal(size=ASSEMBLY.residual(STATE).size)
    whole = ASSEMBLY.retract(STATE, step)
    half = ASSEMBLY.retract(STATE, step, 0.5)
    twist = np.zeros_like(STATE.velocities)
    free = SYSTEM.dofs.numbers >= 0
    twist[free] = step[SYSTEM.dofs.numbers[free]]
    moved = se3.frame_from_pose(STATE.poses) @ se3.exp(twist)
    # the path of increments is straight in the increment, not in the frame
    np.testing.assert_allclose(whole.frames, moved, atol=3e-6)
    first = SYSTEM.dofs.n_frame_rows
    np.testing.assert_allclose(whole.multipliers, STATE.multipliers + step[first:])
    change = whole.increments - STATE.increments
    np.testing.assert_allclose(half.increments, STATE.increments + 0.5 * change)
    inverse = se3.tangent_operator_inverse(STATE.increments)
    np.testing.assert_allclose(change, np.einsum("nij,nj->ni", inverse, twist))


def test_increments_lead_from_the_last_accepted_step() -> None:
    motion = ASSEMBLY.motion(STATE)
    step = se3.pose_from_frame(se3.exp(STATE.increments))
    reached = se3.frame_from_pose(se3.compose_poses(motion.bases, step))
    np.testing.assert_allclose(reached, STATE.frames, atol=1e-14)


def test_static_retraction_is_the_exponential_of_the_increment() -> None:
    step = 0.2 * np.random.default_rng(1).normal(size=ASSEMBLY.residual(STATE).size)
    still = State(**{**vars(STATE), "increments": np.zeros_like(STATE.increments)})
    moved = ASSEMBLY.retract(still, step, regime=STATIC)
    twist = np.zeros_like(STATE.velocities)
    free = SYSTEM.dofs.numbers >= 0
    twist[free] = step[SYSTEM.dofs.numbers[free]]
    np.testing.assert_allclose(
        moved.frames, se3.frame_from_pose(STATE.poses) @ se3.exp(twist), atol=1e-13
    )
    assert not np.any(moved.increments)


def test_constant_loads_ride_on_the_load_factor_in_statics_only() -> None:
    still = np.zeros_like(STATE.velocities)
    for time in (0.0, 0.5):
        state = State(
            **{
                **vars(SYSTEM.state),
                "time": time,
                "velocities": still,
                "accelerations": still,
            }
        )
        static = ASSEMBLY.residual(state, regime=STATIC)
        dynamic = ASSEMBLY.residual(state)
        np.testing.assert_allclose(static, time * dynamic, atol=1e-9)


def test_state_comes_back_as_it_went_in() -> None:
    back = ASSEMBLY.state(ASSEMBLY.motion(STATE))
    for name, value in vars(STATE).items():
        if name != "history":
            np.testing.assert_array_equal(getattr(back, name), value)


def test_history_is_a_value_of_the_state() -> None:
    (b,) = [k for k, block in enumerate(SYSTEM.blocks) if block.n_history]
    turned = list(STATE.history)
    turned[b] = STATE.history[b] + 4.0 * np.pi
    later = State(**{**vars(STATE), "history": tuple(turned)})
    ASSEMBLY.motion(later)
    np.testing.assert_array_equal(eq_view(ASSEMBLY.equations, b, "history"), turned[b])
    ASSEMBLY.motion(STATE)
    given = eq_view(ASSEMBLY.equations, b, "history")
    np.testing.assert_array_equal(given, STATE.history[b])


def test_compiled_driver_and_python_see_the_same_arrays() -> None:
    for name, mine in ASSEMBLY.equations._asdict().items():
        if name not in ("functions", "signal_functions"):
            assert getattr(ASSEMBLY.compiled_equations, name) is mine


def test_a_static_assembly_answers_as_any_other() -> None:
    still = replace(STATE, velocities=0.0 * STATE.velocities)
    static = Assembly(ASSEMBLY.system, regime=STATIC)
    matrix = ASSEMBLY.tangent(still, regime=STATIC).toarray()
    given = static.tangent(still).toarray()
    np.testing.assert_allclose(given, matrix, rtol=0, atol=1e-14 * np.abs(matrix).max())
    expected = ASSEMBLY.residual(still, regime=STATIC)
    np.testing.assert_allclose(static.residual(still), expected, rtol=1e-13, atol=1e-12)
