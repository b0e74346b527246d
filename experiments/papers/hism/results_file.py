"""Simulated cycles kept in a file from one run to the next, as long as nothing that decides them changes."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from experiments.code_fingerprint import code_fingerprint
from experiments.papers.hism.assignment import options_of_the_paper
from experiments.papers.hism.timing import Timing
from experiments.papers.kit.request import Request
from vecsim.results.journal import Journal

KIND = "vecsim reproduce"
"""What the journal says it is of."""


def ground(request: Request) -> str:
    """Name what all timings of a request depend on: code, engine, machine and options of the programs."""
    return f"{code_fingerprint()} {request.engine} {request.machine.sha256} {options_of_the_paper()}"


class ResultsFile:
    """A journal of timings; those of other machines, engines and versions of the code stay in it unread.

    Parameters
    ----------
    path
        It is made if there is none.
    request
        Its machine and engine are what results are read for.

    Raises
    ------
    UserError
        It is something else, or cannot be written.
    """

    def __init__(self, path: Path, request: Request) -> None:
        self._ground = ground(request)
        self._journal = Journal(path, KIND, say=lambda line: print(line, file=sys.stderr))
        self._timings: dict[tuple[str, str], Timing] = {}
        for record in self._journal.records:
            key, timing = record.get("key"), _timing(record)
            if isinstance(key, str) and timing is not None:
                self._timings[key, timing.program] = timing

    def key(self, member: str) -> str:
        """Name all that a timing of a member depends on, given what tells it from others."""
        return hashlib.sha256(f"{self._ground} {member}".encode()).hexdigest()

    def find(self, member: str) -> dict[str, Timing]:
        """Return the timings of a member, by program."""
        key = self.key(member)
        return {program: timing for (result, program), timing in self._timings.items() if result == key}

    def keep(self, member: str, name: str, timings: Iterable[Timing]) -> None:
        """Keep timings of a member at once; its name is for readers of the file.

        Raises
        ------
        UserError
            They cannot be written.
        """
        key = self.key(member)
        for timing in timings:
            self._timings[key, timing.program] = timing
            self._journal.append({"key": key, "matrix": name, **asdict(timing)})

    def close(self) -> None:
        """Bring everything onto the disk."""
        self._journal.close()


def _timing(record: Mapping[str, Any]) -> Timing | None:
    """Read a record; None for one that is not as `ResultsFile.keep` writes it, perhaps by another version."""
    try:
        timing = Timing(**{each.name: record[each.name] for each in fields(Timing)})
    except KeyError:
        return None
    counts = (timing.cycles, timing.instructions, timing.bytes_moved)
    if type(timing.program) is not str or type(timing.relative_error) is not float:
        return None
    return timing if all(type(count) is int and count >= 0 for count in counts) else None
