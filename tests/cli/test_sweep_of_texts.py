"""`vecsim sweep FILE.s`: from the command line through explain, rerun and archives to another folder."""

import json
import shutil
import zipfile

import numpy as np
import pytest

TEXT = """
        .include "lib/size.s"
        .data 64
X:      .space 1024
        .text
        li      x5, N
        lw      x6, X(zero)
again:  addi    x5, x5, -1
        setvl   x6
        lv.w    v1, X(zero)
        bgt     x5, zero, again
        halt
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with two texts of one name that include others, and an array."""
    work = tmp_path / "work"
    for name, count in (("a", 2), ("b", 3)):
        (work / name / "lib").mkdir(parents=True)
        (work / name / "lib" / "size.s").write_text(f"        .default N, {count}\n")
        (work / name / "my.s").write_text(TEXT)
    np.save(work / "x.npy", np.full(64, 16, np.int32))
    monkeypatch.chdir(work)
    return work


ARGUMENTS = ("sweep", "a/my.s", "b/my.s", "--load", "X=x.npy", "--memory", "64K")
HOW = ("--set", "banks=1,8", "--set", "startup=0,20", "--store", "store", "--jobs", "1")


@pytest.fixture
def swept(vecsim, folder):
    result = vecsim(*ARGUMENTS, *HOW, "--out", "out")
    assert (result.code, "8 cells of 2 programs and 4 points in " in result.out) == (0, True), result.err
    return result


def test_the_table_in_the_terminal(swept, vecsim):
    assert swept.out.splitlines()[1].split() == ["geometric", "mean", "a/my.s", "b/my.s"]
    again = vecsim(*ARGUMENTS, *HOW, "--dry-run")
    assert "8 cells: 2 programs, 4 points (grid)\n8 are stored, 0 would be simulated" in again.out
    other = vecsim(*ARGUMENTS, *HOW, "--define", "N=4:8:x2", "--dry-run")
    assert "16 would be simulated\nestimated time: not known before a cell of each text" in other.out


@pytest.mark.ci
def test_explain_says_nothing_of_matrices(swept, vecsim, folder):
    result = vecsim("explain", "out", "--out", "figures")
    assert result.code == 0
    assert "Speed against banks" in result.out
    page = (folder / "figures" / "report.html").read_text()
    assert "uns in a million cycles" in page
    assert "8 cells of 2 programs" in page
    for word in ("atrices", "on-zero", "1 matrix"):
        assert word not in page


@pytest.mark.ci
def test_symbols_are_no_machine_whose_cost_counts(vecsim, folder):
    assert vecsim(*ARGUMENTS, *HOW, "--define", "N=2,4", "--out", "out").code == 0
    assert vecsim("explain", "out").code == 0
    assert (folder / "out" / "sweep-define.N.svg").is_file()
    assert not (folder / "out" / "sweep-front.csv").exists()


def test_a_result_compared_and_run_again(swept, vecsim, folder):
    assert vecsim("rerun", "out").out.splitlines()[-1] == "8 of 8 runs take the same cycles"
    assert "3 of 3 runs take the same cycles, a sample" in vecsim("rerun", "out", "--sample", "3").out
    assert "8 runs in common, 8 with the same cycles" in vecsim("compare", "out", "out").out
    (folder / "a" / "my.s").write_text(TEXT.replace("halt", "nop\nhalt"))
    result = vecsim("rerun", "out")
    assert "program a/my.s: " in result.out
    np.save("x.npy", np.full(64, 8, np.int32))
    assert "x.npy is another file now; restore the one that was loaded" in vecsim("rerun", "out").err


@pytest.mark.ci
@pytest.mark.parametrize("target", ["a.zip", pytest.param("archive", marks=pytest.mark.ci)])
def test_an_archive_has_texts_and_arrays(swept, vecsim, folder, target, monkeypatch, tmp_path):
    flags = ("--archive",) if target == "a.zip" else ()
    assert vecsim("export", "out", target, *flags).code == 0
    elsewhere = tmp_path / "elsewhere"
    if flags:
        names = set(zipfile.ZipFile("a.zip").namelist())
        assert {"a/my.s", "a/lib/size.s", "b/my.s", "b/lib/size.s", "x.npy"} <= names
        shutil.unpack_archive("a.zip", elsewhere)
    else:
        shutil.copytree("archive", elsewhere)
    shutil.rmtree(folder / "a")
    shutil.rmtree(folder / "b")
    (folder / "x.npy").unlink()
    missing = vecsim("rerun", "out")
    assert (missing.code, "8 runs could not be repeated" in missing.out) == (1, True)
    monkeypatch.chdir(elsewhere)
    assert vecsim("rerun", ".").out.splitlines()[-1] == "8 of 8 runs take the same cycles"
    assert vecsim("sweep", "specification.toml", "--store", "s", "--jobs", "1", "--out", "again").code == 0
    assert (elsewhere / "again" / "table.csv").read_bytes() == (elsewhere / "table.csv").read_bytes()
    assert "Cycles of a/my.s, b/my.s, varying banks, startup." in (elsewhere / "CITATION.txt").read_text()


def test_files_and_arrays_are_recorded(swept, folder):
    message = json.loads((folder / "out" / "sweep.json").read_text())
    assert [each["what"] for each in message["files"]] == [
        "array X", "program a/my.s", "program b/my.s", "program a/my.s", "program b/my.s",
    ]  # fmt: skip
    assert [each["text"] for each in message["load"]] == ["X=x.npy"]
    assert message["sweep"]["memory"] == 65536


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a/my.s", "--program", "crs"), "a/my.s: --program is an option of products"),
        (("a/my.s", "pde900"), "matrices: program a/my.s multiplies none"),
        (("pde900", "--define", "N=4"), "define: needs programs FILE.s"),
        (("a/my.s", "--load", "X=none.npy"), "none.npy: no such file"),
        (("none.s",), "none.s: no such file"),
    ],
)
def test_mistakes(vecsim, folder, arguments, message):
    result = vecsim("sweep", *arguments, "--store", "store")
    assert (result.code, message in result.err, result.err.count("\n")) == (2, True, 1)


def test_an_explanation_is_compared_run_again_and_exported(vecsim, folder):
    for name, bank in (("one", "1"), ("two", "8")):
        assert (
            vecsim("why", "a/my.s", "--load", "X=x.npy", "--set", f"banks={bank}", "--json", name).code == 0
        )
    result = vecsim("compare", "one", "two")
    assert (result.code, "machine.banks" in result.out, "1 run in common" in result.out) == (0, True, True)
    assert vecsim("rerun", "one").out.splitlines()[-1] == "1 of 1 run take the same cycles"
    assert vecsim("export", "one", "why.zip", "--archive").code == 0
    assert {"why.json", "my.s", "lib/size.s", "x.npy"} <= set(zipfile.ZipFile("why.zip").namelist())


def test_a_python_file_is_no_program(vecsim, folder):
    result = vecsim("exec", "mine.py")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "mine.py: is a Python file and not a program; run a user-defined format by" in result.err


def test_the_modules_of_a_format_are_named(vecsim, folder):
    (folder / "own").mkdir()  # it multiplies nothing, so its result is wrong: exit code 1
    (folder / "own" / "part.py").write_text('TEXT = "halt"\n')
    (folder / "mine.py").write_text(
        "from own.part import TEXT\nfrom vecsim import UserFormat\n"
        'MINE = UserFormat("mine", "nothing", None, TEXT + "\\n", like="crs")\n'
    )
    assert vecsim("run", "laplace2d-2", "--format", "mine.py", "--program", "crs", "--json", "r").code == 1
    named = [each["file"] for each in json.loads((folder / "r").read_text())["files"]]
    assert {str(folder / "mine.py"), str(folder / "own" / "part.py")} <= set(named)
    (folder / "own" / "part.py").write_text('TEXT = "nop\\nhalt"\n')
    assert "part.py is another file now" in vecsim("rerun", "r").out
