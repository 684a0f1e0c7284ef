"""All integrators with their orders, and loops that run as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import Assembly
from femlie.solvers import ahead

Array = np.ndarray
EXPLICIT = {
    f"Munthe-Kaas {method.value}": (fl.MuntheKaas(tableau=method), method.tableau.order)
    for method in fl.RungeKutta
}
GAUSS = {
    f"Gauss-Legendre {stages} {form.value} {iteration.value}": (
        fl.GaussLegendre(stages=stages, form=form, iteration=iteration),
        2 * stages,
    )
    for stages in (1, 2, 3)
    for form in fl.RotationForm
    for iteration in fl.StageIteration
}
BACKWARD = {
    f"BLieDF {steps}": (fl.BLieDF(steps=steps, residual_tolerance=1e-12), steps)
    for steps in (1, 2, 3, 4)
}
ALPHA = {
    f"generalized-alpha {name}": (
        fl.GeneralizedAlpha(residual_tolerance=1e-12, **options),
        2,
    )
    for name, options in {
        "stabilized": {},
        "index 3": {"is_stabilized": False},
        "projected": {"is_stabilized": False, "projects_velocities": True},
    }.items()
}
METHODS: dict[str, tuple[Any, int]] = {
    **EXPLICIT,
    **GAUSS,
    **BACKWARD,
    **ALPHA,
    "RATTLE": (fl.Rattle(), 2),
}
GROUPS = (fl.SE3, fl.SO3_R3)


def run_interpreted(patch: pytest.MonkeyPatch) -> None:
    """Let the loops of solvers run as Python: that needs no compilation of loops."""

    def drive(self: Assembly, driver: Any, *arguments: Any) -> Any:
        return driver(self.equations, *arguments)

    patch.setattr(Assembly, "drive", drive)
    patch.setattr(ahead, "start", lambda _method: None)


def with_group(model: fl.Model, group: fl.MotionGroup) -> fl.Model:
    """The model with all frames in a group."""
    model.add(fl.FrameGroup("group of all", group=group))
    return model


def observed_order(results: list[Array]) -> float:
    """Order from three solutions whose steps are halved each time."""
    coarse, middle, fine = results
    return float(
        np.log2(np.linalg.norm(coarse - middle) / np.linalg.norm(middle - fine))
    )


def momenta(motion: fl.Results, system: Any, row: int) -> Array:
    """(6,) linear and angular momentum about the origin, from the mass matrix."""
    assembly = Assembly(system)
    poses, twists = motion.records.poses[row], motion.records.velocities[row]
    state = type(system.state)(
        **{
            **vars(system.state),
            "poses": poses,
            "velocities": twists,
        }
    )
    mass = assembly.tangent(state, 2, mass=1.0, stiffness=0.0)
    numbers = system.dofs.numbers
    free = numbers >= 0
    velocity = np.zeros(system.dofs.n_rows)
    velocity[numbers[free]] = twists[free]
    body = np.zeros(numbers.shape)
    body[free] = (mass @ velocity)[numbers[free]]
    turn = state.frames[:, :3, :3]
    linear = np.einsum("nij,nj->ni", turn, body[:, :3])
    angular = np.einsum("nij,nj->ni", turn, body[:, 3:])
    angular += np.cross(poses[:, :3], linear)
    return np.concatenate([linear.sum(axis=0), angular.sum(axis=0)])
