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
from numba.core import cgutils, types  # noqa: E402
from numba.experimental import structref  # noqa: E402
from numba.experimental.jitclass.base import imp_dtor  # noqa: E402
from numba.extending import intrinsic, overload, register_jitable  # noqa: E402

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


@overload(call)
def _compiled_call(functions, block, role, arguments):  # type: ignore[no-untyped-def]
    def implementation(functions, block, role, arguments):  # type: ignore[no-untyped-def]
        _call_address(functions[block, role], arguments)

    return implementation


class _ReferenceType(types.StructRef):  # type: ignore[misc]
    """Type of a record on the heap; the name is short, since symbols carry it."""

    def __init__(self, fields: Any) -> None:
        super().__init__(fields)
        digest = hashlib.sha256(repr(fields).encode()).hexdigest()[:16]
        self.name = f"Reference_{digest}"


class _Reference(structref.StructRefProxy):  # type: ignore[misc]
    """What Python sees of a record on the heap: nothing but its identity."""


structref.register(_ReferenceType)
structref.define_boxing(_ReferenceType, _Reference)


@intrinsic
def _to_heap(typing_context, record):  # type: ignore[no-untyped-def]
    reference = _ReferenceType(tuple(zip(record.fields, record.types, strict=True)))

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        kind = signature.return_type
        payload = context.data_model_manager[kind.get_data_type()].get_value_type()
        size = context.get_constant(types.uintp, context.get_abi_sizeof(payload))
        destructor = imp_dtor(context, builder.module, kind)
        meminfo = context.nrt.meminfo_alloc_dtor(builder, size, destructor)
        pointer = context.nrt.meminfo_data(builder, meminfo)
        pointer = builder.bitcast(pointer, payload.as_pointer())
        builder.store(cgutils.get_null_value(payload), pointer)
        data = cgutils.create_struct_proxy(kind.get_data_type())(
            context, builder, ref=pointer
        )
        for k, (name, field) in enumerate(kind.field_dict.items()):
            value = builder.extract_value(values[0], k)
            context.nrt.incref(builder, field, value)
            setattr(data, name, value)
        found = context.make_helper(builder, kind)
        found.meminfo = meminfo
        return found._getvalue()

    return reference(record), generate


@kernel
def _on_heap(record):  # type: ignore[no-untyped-def]
    return _to_heap(record)


def by_reference(record: Any) -> Any:
    """A named tuple of arrays that compiled functions pass on as one pointer.

    By value, each call copies every array of a record, about eight numbers an array,
    and counts a reference to it. Functions see the same names either way.
    """
    return _on_heap(record) if IS_COMPILED else record


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
