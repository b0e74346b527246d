"""`--trace` and `--window` of `vecsim run` and `vecsim exec`."""

import json

import pytest

from vecsim.cli import main

QUICK = ["laplace2d-5", "--engine", "simpy", "--program", "crs"]


def test_run_writes_a_trace(tmp_path, capsys):
    path = tmp_path / "crs.json"
    assert main(["run", *QUICK, "--trace", str(path), "--window", "100:200"]) == 0
    assert "crs" in capsys.readouterr().out
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["otherData"]["machine"] == "vs2003"
    assert document["otherData"]["versions"]["vecsim"]
    words = [event["ts"] for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == 4]
    assert words and min(words) >= 100 and max(words) < 200


def test_exec_writes_a_trace_and_counts_the_same(tmp_path, capsys):
    program, path = tmp_path / "short.s", tmp_path / "short.kanata"
    program.write_text(".reg n, x1\nli n, 8\nsetvl n\nlv.w v1, 64(zero)\nhalt\n", encoding="utf-8")
    assert main(["exec", str(program), "--engine", "simpy"]) == 0
    before = capsys.readouterr().out
    assert main(["exec", str(program), "--engine", "simpy", "--trace", str(path)]) == 0
    assert capsys.readouterr().out == before
    assert "addi n, x0, 8" in path.read_text(encoding="utf-8")


def test_a_window_with_nothing_in_it_is_said(tmp_path, capsys):
    path = tmp_path / "crs.kanata"
    assert main(["run", *QUICK, "--trace", str(path), "--window", "100000:"]) == 0
    err = capsys.readouterr().err
    assert err.startswith(f"vecsim: warning: {path}: it is empty; ") and err.count("\n") == 1
    assert path.read_text(encoding="utf-8") == "Kanata\t0004\nC=\t0\n"


def test_a_link_gets_the_format_of_its_name(tmp_path):
    link, target = tmp_path / "crs.json", tmp_path / "kept.kanata"
    link.symlink_to(target)
    assert main(["run", *QUICK, "--trace", str(link)]) == 0
    assert json.loads(target.read_bytes())["traceEvents"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", *QUICK, "--window", "0:5"], "a window needs a trace; add --trace"),
        (["run", *QUICK, "--trace", "a.txt"], "use a suffix for the format"),
        (["run", "laplace2d-5", "--trace", "a.json"], "a trace needs one program on one matrix"),
        (["run", *QUICK, "--trace", "nowhere/a.json"], "the folder nowhere does not exist"),
        (["run", *QUICK, "--trace", "a.json", "--window", "9:3"], "has no cycle; FROM must be less than TO"),
        (["exec", "a.s", "--trace", "a.json", "--timeline"], "ask for one of them"),
    ],
)
def test_what_cannot_be_traced(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
