"""`vecsim debug --web` in its own process, and a plain client of its WebSocket."""

import os
import re
import socket
import struct
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
HANDSHAKE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
REFUSED = re.compile(rb"HTTP/1\.[01] 403 Forbidden\r\n(?P<headers>(?:[\w-]+: ?[^\r]*\r\n)*)\r\n")


def environment():
    sizes = ("COLUMNS", "LINES")  # pytest's workers have them, and the terminal's own count for less
    return {name: value for name, value in os.environ.items() if name not in sizes} | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    }


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """A server that runs: its process, port, secret and address."""

    def __init__(self, process, address):
        self.process, self.address = process, address
        self.port, self.secret = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", address).groups()
        self.port = int(self.port)
        self.origin = f"http://127.0.0.1:{self.port}"

    def debuggers(self):
        """The processes that it has started, and their children, without those that have ended."""
        below = {self.process.pid}
        while True:
            actual = {pid for pid, parent in processes().items() if parent in below} | below
            if actual == below:
                return below - {self.process.pid}
            below = actual

    def ask(self, path, method="GET", host=None, origin=None, more=""):
        """Send a request; return all that comes back."""
        lines = f"{method} {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\n{more}"
        return self.send(lines + (f"Origin: {origin}\r\n" if origin else "") + "\r\n")

    def reach(self):
        """Open a connection; by the plainest call, for another user may not read what Python would import."""
        connection = socket.socket()
        connection.settimeout(60)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def send(self, content):
        with self.reach() as connection:
            connection.sendall(content if isinstance(content, bytes) else content.encode())
            received = b""
            while (part := connection.recv(1 << 16)) and len(received) < 1 << 14:
                received += part
            return received

    def connect(self, secret=None, origin=None):
        """Open a WebSocket; return the connection, and the first line that comes back."""
        connection = self.reach()
        target = f"/{self.secret if secret is None else secret}/ws?width=100&height=30"
        connection.sendall(
            f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Origin: {origin or self.origin}\r\n{HANDSHAKE}\r\n".encode()
        )
        head = b""
        while b"\r\n\r\n" not in head and (letter := connection.recv(1)):
            head += letter
        return connection, head.decode().partition("\r\n")[0]


def processes():
    """The parent of every process that has not ended."""
    actual = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            actual[int(folder.name)] = int(parent)
    return actual


def frame(text):
    """A text frame as clients send it."""
    content = text.encode()
    assert len(content) < 126
    return struct.pack("BB", 0x81, 0x80 | len(content)) + bytes(4) + content


def receive(connection, wanted):
    """Read until the wanted bytes have come; the frames of servers have them as they are."""
    received = b""
    while wanted not in received:
        part = connection.recv(1 << 16)
        assert part, received[-200:]
        connection.sendall(b"\x8a\x80" + bytes(4))  # a pong, whatever it was
        received += part


@contextmanager
def serving(*arguments, folder=None):
    """Serve the debugger of a small program, or what is given, on a free port."""
    command = [sys.executable, "-m", "vecsim", "debug", *arguments, "--web", "--port", str(free_port())]
    process = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder
    )
    try:
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address, line + process.stdout.read()
        yield Server(process, address[0])
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
