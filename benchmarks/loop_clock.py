"""CPU time of a femlie analysis, and of the compiled loop within it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class LoopClock:
    """CPU seconds of the compiled loop so far, and how often it was entered."""

    seconds: float = 0.0
    n_calls: int = 0


@contextlib.contextmanager
def loop_clock() -> Iterator[LoopClock]:
    """Clock around every call of the loop of a solver.

    What an analysis takes besides is Python: pattern of the matrix, pivots, starting
    values, results.
    """
    from femlie.assembly import Assembly

    clock = LoopClock()
    drive = Assembly.drive

    def timed(assembly: Assembly, *arguments: Any) -> Any:
        start = time.process_time()
        outcome = drive(assembly, *arguments)
        clock.seconds += time.process_time() - start
        clock.n_calls += 1
        return outcome

    patched: Any = Assembly
    patched.drive = timed
    try:
        yield clock
    finally:
        patched.drive = drive


def timed_solve(solver: Any, system: Any, **options: Any) -> tuple[dict[str, Any], Any]:
    """Solve, and say what it took.

    Returns
    -------
    dict
        ``cpu_seconds`` of the call, ``loop_seconds`` of the compiled loop in it,
        ``steps`` and ``iterations``.
    Results
    """
    with loop_clock() as clock:
        start = time.process_time()
        results = solver.solve(system, **options)
        seconds = time.process_time() - start
    return {
        "cpu_seconds": seconds,
        "loop_seconds": clock.seconds,
        "steps": results.summary["steps"],
        "iterations": results.summary["iterations"],
    }, results
