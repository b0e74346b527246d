"""The compiled interpreter: its loop, and the semantics that the loop calls by their addresses."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, MutableMapping
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from isa.riscv.declaration import Row, Timing, Trap
from isa.riscv.encoding import OUTSIDE
from isa.riscv.instructions import REVISIONS
from isa.riscv.semantics.soft_float import SEPARATE
from isa.riscv.state import BYTES, COUNT, IMMEDIATE, INSTRUCTION, PC, RS1, TEXT
from vecsim.engines.jit.compiler.compilation import Exported, compile_object
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.compiler.fused import FUSED
from vecsim.engines.rebinding import rebound
from vecsim.riscv.arrays import PRIMITIVES, hart_of, nodes_of, numbers_of, patches_of, semantics_of, words_of
from vecsim.riscv.interface import (
    JUMPS,
    LOOP,
    NEW_NODE,
    NOT_LOADED,
    RECORD_FULL,
    RECORDING_LOOP,
    families_of,
    function_name,
    rows_of,
)
from vecsim.riscv.nodes import events, node

Function = Callable[..., Any]
SMALL = 600
"""Bytes of Python's code up to which a function goes into what calls it."""
SEMANTICS = signature(types.int64, types.int64, types.int64)
"""``(table, row)`` to a trap, or to the address of the next instruction."""
RUN = signature(types.int64, types.int64, types.int64)
"""``(table, stop)`` to a trap."""


def compile_part(part: str) -> bytes:
    """Compile a part into an object file."""
    if part in (LOOP, RECORDING_LOOP):
        loop = _loop(rows_of(LOOP), recording=part == RECORDING_LOOP)
        return compile_object({part: Exported(loop, RUN)})
    of_user = any(row.extension in REVISIONS for row in rows_of(part).values())
    memo = ChainMap({}, _IN_PARTS) if of_user else _IN_PARTS
    return compile_object(
        {
            function_name(part, semantics): Exported(_executing(semantics, memo), SEMANTICS)
            for semantics in families_of(part).values()
        }
    )


_SEPARATE = {each.__code__ for each in SEPARATE}
_IN_PARTS: dict[int, Any] = PRIMITIVES | FUSED
"""What stands for functions in parts, so that what several call is compiled once. None of them is a user's:
by its identity, a function that is gone would be taken for another."""
_IN_LOOPS = dict(_IN_PARTS)
"""The same in both loops."""


def _compiling(copy: Function) -> Any:
    small = len(copy.__code__.co_code) <= SMALL
    return (inline if small else function)(copy)


def _compiled(semantics: Function) -> Any:
    return rebound(semantics, _IN_LOOPS, _compiling)


def _executing(semantics: Function, memo: MutableMapping[int, Any]) -> Function:
    def make(copy: Function) -> Any:
        return (function if copy.__code__ in _SEPARATE else inline)(copy)

    compiled = rebound(semantics, memo, make)

    def execute(table: int, row: int) -> Any:
        return compiled(hart_of(table), row)

    return execute


def _loop(rows: dict[int, Row], *, recording: bool) -> Function:
    """Return the loop: an if-chain over the instructions, which becomes a jump table.

    ``run(table, stop)`` executes until ``stop`` instructions have retired, one traps, or one is not loaded.
    """
    namespace: dict[str, Any] = _CONSTANTS | {
        f"execute_{number}": _compiled(row.semantics) for number, row in rows.items()
    }
    cases: list[str] = []
    for number, row in rows.items():
        result = "target" if row.timing in JUMPS else "trap"
        cases.append(f"{'elif' if cases else 'if'} instruction == {number}:")
        if row.timing == Timing.CSR:
            cases.append("    control[COUNT] = count")
        cases.append(f"    {result} = execute_{number}(hart, row)")
    body = "\n".join(f"        {line}" for line in cases)
    parts = _RECORDING if recording else dict.fromkeys(_RECORDING, "")
    exec(_TEXT.format(cases=body, **parts), namespace)
    run: Function = namespace["run"]
    return run


_TEXT = """
def run(table, stop):
    hart, semantics = hart_of(table), semantics_of(table)
    control, code, x = hart.control, hart.code, hart.x
    count, pc, begin, end = control[COUNT], control[PC], control[TEXT], code.shape[0] - 1
    trap = 0
    {arrays}
    while count < stop:
        row = (pc - begin) >> 1
        if row < 0 or row >= end:
            trap = FETCH_FAULT
            break
        control[PC] = pc
        instruction = code[row, INSTRUCTION]
        target = pc + code[row, BYTES]
        trap = 0
        {before}
{cases}
        elif instruction >= 0:
            place = semantics[instruction]
            if place == 0:
                trap = NOT_LOADED
                break
            control[COUNT] = count
            trap = call(place, table, row)
        elif instruction == OUTSIDE:
            trap = FETCH_FAULT
        else:
            trap = ILLEGAL
        x[0] = 0
        {after}
        if trap != 0:
            if trap >= HOST:
                pc = target
                count += 1
            break
        pc = target
        count += 1
    control[PC] = pc
    control[COUNT] = count
    return trap
"""


_RECORDING = {
    "arrays": """nodes, numbers = nodes_of(table), numbers_of(table)
    words, patches = words_of(table), patches_of(table)""",
    "before": """if instruction >= 0:
            node = node_number(hart, row)
            if nodes[node * NODE_COLUMNS] == 0:
                trap = NEW_NODE
                break
            if is_full(hart, numbers, words, patches):
                trap = RECORD_FULL
                break
            address = x[code[row, RS1]] + code[row, IMMEDIATE]""",
    "after": """if trap == 0 or trap >= CALL:
            numbers[LAST_NODE] = node
            write_event(hart, nodes, numbers, words, patches, node, row, target, address)""",
}
"""What the recording loop does in addition: before an instruction, and after one that has executed."""


@intrinsic
def call(typing_context: Any, address: Any, table: Any, row: Any) -> Any:
    """Call compiled semantics by their address."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        convention = context.call_conv
        kind = convention.get_function_type(SEMANTICS.return_type, SEMANTICS.args)
        callee = builder.inttoptr(args[0], ir.PointerType(kind))
        status, value = convention.call_function(
            builder, callee, SEMANTICS.return_type, SEMANTICS.args, args[1:]
        )
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    return signature(types.int64, types.int64, types.int64, types.int64), code


_CONSTANTS = {
    "hart_of": hart_of,
    "semantics_of": semantics_of,
    "call": call,
    "COUNT": COUNT,
    "PC": PC,
    "TEXT": TEXT,
    "INSTRUCTION": INSTRUCTION,
    "BYTES": BYTES,
    "OUTSIDE": OUTSIDE,
    "ILLEGAL": int(Trap.ILLEGAL),
    "FETCH_FAULT": int(Trap.FETCH_FAULT),
    "HOST": int(Trap.HOST),
    "NOT_LOADED": NOT_LOADED,
    "NEW_NODE": NEW_NODE,
    "RECORD_FULL": RECORD_FULL,
    "CALL": int(Trap.CALL),
    "RS1": RS1,
    "IMMEDIATE": IMMEDIATE,
    "NODE_COLUMNS": node.COLUMNS,
    "LAST_NODE": events.LAST_NODE,
    "nodes_of": nodes_of,
    "numbers_of": numbers_of,
    "words_of": words_of,
    "patches_of": patches_of,
    "node_number": rebound(events.node_number, {}, inline),
    "is_full": rebound(events.is_full, {}, inline),
    "write_event": rebound(events.write_event, {}, _compiling),
}
