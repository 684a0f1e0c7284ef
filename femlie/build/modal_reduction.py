"""Craig-Bampton reduction of beams: shapes, stiffness and integrals of inertia.

Interfaces carry rigid pieces of the mesh. Constraint modes are the static shapes of
unit motions of one interface with the others at rest, normal modes those with all
interfaces at rest (Craig and Bampton 1968). The first interface stays where it is: its
frame is the body's. Everything is in world axes at the start, from the first interface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

from ..elements import _beam_geometry as layout
from ..elements._beam_inertia import BOW, MIXED, OTHER, SPIN_OTHER, SPIN_OWN
from ..elements.base import Array, IntArray
from ..lie import se3, so3
from ..linear import lowest_modes

# squared velocities of a bent element in those of its ends (see `_beam_inertia`)
BENT = np.array(
    [
        [2.0 * OTHER, MIXED, OTHER, MIXED],
        [MIXED, BOW, MIXED, BOW],
        [OTHER, MIXED, 2.0 * OTHER, MIXED],
        [MIXED, BOW, MIXED, BOW],
    ]
)
IS_PLACE = np.array([1.0, 0.0, 1.0, 0.0])
SPINS = np.array([[SPIN_OWN, SPIN_OTHER], [SPIN_OTHER, SPIN_OWN]])
# inertia along a coordinate, relative to what its parts add up to, that counts as none
NO_INERTIA = 1e-12


@dataclass(frozen=True)
class BeamMesh:
    """Beams to be reduced: elements between nodes, first interface at the origin.

    Attributes
    ----------
    places : (k, 3) array
        Nodes [m].
    nodes : (n, 2) int array
        Their numbers at both ends of each element.
    ends : (n, 2, 4, 4) array
        Frames of the sections there.
    parameters : (n, N_PARAMETERS) array
        As the block of beams has them.
    """

    places: Array
    nodes: IntArray
    ends: Array
    parameters: Array

    @property
    def n_unknowns(self) -> int:
        return 6 * len(self.places)

    @property
    def element_unknowns(self) -> IntArray:
        """(n, 12) int array: six of each node, translation first."""
        rows = 6 * self.nodes[:, :, None] + np.arange(6)
        return np.asarray(rows.reshape(len(self.nodes), 12))

    def matrices(self, first: int) -> Array:
        """(n, 6, 6) matrices that stand row by row in the parameters."""
        return self.parameters[:, first : first + 36].reshape(-1, 6, 6)


@dataclass(frozen=True)
class Reduction:
    """Shapes of a body and what follows from them, N deformation coordinates.

    Attributes
    ----------
    shapes : (k, 6, N) array
        Motion of each node, rotation behind translation.
    stiffness, damping : (N, N) arrays
    stresses : (n, 6, N) array
        Stress resultants of each element.
    frequencies : (n_modes,) array
        Of the fixed-interface modes [Hz].
    """

    shapes: Array
    stiffness: Array
    damping: Array
    stresses: Array
    frequencies: Array


@dataclass(frozen=True)
class Inertia:
    """Integrals over the body; see `femlie.elements._modal_inertia`.

    Attributes
    ----------
    mass : float
    moments : (N + 1, 3) array
        First moments: of places, then of the shapes.
    second_moments : (N + 1, N + 1, 3, 3) array
    rotary : (3 + N, 3 + N) array
        Of the sections about themselves: body's spin, then coordinates.
    """

    mass: float
    moments: Array
    second_moments: Array
    rotary: Array

    @property
    def shape_inertia(self) -> Array:
        """(N, N) inertia of the coordinates."""
        own = np.einsum("klii->kl", self.second_moments[1:, 1:])
        return np.asarray(own + self.rotary[3:, 3:])

    def matrix(self) -> Array:
        """(6 + N, 6 + N) inertia of frame and coordinates, not deformed."""
        n = 6 + len(self.moments) - 1
        matrix = np.zeros((n, n))
        matrix[:3, :3] = self.mass * np.eye(3)
        matrix[3:, 3:] = self.rotary
        matrix[6:, 6:] = self.shape_inertia
        square = self.second_moments[0, 0]
        matrix[3:6, 3:6] += np.trace(square) * np.eye(3) - square
        matrix[3:6, :3] = so3.hat(self.moments[0])
        matrix[6:, :3] = self.moments[1:]
        cross = self.second_moments[0, 1:]
        arms = [
            cross[:, 1, 2] - cross[:, 2, 1],
            cross[:, 2, 0] - cross[:, 0, 2],
            cross[:, 0, 1] - cross[:, 1, 0],
        ]
        matrix[6:, 3:6] += np.stack(arms, axis=1)
        matrix[3:6, 6:] = matrix[6:, 3:6].T
        matrix[:3, 3:] = matrix[3:, :3].T
        return matrix


def end_maps(mesh: BeamMesh) -> Array:
    """(n, 2, 6, 6) maps from motions of the nodes, world axes, to section twists."""
    nodes = np.tile(np.eye(4), (len(mesh.nodes), 2, 1, 1))
    nodes[..., :3, 3] = mesh.places[mesh.nodes]
    return se3.adjoint(se3.inverse(se3.inverse(nodes) @ mesh.ends))


def strain_maps(mesh: BeamMesh) -> Array:
    """(n, 6, 12) changes of the relative logarithm by motions of both nodes."""
    reference = mesh.parameters[:, layout.REFERENCE : layout.REFERENCE + 6]
    maps = end_maps(mesh)
    first = -se3.tangent_operator_inverse(-reference) @ maps[:, 0]
    second = se3.tangent_operator_inverse(reference) @ maps[:, 1]
    return np.concatenate([first, second], axis=2)


def point_maps(mesh: BeamMesh) -> tuple[Array, Array]:
    """Vectors that an element's inertia stands on, and their slopes by its nodes.

    Returns
    -------
    (n, 4, 3) and (n, 4, 3, 12) arrays
        Place of a mass center and half the length along the axis, at either end.
    """
    n = len(mesh.nodes)
    center = mesh.parameters[:, layout.CENTER : layout.CENTER + 3]
    half = 0.5 * mesh.parameters[:, layout.LENGTH]
    vectors, slopes = np.zeros((n, 4, 3)), np.zeros((n, 4, 3, 12))
    for side in range(2):
        turn = mesh.ends[:, side, :3, :3]
        place = mesh.ends[:, side, :3, 3] + np.einsum("nij,nj->ni", turn, center)
        axis = (half if side == 0 else -half)[:, None] * turn[:, :, 0]
        vectors[:, 2 * side], vectors[:, 2 * side + 1] = place, axis
        at = 6 * side
        slopes[:, 2 * side, :, at : at + 3] = np.eye(3)
        arm = place - mesh.places[mesh.nodes[:, side]]
        slopes[:, 2 * side, :, at + 3 : at + 6] = -so3.hat(arm)
        slopes[:, 2 * side + 1, :, at + 3 : at + 6] = -so3.hat(axis)
    return vectors, slopes


def spin_maps(mesh: BeamMesh) -> Array:
    """(n, 2, 3, 12) spins of both sections in their own axes."""
    maps = np.zeros((len(mesh.nodes), 2, 3, 12))
    for side in range(2):
        back = np.swapaxes(mesh.ends[:, side, :3, :3], 1, 2)
        maps[:, side, :, 6 * side + 3 : 6 * side + 6] = back
    return maps


def _assembled(mesh: BeamMesh, matrices: Array) -> sparse.csc_matrix:
    rows = mesh.element_unknowns
    i = np.repeat(rows, 12, axis=1).reshape(-1)
    j = np.tile(rows, (1, 12)).reshape(-1)
    shape = (mesh.n_unknowns, mesh.n_unknowns)
    return sparse.csc_matrix((matrices.reshape(-1), (i, j)), shape=shape)


def _masses(mesh: BeamMesh) -> Array:
    return mesh.parameters[:, layout.MASS]


def _rotary(mesh: BeamMesh) -> Array:
    first = layout.ROTARY
    return mesh.parameters[:, first : first + 9].reshape(-1, 3, 3)


def mesh_matrices(mesh: BeamMesh) -> tuple[sparse.csc_matrix, sparse.csc_matrix]:
    """Stiffness and mass of all nodes, free, of small motions."""
    strains = strain_maps(mesh)
    stiffness = np.einsum(
        "npi,npq,nqj->nij", strains, mesh.matrices(layout.STIFFNESS), strains
    )
    _, points = point_maps(mesh)
    bent = np.einsum("n,pq->npq", _masses(mesh), BENT)
    mass = np.einsum("npai,npq,nqaj->nij", points, bent, points)
    spins = spin_maps(mesh)
    mass += np.einsum("npai,pq,nab,nqbj->nij", spins, SPINS, _rotary(mesh), spins)
    return _assembled(mesh, stiffness), _assembled(mesh, mass)


def rigid_maps(mesh: BeamMesh, interfaces: list[IntArray]) -> Array:
    """(6 k, 6 (n - 1)) motion of all nodes when interfaces but the first move.

    Each interface is a set of nodes tied rigidly; its motion is that of the first one.
    """
    maps = np.zeros((mesh.n_unknowns, 6 * (len(interfaces) - 1)))
    for j, nodes in enumerate(interfaces[1:]):
        arms = mesh.places[nodes] - mesh.places[nodes[0]]
        for node, arm in zip(nodes.tolist(), arms, strict=True):
            block = np.eye(6)
            block[:3, 3:] = -so3.hat(arm)
            maps[6 * node : 6 * node + 6, 6 * j : 6 * j + 6] = block
    return maps


def reduce_mesh(mesh: BeamMesh, interfaces: list[IntArray], n_modes: int) -> Reduction:
    """Constraint modes and the lowest fixed-interface modes of beams.

    Parameters
    ----------
    mesh : BeamMesh
        All nodes hang together.
    interfaces : list of (k,) int arrays
        Nodes of each, tied rigidly.
    n_modes : int

    Returns
    -------
    Reduction
        With fewer modes where there are no more.

    References
    ----------
    Craig and Bampton 1968.
    """
    stiffness, mass = mesh_matrices(mesh)
    fixed = np.concatenate(interfaces)
    inner = np.setdiff1d(np.arange(len(mesh.places)), fixed)
    rows = (6 * inner[:, None] + np.arange(6)).reshape(-1)
    shapes = rigid_maps(mesh, interfaces)
    n_constraint = shapes.shape[1]
    frequencies = np.zeros(0)
    if rows.size:
        inside = sparse.csc_matrix(stiffness[rows][:, rows])
        if n_constraint:
            factors = splu(inside)
            load = -(stiffness[rows] @ shapes)
            found = factors.solve(load)
            shapes[rows] = found + factors.solve(load - inside @ found)
        if n_modes:
            values, vectors = lowest_modes(
                inside,
                sparse.csc_matrix(mass[rows][:, rows]),
                n_multipliers=0,
                n_modes=n_modes,
            )
            normal = np.zeros((mesh.n_unknowns, len(values)))
            normal[rows] = _unit_size(vectors, mesh).T
            shapes = np.hstack([shapes, normal])
            frequencies = np.sqrt(np.maximum(values, 0.0)) / (2.0 * np.pi)
    return _reduction(mesh, shapes, n_constraint, frequencies)


def _unit_size(vectors: Array, mesh: BeamMesh) -> Array:
    """Modes whose largest displacement is one; a rotation counts by the body's size."""
    size = 0.5 * float(np.linalg.norm(np.ptp(mesh.places, axis=0)))
    parts = np.abs(vectors.reshape(len(vectors), -1, 6))
    largest = np.maximum(
        parts[..., :3].max(axis=(1, 2)), size * parts[..., 3:].max(axis=(1, 2))
    )
    return np.asarray(vectors / largest[:, None])


def _reduction(
    mesh: BeamMesh, shapes: Array, n_constraint: int, frequencies: Array
) -> Reduction:
    nodal = shapes.reshape(len(mesh.places), 6, -1)
    ends = nodal[mesh.nodes].reshape(len(mesh.nodes), 12, -1)
    strains = strain_maps(mesh) @ ends
    resultants = mesh.matrices(layout.STIFFNESS) @ strains
    stiffness = np.einsum("nik,nil->kl", strains, resultants)
    # the two kinds of modes do no work on each other
    stiffness[:n_constraint, n_constraint:] = 0.0
    stiffness[n_constraint:, :n_constraint] = 0.0
    viscous = mesh.matrices(layout.DAMPING) @ strains
    damping = np.einsum("nik,nil->kl", strains, viscous)
    return Reduction(
        nodal,
        0.5 * (stiffness + stiffness.T),
        0.5 * (damping + damping.T),
        resultants,
        frequencies,
    )


def inertia_of(mesh: BeamMesh, shapes: Array) -> Inertia:
    """Integrals of places and shapes over the mass of the beams."""
    ends = shapes[mesh.nodes].reshape(len(mesh.nodes), 12, -1)
    places, points = point_maps(mesh)
    fields = np.concatenate([places[..., None], points @ ends[:, None]], axis=3)
    bent = np.einsum("n,pq->npq", _masses(mesh), BENT)
    weighted = np.einsum("npq,nqbl->npbl", bent, fields)
    spins = spin_maps(mesh)
    turns = np.concatenate(
        [spins[..., 3:6] + spins[..., 9:12], spins @ ends[:, None]], axis=3
    )
    rotary = np.einsum("npak,pq,nab,nqbl->kl", turns, SPINS, _rotary(mesh), turns)
    return Inertia(
        mass=float(_masses(mesh).sum()),
        moments=np.einsum("p,npbl->lb", IS_PLACE, weighted),
        second_moments=np.einsum("npak,npbl->klab", fields, weighted),
        rotary=0.5 * (rotary + rotary.T),
    )


def least_inertia(matrix: Array) -> float:
    """Smallest eigenvalue of an inertia matrix scaled to a diagonal of ones."""
    diagonal = np.diag(matrix)
    if np.any(diagonal <= 0.0):
        return 0.0
    scale = 1.0 / np.sqrt(diagonal)
    values = scipy.linalg.eigvalsh(scale[:, None] * matrix * scale)
    return float(values[0])


def place_changes(places: Array) -> Array:
    """(n, 6, 6) tangent operators at the logarithms of interfaces seen from the first.

    They take changes of the logarithm to motions of the interface in its own axes.
    """
    twists = np.zeros((len(places), 6))
    twists[:, :3] = places
    return np.asarray(se3.tangent_operator(twists))
