"""How large a file or a matrix may be, found out before anything of that size is allocated.

A file of a few bytes can announce any size, and a few megabytes of gzip can hold gigabytes: both are compared
with these limits, which a user can set.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from vecsim.support.errors import UserError
from vecsim.support.input_files import InputKind, too_large, written_bytes
from vecsim.support.suggestions import counted

FILE_LIMIT = "VECSIM_FILE_LIMIT"
"""Environment variable: most bytes of a file, downloaded or unpacked."""
MEMORY_LIMIT = "VECSIM_MEMORY_LIMIT"
"""Environment variable: most bytes of memory that reading a matrix may take."""

DEFAULT_FILE_LIMIT = 4 << 30
TEXT_SHARE = 4
"""The text is in memory while it is read, twice where it must be changed, and next to what is made of it."""
ENTRY_BYTES = 64
ROW_BYTES = 16
COLUMN_BYTES = 8
"""Measured, next to the text: 21 to 52 bytes an entry, 4 a row; a product also needs an x and a y."""

_COUNT = re.compile(r"(\d{1,12})([KMGT]?)", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_CGROUPS = Path("/sys/fs/cgroup")


def file_limit() -> int:
    """Return the most bytes that a file may have, downloaded or unpacked.

    ``VECSIM_FILE_LIMIT``; without it 4 GiB, or a quarter of the memory that is free if that is less.

    Raises
    ------
    UserError
        If the variable is no number of bytes.
    """
    message = _told(FILE_LIMIT)
    return min(DEFAULT_FILE_LIMIT, free_memory() // TEXT_SHARE) if message is None else message


def memory_limit() -> int:
    """Return the most bytes of memory that a matrix may take: ``VECSIM_MEMORY_LIMIT`` or what is free.

    Raises
    ------
    UserError
        If the variable is no number of bytes.
    """
    message = _told(MEMORY_LIMIT)
    return free_memory() if message is None else message


def require_memory(source: str, rows: int, columns: int, entries: int) -> None:
    """Refuse a matrix that the memory cannot hold while it is read.

    Parameters
    ----------
    source
        What messages call the file.
    rows, columns, entries
        Of the whole matrix, symmetric ones expanded.

    Raises
    ------
    UserError
        If it takes more than `memory_limit`.
    """
    needed = ROW_BYTES * rows + COLUMN_BYTES * columns + ENTRY_BYTES * entries
    limit = memory_limit()
    if needed > limit:
        raise UserError(
            f"{source}: a matrix of {counted(rows, 'row')}, {counted(columns, 'column')} and "
            f"{counted(entries, 'entry')} takes "
            f"about {written_bytes(needed)} of memory, and {written_bytes(limit)} may be taken; "
            f"{MEMORY_LIMIT} sets another limit"
        )


def large_file(noun: str) -> InputKind:
    """Return a kind of input file that may have as many bytes as `file_limit`, by what messages call it."""
    return InputKind(noun, file_limit(), FILE_LIMIT)


def too_long(source: str, limit: int, what: str = "the file") -> UserError:
    """Word the error of a file that has more bytes than `file_limit`."""
    return too_large(source, InputKind("", limit, FILE_LIMIT), what)


def free_memory() -> int:
    """Return the bytes of memory that this process can still have, as far as the system tells.

    The least of what the system, the control groups around the process and its own resource limit leave.
    """
    return max(0, min(_free_memory(), default=DEFAULT_FILE_LIMIT))


def _free_memory() -> Iterator[int]:
    """Yield what each of them leaves; nothing where the system has no such thing."""
    with suppress(OSError, ValueError, IndexError):
        fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        yield int(fields["MemAvailable"].split()[0]) << 10
    with suppress(OSError, ValueError, KeyError):
        for group in _groups():
            most = (group / "memory.max").read_text().strip()
            if most != "max":
                counts = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
                used = int((group / "memory.current").read_text()) - int(counts["inactive_file"])
                yield int(most) - used
    with suppress(ImportError, OSError, ValueError):
        import resource

        most_addresses = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most_addresses != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            yield most_addresses - pages * resource.getpagesize()


def _groups() -> Iterator[Path]:
    """Yield the control groups (version 2) that hold this process, as far as they limit memory."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        if line.startswith("0::"):
            group = _CGROUPS / line.removeprefix("0::").strip("/")
            for held in (group, *group.parents):
                if held.is_relative_to(_CGROUPS) and (held / "memory.max").exists():
                    yield held


def _told(variable: str) -> int | None:
    text = os.environ.get(variable)
    if not text:
        return None
    match = _COUNT.fullmatch(text)
    if match is None:
        raise UserError(f"{variable}: '{text[:40]}' is not a number of bytes; write one such as 8G or 500M")
    return int(match[1]) * _UNITS[match[2].upper()]
