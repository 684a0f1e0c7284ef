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

COMPILED_CODE = re.compile(
    rb"^@(kernel|allocating_kernel|inline|routine|shared)$|^def kernel", re.MULTILINE
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
from numba.core import cgutils, codegen, compiler, imputils, types  # noqa: E402
from numba.core.datamodel import default_manager, models  # noqa: E402
from numba.core.typing.templates import AttributeTemplate  # noqa: E402
from numba.experimental import structref  # noqa: E402
from numba.experimental.jitclass.base import imp_dtor  # noqa: E402
from numba.extending import (  # noqa: E402
    NativeValue,
    box,
    get_cython_function_address,
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    overload,
    register_jitable,
    type_callable,
    unbox,
)
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


def rows_of(array: Any, start: int, n: int, columns: int) -> Any:
    """``n`` rows of a flat array from ``start`` on, as a matrix that shares its data.

    Compiled, this is a few instructions, where slicing and reshaping takes 50 ns.
    """
    return array[start : start + n * columns].reshape(n, columns)


def part_of(array: Any, bounds: Any, i: int) -> Any:
    """Entries ``bounds[i, 0]`` to ``bounds[i, 1]`` of a flat array: its own data."""
    return array[bounds[i, 0] : bounds[i, 1]]


@type_callable(rows_of)
def _type_rows(context):  # type: ignore[no-untyped-def]
    return lambda array, start, n, columns: types.Array(array.dtype, 2, "C")  # noqa: ARG005


@type_callable(part_of)
def _type_part(context):  # type: ignore[no-untyped-def]
    return lambda array, bounds, i: types.Array(array.dtype, 1, "C")  # noqa: ARG005


# not functions of their own: those that count no references may not return arrays
@lower_builtin(rows_of, types.Array, types.Integer, types.Integer, types.Integer)
def _lower_rows(context, builder, signature, values):  # type: ignore[no-untyped-def]
    start, n, columns = (
        context.cast(builder, value, kind, types.intp)
        for value, kind in zip(values[1:], signature.args[1:], strict=True)
    )
    return _share(context, builder, signature, values[0], start, (n, columns))


@lower_builtin(part_of, types.Array, types.Array, types.Integer)
def _lower_part(context, builder, signature, values):  # type: ignore[no-untyped-def]
    i = context.cast(builder, values[2], signature.args[2], types.intp)
    bounds = context.make_array(signature.args[1])(context, builder, values[1])
    place = builder.mul(i, context.get_constant(types.intp, 2))
    pair = builder.gep(bounds.data, [place])
    start, end = (builder.load(cgutils.gep(builder, pair, k)) for k in range(2))
    n = builder.sub(end, start)
    return _share(context, builder, signature, values[0], start, (n,))


def _share(context, builder, signature, value, start, shape):  # type: ignore[no-untyped-def]
    """A contiguous part of a flat array."""
    result = signature.return_type
    flat = context.make_array(signature.args[0])(context, builder, value)
    part = context.make_array(result)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(result.dtype))
    itemsize = context.get_constant(types.intp, size)
    strides = [builder.mul(shape[1], itemsize), itemsize] if shape[1:] else [itemsize]
    arrayobj.populate_array(
        part,
        data=builder.gep(flat.data, [start]),
        shape=shape,
        strides=strides,
        itemsize=itemsize,
        meminfo=flat.meminfo,
    )
    return imputils.impl_ret_borrowed(context, builder, result, part._getvalue())


def scratch(n: int) -> Any:
    """Array of numbers that a kernel works in, on the stack: gone when it returns."""
    return np.empty(n)


def _on_stack(typing_context, n):  # type: ignore[no-untyped-def]
    result = types.Array(types.float64, 1, "C")

    def generate(context, builder, _signature, values):  # type: ignore[no-untyped-def]
        size = context.get_constant(types.intp, 8)
        space = builder.alloca(context.get_value_type(types.float64), size=values[0])
        space.align = 64
        array = context.make_array(result)(context, builder)
        arrayobj.populate_array(
            array,
            data=space,
            shape=[values[0]],
            strides=[size],
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return result(types.int64), generate


if IS_COMPILED:
    # Python itself never runs a kernel then
    scratch = intrinsic(_on_stack)


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


class _ReferenceType(types.StructRef):  # type: ignore[misc]
    """Type of a record on the heap; the name is short, since symbols carry it."""

    def __init__(self, fields: Any) -> None:
        super().__init__(fields)
        digest = hashlib.sha256(repr(fields).encode()).hexdigest()[:16]
        self.name = f"Reference_{digest}"


class _Reference(structref.StructRefProxy):  # type: ignore[misc]
    """What Python sees of a record on the heap: nothing but its identity."""


default_manager.register(_ReferenceType, models.StructRefModel)


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    """Names that a record on the heap has."""

    key = _ReferenceType

    def generic_resolve(self, record: Any, name: str) -> Any:
        return record.field_dict.get(name)


@lower_getattr_generic(_ReferenceType)
def _load_field(context, builder, record, value, name):  # type: ignore[no-untyped-def]
    """A field, without the runtime that counts references."""
    reference = context.make_helper(builder, record, value=value)
    # the address of the data is the fourth word of what numba keeps of an allocation
    words = builder.bitcast(reference.meminfo, cgutils.voidptr_t.as_pointer())
    place = builder.load(cgutils.gep(builder, words, 3))
    payload = record.get_data_type()
    layout = context.data_model_manager[payload].get_value_type()
    data = cgutils.create_struct_proxy(payload)(
        context, builder, ref=builder.bitcast(place, layout.as_pointer())
    )
    field = record.field_dict[name]
    return imputils.impl_ret_borrowed(context, builder, field, getattr(data, name))


@box(_ReferenceType)
def _give(record, value, c):  # type: ignore[no-untyped-def]
    """What Python holds of a new record."""
    found = c.context.make_helper(c.builder, record, value=value)
    kind = types.MemInfoPointer(types.voidptr)
    objects = [
        c.pyapi.unserialize(c.pyapi.serialize_object(_Reference._numba_box_)),
        c.pyapi.unserialize(c.pyapi.serialize_object(record)),
        c.box(kind, found.meminfo),
    ]
    reference = c.pyapi.call_function_objargs(objects[0], objects[1:])
    for held in objects:
        c.pyapi.decref(held)
    return reference


@unbox(_ReferenceType)
def _borrow(record, value, c):  # type: ignore[no-untyped-def]
    """The record that Python holds: it stays there as long as the call takes."""
    owner = c.pyapi.object_getattr_string(value, "_meminfo")
    # behind the head of the object, which is two words
    words = c.builder.bitcast(owner, cgutils.voidptr_t.as_pointer())
    found = c.context.make_helper(c.builder, record)
    found.meminfo = c.builder.load(cgutils.gep(c.builder, words, 2))
    if c.context.enable_nrt:
        c.context.nrt.incref(c.builder, record, found._getvalue())
    c.pyapi.decref(owner)
    return NativeValue(found._getvalue())


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


@allocating_kernel
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
