"""CPU time of analyze, refactor and solve, and of SuperLU on the same matrices.

Run from anywhere: ``python benchmarks/linear_solver.py``. Each figure is the least of
several runs on one thread; what is compiled is compiled before.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import (
    Report,
    Table,
    finish,
    least_time,
    script_parser,
    superlu,
)

SIZES, SMALLEST = (1000, 64, 256, 20, 71, 8), (4, 2, 3, 2, 3, 2)


def cases(sizes: tuple[int, ...]) -> dict[str, tuple[Any, int]]:
    """Matrices and their numbers of multipliers."""
    import numpy as np

    from tests.unit.linear.sample_matrices import (
        cantilever,
        chain,
        joined_lattice,
        lattice,
    )

    rng = np.random.default_rng(0)
    beams, few, many, joined, grid, cube = sizes
    return {
        f"cantilever, {beams} beams": (cantilever(beams, rng=rng), 0),
        f"chain of {few} links": chain(few, rng=rng),
        f"chain of {many} links": chain(many, rng=rng),
        f"{joined} x {joined} bodies, joined": joined_lattice(joined, rng=rng),
        f"grid of {grid} x {grid} nodes": (lattice((grid, grid, 1), rng=rng), 0),
        f"lattice of {cube} x {cube} x {cube} nodes": (
            lattice((cube,) * 3, rng=rng),
            0,
        ),
    }


def measure(matrix: Any, n_multipliers: int, seconds: float) -> list[Any]:
    """CPU times [ms] of one matrix, each repeated for some seconds."""
    import numpy as np

    from femlie.linear import SOLVED, analyze, describe, is_frozen, refactor, solve
    from femlie.linear._frozen_factors import frozen_factors

    def analysis() -> Any:
        return analyze(
            matrix.indptr, matrix.indices, matrix.data, n_multipliers=n_multipliers
        )

    def milliseconds(function: Any, *arguments: Any) -> float:
        return 1e3 * least_time(function, *arguments, seconds=seconds)

    factorization = analysis()
    if refactor(factorization, matrix.data) != SOLVED:
        raise SystemExit("a benchmark matrix was not factorized")
    rhs = matrix @ np.random.default_rng(1).normal(size=matrix.shape[0])
    solution = np.empty(rhs.size)
    fill = megaflops = None
    if is_frozen(factorization):
        factors = frozen_factors(factorization)
        fill, megaflops = factors.n_fill / matrix.nnz, 1e-6 * factors.n_flops
    return [
        rhs.size,
        describe(factorization),
        fill,
        megaflops,
        milliseconds(analysis),
        milliseconds(refactor, factorization, matrix.data),
        milliseconds(solve, factorization, matrix.data, rhs, solution),
        milliseconds(superlu, matrix),
        milliseconds(superlu(matrix).solve, rhs),
    ]


def main() -> None:
    """Print one line a matrix."""
    options = script_parser(__doc__, "linear_solver").parse_args()
    sizes, seconds = (SMALLEST, 0.01) if options.smallest else (SIZES, 1.0)
    rows = [
        [name, *measure(matrix, n_multipliers, seconds)]
        for name, (matrix, n_multipliers) in cases(sizes).items()
    ]
    columns = ["matrix", "unknowns", "solver", "fill", "Mflop", "analyze ms"]
    columns += ["refactor ms", "solve ms", "SuperLU ms", "its solve ms"]
    note = (
        "Fill: entries of L and U over those of the matrix. The multifrontal solver "
        "counts neither fill nor operations."
    )
    table = Table("Linear solvers on sample matrices", columns, rows, note)
    finish(Report("linear_solver", [table]), options)


if __name__ == "__main__":
    main()
