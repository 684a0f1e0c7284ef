"""Calls of C functions, such as BLAS from scipy."""

from __future__ import annotations

import ctypes
import importlib

from numba.core import cgutils, types
from numba.extending import get_cython_function_address, intrinsic, overload


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
