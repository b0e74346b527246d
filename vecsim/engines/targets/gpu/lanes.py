"""Times and tables in a thread of a GPU, of 32-bit integers.

An array of Numba's has 64-bit strides, and looks for negative indexes at each access. Here an access is one
instruction of the device, for all machines of a thread. The rest is done once for them.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.cuda import types
from numba.cuda.datamodel.models import PrimitiveModel
from numba.cuda.extending import intrinsic, lower_builtin, register_model
from numba.cuda.typing.templates import AbstractTemplate, infer_global, signature

from vecsim.engines.jit.traces.lanes import INT, Compiler, lane_type, make_lanes

WIDTH = 4
"""Machines of a thread: one instruction moves 16 bytes at most."""
THREADS = 64
"""Threads of a block."""
POINTER = INT.as_pointer(1)
"""Into global memory."""


class Words(types.Type):  # type: ignore[misc]
    """The Numba type of a table of 32-bit integers that nothing writes: its address."""


@register_model(Words)
class _WordsModel(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, POINTER)


def _place(builder: Any, cells: Any, index: Any) -> Any:
    integers = builder.mul(builder.trunc(index, INT), INT(THREADS * WIDTH))
    return builder.bitcast(builder.gep(cells, [integers]), lane_type(WIDTH).as_pointer(1))


_LANES = make_lanes(
    Compiler(
        types,
        AbstractTemplate,
        infer_global,
        signature,
        intrinsic,
        lower_builtin,
        PrimitiveModel,
        register_model,
    ),
    WIDTH,
    POINTER,
    _place,
)
SIDE_BY_SIDE = _LANES.side_by_side
"""What takes the place of the operations of one machine."""


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        words, index = args
        if isinstance(words, Words) and isinstance(index, types.Integer):
            return signature(types.int64, words, types.int64)
        return None


@lower_builtin(operator.getitem, Words, types.Integer)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    words, index = args
    value = builder.load(builder.gep(words, [builder.trunc(index, INT)]), align=4)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return builder.sext(value, ir.IntType(64))


def _address(result: types.Type) -> Any:
    @intrinsic
    def address(typing_context: Any, array: Any, index: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            return builder.addrspacecast(builder.gep(data, [args[1]]), POINTER)

        return signature(result, array, types.int64), code

    return address


times_at, words_at = _address(_LANES.cells), _address(Words("Words"))
"""The lanes of a thread, and a table, from an element of an array of 32-bit integers on."""


@intrinsic
def time_of(typing_context: Any, lanes: Any, k: Any) -> Any:
    """Return the time of machine k."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0] if WIDTH == 1 else builder.extract_element(args[0], builder.trunc(args[1], INT))

    return signature(types.int32, lanes, types.int64), code
