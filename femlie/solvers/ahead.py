"""Compiles the loop of a solver in a second process while kernels compile in this one.

The loop calls kernels by address, so that it can be compiled before any model is known.
With a warm cache nothing happens here.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .. import _jit

WAIT_SECONDS = 180.0
_running: dict[str, subprocess.Popen[bytes]] = {}
_log = logging.getLogger("femlie")


def marker(method: str) -> Path:
    """File that says that the loop of a method is in the cache."""
    return _jit.CACHE_FOLDER / f"loop_of_{method}"


def is_cold(method: str) -> bool:
    """Whether the loop of a method has to be compiled."""
    return _jit.IS_COMPILED and not marker(method).exists()


def start(method: str) -> None:
    """Begin to compile the loop of a method in another process, once."""
    if not is_cold(method) or method in _running:
        return
    _log.info("compiling (once, about 20 s)")
    _jit.CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    lock = marker(method).with_suffix(".lock")
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        return
    package = Path(__file__).resolve().parents[1]
    paths = [str(package.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    try:
        _running[method] = subprocess.Popen(
            [sys.executable, "-m", "femlie.solvers.ahead", method],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        lock.unlink(missing_ok=True)


def wait(method: str) -> None:
    """Wait until the other process is done; without it this one compiles."""
    process = _running.pop(method, None)
    if process is None:
        return
    try:
        process.wait(timeout=WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    marker(method).with_suffix(".lock").unlink(missing_ok=True)


def compile_loop(method: str) -> None:
    """Compile the loop of a method for the types that every model has."""
    arguments, driver = _example(method)
    _jit.compile_for(_jit.compiled(driver), arguments)
    _jit.CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        marker(method).touch()


def _example(method: str) -> tuple[tuple[Any, ...], Any]:
    """Arguments of a loop for one free body without any element, and the loop."""
    import numpy as np

    from ..assembly import STATIC, Assembly
    from ..linear import analyze
    from ..model import Model
    from ..parts import Body

    model = Model()
    model.add(Body("body", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    built = model.build()
    system = dataclasses.replace(
        built, blocks=(), state=dataclasses.replace(built.state, history=())
    )
    assembly = Assembly(system)
    factorization = analyze(
        assembly.indptr,
        assembly.indices,
        np.ones(assembly.indices.size),
        n_multipliers=0,
    )
    if method == "static":
        from . import _static_driver

        motion = assembly.motion(system.state, regime=STATIC)
        n = system.dofs.n_rows
        memory: Any = _static_driver.new_memory(
            assembly.equations,
            motion,
            assembly.diagonal,
            np.zeros(n),
            settings=np.zeros(2),
        )
        head = (assembly.compiled_equations, motion, assembly.target)
        return (*head, factorization, memory), _static_driver.advance
    from .stepping import Schedule, Stepping

    stepping = Stepping(system, Schedule(duration=1.0, time_step=1.0), analysis={})
    stepping.begin()
    run: Any
    if method == "generalized_alpha":
        from .generalized_alpha import GeneralizedAlpha, Run

        run = Run(GeneralizedAlpha(), stepping)
    else:
        from .munthe_kaas import MuntheKaas
        from .munthe_kaas import Run as MuntheKaasRun

        run = MuntheKaasRun(MuntheKaas(), stepping)
    head = (stepping.assembly.compiled_equations, stepping.motion)
    return (
        *head,
        stepping.assembly.target,
        factorization,
        run.memory,
        stepping.recorder.buffer,
        1,
    ), run.driver


if __name__ == "__main__":
    compile_loop(sys.argv[1])
