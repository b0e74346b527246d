"""The files of one command: what it writes is neither what it reads nor what it writes elsewhere.

Whoever reads or writes a file that the user named claims it here before any work is done. A file is the same
under another spelling, by a link, and by a name that differs in case alone, which some file systems take for
the same. Devices and pipes are no files in this sense: they may be written to from several places.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from vecsim.support.errors import UserError

_Identity: TypeAlias = "tuple[int, int] | str"


@dataclass
class _Claims:
    inputs: dict[_Identity, str] = field(default_factory=dict)
    outputs: dict[_Identity, str] = field(default_factory=dict)
    updated: set[_Identity] = field(default_factory=set)
    folders: dict[str, tuple[str, Collection[str]]] = field(default_factory=dict)

    def check_folders(self) -> None:
        """Refuse an output with a name that a folder's files may have."""
        for identity, what in self.outputs.items():
            if isinstance(identity, str):
                other, suffixes = self.folders.get(str(Path(identity).parent), ("", ()))
                if identity.endswith(tuple(suffixes)):
                    raise UserError(f"{what} would write among the files of {other}: name another folder")


_claims: ContextVar[_Claims | None] = ContextVar("files of the command", default=None)


@contextmanager
def files_of_one_command() -> Iterator[None]:
    """Within it claims are compared; outside of a command nothing is claimed."""
    token = _claims.set(_Claims())
    try:
        yield
    finally:
        _claims.reset(token)


def claim_input(name: str | os.PathLike[str]) -> None:
    """Register a file as read; `UserError` if the command writes to it."""
    claims = _claims.get()
    if claims is None:
        return
    for identity in _identities(name) if Path(name).exists() else ():
        if identity in claims.outputs and identity not in claims.updated:
            raise UserError(
                f"{name}: is read, and {claims.outputs[identity]} would overwrite it; name another file"
            )
        claims.inputs[identity] = os.fspath(name)


def claim_output(name: str | os.PathLike[str], what: str, *, updated: bool = False) -> None:
    """Register a file as written.

    Parameters
    ----------
    name
        Its path.
    what
        What writes it, for messages: an option.
    updated
        Whether what it holds is read first and kept.

    Raises
    ------
    UserError
        The command reads it, or writes to it elsewhere.
    """
    claims = _claims.get()
    if claims is None:
        return
    identities = _identities(name)
    for identity in identities:
        if identity in claims.outputs:
            raise UserError(
                f"{name}: {what} and {claims.outputs[identity]} would write the same file; choose "
                "another name"
            )
        if identity in claims.inputs:
            raise UserError(f"{name}: is the input, {what} would overwrite it; name another file")
    claims.outputs |= dict.fromkeys(identities, what)
    claims.updated |= set(identities) if updated else set()
    claims.check_folders()


def claim_folder(name: str | os.PathLike[str], what: str, suffixes: Collection[str]) -> None:
    """Register a folder as one that files are written into.

    Parameters
    ----------
    name
        Its path.
    what
        What writes them, for messages: an option.
    suffixes
        The suffixes of their names, which no other output there may have.
    """
    claims = _claims.get()
    if claims is not None:
        claims.folders[_folded(os.path.realpath(name))] = (what, suffixes)
        claims.check_folders()


def _identities(name: str | os.PathLike[str]) -> list[_Identity]:
    """Return by what a file is known: its name without links, and its number where it exists."""
    try:
        result = Path(name).stat()
    except (OSError, ValueError):
        return [_folded(os.path.realpath(name))]
    if not stat.S_ISREG(result.st_mode):
        return []
    return [_folded(os.path.realpath(name)), (result.st_dev, result.st_ino)]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
