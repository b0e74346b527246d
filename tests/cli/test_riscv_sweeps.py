"""`vecsim sweep` of RISC-V programs: from the command line through explain, rerun and compare."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

TEXT = """
    .globl _start
_start:
    la a1, x
    li a0, COUNT
strip:
    vsetvli t0, a0, e32, LMUL, ta, ma
    vle32.v v8, (a1)
    vadd.vv v8, v8, v8
    vse32.v v8, (a1)
    sub a0, a0, t0
    sh2add a1, t0, a1
    bnez a0, strip
    li a0, CODE
    li a7, 93
    ecall
    .data
x:  .zero 1024
"""
ISA = ("--isa", "rv64gcv", "--engine", "simpy", "--store", "store", "--jobs", "1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with two programs that differ in LMUL, and an array."""
    for lmul in ("m1", "m4"):
        (tmp_path / f"{lmul}.s").write_text(TEXT.replace("LMUL", lmul).replace("CODE", "0"))
    np.save(tmp_path / "x.npy", np.arange(256, dtype=np.int32))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def swept(vecsim, folder):
    varied = ("--set", "riscv.vlen=128,512", "--define", "COUNT=64")
    return vecsim("sweep", "m1.s", "m4.s", *ISA, *varied, "--load", "x=x.npy", "--out", "out")


def rows_of(folder):
    return list(csv.DictReader((folder / "table.csv").read_text().splitlines()))


def test_cells_are_those_of_single_runs(swept, vecsim):
    assert (swept.code, "4 cells of 2 programs and 2 points in " in swept.out) == (0, True), swept.err
    for row in rows_of(Path("out")):
        how = ("--define", "COUNT=64", "--set", f"riscv.vlen={row['riscv.vlen']}", *ISA[:4])
        alone = json.loads(vecsim("exec", row["program"], *how, "--json", "-").out)
        assert int(row["cycles"]) == alone["cycles"]


def test_nothing_that_changed_is_taken_from_the_store(swept, vecsim, folder):
    def stored(*more):
        varied = ("--set", "riscv.vlen=128,512", "--define", "COUNT=64")
        return vecsim("sweep", "m1.s", "m4.s", *ISA, *varied, *more, "--dry-run").out

    assert "4 are stored, 0 would be simulated" in stored("--load", "x=x.npy")
    assert "0 are stored, 4 would be simulated" in stored()
    (folder / "m1.s").write_text((folder / "m4.s").read_text())
    assert "2 are stored, 2 would be simulated" in stored("--load", "x=x.npy")
    np.save(folder / "x.npy", np.ones(256, np.int32))
    assert "0 are stored, 4 would be simulated" in stored("--load", "x=x.npy")


def test_it_is_explained_repeated_and_compared(swept, vecsim):
    assert "Speed against riscv.vlen" in vecsim("explain", "out").out
    again = vecsim("rerun", "out")
    assert (again.code, "4 of 4 runs take the same cycles" in again.out) == (0, True), again.err
    assert "4 runs in common, 4 with the same cycles" in vecsim("compare", "out", "out").out


def test_a_run_is_repeated_and_compared(vecsim, folder):
    how = ("--define", "COUNT=64", "--set", "riscv.vlen=256", *ISA[:4], "--load", "x=x.npy")
    for lmul in ("m1", "m4"):
        assert vecsim("exec", f"{lmul}.s", *how, "--json", f"{lmul}.json").code == 0
    again = vecsim("rerun", "m1.json")
    assert (again.code, "1 of 1 run take the same cycles" in again.out) == (0, True), again.err
    compared = vecsim("compare", "m1.json", "m4.json").out
    assert "another" in compared
    (folder / "m1.s").write_text((folder / "m4.s").read_text())
    assert vecsim("rerun", "m1.json").code == 1


def test_a_function_has_the_cycles_of_its_instructions(vecsim, folder):
    how = ("--define", "COUNT=64", "--function", "strip")
    assert vecsim("sweep", "m1.s", *ISA, *how, "--out", "out").code == 0
    (row,) = rows_of(Path("out"))
    explained = json.loads(vecsim("why", "m1.s", *ISA[:4], *how, "--json", "-").out)
    lines = explained["explanations"][0]["lines"]
    assert int(row["cycles"]) == sum(line["cycles"] for line in lines)
    assert {line["source"] for line in lines} >= {"vle32.v v8, (a1)", "bnez a0, strip"}
    assert "la a1, x" not in {line["source"] for line in lines}
    assert vecsim("rerun", "out").code == 0


def test_an_exit_code_is_a_fault(vecsim, folder):
    (folder / "wrong.s").write_text(TEXT.replace("LMUL", "m1").replace("CODE", "3"))
    result = vecsim("sweep", "wrong.s", *ISA, "--define", "COUNT=8", "--out", "out")
    (row,) = rows_of(Path("out"))
    assert (row["cycles"], "ended with exit code 3" in row["fault"]) == ("", True)
    assert "no result for any of 1 cell: wrong.s: ended with exit code 3" in result.mistake()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["m1.s", "--isa", "rv32"], "--isa rv32: unknown instruction set"),
        (["laplace2d-5", "--isa", "rv64gcv"], "isa: needs programs FILE.s"),
        (["none.elf"], "none.elf: no such file"),
        (["m1.s", "--argument", "3"], "argument: m1.s is no RISC-V program"),
        (["m1.s", "--function", "strip"], "function: m1.s is no RISC-V program"),
        (["m1.s", *ISA[:2], "--define", "COUNT=8", "--function", "stripe"], "did you mean 'strip'"),
    ],
)
def test_mistakes_are_one_line(vecsim, folder, arguments, message):
    assert message in vecsim("sweep", *arguments).mistake()
