"""An extension of the machine: timing rules that replace others, and additional instructions.

A user declares it in one Python file (docs/extending-time.md)::

    from vecsim import Extension
    from vecsim.engines.rules.banks import word_start

    refresh = Extension("refresh", "no word goes while memory is refreshed")
    PERIOD = refresh.number("period", 1000, "cycles from one refresh to the next")
    LENGTH = refresh.number("length", 20, "cycles of a refresh")

    @refresh.replaces(word_start)
    def start_after_refresh(r, instruction, port, address, earliest):
        start = word_start(r, instruction, port, address, earliest)
        passed = start % r.numbers[PERIOD]
        return start if passed >= r.numbers[LENGTH] else start + r.numbers[LENGTH] - passed

A machine with it has a table ``[refresh]`` of two more numbers. An instruction (docs/extending.md)::

    absolute = Extension("absolute", "absolute values")

    @absolute.instruction("absv.x", 0xE0, "vd=, va", "vd[k] = |va[k]|, float32", latency="move")
    def absv(m, n, d, a):
        for k in range(n):
            put_vs(m, d * m.section + k, abs(m.vs[2 * (a * m.section + k)]))
"""

from __future__ import annotations

import inspect
import keyword
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from isa.declaration import Instruction, InstructionSet, Length, Timing, Unit
from isa.riscv.declaration import Row
from isa.riscv.declaration import Timing as RiscvTiming
from vecsim.machine.user_inputs import questions_refused
from vecsim.support.arguments import shown
from vecsim.support.errors import UserError, in_words, place_of
from vecsim.support.suggestions import amount

if TYPE_CHECKING:
    from vecsim.machine.description import Machine

Rule = TypeVar("Rule", bound=Callable[..., object])

RULES = "vecsim.engines.rules."
"""The package of the modules whose functions may be replaced."""

MOST_NUMBERS = 32
"""Numbers that all extensions of a machine have together, at most; as many counters."""


LARGEST_ARRAY = 1 << 28
"""Integers of an array of an extension, at most."""
LARGEST = 1 << 53
"""The magnitude that numbers of an extension and what arrays are filled with stay below."""


_TIMING = {Unit.SCALAR: Timing.SCALAR, Unit.MEMORY: Timing.ACCESS, Unit.SPARSE: Timing.SPARSE}
"""The timing rule of an instruction by its unit, if it names none; of others it is element by element."""
_LATENCY = {Unit.SCALAR: "integer", Unit.ADD: "add", Unit.MULTIPLY: "multiply"}
"""The latency of an instruction by its unit, if it names none."""


_RISCV_TIMING = (
    *(RiscvTiming.SCALAR, RiscvTiming.MULTIPLY, RiscvTiming.DIVIDE),
    *(each for each in RiscvTiming if RiscvTiming.INTEGER <= each < RiscvTiming.INSERT),
)
"""What RISC-V instructions of users may be: no accesses, no jumps, and no results of vectors in scalars."""


@dataclass(frozen=True, eq=False)
class Number:
    """A number of the machine that an extension adds; a rule reads it as ``r.numbers[NUMBER]``."""

    name: str
    default: int
    description: str
    ge: int
    le: int

    def __index__(self) -> int:
        """Raise: it has no value outside a machine."""
        raise TypeError(f"{self.name} has a value only within a rule of a machine with its extension")


@dataclass(frozen=True, eq=False)
class Counter:
    """What a rule counts, as ``r.counters[COUNTER] += 1``."""

    name: str
    description: str


@dataclass(frozen=True, eq=False)
class Array:
    """Integers that rules keep from cycle to cycle, ``r.name[k]``: part of the state of a run.

    Attributes
    ----------
    size
        How many, or a function of the machine that says how many.
    fill
        What each is at the beginning.
    """

    name: str
    size: int | Callable[[Any], int]
    fill: int

    def size_on(self, machine: Machine) -> int:
        """Return how many integers it has on a machine.

        Raises
        ------
        UserError
            Its size is none, or the function that says it fails.
        """
        try:
            with questions_refused():
                size = self.size(machine) if callable(self.size) else self.size
        except Exception as error:
            where = place_of(error, [getattr(self.size, "__code__", self.size_on.__code__).co_filename])
            raise UserError(f"{where}: the size of array {self.name}: {in_words(error)}") from None
        if not is_integer(size) or not 1 <= size <= LARGEST_ARRAY:
            raise UserError(
                f"array {self.name}: its size on this machine is {size!r}; it must be from 1 to 2^28"
            )
        return size


@dataclass(frozen=True)
class Replacement:
    """A rule and the function that takes its place."""

    rule: Callable[..., object]
    function: Callable[..., object]


class Extension:
    """Rules that take the place of others, the numbers, arrays and counters that they use, and instructions.

    Parameters
    ----------
    name
        What its table of numbers in a machine file is called: an identifier in lower case.
    description
        What it adds to the machine, in one line.

    Raises
    ------
    UserError
        The name is no identifier in lower case.
    """

    def __init__(self, name: str, description: str) -> None:
        self.name = _checked("extension", name)
        self.description = description
        self.file = str(sys._getframe(1).f_globals.get("__file__", ""))
        self.source = self.file
        """The name that its code bears in messages."""
        self.sha256 = ""
        """Digest of its file and of all that running it read or imported, which whoever loads it fills in."""
        self.outside = ""
        """What its file does whose outcome has no digest, such as ``begins a process``; filled in, too."""
        self.numbers: list[Number] = []
        self.arrays: list[Array] = []
        self.counters: list[Counter] = []
        self.replacements: list[Replacement] = []
        self.instructions: list[Instruction] = []
        self.riscv_rows: list[Row] = []

    @property
    def changes_time(self) -> bool:
        """Whether it has more than instructions: the engine's timing rules are its own."""
        return bool(self.numbers or self.arrays or self.counters or self.replacements)

    def __repr__(self) -> str:
        """Name it."""
        return f"Extension({self.name!r})"

    def number(self, name: str, default: int, description: str, *, ge: int = 1, le: int = 10_000) -> Number:
        """Add a number to the machine.

        Parameters
        ----------
        name
            Its name within the table of the extension; ``--set EXTENSION.NAME=`` changes it.
        default
            What it is where nobody states it.
        description
            What it is, with its unit.
        ge, le
            The least and the greatest that it may be.

        Raises
        ------
        UserError
            A name that is not an identifier or is used already; a default that is outside its range or not
            an integer.
        """
        for value in (default, ge, le):
            _check_integer(f"extension {self.name}: {name}", value)
        if not ge <= default <= le:
            raise UserError(f"extension {self.name}: {name} = {default} must be from {ge} to {le}")
        return self._added(self.numbers, Number(_checked("number", name), default, description, ge, le))

    def array(self, name: str, size: int | Callable[[Any], int], fill: int = 0) -> Array:
        """Add an array of integers to the state of a run; see :class:`Array`."""
        _check_integer(f"extension {self.name}: array {name} is filled with", fill)
        return self._added(self.arrays, Array(_checked("array", name), size, fill))

    def counter(self, name: str, description: str) -> Counter:
        """Add what a run counts, which its result names ``EXTENSION.NAME``."""
        return self._added(self.counters, Counter(_checked("counter", name), description))

    def replaces(self, rule: Callable[..., object]) -> Callable[[Rule], Rule]:
        """Let the function that follows take the place of a rule, in all that calls it.

        The function that it is may call the rule: as it was before.

        Raises
        ------
        UserError
            That is no rule, or the function takes other parameters.
        """
        module = getattr(rule, "__module__", "")
        if not inspect.isfunction(rule) or not module.startswith(RULES):
            raise UserError(
                f"extension {self.name}: replaces({rule!r}): must be a function of {RULES.rstrip('.')}"
            )

        def added(function: Rule) -> Rule:
            if not inspect.isfunction(function):
                raise UserError(f"extension {self.name}: {function!r} must be a plain Python function")
            expected, result = rule.__code__, function.__code__
            if result.co_argcount != expected.co_argcount or result.co_kwonlyargcount or result.co_flags & 12:
                names = ", ".join(expected.co_varnames[: expected.co_argcount])
                raise UserError(
                    f"{result.co_filename}:{result.co_firstlineno}: {function.__name__} takes "
                    f"{amount(result.co_argcount, 'parameter')}; the rule {rule.__name__} has "
                    f"{expected.co_argcount}: {names}"
                )
            self.replacements.append(Replacement(rule, function))
            return function

        return added

    def instruction(
        self,
        mnemonic: str,
        opcode: int,
        syntax: str,
        summary: str,
        *,
        unit: Unit = Unit.ADD,
        timing: Timing | None = None,
        latency: str | None = None,
        length: Length | None = None,
        **more: Any,
    ) -> Callable[[Rule], Rule]:
        """Let the function that follows be the semantics of an instruction.

        Parameters
        ----------
        mnemonic, opcode, syntax, summary, unit
            As in :class:`isa.declaration.Instruction`; the opcode is one of those from 0xE0 to 0xFF.
        timing
            Without it, that of the unit: element by element in the add and multiply units.
        latency
            Without it, that of the unit's own operation: ``add``, ``multiply``, ``integer``.
        length
            How many elements; without it the vector length, or none of a scalar instruction.
        more
            Other attributes of :class:`isa.declaration.Instruction`, such as ``access``, ``reads``,
            ``examples``.

        Raises
        ------
        UserError
            A declaration that does not fit, or a mnemonic or opcode that the extension has already.
        """
        length = length if length is not None else Length.NONE if unit == Unit.SCALAR else Length.VL
        if length == Length.VL:
            more["reads"] = tuple(dict.fromkeys((*more.get("reads", ()), "vl")))
        timing = _TIMING.get(unit, Timing.ELEMENTWISE) if timing is None else timing
        latency = _LATENCY.get(unit, "") if latency is None else latency
        from isa.worked import examples_of

        def added(function: Rule) -> Rule:
            try:
                row = Instruction(
                    mnemonic, opcode, syntax, unit, timing, latency, function, summary, length, **more
                )
                row = replace(row, extension=self.name)
                InstructionSet(()).extended(*self.instructions, row)
                examples_of(row)
            except (TypeError, ValueError) as error:
                raise UserError(f"extension {self.name}: {error}") from None
            self.instructions.append(row)
            return function

        return added

    def riscv_instruction(
        self,
        mnemonic: str,
        operands: str,
        summary: str,
        *,
        match: int,
        mask: int,
        timing: RiscvTiming,
        accumulates: bool = False,
        operation: int = 0,
    ) -> Callable[[Rule], Rule]:
        """Let the function that follows be the semantics of a RISC-V instruction (docs/tutorial).

        Parameters
        ----------
        mnemonic, operands, summary, match, mask, timing, operation
            As in :class:`isa.riscv.declaration.Row`; vector operands are groups as wide as the type.
        accumulates
            Whether an operation on vectors reads vd, too.

        Raises
        ------
        UserError
            A timing class that such an instruction cannot have.
        """
        if timing not in _RISCV_TIMING:
            names = ", ".join(each.name for each in _RISCV_TIMING)
            raise UserError(
                f"extension {self.name}: {mnemonic}: timing {timing!r}; it must be one of {names}"
            )

        def added(function: Rule) -> Rule:
            row = Row(
                mnemonic, self.name, match, mask, operands, timing, function, operation, summary, accumulates
            )
            self.riscv_rows.append(row)
            return function

        return added

    def _added(self, those: list[_Part], part: _Part) -> _Part:
        parts: list[Number | Array | Counter] = [*self.numbers, *self.arrays, *self.counters]
        names = {each.name for each in parts}
        if part.name in names:
            raise UserError(f"extension {self.name}: {part.name!r} exists already; choose another name")
        if len(those) == MOST_NUMBERS:
            raise UserError(
                f"extension {self.name}: {part.name}: at most {MOST_NUMBERS} of its kind are possible"
            )
        those.append(part)
        return part


_Part = TypeVar("_Part", Number, Array, Counter)


def is_integer(value: object) -> bool:
    """Return whether a value is a plain integer; a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _check_integer(what: str, value: object) -> None:
    if not is_integer(value) or not -LARGEST < value < LARGEST:  # type: ignore[operator]
        raise UserError(f"{what} {value!r}: write an integer between -2^53 and 2^53")


def _checked(what: str, name: str) -> str:
    if (
        not isinstance(name, str)
        or not name.isidentifier()
        or keyword.iskeyword(name)
        or name != name.lower()
    ):
        raise UserError(f"{what} {shown(name)}: must be an identifier in lower case, such as open_rows")
    return name
