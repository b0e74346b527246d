"""The results of a command: tables for the reader, JSON for programs, files that are whole or not there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.console import console
from vecsim.results.atomic_files import write_file
from vecsim.results.provenance import provenance
from vecsim.support.claimed_files import claim_input, claim_output
from vecsim.support.errors import UserError
from vecsim.support.shown_text import printable, to_json

if TYPE_CHECKING:
    from rich.table import Table

STDOUT = "-"


class OutputFile:
    """A file to be written once, at the end, as a whole.

    Parameters
    ----------
    name
        Its path.
    what
        What writes it, for messages: an option.
    inputs
        Files that are read, as far as they are files.
    updated
        Whether what it holds is read first and kept.

    Raises
    ------
    UserError
        It cannot be written, or is read or written elsewhere. This is found out before any work is done.
    """

    def __init__(
        self,
        name: str,
        what: str,
        inputs: Iterable[str | os.PathLike[str]] = (),
        *,
        updated: bool = False,
    ) -> None:
        self.name = name
        # A symbolic link stays and what it points to is replaced.
        self.path = path = Path(os.path.realpath(name))
        if not path.parent.is_dir():
            raise UserError(
                f"{name}: the folder {Path(name).parent} does not exist; create it or choose another file"
            )
        if path.is_dir():
            raise UserError(f"{name}: is a folder; name a file")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise UserError(f"{name}: cannot be written: permission denied; choose another place")
        for other in inputs:
            claim_input(other)
        claim_output(name, what, updated=updated)

    def write(self, content: bytes) -> None:
        """Put the content there at once, so that nobody ever sees a part of it."""
        write_file(self.path, content, self.name)


class Output:
    """Where the tables and the JSON of one command go.

    Parameters
    ----------
    target
        What the user gave as ``--json``: a file's name, ``-`` for stdout, or None.
    inputs
        Files that are read, as far as they are files.

    Raises
    ------
    UserError
        The file cannot be written.
    """

    def __init__(self, target: str | None, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
        if target is not None:
            provenance()  # now: the code may be edited while it works
        for name in inputs:
            claim_input(name)
        self._file = None if target in (None, STDOUT) else OutputFile(str(target), "--json")
        self._stdout = target == STDOUT
        # For everything but the JSON: stdout, unless the JSON goes there.
        self._console = console(stderr=self._stdout)
        self._before = ""

    def text(self, text: str) -> None:
        """Print lines as they are, without wrapping."""
        self._part("text")
        self._console.print(printable(text), soft_wrap=True)

    def table(self, table: Table) -> None:
        """Print a table."""
        self._part("table")
        self._console.print(table)

    def _part(self, kind: str) -> None:
        """Separate tables by an empty line from what stands before and after."""
        if self._before and "table" in (self._before, kind):
            self._console.print()
        self._before = kind

    def finish(self, kind: str, document: Mapping[str, Any]) -> None:
        """Write the JSON, if it was asked for: its kind, what made it, and then what was found.

        Parameters
        ----------
        kind
            The command whose results it holds, such as ``vecsim run``: what a reader of the file knows it by.
        document
            The results.
        """
        if self._file is None and not self._stdout:
            return

        text = to_json({"kind": kind, **provenance().to_dict(), **document})
        if self._file is None:
            sys.stdout.write(text)
        else:
            self._file.write(text.encode("utf-8"))
