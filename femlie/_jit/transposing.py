"""Rows of arrays side by side, four at a time, and back."""

from __future__ import annotations

from typing import Any

from .cache import IS_COMPILED

# isort: split
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

# of two vectors of four: even and odd entries in turn, and lower and upper halves
_EVEN, _ODD = (0, 4, 2, 6), (1, 5, 3, 7)
_LOWER, _UPPER = (0, 1, 4, 5), (2, 3, 6, 7)
# entries of both, one lane after another
_FIRST_LANES, _LAST_LANES = (0, 4, 1, 5), (2, 6, 3, 7)


def put_transposed(
    target: Any, place: int, stride: int, array: Any, column: int, rows: Any
) -> None:
    """``target[place + m stride + k] = array[rows[k], column + m]`` for k, m < 4.

    Compiled, these are four loads, eight shuffles and four stores. ``target`` is
    aligned to 32 bytes at ``place`` and every ``stride``.
    """
    for m in range(4):
        for k in range(4):
            target[place + m * stride + k] = array[rows[k], column + m]


def add_transposed(
    array: Any, starts: Any, source: Any, place: int, stride: int
) -> None:
    """``array[starts[k] + m] += source[place + m stride + k]`` for k < 4, m < 6.

    The way back, one lane after another; ``source`` is aligned as above.
    """
    for k in range(4):
        for m in range(6):
            array[starts[k] + m] += source[place + m * stride + k]


def _vector(n: int) -> Any:
    return ir.VectorType(ir.DoubleType(), n)


def _mixed(builder: Any, first: Any, second: Any, order: tuple[int, ...]) -> Any:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(order)), list(order))
    return builder.shuffle_vector(first, second, mask)


def _pointer(builder: Any, data: Any, place: Any, n: int) -> Any:
    return builder.bitcast(builder.gep(data, [place]), _vector(n).as_pointer())


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Columns of four vectors of four."""
    a, b, c, d = rows
    pairs = [
        (_mixed(builder, a, b, order), _mixed(builder, c, d, order))
        for order in (_EVEN, _ODD)
    ]
    return [_mixed(builder, *pair, half) for half in (_LOWER, _UPPER) for pair in pairs]


def _put_transposed(typing_context, target, place, stride, array, column, rows):  # type: ignore[no-untyped-def]
    four = types.UniTuple(types.int64, 4)
    result = types.none(target, types.int64, types.int64, array, types.int64, four)

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        target, place, stride, array, column, rows = values
        data = context.make_array(signature.args[0])(context, builder, target).data
        source = context.make_array(signature.args[3])(context, builder, array)
        width = cgutils.unpack_tuple(builder, source.shape, 2)[1]
        loaded = []
        for row in cgutils.unpack_tuple(builder, rows, 4):
            at = builder.add(builder.mul(row, width), column)
            loaded.append(builder.load(_pointer(builder, source.data, at, 4), align=8))
        for value in _transposed(builder, loaded):
            builder.store(value, _pointer(builder, data, place, 4), align=32)
            place = builder.add(place, stride)
        return context.get_dummy_value()

    return result, generate


def _add_transposed(typing_context, array, starts, source, place, stride):  # type: ignore[no-untyped-def]
    four = types.UniTuple(types.int64, 4)
    result = types.none(array, four, source, types.int64, types.int64)

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        array, starts, source, place, stride = values
        data = context.make_array(signature.args[0])(context, builder, array).data
        given = context.make_array(signature.args[2])(context, builder, source).data
        rows = []
        for _ in range(6):
            rows.append(builder.load(_pointer(builder, given, place, 4), align=32))
            place = builder.add(place, stride)
        first = _transposed(builder, rows[:4])
        pairs = [
            _mixed(builder, rows[4], rows[5], order)
            for order in (_FIRST_LANES, _LAST_LANES)
        ]
        for k, start in enumerate(cgutils.unpack_tuple(builder, starts, 4)):
            half = (0, 1) if k % 2 == 0 else (2, 3)
            last = _mixed(builder, pairs[k // 2], pairs[k // 2], half)
            behind = builder.add(start, context.get_constant(types.int64, 4))
            for at, value, n in ((start, first[k], 4), (behind, last, 2)):
                pointer = _pointer(builder, data, at, n)
                total = builder.fadd(builder.load(pointer, align=8), value)
                builder.store(total, pointer, align=8)
        return context.get_dummy_value()

    return result, generate


if IS_COMPILED:
    # Python itself never runs a kernel then
    put_transposed = intrinsic(_put_transposed)
    add_transposed = intrinsic(_add_transposed)
