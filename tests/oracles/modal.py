"""A modal body from the positions of its points: virtual work by differences.

Positions follow from the frames alone, as docs/design.md says in words. Their second
derivative along a motion, times their variation, summed over the mass, is the work of
inertia; no integral over shapes is formed (d'Alembert's principle).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from femlie.build.modal_reduction import (
    BENT,
    IS_PLACE,
    BeamMesh,
    Reduction,
    inertia_of,
    point_maps,
)
from femlie.elements import _beam_geometry as layout
from femlie.lie import quaternion, se3

STEP = 2e-3


@dataclass
class ModalBody:
    """Beams, their shapes, and the first node of each interface."""

    mesh: BeamMesh
    reduction: Reduction
    ports: list[int]

    @property
    def places(self) -> Any:
        return self.mesh.places[self.ports]

    def coordinates(self, poses: Any) -> Any:
        """Deformation coordinates; poses of interfaces, then of amplitudes."""
        n = len(self.ports)
        found = []
        for j in range(1, n):
            seen = se3.compose_poses(se3.inverse_pose(poses[0]), poses[j])
            vector = seen[4:] if seen[3] >= 0.0 else -seen[4:]
            found += [*(seen[:3] - self.places[j]), *(2.0 * vector)]
        found += [*poses[n:, :3].reshape(-1)]
        return np.array(found)[: self.reduction.shapes.shape[2]]

    def logarithms(self, poses: Any) -> Any:
        """Motions of the interfaces that the logarithms tell, and amplitudes."""
        n = len(self.ports)
        found = []
        for j in range(1, n):
            start = np.array([*self.places[j], 0.0, 0.0, 0.0])
            change = se3.relative_log(poses[0], poses[j]) - start
            found += [*(se3.tangent_operator(start) @ change)]
        found += [*poses[n:, :3].reshape(-1)]
        return np.array(found)[: self.reduction.shapes.shape[2]]

    def points(self, poses: Any) -> Any:
        """(n_elements, 4, 3) mass centers and half axes, in space."""
        moved = self.reduction.shapes @ self.coordinates(poses)
        ends = moved[self.mesh.nodes].reshape(len(self.mesh.nodes), 12)
        vectors, slopes = point_maps(self.mesh)
        local = vectors + np.einsum("npij,nj->npi", slopes, ends)
        turned = quaternion.rotate(poses[0, 3:], local)
        return turned + IS_PLACE[:, None] * poses[0, :3]

    def strain_energy(self, poses: Any) -> float:
        x = self.logarithms(poses)
        return 0.5 * float(x @ self.reduction.stiffness @ x)


def slope(function: Any) -> Any:
    """Derivative at zero, by differences of fourth order."""
    h = STEP
    near = function(h) - function(-h)
    return (8.0 * near - function(2.0 * h) + function(-2.0 * h)) / (12.0 * h)


def bend(function: Any) -> Any:
    """Second derivative at zero."""
    h = STEP
    near, far = function(h) + function(-h), function(2.0 * h) + function(-2.0 * h)
    return (16.0 * near - far - 30.0 * function(0.0)) / (12.0 * h * h)


def residual(body: ModalBody, poses: Any, twists: Any, rates: Any) -> Any:
    """(n_frames, 6) inertia, strain and damping by body-fixed motions of the frames."""

    def moved(t: float) -> Any:
        step = se3.exp(t * twists + 0.5 * t * t * rates)
        return se3.compose_poses(poses, se3.pose_from_frame(step))

    pull = bend(lambda t: body.points(moved(t)))
    q_rate = slope(lambda t: body.coordinates(moved(t)))
    q_second = bend(lambda t: body.coordinates(moved(t)))
    masses = body.mesh.parameters[:, layout.MASS]
    force = np.einsum("n,pq,nqi->npi", masses, BENT, pull)
    # sections about themselves: constant, seen from the body
    rotary = inertia_of(body.mesh, body.reduction.shapes).rotary
    spin = twists[0, 3:]
    momentum = rotary @ [*spin, *q_rate]
    change = rotary @ [*rates[0, 3:], *q_second]
    change[:3] += np.cross(spin, momentum[:3])
    change[3:] += body.reduction.damping @ q_rate
    found = np.zeros((len(poses), 6))
    for frame, direction in np.ndindex(found.shape):
        unit = np.zeros((len(poses), 6))
        unit[frame, direction] = 1.0

        def varied(t: float, unit: Any = unit) -> Any:
            step = se3.pose_from_frame(se3.exp(t * unit))
            return se3.compose_poses(poses, step)

        shift = slope(lambda t, f=varied: body.points(f(t)))
        stretch = slope(lambda t, f=varied: body.coordinates(f(t)))
        work = np.sum(force * shift) + change[:3] @ unit[0, 3:] + change[3:] @ stretch
        work += slope(lambda t, f=varied: body.strain_energy(f(t)))
        found[frame, direction] = work
    return found
