"""Mechanisms with more joints than needed: reactions of least norm, honest messages."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl

DOWN = fl.Gravity("gravity", acceleration=(0, 0, -9.81))


def door(n_hinges, *, height=2.0):
    """A door of 30 kg on hinges along the z axis, closed by a spring."""
    model = fl.Model()
    model.add(
        fl.Body("door", mass=30.0, inertia=(10.0, 5.0, 5.0), position=(0.5, 0.0, 1.0))
    )
    for k, z in enumerate(
        np.linspace(0.0, height, n_hinges) if n_hinges > 1 else [1.0]
    ):
        spring = fl.JointSpring(stiffness=20.0) if k == 0 else None
        model.add(
            fl.Joint(
                f"hinge {k}", fl.REVOLUTE, parent=fl.GROUND, child="door",
                axis=(0, 0, 1), position=(0.0, 0.0, float(z)), spring=spring,
            )
        )  # fmt: skip
    model.add(DOWN)
    return model


def wrenches(results, names):
    return np.array([results.reactions(name)[-1] for name in names])


@pytest.mark.parametrize("n_hinges", [2, 3])
def test_hinges_of_a_door_share_its_weight_equally(n_hinges):
    model = door(n_hinges)
    model.add(fl.Force("push", at="door", force=(0.0, 7.0, 0.0)))
    results = fl.Static().solve(model.build())
    names = [f"hinge {k}" for k in range(n_hinges)]
    forces = wrenches(results, names)[:, :3]
    assert np.abs(forces[:, 2]) == pytest.approx(30.0 * 9.81 / n_hinges, rel=1e-6)
    one = door(1)
    one.add(fl.Force("push", at="door", force=(0.0, 7.0, 0.0)))
    single = fl.Static().solve(one.build())
    total = forces.sum(axis=0)
    assert total == pytest.approx(wrenches(single, ["hinge 0"])[0, :3], abs=1e-6)
    assert results.positions("door")[-1] == pytest.approx(
        single.positions("door")[-1], abs=1e-9
    )
    assert results.summary["balance"]["error"] < 1e-9


def from_rest(time):
    """From 0 at rest to 1 at rest within a second."""
    return time - np.sin(2.0 * np.pi * time) / (2.0 * np.pi)


def four_bar(ground=1.0, crank=0.5, *, turn=1.0, kinds=(fl.REVOLUTE,) * 4):
    """A parallelogram that a crank turns through, axes along y; links of 1 kg."""
    corners = [(0, 0, 0), (0, 0, crank), (ground, 0, crank), (ground, 0, 0)]
    names = ["crank", "coupler", "follower"]
    model = fl.Model()
    for name, start, end in zip(names, corners[:-1], corners[1:], strict=True):
        middle = tuple(0.5 * (np.array(start) + np.array(end)))
        model.add(fl.Body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), position=middle))
    chain = [fl.GROUND, *names, fl.GROUND]
    for k, corner in enumerate(corners):
        motor = fl.Motor(motion=turn, over_time=from_rest)
        model.add(
            fl.Joint(
                f"pin {k}", kinds[k], parent=chain[k], child=chain[k + 1],
                axis=(0, 1, 0), position=tuple(map(float, corner)),
                motor=motor if k == 0 else None,
            )
        )  # fmt: skip
    return model


def test_closed_loop_of_hinges_moves_like_one_without_redundant_rows():
    """Three of the 20 rows of four parallel hinges depend on the others."""
    system = four_bar().build()
    assert system.n_redundant >= 3
    solver = fl.GeneralizedAlpha()
    found = solver.solve(system, duration=0.5, time_step=0.01)
    plain = four_bar(kinds=(fl.REVOLUTE, fl.REVOLUTE, fl.SPHERICAL, fl.CYLINDRICAL))
    assert plain.build().n_redundant == 0
    other = solver.solve(plain.build(), duration=0.5, time_step=0.01)
    for name in ("crank", "coupler", "follower"):
        assert found.positions(name) == pytest.approx(other.positions(name), abs=1e-7)
    assert found.summary["constraint_error"] < 1e-8


def test_parallelogram_passes_the_place_where_its_links_lie_in_line():
    """There the rank falls by one; with the crank driven the motion goes on."""
    results = fl.GeneralizedAlpha().solve(
        four_bar(turn=np.pi).build(), duration=1.0, time_step=0.004
    )
    # half a turn from upright, passing the horizontal at a quarter of a turn
    assert results.positions("crank")[-1] == pytest.approx((0, 0, -0.25), abs=1e-6)
    middle = results.positions("coupler")
    inside = np.hypot(middle[:, 0] - 0.5, middle[:, 2])
    assert inside == pytest.approx(0.5, abs=1e-6)


def test_constraints_that_contradict_each_other_are_named():
    model = door(1)
    model.add(
        fl.Joint(
            "motor", fl.REVOLUTE, parent=fl.GROUND, child="door", axis=(0, 0, 1),
            position=(0.0, 0.0, 0.5), motor=fl.Motor(motion=0.3),
        )
    )  # fmt: skip
    model.add(
        fl.Joint("lock", fl.FIXED, parent=fl.GROUND, child="door", position=(0, 0, 0.5))
    )
    with pytest.raises(fl.ConvergenceError) as caught:
        fl.Static(iteration_limit=60).solve(model.build())
    text = str(caught.value)
    assert "joint 'motor' and joint 'lock' contradict each other" in text
    assert "singular matrix" not in text
