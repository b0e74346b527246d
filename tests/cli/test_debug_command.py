"""`vecsim debug`: scripts, and what it refuses."""

import importlib.util
import socket
from pathlib import Path

import pytest
from tiers import one_in

KERNEL = """\
        li   x5, 3
again:  addi x5, x5, -1
        lw   x6, 256(zero)
        bnez x5, again
        halt
"""

ROOT = Path(__file__).parents[2]


@pytest.fixture
def kernel(tmp_path):
    path = tmp_path / "kernel.s"
    path.write_text(KERNEL)
    return path


def script(tmp_path, text):
    path = tmp_path / "script.txt"
    path.write_text(text)
    return path


def test_a_script(vecsim, kernel, tmp_path):
    commands = script(
        tmp_path, "break again\nrun\nrun\nprint x5\nshow scalars\nback\ndelete\nrun\nexpect x5 == 0\n"
    )
    done = vecsim("debug", kernel, "--script", commands)
    assert done.code == 0
    lines = done.out.splitlines()
    assert "x5 = 2" in lines
    assert any("kernel.s:2: again:  addi x5, x5, -1 issues" in line for line in lines)
    assert lines[-2].startswith("the program has ended: ")


def test_what_does_not_hold_ends_with_code_1(vecsim, kernel, tmp_path):
    done = vecsim("debug", kernel, "--script", script(tmp_path, "run\nexpect x5 == 7\n"))
    assert done.code == 1
    assert "not as expected: x5 == 7; x5 is 0" in done.out


def test_a_product_on_a_matrix(vecsim, tmp_path):
    commands = script(tmp_path, "break bmipa\nrun\ndigest\nstep 2\nback 2\ndigest\nshow memory\n")
    done = vecsim("debug", "hism", "laplace2d-5", "--set", "section_size=16", "--script", commands)
    assert done.code == 0
    first, second = (line for line in done.out.splitlines() if len(line) == 64 and " " not in line)
    assert first == second
    assert "Y: 16 x float" in done.out


def test_a_user_product(vecsim, tmp_path):
    mine = tmp_path / "mine.s"
    mine.write_text((ROOT / "programs" / "crs" / "plain.s").read_text())
    commands = script(tmp_path, "break row\nrun\nrun\nprint begin\n")
    done = vecsim("debug", mine, "laplace2d-5", "--like", "crs", "--script", commands)
    assert done.code == 0
    assert done.out.splitlines()[-1] == "begin = 3"  # the first row has three elements


def test_arrays_are_loaded(vecsim, kernel, tmp_path):
    import numpy as np

    np.save(tmp_path / "a.npy", np.array([41, 42], np.int32))
    commands = script(tmp_path, "run\nexpect x6 == 41\nexpect word(260) == 42\n")
    assert vecsim("debug", kernel, "--load", f"256={tmp_path / 'a.npy'}", "--script", commands).code == 0


@pytest.mark.parametrize(
    "case",
    one_in(
        3,
        [
            (["KERNEL", "laplace2d-5"], "of a product (--like NAME) are MATRIX"),
            (["crs", "--define", "N=3"], "of FILE.s are --define"),
            (["nothing"], "unknown program 'nothing'"),
            (["nothing.s"], "nothing.s: no such file"),
            (["KERNEL", "--engine", "git"], "did you mean 'jit'"),
            (["KERNEL", "--script", "nowhere.txt"], "nowhere.txt: no such file"),
        ],
    ),
)
def test_what_it_refuses(vecsim, kernel, case):
    arguments, message = case
    assert message in vecsim("debug", *(kernel if a == "KERNEL" else a for a in arguments)).mistake()


def test_a_script_with_a_mistake_names_its_line(vecsim, kernel, tmp_path):
    done = vecsim("debug", kernel, "--script", script(tmp_path, "step\n\nstepp\n"))
    assert done.code == 2 and "script.txt:3: unknown command 'stepp'; did you mean" in done.err


def test_without_textual_the_extra_is_named(vecsim, kernel, monkeypatch):
    actual = importlib.util.find_spec
    monkeypatch.setattr(
        "vecsim.debugger.extra.find_spec", lambda name: None if name.startswith("textual") else actual(name)
    )
    assert "pip install 'vecsim[teach]'" in vecsim("debug", kernel).mistake()
    assert "textual and textual-serve" in vecsim("debug", kernel, "--web").mistake()


def test_without_a_terminal_it_says_so(vecsim, kernel):
    pytest.importorskip("textual")
    assert "needs a terminal; use --script" in vecsim("debug", kernel).mistake()


def test_a_port_that_is_taken(vecsim, kernel):
    pytest.importorskip("textual_serve", reason="pip install '.[teach]'")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = vecsim("debug", kernel, "--web", "--port", port).mistake()
    assert f"127.0.0.1:{port}: " in said and "another by --port" in said


def test_the_folder_of_save(vecsim, kernel, tmp_path):
    commands = script(tmp_path, "edit 1 li x5, 4\nsave my.s\nsave ../my.s\n")
    done = vecsim("debug", kernel, "--script", commands, "--save-folder", tmp_path)
    assert done.code == 2 and "script.txt:3: ../my.s: write the name of a file below" in done.err
    assert (tmp_path / "my.s").read_text().startswith("li x5, 4")
    assert (
        "the folder does not exist"
        in vecsim("debug", kernel, "--save-folder", tmp_path / "nowhere").mistake()
    )
