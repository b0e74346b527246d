"""The one bar of all long work."""

import io
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from vecsim.support import progress
from vecsim.support.progress import Measure, Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@dataclass
class Engine:
    cycle: int


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.setenv("TERM", "xterm")
    built = Terminal()
    # Not sys.stderr itself, which pytest sets again when the test begins.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=built))
    return built


def test_a_share(terminal):
    with Progress(patience=0) as bar:
        bar.show("drawing", 0.5)
    assert "drawing" in terminal.getvalue()
    assert "50%" in terminal.getvalue()


def test_bytes_of_a_download(terminal):
    with Progress(Measure.BYTES, patience=0) as bar:
        bar.show("downloading [red]memplus", 500_000, None)
        bar.show("downloading [red]memplus", 500_000, 1_000_000)
    assert "downloading [red]memplus" in terminal.getvalue()
    assert "0.5/1.0 MB" in terminal.getvalue()


def test_cycles_of_programs(terminal):
    with Progress(Measure.CYCLES, patience=0) as bar:
        bar.simulating("hism", 1, 3)(Engine(1_234_567))
    assert "hism" in terminal.getvalue()
    assert "1,234,567 cycles" in terminal.getvalue()


def test_short_work_shows_nothing(terminal, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with Progress() as bar:
        now[0] = 0.9
        bar.show("simulating", 0.5)
        assert terminal.getvalue() == ""
        now[0] = 1.1
        bar.show("simulating", 0.5)
        assert "simulating" in terminal.getvalue()


def test_what_a_terminal_would_obey_is_escaped(terminal):
    with Progress(patience=0) as bar:
        bar.show("a\x1b]0;owned\x07b", 0.5)
    assert "\x1b]0;" not in terminal.getvalue()
    assert "\x07" not in terminal.getvalue()
    assert r"a\x1b]0;owned\x07b" in terminal.getvalue()


def test_what_is_no_terminal_sees_nothing(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=file))
    for measure in Measure:
        with Progress(measure, patience=0) as bar:
            bar.show("simulating", 0.5)
            assert bar.simulating("hism", 0, 1) is None
    assert file.getvalue() == ""


def test_without_rich_nothing_is_shown(terminal, monkeypatch):
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    with Progress(patience=0) as bar:
        bar.show("simulating", 0.5)
        assert bar.simulating("hism", 0, 1) is None
    assert terminal.getvalue() == ""
