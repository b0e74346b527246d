"""What made a result: the command, when, which versions, which commit. Every JSON begins with it.

docs/provenance.md says what each entry means.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from vecsim import __version__
from vecsim.results.commit import Commit, commit

LIBRARIES = (
    "numpy",
    "scipy",
    "numba",
    "llvmlite",
    "numba-cuda",
    "simpy",
    "lark",
    "pydantic",
    "trimesh",
    "matplotlib",
)
"""The libraries that results may depend on: values, compiled code, matrices on meshes, pictures."""


@dataclass(frozen=True)
class Provenance:
    """What made a result.

    Attributes
    ----------
    command
        The command and its arguments.
    begun
        When it began, UTC.
    versions
        Of vecsim, Python and those of `LIBRARIES` that are installed, by name.
    commit
        Of the code, as it was when the command began.
    """

    command: tuple[str, ...]
    begun: datetime
    versions: Mapping[str, str]
    commit: Commit

    @property
    def date(self) -> str:
        """When the command began: ISO 8601, UTC, to the second."""
        return self.begun.isoformat(timespec="seconds")

    def to_dict(self) -> dict[str, Any]:
        """Return the entries with which every JSON begins."""
        return {
            "command": list(self.command),
            "date": self.date,
            "versions": dict(self.versions),
            "commit": str(self.commit),
        }


_command: ContextVar[tuple[str, ...] | None] = ContextVar("command", default=None)
_of_command: ContextVar[Provenance | None] = ContextVar("provenance of the command", default=None)


@contextmanager
def of_command(command: Sequence[str]) -> Iterator[None]:
    """Within it, `provenance` is that of a command, and the same whenever it is asked for."""
    tokens = _command.set(tuple(command)), _of_command.set(None)
    try:
        yield
    finally:
        _command.reset(tokens[0])
        _of_command.reset(tokens[1])


def provenance() -> Provenance:
    """Return what makes results now.

    Within `of_command` it is found out at the first call, which a command does before its work: files that
    are edited while it works change nothing. Elsewhere it is found out at each call, and the command is that
    of the process.
    """
    known = _of_command.get()
    if known is not None:
        return known
    command = _command.get()
    result = Provenance(
        tuple(sys.argv) if command is None else command, datetime.now(UTC), versions(), commit()
    )
    if command is not None:
        _of_command.set(result)
    return result


def versions() -> dict[str, str]:
    """Return the versions of vecsim, Python and the libraries that results may depend on."""
    return {"vecsim": __version__, "python": platform.python_version()} | _installed()


@cache
def _installed() -> dict[str, str]:
    """Return the versions of the libraries that are there; a machine with a GPU may have few of them."""
    from importlib.metadata import PackageNotFoundError, version

    result = {}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            result[name] = version(name)
    return result
