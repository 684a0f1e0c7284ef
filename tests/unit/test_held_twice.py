"""Joints and supports where others hold already: solved, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl

STEEL = fl.Material(young=2e11, poisson=0.3, density=7850.0)
ROD = fl.CircularSection(radius=0.01, material=STEEL)
RUN = {"duration": 0.02, "time_step": 1e-3}


def two_rods(*parts: Any, gap: float = 0.0) -> fl.Model:
    """Rods along x that meet, or nearly, at x = 1; the first is clamped at x = 0."""
    xs = [0.0, 0.5, 1.0, 1.0 + gap, 1.5, 2.0]
    mesh = fl.mesh_from_arrays(
        [[x, 0.0, 0.0] for x in xs],
        [[0, 1], [1, 2], [3, 4], [4, 5]],
        node_groups={"root": [0], "left": [2], "right": [3], "tip": [5]},
        line_groups={"first": [0, 1], "second": [2, 3]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("first", cells="first", section=ROD))
    model.add(fl.Beam("second", cells="second", section=ROD))
    model.add(fl.Support("wall", at="root"))
    model.add(fl.Force("load", at="tip", force=(0.0, 1.0, -2.0)))
    for part in parts:
        model.add(part)
    return model


def one_rod() -> fl.Model:
    mesh = fl.straight_line((0, 0, 0), (2, 0, 0), n_elements=4)
    mesh = fl.mesh_from_arrays(
        mesh.points,
        mesh.lines,
        node_groups={"root": [0], "left": [2], "tip": [4]},
        line_groups={"first": [0, 1, 2, 3]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("first", cells="first", section=ROD))
    model.add(fl.Support("wall", at="root"))
    model.add(fl.Force("load", at="tip", force=(0.0, 1.0, -2.0)))
    model.add(fl.Support("left", at="left", kind=fl.PINNED))
    return model


def tie(kind: Any = fl.FIXED, **options: Any) -> fl.Joint:
    return fl.Joint("tie", kind, parent="left", child="right", **options)


PINS = [fl.Support(name, at=name, kind=fl.PINNED) for name in ("left", "right")]


def test_a_joint_between_two_pins_at_one_place_is_a_rod_through_a_pin() -> None:
    system = two_rods(*PINS, tie()).build()
    assert any("'tie': 3 of its 6 equations" in text for text in system.warnings)
    through = one_rod().build()
    for solver, options in ((fl.Static(), {}), (fl.GeneralizedAlpha(), RUN)):
        found, expected = (
            solver.solve(one, **options).displacements("tip")[-1]
            for one in (system, through)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


def test_a_hinge_on_two_pins_bends_freely_about_its_axis() -> None:
    system = two_rods(*PINS, tie(fl.REVOLUTE, axis=(0.0, 1.0, 0.0))).build()
    motion = fl.GeneralizedAlpha().solve(system, **RUN)
    assert np.abs(motion.joint_coordinate("tie")).max() > 1e-6
    turns = motion.rotations("right", as_vector=True)
    other = motion.rotations("left", as_vector=True)
    np.testing.assert_allclose(turns[:, 2], other[:, 2], atol=1e-9)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([*PINS, tie(fl.SPHERICAL)], "Joint 'tie' holds only what is held already"),
        (
            [
                fl.Support("left", at="left", kind=fl.GUIDED),
                fl.Support("right", at="right", kind=fl.GUIDED),
                tie(fl.CYLINDRICAL, spring=fl.JointSpring(
                    coordinate=fl.JointCoordinate.ANGLE, stiffness=1.0)),
            ],
            "Joint 'tie' has a motor, spring or stop on a coordinate that cannot",
        ),
        (
            [
                *PINS,
                fl.Support("again", at="left", kind=fl.CUSTOM,
                           held=(True, True, True, False, False, False)),
            ],
            "Support 'again' holds only what is held already",
        ),
        (
            [
                *PINS,
                fl.Support("drive", at="left", kind=fl.PINNED,
                           displacement=(0.0, 0.0, 0.1)),
            ],
            "Support 'drive' prescribes a motion",
        ),
    ],
)  # fmt: skip
def test_what_could_not_do_anything_is_refused_by_name(
    parts: list[Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        two_rods(*parts).build()


def test_a_joint_that_could_only_be_held_for_now_is_refused_by_name() -> None:
    with pytest.raises(fl.ModelError, match="Joint 'tie' holds a direction"):
        two_rods(*PINS, tie(), gap=0.1).build()


def test_frames_without_mass_are_named() -> None:
    model = fl.Model(fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=1))
    light = fl.CircularSection(radius=0.01, material=fl.Material(young=1e9, poisson=0))
    model.add(fl.Beam("rod", cells="line", section=light))
    model.add(fl.Support("root", at="start"))
    with pytest.raises(fl.ModelError, match=r"node 1 of 'rod'.*has none"):
        fl.GeneralizedAlpha().solve(model.build(), **RUN)


def particles(*parts: Any) -> fl.Model:
    mesh = fl.mesh_from_arrays([[0, 0, 0], [1, 0, 0]], node_groups={"a": [0], "b": [1]})
    model = fl.Model(mesh)
    for name in ("a", "b"):
        model.add(fl.PointMass(f"mass {name}", at=name, mass=2.0))
    model.add(fl.SpringDamper("spring", first="a", second="b", stiffness=50.0))
    for part in parts:
        model.add(part)
    return model


def test_named_points_without_lines_carry_point_masses() -> None:
    """Two equal masses on a spring: w^2 = 2 k / m."""
    drift = fl.InitialMotion("pull", on=("b",), velocity=(0.1, 0.0, 0.0))
    system = particles(drift).build()
    period = 2.0 * np.pi / np.sqrt(50.0)
    motion = fl.GeneralizedAlpha(spectral_radius=1.0).solve(
        system, duration=period, time_step=period / 400
    )
    gap = motion.positions("b") - motion.positions("a")
    np.testing.assert_allclose(gap[-1], [1.0, 0.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(gap[100, 0], 1.0 + 0.1 / np.sqrt(50.0), rtol=1e-4)


def test_a_pin_on_a_point_mass_costs_no_equation() -> None:
    system = particles(fl.Support("pin", at="a", kind=fl.PINNED)).build()
    assert system.dofs.n_multipliers == 0
    assert system.dofs.n_rows == 3


@pytest.mark.parametrize(
    ("load", "word"),
    [
        ({"moment": (0.0, 0.0, 1.0)}, "moment"),
        ({"force": (1.0, 0.0, 0.0), "point": (0.0, 0.1, 0.0)}, "point"),
    ],
)
def test_a_moment_on_what_cannot_turn_is_refused(
    load: dict[str, Any], word: str
) -> None:
    with pytest.raises(fl.ModelError, match=f"'twist' has a {word} at node 1"):
        particles(fl.Force("twist", at="b", **load)).build()
