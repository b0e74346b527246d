"""Times of machines side by side: a vector of 32-bit integers, one for each machine of a group.

Compiled code handles it like an integer. A comparison gives 1 or 0 for each machine, so nothing branches.
Numba for processors and Numba CUDA define types apart (:class:`Compiler`), and lanes are the same in both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from vecsim.engines.trace_timing import operations
from vecsim.engines.trace_timing.places import WIDTH

INT = ir.IntType(32)


class Compiler(NamedTuple):
    """What a Numba has to define types.

    Attributes
    ----------
    types, template, infer_global, signature
        Types, and how functions of them are typed.
    intrinsic, lower_builtin
        How these are compiled.
    primitive, register_model
        How values are laid out.
    """

    types: Any
    template: Any
    infer_global: Any
    signature: Any
    intrinsic: Any
    lower_builtin: Any
    primitive: Any
    register_model: Any


class LaneTypes(NamedTuple):
    """Lanes as a compiler has them.

    Attributes
    ----------
    lanes, cells
        The types of times side by side, and of an array of them: its address.
    side_by_side
        What takes the place of the operations of one machine
        (:mod:`vecsim.engines.trace_timing.operations`), by their identity.
    """

    lanes: Any
    cells: Any
    side_by_side: dict[int, Any]


Code = Callable[[Any, Any, Any], Any]
_COMPARED = {operator.gt: ">", operator.ge: ">=", operator.lt: "<", operator.le: "<=", operator.eq: "=="}
_COMPUTED: dict[Any, Code] = {
    operator.add: lambda builder, a, b: builder.add(a, b),
    operator.sub: lambda builder, a, b: builder.sub(a, b),
    operator.and_: lambda builder, a, b: builder.and_(a, b),
    operator.or_: lambda builder, a, b: builder.or_(a, b),
}


def lane_type(width: int) -> ir.Type:
    """Return the type of LLVM of the times of ``width`` machines."""
    return ir.VectorType(INT, width) if width > 1 else INT


def make_lanes(compiler: Compiler, width: int, pointer: ir.Type, place: Code) -> LaneTypes:
    """Teach a compiler lanes.

    Parameters
    ----------
    compiler
        It.
    width
        Machines side by side, a power of two.
    pointer
        The type of LLVM of the address of an array.
    place
        Called with a builder, an address and an index; returns where the lanes of that index are. They lie at
        a multiple of their bytes.
    """
    types, model = compiler.types, lane_type(width)

    class Lanes(types.Type):  # type: ignore[misc, name-defined]
        """The Numba type of times side by side."""

    class LaneCells(types.Type):  # type: ignore[misc, name-defined]
        """The Numba type of an array of them."""

    for kind, of_llvm in ((Lanes, model), (LaneCells, pointer)):
        _lay_out(compiler, kind, of_llvm)
    lanes, cells = Lanes("Lanes"), LaneCells("LaneCells")

    def spread(builder: Any, kind: Any, value: Any) -> Any:
        return value if isinstance(kind, Lanes) else _spread(builder, value, width)

    def define(operation: Any, code: Code) -> None:
        """Let an operation take lanes, or lanes and an integer."""

        @compiler.infer_global(operation)
        class _Operation(compiler.template):  # type: ignore[misc, name-defined]
            def generic(self, args: Any, kws: Any) -> Any:
                if any(isinstance(each, Lanes) for each in args):
                    taken = (lanes if isinstance(each, Lanes) else types.int64 for each in args)
                    return compiler.signature(lanes, *taken)
                return None

        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return code(builder, *(spread(builder, *each) for each in zip(sig.args, args, strict=True)))

        for left, right in ((Lanes, Lanes), (Lanes, types.Integer), (types.Integer, Lanes)):
            compiler.lower_builtin(operation, left, right)(lower)

    for operation, code in _COMPUTED.items():
        define(operation, code)
    for operation, symbol in _COMPARED.items():
        define(operation, _comparing(symbol, model))
    _define_cells(compiler, lanes, cells, place, 4 * width)
    return LaneTypes(lanes, cells, _side_by_side(compiler, lanes, spread))


def _lay_out(compiler: Compiler, kind: Any, of_llvm: ir.Type) -> None:
    @compiler.register_model(kind)
    class _Model(compiler.primitive):  # type: ignore[misc, name-defined]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, of_llvm)


def _spread(builder: Any, value: Any, width: int) -> Any:
    """Return an integer of LLVM as that of all lanes."""
    value = builder.trunc(value, INT) if value.type.width > INT.width else value
    if width == 1:
        return value
    model = lane_type(width)
    one = builder.insert_element(ir.Constant(model, ir.Undefined), value, INT(0))
    return builder.shuffle_vector(one, ir.Constant(model, ir.Undefined), ir.Constant(model, [0] * width))


def _comparing(symbol: str, model: ir.Type) -> Code:
    return lambda builder, a, b: builder.zext(builder.icmp_signed(symbol, a, b), model)


def _define_cells(compiler: Compiler, lanes: Any, cells: Any, place: Code, align: int) -> None:
    """Let an array of lanes be indexed."""
    types = compiler.types

    @compiler.infer_global(operator.getitem)
    class _GetItem(compiler.template):  # type: ignore[misc, name-defined]
        def generic(self, args: Any, kws: Any) -> Any:
            if args[0] == cells and isinstance(args[1], types.Integer):
                return compiler.signature(lanes, cells, types.int64)
            return None

    @compiler.infer_global(operator.setitem)
    class _SetItem(compiler.template):  # type: ignore[misc, name-defined]
        def generic(self, args: Any, kws: Any) -> Any:
            if args[0] == cells and isinstance(args[1], types.Integer) and args[2] == lanes:
                return compiler.signature(types.none, cells, types.int64, lanes)
            return None

    @compiler.lower_builtin(operator.getitem, type(cells), types.Integer)
    def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(place(builder, *args), align=align)

    @compiler.lower_builtin(operator.setitem, type(cells), types.Integer, type(lanes))
    def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], place(builder, *args[:2]), align=align)
        return context.get_dummy_value()


def _side_by_side(compiler: Compiler, lanes: Any, spread: Code) -> dict[int, Any]:
    """Return what takes the place of the operations of one machine."""

    @compiler.intrinsic
    def larger(typing_context: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a, b = (spread(builder, *each) for each in zip(sig.args, args, strict=True))
            return builder.select(builder.icmp_signed(">", a, b), a, b)

        return compiler.signature(lanes, a, b), code

    @compiler.intrinsic
    def where(typing_context: Any, condition: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a, b = (spread(builder, *each) for each in zip(sig.args[1:], args[1:], strict=True))
            holds = builder.icmp_signed("!=", args[0], ir.Constant(args[0].type, None))
            return builder.select(holds, a, b)

        return compiler.signature(lanes, condition, a, b), code

    @compiler.intrinsic
    def spread_out(typing_context: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return spread(builder, sig.args[0], args[0])

        return compiler.signature(lanes, compiler.types.int64), code

    ours = ((operations.larger, larger), (operations.where, where), (operations.spread, spread_out))
    return {id(plain): code for plain, code in ours}


_BYTES = ir.IntType(8).as_pointer()
_LANES = make_lanes(
    Compiler(
        types,
        AbstractTemplate,
        infer_global,
        signature,
        intrinsic,
        lower_builtin,
        models.PrimitiveModel,
        register_model,
    ),
    WIDTH,
    _BYTES,
    lambda builder, cells, index: builder.gep(builder.bitcast(cells, lane_type(WIDTH).as_pointer()), [index]),
)
SIDE_BY_SIDE = _LANES.side_by_side
"""On a processor, what takes the place of the operations of one machine."""


@intrinsic
def lanes_at(typing_context: Any, address: Any) -> Any:
    """The array of lanes at an address of a processor's memory."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], _BYTES)

    return signature(_LANES.cells, types.int64), code
