"""Programs that repeat an instruction as the published measurements do, and their cycles on a machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from experiments.validation.riscv.tables import Entry
from isa.riscv.assembler import assemble
from vecsim.engines.running import run
from vecsim.machine import Machine
from vecsim.riscv.nodes.node import Node, node_of
from vecsim.riscv.timing.program import TimedProgram, record, recorded_execution
from vecsim.support.errors import UserError

REPEATED = (16, 48)
"""How often an instruction is repeated: what the further times take counts."""
MEMORY = 1 << 18
BEFORE = 4
"""Instructions of four bytes before those that are repeated."""
_SCALARS: dict[str, tuple[str, ...]] = {"t0": ("t0", "t3", "t4", "t5", "a1", "a2", "a3", "a4")}
_SCALARS["ft0"] = tuple(f"ft{k}" for k in range(8))
_DOUBLE = re.compile(r"vf?[wn](?!red)")
"""As the measuring programs do by the name, also of multiplications whose product is subtracted."""
_COMPARED = ((1, 8), (4, 8), (1, 16), (1, 32))
"""Registers of a group and bits of an element under which instructions are compared."""


class Case(NamedTuple):
    """Entries that a machine cannot tell apart, and the programs that measure them.

    Attributes
    ----------
    timing
        The timing class.
    entries
        What was published.
    programs
        The instruction a few and more times.
    """

    timing: str
    entries: tuple[Entry, ...]
    programs: tuple[TimedProgram, ...]


def _turns(entry: Entry, times: int) -> Iterator[str]:
    """Yield an instruction so often, each time on other registers as far as there are some."""
    name, _, rest = entry.text.partition(" ")
    operands = rest.split(",")
    wide = _DOUBLE.match(name) or (name.startswith("vrgatherei16") and entry.sew == 8)
    step = 2 * entry.lmul if wide else entry.lmul

    def named(place: int, operand: str, turn: int) -> str:
        if place == 0 and operand in _SCALARS:
            return _SCALARS[operand][turn]
        if operand[0] == "v" and operand != "v0" and operand[1:].isdigit():
            return f"v{int(operand[1:]) + turn * step}"
        return operand

    for k in range(times):
        turn = k % max(1, 8 // step)
        yield f"{name} " + ",".join(named(i, each, turn) for i, each in enumerate(operands))


def _text(entry: Entry, lines: Iterable[str]) -> str:
    length = "t6, x0" if entry.full else "x0, t6"
    before = ("li t6, 1", "li t0, 3", "li t1, 5", f"vsetvli {length}, e{entry.sew}, m{entry.lmul}, ta, ma")
    return "\n".join([".globl _start", "_start:", *before, *lines, "li a7, 93", "li a0, 0", "ecall", ""])


def cases(machine: Machine, published: Iterable[Entry]) -> Iterator[Case]:
    """Yield the cases of published entries on machines with these registers.

    Instructions of one timing class whose parts write, and read again, registers alike belong to one case.
    """
    published = list(published)
    kinds = _kinds(machine, published)
    alike: dict[object, list[Entry]] = {}
    for entry in published:
        key = (kinds[entry.text], entry.sew, entry.lmul, entry.full)
        alike.setdefault(key, []).append(entry)
    for same in alike.values():
        programs = tuple(_recorded(machine, same[0], times) for times in REPEATED)
        yield Case(kinds[same[0].text][0], tuple(same), programs)


def _kinds(machine: Machine, published: Iterable[Entry]) -> dict[str, tuple[str, object]]:
    """Return by instruction its timing class, and what registers it writes and reads."""
    texts = list(dict.fromkeys(entry.text for entry in published))
    lines = [line for text in texts for line in _turns(Entry(text, 8, 4, True, 0.0), 2)]
    try:
        program = assemble(_text(Entry("", 8, 4, True, 0.0), lines))
    except UserError:
        for text in texts:
            _check(text)
        raise
    code = recorded_execution(program, machine.riscv, memory_bytes=MEMORY).hart.code
    result: dict[str, tuple[str, object]] = {}
    for k, text in enumerate(texts):
        rows = code[2 * (BEFORE + 2 * k) : 2 * (BEFORE + 2 * k + 2) : 2]
        nodes = [
            node_of(row, (sew // 8).bit_length() - 1 << 3 | lmul.bit_length() - 1, machine.riscv)
            for lmul, sew in _COMPARED
            for row in rows
        ]
        result[text] = (nodes[0].row.timing.name, repr([_registers(node) for node in nodes]))
    return result


def _check(text: str) -> None:
    """Check an instruction of a table.

    Raises
    ------
    UserError
        There is none, which the message names.
    """
    try:
        assemble(_text(Entry("", 8, 4, True, 0.0), [text]))
    except UserError as error:
        raise UserError(f"instruction {text!r} of the table: {str(error).splitlines()[0]}") from None


def _registers(node: Node) -> object:
    written = {v for part in node.parts for v in (*part.writes, *part.whole_writes)}
    parts = [
        (
            part.writes,
            part.whole_writes,
            written.intersection(part.reads),
            written.intersection(part.whole_reads),
        )
        for part in node.parts
    ]
    return node.kind, parts, node.bits, node.late, node.scalar_writes, node.fixed_bytes


def _recorded(machine: Machine, entry: Entry, times: int) -> TimedProgram:
    program = assemble(_text(entry, _turns(entry, times)))
    return record(recorded_execution(program, machine.riscv, memory_bytes=MEMORY))


def cycles_of(case: Case, machine: Machine) -> float:
    """Return the cycles of one more instruction."""
    few, more = (run(each.program, each.memory, each.machine(machine)).cycles for each in case.programs)
    return (more - few) / (REPEATED[1] - REPEATED[0])
