"""The arrays of a hart in compiled code: those of NumPy, but that an index is one access of the host.

A table of addresses and lengths goes from Python to compiled code and from function to function; each makes
its own arrays of it, and LLVM drops those that it does not use. NumPy's negative indexes do not exist here,
and nothing is checked: semantics check addresses of memory, and the decoder the numbers of registers.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import ArrayModel
from numba.core.extending import register_model
from numba.core.types import BaseTuple, NamedTuple  # type: ignore[attr-defined]
from numba.core.typing.templates import signature
from numba.extending import intrinsic, lower_builtin
from numba.np import arrayobj

from isa.riscv.semantics import memory
from isa.riscv.state import COLUMNS, Hart
from vecsim.riscv.table import DTYPES, NODES, NUMBERS, PATCHES, SEMANTICS, WORDS

WORD = ir.IntType(64)


class HartArray(types.Array):
    """The type of an array that integers index: not from its end, and with no check."""

    def __init__(self, dtype: types.Type, ndim: int = 1) -> None:
        super().__init__(dtype, ndim, "C", name=f"HartArray({dtype}, {ndim})")


register_model(HartArray)(ArrayModel)

_ARRAYS = [HartArray(getattr(types, DTYPES[name]), 2 if name == "code" else 1) for name in Hart._fields]
_HART = NamedTuple(_ARRAYS, Hart)


def _array(context: Any, builder: Any, kind: HartArray, table: Any, place: int) -> Any:
    """Make the array at a place of a table."""
    words = builder.inttoptr(table, WORD.as_pointer())
    address, length = (builder.load(builder.gep(words, [WORD(2 * place + k)])) for k in range(2))
    array = context.make_array(kind)(context, builder)
    data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    shape, strides = [length], [WORD(size)]
    if kind.ndim == 2:
        shape, strides = [length, WORD(COLUMNS)], [WORD(size * COLUMNS), WORD(size)]
    arrayobj.populate_array(array, data=data, shape=shape, strides=strides, itemsize=WORD(size), meminfo=None)
    return array._getvalue()


@intrinsic
def hart_of(typing_context: Any, table: Any) -> Any:
    """Return the hart of a table."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        arrays = [_array(context, builder, kind, args[0], k) for k, kind in enumerate(_ARRAYS)]
        return context.make_tuple(builder, _HART, arrays)

    return signature(_HART, types.int64), code


def _at(place: int, dtype: types.Type) -> Any:
    """Make what returns the array at a place of a table."""
    kind = HartArray(dtype)

    @intrinsic
    def array_of(typing_context: Any, table: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _array(context, builder, kind, args[0], place)

        return signature(kind, types.int64), code

    return array_of


semantics_of = _at(SEMANTICS, types.int64)
"""The addresses of semantics in a table."""
nodes_of, numbers_of = _at(NODES, types.int64), _at(NUMBERS, types.int64)
words_of, patches_of = _at(WORDS, types.uint32), _at(PATCHES, types.int64)
"""What the recording loop reads and writes."""


def _pointer(context: Any, builder: Any, kind: HartArray, array: Any, indexes: list[Any]) -> Any:
    array = context.make_array(kind)(context, builder, array)
    place = indexes[0]
    if kind.ndim == 2:
        place = builder.add(builder.mul(place, WORD(COLUMNS)), indexes[1])
    return builder.gep(array.data, [place])


def _integers(context: Any, builder: Any, kind: Any, index: Any) -> list[Any] | None:
    """Return the integers of an index; None if it has others."""
    if isinstance(kind, BaseTuple):
        parts = list(zip(kind, cgutils.unpack_tuple(builder, index, len(kind)), strict=True))
    else:
        parts = [(kind, index)]
    if not all(isinstance(each, types.Integer) for each, _ in parts):
        return None
    return [context.cast(builder, value, each, types.int64) for each, value in parts]


@lower_builtin(operator.getitem, HartArray, types.Integer)
@lower_builtin(operator.getitem, HartArray, BaseTuple)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, index = sig.args
    indexes = _integers(context, builder, index, args[1])
    if indexes is None or len(indexes) != kind.ndim:
        plain = (
            arrayobj.getitem_array_tuple if isinstance(index, BaseTuple) else arrayobj.getitem_arraynd_intp
        )
        return plain(context, builder, sig, args)
    return context.unpack_value(builder, kind.dtype, _pointer(context, builder, kind, args[0], indexes))


@lower_builtin(operator.setitem, HartArray, types.Integer, types.Any)
@lower_builtin(operator.setitem, HartArray, BaseTuple, types.Any)
def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, index, value_type = sig.args
    indexes = _integers(context, builder, index, args[1])
    if indexes is None or len(indexes) != kind.ndim:
        return arrayobj.setitem_array(context, builder, sig, args)
    value = context.cast(builder, args[2], value_type, kind.dtype)
    pointer = _pointer(context, builder, kind, args[0], indexes)
    context.pack_value(builder, kind.dtype, value, pointer)
    return context.get_dummy_value()


def _loader(bits: int) -> Any:
    @intrinsic
    def load(typing_context: Any, array: Any, place: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            value = builder.load(_bytes(context, builder, sig, args, bits), align=1)
            return value if bits == 64 else builder.zext(value, WORD)

        return signature(types.int64, array, types.int64), code

    return load


def _storer(bits: int) -> Any:
    @intrinsic
    def store(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            value = args[2] if bits == 64 else builder.trunc(args[2], ir.IntType(bits))
            builder.store(value, _bytes(context, builder, sig, args, bits), align=1)
            return context.get_dummy_value()

        return signature(types.none, array, types.int64, types.int64), code

    return store


def _bytes(context: Any, builder: Any, sig: Any, args: Any, bits: int) -> Any:
    pointer = _pointer(context, builder, sig.args[0], args[0], [args[1]])
    return builder.bitcast(pointer, ir.IntType(bits).as_pointer())


PRIMITIVES = {
    id(getattr(memory, f"{name}{bits}")): make(bits)
    for bits in (8, 16, 32, 64)
    for name, make in (("load", _loader), ("store", _storer))
}
"""What compiled code has in the place of loads and stores of memory, by the identity of those."""
