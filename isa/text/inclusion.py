"""The files that a text names: texts by ``.include``, bytes by ``.incbin``.

A path begins at the folder of the text that names it and stays in the folder of the text that is assembled.
A text that is not there is looked for among the programs that come with vecsim.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Mapping
from pathlib import Path

from isa.text.places import Place, Source
from isa.text.syntax import Argument, Problem, Text
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, INCLUDED, InputKind, decoded, is_regular, read_input
from vecsim.support.project_packages import SHIPPED_TEXTS, input_path

DEEPEST = 8
"""How many texts may include each other, one the other."""
MOST = ASSEMBLY.most_bytes
"""Letters of all texts that are included, one as often as it is."""


class Inclusion:
    """Opens the files that a text names; each text once.

    Parameters
    ----------
    file
        The name of the text that is assembled, in messages.
    folder
        Where it lies; None if it names no files.
    given
        Contents by path, which are taken instead of files: then none is opened.

    Attributes
    ----------
    inputs
        SHA-256 of what was opened, by its path from the folder.
    """

    def __init__(self, file: str, folder: Path | None, given: Mapping[str, bytes] | None = None) -> None:
        self.inputs: dict[str, str] = {}
        self._file, self._folder, self._given = file, folder, given
        self._texts: dict[str, str] = {}
        self._left = MOST

    def bytes_of(self, argument: Argument, source: Source) -> bytes:
        """Return the content of a file that ``.incbin`` names in a text; Problem if it cannot be had."""
        path = self._named(argument, ".incbin", "x.bin")
        return self._content(self._key(path, source, INCLUDED), path, argument.column, INCLUDED)

    def text_of(self, argument: Argument, place: Place) -> tuple[Source, str]:
        """Return a text that ``.include`` names in a line, and what is in it.

        Problem if it cannot be had, includes itself, is included too deep, or is one too many.
        """
        path, column = self._named(argument, ".include", "x.s"), argument.column
        key = self._key(path, place.source, ASSEMBLY)
        if place.source.is_within(key):
            raise Problem(column, f"{path!r} includes itself; remove this line")
        if place.source.depth >= DEEPEST:
            raise Problem(
                column, f"files include each other too deeply; at most {DEEPEST} levels are possible"
            )
        if key not in self._texts:
            content = self._content(key, path, column, ASSEMBLY)
            try:
                self._texts[key] = decoded(content, repr(path))
            except UserError as error:
                raise Problem(column, str(error)) from None
        text = self._texts[key]
        self._left -= len(text)
        if self._left < 0:
            reason = f"the included files are too long; at most {MOST:,} letters are possible"
            raise Problem(column, reason, ".include")
        return Source(name_of(self._file, key), key, place), text

    def _named(self, argument: Argument, directive: str, example: str) -> str:
        if not isinstance(argument, Text):
            reason = f'write the name of a file in quotation marks: {directive} "{example}"'
            raise Problem(argument.column, reason)
        if self._folder is None and self._given is None:
            raise Problem(
                argument.column, "this text has no folder, so it cannot include files: save it as a file"
            )
        return argument.value

    def _key(self, path: str, source: Source, kind: InputKind) -> str:
        """Return the path of a file from the folder; a text may be one that comes with vecsim."""
        key = posixpath.normpath(posixpath.join(posixpath.dirname(source.key), path))
        shipped = posixpath.normpath(posixpath.join(SHIPPED_TEXTS, path))
        if kind is not ASSEMBLY or self._is_there(key) or not shipped.startswith(SHIPPED_TEXTS):
            return key
        return shipped if self._is_there(shipped) else key

    def _is_there(self, key: str) -> bool:
        if self._given is not None:
            return key in self._given
        return not _leaves(key) and is_regular(input_path(self._folder or Path(), key))

    def _content(self, key: str, path: str, column: int, kind: InputKind) -> bytes:
        content = self._read(key, path, column, kind)
        digest = hashlib.sha256(content).hexdigest()
        if self.inputs.setdefault(key, digest) != digest:
            raise Problem(column, f"{path!r} changed while it was read; run the command again")
        return content

    def _read(self, key: str, path: str, column: int, kind: InputKind) -> bytes:
        if self._given is not None:
            if key not in self._given:
                raise Problem(
                    column,
                    f"{path!r} was not included at first; an edited text may include only the same files",
                )
            return self._given[key]
        folder = self._folder or Path()
        base, file = input_path(folder, SHIPPED_TEXTS if _is_shipped(key) else ""), input_path(folder, key)
        try:
            base, target = base.resolve(), file.resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a zero byte
            raise Problem(column, f"{path!r}: cannot be read: {error}; name another file") from None
        if _leaves(key) or not target.is_relative_to(base):
            raise Problem(column, f"{path!r} is outside the folder of this text; move it into {base}")
        try:
            return read_input(target, kind, repr(path))
        except UserError as error:
            raise Problem(column, str(error)) from None


def name_of(file: str, key: str) -> str:
    """Return what messages call a text that is included.

    Parameters
    ----------
    file
        What they call the text that is assembled.
    key
        The path of the included one from its folder.
    """
    return key if _is_shipped(key) else str(Path(file).parent / key)


def _is_shipped(key: str) -> bool:
    return key.startswith(SHIPPED_TEXTS)


def _leaves(key: str) -> bool:
    """Return whether a path leads out of the folder."""
    return posixpath.isabs(key) or key == ".." or key.startswith("../")
