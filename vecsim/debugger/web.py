"""The debugger in a browser: a page of textual-serve on this computer, for those who know its address."""

from __future__ import annotations

import asyncio
import importlib.util
import mimetypes
import re
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
from aiohttp import web

from vecsim.debugger.admission import CONNECTION, HOST, Address, Asked
from vecsim.debugger.page_session import Sessions
from vecsim.support.errors import UserError

MOST_CONNECTIONS = 64
"""Connections that have not been admitted, at most; then the oldest of them is closed for a new one."""
PATIENCE = 10.0
"""Seconds that a connection may take to be admitted."""
_FOREIGN = re.compile(r'<link\b[^>]*\bhref="https?:[^>]*>')
"""What a page would ask of other computers: a font, which is among the files here, too."""
_NO_ICON = '<link rel="icon" href="data:,">'
_ENDED = "Session ended."
_STATIC = "static/"
_HEADERS = {
    "Server": "",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every answer: the address goes to nobody else, and no other page shows or reads what is here."""
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src {connection}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page may load: what is served here, and nothing of another address."""


def refused() -> web.Response:
    """Return the answer to whoever is not admitted: that, and nothing else."""
    answer = web.Response(status=403, headers={"Server": ""})
    answer.force_close()
    return answer


class Pages:
    """What is served at an address: the page, its files, and the connection to its own debugger.

    Parameters
    ----------
    address
        Of this start.
    sessions
        The debuggers of the pages that are open.
    """

    def __init__(self, address: Address, sessions: Sessions) -> None:
        self.address, self.sessions = address, sessions
        result = importlib.util.find_spec("textual_serve")
        assert result is not None and result.origin is not None
        package = Path(result.origin).parent
        self._template = (package / "templates" / "app_index.html").read_text(encoding="utf-8")
        static = package / "static"
        self._files = {
            _STATIC + path.relative_to(static).as_posix(): path
            for path in static.rglob("*")
            if path.is_file()
        }

    def admitted(self, request: web.BaseRequest) -> str | None:
        """Return what a request asks for below the secret; None if it is to be refused."""
        return self.address.admitted(Asked(request.method, request.raw_path, tuple(request.headers.items())))

    async def answer(self, request: Any) -> Any:
        """Answer a request."""
        wanted = self.admitted(request)
        if wanted is None:
            return refused()
        request.protocol.note_admitted()
        if wanted == "":
            connection = f"ws://{self.address.host}"
            headers = {"Content-Security-Policy": _POLICY.format(connection=connection)}
            return web.Response(text=self.page, content_type="text/html", headers=_HEADERS | headers)
        if wanted == CONNECTION:
            return await self.sessions.serve(request, _HEADERS)
        path = self._files.get(wanted)
        if path is None:
            return web.Response(status=404, headers=_HEADERS)
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return web.Response(body=path.read_bytes(), content_type=kind, headers=_HEADERS)

    @cached_property
    def page(self) -> str:
        """The page of textual-serve, with nothing of other computers in it."""
        template = jinja2.Environment(autoescape=True).from_string(_FOREIGN.sub(_NO_ICON, self._template))
        page = template.render(
            font_size=16,
            app_websocket_url=f"ws://{self.address.host}/{self.address.secret}/{CONNECTION}",
            config={"static": {"url": f"/{self.address.secret}/{_STATIC}"}},
            application={"name": "vecsim debug"},
        )
        most = f"At most {self.sessions.most} run at a time: close another page if this one did not begin."
        return page.replace(_ENDED, f"{_ENDED} {most}")


class _Protocol(web.RequestHandler):
    """HTTP on one connection, which tells nothing of itself to whoever is not admitted."""

    __slots__ = ("note_admitted",)

    note_admitted: Callable[[], Any]

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Refuse what is no HTTP, without a word about why."""
        if status >= 500:
            self.log_exception("a request to the debugger's page", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError
        return refused()


class Protocols(web.Server):
    """Makes the protocol of each connection, and closes those that are not admitted: late, or too many."""

    def __init__(self, answer: Callable[[web.BaseRequest], Any]) -> None:
        super().__init__(answer, access_log=None, lingering_time=0)
        self._waiting: dict[web.RequestHandler, asyncio.TimerHandle] = {}

    def __call__(self) -> web.RequestHandler:
        """Return the protocol of a new connection."""
        if len(self._waiting) >= MOST_CONNECTIONS:
            self._drop(next(iter(self._waiting)))
        loop = asyncio.get_running_loop()
        built = _Protocol(self, loop=loop, **self._kwargs)
        built.note_admitted = lambda: self._forget(built)
        self._waiting[built] = loop.call_later(PATIENCE, self._drop, built)
        return built

    def connection_lost(self, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        """Forget a connection that is closed."""
        self._forget(handler)
        super().connection_lost(handler, exc)

    def _drop(self, protocol: web.RequestHandler) -> None:
        self._forget(protocol)
        protocol.force_close()

    def _forget(self, protocol: web.RequestHandler) -> None:
        timer = self._waiting.pop(protocol, None)
        if timer is not None:
            timer.cancel()


def serve(arguments: Sequence[str], port: int, say: Callable[[str], object]) -> None:
    """Serve ``vecsim debug`` with these arguments until it is interrupted.

    Every page that is opened has its own debugger.

    Parameters
    ----------
    arguments
        Of vecsim, without those that ask for a browser.
    port
        Of the address on this computer.
    say
        Gets the lines for the user: the address, which nobody else is to see.

    Raises
    ------
    UserError
        The port is taken.
    """
    asyncio.run(_serve(arguments, Address(port), say))


async def _serve(arguments: Sequence[str], address: Address, say: Callable[[str], object]) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, ended.set)
    sessions = Sessions(arguments)
    protocols = Protocols(Pages(address, sessions).answer)
    try:
        server = await loop.create_server(protocols, HOST, address.port)
    except OSError as error:
        raise UserError(f"{address.host}: {error.strerror or error}; choose another by --port") from None
    say(f"vecsim debug is at {address.url}")
    say("Who knows this address controls the debugger. Ctrl-C ends it.")
    try:
        await ended.wait()
    finally:
        server.close()
        await sessions.end()
        await protocols.shutdown(1)
