"""What the modules of this folder share: runs of one problem, each in its own process.

A module holds the same problem for femlie and for its peers: ``TITLE`` and ``NOTE`` of
its table, ``RUNS`` and ``RUNNERS``. As a program it does one of the runs and prints one
line of JSON. Packages are imported only by the function that needs them.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.measuring import least_of, version_of

# names of the distributions that give the programs
DISTRIBUTIONS = {
    "femlie": "femlie",
    "Exudyn": "exudyn",
    "OpenSees": "openseespy",
    "MuJoCo": "mujoco",
    "Pinocchio": "pin",
}
MODULES = {**DISTRIBUTIONS, "OpenSees": "openseespy.opensees", "Pinocchio": "pinocchio"}
# these compile when they are first run
COMPILED_ON_FIRST_USE = ("femlie",)
# one peer asks for more than any machine has where chains are long
MEMORY_LIMIT = 6 * 2**30
Runner = Callable[["Run"], dict[str, Any]]


@dataclass(frozen=True)
class Run:
    """One way to solve the problem of a module.

    Attributes
    ----------
    program : str
        A key of `DISTRIBUTIONS`.
    variant : str
        Method and settings, in words.
    size : int
        Number of elements or links; 1 where nothing can be counted.
    group : str
        Runs of one group and size answer the same question: ratios are taken in it.
    options : tuple
        What the runner needs to know besides.
    """

    program: str
    variant: str
    size: int = 1
    group: str = ""
    options: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Aim:
    """A goal for the CPU time of a run.

    Attributes
    ----------
    what : str
    run : int
        Number of the run.
    aim : float
        In ``unit``.
    unit : str
    scale : float
        Units in a second; divided by the number of steps for times of one step.
    peer_run : int or None
        Number of a peer's run that was timed where the aim was set.
    peer_seconds : float or None [s]
        What it took there.
    """

    what: str
    run: int
    aim: float
    unit: str
    scale: float
    peer_run: int | None = None
    peer_seconds: float | None = None


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it returned."""
    start = time.process_time()
    value = call()
    return time.process_time() - start, value


def distance(first: Sequence[float], second: Sequence[float]) -> float:
    """Between two points."""
    pairs = zip(first, second, strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def perform(runs: Sequence[Run], runners: Mapping[str, Runner]) -> None:
    """Do the run that the command line names by its number, and print its record."""
    parser = argparse.ArgumentParser(description="One run of one benchmark case.")
    parser.add_argument("number", type=int, choices=range(len(runs)))
    parser.add_argument(
        "--repeat", type=int, default=5, help="runs, of which the least"
    )
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    run = runs[arguments.number]
    runner = runners[run.program]
    if run.program in COMPILED_ON_FIRST_USE:
        runner(run)
    record = least_of(arguments.repeat, lambda: runner(run))
    record |= {
        "program": run.program,
        "version": version_of(DISTRIBUTIONS[run.program]),
        "variant": run.variant,
        "size": run.size,
    }
    print(json.dumps(record, default=float))
