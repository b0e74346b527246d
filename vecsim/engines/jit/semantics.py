"""The semantics of an instruction set, compiled: one function a kind of instruction, with a case a row.

The functions of the table are plain Python over the flat arrays. Here each, and every plain function that
it calls, is compiled as it stands, but for loads and stores of simulated memory; integers are int64 and
float32 stays float32, so the bits are those of the interpreted engine.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from isa.declaration import Instruction, InstructionSet, Timing, Unit
from isa.semantics import numbers
from vecsim.engines.jit.cells import load_int64, load_uint16, load_uint32, store_int32, store_int64
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.views import state_of

Function = Callable[..., Any]


class Semantics(NamedTuple):
    """Compiled functions that pick the semantics by the number of an instruction in its set."""

    scalar: Function
    """``(m, operation, n, f0..f4)``: scalar instructions but branches."""
    branch: Function
    """``(m, operation, f0..f4)``: true if it is taken."""
    vector: Function
    """``(w, operation, n, f0..f4)``: vector instructions; takes the table of addresses."""


@inline
def _load16(m: Any, address: Any) -> Any:
    return load_uint16(m.memory, address)


@inline
def _load32(m: Any, address: Any) -> Any:
    return load_uint32(m.memory, address)


@inline
def _load64(m: Any, address: Any) -> Any:
    return load_int64(m.memory, address)


@inline
def _store32(m: Any, address: Any, value: Any) -> None:
    store_int32(m.memory, address, value)


@inline
def _store64(m: Any, address: Any, value: Any) -> None:
    store_int64(m.memory, address, value)


_MEMORY: dict[int, Any] = {
    id(numbers.load16): _load16,
    id(numbers.load32): _load32,
    id(numbers.load64): _load64,
    id(numbers.store32): _store32,
    id(numbers.store64): _store64,
}
"""What stands for the primitives of simulated memory on a host that has its byte order: one instruction each,
where an interpreter is faster with aligned words put together."""


def compile_semantics(instruction_set: InstructionSet) -> Semantics:
    """Build the three functions; Numba compiles them when they are first called."""
    memo = dict(_MEMORY) if sys.byteorder == "little" else {}
    numbered = list(enumerate(instruction_set.instructions))
    scalar = [(i, row) for i, row in numbered if row.unit == Unit.SCALAR and row.timing != Timing.BRANCH]
    branches = [(i, row) for i, row in numbered if row.timing == Timing.BRANCH]
    vector = [(i, row) for i, row in numbered if row.unit != Unit.SCALAR]
    return Semantics(
        inline(_cases("execute_scalar", "m, operation, n", "m, n", scalar, memo)),
        inline(_cases("is_taken", "m, operation", "m, 0", branches, memo, "return ")),
        function(_cases("execute_vector", "w, operation, n", "state_of(w), n", vector, memo)),
    )


def _cases(
    name: str,
    parameters: str,
    arguments: str,
    rows: list[tuple[int, Instruction]],
    memo: dict[int, Any],
    result: str = "",
) -> Function:
    """Give ``name(parameters, f0..f4)``: an if-chain over numbers of rows, which becomes a jump table."""
    lines = [f"def {name}({parameters}, f0, f1, f2, f3, f4):"]
    namespace: dict[str, Any] = {"state_of": state_of}
    for position, (number, row) in enumerate(rows):
        namespace[f"semantics_{number}"] = compiled(row.semantics, memo)
        fields = "".join(f", f{i}" for i in range(len(row.operands)))
        lines.append(f"    {'elif' if position else 'if'} operation == {number}:")
        lines.append(f"        {result}semantics_{number}({arguments}{fields})")
    if result:
        lines.append("    return False")
    exec("\n".join(lines), namespace)
    found: Function = namespace[name]
    return found


def compiled(plain: Function, memo: dict[int, Any]) -> Any:
    """Compile a plain function with every plain function that its globals and its closure name.

    Raises
    ------
    TypeError
        It is not a plain Python function.
    """
    if id(plain) in memo:
        return memo[id(plain)]
    if not isinstance(plain, types.FunctionType):
        raise TypeError(f"{plain!r}: the semantics of an instruction are a plain Python function")
    names = set(_names(plain.__code__))
    renewed = {name: _renewed(value, memo) for name, value in plain.__globals__.items() if name in names} | {
        "__builtins__": plain.__globals__.get("__builtins__", __builtins__)
    }
    closure = tuple(types.CellType(_renewed(cell.cell_contents, memo)) for cell in plain.__closure__ or ())
    copy = types.FunctionType(plain.__code__, renewed, plain.__name__, plain.__defaults__, closure)
    memo[id(plain)] = inline(copy)
    return memo[id(plain)]


def _names(code: types.CodeType) -> list[str]:
    nested = [name for part in code.co_consts if isinstance(part, types.CodeType) for name in _names(part)]
    return [*code.co_names, *nested]


def _renewed(value: Any, memo: dict[int, Any]) -> Any:
    return compiled(value, memo) if isinstance(value, types.FunctionType) else value
