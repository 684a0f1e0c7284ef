"""Arrays that share the data of others, or live on the stack."""

from __future__ import annotations

from typing import Any

from .cache import IS_COMPILED

# isort: split
import numpy as np
from numba.core import cgutils, imputils, types
from numba.extending import intrinsic, lower_builtin, type_callable
from numba.np import arrayobj


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
