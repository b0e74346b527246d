"""Files that appear whole or not at all: written under a temporary name, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vecsim.support.errors import UserError

PARTIAL = ".partial"
"""Ends the names of files and folders that are being written."""
KEPT = 50
"""Letters of a name that the file has while it is written, at most: a name may be too long to be added to."""


@contextmanager
def replaced_file(path: Path, name: str = "") -> Iterator[BinaryIO]:
    """Yield a file to write in; when the block ends well it takes the name, whole and on the disk.

    A device or a pipe, which cannot be replaced, is written to as it is. A message calls the file `name`, or
    by its path.

    Raises
    ------
    UserError
        It cannot be written; what was there before is as it was.
    """
    plain = path.is_file() or not path.exists()
    # Nobody can put a link there, which would be followed: nobody knows the name, and it must be new.
    partial = path.with_name(f".{path.name[:KEPT]}.{os.urandom(8).hex()}{PARTIAL}") if plain else path
    try:
        try:
            with partial.open("xb" if plain else "wb") as file:
                yield file
                file.flush()
                if plain:
                    os.fsync(file.fileno())
            if plain:
                partial.replace(path)
        finally:
            if plain:
                partial.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"{name or path}: cannot be written: {error.strerror or error}; choose another place"
        ) from None


def write_file(path: Path, content: bytes, name: str = "") -> None:
    """Write a file as a whole, and onto the disk, before anything of that name is replaced.

    A message calls it `name`, or by its path.

    Raises
    ------
    UserError
        It cannot be written; what was there before is as it was.
    """
    with replaced_file(path, name) as file:
        file.write(content)
