"""Compiles the loop of a solver in a second process while kernels compile in this one.

The loop calls kernels by address, so that it can be compiled before any model is known.
With a warm cache nothing happens here.
"""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .. import _jit
from ..linear import analyze, refactor, solve

WAIT_SECONDS = 180.0
POLL_SECONDS = 0.02
# methods with a loop of their own, and loops of methods on a tree
LOOPS = (
    "static",
    "generalized_alpha",
    "munthe_kaas",
    "gauss_legendre",
    "bliedf",
    "rattle",
    "tree",
    "tree_alpha",
)
_running: dict[str, subprocess.Popen[bytes]] = {}
_log = logging.getLogger("femlie")


def marker(method: str) -> Path:
    """File that says that the loop of a method is in the cache."""
    return _jit.CACHE_FOLDER / f"loop_of_{method}"


def _lock(method: str) -> Path:
    """File that says that a process compiles it."""
    return marker(method).with_suffix(".lock")


def is_cold(method: str) -> bool:
    """Whether the loop of a method has to be compiled."""
    return _jit.IS_COMPILED and method in LOOPS and not marker(method).exists()


def start(method: str) -> None:
    """Begin to compile the loop of a method in another process, once."""
    start_all([method])


def start_all(methods: Sequence[str]) -> None:
    """The same for several methods, whose loops are compiled one after another."""
    cold = [m for m in dict.fromkeys(methods) if is_cold(m) and m not in _running]
    if cold:
        _jit.CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    taken = []
    for method in cold:
        # another process has it where there is a lock
        with contextlib.suppress(FileExistsError):
            _lock(method).touch(exist_ok=False)
            taken.append(method)
    if not taken:
        return
    _log.info("compiling (once, about 20 s)")
    package = Path(__file__).resolve().parents[1]
    paths = [str(package.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "femlie.loops", *taken],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _running.update(dict.fromkeys(taken, process))
    except OSError:
        for method in taken:
            _lock(method).unlink(missing_ok=True)
    # meanwhile here: the linear solver, which the other process then finds on disk
    _compile_linear_solver()


def _compile_linear_solver() -> None:
    one = np.ones(1)
    starts = np.array([0, 1])
    factorization = analyze(starts, np.array([0]), one, n_multipliers=0)
    refactor(factorization, one)
    solve(factorization, one, one, np.zeros(1))


def wait(method: str) -> None:
    """Wait until the other process is done; without it this one compiles."""
    process = _running.pop(method, None)
    if process is None:
        return
    end = time.monotonic() + WAIT_SECONDS
    while is_cold(method) and process.poll() is None:
        if time.monotonic() > end:
            process.kill()
        time.sleep(POLL_SECONDS)
    if process not in _running.values():
        process.wait()
    _lock(method).unlink(missing_ok=True)
