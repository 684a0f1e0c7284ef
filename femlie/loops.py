"""Compiles the loop of a solver for the types that every model has.

Run in a second process by `femlie.solvers.ahead`: ``python -m femlie.loops METHOD...``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from typing import Any

import numpy as np

from . import _jit
from .assembly import DYNAMIC, STATIC, Assembly, kernel_arguments
from .elements import _beam_kernel, _body_kernel
from .elements.base import no_carry
from .linear import placeholder
from .model import Model
from .parts.structure import Body
from .solvers import (
    _static_driver,
    alpha_run,
    bliedf,
    gauss_legendre,
    generalized_alpha,
    munthe_kaas,
    rattle,
)
from .solvers.ahead import marker
from .solvers.formulation import TREE
from .solvers.schedule import Schedule
from .solvers.stepping import Stepping

# kernels of most models but the two largest ones: evaluate, carry, observe
KERNELS = (
    (_body_kernel.evaluate_load, _body_kernel.evaluate_body),
    (no_carry,),
    (_beam_kernel.observe, _body_kernel.observe_load, _body_kernel.observe_body),
)
# of each loop in time: a method that runs it, and settings
STEPPERS: dict[str, tuple[Any, Any]] = {
    "generalized_alpha": (alpha_run.Run, generalized_alpha.GeneralizedAlpha()),
    "munthe_kaas": (munthe_kaas.Run, munthe_kaas.MuntheKaas()),
    "tree": (
        munthe_kaas.RunOnTree,
        munthe_kaas.MuntheKaas(formulation=TREE),
    ),
    "tree_alpha": (
        alpha_run.RunOnTree,
        generalized_alpha.GeneralizedAlpha(formulation=TREE),
    ),
    "gauss_legendre": (gauss_legendre.Run, gauss_legendre.GaussLegendre()),
    "bliedf": (bliedf.Run, bliedf.BLieDF()),
    "rattle": (rattle.Run, rattle.Rattle()),
}


def compile_loop(method: str) -> None:
    """Compile the loop of a method for the types that every model has."""
    # the kernels first: meanwhile the other process writes the linear solver to disk
    for role, kernels in enumerate(KERNELS):
        for kernel in kernels:
            _jit.address(kernel, kernel_arguments()[role])
    arguments, driver = _example(method)
    _jit.compile_for(_jit.compiled(driver), arguments)
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
    assembly = Assembly(system, regime=STATIC if method == "static" else DYNAMIC)
    factorization = placeholder()
    if method == "static":
        motion = assembly.motion(system.state)
        n = system.dofs.n_rows
        memory: Any = _static_driver.new_memory(
            assembly.equations,
            motion,
            assembly.diagonal,
            np.zeros(n),
            settings=np.zeros(5),
        )
        static = (assembly.compiled_equations, motion, assembly.target)
        return (*static, factorization, memory), _static_driver.advance
    kind, settings = STEPPERS[method]
    schedule = Schedule(duration=1.0, time_step=1.0)
    stepping = Stepping(
        system, schedule, name=method, settings=settings, compiles_ahead=False
    )
    run = kind(settings, stepping)
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
    for name in sys.argv[1:]:
        compile_loop(name)
