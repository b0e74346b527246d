"""Words for what a program does with its cycles: moving y, waiting for bmipa's latency."""

from __future__ import annotations

import re
from collections.abc import Sequence

from isa.declaration import Pattern
from isa.disassembler import named_text
from isa.program import Program
from vecsim.engines.cause import Cause
from vecsim.engines.lines import Line

_WAITING = {
    Cause.ISSUE: "branches",
    Cause.STARTUP: "the startup of accesses",
    Cause.BANK_CONFLICT: "busy banks",
    Cause.WORDS_AWAITED: "outstanding words and lines",
    Cause.BANDWIDTH: "the bandwidth of main memory",
    Cause.MEMORY_LATENCY: "the latency of memory",
}
"""What is waited for, where the label of the cause would not say it."""
_PLAIN = re.compile(r"v\d+")


def parts(program: Program, lines: Sequence[Line]) -> dict[str, int]:
    """Return what was done in the cycles of a run, in words; equal words are added up.

    Transfers are named by the registers that they fill or empty, as the source names them. Names that
    differ in a number at their end are one, because pipelined programs have a vector in several registers.

    Parameters
    ----------
    program
        What ran.
    lines
        The cycles of its instructions.

    Returns
    -------
    dict
        Cycles by words, the largest first; they add up to those of the run.
    """
    result: dict[str, int] = {}
    for line in lines:
        for name, cycles in line.cycles_by_cause.items():
            message = _words(Cause[name.upper()], program, line)
            result[message] = result.get(message, 0) + cycles
    return dict(sorted(result.items(), key=lambda item: -item[1]))


def _words(cause: Cause, program: Program, line: Line) -> str:
    kind, _, what = cause.name.lower().rpartition("_")
    name = line.mnemonic.partition(".")[0]
    if cause is Cause.SCALAR_WORK:
        return "scalar work"
    if cause is Cause.CACHE_TRANSFER:
        return "moving the vector cache"
    if what == "transfer":
        return f"moving {_moved(program, line.pc)}" + (
            "" if kind == "contiguous" else _pattern(program, line.pc)
        )
    if what == "latency" and cause not in _WAITING:
        return f"waiting for {name}'s latency"
    if what == "elements":
        return f"passing elements of {name}"
    return f"waiting for {_WAITING.get(cause, cause.label)}"


def _moved(program: Program, pc: int) -> str:
    """Name the vector registers of a transfer: those in front of its address."""
    operands = named_text(program, pc).partition(" ")[2].partition("(")[0].split(", ")[:-1]
    names = [f"`{each if _PLAIN.fullmatch(each) else each.rstrip('0123456789')}`" for each in operands]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "elements"


def _pattern(program: Program, pc: int) -> str:
    access = program.instruction(pc).access
    if access is not None and access.pattern == Pattern.LISTED:
        return " by index" if "xei" in program.mnemonic(pc) else " by stride"
    return " by index" if access is not None and access.pattern == Pattern.INDEXED else " by stride"
