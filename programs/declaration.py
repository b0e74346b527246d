"""What a program of a sparse matrix-vector product is: its texts, its format and its options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from isa.assembler import assemble, assemble_file
from isa.declaration import InstructionSet
from isa.program import Program
from programs.loading import BASE, STACK_BYTES, MatrixImage, require_room, vector_bytes
from vecsim.formats import Layout
from vecsim.machine import Machine
from vecsim.support.arguments import shown, table
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, read_text
from vecsim.support.overview import Overview
from vecsim.support.suggestions import nearest

Loader = Callable[[Any, Machine, Layout, Mapping[str, int]], MatrixImage]
"""``load(matrix, machine, layout, options)``.

``matrix`` is a SciPy sparse matrix of (m, n), float32 or float64; the section size of ``machine`` is that of
blocks; ``layout`` says where the image begins, and the bytes of a value; ``options`` are the assembler
symbols of the program's options."""


def _as_text(value: object) -> str:
    """Return the value of an option as text: of a whole number its digits, of anything else what it shows."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if isinstance(value, str) else str(value) if whole else shown(value)


class WholeNumbers(Mapping[str, int]):
    """The whole numbers of a range, by their decimal texts.

    Parameters
    ----------
    least, most
        The ends of the range, both in it.
    """

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def __getitem__(self, text: str) -> int:
        """Return the number that a text stands for; KeyError if it is none of them."""
        if not (isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,12}", text)):
            raise KeyError(text)
        number = int(text)
        if str(number) != text or not self.least <= number <= self.most:
            raise KeyError(text)
        return number

    def __iter__(self) -> Iterator[str]:
        """Yield the texts, from the least."""
        return map(str, range(self.least, self.most + 1))

    def __len__(self) -> int:
        """Return how many there are."""
        return self.most - self.least + 1


PROGRAMS_FOLDER = Path(__file__).parent
"""Where the assembly files are that come with vecsim."""


@dataclass(frozen=True)
class Option:
    """A choice that the papers leave open, set as an assembler symbol or by the choice of a file.

    Attributes
    ----------
    name, summary
        As the user gives it, and what it decides.
    symbol
        The assembler's symbol; None if each value has a separate assembly file.
    values
        What the user may give, and the symbol's value for it.
    default
        The one that holds if the user says nothing.
    """

    name: str
    symbol: str | None
    values: Mapping[str, int]
    default: str
    summary: str

    @property
    def takes(self) -> tuple[str, ...]:
        """What it takes, in words: every value, or the ends of a range."""
        if isinstance(self.values, WholeNumbers):
            return (f"{self.values.least} to {self.values.most}",)
        return tuple(self.values)


@dataclass(frozen=True)
class AssemblyText:
    """The assembly text of a program.

    Attributes
    ----------
    file
        The file that it is in, or what messages call a text of no file; files that it includes lie in the
        same folder.
    content
        The text, if the file has more than it: a user's format declares it in a Python file. None for all of
        the file.
    first_line
        Of the text in the file, counted from 1.
    file_sha256
        Digest of the file, if `content` is a part of it; empty for a text of no file.
    """

    file: Path
    content: str | None = None
    first_line: int = 1
    file_sha256: str = ""

    def read(self) -> str:
        """Return the text; what is a part of a file begins in its line there.

        Raises
        ------
        UserError
            The file cannot be read.
        """
        if self.content is None:
            return read_text(self.file, ASSEMBLY)
        return "\n" * (self.first_line - 1) + self.content

    def assemble(
        self, symbols: Mapping[str, int], value_bytes: int, instruction_set: InstructionSet
    ) -> Program:
        """Assemble it; places in messages are those of the file.

        Raises
        ------
        UserError
            As `isa.assembler.assemble`.
        """
        how: dict[str, Any] = {
            "symbols": symbols,
            "value_bytes": value_bytes,
            "instruction_set": instruction_set,
        }
        if self.content is None:
            return assemble_file(self.file, **how)
        program = assemble(self.read(), file=str(self.file), folder=self.file.parent, **how)
        own = {self.file.name: self.file_sha256} if self.file_sha256 else {}
        return replace(program, inputs={**own, **program.inputs})


@dataclass(frozen=True, repr=False)
class SmvmProgram(Overview):
    """A sparse matrix-vector product: an assembly file, the format that it reads, its loader and its options.

    Attributes
    ----------
    name, title, summary
        As commands take it, as tables show it, and what it does.
    format
        The name of its format in `gpu.format_registry.FORMATS`.
    load
        Makes the image of a matrix for it.
    options
        What the papers leave open.
    refused
        Choices of options that do not go together, with the reason.
    pointers_per_row, values_per_row
        What the image and the work space have for each row, whatever is in it: integers of 4 bytes, values.
    texts
        The assembly texts of a user-defined program by schedule, ``""`` if it has none; empty for those here.
    declared_in
        The Python file of a user-defined format; None for others.
    imported
        The modules that this file imports, and other files that it reads.
    sha256
        Digest of this file and of all that it depends on; empty for others.
    """

    name: str
    title: str
    summary: str
    format: str
    load: Loader
    options: tuple[Option, ...] = ()
    refused: tuple[tuple[Mapping[str, str], str], ...] = ()
    pointers_per_row: int = 0
    values_per_row: int = 0
    texts: Mapping[str, AssemblyText] = field(default_factory=dict)
    declared_in: Path | None = None
    imported: tuple[Path, ...] = ()
    sha256: str = ""

    def overview(self) -> dict[str, object]:
        """Return name, summary and the names of the options."""
        options = tuple(option.name for option in self.options)
        return {"name": self.name, "summary": self.summary, "options": options}

    @property
    def folder(self) -> Path:
        """Where its assembly files are, one for each schedule."""
        return PROGRAMS_FOLDER / self.name

    @property
    def schedules(self) -> tuple[str, ...]:
        """The schedules that it has, an assembly text each; none if it has one text."""
        return tuple(
            value for option in self.options if option.name == SCHEDULE.name for value in option.values
        )

    @property
    def declaration(self) -> tuple[Path, ...]:
        """The Python files that declare a user-defined format, that which is named first; none of others."""
        return () if self.declared_in is None else (self.declared_in, *self.imported)

    @property
    def called(self) -> tuple[str, ...]:
        """What options may call it: its name, and the short one of a user-defined format."""
        return (self.name,) if self.declared_in is None else (self.name, self.title)

    def text(self, schedule: str = "") -> AssemblyText:
        """Return the assembly text of a schedule; of a program without schedules the one that it has."""
        own = self.texts.get(schedule)
        return AssemblyText(self.folder / f"{schedule}.s") if own is None else own

    def require_room(self, matrix: Any, section_size: int, value_bytes: int) -> None:
        """Refuse a matrix whose shape and entries show that it does not fit; nothing is converted.

        Parameters
        ----------
        matrix
            SciPy sparse matrix of (m, n).
        section_size
            Of the machine.
        value_bytes
            Of a value of the matrix, x and y.

        Raises
        ------
        UserError
            It needs more than the address space.
        """
        rows = matrix.shape[0]
        per_row = 4 * self.pointers_per_row + value_bytes * self.values_per_row
        vectors = vector_bytes(matrix.shape, section_size, value_bytes)
        require_room(BASE + vectors + rows * per_row + matrix.nnz * value_bytes + STACK_BYTES)

    def choose(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return a value for every option.

        Raises
        ------
        UserError
            An option that the program does not have, a value that it does not take, or values that do not go
            together.
        """
        declared = {option.name: option for option in self.options}
        stated = {name: _as_text(value) for name, value in table("options", given).items()}
        for name, value in stated.items():
            if name not in declared:
                has = ", ".join(declared) or "none"
                raise UserError(
                    f"program {self.name} has no option {name!r}; it has: {has}{nearest(name, declared)}"
                )
            if value not in declared[name].values:
                takes = ", ".join(declared[name].takes)
                raise UserError(f"program {self.name}: option {name} = {shown(value)}: it takes {takes}")
        chosen = {name: stated.get(name, option.default) for name, option in declared.items()}
        for together, reason in self.refused:
            if together.items() <= chosen.items():
                named = " and ".join(f"{name}={value}" for name, value in together.items())
                raise UserError(f"program {self.name}: {named} cannot be combined: {reason}")
        return chosen

    def symbols(self, chosen: Mapping[str, str]) -> dict[str, int]:
        """Return the assembler symbols for the values that :meth:`choose` gave."""
        return {
            option.symbol: option.values[chosen[option.name]]
            for option in self.options
            if option.symbol is not None
        }


SCHEDULE = Option(
    "schedule",
    None,
    {"plain": 0, "pipelined": 1},
    "pipelined",
    "plain: the textbook's loop, one row, strip, section or block after the other; pipelined: the next one's "
    "loads before this one's end, as it is written by hand",
)
"""How the loop is arranged; every program has it, and an assembly file for each value."""

ACCUMULATE = Option(
    "accumulate",
    "ACCUMULATE",
    {"no": 0, "yes": 1},
    "no",
    "no: y = A x, whatever y holds before; yes: y += A x",
)
"""What is computed; every program has it."""
