"""Downloaded matrix files in the user's cache: whole, checked, and safe from other processes.

A file comes to its place by a rename, after it has been read as a matrix. Next to it lies a record of where
it came from, with its size and sha256, which are compared each time it is used. Who downloads holds a lock;
others that want the same file wait for it and find it there.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from vecsim.data.download import DownloadError, Remote, Report, discard, download
from vecsim.results.atomic_files import write_file
from vecsim.results.cache_folder import CACHE_FOLDER, cache_folder
from vecsim.support.errors import UserError
from vecsim.support.input_files import DOWNLOAD, RECORD, file_sha256
from vecsim.support.structured_text import read_json

T = TypeVar("T")

PARTIAL_SUFFIX = ".partial"
RECORD_SUFFIX = ".json"
LOCK_SUFFIX = ".lock"


@dataclass(frozen=True)
class Record:
    """Where a file in the cache came from.

    Attributes
    ----------
    url
        Its address.
    size, sha256
        Bytes, and their hash.
    etag, last_modified
        What the server called this state of it, if it named it.
    fetched
        When, in UTC.
    """

    url: str
    size: int
    sha256: str
    etag: str | None
    last_modified: str | None
    fetched: str


def matrix_cache() -> Path:
    """Return the folder of downloaded matrices. It need not exist."""
    return cache_folder() / "matrices"


def cached_file(name: Path) -> tuple[Path, Record] | None:
    """Look for a file in the cache.

    Parameters
    ----------
    name
        Its path below `matrix_cache`.

    Returns
    -------
    tuple
        The file and its record; None if it is not there or not as it was when it came.
    """
    path = matrix_cache() / name
    try:
        record = Record(**read_json(_beside(path, RECORD_SUFFIX), RECORD))
        whole = path.stat().st_size == record.size and file_sha256(path, DOWNLOAD) == record.sha256
        whole = whole and isinstance(record.url, str) and record.url.isprintable()
    except (OSError, ValueError, TypeError, UserError):
        return None
    return (path, record) if whole else None


def fetch(url: str, name: Path, accept: Callable[[Path], T], report: Report | None = None) -> T:
    """Download a file into the cache, unless another process has just done so.

    Parameters
    ----------
    url
        Its address.
    name
        Its path below `matrix_cache`.
    accept
        Reads the file, which has its own name until then; what it refuses is not kept, but downloaded
        again from the beginning.
    report
        Is called with the progress, as by `download`.

    Returns
    -------
    T
        What `accept` has made of the file.

    Raises
    ------
    DownloadError
        If it could not be had, in which case what has arrived stays for the next call, or was twice refused.
    UserError
        If the cache cannot be written.
    """
    path = matrix_cache() / name
    with _alone(path):
        result = cached_file(name)
        if result is not None:
            return accept(result[0])
        partial = _beside(path, PARTIAL_SUFFIX)
        # Whole but damaged: on the way, by a resumption, or on the server, where it will be so again.
        for _ in range(2):
            remote = download(url, partial, report)
            try:
                accepted = accept(partial)
            except UserError as error:
                discard(partial)
                refusal = str(error)
            else:
                _keep(partial, path, remote)
                return accepted
        raise DownloadError(f"{refusal}; a second download did not help")


def cached_files() -> list[Path]:
    """Return all files in the cache, sorted."""
    records = matrix_cache().rglob(f"*{RECORD_SUFFIX}")
    paths = (path.with_name(path.name.removesuffix(RECORD_SUFFIX)) for path in records)
    return sorted(path for path in paths if path.is_file() and path.suffix != PARTIAL_SUFFIX)


def _keep(partial: Path, path: Path, remote: Remote) -> None:
    record = Record(
        url=remote.url,
        size=partial.stat().st_size,
        sha256=file_sha256(partial, DOWNLOAD),
        etag=remote.etag,
        last_modified=remote.last_modified,
        fetched=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    # First the record: a file with the record of another is found damaged, not taken for it.
    write_file(_beside(path, RECORD_SUFFIX), (json.dumps(asdict(record), indent=2) + "\n").encode("utf-8"))
    partial.replace(path)
    discard(partial)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock of a file while it is brought."""
    from filelock import FileLock

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(_beside(path, LOCK_SUFFIX)):
            yield
    except OSError as error:
        raise UserError(
            f"{error.filename or path}: cannot be written: {error.strerror or error}; "
            f"{CACHE_FOLDER} can name another folder for the cache"
        ) from None


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
