"""Files of code that a process may run: whole, unchanged, and written by nobody but the user.

A cache of machine code is as dangerous as a program. What is read here was written by `write` of the same
user into a folder of that user in which nobody else can write, and has the checksum that it was written with;
anything else is refused with a reason, and counts as not being there.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
DIGEST_BYTES = hashlib.sha256().digest_size
_OPEN = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))
"""No links are followed, and nothing waits for the writer of a pipe."""


class NotPrivateError(Exception):
    """A folder or a file that code must not be taken from; the message says why, and what would be right."""


def check_folder(folder: Path) -> None:
    """Check that a folder is the user's, and that nobody else can write in it; make it if it is missing.

    Raises
    ------
    NotPrivateError
        It is not so, or cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        raise NotPrivateError(
            f"{folder} cannot be created: {(error.strerror or str(error)).lower()}; name another folder"
        ) from None
    _check(folder, status)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise NotPrivateError(f"{folder} cannot be written; make it writable")


def read(path: Path) -> bytes | None:
    """Return the content of a file that `write` wrote; None if there is none.

    Raises
    ------
    NotPrivateError
        The file is not the user's own, others can write it, it is damaged, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _OPEN)
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise NotPrivateError(f"{path} cannot be read: {reason}; remove it") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotPrivateError(f"{path} is not a regular file: remove it")
        _check(path, status)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            content = file.read()
    finally:
        os.close(descriptor)
    checksum, content = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    if checksum != _checksum(path, content):
        raise NotPrivateError(f"{path} is damaged: remove it")
    return content


def write(path: Path, content: bytes) -> None:
    """Write a file with its checksum, as a whole, readable and writable by the user alone.

    Raises
    ------
    UserError
        It cannot be written.
    """
    write_file(path, _checksum(path, content) + content)
    try:
        path.chmod(0o600)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be made private: {error.strerror or error}; choose another place"
        ) from None


def _checksum(path: Path, content: bytes) -> bytes:
    """Return the checksum of a file: of its name, too, since one in the place of another is no less wrong."""
    return hashlib.sha256(os.fsencode(path.name) + b"\0" + content).digest()


def _check(path: Path, status: os.stat_result) -> None:
    if not hasattr(os, "geteuid"):
        return  # no owners and modes of this kind: the user's own folder is what there is
    if status.st_uid != os.geteuid():
        raise NotPrivateError(f"{path} belongs to another user; choose your own")
    if status.st_mode & OTHERS_WRITE:
        raise NotPrivateError(f"{path} can be written by others: chmod go-w {path}")
