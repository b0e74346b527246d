"""The debugger's terminal in a browser, by textual-serve: on this computer alone, all files its own."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web
from textual_serve.server import Server

HOST = "127.0.0.1"
_FOREIGN = re.compile(rb'<link\b[^>]*\bhref="https?:[^>]*>')
"""What a page would ask of other computers: a font, which is among the files here, too."""
_NO_ICON = b'<link rel="icon" href="data:,">'


class LocalServer(Server):
    """Serves to pages of its own alone: no other page may open its connection, which runs commands."""

    async def handle_websocket(self, request: web.Request) -> Any:
        """Refuse a connection that a page of another address opens."""
        if request.headers.get("Origin") != self.public_url:
            raise web.HTTPForbidden(text="a page of another address")
        return await super().handle_websocket(request)


def offline_template(folder: Path) -> None:
    """Write the page of textual-serve without what it asks of other computers."""
    found = importlib.util.find_spec("textual_serve")
    assert found is not None and found.origin is not None
    page = Path(found.origin).parent / "templates" / "app_index.html"
    (folder / page.name).write_bytes(_FOREIGN.sub(_NO_ICON, page.read_bytes()))


def serve(arguments: Sequence[str], port: int) -> None:
    """Serve ``vecsim debug`` with these arguments until it is interrupted.

    Every page that is opened has a debugger of its own.

    Parameters
    ----------
    arguments
        Of vecsim, without those that ask for a browser.
    port
        Of the address on this computer.
    """
    command = shlex.join([sys.executable, "-m", "vecsim", *arguments])
    with tempfile.TemporaryDirectory(prefix="vecsim-debug-") as folder:
        offline_template(Path(folder))
        server = LocalServer(
            command,
            host=HOST,
            port=port,
            title="vecsim debug",
            public_url=f"http://{HOST}:{port}",
            templates_path=folder,
        )
        server.serve()
