"""One way in: a path, a name or an address becomes a matrix, packed or not, in whichever format."""

import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from vecsim.data import harwell_boeing, matrix_market
from vecsim.data.archive import MAGIC_BYTES, is_archive, matrix_in
from vecsim.data.builtin import BUILTINS, find_builtin, how_to_write, load_builtin
from vecsim.data.collections import Entry, counterpart, entries, find_entries
from vecsim.data.collections.pinned import require_pinned
from vecsim.data.download import DownloadError, Report
from vecsim.data.matrix import Matrix, check_size
from vecsim.data.matrix_cache import cached_file, fetch, matrix_cache
from vecsim.data.search_path import MATRIX_FOLDERS, exists, files_in, find_file, matrix_folders
from vecsim.data.source_bytes import Readable, opened, taken
from vecsim.support.arguments import names, path_text
from vecsim.support.errors import UserError
from vecsim.support.progress import Measure, Progress
from vecsim.support.suggestions import nearest


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
        Whether complex values are kept; otherwise their real part is taken, with a warning.

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
                f"{source}: the server sent a web page, not a matrix; the network may need a login"
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
    """Return what tells by a file's beginning how long it can be."""

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


OFFLINE = "VECSIM_OFFLINE"
"""Environment variable that forbids the network, unless it is empty or 0."""
RECONSTRUCTED = "reconstructed"
"""Name of a folder of files whose pattern is that of the original, but not all of their values."""
NEAR = 3
"""Names that are proposed for an unknown one, at most: the collections have many that are alike."""
HOW_TO_LIST = "`vecsim list matrices` lists all built-in ones and finds others"


class NotFoundLocallyError(UserError):
    """A matrix that could be downloaded, but must not be."""


def read(path: str | os.PathLike[str], *, complex: bool = False) -> Matrix:
    """Read a matrix file.

    Matrix Market is known by its banner, Harwell-Boeing and Rutherford-Boeing by the suffix (.rua, .rsa,
    .pua, .psa, .rb, .hb, ...); either may be gzipped, or lie in an archive (.tar.gz) of SuiteSparse.

    Parameters
    ----------
    path
        The file. If it lies in a folder named ``reconstructed``, the matrix has a warning that says so.
    complex
        Whether complex values are kept, as complex128; otherwise their real part is taken, with a warning.
        Real values stay real either way.

    Raises
    ------
    UserError
        In one line that names the file and, where known, the line: missing, a directory, unreadable,
        empty, damaged, of another kind, malformed, cut off, an index out of range, not a finite number.
    """
    path = Path(path)
    matrix = read_file(path, str(path), path.name, keep_complex=complex)
    if path.absolute().parent.name != RECONSTRUCTED:
        return matrix
    warning = f"{path}: a reconstructed file: the pattern is that of {matrix.name}, some values are made up"
    return dataclasses.replace(matrix, warnings=(*matrix.warnings, warning))


def load(
    source: str | os.PathLike[str] | Matrix,
    *,
    folders: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    download: bool = True,
    show_progress: bool = True,
    complex: bool = False,
) -> Matrix:
    """Return the matrix that a path, a name or an address stands for.

    A name is sought in the folders of ``VECSIM_MATRICES``, in `folders`, in the user's cache of downloads,
    among the built-ins and in the indexes of the collections, SuiteSparse before the Matrix Market. Only what
    an index holds is downloaded, into the cache. A bare name whose collection cannot be had is taken from the
    other one, with a warning.

    Parameters
    ----------
    source
        The path of an existing file; otherwise a name: of a file in a folder (``NAME``, ``GROUP/NAME``), of a
        built-in (see `BUILTINS`), of a matrix of SuiteSparse (``NAME``, ``GROUP/NAME``) or the Matrix Market
        (``NAME``, ``COLLECTION/SET/NAME``); or the address of a file, https://. A path object means a file. A
        `Matrix` is returned as it is.
    folders
        Further folders of files.
    download
        Whether the network may be asked; ``VECSIM_OFFLINE`` forbids it too.
    show_progress
        Whether a download shows a bar, on stderr if that is a terminal.
    complex
        Whether complex values are kept, as `read` says; programs and formats of the simulated machine refuse
        them.

    Returns
    -------
    Matrix
        Its `source` is the path of the file, the address it was downloaded from, or "built-in".

    Raises
    ------
    NotFoundLocallyError
        If it would have to be downloaded, and must not be.
    DownloadError
        If it cannot be downloaded.
    UserError
        If there is no such matrix, naming the nearest ones; if a name means several; or as `read` and
        `load_builtin` do.

    Examples
    --------
    >>> import vecsim
    >>> vecsim.load("laplace2d-3")
    Matrix(name='laplace2d-3', shape=(9, 9), nnz=33, source='built-in')
    """
    if isinstance(source, Matrix):
        return source
    text = source if isinstance(source, str) else path_text("load: a matrix", source)
    if isinstance(source, os.PathLike) or (exists(text) and not Path(text).is_dir()):
        return read(text, complex=complex)
    if text.startswith(("https://", "http://")):
        return _from_address(text, download, show_progress, complex)
    searched = [*matrix_folders(), *map(Path, names("folders", folders))]
    file = find_file(text, searched)
    if file is not None:
        return read(file, complex=complex)
    builtin = find_builtin(text) is not None
    if builtin and not exists(matrix_cache()):
        return load_builtin(text)  # without the time that reading the indexes takes
    offered = _offered(text)
    for entry in offered:
        matrix = _from_cache(entry.cache_name, complex)
        if matrix is not None:
            return matrix
    if builtin:
        return load_builtin(text)
    if offered:
        return _from_collections(text, offered, download, show_progress, complex)
    raise _unknown(text, searched)


def find_download(name: str) -> Path | None:
    """Return the file of a matrix of a collection that was downloaded before; None if there is none.

    Raises
    ------
    UserError
        If the name means several matrices.
    """
    if not exists(matrix_cache()):
        return None
    result = (cached_file(entry.cache_name) for entry in _offered(name))
    return next((path for path, _ in filter(None, result)), None)


def _offered(name: str) -> list[Entry]:
    """Return what a name means in the collections; a bare name means its counterpart too, in second place."""
    result = find_entries(name)
    if len(result) > 1:
        which = ", ".join(f"{entry.path} ({entry.rows:,} x {entry.columns:,})" for entry in result)
        raise UserError(f"{result[0].collection.name} has several matrices named {name}: choose {which}")
    other = counterpart(result[0]) if result and "/" not in name else None
    return result if other is None else [*result, other]


def _from_cache(name: Path, keep_complex: bool, url: str | None = None) -> Matrix | None:
    """Return a matrix of the cache, which came from an address, or from where its record says."""
    result = cached_file(name)
    if result is None:
        return None
    path, record = result
    return read_file(path, url or record.url, path.name, keep_complex=keep_complex)


def _from_collections(
    name: str, offered: list[Entry], download: bool, show_progress: bool, keep_complex: bool
) -> Matrix:
    """Download a matrix from the first collection that gives it."""
    for entry in offered:
        if entry.rows is not None and entry.columns is not None and entry.entries is not None:
            check_size(str(entry), entry.rows, entry.columns, entry.entries)
    remedy = f"a file {name.rpartition('/')[2]}.mtx.gz in a folder that {MATRIX_FOLDERS} names would do"
    _require_network(str(offered[0]), download, f"; {remedy}")
    failures: list[str] = []
    for entry in offered:
        try:
            matrix = _from_collection(entry, show_progress, keep_complex)
        except DownloadError as error:
            failures.append(str(error))
        else:
            notes = [f"{matrix.name}: taken from {entry.collection.name}, because {why}" for why in failures]
            return dataclasses.replace(matrix, warnings=(*notes, *matrix.warnings))
    raise DownloadError("; ".join((*failures, remedy)))


def _from_collection(entry: Entry, show_progress: bool, keep_complex: bool) -> Matrix:
    url = entry.url

    def accept(path: Path) -> Matrix:
        file = entry.name + entry.collection.suffix
        matrix = read_file(path, url, file, refuse_pages=True, keep_complex=keep_complex)
        rows, columns = matrix.csr.shape
        if entry.rows is not None and (rows, columns) != (entry.rows, entry.columns):
            raise UserError(f"{url}: has {rows:,} x {columns:,} elements; expected was {entry}")
        require_pinned(url, entry, matrix.csr.real)  # what is pinned are real parts
        return matrix

    with _progress(entry.name, show_progress) as report:
        return fetch(url, entry.cache_name, accept, report)


def _from_address(url: str, download: bool, show_progress: bool, keep_complex: bool) -> Matrix:
    try:
        path = unquote(urlsplit(url).path)
    except ValueError as error:
        raise UserError(f"{url}: is not an address ({error}); write https://HOST/PATH") from None
    if not path.isprintable():
        raise UserError(f"{url}: the address of a file must not have control characters")
    name = PurePosixPath(path).name
    file = "matrix" if name in ("", "..") else name
    kept_as = Path("addresses", hashlib.sha256(url.encode()).hexdigest()[:16], file)
    matrix = _from_cache(kept_as, keep_complex, url)
    if matrix is not None:
        return matrix
    _require_network(url, download, "; allow downloads")
    with _progress(file, show_progress) as report:
        return fetch(
            url,
            kept_as,
            lambda path: read_file(path, url, file, refuse_pages=True, keep_complex=keep_complex),
            report,
        )


@contextmanager
def _progress(name: str, shown: bool) -> Iterator[Report | None]:
    """Yield what a download reports to, None if nobody would see it.

    The bar is there from the beginning, while a connection or another process is waited for too.
    """
    with Progress(Measure.BYTES, patience=0) as bar:
        doing = f"downloading {name}"
        if shown:
            bar.show(doing, 0, None)
        yield (lambda done, total: bar.show(doing, done, total)) if shown and bar.is_seen else None


def _require_network(what: str, allowed: bool, remedy: str = "") -> None:
    if os.environ.get(OFFLINE, "") not in ("", "0"):
        raise NotFoundLocallyError(f"{what}: not found, and {OFFLINE} forbids to download it{remedy}")
    if not allowed:
        raise NotFoundLocallyError(f"{what}: not found{remedy}")


def _unknown(name: str, folders: Iterable[Path]) -> UserError:
    """Return the error of a name that means nothing, with similar names."""
    group, separator, _ = name.rpartition("/")
    if name and exists(name):
        return UserError(f"{name}: is a directory, a matrix file is needed")
    in_group = [entry.path for entry in entries() if separator and entry.path.startswith(f"{group}/")]
    if in_group:
        return UserError(
            f"{name}: no such file, nor in the collections; {HOW_TO_LIST}{nearest(name, in_group, NEAR)}"
        )
    family = how_to_write(name)
    if family:
        return UserError(f"unknown matrix '{name}'; {family}")
    if os.sep in name or Path(name).suffix:
        return UserError(f"{name}: no such file; check the path")
    known = (
        *BUILTINS,
        *(result for folder in folders for result, _ in files_in(folder)),
        *(entry.name for entry in entries()),
    )
    return UserError(f"unknown matrix '{name}'; {HOW_TO_LIST}{nearest(name, known, NEAR)}")
