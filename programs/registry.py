"""The programs: the one place where each is declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from programs.bbcs import loader as bbcs
from programs.crs import loader as crs
from programs.hism import loader as hism
from programs.jd import loader as jd
from programs.loading import BASE, STACK_BYTES, MatrixImage, require_room, vector_bytes
from vecsim.formats import Layout
from vecsim.machine import Machine
from vecsim.support.arguments import shown, table, text
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, require_regular
from vecsim.support.overview import Overview
from vecsim.support.suggestions import nearest

Loader = Callable[[Any, Machine, Layout, Mapping[str, int]], MatrixImage]
"""``load(matrix, machine, layout, options)``.

``matrix`` is a SciPy sparse matrix of (m, n), float32 or float64; the section size of ``machine`` is that of
blocks; ``layout`` says where the image begins, and the bytes of a value; ``options`` are the assembler
symbols of the program's options."""


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
    text
        The assembly file of a program of the user's own, which has no schedules; None for those here.
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
    text: Path | None = None

    def overview(self) -> dict[str, object]:
        """Return name, summary and the names of the options."""
        options = tuple(option.name for option in self.options)
        return {"name": self.name, "summary": self.summary, "options": options}

    @property
    def folder(self) -> Path:
        """Where its assembly files are, one for each schedule."""
        return Path(__file__).parent / self.name

    @property
    def schedules(self) -> tuple[str, ...]:
        """The schedules that it has, an assembly file each; none of a user-defined program."""
        return tuple(
            value for option in self.options if option.name == SCHEDULE.name for value in option.values
        )

    def source(self, schedule: str) -> Path:
        """Return the assembly file of a schedule; a user-defined program has one file."""
        return self.text or self.folder / f"{schedule}.s"

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
        for name, value in table("options", given).items():
            if name not in declared:
                has = ", ".join(declared) or "none"
                raise UserError(
                    f"program {self.name} has no option {name!r}; it has: {has}{nearest(name, declared)}"
                )
            if not isinstance(value, str) or value not in declared[name].values:
                takes = ", ".join(declared[name].values)
                raise UserError(f"program {self.name}: option {name} = {shown(value)}: it takes {takes}")
        chosen = {name: given.get(name, option.default) for name, option in declared.items()}
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

_BBCS_SCHEDULE = replace(
    SCHEDULE,
    values={**SCHEDULE.values, "ahead": 2},
    summary=f"{SCHEDULE.summary}; ahead: only the load of the next section before this one's end",
)
"""BBCS has a standard between the two, which the HiSM paper may have had."""

ACCUMULATE = Option(
    "accumulate",
    "ACCUMULATE",
    {"no": 0, "yes": 1},
    "no",
    "no: y = A x, whatever y holds before; yes: y += A x",
)
"""What is computed; every program has it."""

_BOTH = (SCHEDULE, ACCUMULATE)

_POSITIONS = Option(
    "positions",
    "POSITION_BYTES",
    {"auto": 0, "one": 1, "two": 2},
    "auto",
    "bytes of a column or row position in a block array: one if s <= 256 (auto), one, two",
)

_ALL = (
    SmvmProgram(
        "crs",
        "CRS",
        "compressed row storage, row by row, x gathered",
        "crs",
        crs.load,
        (
            Option(
                "sums",
                "SUMS_IN_REGISTER",
                {"scalar": 0, "register": 1},
                "register",
                "how sums go to memory: s at a time from a vector register, or one by one by scalar stores",
            ),
            Option(
                "products",
                "PRODUCTS_IN_MEMORY",
                {"row": 0, "memory": 1},
                "row",
                "how products are computed: row by row, or s at a time whatever their rows, by way of memory",
            ),
            *_BOTH,
        ),
        tuple(
            ({"products": "memory", option: value}, f"{reason}; use {option}={other}")
            for option, value, other, reason in (
                ("sums", "scalar", "register", "a scalar store waits for the loads of products"),
                ("schedule", "plain", "pipelined", "the plain loop is the textbook's"),
            )
        ),
        pointers_per_row=1,
    ),
    SmvmProgram(
        "jd",
        "JD",
        "jagged diagonals, x gathered",
        "jd",
        jd.load,
        (
            Option(
                "y",
                "Y_IN_REGISTER",
                {"memory": 0, "register": 1},
                "memory",
                "where sums stay: in memory, diagonal by diagonal, or in a register, strip by strip of rows",
            ),
            *_BOTH,
        ),
        pointers_per_row=1,
        values_per_row=1,
    ),
    SmvmProgram(
        "bbcs",
        "BBCS",
        "block columns with LDS and MIPA, y gathered and scattered",
        "bbcs",
        bbcs.load,
        (_BBCS_SCHEDULE, ACCUMULATE),
    ),
    SmvmProgram(
        "hism",
        "HiSM",
        "hierarchy of blocks with LDB and BMIPA, all accesses contiguous",
        "hism",
        hism.load,
        (_POSITIONS, *_BOTH),
    ),
    SmvmProgram(
        "chism",
        "CHiSM",
        "HiSM with the result in the vector cache",
        "hism",
        hism.load,
        (
            _POSITIONS,
            Option(
                "transfer",
                "ONE_STREAM",
                {"stream": 1, "slices": 0},
                "stream",
                "how the cache is moved: as one stream of s * s elements, or in s accesses of s elements",
            ),
            Option(
                "cache",
                "CACHE",
                {"whole": 0, "store_rows": 1, "rows": 3, "cleared": 4, "cleared_rows": 5},
                "whole",
                "what of the cache is moved: all, or only rows of the matrix when it is stored, or always; "
                "cleared: the first load is left out, since a run begins with a cache of zeros",
            ),
            *_BOTH,
        ),
        tuple(
            (
                {"cache": cache, "accumulate": "yes"},
                "y must be loaded; use cache=whole, store_rows or rows",
            )
            for cache in ("cleared", "cleared_rows")
        ),
    ),
)

PROGRAMS: dict[str, SmvmProgram] = {program.name: program for program in _ALL}
"""The programs by name, in the order of the tables."""


OWN = ":"
"""Stands between a program's name and the file of a program of the user's own, which is like it."""


def program_name(program: object) -> str:
    """Return the name of a program that is given by name or as one of :data:`PROGRAMS`.

    Raises
    ------
    UserError
        It is neither.
    """
    return program.name if isinstance(program, SmvmProgram) else text("program", program)


def find(name: str) -> SmvmProgram:
    """Return a program by name.

    Parameters
    ----------
    name
        A name of :data:`PROGRAMS`, or ``NAME:FILE.s``: the assembly text of a file of the user's own, with
        the format, the loader, the symbols and the options, but for the schedule, of that program.

    Raises
    ------
    UserError
        There is none of that name, or no such file.
    """
    like, separator, file = name.partition(OWN)
    if like not in PROGRAMS:
        raise UserError(
            f"unknown program {like!r}; use one of {', '.join(PROGRAMS)}{nearest(like, PROGRAMS)}"
        )
    return _own(PROGRAMS[like], Path(file)) if separator else PROGRAMS[like]


def _own(like: SmvmProgram, text: Path) -> SmvmProgram:
    require_regular(text, ASSEMBLY)
    if not text.exists():
        raise UserError(f"{text}: no such file; a user-defined program must be an assembly file")
    options = tuple(option for option in like.options if option.name != SCHEDULE.name)
    summary = f"a user-defined program like {like.name}"
    return replace(
        like,
        name=f"{like.name}{OWN}{text}",
        title=text.name,
        summary=summary,
        options=options,
        text=text,
    )
