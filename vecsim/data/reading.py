"""From a file to a matrix: packed or not, alone or in an archive, in whichever format."""

from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath

from vecsim.data import harwell_boeing, matrix_market
from vecsim.data.archive import MAGIC_BYTES, is_archive, matrix_in
from vecsim.data.matrix import Matrix
from vecsim.data.source_bytes import Readable, opened, taken
from vecsim.support.errors import UserError


def read_file(
    path: Path, source: str, file: str, *, refuse_pages: bool = False, keep_complex: bool = False
) -> Matrix:
    """Read a matrix file.

    Parameters
    ----------
    path
        Where it lies.
    source
        What messages call it.
    file
        Its name, which tells the kind of those that have no banner.
    refuse_pages
        Whether to say of a web page that it is one: servers send them for files.
    keep_complex
        Whether complex values are kept; else their real part is taken, with a warning.

    Raises
    ------
    UserError
        In one line that names `source` and, where known, line and column.
    """

    def text_of(name: str, bytes_of: Readable) -> bytes:
        return taken(source, bytes_of, _most_bytes(source, name))

    with opened(path, source) as stream:
        beginning = stream.peek(MAGIC_BYTES)
        if is_archive(beginning):
            file, data = matrix_in(source, partial(opened, path, source), text_of)
        elif refuse_pages and beginning.lstrip()[:1] == b"<":
            raise UserError(
                f"{source}: the server sent a web page, not a matrix: does the network want a login?"
            )
        else:
            data = text_of(file, stream)
    if not data.strip():
        raise UserError(f"{source}: the file is empty, a matrix was expected")
    name, suffix = _name_and_suffix(file)
    if _is_harwell_boeing(suffix, data):
        return harwell_boeing.parse_harwell_boeing(name, source, data, keep_complex=keep_complex)
    return matrix_market.parse_matrix_market(name, source, data, keep_complex=keep_complex)


def _most_bytes(source: str, file: str) -> Callable[[bytes], int]:
    """Give what tells by a file's beginning how long it can be."""

    def most(head: bytes) -> int:
        if _is_harwell_boeing(_name_and_suffix(file)[1], head):
            return harwell_boeing.most_bytes(source, head)
        return matrix_market.most_bytes(source, head)

    return most


def _is_harwell_boeing(suffix: str, data: bytes) -> bool:
    return suffix in harwell_boeing.SUFFIXES and not data.startswith(matrix_market.BANNER)


def _name_and_suffix(file: str) -> tuple[str, str]:
    """Split off what names the format, after ``.gz``."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(file).suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    name = file.removesuffix(".gz")
    return name[: len(name) - len(suffix)] or file, suffix
