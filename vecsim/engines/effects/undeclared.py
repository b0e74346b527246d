"""What user-defined semantics do to a machine, compared with what their instruction declares.

Times follow from what is declared: nobody waits for an operand that is written without being declared so. So
semantics are run on some random states whose arrays tell of every element that is read or written.
"""

from __future__ import annotations

import enum
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from types import FrameType

import numpy as np

from isa.declaration import SPECIAL_REGISTERS, Instruction, Length, Operand, Timing, Unit
from isa.state import State, interpreted
from vecsim.engines.effects.constants import SECTION, Constants, states_of_constants
from vecsim.engines.effects.loops import (
    MOST_LINES,
    ManyTurnsError,
    TooLongError,
    Turns,
    few_lines,
    loops_over_ranges,
)
from vecsim.engines.effects.random_executions import Execution, random_execution
from vecsim.engines.effects.watched_state import watched
from vecsim.engines.rebinding import functions_within
from vecsim.engines.user_code import is_ours
from vecsim.engines.user_numbers import interpreted_semantics
from vecsim.engines.user_values import Int64
from vecsim.support.errors import is_interrupt

RUNS = 24
MOST_TOO_LONG = 3
"""Executions that may take more."""
OTHER_RUNS = 8
"""Executions with other numbers, where one with the constants of the code does something undeclared."""
FEWEST_RUNS = 4
"""Executions to their end after which what was never written counts as never being written."""


_Semantics = Callable[..., None]
"""``(m, n, *operands)``"""


class _End(enum.Enum):
    """How an execution ended."""

    BROKEN = enum.auto()
    TOO_LONG = enum.auto()
    WHOLE = enum.auto()


class _FoundError(BaseException):
    """Ends an execution that does what is not declared."""


@lru_cache(maxsize=256)
def undeclared_effect(row: Instruction) -> str:
    """Return in a line what semantics do undeclared, or declare and never do; nothing if all is right."""
    if loops_over_ranges(functions_within(row.semantics, set())):
        turns = Turns()
        with suppress(ManyTurnsError):
            return _effect(row, _semantics(row, {id(range): turns}, turns.begin))
    return _effect(row, _semantics(row, {}, few_lines))


def _effect(row: Instruction, semantics: _Semantics) -> str:
    """Return what an instruction does undeclared on some states, or never does."""
    source = random.Random(row.mnemonic)
    ended: list[_Watch] = []
    too_long = 0
    for _ in range(RUNS):
        watch = _executed(semantics, random_execution(row, source))
        if watch.finding:
            return watch.finding
        too_long += watch.end == _End.TOO_LONG
        if too_long == MOST_TOO_LONG:
            endless = f"takes more than {MOST_LINES:,} lines for {SECTION} elements: does it end?"
            return _never_done(row, ended) if ended else _said(row, endless)
        if watch.end == _End.WHOLE:
            ended.append(watch)
    for constants in states_of_constants(row):
        watch = _executed(semantics, random_execution(row, source, constants))
        if watch.finding and not (watch.is_elsewhere and _is_any_index(semantics, row, constants, source)):
            return watch.finding
        if watch.end == _End.WHOLE:
            ended.append(watch)
    return _never_done(row, ended) if len(ended) >= FEWEST_RUNS else ""


def _semantics(
    row: Instruction, known: dict[int, object], limit: Callable[[], AbstractContextManager[None]]
) -> _Semantics:
    """Return semantics as Python executes them, within a limit."""
    plain = interpreted_semantics(row.semantics, known)

    def limited(m: State, n: int, *fields: int) -> None:
        with np.errstate(all="ignore"), limit():
            plain(m, Int64(n), *map(Int64, fields))

    return limited


def _executed(semantics: _Semantics, execution: Execution) -> _Watch:
    """Run semantics once, and compare what they do."""
    watch = _Watch(execution)
    m = watched(interpreted(execution.state), watch.read, watch.write)
    try:
        semantics(m, execution.n, *execution.fields)
        watch.end = _End.WHOLE
    except _FoundError:
        pass
    except TooLongError:
        watch.end = _End.TOO_LONG
    except ManyTurnsError:
        raise
    except BaseException as error:
        # What fails on a random state may be right on those that come; it is found out there.
        if is_interrupt(error):
            raise
    return watch


def _is_any_index(
    semantics: _Semantics, row: Instruction, constants: Constants, source: random.Random
) -> bool:
    """Return whether other numbers than the constants lead to a register that is no operand, too.

    Code that trusts an index in a register does so: which one it reads is not what its text says.
    """
    others = (random_execution(row, source, constants.others(source)) for _ in range(OTHER_RUNS))
    return any(_executed(semantics, execution).is_elsewhere for execution in others)


def _never_done(row: Instruction, ended: list[_Watch]) -> str:
    """Return what is declared and never done."""
    for number, operand in enumerate(row.operands):
        if operand.written and not any(number in watch.operands for watch in ended):
            fix = _fixed(row, operand, "")
            return _said(row, f"never writes {operand.name}, which is declared as written: write {fix}")
    if row.access is not None and row.access.store and not any(watch.written["memory"] for watch in ended):
        return _said(row, "never writes memory, and declares a store")
    if row.timing == Timing.SPARSE and any(len(watch.written["row"]) < watch.execution.n for watch in ended):
        return _said(row, "leaves out an m.row[k]: set each to the row that element k adds to, or to -1")
    return ""


class _Watch:
    """Compares what an execution does with what its instruction declares.

    Attributes
    ----------
    written
        The elements that were written, by array.
    operands
        The numbers of the operands that were written.
    found
        What is not declared.
    is_elsewhere
        Whether that is in a register that is no operand.
    end
        How the execution ended.
    """

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.end = _End.BROKEN
        self.written: dict[str, set[int]] = defaultdict(set)
        self.operands: set[int] = set()
        self.finding = ""
        self.is_elsewhere = False
        self._read_since: dict[int, int] = {}

    def read(self, array: str, element: int) -> None:
        """Compare a read; what was written before is not the machine's any more."""
        if element in self.written[array] or (array == "x" and element == 0):
            return
        number, place = self._operand_at(array, element)
        if number is None:
            self._refuse_unless(self._may_read(array, element), "reads", array, element)
            return
        operand = self.execution.row.operands[number]
        if not operand.read:
            self._found(f"reads {operand.name} before it writes it: write {self._fixed(operand, '+')}")
        if array == "v":
            self._check_place(operand, "reads", place)
            self._read_since[number] = max(place, self._read_since.get(number, -1))

    def write(self, array: str, element: int) -> None:
        """Compare a write."""
        number, place = self._operand_at(array, element)
        if number is None:
            self._refuse_unless(self._may_write(array, element), "writes", array, element)
        else:
            operand = self.execution.row.operands[number]
            if not operand.written:
                role = "+" if number in self._read_since or (array != "v" and operand.read) else "="
                self._found(f"writes {operand.name}, declared as read: write {self._fixed(operand, role)}")
            self.operands.add(number)
            if array == "v":
                self._check_place(operand, "writes", place)
                if not operand.whole:
                    self._check_order(place)
        self.written[array].add(element)

    def _operand_at(self, array: str, element: int) -> tuple[int | None, int]:
        """Return the number of the operand in which an element is, and its place there."""
        kind, size = {"v": ("v", SECTION), "special": ("s", 1)}.get(array, (array, 1))
        fields = zip(self.execution.row.operands, self.execution.fields, strict=True)
        for number, (operand, value) in enumerate(fields):
            if operand.kind == kind and value == element // size:
                return number, element % size
        return None, element % size

    def _check_place(self, operand: Operand, verb: str, place: int) -> None:
        """Refuse an element after the first n, of an operand that is not declared as a whole."""
        row, n = self.execution.row, self.execution.n
        if not operand.whole and place >= n and row.length not in (Length.ONE, Length.NONE):
            whole = _fixed(row, operand, _role(operand), whole=True)
            self._found(f"{verb} element {place} of {operand.name}, of {n}: write {whole}")

    def _check_order(self, place: int) -> None:
        """Refuse to read a later element of an operand than is written, if it is not declared as a whole."""
        row = self.execution.row
        for number, latest in self._read_since.items():
            operand = row.operands[number]
            if latest > place and not operand.whole and row.length != Length.ONE:
                whole = _fixed(row, operand, _role(operand), whole=True)
                what = f"reads element {latest} of {operand.name} for element {place}"
                self._found(f"{what}: write {whole}")
        self._read_since.clear()

    def _may_read(self, array: str, element: int) -> bool:
        row, access = self.execution.row, self.execution.row.access
        if array == "special":
            return SPECIAL_REGISTERS[element] in (*row.reads, *row.late)
        if array == "memory":
            return element in self.execution.accessed
        if array == "address":
            return access is not None or row.timing == Timing.BRANCH
        return self._is_scratch(array) or (array == "mask" and row.reads_mask)

    def _may_write(self, array: str, element: int) -> bool:
        row, access = self.execution.row, self.execution.row.access
        if array == "special":
            return SPECIAL_REGISTERS[element] in (*row.writes, *row.late)
        if array == "memory":
            return access is not None and access.store and element in self.execution.accessed
        return self._is_scratch(array) or (array == "mask" and row.writes_mask)

    def _is_scratch(self, array: str) -> bool:
        """Whether an array is the vector cache, or ``row``, of an instruction that has it."""
        row = self.execution.row
        if array == "cache":
            return row.unit == Unit.SPARSE or (row.access is not None and row.access.cache)
        return array == "row" and row.timing == Timing.SPARSE

    def _refuse_unless(self, allowed: bool, verb: str, array: str, element: int) -> None:
        if not allowed:
            self.is_elsewhere = array in "xfv"
            self._found(f"{verb} {_named(array, element)}: {_cure(self.execution.row, verb, array, element)}")

    def _fixed(self, operand: Operand, role: str) -> str:
        return _fixed(self.execution.row, operand, role)

    def _found(self, what: str) -> None:
        frame: FrameType | None = sys._getframe()
        while frame is not None and is_ours(frame.f_code.co_filename):
            frame = frame.f_back
        line = None if frame is None else frame.f_lineno
        self.finding = _said(self.execution.row, what, line)
        raise _FoundError


def _named(array: str, element: int) -> str:
    """Name an element of an array for a message."""
    if array in "xfv":
        return f"{array}{element // SECTION if array == 'v' else element}, no operand of it"
    if array == "special":
        return SPECIAL_REGISTERS[element]
    return {"memory": "memory", "mask": "the vector mask", "cache": "the vector cache"}.get(
        array, f"m.{array}"
    )


def _cure(row: Instruction, verb: str, array: str, element: int) -> str:
    """Return what to write instead."""
    if array in "xfv":
        return "make it one"
    if array == "special":
        return f"declare {verb}=({SPECIAL_REGISTERS[element]!r},)"
    if array == "mask":
        return f"declare mask={verb[0]!r}"
    if array == "cache":
        return "declare unit=Unit.SPARSE, or an access with cache=True"
    if array == "row":
        return "only instructions of the sparse unit have rows"
    if row.access is None:
        return "declare access=Access(...)"
    if array == "memory" and verb == "writes" and not row.access.store:
        return "declare a store"
    return "only at m.address, with the bytes of its access"


def _role(operand: Operand) -> str:
    return "+" if operand.read and operand.written else "=" if operand.written else ""


def _fixed(row: Instruction, operand: Operand, role: str, *, whole: bool | None = None) -> str:
    """Return the syntax with another role of an operand."""
    star = "*" if (operand.whole if whole is None else whole) else ""
    return repr(re.sub(rf"\b{operand.name}\b[=+]?\*?", f"{operand.name}{role}{star}", row.syntax, count=1))


def _said(row: Instruction, what: str, line: int | None = None) -> str:
    """Return what an instruction does, with the place in its file."""
    code = row.semantics.__code__
    return f"{code.co_filename}:{line or code.co_firstlineno}: {row.mnemonic} {what}"
