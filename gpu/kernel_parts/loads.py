"""Read-only loads: of several neighbouring elements at once, of streamed data, and under a condition.

Numba emits one plain load an element, whatever the types, so these are built here. The element that a load
begins at must be aligned to the whole load, up to 128 bits; the arrays of the formats are. A streamed load
leaves nothing in the L1 cache, so that x stays there. A load under a condition gives zeros where it does not
hold and reads nothing, without a branch: so loads of many steps are running at once. A load of a vector is
one that stays after `launching.wait_for_previous`, since another kernel may have written the vector until
then; all others may be moved before it. But they may be moved after it, too: the assembler does so to save
registers. An early load is a streamed one that stays where it is. A load past the L1 cache reads what other
blocks of threads have written meanwhile. In the simulator all are plain reads.
"""

from collections.abc import Callable
from typing import Any

from gpu.runtime.cuda import SIMULATED

COUNTS = (1, 2, 4, 8)
MOST_BYTES = 16
"""What one instruction loads at most."""

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import cgutils, types
    from numba.cuda.extending import intrinsic

    # Bits of an element: PTX type, constraint of its register, how the register is cleared.
    _INTEGERS = {16: ("b16", "h", "mov.b16 {}, 0;"), 32: ("b32", "r", "mov.b32 {}, 0;")}
    _REALS = {
        32: ("f32", "f", "mov.f32 {}, 0f00000000;"),
        64: ("f64", "d", "mov.f64 {}, 0d0000000000000000;"),
    }


def address_of(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of an element, in global memory.

    Parameters
    ----------
    context, builder
        Of Numba and LLVM.
    array_type, array, index
        The array, and the number of its element.
    """
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.gep(data, [index])
    return builder.addrspacecast(address, ir.PointerType(data.type.pointee, 1))


def _loader(count: int) -> Any:
    """Make ``load(array, index)``: the tuple of `count` elements from `index` on."""

    @intrinsic
    def load(typing_context: Any, array: Any, index: Any) -> Any:
        signature = types.UniTuple(array.dtype, count)(array, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type = signature.args[0]
            address = address_of(context, builder, array_type, *arguments)
            vector = ir.VectorType(context.get_data_type(array_type.dtype), count)
            address = builder.bitcast(address, ir.PointerType(vector, 1))
            bytes_at_once = min(MOST_BYTES, count * array_type.dtype.bitwidth // 8)
            loaded = builder.load(address, align=bytes_at_once)
            # Read-only while the kernel runs: ld.global.nc.
            loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
            elements = [builder.extract_element(loaded, ir.Constant(ir.IntType(32), k)) for k in range(count)]
            return cgutils.pack_array(builder, elements)

        return signature, generate

    return load


def _instructions(dtype: Any, count: int, kind_of_load: str) -> tuple[str, str]:
    """Return the PTX of a load under a condition, and its constraints: results, address, condition."""
    kind, register, clear = (_REALS if isinstance(dtype, types.Float) else _INTEGERS)[dtype.bitwidth]
    results = [f"${k}" for k in range(count)]
    at_once = min(count, MOST_BYTES * 8 // dtype.bitwidth)
    lines = [f"setp.ne.b32 p, ${count + 1}, 0;", *(clear.format(result) for result in results)]
    for first in range(0, count, at_once):
        part = results[first : first + at_once]
        width, target = (f".v{at_once}", "{" + ", ".join(part) + "}") if at_once > 1 else ("", part[0])
        offset = first * dtype.bitwidth // 8
        lines.append(f"@p ld.global{kind_of_load}{width}.{kind} {target}, [${count} + {offset}];")
    constraints = ",".join([f"=&{register}"] * count + ["l", "r"])
    return "{ .reg .pred p; " + " ".join(lines) + " }", constraints


def _conditional_loader(count: int, kind_of_load: str, *, in_order: bool = False) -> Any:
    """Make ``load(array, index, wanted)``: the tuple of `count` elements, or of zeros."""

    @intrinsic
    def load(typing_context: Any, array: Any, index: Any, wanted: Any) -> Any:
        signature = types.UniTuple(array.dtype, count)(array, types.int64, types.boolean)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type = signature.args[0]
            element = context.get_data_type(array_type.dtype)
            address = address_of(context, builder, array_type, *arguments[:2])
            wanted = builder.zext(context.get_value_as_data(builder, types.boolean, arguments[2]), _WORD)
            result = element if count == 1 else ir.LiteralStructType([element] * count)
            text, constraints = _instructions(array_type.dtype, count, kind_of_load)
            assembly = ir.InlineAsm(
                ir.FunctionType(result, [address.type, _WORD]), text, constraints, side_effect=in_order
            )
            loaded = builder.call(assembly, [address, wanted])
            elements = [loaded] if count == 1 else [builder.extract_value(loaded, k) for k in range(count)]
            return cgutils.pack_array(builder, elements)

        return signature, generate

    return load


def _storer(count: int) -> Any:
    """Make ``store(array, index, elements)``: write a tuple of `count` elements from `index` on."""

    @intrinsic
    def store(typing_context: Any, array: Any, index: Any, elements: Any) -> Any:
        signature = types.void(array, types.int64, types.UniTuple(array.dtype, count))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type, element = signature.args[0], context.get_data_type(signature.args[0].dtype)
            address = address_of(context, builder, array_type, *arguments[:2])
            at_once = min(count, MOST_BYTES * 8 // array_type.dtype.bitwidth)
            vector = ir.VectorType(element, at_once)
            address = builder.bitcast(address, ir.PointerType(vector, 1))
            values = cgutils.unpack_tuple(builder, arguments[2], count)
            for first in range(0, count, at_once):
                packed = ir.Constant(vector, ir.Undefined)
                for k in range(at_once):
                    place = ir.Constant(ir.IntType(32), k)
                    packed = builder.insert_element(packed, values[first + k], place)
                target = builder.gep(address, [ir.Constant(ir.IntType(32), first // at_once)])
                builder.store(packed, target, align=at_once * array_type.dtype.bitwidth // 8)
            return context.get_dummy_value()

        return signature, generate

    return store


def _plain(count: int) -> Callable[[Any, int], tuple[Any, ...]]:
    def load(array: Any, index: int) -> tuple[Any, ...]:
        return tuple(array[index + k] for k in range(count))

    return load


def _plain_conditional(count: int) -> Callable[[Any, int, bool], tuple[Any, ...]]:
    def load(array: Any, index: int, wanted: bool) -> tuple[Any, ...]:
        return tuple(array[index + k] if wanted else array.dtype.type(0) for k in range(count))

    return load


def _plain_store(count: int) -> Callable[[Any, int, tuple[Any, ...]], None]:
    def store(array: Any, index: int, elements: tuple[Any, ...]) -> None:
        for k in range(count):
            array[index + k] = elements[k]

    return store


if SIMULATED:
    STORES: dict[int, Any] = {count: _plain_store(count) for count in COUNTS}
    LOADS: dict[int, Any] = {count: _plain(count) for count in COUNTS}
    LOADS_IF: dict[int, Any] = {count: _plain_conditional(count) for count in COUNTS}
    STREAMED_IF: dict[int, Any] = LOADS_IF
    EARLY_IF: dict[int, Any] = LOADS_IF
    VECTOR_IF: dict[int, Any] = LOADS_IF
    PAST_L1_IF: dict[int, Any] = LOADS_IF
else:
    _WORD = ir.IntType(32)
    STORES = {count: _storer(count) for count in COUNTS}
    LOADS = {count: _loader(count) for count in COUNTS}
    LOADS_IF = {count: _conditional_loader(count, ".nc") for count in COUNTS}
    STREAMED_IF = {count: _conditional_loader(count, ".nc.L1::no_allocate") for count in COUNTS}
    EARLY_IF = {count: _conditional_loader(count, ".L1::no_allocate", in_order=True) for count in COUNTS}
    VECTOR_IF = {count: _conditional_loader(count, "", in_order=True) for count in COUNTS}
    PAST_L1_IF = {count: _conditional_loader(count, ".cg", in_order=True) for count in COUNTS}
