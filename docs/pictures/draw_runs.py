"""Draw real runs: bars of instructions, banks over cycles, cycles of the five programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from docs.pictures.svg import COLOURS, FAINT, INK, MUTED, Drawing
from isa.declaration import Unit
from isa.disassembler import named_text
from isa.program import Program
from programs.measurement import measure, prepare_product
from programs.registry import PROGRAMS
from vecsim.data import load
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine, load_machine

MATRIX = "randomwalk-100"
COLOUR_OF = {
    Unit.MEMORY: COLOURS[0],
    Unit.ADD: COLOURS[2],
    Unit.MULTIPLY: COLOURS[1],
    Unit.SPARSE: COLOURS[4],
}

CHAIN = """
.data 1024
x: .space 4096
.text
    li      x1, 32
    setvl   x1
    lv.f    v1, x(zero)
    mulvv.f v2, v1, v1
    addvv.f v3, v2, v1
    sv.f    v3, x(zero)
    halt
"""
STRIDED = """
.data 1024
x: .space 8192
.text
    li      x1, 12
    setvl   x1
    li      x2, 4 * WORDS
    li      x3, x
    lvws.f  v1, (x3), x2
    halt
"""


@dataclass(frozen=True)
class Seen:
    """A run with its timeline: a row for each instruction executed, and when elements and words started."""

    run: Run
    starts: npt.NDArray[Any]

    def vector_instructions(self) -> list[dict[str, int]]:
        """Return the rows of the timeline that went to a unit, in program order."""
        table = self.run.timeline or {}
        rows = [
            dict(zip(table, values, strict=True))
            for values in zip(*(c.tolist() for c in table.values()), strict=True)
        ]
        return sorted((row for row in rows if row["unit"] != Unit.SCALAR), key=lambda row: row["age"])

    def cycles_of(self, age: int) -> list[int]:
        """Return the cycles in which elements or words of an instruction started."""
        mine = self.starts[self.starts["age"] == age]
        return sorted(set(mine["cycle"].tolist()))


def seen(program: Program, memory: npt.NDArray[np.uint8], machine: Machine) -> Seen:
    """Run a program in the reference, and keep its timeline."""
    noted: list[npt.NDArray[Any]] = []
    request = TimelineRequest(starts=lambda rows: noted.append(rows.copy()))
    result = run(program, memory, machine, engine="simpy", timeline=request)
    return Seen(result, np.concatenate(noted))


def small(text: str, machine: Machine, **symbols: int) -> Seen:
    """Run a few lines of assembly on a memory of zeros."""
    from isa.assembler import assemble

    return seen(assemble(text, symbols=symbols), np.zeros(1 << 14, np.uint8), machine)


def draw_bars(message: str, runs: Sequence[tuple[str, Seen, int, int]], left: float = 235) -> str:
    """Draw instructions of runs as bars over cycles, one run below the other on one scale.

    Parameters
    ----------
    message
        What the picture shows.
    runs
        Title, run, and which of its vector instructions: from the first number to before the second.
    left
        Pixels for the texts of the instructions.
    """
    chosen = [(title, one, one.vector_instructions()[first:last]) for title, one, first, last in runs]
    begin = [min(row["issue"] for row in rows) for _, _, rows in chosen]
    longest = max(max(r["retire"] for r in rows) - b for b, (_, _, rows) in zip(begin, chosen, strict=True))
    scale = min(7.0, 640 / longest)
    height = sum(50 + 22 * len(rows) for _, _, rows in chosen)
    built = Drawing(left + longest * scale + 30, height + 24, message)
    top = 0.0
    for (title, one, rows), first in zip(chosen, begin, strict=True):
        built.text(10, top + 22, title, size=13)
        for k, row in enumerate(rows):
            y = top + 32 + 22 * k
            built.text(left - 8, y + 13, named_text(one.run.program, row["pc"]), size=11, anchor="end")
            _bar(built, one, row, left - first * scale, y, scale)
        bottom = top + 36 + 22 * len(rows)
        step = 10 if longest * scale / 10 < 90 and longest < 150 else 50
        for cycle in range(0, longest + 1, step):
            built.line(left + cycle * scale, top + 30, left + cycle * scale, bottom, FAINT)
            built.text(left + cycle * scale, bottom + 12, cycle, size=9, anchor="middle", fill=MUTED)
        top = bottom + 14
    built.text(
        left,
        height + 16,
        "grey: waits; full: starts elements or words; pale: until its last result",
        size=10,
        fill=MUTED,
    )
    return built.finished()


def _bar(built: Drawing, one: Seen, row: dict[str, int], origin: float, y: float, scale: float) -> None:
    colour = COLOUR_OF[Unit(row["unit"])]
    built.box(origin + row["issue"] * scale, y, (row["retire"] - row["issue"]) * scale, 16, FAINT)
    cycles = one.cycles_of(row["age"])
    if cycles:
        built.box(
            origin + cycles[0] * scale, y, (row["retire"] - cycles[0]) * scale, 16, colour, opacity=0.25
        )
    for cycle in cycles:
        built.box(origin + cycle * scale, y, scale * 0.92, 16, colour)


def draw_chaining() -> str:
    """Draw a product and a sum with chaining and without."""
    runs = [
        (f"{title}: {one.run.cycles} cycles", one, 0, 4)
        for title, one in (
            ("with chaining", small(CHAIN, load_machine("vs2003"))),
            ("without", small(CHAIN, load_machine("vs2003", {"chaining": False}))),
        )
    ]
    return draw_bars("The same four vector instructions with chaining and without", runs, 205)


def draw_bmipa() -> str:
    """Draw the blocks that HiSM multiplies one after the other."""
    machine = load_machine("vs2003", {"section_size": 16})
    prepared = prepare_product("hism", load("laplace2d-8"), machine)
    one = seen(prepared.program, prepared.loaded.memory, machine)
    names = [named_text(one.run.program, row["pc"]) for row in one.vector_instructions()]
    first = next(k for k, name in enumerate(names) if name.startswith("bmipa"))
    title = "HiSM on laplace2d-8, sections of 16: one block after the other"
    return draw_bars(title, [(title, one, first - 4, first + 11)], 320)


def draw_banks() -> str:
    """Draw which bank is busy when: a load of neighbours, and one of words that are all in one bank."""
    machine = load_machine("vs2003", {"banks": 8})
    runs = [(words, small(STRIDED, machine, WORDS=words)) for words in (1, 8)]
    firsts = [int(one.starts["cycle"].min()) for _, one in runs]
    longest = max(int(one.starts["cycle"].max()) - f for (_, one), f in zip(runs, firsts, strict=True))
    wide, left = 15, 70
    width = left + (longest + machine.bank_busy + 1) * wide + 20
    built = Drawing(width, 2 * 200, "Words of two loads in eight banks: no conflict, and all in one bank")
    for k, ((words, one), first) in enumerate(zip(runs, firsts, strict=True)):
        top = 36 + k * 200
        passed = int(one.starts["cycle"].max()) - first + 1
        built.text(
            10,
            top - 14,
            f"stride of {words} {'word' if words == 1 else 'words'}: 12 words in {passed} cycles",
        )
        for bank in range(machine.banks):
            built.text(left - 8, top + bank * 18 + 13, f"bank {bank}", size=11, anchor="end", fill=MUTED)
            built.line(left, top + bank * 18 + 18, width - 20, top + bank * 18 + 18, FAINT)
        ordered = one.starts[np.argsort(one.starts["cycle"], kind="stable")]
        for number, word in enumerate(ordered):
            x, y = left + (int(word["cycle"]) - first) * wide, top + int(word["bank"]) * 18
            built.box(x, y + 1, machine.bank_busy * wide - 1, 16, COLOURS[0], opacity=0.3)
            built.box(x, y + 1, wide - 1, 16, COLOURS[0])
            built.text(x + wide / 2 - 0.5, y + 13, number, size=9, anchor="middle", fill="#ffffff")
    return built.finished()


def draw_programs() -> str:
    """Draw the cycles per non-zero of the five programs, by cause."""
    groups = {
        "moving contiguous words": ("contiguous_transfer", "cache_transfer"),
        "gathers and scatters": ("indexed_transfer", "bank_conflict"),
        "latency of sums and products": ("multiply_latency", "add_latency", "sum_latency", "sparse_latency"),
        "all else": (),
    }
    matrix = load(MATRIX)
    built = Drawing(760, 250, f"Cycles a non-zero of five programs on {MATRIX}")
    built.text(16, 26, f"y = A x, {MATRIX}: cycles per non-zero on vs2003, by cause", size=13)
    scale = 110.0
    for k, name in enumerate(PROGRAMS):
        match = measure(name, matrix)
        y = 44 + 32 * k
        built.text(88, y + 16, PROGRAMS[name].title, size=13, anchor="end")
        x, rest = 98.0, match.cycles
        for n, causes in enumerate(groups.values()):
            cycles = sum(match.run.cycles_by_cause.get(cause, 0) for cause in causes) if causes else rest
            rest -= cycles
            built.box(x, y, cycles / match.nnz * scale, 22, COLOURS[(0, 3, 1, 5)[n]])
            x += cycles / match.nnz * scale
        built.text(x + 8, y + 16, f"{match.cycles_per_nnz:.2f}", size=13, fill=INK)
    x = 98.0
    for n, label in enumerate(groups):
        built.box(x, 216, 12, 12, COLOURS[(0, 3, 1, 5)[n]])
        built.text(x + 18, 226, label, size=11)
        x += 34 + 6.8 * len(label)
    return built.finished()
