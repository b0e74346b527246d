"""`vecsim why`: a sentence for each program, tables, JSON."""

import json

import numpy as np
import pytest

from vecsim.machine import load_machine


def test_all_programs_are_explained_in_a_sentence_each(vecsim, matrix):
    result = vecsim("why", matrix, "--engine", "simpy")
    assert (result.code, result.err) == (0, "")
    sentences = result.out.splitlines()[:5]
    assert [line.split(" on ")[0] for line in sentences] == ["CRS", "JD", "BBCS", "HiSM", "CHiSM"]
    assert all(line.endswith(".") for line in sentences)
    assert result.out.count("what would help") == 5


def test_the_listing_has_all_that_was_executed_in_order(vecsim, matrix):
    result = vecsim("why", matrix, "--program", "hism", "--listing", "--json", "-")
    document = json.loads(result.out)
    (actual,) = document["explanations"]
    table = result.err.split("longest for")[1].split("cycles by cause")[0]
    shown = [int(line.split()[0]) for line in table.splitlines() if line[:1].isdigit()]
    assert shown == [line["pc"] for line in actual["lines"]] == sorted(shown)
    assert sum(line["cycles"] for line in actual["lines"]) == actual["cycles"]


def test_the_costliest_come_first(vecsim, matrix):
    result = vecsim("why", matrix, "--program", "crs", "--hot", "3", "--set", "startup=40")
    table = result.out.split("longest for")[1].split("cycles by cause")[0]
    cycles = [
        int(line.split("%")[0].split()[-2].replace(",", "")) for line in table.splitlines() if "%" in line
    ]
    assert len(cycles) == 3
    assert cycles == sorted(cycles, reverse=True)
    assert load_machine("vs2003", ["startup=40"]).label_with_digest in result.out


def test_mistakes_end_in_a_line(vecsim, matrix):
    assert "unknown program" in vecsim("why", matrix, "--program", "hsim").mistake()
    assert "--value-bits 16" in vecsim("why", matrix, "--value-bits", "16").mistake()
    assert "unknown engine" in vecsim("why", matrix, "--engine", "fast").mistake()


@pytest.fixture
def adding(tmp_path, monkeypatch):
    """A folder with a program that adds two vectors, and an array for it."""
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "x.npy", np.ones(64, np.float32))
    text = ".equ X, 1024\nli x6, 64\nsetvl x6\nli x5, X\nlv.w v1, (x5)\naddvv.s v2, v1, v1\n"
    text += "sv.w v2, (x5)\nhalt\n"
    (tmp_path / "add.s").write_text(text)
    return tmp_path


def test_a_program_with_arrays_is_explained(vecsim, adding):
    result = vecsim("why", "add.s", "--load", "X=x.npy", "--engine", "simpy", "--json", "why.json")
    assert result.code == 0
    run = vecsim("exec", "add.s", "--load", "X=x.npy", "--engine", "simpy", "--json", "exec.json")
    assert run.code == 0
    why, executed = (json.loads((adding / name).read_text()) for name in ("why.json", "exec.json"))
    (explained,) = why["explanations"]
    assert explained["cycles"] == executed["cycles"]
    assert sum(explained["cycles_by_cause"].values()) == explained["cycles"]
    assert {each["file"] for each in why["files"]} == {str(adding / name) for name in ("add.s", "x.npy")}
    assert f"add.s: {explained['cycles']} cycles" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add.s", "--like", "crs"], "add.s: --like is an option of products; leave it out for a program"),
        (["laplace2d-3", "--load", "X=x.npy"], "--load needs a program FILE.s; leave it out for a product"),
        (["add.s", "--load", "X=y.npy"], "y.npy: no such file"),
    ],
)
def test_options_of_the_other_kind(vecsim, adding, arguments, message):
    result = vecsim("why", *arguments)
    assert result.code == 2
    assert message in result.err
