"""Laws of all kinds of elements: exact tangents, and no memory of where they are."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

from femlie import elements
from femlie.elements import _body_kernel, _joint_rows
from femlie.elements.joint_row import (
    RowKind,
)
from femlie.lie import se3
from tests.block_case import (
    ONE_WEIGHT,
    BlockCase,
    assert_close,
    tangents_by_differences,
)
from tests.property.element_zoo import ZOO

ALL = (2.0, 3.0, 4.0)
# elements of the zoo are about two long
SIZE = 2.0


@pytest.mark.parametrize("level", range(3))
def test_tangent_is_the_derivative_of_the_residual(
    element_zoo: BlockCase, level: int
) -> None:
    case = element_zoo
    mass, damping, stiffness = tangents_by_differences(case, level)
    n = 6 * case.n_frames
    if level == 2:  # of its multiplier rows only the mass part is meant to be used
        damping[n:] = stiffness[n:] = 0.0
    for weights in (*ONE_WEIGHT, ALL):
        expected = weights[0] * mass + weights[1] * damping + weights[2] * stiffness
        assert_close(case.evaluate(level, weights)[1][:, :n], expected, 1e-8)


def rigidly_moved(case: BlockCase, distance: float, seed: int) -> BlockCase:
    """The whole, ground included, turned anyhow and shifted by a distance."""
    rng = np.random.default_rng(seed)
    turn = se3.exp([0, 0, 0, *rng.uniform(-np.pi, np.pi, size=3)])
    shift = rng.normal(size=3)
    turn[:3, 3] = distance * shift / np.linalg.norm(shift)
    rigid = se3.pose_from_frame(turn)
    poses = se3.compose_poses(rigid, case.motion.poses)
    for frame in case.amplitudes:
        poses[frame] = case.motion.poses[frame]
    return case.moved(poses=poses)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sizes", [0.0, 1.0, 10.0])
def test_rigid_motion_of_the_whole_changes_nothing(
    element_zoo: BlockCase, sizes: float, seed: int
) -> None:
    if element_zoo.refers_to_space:
        return
    there = rigidly_moved(element_zoo, sizes * SIZE, seed)
    for level in range(3):
        residual, matrix, scales = element_zoo.evaluate(level, ALL)
        given = there.evaluate(level, ALL)
        # constraints have no forces: they are of order one
        size = scales[0] + scales[1] / SIZE + 1.0
        np.testing.assert_allclose(given[0], residual, rtol=0, atol=1e-12 * size)
        size += np.abs(matrix).max()
        allowed = element_zoo.rounding * size
        np.testing.assert_allclose(given[1], matrix, rtol=0, atol=allowed)


def test_rigid_motion_of_the_whole_changes_no_observation(
    element_zoo: BlockCase,
) -> None:
    if element_zoo.refers_to_space:
        return
    there = rigidly_moved(element_zoo, 10.0 * SIZE, 4)
    names = element_zoo.block.kind
    output, energies = element_zoo.observe()
    moved, moved_energies = there.observe()
    if names not in ("load", "modal_body"):  # observed in world axes
        assert_close(moved, output, 1e-12)
    assert_close(moved_energies, energies, 1e-12)


def test_only_dead_loads_and_weight_refer_to_space() -> None:
    fixed = [name for name, case in ZOO.items() if case.refers_to_space]
    assert fixed == ["load: dead", "load: weight", "modal body: heavy"]
    for name in fixed:
        here = ZOO[name].evaluate()[0]
        there = rigidly_moved(ZOO[name], 1.0, 1).evaluate()[0]
        assert np.abs(here - there).max() > 0.1


def kernels_found() -> dict[str, Any]:
    """All functions named ``evaluate...`` in modules of femlie.elements."""
    found = {}
    for module in pkgutil.iter_modules(elements.__path__):
        content = importlib.import_module(f"femlie.elements.{module.name}")
        for name, value in vars(content).items():
            if name.startswith("evaluate") and callable(value):
                found[f"{module.name}.{name}"] = value
    return found


# a hard stop opens and shuts: tests/unit/elements/test_hard_stop.py
ELSEWHERE = ("_stop_kernel.evaluate", "_stop_kernel.evaluate_nothing")


def test_every_kind_of_element_is_in_the_zoo() -> None:
    blocks = [case.block for case in ZOO.values()]
    tried = [b.kernels[0] for b in blocks] + [b.static_evaluate for b in blocks]
    found = {n: one for n, one in kernels_found().items() if n not in ELSEWHERE}
    missing = [n for n, kernel in found.items() if kernel not in tried]
    assert not missing, missing


def test_every_row_of_joints_and_every_load_is_in_the_zoo() -> None:
    rows = {action: set() for action in (_joint_rows.HOLD, _joint_rows.LAW)}
    loads = set()
    for case in ZOO.values():
        if case.block.kind == "joint":
            each = case.block.codes[:, _joint_rows.ROW_CODES :]
            for code in each.reshape(-1, _joint_rows.N_ROW_CODES):
                rows.setdefault(int(code[3]), set()).add(int(code[0]))
        elif case.block.kind == "load":
            loads |= set(case.block.codes[:, _body_kernel.KIND].tolist())
    assert rows[_joint_rows.LAW] >= {int(kind) for kind in RowKind}
    assert rows[_joint_rows.HOLD] >= {int(kind) for kind in RowKind}
    assert loads == {_body_kernel.DEAD, _body_kernel.FOLLOWER, _body_kernel.WEIGHT}
