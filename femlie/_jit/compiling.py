"""Decorators of compiled code, and calls of kernels by their addresses."""

from __future__ import annotations

from typing import Any

from .cache import IS_COMPILED

# isort: split
import numba
import numpy as np
from numba.core import cgutils, codegen, compiler, types
from numba.extending import intrinsic, overload, register_jitable


class _NoEnvironment:
    """Code generator of a library that is never run by itself."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Nothing to set: the functions that it is linked into have their own."""


class _Part(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that only other compiled functions call.

    Numba would optimize every helper and turn it into machine code by itself, and again
    within each caller. This library is only linked into its callers, which halves the
    time to compile a kernel with many helpers.
    """

    @property
    def codegen(self) -> _NoEnvironment:
        return _NoEnvironment()

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _PartCompiler(compiler.Compiler):  # type: ignore[misc]
    def define_pipelines(self) -> Any:
        name = self.state.func_id.func_qualname
        self.state.library = _Part(self.state.targetctx.codegen(), name)
        return super().define_pipelines()


# Division by zero as in numpy. No fused products: they are 5 % faster and break what
# cancels exactly, such as the moment of a force through the mass center.
# References are not counted: kernels borrow what they are given, allocate nothing (see
# `scratch`) and return no arrays. Counting took three quarters of a small step.
_ARITHMETIC = {"error_model": "numpy", "_nrt": False}
_PART = {
    **_ARITHMETIC,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _PartCompiler,
}

# plain Python when called from Python, compiled when called from a kernel
shared = register_jitable(**_PART)


def kernel(function: Any) -> Any:
    """Compile a function and keep it on disk."""
    return _once(numba.njit(cache=True, **_ARITHMETIC)(function))


def allocating_kernel(function: Any) -> Any:
    """The same for a function that makes arrays of its own."""
    options = {**_ARITHMETIC, "_nrt": True}
    return _once(numba.njit(cache=True, **options)(function))


def inline(function: Any) -> Any:
    """Compile a helper into its callers; called from Python, it is a kernel."""
    return _part(function, forceinline=True)


def routine(function: Any) -> Any:
    """Compile a helper with each of its callers, as a call or not as LLVM likes."""
    return _part(function, forceinline=False)


def allocating_routine(function: Any) -> Any:
    """A helper that makes or returns arrays, for `allocating_kernel` only."""
    return _part(function, forceinline=False, counts=True)


def _part(function: Any, *, forceinline: bool, counts: bool = False) -> Any:
    options = {**_PART, "forceinline": forceinline, "_nrt": counts}
    dispatcher = _once(numba.njit(**options)(function))
    if IS_COMPILED:
        overloads = dispatcher.overloads

        def add_overload(result: Any) -> None:
            overloads[tuple(result.signature.args)] = result

        def entry_from_python(*_arguments: Any) -> Any:
            return compiled(function)

        # there is no code that Python could call
        dispatcher.add_overload = add_overload
        dispatcher._compile_for_args = entry_from_python
    return dispatcher


def _once(dispatcher: Any) -> Any:
    """Let a function be compiled once for all values of integer constants.

    Numba would compile it again for every literal argument; LLVM propagates the
    constants after inlining anyway.
    """
    if not IS_COMPILED:
        return dispatcher
    template = dispatcher.get_call_template

    def call_template(arguments: Any, keywords: Any) -> Any:
        return template(tuple(types.unliteral(a) for a in arguments), keywords)

    dispatcher.get_call_template = call_template
    return dispatcher


def call(functions: Any, block: int, role: int, arguments: tuple[Any, ...]) -> None:
    """Call ``functions[block, role](*arguments)``.

    Interpreted, ``functions`` is an object array of callables. Compiled, it holds the
    addresses of compiled kernels, so that one driver serves every mix of kinds; called
    from Python, these addresses lead back to the kernels.
    """
    function = functions[block, role]
    if functions.dtype == np.uint64:
        function = _KERNELS[int(function)]
    function(*arguments)


@intrinsic
def _call_address(typing_context, address, arguments):  # type: ignore[no-untyped-def]
    signature = types.none(types.uint64, arguments)
    argument_types = tuple(arguments)

    def generate(context, builder, _signature, values):  # type: ignore[no-untyped-def]
        function_type = context.call_conv.get_function_type(types.none, argument_types)
        pointer = builder.inttoptr(values[0], function_type.as_pointer())
        unpacked = cgutils.unpack_tuple(builder, values[1], len(argument_types))
        status, _ = context.call_conv.call_function(
            builder, pointer, types.none, argument_types, unpacked
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return signature, generate


@overload(call)
def _compiled_call(functions, block, role, arguments):  # type: ignore[no-untyped-def]
    def implementation(functions, block, role, arguments):  # type: ignore[no-untyped-def]
        _call_address(functions[block, role], arguments)

    return implementation


def compile_for(function: Any, arguments: tuple[Any, ...]) -> Any:
    """A function compiled for the types of ``arguments``."""
    signature = tuple(numba.typeof(argument) for argument in arguments)
    function.compile(signature)
    return function.overloads[signature]


def address(function: Any, arguments: tuple[Any, ...]) -> int:
    """Address of a kernel compiled for the types of ``arguments``."""
    compiled = compile_for(function, arguments)
    found = int(
        compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    )
    _KERNELS[found] = function
    return found


def entry_point(function: Any, arguments: tuple[Any, ...]) -> Any:
    """What calls a ``shared`` function with arguments of the types of these.

    To find out types of many arrays takes longer than a short call.
    """
    return compile_for(compiled(function), arguments).entry_point


# kernels by address, and entry points of shared functions
_KERNELS: dict[int, Any] = {}
_COMPILED: dict[Any, Any] = {}


def compiled(function: Any) -> Any:
    """Entry point from Python of a ``shared`` function, compiled on first use."""
    if function not in _COMPILED:
        _COMPILED[function] = kernel(function)
    return _COMPILED[function]
