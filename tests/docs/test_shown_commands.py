"""Commands that pages show without their output: all of them exist, and the fast ones run.

Names of downloaded matrices stand for small ones here, and so do a reader's own files.
"""

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from docs.blocks import blocks
from experiments.course.registry import EXERCISES
from experiments.whatif.sweep.specification import read_specification
from tests.experiments.course.texts import solution
from vecsim.cli import main
from vecsim.cli.application import command_line
from vecsim.machine import load_machine

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PRODUCT = ROOT / "programs" / "crs" / "plain.s"
NOT_RUN = {
    "calibrate": "a search of minutes",
    "reproduce": "its own tests run it",
    "crosscheck": "needs a GPU, or minutes of simulated ones",
    "gpu": "needs a GPU",
    "formats matrix.mtx": "compiles every format, which takes a minute",
    "formats block-1200-4-3": "the same",
    "debug": "interactive; the page's script runs in tests/debugger",
    "sweep memory": "a study of minutes; tests/experiments run studies",
    "--scheduler": "needs a scheduler on another host",
    "run randomwalk-100": "a large matrix",
    "run --": "the default matrix is a large one",
    "grade --batch": "tests/cli/test_grade_batch.py runs it",
    "grade double-it": "the same",
    "grade --exercises": "the same",
    "playground": "needs npm and the network",
    "exec kernel.elf": "a file that a compiler makes; tests/riscv run such files",
    "list matrices": "reads the index of the collections",
}


def shown(page):
    """Return the commands of a page that no console block executes."""
    text = page.read_text(encoding="utf-8")
    for block in blocks(text):
        if block.language == "console" or block.needs:
            text = text.replace(block.text, "")
    lines = re.findall(r"^\s*(?:\$ )?(vecsim [a-z]+(?: .*)?)$", text, flags=re.M)
    fenced = "\n".join(block.text for block in blocks(text))
    indented = re.findall(r"^    .*$", text, flags=re.M)
    code = fenced + "\n".join(indented)
    return [shlex.split(line.split(" > ")[0], comments=True) for line in lines if line in code]


COMMANDS = [(page, command) for page in PAGES for command in shown(page)]


def test_there_are_many():
    assert len(COMMANDS) > 60
    assert len({command[1] for _, command in COMMANDS}) >= 20


def name_of(case):
    page, command = case
    return f"{page.stem}: {' '.join(command[1:])[:60]}"


@pytest.mark.parametrize("case", COMMANDS, ids=map(name_of, COMMANDS))
def test_it_is_a_command_with_such_options(case):
    _, (_, *arguments) = case
    command = command_line()
    context = command.make_context("vecsim", [], resilient_parsing=True)
    while hasattr(command, "commands"):
        name, command, arguments = command.resolve_command(context, arguments)
        context = command.make_context(name, list(arguments), parent=context, resilient_parsing=True)
    known = {option for parameter in command.params for option in parameter.opts}
    assert {each.partition("=")[0] for each in arguments if each.startswith("--")} <= known


@pytest.mark.parametrize(
    ("page", "read"), [("what-if", read_specification), ("machines", lambda path: load_machine(str(path)))]
)
def test_files_that_pages_show_can_be_read(page, read, tmp_path):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    (block,) = (each for each in blocks(text) if each.language == "toml")
    (tmp_path / "shown.toml").write_text(block.text)
    assert read(tmp_path / "shown.toml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a reader's files, and small matrices by the names that pages use."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "collection").mkdir()
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path / "collection"))
    small = sp.random_array((40, 40), density=0.1, rng=np.random.default_rng(0)) + sp.eye_array(40)
    for name in ("bcspwr10", "memplus", "Trefethen_700", "qc324"):
        scipy.io.mmwrite(tmp_path / "collection" / f"{name}.mtx", small)
    for name in ("matrix.mtx", "a.mtx", "b.mtx", "MATRIX.mtx"):
        scipy.io.mmwrite(tmp_path / name, small)
    for name in ("x", "y", "right"):
        np.save(tmp_path / f"{name}.npy", np.zeros(1000, np.float32))
    room = ".equ X, 64\n.equ Y, 4096\n.equ RESULT, Y\n.equ ROWPTR, 32768\n.equ COLIDX, 40960\n"
    text = f"{room}.equ VALUES, 49152\nli x1, 8\nsetvl x1\nlv.w v1, X(zero)\nsv.w v1, Y(zero)\nhalt\n"
    for name in ("kernel.s", "axpy.s", "crs.s", "vector.s"):
        (tmp_path / name).write_text(text)
    (tmp_path / "mine.py").write_text("from vecsim import Extension\nmine = Extension('mine', 'nothing')\n")
    varied = ("--set", "banks=8,16", "--set", "section_size=32,64")  # as docs/what-if.md does
    for arguments in (
        ["machine", "show", "vs2003"],
        ["run", "pde225", "--program", "crs", "--json", "result.json"],
        ["sweep", "bcspwr10", "--program", "crs", *varied, "--out", "banks"],
    ):
        assert main(arguments) == 0
    shutil.copy("result.json", "before.json")
    shutil.copy("result.json", "after.json")
    shutil.copytree("banks", "banks-before")
    return tmp_path


@pytest.mark.ci
def test_all_that_are_quick_run(folder, capsys):
    (folder / "mine.toml").write_text(machine_file(capsys))
    for words, page in {tuple(arguments): page for page, (_, *arguments) in COMMANDS}.items():
        arguments, line = list(words), " ".join(words)
        if any(line.startswith(each) or each in arguments for each in NOT_RUN):
            continue
        graded = "exercise-01" in arguments
        text = solution(EXERCISES["exercise-01"]) if graded else PRODUCT
        shutil.copy(text, "axpy.s" if "axpy.s" in arguments and graded else "my.s")
        arguments += ["laplace2d-5"] * (arguments[0] == "reorder")  # in place of its large matrices
        arguments = ["80" if each == "537" else each for each in arguments]  # cells of an adaptive sweep
        arguments = ["matrix.mtx" if each == "matrix.mtx.gz" else each for each in arguments]
        arguments = [each.removesuffix(".mtx.gz") for each in arguments]
        arguments = ["MATRIX.mtx" if each == "MATRIX" else each for each in arguments]
        for built in ("--out", "--start", "--trace", "--save"):
            if built in arguments:
                clear(Path(arguments[arguments.index(built) + 1].rpartition("=")[2]))
        code = main(arguments)
        assert code == 0, f"{page.name}: vecsim {line}\n{capsys.readouterr().err}"


def machine_file(capsys):
    capsys.readouterr()
    assert main(["machine", "show", "vs2003"]) == 0
    return capsys.readouterr().out


def clear(path):
    """Remove what an earlier command made."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
