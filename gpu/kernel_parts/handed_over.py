"""What blocks of threads that run side by side hand to each other through global memory.

A block writes, all of its threads meet, and one of them makes that known by a fence and an atomic addition
to a counter. Another block reads the counter by `acquire` until it is far enough, its threads meet, and they
read what was written by `loads.PAST_L1_IF`: the L1 cache may have what lay there before.
"""

from collections.abc import Callable
from typing import Any

from gpu.kernel_parts.loads import COUNTS, MOST_BYTES
from gpu.runtime.cuda import SIMULATED

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import intrinsic

    from gpu.kernel_parts.loads import address_of

    # Bits of an element: PTX type, constraint of its register.
    _KINDS = {32: ("f32", "f"), 64: ("f64", "d")}


def _storer(count: int) -> Any:
    """Make ``store(array, index, elements)``: a tuple of `count` reals from `index` on, past the L1 cache."""

    @intrinsic
    def store(typing_context: Any, array: Any, index: Any, elements: Any) -> Any:
        signature = types.none(array, types.int64, types.UniTuple(array.dtype, count))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type = signature.args[0]
            kind, register = _KINDS[array_type.dtype.bitwidth]
            address = address_of(context, builder, array_type, *arguments[:2])
            at_once = min(count, MOST_BYTES * 8 // array_type.dtype.bitwidth)
            lines = []
            for first in range(0, count, at_once):
                part = [f"${1 + k}" for k in range(first, first + at_once)]
                width = f".v{at_once}" if at_once > 1 else ""
                source = "{" + ", ".join(part) + "}" if width else part[0]
                offset = first * array_type.dtype.bitwidth // 8
                lines.append(f"st.global.cg{width}.{kind} [$0 + {offset}], {source};")
            given = [builder.extract_value(arguments[2], k) for k in range(count)]
            function = ir.FunctionType(ir.VoidType(), [address.type, *(each.type for each in given)])
            constraints = ",".join(["l", *[register] * count, "~{memory}"])
            assembly = ir.InlineAsm(function, " ".join(lines), constraints, side_effect=True)
            builder.call(assembly, [address, *given])
            return context.get_dummy_value()

        return signature, generate

    return store


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


def _pauser() -> Any:
    @intrinsic
    def pause(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            function = ir.FunctionType(ir.VoidType(), [])
            builder.call(ir.InlineAsm(function, "nanosleep.u32 40;", "", side_effect=True), [])
            return context.get_dummy_value()

        return types.void(), generate

    return pause


def _plain_store(count: int) -> Callable[[Any, int, tuple[Any, ...]], None]:
    def store(array: Any, index: int, elements: tuple[Any, ...]) -> None:
        for k in range(count):
            array[index + k] = elements[k]

    return store


def _plain_acquire(array: Any, index: int) -> Any:
    return array[index]


def _nothing() -> None:
    """Stand in for a pause in the simulator, where nobody else works meanwhile."""


STORES_PAST_L1: dict[int, Any] = {count: (_plain_store if SIMULATED else _storer)(count) for count in COUNTS}
"""By how many neighbouring reals they store, aligned to all of them, up to 128 bits in one instruction."""
acquire: Any = _plain_acquire if SIMULATED else _acquirer()
"""Device function ``acquire(counters, place)``: read an int32, and see what was written before it."""
pause: Any = _nothing if SIMULATED else _pauser()
"""Device function: let other warps go on for some 40 ns."""
