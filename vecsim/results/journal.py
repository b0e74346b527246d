"""Results kept one by one while work goes on: an append-only file that outlives any end of its writers.

A journal is a text file. Each line is the CRC-32 of a record, eight hexadecimal digits, a space, and the
record as JSON. The first record is the header: what the journal is of. What is promised:

- a record that `append` has returned from survives the end of the process, however it comes; when records
  keep coming, one older than `SYNC_SECONDS` survives the end of the machine, and all do after `close`;
- a line that was cut off or damaged costs its own record and no other; a torn end is removed when the file is
  opened, and said;
- several processes may write to one journal at once, and lose nothing of each other's.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError
from vecsim.support.input_files import JOURNAL, require_regular
from vecsim.support.suggestions import counted, shown

SYNC_SECONDS = 1.0
"""Records older than this are on the disk."""
LOCK_SECONDS = 60.0
"""How long a writer waits for another's record to be written."""
KIND = "journal"
"""The header's field that says what the journal is of."""

Record = Mapping[str, Any]


def discard(path: Path) -> None:
    """Remove a journal that is not needed any more, with its lock."""
    for each in (path, _lock_of(path)):
        each.unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


class Journal:
    """A journal, open for reading and appending.

    Parameters
    ----------
    path
        The file; it is made, with its header, where there is none.
    kind
        What it is of, such as ``vecsim calibrate``.
    header
        What else must be the same for records to count; by default nothing.
    say
        Is called with a line for each thing that had to be left out: a torn end, damaged lines.

    Attributes
    ----------
    records
        All records but the header, in the order of the file, as far as they have been read.

    Raises
    ------
    UserError
        The file cannot be read or written, is no journal, or is one of something else.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        header: Record | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.path = path
        self.records: list[dict[str, Any]] = []
        from filelock import FileLock  # which a bare machine with a GPU may lack

        self._header = json.loads(_text({KIND: kind, **(header or {})}))
        self._say = say
        self._read_to = 0
        self._synced = time.monotonic()
        require_regular(path, JOURNAL)
        self._lock = FileLock(_lock_of(path), timeout=LOCK_SECONDS)
        try:
            with self._lock:
                if not path.exists() or path.stat().st_size == 0:
                    write_file(path, _line(self._header))
                self._file: FileIO = path.open("r+b", buffering=0)
                try:
                    self._open()
                except BaseException:
                    self._file.close()
                    raise
        except OSError as error:
            raise UserError(f"{path}: cannot be used: {error.strerror or error}; name another file") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, record: Record) -> None:
        """Add a record. When this returns the operating system has it.

        Raises
        ------
        UserError
            It cannot be written, for instance because the disk is full; the file keeps all that it had.
        """
        line = _line(record)
        try:
            with self._lock:
                end = self._file.seek(0, os.SEEK_END)
                try:
                    # Another writer may have ended in the middle of a line: that must not damage this one.
                    self._write(line if self._ends_with_newline(end) else b"\n" + line)
                except OSError:
                    self._file.truncate(end)
                    raise
                if time.monotonic() - self._synced >= SYNC_SECONDS:
                    self.sync()
        except OSError as error:
            raise UserError(
                f"{self.path}: cannot be written: {error.strerror or error}; free space or choose "
                "another place"
            ) from None

    def refresh(self) -> list[dict[str, Any]]:
        """Read what has been appended since, by this process or others, and return it."""
        before = len(self.records)
        self._file.seek(self._read_to)
        lines, _ = _lines(self._file.read())  # what is after them is of a writer that is not through
        self._read_to += sum(map(len, lines))
        self.records += [record for record in map(_record, lines) if record is not None]
        return self.records[before:]

    def sync(self) -> None:
        """Bring everything onto the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Bring everything onto the disk and close the file."""
        if not self._file.closed:
            self.sync()
            self._file.close()

    def _open(self) -> None:
        lines, torn = _lines(self._file.read())
        first = _record(lines[0]) if lines else None
        if first is None or KIND not in first:
            raise UserError(f"{self.path}: is not a journal of `{self._header[KIND]}`: choose another file")
        if first != self._header:
            raise UserError(f"{self.path}: {self._difference(first)}: remove it, or name another file")
        self._read_to = sum(map(len, lines))
        if torn:
            # No more than that: what another process has read already must stay where it is.
            self._file.truncate(self._read_to)
            self._say(f"{self.path}: removed {counted(len(torn), 'byte')} of a torn end")
        matches = [_record(line) for line in lines[1:]]
        self.records = [record for record in matches if record is not None]
        damaged = len(matches) - len(self.records)
        if damaged:
            self._say(f"{self.path}: left out {counted(damaged, 'damaged line')}")

    def _difference(self, matches: Record) -> str:
        if matches[KIND] != self._header[KIND]:
            return f"is a journal of `{shown(str(matches[KIND]))}`, not of `{self._header[KIND]}`"
        names = sorted(matches.keys() | self._header.keys())
        differ = [name for name in names if matches.get(name) != self._header.get(name)]
        return f"was left by another run ({shown(', '.join(differ))} differ)"

    def _write(self, content: bytes) -> None:
        while content:
            content = content[self._file.write(content) :]

    def _ends_with_newline(self, end: int) -> bool:
        self._file.seek(end - 1)
        last = self._file.read(1)
        self._file.seek(end)
        return last == b"\n"


def _text(record: Record) -> str:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"))


def _line(record: Record) -> bytes:
    text = _text(record).encode("ascii")
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _lines(content: bytes) -> tuple[list[bytes], bytes]:
    """Return the lines, each with its newline, and what is after the last one."""
    *lines, rest = content.split(b"\n")
    return [line + b"\n" for line in lines], rest


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the record of a line; None if the line is damaged."""
    checksum, _, text = line.removesuffix(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        record = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
