"""Copies from global into shared memory that pass no register, so that as many are under way as there are.

A thread starts copies of elements, goes on, and waits for all of its own before it meets the others. In the
simulator a copy is done when it is started.
"""

from typing import Any

from gpu.kernel_parts.loads import address_of
from gpu.runtime.cuda import SIMULATED

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import intrinsic

    @intrinsic
    def _started(typing_context: Any, held: Any, place: Any, array: Any, index: Any) -> Any:
        """Start the copy of an element of 4 or 8 bytes; `held` is in shared memory."""
        size = array.dtype.bitwidth // 8
        text = f"{{ .reg .u64 to; cvta.to.shared.u64 to, $0; cp.async.ca.shared.global [to], [$1], {size}; }}"

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            held_type, _, array_type, _ = signature.args
            data = context.make_array(held_type)(context, builder, arguments[0]).data
            to = builder.ptrtoint(builder.gep(data, [arguments[1]]), ir.IntType(64))
            source = address_of(context, builder, array_type, arguments[2], arguments[3])
            function = ir.FunctionType(ir.VoidType(), [to.type, source.type])
            builder.call(ir.InlineAsm(function, text, "l,l,~{memory}", side_effect=True), [to, source])
            return context.get_dummy_value()

        return types.void(held, types.int64, array, types.int64), generate

    @intrinsic
    def _ended(typing_context: Any) -> Any:
        """Wait for all copies that this thread has started."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            function = ir.FunctionType(ir.VoidType(), [])
            builder.call(ir.InlineAsm(function, "cp.async.wait_all;", "~{memory}", side_effect=True), [])
            return context.get_dummy_value()

        return types.void(), generate


def _copied(held: Any, place: int, array: Any, index: int) -> None:
    held[place] = array[index]


def _nothing() -> None:
    """Stand in for the wait in the simulator."""


start_copy: Any = _copied if SIMULATED else _started
"""Device function ``start_copy(held, place, array, index)``: ``held[place] = array[index]``, later."""
wait_for_copies: Any = _nothing if SIMULATED else _ended
"""Device function: wait until all copies that this thread has started are done."""
