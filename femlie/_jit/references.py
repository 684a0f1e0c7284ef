"""Records of arrays that compiled functions pass on as one pointer."""

from __future__ import annotations

import hashlib
from typing import Any

from numba.core import cgutils, imputils, types
from numba.core.datamodel import default_manager, models
from numba.core.typing.templates import AttributeTemplate
from numba.experimental import structref
from numba.experimental.jitclass.base import imp_dtor
from numba.extending import (
    NativeValue,
    box,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    unbox,
)

from .cache import IS_COMPILED
from .compiling import allocating_kernel


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
