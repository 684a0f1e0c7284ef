"""Section forces and reactions of small members, by equilibrium and beam theory."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from tests.validation.models import cantilever, end, line, push, rod, section, solve

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
BAR = fl.CircularSection(radius=0.01, material=STEEL)
UP_IS_Y = (0.0, 1.0, 0.0)


# fault F13: the sign of each moment
@pytest.mark.parametrize("n_elements", [1, 5])
def test_a_moment_at_the_tip_is_found_on_the_positive_face_all_along(n_elements):
    # stiff, so that the bar turns by 1e-6 and world and section axes agree
    stiff = section(1e9, 1e9, 1e9, 1e9)
    bar = cantilever(line((0, 0, 0), (1, 0, 0), n_elements), stiff, orientation=UP_IS_Y)
    forces = solve(push(bar, moment=(1e3, 1e3, 1e3))).section_forces("rod")[-1]
    expected = np.broadcast_to([0, 0, 0, 1e3, 1e3, 1e3], (n_elements, 2, 6))
    np.testing.assert_allclose(forces, expected, rtol=0.0, atol=3e-3)


def test_forces_at_the_tip_are_found_on_the_positive_face():
    stiff = section(1e9, 1e9, 1e9, 1e9)
    bar = cantilever(line((0, 0, 0), (1, 0, 0), 4), stiff, orientation=UP_IS_Y)
    forces = solve(push(bar, force=(3e2, 2e2, 1e2))).section_forces("rod")[-1]
    # tension positive; moments at the root -Fz L about y and Fy L about z
    root, tip = forces[0, 0], forces[-1, 1]
    np.testing.assert_allclose(root, [300, 200, 100, 0, -100, 200], atol=2e-4)
    np.testing.assert_allclose(tip, [300, 200, 100, 0, 0, 0], atol=2e-4)


@pytest.mark.parametrize("load", [1.0, 1000.0])
@pytest.mark.parametrize("n_elements", [1, 3])
def test_root_moment_is_force_times_arm(load, n_elements):
    # ends of an element in equilibrium, not its constant stress, which is 50 % off
    bar = cantilever(line((0, 0, 0), (1, 0, 0), n_elements), BAR, orientation=UP_IS_Y)
    results = solve(push(bar, force=(0, load, 0)))
    moment = load * end(results)[0]
    root = results.section_forces("rod", at="first")[-1].reshape(-1, 6)[0]
    assert root[5] == pytest.approx(moment, rel=1e-9)
    reaction = results.reactions("clamp")[-1]
    # along the bar a place rounded to 2e-16 m already weighs EA 2e-16
    assert abs(reaction[0]) < 1e-9 * load + 2e-16 * 210e9 * np.pi * 0.01**2
    np.testing.assert_allclose(
        reaction[1:], [-load, 0, 0, 0, -moment], rtol=0.0, atol=1e-9 * load
    )
    tip = results.section_forces("rod", at="second")[-1].reshape(-1, 6)[-1]
    assert abs(tip[5]) < 1e-9 * moment


# fault F09: a diagonal bar whose elements are numbered out of order
def test_reaction_of_a_diagonal_bar_balances_its_load():
    square = fl.RectangularSection(
        height=1e-3,
        width=1e-3,
        material=fl.Material(young=1e11, poisson=0.0, density=1.0),
    )
    mesh = fl.mesh_from_arrays(
        [(0, 0, 0), (0.002, 0.002, 0), (0.001, 0.001, 0)],
        [(2, 1), (0, 2)],
        node_groups={"one": [0], "two": [1]},
        line_groups={"bar": [0, 1]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("bar_", cells="bar", section=square))
    model.add(fl.Support("clamp", at="one"))
    model.add(fl.Force("pull", at="two", force=(1, 1, 0)))
    results = solve(model)
    np.testing.assert_allclose(
        results.reactions("clamp")[-1], [-1, -1, 0, 0, 0, 0], rtol=0.0, atol=1e-9
    )
    # sqrt(2) N over 2.828 mm of EA = 1e5 N: 4e-8 m along, 2.8284e-8 m in x and y
    np.testing.assert_allclose(
        results.displacements("two")[-1],
        [2.8284e-8, 2.8284e-8, 0],
        rtol=2e-5,
        atol=1e-15,
    )


# fault F10: one rectangle described in two ways
@pytest.mark.parametrize(
    ("height", "width", "orientation"),
    [(38.16, 100.0, (0, 1, 0)), (100.0, 38.16, (0, 0, 1))],
)
def test_a_rectangle_with_sides_swapped_and_axes_turned_is_the_same(
    height, width, orientation
):
    material = fl.Material(young=210e3, poisson=0.0, density=7.85e-9)
    rectangle = fl.RectangularSection(height=height, width=width, material=material)
    bar = cantilever(
        line((0, 0, 0), (2000, 0, 0), 40), rectangle, orientation=orientation
    )
    # small loads for the linear answer, scaled to the 10 kN of the case
    scale = 1e-4
    bar.add(fl.Force("half", at="middle", force=(0, 0, 1e4 * scale)))
    results = solve(push(bar, force=(0, 0, 1e4 * scale)))
    reaction = results.reactions("clamp")[-1] / scale
    np.testing.assert_allclose(reaction[:3], [0, 0, -2e4], atol=1e-2)
    np.testing.assert_allclose(reaction[3:], [0, 3.0e7, 0], atol=1e-5 * 3e7)
    # 52.41 mm by Euler and Bernoulli; shear adds P L/GA = 0.094 mm, the mesh takes 1e-4
    assert results.displacements("tip")[-1, 2] / scale == pytest.approx(52.41, rel=3e-3)


# fault F22, static part: steel rods are within reach
def test_tip_of_a_steel_cantilever_is_that_of_euler_and_bernoulli():
    length, load = 3.0, 10.0
    bar = push(
        cantilever(line((0, 0, 0), (length, 0, 0), 20), BAR), force=(0, 0, -load)
    )
    bending = 210e9 * np.pi * 0.01**4 / 4.0
    expected = load * length**3 / (3.0 * bending)
    results = solve(bar)
    assert np.isfinite(results.records.poses).all()
    # v/L = 0.018: finite rotations take 2e-4 of it, 20 elements 6e-4
    assert -results.displacements("tip")[-1, 2] == pytest.approx(expected, rel=1e-3)


# fault F20, the tight stay: equilibrium of the tip, strut 100, stay 100.499
def test_strut_and_stay_carry_their_share():
    length = np.hypot(100.0, 10.0)
    model = rod(line((0, 0, 0), (100, 0, 0), 4), section(1e7, 1e7, 1e6, 1e6))
    model.add(fl.Support("wall", at="root", kind=fl.HINGED, axis=(0, 1, 0)))
    model.add(
        fl.Joint(
            "stay",
            kind=fl.DISTANCE,
            parent="ground",
            child="tip",
            position=(0, 0, 10),
            child_position=(100, 0, 0),
        )
    )
    model.add(fl.Force("weight", at="tip", force=(0, 0, -10.0)))
    results = solve(model)
    pull = np.linalg.norm(results.reactions("stay", frame="world")[-1, :3])
    # the strut is pressed 1e-3 shorter and the tip falls by 1e-2: 1e-3 of the angle
    assert pull == pytest.approx(length, rel=1e-3)
    axial = results.section_forces("rod", at="middle")[-1, :, 0]
    np.testing.assert_allclose(axial, -100.0, rtol=1e-3)


@pytest.mark.parametrize("offset", [(0.1, 0.0), (0.0, 0.1)])
def test_section_forces_of_an_eccentric_section_are_about_the_mesh_line(offset):
    steel = fl.RectangularSection(height=0.2, width=0.1, material=STEEL, offset=offset)
    model = fl.Model(fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=1))
    model.add(fl.Beam("bar", cells="line", section=steel))
    model.add(fl.Support("clamp", at="start"))
    model.add(fl.Force("pull", at="end", force=(1.0, 0, 0)))
    forces = fl.Static().solve(model.build()).section_forces("bar")[-1, 0]
    np.testing.assert_allclose(forces, [[1, 0, 0, 0, 0, 0]] * 2, atol=1e-6)
