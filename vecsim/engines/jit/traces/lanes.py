"""Times of machines side by side: a vector of 32-bit integers, one for each machine of a group.

Compiled code handles it like an integer. A comparison gives 1 or 0 for each machine, so nothing branches.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from vecsim.engines.trace_timing import operations
from vecsim.engines.trace_timing.places import WIDTH

_LANES = ir.VectorType(ir.IntType(32), WIDTH)
_BYTES = 4 * WIDTH


class Lanes(types.Type):
    """The Numba type of times side by side."""


class LaneCells(types.Type):
    """The Numba type of an array of them: its address, a multiple of their bytes."""


LANES, LANE_CELLS = Lanes("Lanes"), LaneCells("LaneCells")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, _LANES)


@register_model(LaneCells)
class _CellsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


def _spread(builder: Any, kind: types.Type, value: Any) -> Any:
    """Return a value of LLVM as lanes; one of an integer is that of all lanes."""
    if isinstance(kind, Lanes):
        return value
    value = builder.trunc(value, ir.IntType(32)) if value.type.width > 32 else value
    one = builder.insert_element(ir.Constant(_LANES, ir.Undefined), value, ir.IntType(32)(0))
    mask = ir.Constant(_LANES, [0] * WIDTH)
    return builder.shuffle_vector(one, ir.Constant(_LANES, ir.Undefined), mask)


Code = Callable[[Any, Any, Any], Any]


def _define(operation: Any, code: Code) -> None:
    """Let an operation take lanes, or lanes and an integer."""

    @infer_global(operation)
    class _Operation(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            if any(isinstance(each, Lanes) for each in args):
                return signature(LANES, *(LANES if isinstance(each, Lanes) else types.int64 for each in args))
            return None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return code(builder, *(_spread(builder, *each) for each in zip(sig.args, args, strict=True)))

    for left, right in ((Lanes, Lanes), (Lanes, types.Integer), (types.Integer, Lanes)):
        lower_builtin(operation, left, right)(lower)


def _comparing(symbol: str) -> Code:
    return lambda builder, a, b: builder.zext(builder.icmp_signed(symbol, a, b), _LANES)


_COMPARED = {operator.gt: ">", operator.ge: ">=", operator.lt: "<", operator.le: "<=", operator.eq: "=="}
for _operation, _symbol in _COMPARED.items():
    _define(_operation, _comparing(_symbol))
_define(operator.add, lambda builder, a, b: builder.add(a, b))
_define(operator.sub, lambda builder, a, b: builder.sub(a, b))
_define(operator.and_, lambda builder, a, b: builder.and_(a, b))
_define(operator.or_, lambda builder, a, b: builder.or_(a, b))


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        cells, index = args
        if isinstance(cells, LaneCells) and isinstance(index, types.Integer):
            return signature(LANES, cells, types.int64)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        cells, index, value = args
        if isinstance(cells, LaneCells) and isinstance(index, types.Integer) and isinstance(value, Lanes):
            return signature(types.none, cells, types.int64, LANES)
        return None


def _place(builder: Any, cells: Any, index: Any) -> Any:
    return builder.gep(builder.bitcast(cells, _LANES.as_pointer()), [index])


@lower_builtin(operator.getitem, LaneCells, types.Integer)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_place(builder, *args), align=_BYTES)


@lower_builtin(operator.setitem, LaneCells, types.Integer, Lanes)
def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.store(args[2], _place(builder, *args[:2]), align=_BYTES)
    return context.get_dummy_value()


@intrinsic
def lanes_at(typing_context: Any, address: Any) -> Any:
    """The array of lanes at an address."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return signature(LANE_CELLS, types.int64), code


@intrinsic
def _larger(typing_context: Any, a: Any, b: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (_spread(builder, *each) for each in zip(sig.args, args, strict=True))
        return builder.select(builder.icmp_signed(">", a, b), a, b)

    return signature(LANES, a, b), code


@intrinsic
def _where(typing_context: Any, condition: Any, a: Any, b: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (_spread(builder, *each) for each in zip(sig.args[1:], args[1:], strict=True))
        holds = builder.icmp_signed("!=", args[0], ir.Constant(_LANES, [0] * WIDTH))
        return builder.select(holds, a, b)

    return signature(LANES, condition, a, b), code


@intrinsic
def _spread_out(typing_context: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, sig.args[0], args[0])

    return signature(LANES, types.int64), code


SIDE_BY_SIDE = {
    id(operations.larger): _larger,
    id(operations.where): _where,
    id(operations.spread): _spread_out,
}
"""What takes the place of the operations of one machine."""
