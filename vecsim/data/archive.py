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
from vecsim.errors import UserError
from vecsim.suggestions import shown

MAGIC_BYTES = 512
"""Bytes at the beginning that tell an archive."""
MOST_MEMBERS = 10_000
_MAGIC = slice(257, 262)
# An archive can hide as much as it likes in the headers of one member, and all of it would be kept.
_MOST_HEADER_BYTES = 1 << 20
# Where a header has numbers: octal ones, or binary where the first bit is set.
_NUMBERS = ((100, 108), (108, 116), (116, 124), (124, 136), (136, 148), (148, 156), (329, 337), (337, 345))
_NUMBER = re.compile(rb"[\x80\xff]| *[0-7]* *(\0|$)")
_ENDS: Any = (tarfile.EOFHeaderError, tarfile.EmptyHeaderError)  # type: ignore[attr-defined]
_HEADERS = "a header of the archive"
_BUFFER = 1 << 16
# Names that a message lists.
_SHOWN = 6


def is_archive(data: bytes) -> bool:
    """Say whether unpacked bytes are the beginning of a tar archive."""
    return len(data) >= MAGIC_BYTES and data[_MAGIC] == b"ustar"


def matrix_in(
    source: str,
    opened: Callable[[], AbstractContextManager[SourceBytes]],
    taken: Callable[[str, Readable], bytes],
) -> tuple[str, bytes]:
    """Take the matrix out of a tar archive.

    An archive may hold right-hand sides and coordinates too (NAME_b.mtx, NAME_coord.mtx): the matrix is the
    file that is named like its folder, else the only matrix file there is.

    Parameters
    ----------
    source
        Where the archive comes from, for messages.
    opened
        Gives the archive, its compression undone, from the beginning. It is read once, and where no file is
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
        # Whether it is the only one shows at the end, and most archives have one of their own.
        for name, file in _matrices(source, opened):
            return PurePosixPath(name).name, taken(name, file)
    if len(own) == 1:
        return PurePosixPath(own[0]).name, data
    listed = ", ".join(map(shown, (own or held)[:_SHOWN])) + (", ..." if len(own or held) > _SHOWN else "")
    raise UserError(
        f"{source}: the archive must hold one matrix file (.mtx, .rb, ...); it holds {listed or 'none'}"
    )


def _matrices(
    source: str, opened: Callable[[], AbstractContextManager[SourceBytes]]
) -> Iterator[tuple[str, Readable]]:
    """Give the matrix files of an archive; each is to be read before the next is asked for."""
    with opened() as stream:
        with stream.at_most(_MOST_HEADER_BYTES, _HEADERS):
            # Nothing is to be closed but the stream.
            archive = tarfile.open(  # noqa: SIM115
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


class _Header(tarfile.TarInfo):
    """A header; tarfile takes a damaged one for the end of the archive, and as numbers what Python takes."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header of 512 bytes."""
        made = super().frombuf(buf, encoding, errors)
        for start, end in _NUMBERS:
            if not _NUMBER.match(buf, start, end):
                raise tarfile.ReadError(f"a header has no number at byte {start}")
        return made

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        """Read the next header."""
        try:
            return super().fromtarfile(tarfile_)
        except _ENDS:
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


def _members(source: str, stream: SourceBytes, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Give what an archive holds, in its order."""
    for _ in range(MOST_MEMBERS + 1):
        with stream.at_most(_MOST_HEADER_BYTES, _HEADERS):
            member = archive.next()
        if member is None:
            return
        yield member
        # To the end of its contents: `next` would pass over them too, but they are no header, and it would
        # try for ever to reach a place beyond the end.
        file = archive.fileobj
        assert file is not None
        while (behind := archive.offset - 1 - file.tell()) > 0:
            if not file.read(min(behind, _BUFFER)):
                raise tarfile.ReadError("unexpected end of data")
    raise UserError(f"{source}: the archive holds more than {MOST_MEMBERS:,} files")


def _is_matrix(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in {".mtx", *HARWELL_BOEING_SUFFIXES}


def _is_named_like_its_folder(name: str) -> bool:
    path = PurePosixPath(name)
    return path.stem == path.parent.name
