"""What blocks of threads that run side by side hand to each other through global memory.

A block writes, all of its threads meet, and one of them makes that known by `add_one_after` to a counter.
Another block reads the counter by `acquire` until it is far enough, its threads meet, and they read what was
written by `loads.PAST_L1_IF`: the L1 cache may have what lay there before.
"""

import threading
from typing import Any

from gpu.runtime.cuda import SIMULATED
from gpu.runtime.kernel_sequence import instruction, nothing

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import intrinsic

    from gpu.kernel_parts.loads import address_of


def _acquirer() -> Any:
    @intrinsic
    def acquire(typing_context: Any, array: Any, index: Any) -> Any:
        signature = types.int32(array, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = address_of(context, builder, signature.args[0], *arguments)
            function = ir.FunctionType(ir.IntType(32), [address.type])
            text = "ld.acquire.gpu.global.b32 $0, [$1];"
            assembly = ir.InlineAsm(function, text, "=r,l,~{memory}", side_effect=True)
            return builder.call(assembly, [address])

        return signature, generate

    return acquire


def _adder() -> Any:
    @intrinsic
    def add_one_after(typing_context: Any, array: Any, index: Any) -> Any:
        signature = types.void(array, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = address_of(context, builder, signature.args[0], *arguments)
            function = ir.FunctionType(ir.VoidType(), [address.type])
            text = "red.release.gpu.global.add.s32 [$0], 1;"
            builder.call(ir.InlineAsm(function, text, "l,~{memory}", side_effect=True), [address])
            return context.get_dummy_value()

        return signature, generate

    return add_one_after


def _plain_acquire(array: Any, index: int) -> Any:
    return array[index]


_adding = threading.Lock()


def _plain_add(array: Any, index: int) -> None:
    with _adding:
        array[index] += 1


acquire: Any = _plain_acquire if SIMULATED else _acquirer()
"""Device function ``acquire(counters, place)``: read an int32, and see what was written before it."""
add_one_after: Any = _plain_add if SIMULATED else _adder()
"""Device function ``add_one_after(counters, place)``: add 1 to an int32, which nobody sees before what this
thread, and those that it has met, have written."""
pause: Any = nothing if SIMULATED else instruction("nanosleep.u32 40;")
"""Device function: let other warps go on for some 40 ns."""
