"""The kernel of modal bodies against virtual work of its points."""

from __future__ import annotations

import numpy as np

from femlie.build.beams import beam_block, beam_elements
from femlie.build.modal_reduction import BeamMesh, reduce_mesh
from femlie.build.signals import SignalTable
from tests.oracles import modal as oracle
from tests.property.element_zoo import modal_case
from tests.sample_elements import forked_body


def sample() -> oracle.ModalBody:
    model = forked_body()
    beam = beam_elements(model.parts["fork"], model.mesh)
    n = len(beam.lengths)
    identity = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (n, 2, 1))
    block = beam_block([beam], np.zeros((n, 2), int), identity, SignalTable())
    mesh = BeamMesh(model.mesh.points, beam.nodes, beam.ends, block.parameters)
    ports = [0, 4, 6]
    reduction = reduce_mesh(mesh, [np.array([port]) for port in ports], 4)
    return oracle.ModalBody(mesh, reduction, ports)


def test_residual_is_the_virtual_work_of_the_points() -> None:
    case = modal_case(is_heavy=False)
    motion = case.motion
    # the rotation of frames that carry amplitudes is locked
    rows = np.ones((5, 6), dtype=bool)
    rows[3:, 3:] = False
    rows[4, 1:] = False
    for array in (motion.velocities, motion.accelerations, motion.poses[:, :6]):
        array[4, 1:3] = 0.0
    given = case.evaluate()[0].reshape(5, 6)
    expected = oracle.residual(
        sample(), motion.poses, motion.velocities, motion.accelerations
    )
    size = np.abs(expected).max()
    np.testing.assert_allclose(given[rows], expected[rows], rtol=0, atol=1e-7 * size)


def test_strain_energy_is_that_of_the_logarithms() -> None:
    case = modal_case(is_heavy=False)
    expected = sample().strain_energy(case.motion.poses)
    np.testing.assert_allclose(case.observe()[1][1], expected, rtol=1e-12)
