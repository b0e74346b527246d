"""Cells: a typed pointer that compiled code indexes, the compiled counterpart of a memoryview.

Integers of any width are read as int64 (unsigned ones zero-extended) and cut to their width when they are
written, as Python's integers are in the interpreted engine. There are no bounds, no wrap-around of
negative indexes and no reference counts, so an access is one instruction of the host.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.core.types import unliteral  # type: ignore[attr-defined]
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model


class Cells(types.Type):
    """The Numba type of cells with elements of ``dtype``."""

    def __init__(self, dtype: types.Type) -> None:
        self.dtype = dtype
        super().__init__(name=f"Cells({dtype})")


@register_model(Cells)
class _CellsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, cells: Cells) -> None:
        super().__init__(manager, cells, ir.IntType(8).as_pointer())


def _loaded(cells: Cells) -> types.Type:
    return types.int64 if isinstance(cells.dtype, types.Integer) else cells.dtype


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        cells, index = args
        if isinstance(cells, Cells) and isinstance(index, types.Integer):
            return signature(_loaded(cells), cells, types.int64)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        cells, index, value = args
        if isinstance(cells, Cells) and isinstance(index, types.Integer):
            return signature(types.none, cells, types.int64, unliteral(value))
        return None


def _pointer(context: Any, builder: Any, cells: Cells, address: Any, index: Any) -> Any:
    data = context.get_data_type(cells.dtype)
    return builder.gep(builder.bitcast(address, data.as_pointer()), [index])


@lower_builtin(operator.getitem, Cells, types.Integer)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    cells = sig.args[0]
    pointer = _pointer(context, builder, cells, *args)
    value = context.unpack_value(builder, cells.dtype, pointer)
    return context.cast(builder, value, cells.dtype, sig.return_type)


@lower_builtin(operator.setitem, Cells, types.Integer, types.Any)
def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    cells, _, value_type = sig.args
    address, index, value = args
    pointer = _pointer(context, builder, cells, address, index)
    value = context.cast(builder, value, value_type, cells.dtype)
    context.pack_value(builder, cells.dtype, value, pointer)
    return context.get_dummy_value()


def _cells_at(dtype: types.Type) -> Any:
    @intrinsic
    def cells_at(typing_context: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

        return signature(Cells(dtype), types.int64), code

    return cells_at


int32_at, int64_at = _cells_at(types.int32), _cells_at(types.int64)
"""The cells of int32, and of int64, at an address."""


@intrinsic
def shifted(typing_context: Any, cells: Any, places: Any) -> Any:
    """The cells from a place of others on."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], *args)
        return builder.bitcast(pointer, ir.IntType(8).as_pointer())

    return signature(cells, cells, types.int64), code


PlaceOf = Callable[[Any, Any, Any, Any, int], Any]
"""``(context, builder, cells, args, bits)``: the pointer to this many bits at the byte address
``args[1]``."""


def _loader(bits: int, signed: bool, place_of: PlaceOf) -> Any:
    @intrinsic
    def load(typing_context: Any, cells: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            value = builder.load(place_of(context, builder, sig.args[0], args, bits), align=1)
            if bits == 64:
                return value
            return (builder.sext if signed else builder.zext)(value, ir.IntType(64))

        return signature(types.int64, cells, types.int64), code

    return load


def _storer(bits: int, place_of: PlaceOf) -> Any:
    @intrinsic
    def store(typing_context: Any, cells: Any, address: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pointer = place_of(context, builder, sig.args[0], args, bits)
            value = args[2] if bits == 64 else builder.trunc(args[2], ir.IntType(bits))
            builder.store(value, pointer, align=1)
            return context.get_dummy_value()

        return signature(types.none, cells, types.int64, types.int64), code

    return store


class MemoryAccess(NamedTuple):
    """Loads and stores at a byte address of any alignment, in the byte order of the host."""

    load_uint16: Any
    load_uint32: Any
    load_int64: Any
    store_int32: Any
    store_int64: Any


def memory_access(place_of: PlaceOf) -> MemoryAccess:
    """Make the loads and stores of a kind of cells."""
    loads = (_loader(bits, bits == 64, place_of) for bits in (16, 32, 64))
    return MemoryAccess(*loads, *(_storer(bits, place_of) for bits in (32, 64)))


def _bytes(context: Any, builder: Any, cells: Cells, args: Any, bits: int) -> Any:
    return builder.bitcast(builder.gep(args[0], [args[1]]), ir.IntType(bits).as_pointer())


MEMORY = memory_access(_bytes)
"""Those of cells without bounds."""
