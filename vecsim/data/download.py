"""One file over HTTP, however often the line breaks: timeouts, retries with back-off, resumption.

Requests knows proxies, certificates and redirections, urllib3's Retry counts the attempts and waits. Pooch,
which stands on Requests too, begins a broken file from its first byte and cannot tell a partial answer from a
whole one, so a downloader of ours below it would be all of this module. What `pooch.retrieve` does around one
is a temporary name, with which a later call cannot go on, and a check of the file's sha256, which the
collections do not publish.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from vecsim.data.addresses import RULE, is_safe
from vecsim.data.limits import file_limit, too_long
from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError
from vecsim.support.input_files import RECORD
from vecsim.support.structured_text import read_json
from vecsim.support.suggestions import shown

if TYPE_CHECKING:
    from requests import Response, Session
    from requests.adapters import BaseAdapter
    from urllib3.util import Retry

Report = Callable[[int, int | None], None]
"""``report(done, total)``: bytes that are here, bytes in all or None if the server does not tell."""

CHUNK = 1 << 16
RETRIED = frozenset({403, 408, 425, 429, 500, 502, 503, 504})
"""Answers that may be better the next time. SuiteSparse's server says 403 to who asks too often."""
NOT_THERE = frozenset({404, 410})
STATE_SUFFIX = ".json"
_NUMBER = re.compile(r"\d{1,18}")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-\d+/(\d{1,18}|\*)")


@dataclass(frozen=True)
class Patience:
    """How long, and how often, a server is asked.

    Attributes
    ----------
    connect
        Seconds for a connection.
    silence
        Seconds without a byte after which a connection counts as dead.
    connections
        Attempts in a row that reach no server.
    attempts
        Attempts in a row that bring nothing new.
    pause
        Seconds before the second attempt; doubled before each further one.
    longest_pause
        Seconds that no pause exceeds, whatever the server asks for.
    """

    connect: float = 10.0
    silence: float = 30.0
    connections: int = 2
    attempts: int = 5
    pause: float = 1.0
    longest_pause: float = 60.0


PATIENCE = Patience()
"""The default of `download`."""


@dataclass(frozen=True)
class Remote:
    """What a server said of a file; a partial file is resumed only if it still says the same.

    Attributes
    ----------
    url
        What was asked for.
    size
        Bytes; None if it did not tell.
    etag, last_modified
        Its names for this state of the file; None if it gave none.
    """

    url: str
    size: int | None
    etag: str | None
    last_modified: str | None

    @property
    def condition(self) -> str | None:
        """What an ``If-Range`` header can say: a strong ETag, otherwise the date."""
        strong = self.etag is not None and not self.etag.startswith("W/")
        return self.etag if strong else self.last_modified


class DownloadError(UserError):
    """A file could not be had from the network."""


class _Interrupted(Exception):
    """An attempt that failed and may go better the next time."""

    def __init__(self, reason: str, *, connected: bool = True, response: Response | None = None) -> None:
        super().__init__(reason)
        self.connected = connected
        self.response = None if response is None else response.raw


def download(
    url: str, partial: Path, report: Report | None = None, patience: Patience | None = None
) -> Remote:
    """Bring a file, going on where an earlier call stopped.

    Parameters
    ----------
    url
        Its address, of https; http is for this machine alone, after redirections too.
    partial
        Where its bytes go, with a note of what they are part of next to them (``partial`` and ``.json``).
        After an error both stay for the next call, unless the file is larger than may be; at the end
        ``partial`` is whole, and `discard` removes the note when the file has found its place.
    report
        Is called with the progress, now and then.
    patience
        `PATIENCE` without it.

    Raises
    ------
    DownloadError
        In one line: an address that is not safe, no connection, no such file, refused, silent, broken off,
        larger than `vecsim.data.limits.file_limit`, no room on the disk.
    """
    patience = patience or PATIENCE
    retry = _retry(patience, patience.attempts - 1)
    farthest = _size(partial)
    while True:
        try:
            remote = _attempt(url, partial, report or (lambda done, total: None), patience)
        except _Interrupted as interruption:
            if _size(partial) > farthest:
                farthest, retry = _size(partial), _retry(patience, patience.attempts)
            retry = _wait(retry, url, interruption)
        else:
            # A process that is killed before the file has found its place leaves a note of a whole file.
            _write_note(partial, replace(remote, size=_size(partial)))
            return remote


def discard(partial: Path) -> None:
    """Forget what `download` has left or brought."""
    partial.unlink(missing_ok=True)
    _note(partial).unlink(missing_ok=True)


def _retry(patience: Patience, attempts: int) -> Retry:
    from urllib3.util.retry import RequestHistory, Retry

    return Retry(
        total=attempts,
        connect=patience.connections - 1,
        backoff_factor=patience.pause / 2,
        backoff_max=patience.longest_pause,
        retry_after_max=int(patience.longest_pause),
        # By itself Retry asks at once after a first failure: it has seen one already.
        history=(RequestHistory("GET", None, None, None, None),),
    )


def _wait(retry: Retry, url: str, interruption: _Interrupted) -> Retry:
    """Pause before the next attempt, as the server asks if it does; return what counts the further ones."""
    from urllib3.exceptions import ConnectTimeoutError, InvalidHeader, MaxRetryError

    error = None if interruption.connected else ConnectTimeoutError()
    try:
        retry = retry.increment("GET", url, interruption.response, error)
    except MaxRetryError:
        raise DownloadError(f"{url}: {interruption}") from None
    try:
        retry.sleep(interruption.response)
    except InvalidHeader:
        retry.sleep()
    return retry


def _attempt(url: str, partial: Path, report: Report, patience: Patience) -> Remote:
    known = _known(url, partial)
    have = _size(partial) if known else 0
    if known and known.size == have:
        return known
    with _asked(url, known, have, patience) as response:
        if known and response.status_code in (206, 416):
            remote = _continued(response, known, have)
            if remote is None:
                discard(partial)
                raise _Interrupted("the file on the server changes while it is read")
        elif response.status_code == 200:
            # The first attempt, or the file has changed, or the server sends only whole files.
            remote, have = _described(url, response, response.headers.get("Content-Length", "")), 0
        else:
            _refuse(url, response)
        try:
            _check_size(remote, have, partial)
            if not have:
                partial.unlink(missing_ok=True)  # before the note is that of another file
            _write_note(partial, remote)
            _receive(response, partial, have, remote, report, patience)
        except OSError as error:
            raise DownloadError(
                f"{partial}: cannot be written: {error.strerror or error}; free space or choose "
                "another folder"
            ) from None
    return remote


@contextmanager
def _asked(url: str, known: Remote | None, have: int, patience: Patience) -> Iterator[Response]:
    """Ask for a file, or for the rest of it if the part on disk still belongs to it."""
    from requests import exceptions

    from vecsim import __version__

    # Compressed on the way, the bytes would not be those of the file.
    headers = {"User-Agent": f"vecsim/{__version__}", "Accept-Encoding": "identity"}
    if known:
        headers["Range"] = f"bytes={have}-"
        if known.condition:
            headers["If-Range"] = known.condition
    try:
        response = _session(url).get(
            url, headers=headers, stream=True, timeout=(patience.connect, patience.silence)
        )
    except exceptions.ReadTimeout:
        raise _Interrupted(f"the server did not answer within {patience.silence:g} s") from None
    except exceptions.ConnectTimeout:
        raise _Interrupted(
            f"no connection to {urlsplit(url).netloc} within {patience.connect:g} s", connected=False
        ) from None
    except exceptions.SSLError as error:
        raise DownloadError(f"{url}: no secure connection: {_cause(error)}; check the certificates") from None
    except exceptions.ConnectionError as error:
        raise _Interrupted(
            f"no connection to {urlsplit(url).netloc}: {_cause(error)}", connected=False
        ) from None
    except (exceptions.RequestException, ValueError) as error:
        raise DownloadError(f"{url}: {_cause(error)}") from None
    with response:
        yield response


def _session(asked: str) -> Session:
    """Return what asks for a file, and follows redirections, but only to addresses that are safe."""
    import requests

    class SafeSession(requests.Session):
        def get_adapter(self, url: str) -> BaseAdapter:
            if not is_safe(url):
                led = f"leads to {shown(url)}: " if is_safe(asked) else ""
                raise DownloadError(f"{asked}: {led}{RULE}")
            return super().get_adapter(url)

    return SafeSession()


def _refuse(url: str, response: Response) -> NoReturn:
    said = f"the server answered {response.status_code} {response.reason or ''}".rstrip()
    if response.status_code in NOT_THERE:
        raise DownloadError(f"{url}: no such file ({said})")
    if response.status_code in RETRIED:
        raise _Interrupted(said, response=response)
    raise DownloadError(f"{url}: {said}")


def _described(url: str, response: Response, size: str) -> Remote:
    headers = response.headers
    message = int(size) if _NUMBER.fullmatch(size) else None
    return Remote(url, message, headers.get("ETag"), headers.get("Last-Modified"))


def _continued(response: Response, known: Remote, have: int) -> Remote | None:
    """Return what the server says of a file that it goes on with where it stops here; None if it does not.

    The file must be unchanged, as far as the server's two answers show.
    """
    message = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status_code != 206 or message is None or int(message[1]) != have:
        return None
    now = _described(known.url, response, message[2])
    same = all(None in pair or pair[0] == pair[1] for pair in zip(astuple(known), astuple(now), strict=True))
    return replace(known, size=now.size if known.size is None else known.size) if same else None


def _check_size(remote: Remote, have: int, partial: Path) -> None:
    """Refuse a file that is too long, or too large for the disk, as far as the server reports its size."""
    size = remote.size or 0
    if size > file_limit():
        raise _too_long(remote.url, partial)
    free = shutil.disk_usage(partial.parent).free
    if size - have > free:
        raise DownloadError(
            f"{remote.url}: {size - have:,} bytes are missing, "
            f"but the disk of {partial.parent} has {free:,} free; free some space"
        )


def _too_long(url: str, partial: Path) -> DownloadError:
    discard(partial)
    return DownloadError(str(too_long(url, file_limit())))


def _receive(
    response: Response, partial: Path, have: int, remote: Remote, report: Report, patience: Patience
) -> None:
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    limit = file_limit()
    with partial.open("r+b" if have else "wb") as file:
        file.seek(have)
        report(have, remote.size)
        try:
            # iter_content would unpack a .gz file that a server labels Content-Encoding: gzip, and would keep
            # what it has of a chunk to itself when the line breaks.
            while chunk := response.raw.read1(CHUNK, decode_content=False):
                have += len(chunk)
                if have > limit:
                    raise _too_long(remote.url, partial)
                file.write(chunk)
                report(have, remote.size)
        except ReadTimeoutError:
            raise _Interrupted(
                f"the server fell silent for {patience.silence:g} s after {_of(have, remote.size)}"
            ) from None
        except HTTPError:
            raise _Interrupted(f"the connection broke after {_of(have, remote.size)}") from None
    if remote.size is not None and have != remote.size:
        raise _Interrupted(f"the server sent {_of(have, remote.size)}")


def _of(have: int, size: int | None) -> str:
    return f"{have:,} bytes" if size is None else f"{have:,} of {size:,} bytes"


def _note(partial: Path) -> Path:
    return partial.with_name(partial.name + STATE_SUFFIX)


def _write_note(partial: Path, remote: Remote) -> None:
    try:
        write_file(_note(partial), json.dumps(asdict(remote)).encode("ascii"))
    except UserError as error:
        raise DownloadError(str(error)) from None


def _known(url: str, partial: Path) -> Remote | None:
    """Return what the partial file is part of; None if it is of no use, or if its change would not show."""
    try:
        remote = Remote(**read_json(_note(partial), RECORD))
        message: tuple[Any, ...] = (remote.size, remote.etag, remote.last_modified)
        fits = remote.size is None or 0 <= _size(partial) <= remote.size
    except (OSError, ValueError, TypeError, UserError):
        return None
    return remote if remote.url == url and any(message) and fits and _size(partial) else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _cause(error: BaseException) -> str:
    """Find what the operating system said below the exceptions that wrap it."""
    for inner in (getattr(error, "reason", None), error.__cause__, *error.args[::-1]):
        if isinstance(inner, BaseException):
            return _cause(inner)
    return getattr(error, "strerror", None) or str(error)
