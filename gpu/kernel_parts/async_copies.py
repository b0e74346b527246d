"""Copies from global into shared memory that pass no register, so that as many are running as there are.

A thread starts copies of elements, goes on, and waits for all its copies before it meets the others. In the
simulator a copy is done when it is started.
"""

from collections.abc import Callable
from typing import Any

from gpu.kernel_parts.loads import address_of
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.kernel_sequence import instruction, nothing

WIDE_BYTES = 16
"""Of a wide copy, which needs both addresses to be multiples of it."""

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import intrinsic

    def _starter(count: int) -> Any:
        """Make the function that starts the copy of this many elements; `held` is in shared memory."""

        @intrinsic
        def started(typing_context: Any, held: Any, place: Any, array: Any, index: Any) -> Any:
            size = count * array.dtype.bitwidth // 8
            kind = "cg" if size == WIDE_BYTES else "ca"
            text = f"cp.async.{kind}.shared.global [to], [$1], {size};"
            text = f"{{ .reg .u64 to; cvta.to.shared.u64 to, $0; {text} }}"

            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                held_type, _, array_type, _ = signature.args
                data = context.make_array(held_type)(context, builder, arguments[0]).data
                to = builder.ptrtoint(builder.gep(data, [arguments[1]]), ir.IntType(64))
                source = address_of(context, builder, array_type, arguments[2], arguments[3])
                function = ir.FunctionType(ir.VoidType(), [to.type, source.type])
                builder.call(ir.InlineAsm(function, text, "l,l,~{memory}", side_effect=True), [to, source])
                return context.get_dummy_value()

            return types.void(held, types.int64, array, types.int64), generate

        return started

    @intrinsic
    def _is_aligned(typing_context: Any, array: Any, index: Any) -> Any:
        """Return whether a wide copy may begin at this element."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(64)
            source = address_of(context, builder, signature.args[0], arguments[0], arguments[1])
            rest = builder.and_(builder.ptrtoint(source, word), ir.Constant(word, WIDE_BYTES - 1))
            return builder.icmp_unsigned("==", rest, ir.Constant(word, 0))

        return types.boolean(array, types.int64), generate


def _copier(count: int) -> Callable[[Any, int, Any, int], None]:
    def copied(held: Any, place: int, array: Any, index: int) -> None:
        for k in range(count):
            held[place + k] = array[index + k]

    return copied


def _any(array: Any, index: int) -> bool:
    """Return True: copies in the simulator may begin at any element."""
    return True


start_copy: Any = _copier(1) if SIMULATED else _starter(1)
"""Device function ``start_copy(held, place, array, index)``: ``held[place] = array[index]``, later."""
START_WIDE: dict[int, Any] = {
    itemsize: (_copier if SIMULATED else _starter)(WIDE_BYTES // itemsize) for itemsize in (4, 8)
}
"""By the bytes of an element, device functions that start the copy of 16 bytes, likewise."""
is_aligned: Any = _any if SIMULATED else _is_aligned
"""Device function ``is_aligned(array, index)``: whether a copy of 16 bytes may begin at this element."""
wait_for_copies: Any = nothing if SIMULATED else instruction("cp.async.wait_all;")
"""Device function: wait until all copies that this thread has started are done."""
