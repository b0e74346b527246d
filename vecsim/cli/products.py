"""What the commands of products share: matrices, programs and their options, as a user names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vecsim.cli.options import split_assignment
from vecsim.cli.printing.console import warn
from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from vecsim.data import Matrix

OWN_SUFFIX = ".s"
"""Of the file of a program of the user's own."""


def load_matrix(name: str | None) -> Matrix:
    """Read the matrix that the user names, or the default one, and print its warnings."""
    from vecsim.data import DEFAULT_BUILTIN, load

    loaded = load(DEFAULT_BUILTIN if name is None else name)
    for warning in loaded.warnings:
        warn(warning)
    return loaded


def apart(matrices: Sequence[Matrix], given: Sequence[str | None]) -> list[Matrix]:
    """Name matrices of one name by what was given for each, so that results tell them apart."""
    from vecsim.data.matrix import named_apart

    names = named_apart([each.name for each in matrices], [text or "" for text in given])
    return [replace(each, name=name) for each, name in zip(matrices, names, strict=True)]


def matrix_values(matrix: Matrix, width: Any) -> Any:
    """Return the matrix (csr_array) with values of 4 or 8 bytes, and report what got lost."""
    from vecsim.data import values_as

    name = matrix.name if matrix.source == "built-in" else matrix.source
    try:
        values, warnings = values_as(matrix.csr, width)
    except UserError as error:
        raise UserError(f"{name}: {error}") from None
    for warning in warnings:
        warn(f"{name}: {warning}")
    return values


def chosen_programs(
    names: Sequence[str] | None, like: str | None, formats: Sequence[str] | None = None
) -> list[str]:
    """Read ``--program``, ``--like`` and ``--format``: names and files, several with commas between them.

    Without names they are all programs; the formats of a user come after them.

    Raises
    ------
    UserError
        There is no such program, a file without ``--like``, or ``--like`` without a file; a file
        that declares no format.
    """
    from programs.registry import OWN, PROGRAMS, find
    from programs.user_format import format_file, is_format_file

    def says_like(name: str) -> bool:
        before, separator, _ = name.partition(OWN)
        return bool(separator) and before in PROGRAMS

    def split(text: str) -> list[str]:
        file = text.partition(OWN)[2] if says_like(text) else text
        own = format_file(text) if is_format_file(text) else file if file.endswith(OWN_SUFFIX) else ""
        whole = bool(own) and Path(own).is_file()
        return [text] if whole else [name.strip() for name in text.split(",")]

    named = [name for text in names or PROGRAMS for name in split(text)]
    files = [name for name in named if name.endswith(OWN_SUFFIX) and not says_like(name)]
    if files and like is None:
        raise UserError(
            f"--program {files[0]}: your own program needs --like NAME, the program whose format, "
            f"symbols and options it has: {', '.join(PROGRAMS)}"
        )
    if like is not None and not files:
        raise UserError(f"--like {like}: needs a user-defined program; add --program FILE.s")
    for file in formats or ():
        if not is_format_file(file):
            raise UserError(f"--format {file}: a Python file is expected; use FILE.py, or --program {file}")
    full = (f"{like}{OWN}{name}" if name in files else name for name in named)
    return list(dict.fromkeys(find(name).name for name in (*full, *(formats or ()))))


def chosen_options(chosen: Sequence[str], texts: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """Return for each chosen program the options meant for it, checked."""
    from programs.registry import find

    declared = {name: [option.name for option in find(name).options] for name in chosen}
    given: dict[str, dict[str, str]] = {name: {} for name in chosen}
    for text in texts:
        name, value = split_assignment("--option", text)
        if "." in name:
            program, _, name = name.rpartition(".")
            program = next((each for each in chosen if program in find(each).called), program)
            if find(program).name not in chosen:
                raise UserError(f"--option {text}: program {program} is not run; add it to --program")
            meant = [program]
        else:
            meant = [program for program in chosen if name in declared[program]]
        if not meant:
            has = "; ".join(f"{program}: {', '.join(names) or 'none'}" for program, names in declared.items())
            raise UserError(f"--option {text}: no program to be run has an option {name!r}; they have {has}")
        for program in meant:
            given[program][name] = value
    return {name: find(name).choose(given[name]) for name in chosen}
