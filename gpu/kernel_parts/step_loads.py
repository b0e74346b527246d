"""What a thread loads of a slice at once: all of its steps, values and 16-bit columns, or rows of its slots.

All addresses are one and a distance known beforehand, and where a slice has no more than half of the steps
the others are left out by one branch: so a load costs hardly more than its own instruction. Loads stay where
they are, in front of whatever waits (`loads.EARLY_IF`), and leave nothing in the L1 cache. Where there is no
entry, value and column are 0.
"""

from collections.abc import Callable
from typing import Any

from gpu.kernel_parts.loads import address_of
from gpu.runtime.cuda import SIMULATED

if not SIMULATED:
    from llvmlite import ir
    from numba.cuda import cgutils, types
    from numba.cuda.extending import intrinsic

    _REALS = {32: ("f32", "f", "0f00000000"), 64: ("f64", "d", "0d0000000000000000")}
    _WORD = ir.IntType(32)


def step_loads(count: int, distance: int) -> Any:
    """Make ``load(values, columns, index, steps)``: the tuple of values and that of columns, uint32.

    Parameters
    ----------
    count
        Steps that are loaded at most.
    distance
        Elements from a step to the next.
    """
    return _plain(count, distance) if SIMULATED else _compiled(count, distance)


def row_loads(count: int, distance: int) -> Any:
    """Make ``load(rows, index, left)``: the tuple of this many uint32, 0 for those at `left` and after.

    Parameters
    ----------
    count
        Rows that are loaded at most.
    distance
        Elements from one to the next.
    """
    return _plain_rows(count, distance) if SIMULATED else _compiled_rows(count, distance)


def _plain_rows(count: int, distance: int) -> Callable[[Any, int, int], Any]:
    def load(rows: Any, index: int, left: int) -> Any:
        return tuple(int(rows[index + k * distance]) if k * distance < left else 0 for k in range(count))

    return load


def _plain(count: int, distance: int) -> Callable[[Any, Any, int, int], Any]:
    def load(values: Any, columns: Any, index: int, steps: int) -> Any:
        zero = values.dtype.type(0)
        return (
            tuple(values[index + k * distance] if k < steps else zero for k in range(count)),
            tuple(int(columns[index + k * distance]) if k < steps else 0 for k in range(count)),
        )

    return load


def _text(bits: int, count: int, distance: int) -> str:
    """Return the instructions: results are values and columns; then the two addresses and the steps."""
    kind, _, zero = _REALS[bits]
    of_values, of_columns, steps = (f"${2 * count + k}" for k in range(3))
    lines = [".reg .pred p;"]
    lines += [f"mov.{kind} ${k}, {zero}; mov.b32 ${count + k}, 0;" for k in range(count)]
    for k in range(count):
        if k == count // 2 and k:
            lines.append(f"setp.le.s32 p, {steps}, {k}; @p bra ENOUGH;")
        lines.append(f"setp.gt.s32 p, {steps}, {k};")
        for register, type_, address, size in (
            (f"${k}", kind, of_values, bits // 8),
            (f"${count + k}", "u16", of_columns, 2),
        ):
            at = f"[{address} + {k * distance * size}]"
            lines.append(f"@p ld.global.L1::no_allocate.{type_} {register}, {at};")
    return "{ " + " ".join(lines) + " ENOUGH: }"


def _compiled(count: int, distance: int) -> Any:
    @intrinsic
    def load(typing_context: Any, values: Any, columns: Any, index: Any, steps: Any) -> Any:
        result = types.Tuple((types.UniTuple(values.dtype, count), types.UniTuple(types.uint32, count)))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            of_values = address_of(context, builder, signature.args[0], arguments[0], arguments[2])
            of_columns = address_of(context, builder, signature.args[1], arguments[1], arguments[2])
            element, bits = context.get_data_type(values.dtype), values.dtype.bitwidth
            match = ir.LiteralStructType([element] * count + [_WORD] * count)
            constraints = [f"=&{_REALS[bits][1]}"] * count + ["=&r"] * count + ["l", "l", "r"]
            function = ir.FunctionType(match, [of_values.type, of_columns.type, _WORD])
            text = _text(bits, count, distance)
            assembly = ir.InlineAsm(function, text, ",".join(constraints), side_effect=True)
            loaded = builder.call(assembly, [of_values, of_columns, arguments[3]])
            all_ = [builder.extract_value(loaded, k) for k in range(2 * count)]
            both = [cgutils.pack_array(builder, all_[:count]), cgutils.pack_array(builder, all_[count:])]
            return cgutils.pack_struct(builder, both)

        return result(values, columns, types.int64, types.int32), generate

    return load


def _row_text(count: int, distance: int) -> str:
    """Return the instructions: results are the rows; then the address and the elements left."""
    address, left = f"${count}", f"${count + 1}"
    lines = [".reg .pred p;", *(f"mov.b32 ${k}, 0;" for k in range(count))]
    for k in range(count):
        if k == 1:
            lines.append(f"setp.le.s32 p, {left}, {distance}; @p bra ENOUGH;")
        lines.append(f"setp.gt.s32 p, {left}, {k * distance};")
        lines.append(f"@p ld.global.L1::no_allocate.u32 ${k}, [{address} + {4 * k * distance}];")
    return "{ " + " ".join(lines) + " ENOUGH: }"


def _compiled_rows(count: int, distance: int) -> Any:
    @intrinsic
    def load(typing_context: Any, rows: Any, index: Any, left: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = address_of(context, builder, signature.args[0], arguments[0], arguments[1])
            match = ir.LiteralStructType([_WORD] * count) if count > 1 else _WORD
            constraints = ["=&r"] * count + ["l", "r"]
            function = ir.FunctionType(match, [address.type, _WORD])
            text = _row_text(count, distance)
            assembly = ir.InlineAsm(function, text, ",".join(constraints), side_effect=True)
            loaded = builder.call(assembly, [address, arguments[2]])
            all_ = [builder.extract_value(loaded, k) for k in range(count)] if count > 1 else [loaded]
            return cgutils.pack_array(builder, all_)

        return types.UniTuple(types.uint32, count)(rows, types.int64, types.int32), generate

    return load
