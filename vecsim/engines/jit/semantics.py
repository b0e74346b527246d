"""The semantics of instructions, compiled.

The functions of the table are plain Python over the flat arrays. Here each, and every plain function that
it calls, is compiled as it is, but for loads and stores of simulated memory; integers are int64 and
float32 stays float32, so the bits are those of the interpreted engine.

Scalar instructions and branches of the base set are cases inside the loop. Vector instructions, and what a
user adds, are functions of their own, which the loop calls by their address.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from isa.declaration import Instruction
from isa.semantics import numbers
from vecsim.engines.jit.calls import call_branch, call_row
from vecsim.engines.jit.cells import load_int64, load_uint16, load_uint32, store_int32, store_int64
from vecsim.engines.jit.functions import function, inline, unabridged
from vecsim.engines.jit.operations import BRANCH_ROWS, SCALAR_ROWS
from vecsim.engines.jit.views import scratch_of, state_of
from vecsim.engines.rebinding import rebound

Function = Callable[..., Any]


class Semantics(NamedTuple):
    """Compiled functions that execute an instruction by its operation."""

    scalar: Function
    """``(w, operation, n, f0..f4)``: scalar instructions but branches."""
    branch: Function
    """``(w, operation, f0..f4)``: true if it is taken."""
    vector: Function
    """``(w, operation, n, f0..f4)``: vector instructions."""


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
"""What replaces the primitives of simulated memory on a host that has its byte order: one instruction each,
where an interpreter is faster with aligned words put together."""


def base_semantics() -> Semantics:
    """Build the three functions for a loop; Numba compiles them when they are first called."""
    memo = _memory()
    return Semantics(
        inline(_cases("execute_scalar", "w, operation, n", "n", SCALAR_ROWS, _execute_own, memo)),
        inline(_cases("is_taken", "w, operation", "0", BRANCH_ROWS, _is_own_taken, memo)),
        _execute_vector,
    )


def row_functions(rows: Iterable[Instruction], *, by_user: bool = False) -> list[Function]:
    """Give for each row a plain function ``(w, n, f0..f4)``, to be compiled, that executes it.

    What a user wrote goes through all passes of Numba, for it may need them.
    """
    memo = _memory()
    return [
        _row_function(rebound(row.semantics, memo, unabridged if by_user else inline), row) for row in rows
    ]


def _memory() -> dict[int, Any]:
    return dict(_MEMORY) if sys.byteorder == "little" else {}


def _row_function(semantics: Function, row: Instruction) -> Function:
    fields = "".join(f", f{i}" for i in range(len(row.operands)))
    text = f"def execute(w, n, f0, f1, f2, f3, f4):\n    return semantics(state_of(w), n{fields})"
    return _defined("execute", text, {"semantics": semantics, "state_of": state_of})


@inline
def _execute_vector(w: Any, operation: Any, n: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any) -> None:
    call_row(scratch_of(w).semantics[operation], w, n, f0, f1, f2, f3, f4)


@function
def _execute_own(w: Any, operation: Any, n: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any) -> None:
    call_row(scratch_of(w).semantics[operation], w, n, f0, f1, f2, f3, f4)


@function
def _is_own_taken(w: Any, operation: Any, n: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any) -> Any:
    return call_branch(scratch_of(w).semantics[operation], w, n, f0, f1, f2, f3, f4)


def _cases(
    name: str, parameters: str, count: str, rows: dict[int, Instruction], otherwise: Any, memo: dict[int, Any]
) -> Function:
    """Give ``name(parameters, f0..f4)``: an if-chain over operations, which becomes a jump table.

    Parameters
    ----------
    parameters
        ``w``, ``operation`` and what else comes before the operands.
    count
        The name of the number of elements.
    otherwise
        ``(w, operation, n, f0..f4)``, for operations that are not in ``rows``.
    memo
        What has been compiled, by identity of the plain function.
    """
    lines = [f"def {name}({parameters}, f0, f1, f2, f3, f4):"]
    namespace: dict[str, Any] = {"state_of": state_of, "otherwise": otherwise}
    for number, row in rows.items():
        namespace[f"semantics_{number}"] = rebound(row.semantics, memo, inline)
        fields = "".join(f", f{i}" for i in range(len(row.operands)))
        lines.append(f"    if operation == {number}:")
        lines.append(f"        return semantics_{number}(state_of(w), {count}{fields})")
    lines.append(f"    return otherwise(w, operation, {count}, f0, f1, f2, f3, f4)")
    return _defined(name, "\n".join(lines), namespace)


def _defined(name: str, text: str, namespace: dict[str, Any]) -> Function:
    exec(text, namespace)
    found: Function = namespace[name]
    return found
