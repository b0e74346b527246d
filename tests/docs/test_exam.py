"""Numbers in the exam's solutions and in the lab's answers are those of the machine."""

from pathlib import Path

import pytest

from docs.blocks import blocks
from vecsim.cli import main

SOLUTIONS = " ".join((Path(__file__).parent / "exam" / "solutions.md").read_text().split())
TEACHING = Path(__file__).parents[2] / "docs" / "teaching"


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for block in blocks((TEACHING / "lab-notes.md").read_text()):
        if "caption" in block.options:
            (tmp_path / block.options["caption"]).write_text(block.text)

    def call(*arguments):
        assert main(["exec", *arguments, "--engine", "simpy"]) == 0
        return capsys.readouterr().out.splitlines()

    return call


def row(lines, instruction):
    """Return first and last result of an instruction in a timeline."""
    line = next(each for each in lines if f" {instruction} " in each)
    first, last = line.split(instruction, 1)[1].split()[7:9]
    return int(first), int(last)


def test_the_products_of_question_3(printed):
    first, last = row(printed("vector.s", "--timeline"), "mulvs.s")
    assert f"their products are there in {first}" in SOLUTIONS and f"is there in {last}." in SOLUTIONS
    first, last = row(printed("vector.s", "--timeline", "--set", "chaining=false"), "mulvs.s")
    assert f"first product in {first}, the last in {last}." in SOLUTIONS


def test_the_strides_of_question_4(printed):
    def cycles(stride, banks):
        head = printed("stride.s", "--define", f"STRIDE={stride}", "--set", f"banks={banks}")[0]
        return int(head.split("; ")[-1].split()[0])

    free, waits = cycles(1, 16), cycles(8, 16)
    assert cycles(12, 16) == free < waits == cycles(24, 16) == cycles(12, 24)


def test_the_strips_of_question_1(printed, tmp_path):
    text = (tmp_path / "vector.s").read_text().replace("N, 256", "N, 150")
    (tmp_path / "vector.s").write_text(text.replace("mulvs.s v2, v1, f1\n        lv.w    v3", "lv.w    v3"))
    lines = printed("vector.s", "--timeline")
    loads = [int(each.split("v1, 0(x3)", 1)[1].split()[1]) for each in lines if "v1, 0(x3)" in each]
    assert loads == [64, 64, 22] and "64, 64, 22." in SOLUTIONS
    counted = next(each for each in lines if each.startswith("vector instructions"))
    assert counted.split()[-1] == "12"
