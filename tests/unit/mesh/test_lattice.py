"""Generated lattices."""

from __future__ import annotations

import numpy as np
import pytest

from femlie.errors import MeshError
from femlie.mesh import cubic_lattice, read_mesh


def test_lattice_of_the_sample_file_is_generated(meshes):
    sample = read_mesh(meshes / "lattice_10000.vtu")
    mesh = cubic_lattice((36, 13, 6), cell_size=0.01)
    assert (len(mesh.points), len(mesh.lines)) == (3626, 10003)
    assert len(mesh.lines) == len(sample.lines)
    assert mesh.total_length == pytest.approx(sample.total_length)
    assert len(mesh.nodes("top")) == len(sample.nodes("side 2"))


@pytest.mark.parametrize("n_cells", [(3, 2, 4), (5, 0, 1), (0, 0, 2)])
def test_counts_of_nodes_and_struts(n_cells):
    mesh = cubic_lattice(n_cells, cell_size=0.5)
    x, y, z = np.array(n_cells) + 1
    assert len(mesh.points) == x * y * z
    struts = (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1)
    assert len(mesh.lines_of("struts")) == struts
    np.testing.assert_allclose(mesh.lengths, 0.5)
    assert np.all(mesh.points[mesh.nodes("bottom"), 2] == 0.0)
    assert np.all(mesh.points[mesh.nodes("top"), 2] == 0.5 * n_cells[2])


@pytest.mark.parametrize("n_cells", [(0, 0, 0), (1, 2), (1.5, 1, 1), (-1, 1, 1)])
def test_impossible_numbers_of_cells_are_refused(n_cells):
    with pytest.raises(MeshError, match="n_cells"):
        cubic_lattice(n_cells, cell_size=1.0)


def test_size_of_a_cell_must_be_positive():
    with pytest.raises(MeshError, match="cell_size"):
        cubic_lattice((1, 1, 1), cell_size=0.0)
