"""The debuggers after the open pages: a process each, which ends with the connection of its page."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web

from vecsim.support.worker_processes import PARENT

LARGEST = 1000
"""Columns and rows of a terminal, at most."""


def size_of(query: Mapping[str, str]) -> tuple[int, int]:
    """Return columns and rows of the terminal that a page asks for."""
    return _length(query.get("width", ""), 80), _length(query.get("height", ""), 24)


def _length(given: Any, otherwise: int) -> int:
    try:
        length = int(given)
    except (ValueError, TypeError, OverflowError):
        return otherwise
    return max(1, min(length, LARGEST))


def packet_of(message: str) -> bytes | str:
    """Return what a message of a page means: a packet for the debugger, or an answer for the page.

    Raises
    ------
    ValueError
        No page sends this.
    """
    try:
        parts = json.loads(message)
    except RecursionError:
        raise ValueError(message) from None
    if not isinstance(parts, list):
        raise ValueError(message)
    kind, data = [*parts, None, None][:2]
    if kind == "stdin" and isinstance(data, str):
        return _packet(b"D", data.encode("utf-8", "replace"))
    if kind == "ping":
        return json.dumps(["pong", data])
    if kind == "resize" and isinstance(data, dict):
        size = {"width": _length(data.get("width"), 80), "height": _length(data.get("height"), 24)}
        return _packet(b"M", json.dumps({"type": "resize", **size}).encode())
    if kind in ("focus", "blur"):
        return _packet(b"M", json.dumps({"type": kind}).encode())
    raise ValueError(message)


def _packet(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(4, "big") + content


MOST_SESSIONS = 4
PING_SECONDS = 0.7
"""How often a page is asked whether it is there."""
MOST_UNANSWERED = 5
"""This many questions without any word from the page, one after the other, and it is gone. They are counted,
not the time: when the whole computer has slept the page gets to answer."""
CLOSING = 0.5
"""Seconds to wait for the other side to close a connection."""
MOST_BYTES = 1 << 18
"""Of a message of a page."""
MOST_WAITING = 1 << 20
"""Bytes that wait for a debugger which takes nothing; what is typed then is lost."""
READY = b"__GANGLION__\n"
"""With this line textual says that from now on there are packets."""
PRELUDE_LINES = 10


class Sessions:
    """The debuggers of one start.

    Parameters
    ----------
    arguments
        Of vecsim, for the process of each.
    most
        How many may be open at a time.
    """

    def __init__(self, arguments: Sequence[str], most: int = MOST_SESSIONS) -> None:
        self.most = most
        self._command = [sys.executable, "-P", "-m", "vecsim", *arguments]
        self._room = asyncio.Semaphore(most)
        self._open: set[Session] = set()

    async def serve(self, request: Any, headers: Mapping[str, str]) -> Any:
        """Serve the connection of a page until it breaks; refuse it if too many are open.

        A page that is loaded again has a moment for its connection of before to end.
        """
        try:
            await asyncio.wait_for(self._room.acquire(), 2 * CLOSING)
        except TimeoutError:
            text = f"{self.most} debuggers are open at this address: close one of their pages first.\n"
            return web.Response(status=503, text=text, headers=headers)
        websocket: Any = web.WebSocketResponse(
            autoping=False, timeout=CLOSING, max_msg_size=MOST_BYTES, compress=False
        )
        websocket.headers.update(headers)
        session = Session(self._command, websocket, request.transport)
        self._open.add(session)
        try:
            await websocket.prepare(request)
            await session.run(size_of(request.query))
        finally:
            self._open.discard(session)
            self._room.release()
        return websocket

    async def end(self) -> None:
        """End them all."""
        for session in self._open:
            session.kill()
        await asyncio.gather(*(session.websocket.close() for session in self._open), return_exceptions=True)


class Session:
    """A debugger in its own process, and the page that shows it.

    It ends at once when the connection breaks, and is killed: it has nothing to lose.
    """

    def __init__(self, command: Sequence[str], websocket: Any, transport: Any) -> None:
        self.command, self.websocket, self._transport = command, websocket, transport
        self._process: Process | None = None
        self._unanswered = 0

    async def run(self, size: tuple[int, int]) -> None:
        """Start the process and forward what each side sends, until one of them ends."""
        self._process = await asyncio.create_subprocess_exec(
            *self.command, stdin=PIPE, stdout=PIPE, env=_environment(size), start_new_session=True
        )
        tasks = [asyncio.create_task(self._show(self._process.stdout)), asyncio.create_task(self._ask())]
        try:
            await self._type(self._process.stdin)
        finally:
            self.kill()
            for task in tasks:
                task.cancel()
            await self._process.wait()
            await self.websocket.close()

    def kill(self) -> None:
        """End the process."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def _ask(self) -> None:
        """Ask the page whether it is there, again and again; break the connection when it is not."""
        while self._unanswered < MOST_UNANSWERED:
            self._unanswered += 1
            asks = asyncio.create_task(self._ping())  # it may have to wait after what is shown
            await asyncio.sleep(PING_SECONDS)
            asks.cancel()
        self._transport.abort()

    async def _ping(self) -> None:
        with suppress(ConnectionError):
            await self.websocket.ping()

    async def _show(self, output: Any) -> None:
        """Send the page what the debugger shows; close the connection when that ends."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            for _ in range(PRELUDE_LINES):
                if await output.readline() == READY:
                    break
            while True:
                kind, size = await output.readexactly(1), await output.readexactly(4)
                content = await output.readexactly(int.from_bytes(size, "big"))
                if kind == b"D":
                    await self.websocket.send_bytes(content)
        await self.websocket.close()

    async def _type(self, process_input: Any) -> None:
        """Pass to the debugger what the page sends, until the page closes or sends what pages do not."""
        async for message in self.websocket:
            self._unanswered = 0
            if message.type == WSMsgType.PONG:
                continue
            if message.type != WSMsgType.TEXT:
                return
            try:
                packet = packet_of(message.data)
            except ValueError:
                return
            if isinstance(packet, str):
                with suppress(ConnectionError):
                    await self.websocket.send_str(packet)
            elif packet and process_input.transport.get_write_buffer_size() < MOST_WAITING:
                process_input.write(packet)


def _environment(size: tuple[int, int]) -> dict[str, str]:
    """Return the environment in which a debugger draws for a page."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
        "TEXTUAL_FPS": "60",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM_PROGRAM": "textual",
        "COLUMNS": str(size[0]),
        "ROWS": str(size[1]),
        PARENT: str(os.getpid()),
    }
