"""What a name stands for now: a file, a folder, a variable, an answer of the system; as texts to compare."""

from __future__ import annotations

import hashlib
import os
import platform
import socket
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from vecsim.machine.user_origins import is_users
from vecsim.results.file_digests import sha256_or_empty
from vecsim.support.input_files import EXTENSION_DATA

plain_stat, plain_lstat, plain_readlink = os.stat, os.lstat, os.readlink
"""Functions of Python that are watched while a file runs."""


def file_digest(path: str) -> str:
    """Return the digest of a file; empty if there is none."""
    return sha256_or_empty(Path(path), EXTENSION_DATA)


def names_digest(path: str) -> str:
    """Return the digest of the names in a folder; empty if there is none."""
    try:
        return hashlib.sha256(
            "\0".join(sorted(each.name for each in Path(path).iterdir())).encode(errors="replace")
        ).hexdigest()
    except OSError:
        return ""


def status(path: str) -> str:
    """Return what is under a path, with the size of a file; empty if nothing is."""
    try:
        result = plain_stat(path)
    except (OSError, ValueError):
        return ""
    return f"{stat.S_IFMT(result.st_mode)} {result.st_size if stat.S_ISREG(result.st_mode) else 0}"


def _link(path: str) -> str:
    try:
        return os.fsdecode(plain_readlink(path))
    except (OSError, ValueError):
        return ""


def _variable(name: str) -> str:
    return repr(os.environ._data.get(os.environ.encodekey(name)))  # type: ignore[attr-defined]


@cache
def _library(name: str) -> str:
    """Return a digest of the Python files of a library; empty if there is none."""
    with suppress(ImportError, ValueError):
        result = find_spec(name)
        if result is not None and result.origin is not None and not is_users(result.origin):
            origin = Path(getattr(result.loader, "archive", result.origin))
            files = sorted(origin.parent.rglob("*.py")) if origin.stem == "__init__" else [origin]
            digest = hashlib.sha256()
            for path in files:
                digest.update(file_digest(str(path)).encode("ascii"))
            return digest.hexdigest()
    return ""


def _answer(name: str) -> str:
    try:
        return repr(ANSWERS[name]())
    except (OSError, AttributeError) as error:
        return type(error).__name__


ANSWERS: Mapping[str, Callable[[], object]] = {
    "the working folder": lambda: os.getcwd(),  # noqa: PTH109 - as it is called
    "the number of processors": lambda: os.cpu_count(),
    "the processors of this process": lambda: sorted(os.sched_getaffinity(0)),
    "the host": lambda: (
        *(socket.gethostname(), platform.node(), platform.system(), platform.machine()),
        *(platform.release(), platform.version()),
    ),
    "the user": lambda: (os.getuid(), os.geteuid(), os.getgid(), os.getegid()),
    "the names of all variables": lambda: sorted(os.environ._data),  # type: ignore[attr-defined]
}
"""What the system can be asked for again, the same until something is changed."""

PROBES: Mapping[str, Callable[[str], str]] = {
    "file": file_digest,
    "folder": names_digest,
    "path": status,
    "link": _link,
    "variable": _variable,
    "library": _library,
    "answer": _answer,
}
"""By kind what looks a name up."""
