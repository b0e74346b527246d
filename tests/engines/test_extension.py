"""The code of docs/extending.md runs as it stands there, and does what it says."""

import re
from pathlib import Path

import numpy as np
import pytest

from docs.blocks import blocks
from vecsim.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
DECLARED, IN_PYTHON = (block.text for block in blocks(PAGE) if block.language == "python")
(ASSEMBLY,) = (block.text for block in blocks(PAGE) if block.language == "asm")
COMMANDS = re.findall(r"^\$ vecsim (.*)$", PAGE, re.MULTILINE)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Give a folder with the files of the page."""
    (tmp_path / "rectifier.py").write_text(DECLARED)
    (tmp_path / "clip.s").write_text(ASSEMBLY)
    monkeypatch.chdir(tmp_path)


def test_the_commands_of_the_page(files, capsys):
    told = {}
    for command in COMMANDS:
        arguments = command.split()
        engine = ["--engine", "simpy"] if arguments[0] == "exec" else []
        assert main([*arguments, *engine]) == 0
        told[arguments[0]] = capsys.readouterr().out
    assert "the greater of va[k] and 0" in told["isa"]
    assert re.search(r"2048\s+0\s+2\s+0\s+4", told["exec"])
    assert "reluv.s v2, v1" in told["disasm"]


def test_without_the_option_it_is_no_instruction(files, capsys):
    assert main(["exec", "clip.s"]) == 2
    assert "clip.s:7:9: unknown instruction 'reluv.s'" in capsys.readouterr().err


def test_the_python_of_the_page(files, capsys):
    names = {"np": np}
    exec(compile(IN_PYTHON.replace("machine)", "machine, engine='simpy')"), "page", "exec"), names)
    result = names["result"]
    np.testing.assert_array_equal(result.state.memory[2048:2064].view(np.float32), [0, 2, 0, 4])
    assert str(result.cycles) in capsys.readouterr().out
