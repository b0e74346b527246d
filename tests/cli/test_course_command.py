"""`vecsim course`: programs listed, run, and written as files that `vecsim exec` takes."""

import json
from pathlib import Path

from programs.course.registry import COURSE
from vecsim.cli.completion import course


def test_all_are_listed(vecsim):
    document = json.loads(vecsim("course", "--json", "-").out)
    assert [each["name"] for each in document["programs"]] == list(COURSE)


def test_one_is_run(vecsim):
    done = vecsim("course", "dot", "--size", "10", "--engine", "simpy", "--json", "-")
    document = json.loads(done.out)
    assert (document["work"], document["unit"]) == (10, "element")
    assert document["cycles"] >= document["bound"] == 5


def test_its_files_run(vecsim, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = vecsim("course", "axpy", "--size", "10", "--value-bits", "64", "--write", "a.s")
    files, command = done.out.splitlines()
    assert files == "a.s, a.bin, a.Y.npy written"
    assert command == "vecsim exec a.s --value-bits 64 --expect Y=a.Y.npy"
    assert vecsim(*command.split()[1:], "--engine", "simpy").code == 0
    Path("a.s").unlink()
    assert "a.bin: already exists" in vecsim("course", "axpy", "--write", "a.s").mistake()
    assert "write a file name such as axpy.s" in vecsim("course", "axpy", "--write", "a.txt").mistake()


def test_a_shell_completes_names():
    assert course("") == [*sorted(COURSE), "rvv"]
    assert course("hism-t") == ["hism-transposed"]
