"""What is shown of a session, as lines of text: one function a panel."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from isa.disassembler import named_text
from isa.riscv.disassembler import vtype_text
from vecsim.debugger.activity import LEGEND, Activity, activities, busy_banks
from vecsim.debugger.debugger import Debugger, Piece
from vecsim.debugger.operands import scalar_number
from vecsim.debugger.position import Position
from vecsim.debugger.readiness import NOT_READY, Place, marked
from vecsim.debugger.strips import cell, vector_strips
from vecsim.debugger.waiting import issue_waits, unit_states
from vecsim.engines.recorded.program import RecordedProgram
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

WIDE = 100
"""Columns of a panel if nobody says."""
PIPELINE = 16
"""Instructions in the diagram of the pipeline."""
TEXT = 37
"""Columns in front of its cycles, which are the latest."""
SOURCE = 15
"""Lines of source."""


def source_lines(shown: Debugger, width: int = WIDE, height: int = SOURCE) -> list[str]:
    """Show the source around the next instruction: ``>`` issues next, ``*`` issued last, ``B`` breakpoint."""
    lines = shown.lines
    if not lines:
        return _instruction_lines(shown, height)
    first = max(1, min(shown.here - height // 2, len(lines) - height + 1))
    marks = line_marks(shown)
    included = [] if shown.file == shown.user_file else [f"{shown.file}, included"]
    return included + [
        f"{marks.get(n, ''):>3} {n:>4}  {lines[n - 1]}"
        for n in range(first, min(first + height, len(lines) + 1))
    ]


def _instruction_lines(shown: Debugger, height: int) -> list[str]:
    """Show the instructions around the next one where there is no source."""
    program, pc = shown.session.program, shown.position.pc
    if not isinstance(program, RecordedProgram):
        return ["there is no source"]
    texts: dict[int, str] = {}
    for address, text in sorted(zip(program.addresses, program.texts, strict=True)):
        texts.setdefault(address, text)
    here = program.addresses[pc] if 0 <= pc < len(program) else -1
    places = list(texts)
    first = max(0, bisect_left(places, here) - height // 2)
    marked = {program.addresses[pc] for pc in shown.session.breakpoints}
    return [
        f"{'B' * (at in marked) + '>' * (at == here):>3} {at:>8x}  {texts[at]}"
        for at in places[first : first + height]
    ]


def line_marks(shown: Debugger) -> dict[int, str]:
    """Return the marks of lines of the text that is shown, see :func:`source_lines`.

    ``e`` is a line edited and not yet assembled; 0 has the marks of lines of other texts.
    """
    marks: dict[int, str] = {}
    for line in shown.edits if shown.file == shown.user_file else ():
        marks[line] = "e"
    for pc in shown.session.breakpoints:
        line = shown.line_of(pc) or 0
        marks[line] = marks.get(line, "").replace("B", "") + "B"
    position = shown.position
    for pc in {pc for _, cycle, pc in position.issues if cycle == position.cycle - 1}:
        line = shown.line_of(pc) or 0
        marks[line] = marks.get(line, "") + "*"
    following = shown.line_of(position.pc)
    if following is not None and not position.halted:
        marks[following] = marks.get(following, "") + ">"
    return marks


def scalar_lines(shown: Debugger, width: int = WIDE) -> list[str]:
    """Show the scalar registers that are not zero or have changed (``*``), by their names in the source.

    ``~`` stands after what is not ready, here and in the other panels; cells of strips are dotted.
    """
    now, before = shown.position.state, shown.before.state
    called = shown.session.names
    names: dict[tuple[str, int], str] = {}
    for name, register in called.second.items():
        names.setdefault(register, name)
    waits = shown.readiness.scalars > shown.position.cycle
    floats = (now.fd, before.fd) if called.doubles else (now.fs[::2], before.fs[::2])
    kinds: dict[str, tuple[Any, Any]] = {
        "x": (now.x, before.x),
        "f": floats,
        "s": (now.special, before.special),
    }
    results = []
    for kind, (values, old) in kinds.items():
        changed = _bits(values) != _bits(old)
        for n in np.flatnonzero((values != 0) | (old != 0) | changed):
            name = called.special[n] if kind == "s" else f"{kind}{n}"
            value = f"{values[n]:.7g}" if kind == "f" else str(int(values[n]))
            if name == "vtype":
                value = vtype_text(int(values[n]))
            wait = NOT_READY if waits[scalar_number(kind, int(n))] else " "
            second = names.get((kind, int(n)), "")
            results.append(f"{'*' if changed[n] else ' '}{name:<8} {value:>14}{wait} {second}".rstrip())
    return results or ["all scalar registers are zero"]


def _bits(values: Any) -> Any:
    """Return numbers as integers of the same bits: a NaN equals itself."""
    return np.ascontiguousarray(values).view(f"i{values.itemsize}")


def used_vectors(shown: Debugger) -> list[int]:
    """Return the vector registers that are not all zero, or that have changed."""
    used = shown.position.vectors.any(axis=1) | shown.before.vectors.any(axis=1)
    return [int(n) for n in np.flatnonzero(used)]


def vector_lines(shown: Debugger, width: int = WIDE) -> list[str]:
    """Show vector registers as strips, with their first elements; ``*`` has changed."""
    state, now, before = shown.position.state, shown.position.vectors, shown.before.vectors
    called = shown.session.names
    names = {n: name for name, (kind, n) in called.second.items() if kind == "v"}
    results = []
    for n, strip in vector_strips(state, used_vectors(shown), called.wide(state)).items():
        mark = "*" if (now[n] != before[n]).any() else " "
        waits = (shown.readiness.elements[n] > shown.position.cycle).tolist()
        results.append(f"{mark}v{n:<3} {names.get(n, ''):<10} {strip.kind:<6} {_some(strip.values, waits)}")
        letters = strip.text(waits)
        results += [f"      {part}" for part in _folded(letters, width - 6)]
    return results or ["all vector registers are zero"]


def mask_lines(shown: Debugger, width: int = WIDE) -> list[str]:
    """Show the vector mask, element 0 first."""
    mask = shown.position.state.mask.tolist()
    waits = shown.readiness.elements[-1] > shown.position.cycle
    letters = "".join(cell(bit, wait) for bit, wait in zip(mask, waits, strict=True))
    return [
        f"{sum(mask)} of {counted(len(mask), 'element')}",
        *_folded(letters, width),
    ]


def memory_lines(shown: Debugger, width: int = WIDE) -> list[str]:
    """Show the pieces of memory that were asked for; ``*`` has changed."""
    results = []
    for piece in shown.pieces:
        results.append(f"{piece.name}: {piece.count} x {piece.type}")
        try:
            address = shown.address(piece, shown.position)
        except UserError as error:
            results.append(f" {error}")
            continue
        values, before = piece.values(shown.position, address), _values_before(shown, piece)
        size = values.itemsize
        for k in range(0, piece.count, 8):
            part = slice(k, k + 8)
            mark = "*" if values[part].tobytes() != before[k * size : (k + 8) * size] else " "
            places = range(address + k * size, address + min(k + 8, piece.count) * size, size)
            waits = [shown.readiness.waits(Place("memory", at, at + size)).any() for at in places]
            at = shown.session.names.base + address + k * size
            results.append(f"{mark}{at:>9}  {_some(values[part].tolist(), waits, 8)}")
    return results or ["no piece of memory is shown; choose one: memory PLACE:COUNT[:TYPE]"]


def _values_before(shown: Debugger, piece: Piece) -> bytes:
    """Return the bytes that a piece had at the stop before, wherever it was; none if it was nowhere."""
    try:
        return piece.values(shown.before, shown.address(piece, shown.before)).tobytes()
    except UserError:
        return b""


def bank_lines(shown: Debugger, width: int = WIDE) -> list[str]:
    """Show for how long each bank of memory is still taken, bank 0 first."""
    left = busy_banks(shown.position)
    top = max(int(left.max(initial=0)), shown.target.machine.bank_busy, 1)
    letters = "".join(cell(int(cycles) / top) for cycles in left)
    longest = int(left.max(initial=0))
    return [
        f"{np.count_nonzero(left)} of {counted(len(left), 'bank')} taken, the last for "
        f"{counted(longest, 'cycle')}",
        *_folded(letters, width),
    ]


def unit_lines(shown: Debugger, width: int = WIDE) -> list[str]:
    """Show what issue and each unit do or wait for."""
    position = shown.position
    results = [f"{'issue':<9} {_issue_text(shown, position)}"]
    for unit in unit_states(position):
        what = "" if unit.activity is None else f"#{unit.activity.age} {_text(shown, unit.activity.pc)}: "
        queue = f"  [queue: {', '.join(f'#{age}' for age in unit.queued)}]" if unit.queued else ""
        results.append(f"{unit.name:<9} {what}{unit.text}{queue}")
    return results


def _issue_text(shown: Debugger, position: Position) -> str:
    waits = issue_waits(position)
    if position.halted or position.fault:
        return waits
    return f"#{position.count} {_text(shown, position.pc)}: {waits}"


def pipeline_lines(shown: Debugger, width: int = WIDE) -> list[str]:
    """Show the latest instructions over the latest cycles."""
    position = shown.position
    first = max(0, position.cycle - max(width - TEXT, 8))
    shown_cycles = f"cycles {first} to {position.cycle - 1}" if position.cycle else "no cycle yet"
    results = [f"{'':<{TEXT}} {shown_cycles}; {LEGEND}"]
    for each in _of_interest(activities(position)):
        letters = "".join(each.letter(cycle) for cycle in range(first, position.cycle))
        results.append(f"#{each.age:<6} {_text(shown, each.pc)[:28]:<28} {letters}".rstrip())
    return results


def _of_interest(known: list[Activity]) -> list[Activity]:
    """Choose those that are in flight, the oldest first, and the latest next to them."""
    under_way = [each for each in known if each.retired is None][: PIPELINE * 3 // 4]
    latest = [each for each in known if each not in under_way]
    return sorted([*under_way, *latest[len(under_way) - PIPELINE :]], key=lambda each: each.age)


def _text(shown: Debugger, pc: int) -> str:
    program = shown.session.program
    return named_text(program, pc) if 0 <= pc < len(program) else f"instruction {pc}"


def _folded(letters: str, width: int) -> list[str]:
    """Fold a strip into lines of as many cells as fit, a power of two from 16 to 64."""
    cells = max(16, min(64, 1 << max(width, 1).bit_length() - 1))
    return [letters[k : k + cells] for k in range(0, len(letters), cells)]


def _some(values: Sequence[float], waits: Sequence[object], most: int = 6) -> str:
    """Write the first values, with a mark after those that wait."""
    texts = [
        marked(f"{value:.6g}" if isinstance(value, float) else str(value), wait)
        for value, wait in zip(values[:most], waits[:most], strict=True)
    ]
    return "  ".join(texts) + (" ..." if len(values) > most else "")


PANELS: dict[str, Callable[..., list[str]]] = {
    "source": source_lines,
    "scalars": scalar_lines,
    "vectors": vector_lines,
    "mask": mask_lines,
    "memory": memory_lines,
    "banks": bank_lines,
    "units": unit_lines,
    "pipeline": pipeline_lines,
}
"""By the name that ``show`` takes; they are called with what is debugged and the columns there are."""
SIMPLE = ("source", "scalars", "vectors", "memory")
"""What a simple view has."""


def all_lines(shown: Debugger) -> list[str]:
    """Show every panel of the view, each under its name."""
    names = PANELS if shown.extended else SIMPLE
    return [line for name in names for line in (f"-- {name}", *PANELS[name](shown))]
