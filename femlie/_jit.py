"""Compilation of kernels: the only module that imports numba.

Kernels are compiled on first use and cached on disk. Numba's cache does not notice an
edit to a helper in another file, so the cache folder carries a hash of all sources
that hold compiled code.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

COMPILED_CODE = re.compile(
    rb"^@(kernel|inline|routine|shared)$|^def kernel", re.MULTILINE
)


def _cache_folder() -> Path:
    root = os.environ.get("FEMLIE_CACHE_DIR")
    base = Path(root) if root else Path.home() / ".cache" / "femlie"
    digest = hashlib.sha256()
    package = Path(__file__).parent
    for source in sorted(package.rglob("*.py")):
        content = source.read_bytes()
        if COMPILED_CODE.search(content):
            digest.update(content)
    return base / digest.hexdigest()[:16]


CACHE_FOLDER = _cache_folder()
os.environ.setdefault("NUMBA_CACHE_DIR", str(CACHE_FOLDER))

import numba  # noqa: E402  (the cache folder must be known before)
import numpy as np  # noqa: E402
from numba.core import cgutils, codegen, compiler, types  # noqa: E402
from numba.extending import intrinsic, overload, register_jitable  # noqa: E402
from numba.np import arrayobj  # noqa: E402

# numba may have been imported before, and reads the variable only once
numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]

IS_COMPILED = not numba.config.DISABLE_JIT


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


# division by zero as in numpy; products and sums may be fused, which rounds once less.
# Python owns all arrays: compiled code allocates none but `scratch`, and so counts no
# references to them, which would take longer than the work on a single element
_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "_nrt": False}
_PART = {
    **_OPTIONS,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _PartCompiler,
}

# plain Python when called from Python, compiled when called from a kernel
shared = register_jitable(**_PART)


def kernel(function: Any) -> Any:
    """Compile a function and keep it on disk."""
    return _once(numba.njit(cache=True, **_OPTIONS)(function))


def inline(function: Any) -> Any:
    """Compile a helper into its callers; called from Python, it is a kernel."""
    return _part(function, forceinline=True)


def routine(function: Any) -> Any:
    """Compile a helper with each of its callers, as a call or not as LLVM likes."""
    return _part(function, forceinline=False)


def _part(function: Any, *, forceinline: bool) -> Any:
    dispatcher = _once(numba.njit(forceinline=forceinline, **_PART)(function))
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
    addresses of compiled kernels, so that one driver serves every mix of kinds.
    """
    functions[block, role](*arguments)


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


@intrinsic
def _stack_array(typing_context, n):  # type: ignore[no-untyped-def]
    signature = types.Array(types.float64, 1, "C")(types.int64)

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        size = context.get_constant(types.intp, 8)
        number = context.get_value_type(types.float64)
        pointer = builder.alloca(number, size=values[0])
        pointer.align = 64
        array = context.make_array(signature.return_type)(context, builder)
        arrayobj.populate_array(
            array,
            data=pointer,
            shape=[values[0]],
            strides=[size],
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return signature, generate


# array of that many numbers without a meaning, gone when the kernel returns
scratch: Any = _stack_array if IS_COMPILED else np.empty


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
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


_COMPILED: dict[Any, Any] = {}


def compiled(function: Any) -> Any:
    """Entry point from Python of a ``shared`` function, compiled on first use."""
    if function not in _COMPILED:
        _COMPILED[function] = kernel(function)
    return _COMPILED[function]
