"""Cells with bounds, for user-defined code: an index outside, or a value that does not fit, is an error.

The errors are those of the arrays of :mod:`vecsim.engines.user_values`. What an index was, and how long the
array is, is left in two variables of the compiled module (:mod:`vecsim.engines.jit.interface`).
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from isa.semantics.numbers import BITS_OF_NAN_D, BITS_OF_NAN_S
from vecsim.engines.jit.arrays.cells import memory_access
from vecsim.engines.jit.compiler.compilation import REASON
from vecsim.engines.jit.interface import INDEX, LENGTH
from vecsim.engines.user_values import ADDRESS, MASK, OF_STATE, ROW, UNCHANGED, VL, X0, too_wide

WORD = ir.IntType(64)
CONSTANT = "constant"
"""Names arrays of rows that do not change during a run."""


class CheckedCells(types.Type):
    """The Numba type of cells with elements of ``dtype`` that know how many they are.

    ``array`` names an array of the state that holds less than its elements could.
    """

    def __init__(self, dtype: Any, array: str = "") -> None:
        self.dtype, self.array = dtype, array if array in (*OF_STATE, CONSTANT) else ""
        super().__init__(name=f"CheckedCells({dtype}{self.array and f', {self.array}'})")


@register_model(CheckedCells)
class _CheckedCellsModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, cells: CheckedCells) -> None:
        super().__init__(
            manager, cells, [("data", types.voidptr), ("length", types.int64), ("section", types.int64)]
        )


def checked_cells(
    context: Any, builder: Any, kind: CheckedCells, data: Any, length: Any, section: Any
) -> Any:
    """Return cells in the code that is compiled.

    Parameters
    ----------
    context, builder
        Of the code.
    kind
        Their type.
    data, length, section
        Their address, how many they are, and the section size.
    """
    cells = cgutils.create_struct_proxy(kind)(context, builder)
    cells.data, cells.length, cells.section = data, length, section
    return cells._getvalue()


def variable(module: ir.Module, name: str, kind: ir.Type = WORD) -> ir.GlobalVariable:
    """Return a variable that all modules of an object file share."""
    if name in module.globals:
        return module.globals[name]
    result = ir.GlobalVariable(module, kind, name)
    result.initializer = ir.Constant(kind, None if isinstance(kind, ir.PointerType) else 0)
    result.linkage = "linkonce_odr"
    return result


def refuse(context: Any, builder: Any, condition: Any, error: type[Exception], *words: str) -> None:
    """Raise an error where a condition holds.

    Parameters
    ----------
    context, builder
        Of the code that is compiled.
    condition
        A bit in it.
    error, words
        What is raised, and its arguments.
    """
    with cgutils.if_unlikely(builder, condition):
        context.call_conv.return_user_exc(builder, error, words)


def check_index(context: Any, builder: Any, index: Any, length: Any) -> None:
    """Raise IndexError where an index is not one of an array of some length.

    Parameters
    ----------
    context, builder
        Of the code that is compiled.
    index, length
        Integers in it.
    """
    with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", index, length)):
        builder.store(index, variable(builder.module, INDEX))
        builder.store(length, variable(builder.module, LENGTH))
        context.call_conv.return_user_exc(builder, IndexError, ())


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        cells, index = args
        if isinstance(cells, CheckedCells) and isinstance(index, types.Integer):
            loaded = types.int64 if isinstance(cells.dtype, types.Integer) else cells.dtype
            return signature(loaded, cells, types.int64)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        cells, index, value = args
        if not isinstance(cells, CheckedCells) or not isinstance(index, types.Integer):
            return None
        integer = isinstance(value, types.Integer | types.Boolean)
        if cells.array in ("address", CONSTANT):
            raise TypingError(f"{REASON}{ADDRESS if cells.array == 'address' else UNCHANGED}")
        if isinstance(cells.dtype, types.Integer):
            return signature(types.none, cells, types.int64, types.int64) if integer else None
        if integer:  # by way of a float64, as NumPy goes
            return signature(types.none, cells, types.int64, types.float64)
        return signature(types.none, cells, types.int64, value) if isinstance(value, types.Float) else None


def _place(context: Any, builder: Any, cells: CheckedCells, struct: Any, index: Any) -> Any:
    check_index(context, builder, index, struct.length)
    data = context.get_data_type(cells.dtype)
    return builder.gep(builder.bitcast(struct.data, data.as_pointer()), [index])


@lower_builtin(operator.getitem, CheckedCells, types.Integer)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    cells = sig.args[0]
    struct = cgutils.create_struct_proxy(cells)(context, builder, value=args[0])
    pointer = _place(context, builder, cells, struct, args[1])
    value = context.unpack_value(builder, cells.dtype, pointer)
    return context.cast(builder, value, cells.dtype, sig.return_type)


@lower_builtin(operator.setitem, CheckedCells, types.Integer, types.Any)
def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    cells, _, value_type = sig.args
    _, index, value = args
    struct = cgutils.create_struct_proxy(cells)(context, builder, value=args[0])
    pointer = _place(context, builder, cells, struct, index)
    kind: Any = types.int32 if cells.array in ("x", "special") else cells.dtype
    if kind in (types.int32, types.uint32, types.uint8):
        outside = _outside(builder, value, int(kind.minval), int(kind.maxval))
        refuse(context, builder, outside, OverflowError, too_wide(kind.bitwidth))
    if cells.array:
        _check_value(context, builder, cells.array, struct.section, index, value)
    value = context.cast(builder, value, value_type, cells.dtype)
    if isinstance(cells.dtype, types.Float):
        value = _canonical(builder, value, cells.dtype.bitwidth)
    context.pack_value(builder, cells.dtype, value, pointer)
    return context.get_dummy_value()


def _outside(builder: Any, value: Any, least: int, greatest: int) -> Any:
    below = builder.icmp_signed("<", value, WORD(least))
    return builder.or_(below, builder.icmp_signed(">", value, WORD(greatest)))


def _check_value(context: Any, builder: Any, array: str, section: Any, index: Any, value: Any) -> None:
    """Raise an error for what the machine cannot have in an array of the state."""
    first = builder.icmp_signed("==", index, WORD(0))
    if array == "x":
        wrong, words = builder.and_(first, builder.icmp_signed("!=", value, WORD(0))), X0
    elif array == "special":
        wrong, words = builder.and_(first, builder.icmp_unsigned(">", value, section)), VL
    elif array == "mask":
        wrong, words = builder.icmp_unsigned(">", value, WORD(1)), MASK
    else:
        wrong, words = builder.icmp_unsigned(">", builder.add(value, WORD(1)), section), ROW
    refuse(context, builder, wrong, ValueError, words)


def _canonical(builder: Any, value: Any, bits: int) -> Any:
    """Return a float, of NaN the canonical one; as integers, which LLVM does not take for equal."""
    kind = ir.IntType(bits)
    nan = kind(BITS_OF_NAN_S if bits == 32 else BITS_OF_NAN_D)
    chosen = builder.select(builder.fcmp_unordered("uno", value, value), nan, builder.bitcast(value, kind))
    return builder.bitcast(chosen, value.type)


def _bytes(context: Any, builder: Any, cells: CheckedCells, args: Any, bits: int) -> Any:
    """Return the place of this many bits at an address of memory."""
    struct = cgutils.create_struct_proxy(cells)(context, builder, value=args[0])
    places = builder.sub(struct.length, ir.Constant(WORD, bits // 8 - 1))
    check_index(context, builder, args[1], places)
    return builder.bitcast(builder.gep(struct.data, [args[1]]), ir.IntType(bits).as_pointer())


CHECKED_MEMORY = memory_access(_bytes)
"""Loads and stores of simulated memory within its bounds."""
