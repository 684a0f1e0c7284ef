"""Invariance and path independence of statics (Crisfield and Jelenic 1999).

Their curved cantilever is Bathe and Bolourchi's bend here. Tolerances are those of the
four properties: rounding for rigid motions and closed loops, the solver's own 1e-10 for
paths that reach the same state.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import STATIC, Assembly
from femlie.lie import se3
from tests.validation.models import bend_45, end, push, solve


def rigidly_moved(state, frame):
    """The state with all frames moved by a (4, 4) frame."""
    moved = frame @ state.frames[1:]
    poses = state.poses.copy()
    poses[1:] = se3.pose_from_frame(moved)
    return dataclasses.replace(state, poses=poses)


@pytest.mark.parametrize("shift", [0.0, 1.0, 10.0])
def test_a_rigid_motion_leaves_forces_and_tangent_as_they_are(shift, rng):
    model = bend_45(8)
    model.parts.pop("clamp")
    system = model.build()
    assembly = Assembly(system)
    strained = assembly.retract(
        system.state, 0.05 * rng.standard_normal(system.dofs.n_rows)
    )
    twist = np.concatenate(
        [shift * system.size * rng.standard_normal(3), [1.0, -2.0, 0.7]]
    )
    moved = rigidly_moved(strained, se3.exp(twist))
    before = assembly.residual(strained, regime=STATIC)
    after = assembly.residual(moved, regime=STATIC)
    sizes = np.array(assembly.target.scales[:2]) + 1e-300
    # places far from the origin are rounded more coarsely
    allowed = 1e-12 * sizes[0] * (1.0 + shift)
    np.testing.assert_allclose(after, before, rtol=0.0, atol=allowed * system.size)
    first = assembly.tangent(strained, regime=STATIC).toarray()
    second = assembly.tangent(moved, regime=STATIC).toarray()
    size = np.abs(first).max()
    np.testing.assert_allclose(second, first, rtol=0.0, atol=1e-12 * size * (1 + shift))


def test_strain_energy_stays_while_the_clamp_turns_ten_times():
    # the follower force is complete at a tenth; the clamp turns by 20 pi all the time
    model = bend_45(8)
    model.parts.pop("clamp")
    model.add(fl.Support("clamp", at="root", rotation=(0, 0, 20.0 * np.pi)))
    loading = fl.Table(times=(0.0, 0.1), values=(0.0, 1.0))
    model.add(
        fl.Force(
            "push", at="tip", force=(0, 0, 600.0), follower=True, over_time=loading
        )
    )
    results = solve(model, load_steps=100, checks_stability=False)
    strain = results.energy.strain[results.times > 0.1 - 1e-9]
    assert strain.size >= 90
    np.testing.assert_allclose(strain, strain[0], rtol=1e-12)


def two_loads(first: tuple, second: tuple) -> fl.Model:
    model = bend_45(8)
    up, down = first, second
    model.add(fl.Force("up", at="tip", force=(0, 0, 600.0), over_time=up))
    model.add(fl.Force("side", at="middle", force=(-300.0, 200.0, 0), over_time=down))
    return model


def test_the_order_of_two_loads_does_not_matter():
    early = fl.Table(times=(0.0, 0.5), values=(0.0, 1.0))
    late = fl.Table(times=(0.5, 1.0), values=(0.0, 1.0))
    ways = [
        end(solve(two_loads(first, second), load_steps=n))
        for first, second, n in (
            (early, late, 4),
            (late, early, 4),
            (None, None, 1),
        )
    ]
    np.testing.assert_allclose(ways[1], ways[0], rtol=0.0, atol=1e-9 * 100.0)
    np.testing.assert_allclose(ways[2], ways[0], rtol=0.0, atol=1e-9 * 100.0)


def test_loading_and_unloading_returns_to_the_start():
    table = fl.Table(times=(0.0, 0.5, 1.0), values=(0.0, 1.0, 0.0))
    results = solve(
        push(bend_45(8), force=(0, 0, 600.0), over_time=table), load_steps=4
    )
    assert np.abs(results.displacements("tip")[2]).max() > 50.0
    size = 100.0
    np.testing.assert_allclose(
        results.displacements("rod")[-1], 0.0, rtol=0.0, atol=1e-12 * size
    )


# fault F12: everything turned by a random rotation gives the turned answer
def turned_portal(rotation: np.ndarray) -> fl.Results:
    corners = np.array([(0, 0, 0), (0, 4, 0), (4, 4, 0), (4, 0, 0)], float)
    points = np.vstack(
        [np.linspace(a, b, 4, endpoint=False) for a, b in pairwise(corners)]
        + [corners[-1:]]
    )
    n = len(points) - 1
    mesh = fl.mesh_from_arrays(
        points @ rotation.T,
        np.column_stack([np.arange(n), np.arange(1, n + 1)]),
        node_groups={"hinged": [0], "moved": [n], "corner": [4], "other": [8]},
        line_groups={"frame": np.arange(n)},
    )
    model = fl.Model(mesh)

    def turned(*vector: float) -> tuple[float, float, float]:
        x, y, z = (rotation @ np.array(vector)).tolist()
        return x, y, z

    tall = fl.GeneralSection(stiffness=np.diag([1e4, 4e3, 3e3, 1.0, 2.0, 1.0]))
    model.add(fl.Beam("rod", cells="frame", section=tall, orientation=turned(0, 0, 1)))
    model.add(fl.Support("hinge", at="hinged", kind=fl.HINGED, axis=turned(0, 0, 1)))
    model.add(
        fl.Support(
            "settling",
            at="moved",
            displacement=turned(0.1, -0.2, 0.0),
            rotation=turned(0.0, 0.0, 0.3),
        )
    )
    model.add(fl.Force("wind", at="corner", force=turned(0.2, 0.0, 0.1)))
    model.add(fl.Force("torque", at="other", moment=turned(0.05, 0.1, -0.2)))
    return solve(model)


def test_a_turned_frame_has_the_turned_answer(rng):
    rotation = se3.exp(np.concatenate([np.zeros(3), rng.standard_normal(3) * 2.0]))[
        :3, :3
    ]
    plain, turned = turned_portal(np.eye(3)), turned_portal(rotation)
    np.testing.assert_allclose(
        turned.displacements("rod")[-1],
        plain.displacements("rod")[-1] @ rotation.T,
        rtol=0.0,
        atol=1e-9,
    )
    forces = plain.section_forces("rod")[-1]
    np.testing.assert_allclose(
        turned.section_forces("rod")[-1],
        forces,
        rtol=0.0,
        atol=1e-9 * np.abs(forces).max(),
    )
    for name in ("hinge", "settling"):
        reaction = plain.reactions(name)[-1].reshape(2, 3) @ rotation.T
        found = turned.reactions(name)[-1].reshape(2, 3)
        np.testing.assert_allclose(found, reaction, rtol=0.0, atol=1e-9)


def test_a_member_across_all_axes_does_not_move_without_load():
    mesh = fl.straight_line((0, 0, 0), (0.7, 1.4, -2.0), n_elements=1)
    model = fl.Model(mesh)
    steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
    model.add(
        fl.Beam(
            "rod", cells="line", section=fl.CircularSection(radius=0.01, material=steel)
        )
    )
    model.add(fl.Support("clamp", at="start"))
    results = solve(model)
    stretch = 210e9 * np.pi * 0.01**2
    assert np.abs(results.displacements("end")[-1]).max() < 1e-15
    # rounding of places, in forces: fault F28 allows 1e-12 EA
    assert np.abs(results.section_forces("rod")[-1]).max() < 1e-15 * stretch
