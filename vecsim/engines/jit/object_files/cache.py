"""Object files that are kept on disk, each under a name and the fingerprint of what it was made from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from vecsim.results import private_files
from vecsim.results.cache_folder import cache_folder
from vecsim.results.private_files import NotPrivateError
from vecsim.support.errors import UserError

KEPT = 64
"""Object files that stay in the folder; the oldest go."""
SUFFIX = ".o"


def folder() -> Path:
    """Return the folder in which they are; it need not exist."""
    return cache_folder() / "engine"


def say(message: str) -> None:
    """Print on stderr what takes its time or does not work."""
    print(message, file=sys.stderr, flush=True)


def is_used() -> bool:
    """Return whether object files can be kept; the reason why not is printed once."""
    return _is_private(folder())


def has(name: str) -> bool:
    """Return whether there is an object file of a name, whole or not."""
    return is_used() and _path(name).is_file()


def read(name: str) -> bytes | None:
    """Return the object file of a name; None if there is none, or none that may be used."""
    if not _is_private(folder()):
        return None
    try:
        return private_files.read(_path(name))
    except NotPrivateError as error:
        say(f"the engine is compiled again: {error}")
        return None


def write(name: str, content: bytes) -> None:
    """Keep an object file; if that cannot be, each process compiles it again."""
    if not _is_private(folder()):
        return
    with suppress(UserError, OSError):
        private_files.write(_path(name), content)
        recorded = sorted(folder().glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in recorded[KEPT:]:
            old.unlink(missing_ok=True)


@contextmanager
def one_process() -> Iterator[None]:
    """Let one process in at a time, so that the next finds what it has compiled.

    Where nothing can be kept all are let in.
    """
    from filelock import FileLock, Timeout

    if not _is_private(folder()):
        yield
        return
    lock = FileLock(folder() / "compiling.lock")
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            say("another process compiles the engine: waiting for it")
            lock.acquire()
    except (OSError, NotImplementedError):
        pass
    try:
        yield
    finally:
        lock.release()


def _path(name: str) -> Path:
    return folder() / f"{name}{SUFFIX}"


@lru_cache(maxsize=16)
def _is_private(at: Path) -> bool:
    """Return whether code may be kept in a folder; the reason why not is printed once."""
    try:
        private_files.check_folder(at)
    except NotPrivateError as error:
        say(f"the compiled engine is not kept: {error}")
        return False
    return True
