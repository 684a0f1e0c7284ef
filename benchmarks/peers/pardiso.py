"""CPU times of Pardiso for a matrix in a file: analysis, refactorization, solve.

``python -m benchmarks.peers.pardiso MATRIX.npz`` prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from benchmarks.measuring import least_time, version_of

# Pardiso's own numbers: real unsymmetric; its phases
UNSYMMETRIC, FACTORIZE, SUBSTITUTE = 11, 22, 33


def measure(path: str) -> dict[str, Any]:
    """Least CPU seconds of each part."""
    import numpy as np
    import pypardiso
    import scipy.sparse

    matrix = scipy.sparse.load_npz(path).tocsr()
    rhs = np.ones(matrix.shape[0])

    def analyzed() -> Any:
        solver = pypardiso.PyPardisoSolver(mtype=UNSYMMETRIC)
        solver.factorize(matrix)
        return solver

    solver = analyzed()
    solver.solve(matrix, rhs)

    def phase(number: int) -> None:
        solver.set_phase(number)
        solver._call_pardiso(matrix, rhs)

    return {
        "version": version_of("pypardiso"),
        "analyze": least_time(analyzed, seconds=0.5),
        "refactor": least_time(phase, FACTORIZE),
        "solve": least_time(phase, SUBSTITUTE, seconds=0.5),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
