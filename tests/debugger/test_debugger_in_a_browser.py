"""The debugger as its users have it: in a real terminal (tmux), and in a browser."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from browser import NAMES
from debugger_server import environment, serving

HISM = ["hism", "laplace2d-5", "--set", "section_size=16", "--extended"]
PLAIN = ["--option", "schedule=plain"]

pytestmark = pytest.mark.browser


def test_in_tmux(tmp_path):
    pytest.importorskip("textual", reason="pip install '.[teach]'")
    tmux = shutil.which("tmux") or pytest.skip("tmux is not installed")
    server = [tmux, "-S", str(tmp_path / "tmux.sock")]

    def tmux(*arguments):
        done = subprocess.run(
            [*server, *arguments], env=environment(), capture_output=True, text=True, check=True
        )
        return done.stdout

    def shows(text):
        for _ in range(120):
            screen = tmux("capture-pane", "-p", "-t", "s")
            if text in screen:
                return screen
            time.sleep(0.25)
        raise AssertionError(f"no {text!r} in\n{screen}")

    begin = f"-f {os.devnull} new-session -d -s s -x 150 -y 50".split()
    tmux(*begin, sys.executable, "-m", "vecsim", "debug", *HISM, *PLAIN)
    try:
        shows("hism on laplace2d-5")
        tmux("send-keys", "-t", "s", ":")
        shows("a command; help lists them")
        tmux("send-keys", "-t", "s", "break bmipa", "Enter")
        shows("bmipa.f y, x, value, position")
        tmux("send-keys", "-t", "s", "r")
        screen = shows("before plain.s:96: bmipa.f")
        assert "sparse    free" in screen and "I issue, q in the queue" in screen
        tmux("send-keys", "-t", "s", "s", "b")
        shows("next is plain.s:96: bmipa.f")
        tmux("send-keys", "-t", "s", "q")
    finally:
        subprocess.run([*server, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def served():
    """Serve the debugger on a free port; yield its address."""
    pytest.importorskip("textual_serve", reason="pip install '.[teach]'")
    with serving(*HISM, *PLAIN) as server:
        yield server.address


def test_in_chromium(served):
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install '.[browser]'")
    path = next(filter(None, map(shutil.which, NAMES)), None) or pytest.skip("no Chromium is installed")
    asked, complaints, received = [], [], []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.on("request", lambda request: asked.append(request.url))
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))

        def listen(connection):
            connection.on("framereceived", lambda frame: received.append(str(frame)))

        page.on("websocket", listen)
        page.goto(served)
        page.wait_for_selector("body.-first-byte", timeout=60_000)

        def shows(text):
            for _ in range(120):
                if text in "".join(received):
                    return
                page.wait_for_timeout(250)
            raise AssertionError(f"no {text!r}")

        shows("laplace2d-5")
        page.wait_for_timeout(1000)
        page.mouse.click(300, 200)  # into the terminal, on a line of the source
        page.keyboard.press("s")
        shows("next is")
        browser.close()
    assert asked and all(url.startswith((served, "data:", "blob:")) for url in asked)
    assert complaints == []
