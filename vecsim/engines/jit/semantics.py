"""The semantics of instructions, compiled.

The functions of the table are plain Python over the flat arrays. Here each, and every plain function that
it calls, is compiled as it is, but for loads and stores of simulated memory; integers are int64 and
float32 stays float32, so the bits are those of the interpreted engine.

Scalar instructions and branches of the base set are cases inside the loop. Vector instructions, and what a
user adds, are separate functions, which the loop calls by their address.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import Signature, signature
from numba.extending import intrinsic

from isa.declaration import Instruction
from isa.semantics import numbers
from vecsim.engines.decoded import WIDTHS
from vecsim.engines.jit.arrays.cells import MEMORY, Cells, MemoryAccess
from vecsim.engines.jit.arrays.checked_cells import CHECKED_MEMORY
from vecsim.engines.jit.arrays.views import checked_state_of, run_of, state_of
from vecsim.engines.jit.compiler.functions import function, inline, unabridged
from vecsim.engines.jit.interface import BRANCH_ROWS, SCALAR_ROWS
from vecsim.engines.jit.user.functions import begin_user_code, user_function
from vecsim.engines.jit.user.operations import COMPILED
from vecsim.engines.rebinding import rebound
from vecsim.engines.recorded import events
from vecsim.engines.user_code import is_ours

Function = Callable[..., Any]


class Semantics(NamedTuple):
    """Compiled functions ``(r, instruction, n)`` that execute an instruction on n elements.

    Attributes
    ----------
    scalar, vector
        Scalar instructions but branches; vector instructions.
    branch
        Branches; true if it is taken.
    """

    scalar: Function
    branch: Function
    vector: Function


def _loading(load: Any) -> Any:
    @inline
    def from_memory(m: Any, address: Any) -> Any:
        return load(m.memory, address)

    return from_memory


def _storing(store: Any) -> Any:
    @inline
    def to_memory(m: Any, address: Any, value: Any) -> None:
        store(m.memory, address, value)

    return to_memory


def _primitives(of: MemoryAccess) -> dict[int, Any]:
    """Return the primitives of simulated memory by what they replace."""
    return {
        id(numbers.load16): _loading(of.load_uint16),
        id(numbers.load32): _loading(of.load_uint32),
        id(numbers.load64): _loading(of.load_int64),
        id(numbers.store32): _storing(of.store_int32),
        id(numbers.store64): _storing(of.store_int64),
    }


_MEMORY, _CHECKED_MEMORY = (
    _primitives(of) if sys.byteorder == "little" else {} for of in (MEMORY, CHECKED_MEMORY)
)
"""What replaces the primitives of simulated memory on a host that has its byte order: one instruction each,
where an interpreter is faster with aligned words put together."""


def base_semantics() -> Semantics:
    """Build the three functions for a loop; Numba compiles them when they are first called."""
    memo = dict(_MEMORY)
    scalar = _cases("execute_scalar", SCALAR_ROWS, function(_by_address(call_row)), memo)
    taken = inline(_cases("is_taken", BRANCH_ROWS, function(_by_address(call_branch)), memo))
    branch = rebound(events.branch, memo, function)

    @inline
    def is_taken(r: Any, instruction: Any, n: Any) -> Any:
        if instruction.event > 0:
            return branch(state_of(r), 0)
        return taken(r, instruction, n)

    vector = inline(_by_address(call_row))
    return Semantics(_or_event(inline(scalar), memo), is_taken, _or_event(vector, memo))


def _or_event(execute: Any, memo: dict[int, Any]) -> Any:
    """Make what executes an instruction, or an event of a recorded program in the loop itself."""
    next_event, entries = rebound(events.next_event, memo, function), rebound(events.entries, memo, function)

    @inline
    def execute_any(r: Any, instruction: Any, n: Any) -> None:
        kind = instruction.event
        if kind == 0:
            execute(r, instruction, n)
        elif kind == EVENT:
            next_event(state_of(r))
        elif kind == ENTRIES:
            entries(state_of(r), n)

    return execute_any


def row_functions(rows: Iterable[Instruction]) -> list[Function]:
    """Return for each row a plain function ``(w, n, f0..f4)``, to be compiled, that executes it.

    What a user wrote is compiled with checks.
    """
    memo, checked = dict(_MEMORY), COMPILED | _CHECKED_MEMORY
    functions = []
    for row in rows:
        if is_ours(row.semantics.__code__.co_filename):
            semantics = rebound(row.semantics, memo, unabridged if row.extension else inline)
            functions.append(_row_function("    return", semantics, state_of, row))
        else:
            semantics = rebound(row.semantics, checked, user_function)
            functions.append(_row_function("    begin()\n    return", semantics, checked_state_of, row))
    return functions


def _row_function(begin: str, semantics: Function, view: Any, row: Instruction) -> Function:
    text = f"def execute(w, n, f0, f1, f2, f3, f4):\n{begin} semantics(view(w), n{_fields(row)})"
    return _defined("execute", text, {"semantics": semantics, "view": view, "begin": begin_user_code})


def _by_address(call: Any) -> Function:
    """Make ``(r, instruction, n)``, which executes an instruction by the address of its semantics."""

    def execute(r: Any, instruction: Any, n: Any) -> Any:
        f, address = instruction.fields, run_of(r).semantics[instruction.operation]
        return call(address, r, n, f[0], f[1], f[2], f[3], f[4])

    return execute


def _cases(name: str, rows: dict[int, Instruction], otherwise: Any, memo: dict[int, Any]) -> Function:
    """Build ``name(r, instruction, n)``: an if-chain over operations, which becomes a jump table.

    Parameters
    ----------
    rows
        The instructions by operation.
    otherwise
        ``(r, instruction, n)``, for operations that are not in ``rows``.
    memo
        What has been compiled, by identity of the plain function.
    """
    lines = [
        f"def {name}(r, instruction, n):",
        "    operation, fields = instruction.operation, instruction.fields",
    ]
    lines += [f"    f{k} = fields[{k}]" for k in range(OPERANDS)]
    namespace: dict[str, Any] = {"state_of": state_of, "otherwise": otherwise}
    for number, row in rows.items():
        namespace[f"semantics_{number}"] = rebound(row.semantics, memo, inline)
        lines.append(f"    if operation == {number}:")
        lines.append(f"        return semantics_{number}(state_of(r), n{_fields(row)})")
    lines.append("    return otherwise(r, instruction, n)")
    return _defined(name, "\n".join(lines), namespace)


def _fields(row: Instruction) -> str:
    return "".join(f", f{k}" for k in range(len(row.operands)))


def _defined(name: str, text: str, namespace: dict[str, Any]) -> Function:
    exec(text, namespace)
    match: Function = namespace[name]
    return match


TABLE = Cells(types.int64)
OPERANDS = WIDTHS["fields"]
EVENT, ENTRIES = events.EVENT, events.ENTRIES


def row_signature(result: types.Type) -> Signature:
    """Return the signature of the compiled semantics of a row: ``(w, n, f0..f4)``."""
    return signature(result, TABLE, *[types.int64] * (1 + OPERANDS))


def _calling(result: types.Type) -> Any:
    called = row_signature(result)

    @intrinsic
    def call(
        typing_context: Any, address: Any, w: Any, n: Any, f0: Any, f1: Any, f2: Any, f3: Any, f4: Any
    ) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(called.return_type, called.args)
            callee = builder.inttoptr(args[0], ir.PointerType(kind))
            status, value = convention.call_function(
                builder, callee, called.return_type, called.args, args[1:]
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return value

        return signature(result, types.int64, w, *called.args[1:]), code

    return call


call_row = _calling(types.none)
"""``call_row(address, w, n, f0..f4)``: execute an instruction that is no branch; w is the table or a view."""
call_branch = _calling(types.boolean)
"""``call_branch(address, w, n, f0..f4)``: execute a branch; true if it is taken."""
