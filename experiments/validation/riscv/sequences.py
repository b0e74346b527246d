"""Sequences of RISC-V vector instructions whose cycles were measured on Vicuna, and what its preset gives.

Each was run by us on the RTL of github.com/vproc/vicuna (commit debfb03, Solderpad Hardware License 2.1) with
its Ibex core, in Verilator 5.006: ``VPROC_CONFIG=dual VREG_W=512 VMEM_W=64 MEM_W=64``, no caches, and memory
with a latency of 1. Cycles are those between two scalar stores. What the empty sequence takes is taken off.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from experiments.validation.riscv.tables import TABLES, rows_of
from isa.riscv.assembler import assemble
from vecsim.engines.running import run
from vecsim.machine import Machine, load_machine
from vecsim.results.atomic_files import write_file
from vecsim.riscv.timing.program import record, recorded_execution
from vecsim.support.errors import UserError

CORE = "vicuna"
TABLE = TABLES / f"{CORE}.csv"
RECORDED = Path(__file__).parents[1] / "recorded" / "vicuna.csv"
SHARE = 0.1
"""An entry is met within this share of it."""
ROW, EMPTY = "row", "empty"
SEQUENCES = {
    EMPTY: "",
    "vle32": "vle32.v v8, (s2)",
    "vluxei32": "vluxei32.v v8, (s2), v24",
    "vlse32": "vlse32.v v8, (s2), s6",
    "vadd": "vadd.vv v8, v16, v24",
    "vmul": "vmul.vv v8, v16, v24",
    "vredsum": "vredsum.vs v8, v16, v24",
    "vle32 vmul": "vle32.v v16, (s2)\nvmul.vv v8, v16, v24",
    "vle32 vle32 vmul vadd vse32": "vle32.v v16, (s2)\nvle32.v v24, (s3)\nvmul.vv v8, v16, v24\n"
    "vadd.vv v8, v8, v16\nvse32.v v8, (s5)",
    "vse32": "vse32.v v8, (s5)",
}
"""By name. The last element of v8 is read after it, of a sum the first; ``row`` is one of CRS instead."""
IN_ELEMENT_0 = "vredsum"
_START = """
.globl _start
_start:
    la s2, a
    la s3, b
    la s4, places
    la s5, c
    li s6, 8
    vsetvli t0, zero, e32, m8, ta, ma
    vle32.v v24, (s4)
    li a0, {vl}
    vsetvli t0, a0, e32, m{lmul}, ta, ma
    li t1, 100
wait:
    addi t1, t1, -1
    bnez t1, wait
"""
_READ = """
    vsetvli zero, a0, e32, m1, ta, ma
    vmv.x.s t0, v{register}
    mv t1, t0
    sw t1, 0(s5)
"""
_ROWS = """
    li s8, {rows}
    mv a1, s2
    mv a2, s4
    mv a4, s5
again:
    vsetvli t0, a0, e32, m{lmul}, ta, ma
    vle32.v v8, (a1)
    vle32.v v16, (a2)
    vluxei32.v v24, (s3), v16
    vmul.vv v8, v8, v24
    vmv.s.x v0, zero
    vredsum.vs v0, v8, v0
    vmv.x.s t0, v0
    sw t0, 0(a4)
    addi a4, a4, 4
    addi s8, s8, -1
    bnez s8, again
"""
_END = """
    li a7, 93
    li a0, 0
    ecall
.data
a: .zero 1024
b: .zero 1024
places: .zero 1024
c: .zero 1024
"""
_FEW, _MORE = 4, 8
_ELEMENTS_OF_A_REGISTER = 16


class Measured(NamedTuple):
    """What was measured: cycles of a sequence without those of the empty one, or of a row."""

    sequence: str
    lmul: int
    vl: int
    cycles: float


def measured(file: Path = TABLE) -> Iterator[Measured]:
    """Yield all that was measured, but the empty sequence.

    Raises
    ------
    UserError
        The table cannot be read, or has something else in it.
    """
    columns = Measured._fields
    read = []
    for line, row in rows_of(file):
        if tuple(row) != columns:
            raise UserError(f"{file}: its columns must be {', '.join(columns)}")
        name = row["sequence"]
        if name != ROW and name not in SEQUENCES:
            known = ", ".join([*SEQUENCES, ROW])
            raise UserError(f"{file}: line {line}: {name[:40]!r} is no sequence; known: {known}")
        try:
            lmul, vl, cycles = (int(row[each]) for each in columns[1:])
        except ValueError:
            raise UserError(f"{file}: line {line}: lmul, vl and cycles must be whole numbers") from None
        if lmul not in (1, 2, 4, 8) or not 1 <= vl <= _ELEMENTS_OF_A_REGISTER * lmul or cycles < 1:
            raise UserError(
                f"{file}: line {line}: lmul must be 1, 2, 4 or 8, vl up to {_ELEMENTS_OF_A_REGISTER} times "
                "as much, cycles 1 or more"
            )
        read.append(Measured(name, lmul, vl, cycles))
    empty = {each.vl: each.cycles for each in read if each.sequence == EMPTY}
    for each in read:
        if each.sequence == ROW:
            yield each
        elif each.sequence != EMPTY:
            if each.vl not in empty:
                raise UserError(f"{file}: it has no {EMPTY} sequence with vl {each.vl}")
            yield each._replace(cycles=each.cycles - empty[each.vl])


def compared(entries: Iterable[Measured] | None = None) -> Iterator[Compared]:
    """Compare what was measured with the preset; all of the table, unless it is given."""
    machine = load_machine(CORE)
    for each in measured() if entries is None else entries:
        yield Compared(*each, _cycles_of(each, machine))


class Compared(NamedTuple):
    """What was measured, and what the preset gives."""

    sequence: str
    lmul: int
    vl: int
    cycles: float
    ours: float

    @property
    def is_met(self) -> bool:
        """Whether the two are near enough."""
        return abs(self.ours - self.cycles) <= SHARE * self.cycles


def write(rows: Iterable[Compared]) -> None:
    """Write the recorded file again."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Compared._fields)
    writer.writerows([row.sequence, row.lmul, row.vl, f"{row.cycles:g}", f"{row.ours:g}"] for row in rows)
    write_file(RECORDED, text.getvalue().encode("utf-8"))


def read() -> list[Compared]:
    """Return the rows of the recorded file.

    Raises
    ------
    UserError
        It cannot be read.
    """
    return [
        Compared(row["sequence"], int(row["lmul"]), int(row["vl"]), float(row["cycles"]), float(row["ours"]))
        for _, row in rows_of(RECORDED)
    ]


def _cycles_of(each: Measured, machine: Machine) -> float:
    if each.sequence == ROW:
        few, more = (_run(_ROWS.format(rows=rows, lmul=each.lmul), each, machine) for rows in (_FEW, _MORE))
        return (more - few) / (_MORE - _FEW)
    register = 8 + (0 if each.sequence == IN_ELEMENT_0 else (each.vl - 1) // _ELEMENTS_OF_A_REGISTER)
    read = _READ.format(register=register)
    return _run(SEQUENCES[each.sequence] + read, each, machine) - _run(read, each, machine)


def _run(text: str, each: Measured, machine: Machine) -> int:
    program = assemble(_START.format(vl=each.vl, lmul=each.lmul) + text + _END)
    timed = record(recorded_execution(program, machine.riscv, memory_bytes=1 << 18))
    return run(timed.program, timed.memory, timed.machine(machine)).cycles
