"""CPU time of analyze, refactor and solve, and of SuperLU on the same matrices.

Run from anywhere: ``python benchmarks/linear_solver.py``. Each figure is the least of
several runs on one thread; what is compiled is compiled before.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))
LEAST_SECONDS = 1.0


def least_time(function: Callable[..., Any], *arguments: Any) -> float:
    """Least CPU time of a call [ms], over at least three calls and some seconds.

    Short calls are timed in groups, longer than the resolution of the clock.
    """
    function(*arguments)
    start = time.process_time()
    function(*arguments)
    group = max(1, int(2e-3 / max(time.process_time() - start, 1e-7)))
    times = []
    while len(times) < 3 or sum(times) * group < LEAST_SECONDS:
        start = time.process_time()
        for _ in range(group):
            function(*arguments)
        times.append((time.process_time() - start) / group)
    return 1e3 * min(times)


def cases() -> dict[str, tuple[Any, int]]:
    """Matrices and their numbers of multipliers."""
    import numpy as np

    from tests.unit.linear.sample_matrices import (
        cantilever,
        chain,
        joined_lattice,
        lattice,
    )

    rng = np.random.default_rng(0)
    return {
        "cantilever, 1000 beams": (cantilever(1000, rng=rng), 0),
        "chain of 64 links": chain(64, rng=rng),
        "chain of 256 links": chain(256, rng=rng),
        "20 x 20 bodies, joined": joined_lattice(20, rng=rng),
        "grid, 9940 beams": (lattice((71, 71, 1), rng=rng), 0),
        "8 x 8 x 8 lattice": (lattice((8, 8, 8), rng=rng), 0),
    }


def measure(matrix: Any, n_multipliers: int) -> dict[str, float]:
    """CPU times [ms] of one matrix."""
    import numpy as np
    from scipy.sparse.linalg import splu

    from femlie.linear import SOLVED, analyze, refactor, solve
    from femlie.linear._frozen_factors import frozen_factors

    def analysis() -> Any:
        return analyze(
            matrix.indptr, matrix.indices, matrix.data, n_multipliers=n_multipliers
        )

    def superlu() -> Any:
        return splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.01,
            options={"SymmetricMode": True},
        )

    factorization = analysis()
    if refactor(factorization, matrix.data) != SOLVED:
        raise SystemExit("a benchmark matrix was not factorized")
    rhs = matrix @ np.random.default_rng(1).normal(size=matrix.shape[0])
    solution = np.empty(rhs.size)
    factors = superlu()
    return {
        "unknowns": rhs.size,
        "fill": frozen_factors(factorization).n_fill / matrix.nnz,
        "Mflop": 1e-6 * frozen_factors(factorization).n_flops,
        "analyze": least_time(analysis),
        "refactor": least_time(refactor, factorization, matrix.data),
        "solve": least_time(solve, factorization, matrix.data, rhs, solution),
        "SuperLU": least_time(superlu),
        "its solve": least_time(factors.solve, rhs),
    }


def main() -> None:
    """Print one line a matrix."""
    names: list[str] = []
    for name, (matrix, n_multipliers) in cases().items():
        figures = measure(matrix, n_multipliers)
        if not names:
            names = list(figures)
            print(" " * 24 + "".join(f"{key:>11}" for key in names))
        print(f"{name:24}" + "".join(f"{figures[key]:11.4g}" for key in names))
    print("times in ms of one thread; fill: entries of L and U over those of A")


if __name__ == "__main__":
    main()
