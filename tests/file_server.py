"""A web server on this machine that serves files well or badly, as a test wants."""

import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    """What is wrong with one answer; nothing is by default.

    Attributes
    ----------
    status
        Another one than 200 or 206; then there is no file.
    cut
        Bytes of the body after which the connection is reset.
    stall
        Bytes of the body after which nothing comes any more; -1 before the headers.
    headers
        Further ones, or others; None leaves one out.
    pause
        Seconds between pieces of the body.
    chunked
        Whether the body comes in chunks, without its length.
    """

    status: int | None = None
    cut: int | None = None
    stall: int | None = None
    headers: dict[str, str | None] = field(default_factory=dict)
    pause: float = 0.0
    chunked: bool = False


@dataclass
class File:
    """A file on the server.

    Attributes
    ----------
    content
        Its bytes.
    answers
        What the next answers are like; the last one stays.
    ranges
        Whether a part of it can be asked for.
    conditions
        Whether ``If-Range`` is obeyed.
    etag, last_modified
        What the server calls its state.
    """

    content: bytes
    answers: list[Answer] = field(default_factory=lambda: [Answer()])
    ranges: bool = True
    conditions: bool = True
    etag: str | None = '"1"'
    last_modified: str | None = None

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class FileServer:
    """The server: put a `File` into ``files`` under its path, find in ``requests`` what was asked."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.requests: list[tuple[str, Message]] = []
        self.closing = threading.Event()
        server = self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        server.block_on_close = False
        server.file_server = self
        server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def asked(self, header: str) -> list[str | None]:
        """Return a header of each request."""
        return [headers[header] for _, headers in self.requests]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server.file_server
        server.requests.append((self.path, self.headers))
        file = server.files.get(self.path, File(b"", [Answer(status=404)]))
        answer = file.next_answer()
        self.close_connection = True
        if answer.stall == -1:
            server.closing.wait(10)
        elif answer.status is not None:
            self._head(answer.status, {"Content-Length": "0", **answer.headers})
        else:
            self._send(file, answer, server)

    def _send(self, file, answer, server):
        start, status, total = self._start(file), 200, len(file.content)
        headers = {"ETag": file.etag, "Last-Modified": file.last_modified}
        if start is not None and start >= total:
            self._head(416, {"Content-Range": f"bytes */{total}", "Content-Length": "0", **headers})
            return
        if start is not None:
            status = 206
            headers["Content-Range"] = f"bytes {start}-{total - 1}/{total}"
        body = file.content[start or 0 :]
        length = {"Transfer-Encoding": "chunked"} if answer.chunked else {"Content-Length": str(len(body))}
        self._head(status, {**length, **headers, **answer.headers})
        for place in range(0, len(body), 1000):
            piece = body[place : place + 1000]
            for limit in (answer.cut, answer.stall):
                if limit is not None and place + len(piece) > limit:
                    piece = body[place:limit]
            with suppress(OSError):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if answer.chunked else piece)
                self.wfile.flush()
            if answer.stall is not None and place + len(piece) >= answer.stall:
                server.closing.wait(10)
                return
            if answer.cut is not None and place + len(piece) >= answer.cut:
                self._reset()
                return
            if answer.pause:
                server.closing.wait(answer.pause)
        if answer.chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _start(self, file):
        asked, condition = self.headers["Range"], self.headers["If-Range"]
        if asked is None or not file.ranges:
            return None
        if file.conditions and condition is not None and condition not in (file.etag, file.last_modified):
            return None
        return int(asked.removeprefix("bytes=").removesuffix("-"))

    def _head(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()

    def _reset(self):
        # What has been sent arrives before the end of the connection does.
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 1))
