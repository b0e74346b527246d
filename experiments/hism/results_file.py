"""Simulated cycles kept in a file from one run to the next, as long as nothing that decides them changes."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from pathlib import Path

import isa
import programs
import vecsim
from experiments.hism.timing import Timing
from experiments.request import Request
from vecsim.errors import UserError

CODE = {
    isa: ("**/*.py", "*.lark"),
    programs: ("**/*.py", "**/*.s"),
    vecsim: ("machine/*.py", "formats/*.py", "engines/**/*.py", "data/**/*.py"),
}
"""The files by which a count of cycles may change, for each package."""


COLUMNS = ("key", "matrix", *(field.name for field in fields(Timing)))


def code_fingerprint() -> str:
    """Give a hash of the code that decides cycles."""
    digest = hashlib.sha256()
    for package, patterns in CODE.items():
        folder = Path(str(package.__file__)).parent
        for path in sorted({path for pattern in patterns for path in folder.glob(pattern)}):
            digest.update(path.relative_to(folder.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class ResultsFile:
    """A CSV file of timings; those of other machines, engines and versions of the code stay in it unread.

    Parameters
    ----------
    path
        It need not be there.
    request
        Its machine and engine are what results are read for.

    Raises
    ------
    UserError
        It is there and is something else.
    """

    def __init__(self, path: Path, request: Request) -> None:
        self._path = path
        self._ground = f"{code_fingerprint()} {request.engine} {request.machine.sha256}"
        self._rows = _read(path)

    def key(self, member: object) -> str:
        """Name all that a timing of a member depends on; the member's repr must tell it from others."""
        return hashlib.sha256(f"{self._ground} {member!r}".encode()).hexdigest()[:16]

    def find(self, member: object) -> dict[str, Timing]:
        """Give the timings of a member, by program."""
        key = self.key(member)
        return {program: timing for (found, _, program), timing in self._rows.items() if found == key}

    def keep(self, timings: Iterable[tuple[object, str, Mapping[str, Timing]]]) -> None:
        """Add timings, given with the member and its name, and write the file.

        Raises
        ------
        UserError
            It cannot be written.
        """
        for member, name, found in timings:
            self._rows |= {(self.key(member), name, program): timing for program, timing in found.items()}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((key, name, *astuple(timing)) for (key, name, _), timing in self._rows.items())
        partial = self._path.with_name(f".{self._path.name}.{os.getpid()}.partial")
        try:
            try:
                partial.write_text(text.getvalue(), encoding="utf-8")
                partial.replace(self._path)
            finally:
                partial.unlink(missing_ok=True)
        except OSError as error:
            raise UserError(f"{self._path}: cannot be written: {error.strerror or error}") from None


def _read(path: Path) -> dict[tuple[str, str, str], Timing]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not lines or tuple(lines[0]) != COLUMNS:
        raise UserError(f"{path}: is no file of results: its first line must be {','.join(COLUMNS)}")
    rows = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            key, name, program, cycles, instructions, bytes_moved, error_ = line
            timing = Timing(program, int(cycles), int(instructions), int(bytes_moved), float(error_))
        except ValueError:
            raise UserError(f"{path}, line {number}: is no result: write the file anew") from None
        rows[key, name, program] = timing
    return rows
