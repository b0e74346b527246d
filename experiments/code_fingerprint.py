"""A fingerprint of the code that results depend on: results of other code are not used for them.

It is of all packages of vecsim, and not of the modules that a certain result needs: such a list would be
outdated with the next import. A change of a comment costs a new simulation, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import vecsim
from vecsim.support.errors import UserError
from vecsim.support.project_packages import LIBRARIES, PACKAGES, ROOT

SUFFIXES = (".py", ".s", ".lark", ".toml", ".csv")
"""Of the files that decide results: code, and the data that it reads."""
CLOCK_NS = 20_000_000
"""The time of a file may be older than that of the clock by so much."""


@cache
def code_fingerprint() -> str:
    """Return a digest of the code that this process runs, 64 hexadecimal digits.

    Raises
    ------
    UserError
        As :func:`check_code`.
    """
    check_code()
    digest = hashlib.sha256(f"{platform.python_version()} {platform.machine()}".encode())
    for name in LIBRARIES:
        digest.update(f" {name} {_version(name)}".encode())
    for path in sorted(path for path, _ in _files()):
        content = Path(path).read_bytes()
        digest.update(f"\n{Path(path).relative_to(ROOT).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def check_code() -> None:
    """Check that the files of vecsim are those that this process has loaded.

    Raises
    ------
    UserError
        One has changed since: what is computed now would be kept as a result of other code.
    """
    for path, changed in _files():
        if changed > vecsim.LOADED_NS - CLOCK_NS:
            raise UserError(f"{path}: changed after this process loaded vecsim: start the process again")


def _files() -> Iterator[tuple[str, int]]:
    """Yield each file that counts, with the time of its last change in nanoseconds."""
    for package in ("vecsim", *PACKAGES):
        if (ROOT / package).is_dir():  # a bare machine with a GPU has not all of them
            yield from _files_below(str(ROOT / package))


def _files_below(folder: str) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files_below(entry.path)
            elif entry.name.endswith(SUFFIXES) and not entry.name.startswith("."):
                yield entry.path, entry.stat().st_ctime_ns


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
