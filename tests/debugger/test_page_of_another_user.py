"""Another user of the computer gets nothing from the debugger's page, and debuggers end with their pages."""

import json
import os
import signal
import socket
import time
import traceback
from pathlib import Path

import pytest
from debugger_server import HANDSHAKE, REFUSED, frame, processes, receive, serving

pytest.importorskip("textual_serve", reason="pip install '.[teach]'")
pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc"),
]
NOBODY = 65534
KERNEL = "li x5, 3\nagain: addi x5, x5, -1\nbnez x5, again\nhalt\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "kernel.s").write_text(KERNEL)
    with serving("kernel.s", folder=folder) as running:
        running.folder = folder
        yield running


def as_nobody(attack, *arguments):
    """Run a function as another user, where that is possible; return what it raises."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            attack(*arguments)
        except BaseException:
            os.write(writing, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as message:
        complaint = message.read()
    os.waitpid(child, 0)
    assert not complaint, complaint


def wait_for(holds):
    """Wait until something holds: how long that may take is the server's affair (see `test_in_time`)."""
    for _ in range(300):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError


def guesses(server):
    """Every request of one who does not know the secret, and of pages of other origins."""
    wrong = [server.secret[:-1], server.secret + "A", server.secret[::-1], "", ".", "..", "%2e%2e", "A" * 43]
    paths = [
        "/",
        "/ws",
        "/static/css/xterm.css",
        "/static/",
        "/download/x",
        "/favicon.ico",
        "/robots.txt",
        "*",
    ]
    paths += [f"/{guess}/{rest}" for guess in wrong for rest in ("", "ws", "static/js/textual.js")]
    paths += [f"/?{name}={server.secret}" for name in ("token", "secret", "")]  # it is no query
    for path in paths:
        for method in ("GET", "POST", "HEAD", "OPTIONS", "DELETE"):
            yield server.ask(path, method)
        yield server.ask(path, more=HANDSHAKE, origin=server.origin)
    for right in (f"/{server.secret}/", f"/{server.secret}/ws"):
        yield server.ask(right, host="evil.example")
        yield server.ask(right, host=f"evil.example:{server.port}")
        yield server.ask(right, origin="http://evil.example", more=HANDSHAKE)
        yield server.ask(right, origin="null", more=HANDSHAKE)
        yield server.ask(right, method="POST")
        yield server.send(f"GET {right} HTTP/1.0\r\n\r\n")
    yield server.ask(f"/{server.secret}/ws", more=HANDSHAKE)  # no origin
    yield server.ask("/", more="Expect: 100-continue\r\nContent-Length: 5\r\n")
    yield server.ask("/", more=f"Cookie: vecsim={server.secret}\r\nAuthorization: Bearer {server.secret}\r\n")
    for garbage in (
        b"\x16\x03\x01\0\0\r\n\r\n",
        b"GARBAGE\r\n\r\n",
        b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n",
    ):
        yield server.send(garbage + b"\r\n\r\n")


def get_nothing(server):
    for answer in guesses(server):
        refused = REFUSED.fullmatch(answer)
        assert refused, answer[:300]
        names = {line.partition(b":")[0] for line in refused["headers"].splitlines()}
        assert names <= {b"Server", b"Content-Length", b"Date", b"Connection"}, names
        assert b"ython" not in answer and b"aiohttp" not in answer


def read_nothing(server, processes):
    for pid in processes:
        shown = Path(f"/proc/{pid}/cmdline").read_bytes()
        assert b"vecsim" in shown and server.secret.encode() not in shown
        if os.geteuid() == NOBODY:
            with pytest.raises(PermissionError):
                Path(f"/proc/{pid}/environ").read_bytes()
        else:
            assert server.secret.encode() not in Path(f"/proc/{pid}/environ").read_bytes()


def drive(server):
    """Step with the secret, and save: whoever knows the secret may."""
    page = server.send(
        f"GET /{server.secret}/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n"
    )
    assert page.startswith(b"HTTP/1.1 200 OK") and b"Referrer-Policy: no-referrer" in page
    connection, status = server.connect()
    with connection:
        assert "101" in status
        receive(connection, b"kernel.s")
        type_into(connection, "", b"run to here", kind="focus")
        type_into(connection, ":", b"a command")
        type_into(connection, "step\r", b"next is")
        type_into(connection, ":", b"a command")
        type_into(connection, "save by_page.s\r", b"written to")
        type_into(connection, ":", b"a command")
        type_into(connection, "save /tmp/by_page.s\r", b"is outside")


def type_into(connection, text, shown, kind="stdin"):
    connection.sendall(frame(json.dumps([kind, text])))
    receive(connection, shown)


def test_another_user_without_the_secret_gets_nothing(server):
    as_nobody(get_nothing, server)
    assert not server.debuggers()


def test_with_the_secret_it_works_and_nobody_reads_it_elsewhere(server):
    as_nobody(drive, server)
    assert (server.folder / "by_page.s").read_text() == KERNEL
    connection, _ = server.connect()
    with connection:
        receive(connection, b"kernel.s")
        as_nobody(read_nothing, server, {server.process.pid, *server.debuggers()})


def test_a_fifth_page_is_refused_until_another_closes(server):
    wait_for(lambda: not server.debuggers())
    opened = [server.connect() for _ in range(4)]
    assert all("101" in status for _, status in opened)
    fifth, status = server.connect()
    with fifth:
        assert "503" in status and "4 debuggers are open" in fifth.recv(4000).decode()
    assert len(server.debuggers()) <= 4
    for connection, _ in opened:
        connection.close()
    wait_for(lambda: not server.debuggers())
    connection, status = server.connect()
    with connection:
        assert "101" in status


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.close()


def stay_silent(connection):
    """Neither read nor answer: a computer that was switched off."""


def send_too_much(connection):
    connection.sendall(b"\x81\xff" + (1 << 30).to_bytes(8, "big") + bytes(100))


def send_what_no_page_sends(connection):
    connection.sendall(frame('["quit"]'))


@pytest.mark.parametrize("broken", [reset, stay_silent, send_too_much, send_what_no_page_sends])
def test_a_debugger_ends_with_its_connection(server, broken):
    wait_for(lambda: not server.debuggers())
    connection, status = server.connect()
    assert "101" in status
    wait_for(server.debuggers)
    broken(connection)
    wait_for(lambda: not server.debuggers())
    connection.close()


def test_in_time():
    """A silent page is given up within 5 s, even if it has just answered a ping."""
    from vecsim.debugger import page_session

    assert (page_session.MOST_UNANSWERED + 1) * page_session.PING_SECONDS + page_session.CLOSING < 5


def test_many_connections_that_say_nothing_keep_nobody_out(server):
    idle = [server.reach() for _ in range(200)]
    for each in idle:
        each.sendall(b"GET /")
    connection, status = server.connect()
    assert "101" in status
    connection.close()
    for each in idle:
        each.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_debuggers_end_with_the_server(tmp_path, how):
    (tmp_path / "kernel.s").write_text(KERNEL)
    with serving("kernel.s", folder=tmp_path) as running:
        connection, _ = running.connect()
        wait_for(running.debuggers)
        started = running.debuggers()
        running.process.send_signal(how)
        running.process.wait(20)
        wait_for(lambda: not started & processes().keys())
        connection.close()
        if how == signal.SIGTERM:
            assert running.process.returncode == 0 and "Traceback" not in running.process.stdout.read()
