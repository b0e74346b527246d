"""Archives of matrix files, as the SuiteSparse collection gives them out: NAME.tar.gz with NAME/NAME.mtx."""

import re
import tarfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import PurePosixPath
from typing import IO, Any, Self, cast

from vecsim.data.harwell_boeing import SUFFIXES as HARWELL_BOEING_SUFFIXES
from vecsim.data.limits import file_limit, too_long
from vecsim.data.source_bytes import Readable, SourceBytes
from vecsim.support.errors import UserError
from vecsim.support.suggestions import shown

BLOCK_BYTES = 512
"""Of a header; contents fill whole blocks."""
MAGIC_BYTES = BLOCK_BYTES
"""Bytes at the beginning that tell an archive."""
MOST_MEMBERS = 10_000
_MAGIC = slice(257, 262)
_MOST_HEADER_BYTES = 1 << 20
"""An archive can hide as much as it likes in the headers of one member, and all of it would be kept."""
_NUMBERS = ((100, 108), (108, 116), (116, 124), (124, 136), (136, 148), (148, 156), (329, 337), (337, 345))
"""Where a header has numbers."""
_NUMBER = re.compile(rb"[\x80\xff]| *[0-7]* *(\0|$)")
"""An octal number, or the beginning of a binary one, whose first bit is set."""
_LENGTH = re.compile(rb"(\d{1,20}) ")
"""What a record of a PAX header begins with."""
_SIZE = re.compile(rb"\d{1,20}")
"""The size of a file that a record gives."""
_ENDS: Any = (tarfile.EOFHeaderError, tarfile.EmptyHeaderError)  # type: ignore[attr-defined]
_END: Any = tarfile.EOFHeaderError  # type: ignore[attr-defined]
_NOTHING_FOLLOWS: Any = tarfile.SubsequentHeaderError  # type: ignore[attr-defined]
_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_FOR_THE_NEXT = (*_NAMES, tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
"""Headers of names and of PAX, which concern the next file alone."""
_HEADERS = "a header of the archive"
_BUFFER = 1 << 16
_SHOWN = 6
"""Names that a message lists."""


def is_archive(data: bytes) -> bool:
    """Return whether unpacked bytes are the beginning of a tar archive."""
    return len(data) >= MAGIC_BYTES and data[_MAGIC] == b"ustar"


def matrix_in(
    source: str,
    opened: Callable[[], AbstractContextManager[SourceBytes]],
    taken: Callable[[str, Readable], bytes],
) -> tuple[str, bytes]:
    """Take the matrix out of a tar archive.

    An archive may hold right-hand sides and coordinates too (NAME_b.mtx, NAME_coord.mtx): the matrix is the
    file that is named like its folder, otherwise the only matrix file there is.

    Parameters
    ----------
    source
        Where the archive comes from, for messages.
    opened
        Returns the archive, its compression undone, from the beginning. It is read once, and where no file is
        named like its folder twice.
    taken
        Reads a file of a name, within the limits for it.

    Returns
    -------
    name, data
        The name of the file, without folders, and its contents.

    Raises
    ------
    UserError
        If the archive is damaged, does not hold exactly one such file, or is larger than may be.
    """
    try:
        return _matrix_in(source, opened, taken)
    except UserError:
        raise
    except Exception as error:
        # Of damaged headers tarfile raises whatever its steps happen to: ValueError, IndexError, ...
        raise UserError(
            f"{source}: the archive is damaged ({error or type(error).__name__}): fetch it again"
        ) from None


def _matrix_in(
    source: str,
    opened: Callable[[], AbstractContextManager[SourceBytes]],
    taken: Callable[[str, Readable], bytes],
) -> tuple[str, bytes]:
    held: list[str] = []
    own: list[str] = []
    data = b""
    for name, file in _matrices(source, opened):
        held.append(name)
        if _is_named_like_its_folder(name):
            own.append(name)
            data = taken(name, file) if len(own) == 1 else b""
    if not own and len(held) == 1:
        # Only at the end is it known to be the only one, and most archives have one named like the archive.
        for name, file in _matrices(source, opened):
            return PurePosixPath(name).name, taken(name, file)
    if len(own) == 1:
        return PurePosixPath(own[0]).name, data
    listed = ", ".join(map(shown, (own or held)[:_SHOWN])) + (", ..." if len(own or held) > _SHOWN else "")
    raise UserError(
        f"{source}: the archive must have one matrix file (.mtx, .rb, ...); it has {listed or 'none'}"
    )


def _matrices(
    source: str, opened: Callable[[], AbstractContextManager[SourceBytes]]
) -> Iterator[tuple[str, Readable]]:
    """Yield the matrix files of an archive; each is to be read before the next is asked for."""
    with opened() as stream:
        with stream.at_most(_MOST_HEADER_BYTES, _HEADERS):
            # Nothing is to be closed but the stream.
            archive = _Archive.open(
                fileobj=cast(IO[bytes], stream), mode="r|", bufsize=_BUFFER, tarinfo=_Header
            )
        for member in _members(source, stream, archive):
            if not (member.isfile() and _is_matrix(member.name)):
                continue
            if member.issparse():
                raise UserError(f"{source}: {shown(member.name)} is a sparse file: unpack the archive first")
            if member.size > file_limit():
                raise too_long(source, file_limit(), shown(member.name))
            file = archive.extractfile(member)
            assert file is not None  # of a regular file
            yield member.name, file


class _Archive(tarfile.TarFile):
    """An archive that knows which kinds of headers have come for the next file."""

    waiting: frozenset[bytes] = frozenset()


class _Header(tarfile.TarInfo):
    """A header; tarfile takes a damaged one for the end of the archive, and as numbers what Python takes."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header of 512 bytes."""
        result = super().frombuf(buf, encoding, errors)
        for start, end in _NUMBERS:
            if not _NUMBER.match(buf, start, end):
                raise tarfile.ReadError(f"a header has no number at byte {start}")
        return result

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        """Read the next header."""
        try:
            return super().fromtarfile(tarfile_)
        except _ENDS:
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None

    def _proc_member(self, archive: _Archive) -> tarfile.TarInfo:
        """Read what belongs to a header, and for one that concerns others the next header too."""
        if self.type in archive.waiting:
            # Which of them counts is defined nowhere: GNU tar takes the last, tarfile the first.
            raise tarfile.ReadError("two headers of one kind for one file")
        if self.type in _FOR_THE_NEXT:
            archive.waiting |= {self.type}
        elif self.type != tarfile.XGLTYPE:
            archive.waiting = frozenset()
        if self.type in (*_FOR_THE_NEXT, tarfile.XGLTYPE):
            self._check_content(archive)
        try:
            return cast(tarfile.TarInfo, super()._proc_member(archive))  # type: ignore[misc]
        except _NOTHING_FOLLOWS:
            if self.type != tarfile.XGLTYPE:
                raise
            # It concerns all files that follow, be it none.
            raise _END("the end after a global header") from None

    def _check_content(self, archive: _Archive) -> None:
        """Check what a header says of others, and let tarfile read it, without the rest of its last block."""
        file = archive.fileobj
        assert file is not None
        padded = -(-self.size // BLOCK_BYTES) * BLOCK_BYTES
        content = file.read(max(padded, 0))
        if self.size < 0 or len(content) < padded:
            raise tarfile.ReadError("unexpected end of data")
        content = content[: self.size]
        if self.type not in _NAMES:
            _check_records(content.rstrip(b"\0"))
        archive.fileobj = cast(Any, _Again(archive, content.ljust(padded, b"\0")))


class _Again:
    """A file that returns once what was read of an archive already, then the file that it has now."""

    def __init__(self, archive: tarfile.TarFile, content: bytes) -> None:
        self._archive = archive
        self._file = archive.fileobj
        self._content = content

    def read(self, size: int) -> bytes:
        """Return it, and put the file back."""
        self._archive.fileobj = self._file
        return self._content


def _check_records(content: bytes) -> None:
    """Check that a PAX header has only records ``LENGTH KEYWORD=VALUE``, each with the end of its line."""
    place = 0
    while place < len(content):
        begins = _LENGTH.match(content, place)
        length = int(begins[1]) if begins else 0
        record = content[place : place + length]
        keyword, equals, value = record[:-1].partition(b" ")[2].partition(b"=")
        if not (keyword and equals and record.endswith(b"\n") and len(record) == length):
            raise tarfile.ReadError(f"a PAX header has no record at byte {place}")
        if keyword == b"size" and not _SIZE.fullmatch(value):
            raise tarfile.ReadError("a PAX header has a size that is not a number")
        place += length


def _members(source: str, stream: SourceBytes, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield what an archive holds, in its order."""
    for _ in range(MOST_MEMBERS + 1):
        with stream.at_most(_MOST_HEADER_BYTES, _HEADERS):
            member = archive.next()
        if member is None:
            # The checksum of a gzip file stands at its end, after what fills the archive up.
            while stream.read(_BUFFER):
                pass
            return
        if member.size < 0 and not (member.islnk() or member.issym() or member.isdir() or member.isdev()):
            raise tarfile.ReadError("a header has a size below 0")
        yield member
        # To the end of its contents: `next` would pass over them too, but they are no header, and it would
        # try for ever to reach a place beyond the end.
        file = archive.fileobj
        assert file is not None
        while (behind := archive.offset - 1 - file.tell()) > 0:
            if not file.read(min(behind, _BUFFER)):
                raise tarfile.ReadError("unexpected end of data")
    raise UserError(f"{source}: the archive has too many files; at most {MOST_MEMBERS:,} are read")


def _is_matrix(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in {".mtx", *HARWELL_BOEING_SUFFIXES}


def _is_named_like_its_folder(name: str) -> bool:
    path = PurePosixPath(name)
    return path.stem == path.parent.name
