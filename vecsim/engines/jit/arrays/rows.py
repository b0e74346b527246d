"""Rows in compiled code: an address, whose fields are loads and stores at fixed offsets.

``slots[k]`` is the address of a row and ``.element`` a load, so a name costs what an index did. Rows, their
fields and the methods of :class:`vecsim.engines.state.row.Row` mean what they do in Python. With checks, for
user-defined code, an index outside an array is an error.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.imputils import RefType, iternext_impl, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    bound_function,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import (
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
)

from vecsim.engines.jit.arrays.cells import Cells
from vecsim.engines.jit.arrays.checked_cells import CONSTANT, CheckedCells, check_index, checked_cells
from vecsim.engines.jit.compiler.compilation import REASON
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.machine import MachineNumbers
from vecsim.engines.state.row import Field, Row, fields_of, words_of
from vecsim.engines.user_values import UNCHANGED

BYTE = ir.IntType(8).as_pointer()
WORD = ir.IntType(64)
WORD_BYTES = 8
READ_ONLY = (Instruction, MachineNumbers)
"""Rows that user-defined rules do not write."""


def _name(kind: str, what: object, *, checked: bool) -> str:
    return f"{kind}({what}{', checked' if checked else ''})"


class RowType(types.Type):
    """The Numba type of a row: its address. For LLVM the fields of a constant one never change."""

    def __init__(self, row: type[Row], *, checked: bool, constant: bool = False) -> None:
        self.row, self.checked, self.constant = row, checked, constant
        self.fields = {field.name: field for field in fields_of(row)}
        kind = "Constant row" if constant else "Row"
        super().__init__(name=_name(kind, row.__name__, checked=checked))

    def can_convert_to(self, typing_context: Any, other: types.Type) -> Conversion | None:
        """Let a constant row be one that may change, where it is either."""
        if not isinstance(other, RowType) or other.constant:
            return None
        return Conversion.safe if (other.row, other.checked) == (self.row, self.checked) else None


class RegistersType(types.IterableType):
    """The Numba type of a list of registers: the address of its length, which the numbers follow."""

    def __init__(self, most: int, fill: int, *, checked: bool, constant: bool) -> None:
        self.most, self.fill, self.checked, self.constant = most, fill, checked, constant
        kind = "Constant registers" if constant else "Registers"
        super().__init__(name=_name(kind, (most, fill), checked=checked))

    @property
    def iterator_type(self) -> Any:
        """The type of its iterator."""
        return ITERATOR


class RegistersIterator(types.SimpleIteratorType):  # type: ignore[name-defined,misc]
    """The Numba type of what goes through a list of registers."""


ITERATOR = RegistersIterator("RegistersIterator", types.int64)


class ArrayType(types.Type):
    """The Numba type of an array of rows, or of arrays of one length, the last dimension of a table."""

    def __init__(self, inner: types.Type, *, checked: bool) -> None:
        self.inner, self.checked = inner, checked
        super().__init__(name=_name("Array", inner, checked=checked))


_PLACE = types.CPointer(types.int64)  # type: ignore[attr-defined]
_PLACES = types.CPointer(_PLACE)  # type: ignore[attr-defined]


@register_model(RowType)
@register_model(RegistersType)
class _AddressModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, BYTE)


@register_model(RegistersIterator)
class _IteratorModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, [("next", _PLACES), ("end", _PLACE)])


@register_model(ArrayType)
class _ArrayModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: types.Type) -> None:
        members = [("data", types.voidptr), ("length", types.int64), ("inner", types.int64)]
        super().__init__(manager, kind, members)


def array_value(context: Any, builder: Any, kind: types.Type, data: Any, length: Any, inner: Any) -> Any:
    """Return an array, a row or cells in the code that is compiled.

    Parameters
    ----------
    context, builder
        Of the code.
    kind
        Its type.
    data
        Its address.
    length, inner
        Its first dimension, and its second.
    """
    if isinstance(kind, RowType | Cells):
        return data
    if isinstance(kind, CheckedCells):
        return checked_cells(context, builder, kind, data, length, WORD(0))
    value = cgutils.create_struct_proxy(kind)(context, builder)
    value.data, value.length, value.inner = data, length, inner
    return value._getvalue()


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        kind, index = args
        if isinstance(index, types.Integer):
            if isinstance(kind, ArrayType):
                return signature(kind.inner, kind, types.int64)
            if isinstance(kind, RegistersType):
                return signature(types.int64, kind, types.int64)
        return None


@lower_builtin(operator.getitem, ArrayType, types.Integer)
def _get_inner(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    value = cgutils.create_struct_proxy(kind)(context, builder, value=args[0])
    if kind.checked:
        check_index(context, builder, args[1], value.length)
    if isinstance(kind.inner, RowType):
        return builder.gep(value.data, [builder.mul(args[1], WORD(WORD_BYTES * words_of(kind.inner.row)))])
    size = builder.mul(value.inner, WORD(_element_bytes(kind.inner)))
    data = builder.gep(value.data, [builder.mul(args[1], size)])
    return array_value(context, builder, kind.inner, data, value.inner, WORD(0))


def _element_bytes(kind: Any) -> int:
    if isinstance(kind, ArrayType):
        row: type[Row] = kind.inner.row  # type: ignore[attr-defined]
        return WORD_BYTES * words_of(row)
    return int(kind.dtype.bitwidth) // 8


# Fields


@infer_getattr
class _RowAttribute(AttributeTemplate):  # type: ignore[misc]
    key = RowType

    def generic_resolve(self, kind: RowType, name: str) -> types.Type | None:
        field = kind.fields.get(name)
        return None if field is None else _field_type(field, kind)

    @bound_function("row.reset")
    def resolve_reset(self, kind: RowType, args: Any, kws: Any) -> Any:
        return None if args or kind.constant else signature(types.none)

    @bound_function("row.copy_from")
    def resolve_copy_from(self, kind: RowType, args: Any, kws: Any) -> Any:
        (other,) = args
        same = isinstance(other, RowType) and other.row is kind.row
        return signature(types.none, other) if same and not kind.constant else None


def _field_type(field: Field, kind: RowType) -> types.Type:
    if field.counted:
        return RegistersType(field.most, field.initial, checked=kind.checked, constant=kind.constant)
    if field.most:
        array = CONSTANT if kind.row in READ_ONLY else ""
        return CheckedCells(types.int64, array) if kind.checked else Cells(types.int64)
    return types.int64


def _place(builder: Any, address: Any, offset: int) -> Any:
    return builder.gep(builder.bitcast(address, WORD.as_pointer()), [ir.IntType(64)(offset)])


def _load(builder: Any, place: Any, kind: RowType | RegistersType) -> Any:
    value = builder.load(place)
    if kind.constant:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(RowType)
def _get_field(context: Any, builder: Any, kind: RowType, address: Any, name: str) -> Any:
    field = kind.fields[name]
    place = _place(builder, address, field.offset)
    if not field.most:
        return _load(builder, place, kind)
    data = builder.bitcast(place, BYTE)
    match = _field_type(field, kind)
    return data if field.counted else array_value(context, builder, match, data, WORD(field.most), None)


@lower_setattr_generic(RowType)
def _set_field(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
    kind, field = sig.args[0], sig.args[0].fields[name]
    if field.most or kind.constant:
        raise TypingError(f"{REASON}{UNCHANGED if kind.constant else f'{name} is not set as a whole'}")
    builder.store(args[1], _place(builder, args[0], field.offset))


@lower_cast(RowType, RowType)
def _cast(context: Any, builder: Any, of: RowType, to: RowType, address: Any) -> Any:
    return address


@lower_builtin("row.reset", RowType)
def _reset(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    for field in sig.args[0].fields.values():
        first = field.offset + field.counted
        if field.counted:
            builder.store(WORD(0), _place(builder, args[0], field.offset))
        for place in range(first, field.offset + field.words):
            builder.store(WORD(field.initial), _place(builder, args[0], place))
    return context.get_dummy_value()


@lower_builtin("row.copy_from", RowType, RowType)
def _copy_from(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    words = ir.IntType(64)(words_of(sig.args[0].row))
    cgutils.raw_memcpy(builder, args[0], args[1], words, WORD_BYTES)
    return context.get_dummy_value()


# Lists of registers


@infer_getattr
class _RegistersAttribute(AttributeTemplate):  # type: ignore[misc]
    key = RegistersType

    @bound_function("registers.append")
    def resolve_append(self, kind: RegistersType, args: Any, kws: Any) -> Any:
        return signature(types.none, types.int64) if len(args) == 1 and not kind.constant else None

    @bound_function("registers.clear")
    def resolve_clear(self, kind: RegistersType, args: Any, kws: Any) -> Any:
        return None if args or kind.constant else signature(types.none)


@infer_global(len)
class _Length(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        (kind,) = args
        return signature(types.int64, kind) if isinstance(kind, RegistersType) else None


@lower_builtin(len, RegistersType)
def _length(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _load(builder, _place(builder, args[0], 0), sig.args[0])


@lower_builtin(operator.getitem, RegistersType, types.Integer)
def _get_register(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    if sig.args[0].checked:
        check_index(context, builder, args[1], builder.load(_place(builder, args[0], 0)))
    return _load(builder, builder.gep(_place(builder, args[0], 1), [args[1]]), sig.args[0])


@lower_builtin("registers.append", RegistersType, types.Integer)
def _append(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    count = builder.load(_place(builder, args[0], 0))
    if sig.args[0].checked:
        check_index(context, builder, count, WORD(sig.args[0].most))
    builder.store(args[1], builder.gep(_place(builder, args[0], 1), [count]))
    builder.store(builder.add(count, WORD(1)), _place(builder, args[0], 0))
    return context.get_dummy_value()


@lower_builtin("registers.clear", RegistersType)
def _clear(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.store(WORD(0), _place(builder, args[0], 0))
    for k in range(sig.args[0].most):
        builder.store(WORD(sig.args[0].fill), _place(builder, args[0], 1 + k))
    return context.get_dummy_value()


@lower_builtin("getiter", RegistersType)
def _iterate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    first = _place(builder, args[0], 1)
    iterator = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    iterator.next = cgutils.alloca_once_value(builder, first)
    iterator.end = builder.gep(first, [_load(builder, _place(builder, args[0], 0), sig.args[0])])
    return iterator._getvalue()


@lower_builtin("iternext", RegistersIterator)
@iternext_impl(RefType.UNTRACKED)
def _next(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    iterator = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    place = builder.load(iterator.next)
    valid = builder.icmp_unsigned("!=", place, iterator.end)
    result.set_valid(valid)
    with builder.if_then(valid):
        result.yield_(builder.load(place))
        builder.store(builder.gep(place, [ir.IntType(64)(1)]), iterator.next)
