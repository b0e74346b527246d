"""The code of docs/extending.md runs as it stands there, and does what it says."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from docs.blocks import blocks
from isa.semantics.numbers import put_vs
from vecsim import Extension, UserError, worked_examples
from vecsim.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
DECLARED, CHECKED, IN_PYTHON = (block.text for block in blocks(PAGE) if block.language == "python")
(ASSEMBLY,) = (block.text for block in blocks(PAGE) if block.language == "asm")
COMMANDS = re.findall(r"^\$ vecsim (.*)$", PAGE, re.MULTILINE)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write the files of the page into a folder."""
    (tmp_path / "rectifier.py").write_text(DECLARED)
    (tmp_path / "clip.s").write_text(ASSEMBLY)
    monkeypatch.chdir(tmp_path)


def test_the_commands_of_the_page(files, capsys):
    output = {}
    for command in COMMANDS:
        arguments = command.split()
        engine = ["--engine", "simpy"] if arguments[0] == "exec" else []
        assert main([*arguments, *engine]) == 0
        output[arguments[0]] = capsys.readouterr().out
    assert "the greater of va[k] and 0" in output["isa"]
    assert re.search(r"2048\s+0\s+2\s+0\s+4", output["exec"])
    assert "reluv.s v2, v1" in output["disasm"]


def test_without_the_option_it_is_no_instruction(files, capsys):
    assert main(["exec", "clip.s"]) == 2
    assert "clip.s:7:9: unknown instruction 'reluv.s'" in capsys.readouterr().err


def test_the_examples_of_the_page(files, monkeypatch):
    monkeypatch.setattr(worked_examples, "ENGINES", ("simpy",))
    monkeypatch.syspath_prepend(".")
    monkeypatch.delitem(sys.modules, "rectifier", raising=False)
    names = {}
    exec(compile(CHECKED, "page", "exec"), names)
    names["test_the_examples"]()


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ("v1 = 5", "v[8] is 0x40400000, expected 0x40a00000"),
        ("v1 = 3, pc = 6", "instruction 5 comes next, expected 6"),
        ("unchanged", "v[8] is 0x40400000, expected 0x"),
    ],
)
def test_an_instruction_that_does_not_do_what_its_examples_say(monkeypatch, after, message):
    monkeypatch.setattr(worked_examples, "ENGINES", ("simpy",))
    text = f"copyv.s v1, v2\n  vl = 1, v2 = 3\n  => {after}"
    (difference,) = worked_examples.check_examples(copying(text))
    assert difference.startswith(f"examples of copyv.s:1: copyv.s v1, v2: simpy: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "copyv.s v1, v2\n  vl = 1",
            "copyv.s:1: copyv.s v1, v2: write the state before, =>, the state after",
        ),
        (
            "copyv.s v1, v2\n  => v9 = 1",
            "copyv.s:1: copyv.s v1, v2: 'v9 = 1': unknown place; use a register, vl, mask or memory",
        ),
        ("movv v1, v2\n  => v1.s = 1", "copyv.s:1: movv is another instruction; use copyv"),
    ],
)
def test_examples_that_are_wrong_are_refused_where_they_are_declared(text, message):
    with pytest.raises(UserError) as error:
        copying(text)
    assert str(error.value).startswith(f"examples of {message}")


def copying(examples):
    extension = Extension("copying", "copies a register")

    @extension.instruction("copyv.s", 0xE0, "vd=, va", "vd[k] = va[k], float32", examples=examples)
    def copyv(m, n, d, a):
        for k in range(n):
            put_vs(m, d * m.section + k, m.vs[2 * (a * m.section + k)])

    return extension


def test_the_python_of_the_page(files, capsys):
    names = {"np": np}
    exec(compile(IN_PYTHON.replace("machine)", "machine, engine='simpy')"), "page", "exec"), names)
    result = names["result"]
    np.testing.assert_array_equal(result.state.memory[2048:2064].view(np.float32), [0, 2, 0, 4])
    assert str(result.cycles) in capsys.readouterr().out
