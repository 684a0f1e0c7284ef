"""Compilation of kernels: the only module that imports numba.

Kernels are compiled on first use and cached on disk. Numba's cache does not notice an
edit to a helper in another file, so the cache folder carries a hash of all sources
that hold compiled code.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import os
import re
from pathlib import Path
from typing import Any

COMPILED_CODE = re.compile(rb"^@(kernel|inline|shared)$|^def kernel", re.MULTILINE)


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
from numba.core import cgutils, types  # noqa: E402
from numba.extending import (  # noqa: E402
    get_cython_function_address,
    intrinsic,
    overload,
    register_jitable,
)

# numba may have been imported before, and reads the variable only once
numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]

IS_COMPILED = not numba.config.DISABLE_JIT

# plain Python when called from Python, compiled when called from a kernel
shared = register_jitable(error_model="numpy")


def kernel(function: Any) -> Any:
    """Compile a function and keep it on disk."""
    return _once(numba.njit(cache=True, error_model="numpy")(function))


def inline(function: Any) -> Any:
    """Compile a helper into its callers."""
    return _once(numba.njit(error_model="numpy", forceinline=True)(function))


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


def call_external(address: int, arguments: tuple[int, ...]) -> None:
    """Call a C function that takes pointers and returns nothing.

    Parameters
    ----------
    address : int
        See `external`. It is an argument of every kernel that uses it: a constant in
        code cached on disk would be wrong in the next process.
    arguments : tuple of int
        Addresses, such as ``array.ctypes.data``.
    """
    pointers = (ctypes.c_void_p,) * len(arguments)
    ctypes.CFUNCTYPE(None, *pointers)(int(address))(*(int(a) for a in arguments))


@intrinsic
def _call_c(typing_context, address, arguments):  # type: ignore[no-untyped-def]
    signature = types.none(types.uint64, arguments)

    def generate(context, builder, _signature, values):  # type: ignore[no-untyped-def]
        pointer = cgutils.voidptr_t
        unpacked = cgutils.unpack_tuple(builder, values[1], len(arguments))
        kinds = cgutils.ir
        function_type = kinds.FunctionType(kinds.VoidType(), [pointer] * len(arguments))
        function = builder.inttoptr(values[0], function_type.as_pointer())
        builder.call(function, [builder.inttoptr(a, pointer) for a in unpacked])
        return context.get_dummy_value()

    return signature, generate


@overload(call_external)
def _compiled_call_external(address, arguments):  # type: ignore[no-untyped-def]
    def implementation(address, arguments):  # type: ignore[no-untyped-def]
        _call_c(address, arguments)

    return implementation


def external(module: str, name: str) -> int:
    """Address of a function that a Cython module exports, such as BLAS from scipy.

    Raises
    ------
    ImportError
        If its integers are not of 32 bits, which callers count on.
    """
    signature = repr(importlib.import_module(module).__pyx_capi__[name])
    if "int *" not in signature:
        raise ImportError(
            f"{module}.{name} has the signature {signature}: expected 32-bit integers "
            "('int *'), as in the wheels of scipy."
        )
    return int(get_cython_function_address(module, name))


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


# kernels by address, and entry points of shared functions
_KERNELS: dict[int, Any] = {}
_COMPILED: dict[Any, Any] = {}


def compiled(function: Any) -> Any:
    """Entry point from Python of a ``shared`` function, compiled on first use."""
    if function not in _COMPILED:
        _COMPILED[function] = kernel(function)
    return _COMPILED[function]
