"""Compiles the loop of a solver for the types that every model has.

Run in a second process by `femlie.solvers.ahead`: ``python -m femlie.loops METHOD``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _jit
from .assembly import STATIC, Assembly, kernel_arguments
from .elements import _beam_kernel, _body_kernel
from .elements.base import no_carry
from .linear import analyze
from .model import Model
from .parts.structure import Body
from .solvers import (
    _static_driver,
    bliedf,
    gauss_legendre,
    generalized_alpha,
    munthe_kaas,
    rattle,
)
from .solvers.ahead import marker
from .solvers.schedule import Schedule
from .solvers.stepping import Stepping

# kernels of most models but the largest one: evaluate, carry, observe
KERNELS = (
    (_body_kernel.evaluate_load, _body_kernel.evaluate_body),
    (_beam_kernel.carry, no_carry),
    (_beam_kernel.observe, _body_kernel.observe_load, _body_kernel.observe_body),
)

# how a run of each method is made
STEPPERS: dict[str, Callable[[Stepping], Any]] = {
    "generalized_alpha": lambda stepping: generalized_alpha.Run(
        generalized_alpha.GeneralizedAlpha(), stepping
    ),
    "munthe_kaas": lambda stepping: munthe_kaas.Run(munthe_kaas.MuntheKaas(), stepping),
    "gauss_legendre": lambda stepping: gauss_legendre.Run(
        gauss_legendre.GaussLegendre(), stepping
    ),
    "bliedf": lambda stepping: bliedf.Run(bliedf.BLieDF(), stepping),
    "rattle": lambda stepping: rattle.Run(rattle.Rattle(), stepping),
}


def compile_loop(method: str) -> None:
    """Compile the loop of a method for the types that every model has."""
    arguments, driver = _example(method)
    _jit.compile_for(_jit.compiled(driver), arguments)
    for role, kernels in enumerate(KERNELS):
        for kernel in kernels:
            _jit.address(kernel, kernel_arguments()[role])
    _jit.CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        marker(method).touch()


def _example(method: str) -> tuple[tuple[Any, ...], Any]:
    """Arguments of a loop for one free body without any element, and the loop."""
    model = Model()
    model.add(Body("body", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    built = model.build()
    system = dataclasses.replace(
        built,
        blocks=(),
        state=dataclasses.replace(built.state, history=()),
        catalog=dataclasses.replace(built.catalog, parts={}),
    )
    assembly = Assembly(system)
    factorization = analyze(
        assembly.indptr,
        assembly.indices,
        np.ones(assembly.indices.size),
        n_multipliers=0,
    )
    if method == "static":
        motion = assembly.motion(system.state, regime=STATIC)
        n = system.dofs.n_rows
        memory: Any = _static_driver.new_memory(
            assembly.equations,
            motion,
            assembly.diagonal,
            np.zeros(n),
            settings=np.zeros(3),
        )
        static = (assembly.compiled_equations, motion, assembly.target)
        return (*static, factorization, memory), _static_driver.advance
    stepping = Stepping(system, Schedule(duration=1.0, time_step=1.0), analysis={})
    stepping.begin()
    run = STEPPERS[method](stepping)
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
