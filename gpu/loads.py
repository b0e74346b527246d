"""Loads of several neighbouring elements at once, up to 128 bits in one instruction, read-only.

Numba emits one scalar load an element, whatever the types, so the load is built here. The element that it
begins at must be aligned to the whole load; the arrays of the formats are. In the simulator they are plain
reads.
"""

from collections.abc import Callable
from typing import Any

from .cuda import SIMULATED

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import cgutils, types
    from numba.cuda.extending import intrinsic


def _loader(count: int) -> Any:
    """Make ``load(array, index)``: the tuple of `count` elements from `index` on."""

    @intrinsic  # type: ignore[untyped-decorator]
    def load(typing_context: Any, array: Any, index: Any) -> Any:
        signature = types.UniTuple(array.dtype, count)(array, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type = signature.args[0]
            data = context.make_array(array_type)(context, builder, arguments[0]).data
            vector = ir.VectorType(context.get_data_type(array_type.dtype), count)
            address = builder.gep(data, [arguments[1]])
            # Address space 1 is global memory.
            address = builder.addrspacecast(address, ir.PointerType(data.type.pointee, 1))
            address = builder.bitcast(address, ir.PointerType(vector, 1))
            bytes_at_once = min(16, count * array_type.dtype.bitwidth // 8)
            loaded = builder.load(address, align=bytes_at_once)
            # Read-only while the kernel runs: ld.global.nc.
            loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
            elements = [builder.extract_element(loaded, ir.Constant(ir.IntType(32), k)) for k in range(count)]
            return cgutils.pack_array(builder, elements)

        return signature, generate

    return load


def _plain(count: int) -> Callable[[Any, int], tuple[Any, ...]]:
    def load(array: Any, index: int) -> tuple[Any, ...]:
        return tuple(array[index + k] for k in range(count))

    return load


LOADS: dict[int, Any] = {count: _plain(count) if SIMULATED else _loader(count) for count in (1, 2, 4)}
"""The load of 1, 2 or 4 elements, by their number."""
