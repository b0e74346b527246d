"""A run in the Kanata log format, version 4: each instruction with its stages from issue to retirement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines.cause import WAITS, Cause
from vecsim.support.shown_text import printable
from vecsim.support.suggestions import counted
from vecsim.traces.listing import listed, waits_of
from vecsim.traces.phases import Phase, phases
from vecsim.traces.stream import AT, Starts

Ints = npt.NDArray[np.int64]

HEADER = "Kanata\t0004\n"
BEGINNING = "C=\t0\n"
"""The cycle of the first command, which the format demands and Konata takes for 0 whatever it is: the way to
where a window begins stands in the first ``C``."""
NORMAL, STALL = 0, 1
"""Lanes: of stages, and of what an instruction waits for."""
SCALAR = "scalar X"
"""The stage of what goes to no unit."""
STAGES = {"work": "work X"}
"""What phases are called as stages. Konata draws arrows from the end and to the beginning
of stages with an X in their names."""
BEGIN, STAGE, DEPENDENCE, RETIRE = range(4)
"""Commands of one cycle come in this order."""
_FIRST_WAIT = AT[f"wait_{Cause(0).name.lower()}"]


class KanataWriter:
    """Writes instructions as they come; see :class:`vecsim.traces.stream.Writer`.

    The format wants all commands in the order of time, so those that may still get earlier ones are kept.

    Parameters
    ----------
    write
        Takes the text of the file, piece by piece.
    program
        What runs.
    """

    def __init__(self, write: Callable[[str], object], program: Program) -> None:
        self._write = write
        self._texts = listed(program)
        self._kept: list[tuple[int, int, int, str]] = []
        self._cycle = 0
        self._number = 0
        self._writer_of: dict[str, int] = {}
        write(HEADER + BEGINNING)

    def take(self, rows: Ints, worked: Ints, starts: Starts, settled: int) -> None:
        """See :meth:`vecsim.traces.stream.Writer.take`."""
        for row, end in zip(rows.tolist(), worked.tolist(), strict=True):
            self._instruction(row, end)
        self._flush(settled)

    def _instruction(self, row: list[int], worked: int) -> None:
        number, text = self._number, self._texts[row[AT["pc"]]]
        issue, retire = row[AT["issue"]], row[AT["retire"]]
        self._number += 1
        messages = [
            f"I\t{number}\t{row[AT['age']]}\t0",
            f"L\t{number}\t0\t{row[AT['pc']]}: {_line(text.text)}",
        ]
        messages += [f"L\t{number}\t1\t{_line(line)}\\n" for line in self._more(row)]
        self._keep(issue, BEGIN, number, messages)
        scalar = row[AT["unit"]] == 0 or row[AT["vl"]] == 0
        for phase in [Phase(SCALAR, issue, retire)] if scalar else phases(row, worked):
            self._stage(number, NORMAL, STAGES.get(phase.name, phase.name), phase)
            if phase.cause:
                self._stage(number, STALL, phase.cause, phase)
        producers = {self._writer_of[name] for name in text.reads if name in self._writer_of}
        lines = [f"W\t{number}\t{producer}\t0" for producer in sorted(producers)]
        self._keep(min(row[AT["start"]], retire - 1), DEPENDENCE, number, lines)
        self._writer_of |= dict.fromkeys(text.writes, number)
        self._keep(retire, RETIRE, number, [f"R\t{number}\t{number}\t0"])

    def _more(self, row: list[int]) -> list[str]:
        """Return what is to be seen when an instruction is pointed at."""
        listed = self._texts[row[AT["pc"]]]
        lines = [f"{listed.place}: {listed.source}"] if listed.place else []
        if listed.registers:
            lines.append(", ".join(f"{name} = {plain}" for name, plain in listed.registers.items()))
        if row[AT["unit"]] > 0:
            lines.append(f"vector length {row[AT['vl']]}")
        if row[AT["address"]] >= 0:
            lines.append(f"address {row[AT['address']]}, {counted(row[AT['words']], 'word')}")
        waits = waits_of(row[_FIRST_WAIT : _FIRST_WAIT + WAITS])
        return [*lines, *(f"waited for {cause}: {cycles}" for cause, cycles in waits.items())]

    def _stage(self, number: int, lane: int, name: str, phase: Phase) -> None:
        self._keep(phase.begin, STAGE, number, [f"S\t{number}\t{lane}\t{name}"])
        self._keep(phase.end, BEGIN, number, [f"E\t{number}\t{lane}\t{name}"])

    def _keep(self, cycle: int, order: int, number: int, lines: list[str]) -> None:
        if lines:
            self._kept.append((cycle, order, number, "\n".join(lines)))

    def _flush(self, settled: int) -> None:
        """Write the commands of the cycles that are complete."""
        known = sorted(each for each in self._kept if each[0] < settled)
        self._kept = [each for each in self._kept if each[0] >= settled]
        lines = []
        for cycle, _, _, text in known:
            if cycle > self._cycle:
                lines.append(f"C\t{cycle - self._cycle}")
                self._cycle = cycle
            lines.append(text)
        if lines:
            self._write("\n".join(lines) + "\n")

    def finish(self, cycles: int) -> None:
        """See :meth:`vecsim.traces.stream.Writer.finish`."""
        self._flush(1 << 62)


def _line(text: str) -> str:
    """Return a text as one column of a line.

    A backslash before an n, which Konata takes for the end of a line, is replaced by one that looks the same.
    """
    return printable(" ".join(text.split())).replace("\\n", "\N{REVERSE SOLIDUS OPERATOR}n")
