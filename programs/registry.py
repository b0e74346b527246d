"""The programs: the one place where each is declared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from programs.bbcs import loader as bbcs
from programs.crs import loader as crs
from programs.declaration import ACCUMULATE, SCHEDULE, AssemblyText, Option, SmvmProgram
from programs.hism import loader as hism
from programs.jd import loader as jd
from programs.user_format import UserFormat, is_format_file, object_program, user_program
from vecsim.support.arguments import text
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, require_regular
from vecsim.support.suggestions import nearest

_BBCS_SCHEDULE = replace(
    SCHEDULE,
    values={**SCHEDULE.values, "ahead": 2},
    summary=f"{SCHEDULE.summary}; ahead: only the load of the next section before this one's end",
)
"""BBCS has a standard between the two, which the HiSM paper may have had."""

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


ProgramLike: TypeAlias = str | UserFormat
"""A program by its name, or a user-defined format as an object."""


def program_like(program: object) -> ProgramLike:
    """Return a program that is given by name, as one of :data:`PROGRAMS` or as a user-defined format.

    Raises
    ------
    UserError
        It is none of these.
    """
    if isinstance(program, UserFormat):
        return program
    return program.name if isinstance(program, SmvmProgram) else text("program", program)


def find(name: ProgramLike) -> SmvmProgram:
    """Return a program by name, or that of a user-defined format.

    Parameters
    ----------
    name
        A name of :data:`PROGRAMS`; or ``NAME:FILE.s``, the assembly text of a file of the user's own, with
        the format, the loader, the symbols and the options, but for the schedule, of that program; or
        ``FILE.py``, a user-defined format (`programs.user_format`), ``FILE.py:NAME`` if the file has several;
        or the format itself.

    Raises
    ------
    UserError
        There is none of that name, or no such file.
    """
    if isinstance(name, UserFormat):
        return object_program(name, PROGRAMS)
    if is_format_file(name):
        return user_program(name, PROGRAMS)
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
        texts={"": AssemblyText(text)},
    )
