"""Files that appear whole or not at all: written under a temporary name, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vecsim.errors import UserError

PARTIAL = ".partial"
"""Ends the names of files and folders that are being written."""
KEPT = 50
"""Letters of a name that the file has while it is written, at most: a name may be too long to be added to."""
REPLACED = ".replaced"
"""Ends the name of a folder whose successor is being put in its place."""


@contextmanager
def replaced_file(path: Path, name: str = "") -> Iterator[BinaryIO]:
    """Give a file to write in; when the block ends well it takes the name, whole and on the disk.

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
        raise UserError(f"{name or path}: cannot be written: {error.strerror or error}") from None


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


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Put a set of files into a folder, all of them at once or none.

    Files of other names that are in the folder already stay. The new folder is made beside the old one
    and renamed into its place; if the process ends between the two renames the next call finds the old
    folder and goes on from it. A folder that cannot be renamed, since somebody works in it (the current
    one and those above it) or it is the root of a file system, gets its files one by one.

    Parameters
    ----------
    path
        The folder; it and those above it are made where they are missing.
    files
        Contents by name; names have no folders in them.

    Raises
    ------
    UserError
        The folder cannot be written; what was there before is as it was.
    """
    path = Path(os.path.realpath(path))
    replaced = path.with_name(f".{path.name}{REPLACED}")
    if path.is_dir() and _stays(path):
        for name, content in files.items():
            write_file(path / name, content)
        return
    partial: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if replaced.is_dir() and not path.exists():
            replaced.rename(path)
        partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=PARTIAL, dir=path.parent))
        if path.exists():
            _link_others(path, partial, files)
            partial.chmod(path.stat().st_mode)
        else:
            partial.chmod(0o777 & ~_umask())
        for name, content in files.items():
            (partial / name).write_bytes(content)
        shutil.rmtree(replaced, ignore_errors=True)
        if path.exists():
            path.rename(replaced)
        partial.rename(path)
        shutil.rmtree(replaced, ignore_errors=True)
    except OSError as error:
        if replaced.is_dir() and not path.exists():
            replaced.rename(path)
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)


def _stays(path: Path) -> bool:
    here = Path.cwd().resolve()
    return path == here or path in here.parents or os.path.ismount(path)


def _link_others(old: Path, new: Path, files: Mapping[str, bytes]) -> None:
    """Take over what is in the old folder under other names, without copying where links are possible."""
    for entry in old.iterdir():
        if entry.name in files:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, new / entry.name, symlinks=True, copy_function=_link)
        else:
            _link(str(entry), str(new / entry.name))


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
