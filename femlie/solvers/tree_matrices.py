"""Matrices of a tree: inertia, Jacobians, momentum, derivatives of its dynamics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._equations import evaluate_blocks
from ..elements.base import Array
from ..errors import ModelError
from ..lie import quaternion, se3
from ..recursive import _matrices as kernels
from ..recursive._data import FIRST, N_FREE
from ..recursive._problem import DYNAMICS, RESPOND, do
from . import _tree_dynamics as dynamics
from .march import run
from .start import massless_message
from .tree_coordinates import TreeState, coordinate_vector


class Derivatives(NamedTuple):
    """Derivatives of forces, or of second rates, (n_coordinates, n_coordinates) each.

    Attributes
    ----------
    by_coordinates : array
        By steps of the coordinates in the joints' groups.
    by_rates : array
    by_second_rates : array
        Of forces: the mass matrix. Of second rates: by forces, its inverse.
    """

    by_coordinates: Array
    by_rates: Array
    by_second_rates: Array


class Matrices:
    """Matrices of a tree at one state.

    Parameters
    ----------
    tree : Tree
    state : TreeState
        One state.
    """

    def __init__(self, tree: Any, state: TreeState) -> None:
        self.tree = tree
        self.state = state
        self._names = tree.coordinates
        if np.shape(state.rates) != (len(self._names),):
            raise ModelError(
                "Matrices are for one state: its rates have the shape "
                f"{np.shape(state.rates)}, expected ({len(self._names)},)."
            )

    def _factor(self) -> None:
        self.tree.place(self.state)
        reduced, problem = self.tree.reduced, self.tree.problem
        if not run(reduced, dynamics.factor_inertia, problem, 2):
            raise ModelError(massless_message(self.tree.assembly))

    def _inertias(self) -> tuple[Array, Array]:
        self._factor()
        k, problem = len(self._names), self.tree.problem
        matrix, roots = np.zeros((k, k)), np.zeros((k, 6))
        kernels.mass_matrix(
            problem.tree,
            problem.geometry,
            problem.factors,
            problem.factors.articulated.copy(),
            problem.wrenches,
            matrix,
            roots,
        )
        self._add_ties(matrix, roots)
        return matrix, roots

    def _add_ties(self, matrix: Array, roots: Array) -> None:
        """What modal bodies share beyond parent and child."""
        problem, structure = self.tree.problem, self.tree.structure
        poses = problem.motion.poses[problem.tree.frames]
        is_place = self._is_place()
        for b in np.flatnonzero(~is_place).tolist():
            first = problem.tree.kinds[b, FIRST]
            roots[first : first + problem.tree.kinds[b, N_FREE]] = 0.0
        for pair, tie in zip(
            structure.ties.tolist(), problem.factors.ties, strict=True
        ):
            moves = [np.zeros((6, len(matrix))) for _ in pair]
            for body, move in zip(pair, moves, strict=True):
                kernels.jacobian(problem.tree, problem.geometry, body, move)
            product = moves[0].T @ tie @ moves[1]
            matrix += product + product.T
            for body, momentum in (
                (pair[0], tie @ moves[1]),
                (pair[1], tie.T @ moves[0]),
            ):
                if is_place[body]:
                    roots += _at_origin(poses[body], momentum.T)

    def _is_place(self) -> npt.NDArray[np.bool_]:
        """(n_bodies,) whether a body's frame is a place, no amplitudes."""
        amplitudes = self.tree.system.catalog.amplitude_frames
        return ~np.isin(self.tree.problem.tree.frames, amplitudes)

    def _momenta(self, twists: Array) -> Array:
        """Momenta of all bodies, of the shape of their twists (n, 6, ...)."""
        problem = self.tree.problem
        factors, parents = problem.factors, problem.tree.parents
        momenta = np.einsum("bij,bj...->bi...", factors.inertias, twists)
        shared = [
            (int(parents[b]), b, factors.couplings[b])
            for b in np.flatnonzero(factors.has_coupling).tolist()
        ]
        ties = zip(self.tree.structure.ties.tolist(), factors.ties, strict=True)
        shared += [(early, late, tie) for (early, late), tie in ties]
        for early, late, coupling in shared:
            momenta[early] += coupling @ twists[late]
            momenta[late] += coupling.T @ twists[early]
        momenta[~self._is_place()] = 0.0
        return np.asarray(momenta)

    def mass_matrix(self) -> Array:
        """Inertia of the joint coordinates, loops cut.

        Returns
        -------
        (n_coordinates, n_coordinates) array
        """
        return self._inertias()[0]

    def jacobian(self, name: str) -> Array:
        """Velocity of a body or node for unit rates of the coordinates, world axes.

        Parameters
        ----------
        name : str
            One body or node.

        Returns
        -------
        (6, n_coordinates) array
            Velocity of the point [m/s], then angular velocity [rad/s].
        """
        body, offset = self.tree.point(name)
        self.tree.place(self.state)
        matrix = np.zeros((6, len(self._names)))
        kernels.jacobian(
            self.tree.problem.tree, self.tree.problem.geometry, body, matrix
        )
        return self._to_world(body, offset) @ matrix

    def _to_world(self, body: int, offset: Array) -> Array:
        """(6, 6) map from a body's twist to a point's velocity in world axes."""
        pose = self.tree.problem.motion.poses[self.tree.problem.tree.frames[body]]
        turn = quaternion.to_matrix(pose[3:])
        x, y, z = offset[:3]
        matrix = np.zeros((6, 6))
        matrix[:3, :3] = matrix[3:, 3:] = turn
        matrix[:3, 3:] = turn @ np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
        return matrix

    def operational_inertia(self, name: str) -> Array:
        """Inertia that a body or node shows to a wrench at it, world axes.

        Parameters
        ----------
        name : str
            One body or node.

        Returns
        -------
        (6, 6) array
            ``(J H^-1 J^T)^-1``; the pseudoinverse where the point cannot move in all
            directions. Loops are left open.
        """
        body, offset = self.tree.point(name)
        self._factor()
        problem = self.tree.problem
        to_world = self._to_world(body, offset)
        mobility = np.zeros((6, 6))
        for j in range(6):
            problem.wrenches[:] = 0.0
            problem.wrenches[body] = -to_world[j]
            do(problem, DYNAMICS, RESPOND)
            mobility[:, j] = to_world @ problem.changes[body]
        scale = np.sqrt(np.maximum(np.diag(mobility), 1e-300))
        unit = mobility / np.outer(scale, scale)
        return np.asarray(
            np.linalg.pinv(unit, rcond=1e-12, hermitian=True) / np.outer(scale, scale)
        )

    def centroidal_matrix(self) -> Array:
        """Momentum about the mass center for unit rates of the coordinates.

        Returns
        -------
        (6, n_coordinates) array
            Linear momentum, then angular momentum about the mass center; world axes.
        """
        _, roots = self._inertias()
        matrix = roots.T.copy()
        center = self._center()
        matrix[3:] -= np.cross(center, matrix[:3], axisa=0, axisb=0, axisc=0)
        return matrix

    def centroidal_momentum(self) -> Array:
        """(6,) linear momentum, and angular momentum about the mass center.

        World axes; driven joints count as well.
        """
        self._factor()
        problem = self.tree.problem
        tree = problem.tree
        momenta = self._momenta(problem.motion.velocities[tree.frames])
        poses = problem.motion.poses[tree.frames]
        linear = quaternion.rotate(poses[:, 3:], momenta[:, :3])
        angular = quaternion.rotate(poses[:, 3:], momenta[:, 3:])
        angular = angular + np.cross(poses[:, :3] - self._center(), linear)
        return np.concatenate([linear.sum(axis=0), angular.sum(axis=0)])

    def _center(self) -> Array:
        """(3,) mass center of all bodies at the present place."""
        problem = self.tree.problem
        poses = problem.motion.poses[problem.tree.frames]
        frames = se3.frame_from_pose(poses)
        # momentum of a unit velocity of the whole along each world axis
        twists = np.zeros((len(poses), 6, 3))
        twists[:, :3] = np.swapaxes(frames[:, :3, :3], 1, 2)
        twists[~self._is_place()] = 0.0
        momenta = self._momenta(twists)
        linear = frames[:, :3, :3] @ momenta[:, :3]
        angular = frames[:, :3, :3] @ momenta[:, 3:]
        angular = angular + np.cross(poses[:, :3, None], linear, axis=1)
        mass = float(np.trace(linear.sum(axis=0)) / 3.0)
        whole = angular.sum(axis=0)
        # L = c x P for each axis, so that the matrix is m c^
        return np.array([whole[2, 1], whole[0, 2], whole[1, 0]]) / mass

    def inverse_dynamics_derivatives(self, second_rates: npt.ArrayLike) -> Derivatives:
        """Derivatives of the forces that given accelerations need.

        Parameters
        ----------
        second_rates : (n_coordinates,) array

        Returns
        -------
        Derivatives
        """
        if self.tree.problem.gaps.size:
            raise ModelError(
                "Derivatives of dynamics are for models without loops: this one has "
                f"{self.tree.problem.gaps.size} rows that close loops."
            )
        matrix, _ = self._inertias()
        values = coordinate_vector(self._names, second_rates)
        problem, n = self.tree.problem, self.tree.structure.n_bodies
        problem.given[:] = values
        dynamics.place_bodies(problem)
        problem.given[:] = 0.0
        run(self.tree.reduced, dynamics.balance, problem)
        joint_wrenches = problem.wrenches.copy()
        found = [self._vary(values, of_rates=k).reshape(-1, n, 6) for k in (0, 1)]
        outcome = []
        for k, changes in enumerate(found):
            columns = np.zeros_like(matrix)
            kernels.vary_forces(
                problem.tree,
                problem.geometry,
                joint_wrenches,
                changes,
                k,
                columns,
            )
            outcome.append(columns.T)
        return Derivatives(outcome[0], outcome[1], matrix)

    def _vary(self, values: Array, *, of_rates: int) -> Array:
        """Variation of what is missing on each body, by each coordinate or rate."""
        problem, n = self.tree.problem, self.tree.structure.n_bodies
        shape = (len(self._names), n, 6)
        parts = [np.zeros(shape) for _ in range(3)]
        kernels.vary_motion(
            problem.tree,
            problem.relative,
            problem.geometry,
            values,
            problem.motion.velocities,
            problem.motion.accelerations,
            of_rates,
            *parts,
            np.zeros((kernels.N_WORK, 6)),
        )
        total: Any = 0.0
        order = np.argsort(problem.rows)
        back = np.argsort(order)
        for part, weights in zip(parts, np.eye(3), strict=True):
            stiffness, damping, mass = weights
            run(
                self.tree.reduced,
                evaluate_blocks,
                problem.motion,
                problem.target,
                0,
                mass,
                damping,
                stiffness,
            )
            tangent = self.tree.reduced.matrix(problem.target.data)
            size = 6 * n
            flat = part[:, order].reshape(len(part), size)
            change = (tangent[:size, :size] @ flat.T).T
            total = total + change.reshape(shape)[:, back]
        return np.asarray(total)

    def forward_dynamics_derivatives(self, second_rates: npt.ArrayLike) -> Derivatives:
        """Derivatives of the second rates that forces bring.

        Parameters
        ----------
        second_rates : (n_coordinates,) array
            Those of the state under its forces, from `forward_dynamics`.

        Returns
        -------
        Derivatives
        """
        found = self.inverse_dynamics_derivatives(second_rates)
        inverse: Array = np.asarray(np.linalg.inv(found.by_second_rates), dtype=float)
        return Derivatives(
            -inverse @ found.by_coordinates, -inverse @ found.by_rates, inverse
        )


def _at_origin(pose: Array, wrenches: Array) -> Array:
    """Wrenches (k, 6) on a frame, in world axes about the origin."""
    force = quaternion.rotate(pose[3:], wrenches[:, :3])
    moment = quaternion.rotate(pose[3:], wrenches[:, 3:])
    return np.concatenate([force, moment + np.cross(pose[:3], force)], axis=1)
