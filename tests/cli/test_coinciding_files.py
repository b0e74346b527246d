"""No command writes a file twice, or over one that it reads, under whatever name."""

import os
from pathlib import Path

import numpy as np
import pytest

from vecsim.support.claimed_files import claim_folder, claim_input, claim_output, files_of_one_command
from vecsim.support.errors import UserError

PROGRAM = ".data 256\nX: .space 16\n.text\nhalt\n"
MATRIX = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with files to read, and other names of them."""
    monkeypatch.chdir(tmp_path)
    Path("p.s").write_text(PROGRAM)
    Path("inc.s").write_text('.data 256\nX: .incbin "part.bin"\n.text\nhalt\n')
    Path("part.bin").write_bytes(bytes(16))
    Path("m.mtx").write_text(MATRIX)
    Path("machine.toml").write_text('based_on = "vs2003"\nbanks = 32\n')
    np.save("x.npy", np.zeros(4, np.int32))
    Path("sub").mkdir()
    Path("link.npy").symlink_to("x.npy")
    Path("hard.npy").hardlink_to("x.npy")
    return tmp_path


EXEC = "exec p.s --engine simpy "
COINCIDING = [
    EXEC + "--save X:4=a.npy --json a.npy",
    EXEC + "--save X:4=a.npy --save X:2=a.npy",
    EXEC + "--save X:4=a.npy --save X:2=./a.npy",
    EXEC + "--save X:4=a.npy --save X:2=sub/../a.npy",
    EXEC + "--save X:4=a.npy --save X:2=A.npy",
    EXEC + "--trace t.json --json t.json",
    EXEC + "--load X=x.npy --save X:4=hard.npy",
    EXEC + "--load X=link.npy --save X:4=x.npy",
    EXEC + "--load X=x.npy --json x.npy",
    EXEC + "--expect X=x.npy --trace link.npy.json --json link.npy.json",
    EXEC + "--json p.s",
    EXEC + "--machine machine.toml --json machine.toml",
    "exec inc.s --engine simpy --json part.bin",
    "asm inc.s --output part.bin",
    "asm p.s --output p.s",
    "run m.mtx --engine simpy --program crs --json m.mtx",
    "run m.mtx --engine simpy --program crs --trace t.json --json ./t.json",
    "run m.mtx --engine simpy --program crs --machine machine.toml --json machine.toml",
    "view m.mtx --engine simpy --program crs --out v.html --json v.html",
    "view p.s --engine simpy --load X=x.npy --out v.html --json x.npy",
    "why m.mtx --engine simpy --program crs --json m.mtx",
    "formats m.mtx --json m.mtx",
    "machine show machine.toml --json machine.toml",
]


@pytest.mark.parametrize("command", COINCIDING)
def test_files_that_coincide_are_refused(here, vecsim, command):
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    done = vecsim(*command.split())
    assert done.code == 2
    assert any(word in done.mistake() for word in ("would write the same file", "would overwrite it"))
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_files_apart_are_written(here, vecsim):
    done = vecsim(*EXEC.split(), "--save", "X:4=a.npy", "--save", "X:2=sub/a.npy", "--json", "a.json")
    assert done.code == 0
    assert np.load("a.npy").size == 4
    assert np.load("sub/a.npy").size == 2
    assert vecsim(*EXEC.split(), "--json", os.devnull, "--trace", "t.json").code == 0


def test_an_output_among_the_files_of_a_folder_is_refused(tmp_path):
    with files_of_one_command():
        claim_output(tmp_path / "out" / "result.json", "--json")
        claim_folder(tmp_path / "out", "--out", (".csv", ".html"))
        with pytest.raises(UserError, match="--json would write among the files of --out"):
            claim_output(tmp_path / "out" / "Report.HTML", "--json")


def test_a_file_that_is_continued_is_read_and_written_once(tmp_path):
    path = tmp_path / "kept.journal"
    path.write_bytes(b"")
    with files_of_one_command():
        claim_output(path, "--results", updated=True)
        claim_input(path)
        with pytest.raises(UserError, match="--json and --results would write the same file"):
            claim_output(path, "--json")
    claim_output(path, "--json")  # outside of a command nothing is claimed
