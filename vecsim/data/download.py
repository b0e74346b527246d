"""One file over HTTP, however often the line breaks: timeouts, retries with back-off, resumption.

Made with Requests, which knows proxies, certificates and redirections. Pooch, which stands on it too, begins
a broken download from its first byte and asks again at once; what it adds, a check against a known sha256,
the collections do not publish.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from vecsim.errors import UserError

if TYPE_CHECKING:
    from requests import Response

Report = Callable[[int, int | None], None]
"""``report(done, total)``: bytes that are here, bytes in all or None if the server does not tell."""

CHUNK = 1 << 16
RETRIED = frozenset({403, 408, 425, 429, 500, 502, 503, 504})
"""Answers that may be better the next time. SuiteSparse's server says 403 to who asks too often."""
NOT_THERE = frozenset({404, 410})
STATE_SUFFIX = ".json"


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
"""What `download` has unless it is told otherwise."""


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
        """What an ``If-Range`` header can say: a strong ETag, else the date."""
        strong = self.etag is not None and not self.etag.startswith("W/")
        return self.etag if strong else self.last_modified

    @property
    def is_recognizable(self) -> bool:
        """Whether a change of the file would show."""
        return (self.size, self.condition, self.etag) != (None, None, None)


class DownloadError(UserError):
    """A file could not be had from the network."""


class _Interrupted(Exception):
    """An attempt that failed and may go better the next time."""

    def __init__(self, reason: str, *, connected: bool = True, pause: float | None = None) -> None:
        super().__init__(reason)
        self.connected = connected
        self.pause = pause


def download(
    url: str, partial: Path, report: Report | None = None, patience: Patience | None = None
) -> Remote:
    """Bring a file, going on where an earlier call stopped.

    Parameters
    ----------
    url
        Its address.
    partial
        Where its bytes go, with a note of what they are part of beside them (``partial`` and ``.json``).
        After an error both stay for the next call; at the end ``partial`` is whole and the note is gone.
    report
        Is told of the progress, now and then.
    patience
        `PATIENCE` without it.

    Raises
    ------
    DownloadError
        In one line: no connection, no such file, refused, silent, broken off, no room on the disk.
    """
    patience = patience or PATIENCE
    unreached = fruitless = 0
    farthest = _size(partial)
    while True:
        try:
            remote = _attempt(url, partial, report or _say_nothing, patience)
        except _Interrupted as interruption:
            here = _size(partial)
            fruitless = 0 if here > farthest else fruitless + 1
            unreached = 0 if interruption.connected else unreached + 1
            farthest = max(farthest, here)
            if unreached >= patience.connections or fruitless >= patience.attempts:
                raise DownloadError(f"{url}: {interruption}") from None
            pause = patience.pause * 2 ** max(fruitless - 1, 0)
            time.sleep(min(max(pause, interruption.pause or 0.0), patience.longest_pause))
        else:
            _note(partial).unlink(missing_ok=True)
            return remote


def discard(partial: Path) -> None:
    """Forget what `download` has left or brought."""
    partial.unlink(missing_ok=True)
    _note(partial).unlink(missing_ok=True)


def _attempt(url: str, partial: Path, report: Report, patience: Patience) -> Remote:
    known = _known(url, partial)
    have = _size(partial) if known else 0
    with _asked(url, known, have, patience) as response:
        if known and response.status_code == 206:
            remote = _continued(response, known, have, partial)
        elif known and response.status_code == 416:
            remote = _same(known, _described(url, response, _total(response)), partial)
            if have != remote.size:
                _start_again(partial)
            return remote
        elif response.status_code == 200:
            # The first attempt, or the file has changed, or the server sends only whole files.
            remote, have = _described(url, response, _number(response.headers.get("Content-Length"))), 0
        else:
            _refuse(url, response)
        with _writing(partial):
            _check_room(remote, have, partial)
            _write_note(remote, partial)
            _receive(response, partial, have, remote, report, patience)
    return remote


@contextmanager
def _asked(url: str, known: Remote | None, have: int, patience: Patience) -> Iterator[Response]:
    """Ask for a file, or for the rest of it if what is there is still part of it."""
    import requests

    from vecsim import __version__

    # Compressed on the way, the bytes would not be those of the file.
    headers = {"User-Agent": f"vecsim/{__version__}", "Accept-Encoding": "identity"}
    if known:
        headers["Range"] = f"bytes={have}-"
        if known.condition:
            headers["If-Range"] = known.condition
    try:
        response = requests.get(
            url, headers=headers, stream=True, timeout=(patience.connect, patience.silence)
        )
    except requests.exceptions.ReadTimeout:
        raise _Interrupted(f"the server did not answer within {patience.silence:g} s") from None
    except requests.exceptions.ConnectTimeout:
        raise _Interrupted(
            f"no connection to {urlsplit(url).netloc} within {patience.connect:g} s", connected=False
        ) from None
    except requests.exceptions.SSLError as error:
        raise DownloadError(f"{url}: no secure connection: {_cause(error)}") from None
    except requests.exceptions.ConnectionError as error:
        raise _Interrupted(
            f"no connection to {urlsplit(url).netloc}: {_cause(error)}", connected=False
        ) from None
    except (requests.exceptions.RequestException, ValueError) as error:
        raise DownloadError(f"{url}: {_cause(error)}") from None
    with response:
        yield response


def _refuse(url: str, response: Response) -> NoReturn:
    said = f"the server answered {response.status_code} {response.reason or ''}".rstrip()
    if response.status_code in NOT_THERE:
        raise DownloadError(f"{url}: there is no such file ({said})")
    if response.status_code in RETRIED:
        raise _Interrupted(said, pause=_retry_after(response))
    raise DownloadError(f"{url}: {said}")


def _retry_after(response: Response) -> float | None:
    from urllib3.exceptions import InvalidHeader
    from urllib3.util import Retry

    asked = response.headers.get("Retry-After")
    with suppress(InvalidHeader):
        return Retry().parse_retry_after(asked) if asked else None
    return None


def _described(url: str, response: Response, size: int | None) -> Remote:
    headers = response.headers
    return Remote(url, size, headers.get("ETag"), headers.get("Last-Modified"))


def _continued(response: Response, known: Remote, have: int, partial: Path) -> Remote:
    """Check that an answer of 206 goes on with the file where it stops here."""
    begins = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if begins is None or int(begins[1]) != have:
        _start_again(partial)
    return _same(known, _described(known.url, response, _total(response)), partial)


def _same(known: Remote, now: Remote, partial: Path) -> Remote:
    """Check that a file is what it was, as far as the server told both times; give its size too."""
    told = (
        (known.size, now.size),
        (known.etag, now.etag),
        (known.last_modified, now.last_modified),
    )
    if any(None not in pair and pair[0] != pair[1] for pair in told):
        _start_again(partial)
    return replace(known, size=now.size if known.size is None else known.size)


def _start_again(partial: Path) -> NoReturn:
    discard(partial)
    raise _Interrupted("the file on the server changes while it is read")


def _receive(
    response: Response, partial: Path, have: int, remote: Remote, report: Report, patience: Patience
) -> None:
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    with partial.open("r+b" if have else "wb") as file:
        file.seek(have)
        report(have, remote.size)
        try:
            # iter_content would unpack a .gz file that a server labels Content-Encoding: gzip, and would keep
            # what it has of a chunk to itself when the line breaks.
            while chunk := response.raw.read1(CHUNK, decode_content=False):
                file.write(chunk)
                have += len(chunk)
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


@contextmanager
def _writing(partial: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DownloadError(f"{partial}: cannot be written: {error.strerror or error}") from None


def _check_room(remote: Remote, have: int, partial: Path) -> None:
    free = shutil.disk_usage(partial.parent).free
    needed = (remote.size or 0) - have
    if needed > free:
        raise DownloadError(
            f"{remote.url}: {needed:,} bytes are to come, but the disk of {partial.parent} has {free:,} left"
        )


def _note(partial: Path) -> Path:
    return partial.with_name(partial.name + STATE_SUFFIX)


def _write_note(remote: Remote, partial: Path) -> None:
    _note(partial).write_text(json.dumps(asdict(remote)), encoding="utf-8")


def _known(url: str, partial: Path) -> Remote | None:
    """Give what the partial file is part of; None if it is of no use."""
    try:
        remote = Remote(**json.loads(_note(partial).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    fits = remote.size is None or _size(partial) <= remote.size
    return remote if remote.url == url and remote.is_recognizable and fits and _size(partial) else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _total(response: Response) -> int | None:
    """Give the size of the whole file from ``Content-Range: bytes 5-9/10`` (or ``*/10``)."""
    return _number(response.headers.get("Content-Range", "").rpartition("/")[2])


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _cause(error: BaseException) -> str:
    """Find what the operating system said below the exceptions that wrap it."""
    inner: BaseException | None = error
    seen: set[int] = set()
    while inner is not None and id(inner) not in seen:
        seen.add(id(inner))
        if isinstance(inner, OSError) and inner.strerror:
            return inner.strerror
        wrapped = getattr(inner, "reason", None) or (inner.args[0] if inner.args else None)
        inner = wrapped if isinstance(wrapped, BaseException) else inner.__cause__ or inner.__context__
    return str(error)


def _say_nothing(done: int, total: int | None) -> None:
    pass
