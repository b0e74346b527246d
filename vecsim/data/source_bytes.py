"""The bytes of a matrix file, unpacked where it is gzipped, no more of them than may be."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from vecsim.data.limits import file_limit, large_file, too_long
from vecsim.support.errors import UserError
from vecsim.support.input_files import open_input, unreadable

GZIP_MAGIC = b"\x1f\x8b"
HEAD_BYTES = 1 << 20
"""Of a file, in which its header must end."""
_CHUNK = 1 << 24


class Readable(Protocol):
    """What gives bytes in their order."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes: fewer than `size` only at the end."""


class SourceBytes:
    """The unpacked bytes of a file, read once from the beginning.

    Every error of the file, or of its compression, is a `UserError` that names the source.
    """

    def __init__(self, source: str, file: BinaryIO) -> None:
        self._source = source
        self._file = file
        self._ahead = b""
        self._left = self._limit = file_limit()
        self._what = "the file"

    def read(self, size: int, /) -> bytes:
        """Return the next bytes: fewer than `size` only at the end.

        Raises
        ------
        UserError
            If the file is damaged or cannot be read, or gives more than may be.
        """
        given, self._ahead = self._ahead[:size], self._ahead[size:]
        parts = [given]
        missing = size - len(given)
        while missing:
            part = self._next(min(missing, self._left + 1, _CHUNK))
            if not part:
                break
            if len(part) > self._left:
                raise too_long(self._source, self._limit, self._what)
            self._left -= len(part)
            missing -= len(part)
            parts.append(part)
        return b"".join(parts)

    def peek(self, size: int) -> bytes:
        """Return the next bytes without going on."""
        self._ahead = self.read(size)
        return self._ahead

    @contextmanager
    def at_most(self, size: int, what: str) -> Iterator[None]:
        """Let no more than `size` bytes be read meanwhile; `what` of the file has them, for the message."""
        before = self._left, self._limit, self._what
        self._left, self._limit, self._what = min(size, self._left), size, what
        allowed = self._left
        try:
            yield
        finally:
            used = allowed - self._left
            self._left, self._limit, self._what = before[0] - used, before[1], before[2]

    def _next(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except EOFError:
            raise UserError(f"{self._source}: the gzip file is incomplete: fetch it again") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise UserError(f"{self._source}: the gzip file is damaged ({error}): fetch it again") from None
        except OSError as error:
            raise unreadable(self._source, error) from None


@contextmanager
def opened(path: Path, source: str) -> Iterator[SourceBytes]:
    """Yield the bytes of a file, unpacked if it is gzipped, whatever its suffix.

    Parameters
    ----------
    path
        The file. Only regular ones are read: a pipe or a device need not have an end.
    source
        What messages call it.

    Raises
    ------
    UserError
        If there is no such file, it is none, cannot be read or is larger than may be.
    """
    with open_input(path, large_file("a matrix file"), source) as file:
        try:
            packed = file.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
        except OSError as error:
            raise unreadable(source, error) from None
        yield SourceBytes(source, cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file)


def read_bytes(path: Path) -> bytes:
    """Return all that `opened` yields.

    Raises
    ------
    UserError
        As `opened` and `SourceBytes`, and if the file is empty.
    """
    parts = []
    with opened(path, str(path)) as file:
        while part := file.read(_CHUNK):
            parts.append(part)
    data = b"".join(parts)
    if not data.strip():
        raise UserError(f"{path}: the file is empty; a matrix is needed")
    return data


def taken(source: str, file: Readable, most_bytes: Callable[[bytes], int]) -> bytes:
    """Read a file to its end, as far as its header allows.

    Parameters
    ----------
    source
        What messages call it.
    file
        Returns the bytes.
    most_bytes
        Tells by the beginning of a file, at most `HEAD_BYTES`, how many bytes it can have. It may refuse the
        file by an error. Not asked where that is the whole file.

    Raises
    ------
    UserError
        If there are more.
    """
    head = file.read(HEAD_BYTES)
    if len(head) < HEAD_BYTES:
        return head
    most = most_bytes(head)
    parts, size = [head], len(head)
    while part := file.read(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > most:
            raise UserError(
                f"{source}: has more than {most:,} bytes, which is more than its header announces lines for"
            )
    return b"".join(parts)
