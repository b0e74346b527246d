import io
import sys

from vecsim.data.download_bar import download_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_how_far_it_is(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with download_bar("[red]memplus") as report:
        assert report is not None
        report(500_000, None)
        report(500_000, 1_000_000)
    shown = sys.stderr.getvalue()
    assert "downloading [red]memplus" in shown
    assert "0.5/1.0 MB" in shown


def test_what_is_no_terminal_sees_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with download_bar("memplus") as report:
        assert report is None
    assert sys.stderr.getvalue() == ""
