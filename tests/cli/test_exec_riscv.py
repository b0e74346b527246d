"""RISC-V programs on the command line."""

import json

import numpy as np
import pytest

TEXT = """
    .globl _start
_start:
    la a1, x
    vsetivli zero, 4, e32, m1, ta, ma
    vle32.v v8, (a1)
    vadd.vv v8, v8, v8
    vse32.v v8, (a1)
    li a0, {code}
    li a7, 93
    ecall
    .data
x:  .word 1, 2, 3, 4
"""


@pytest.fixture
def text(tmp_path):
    file = tmp_path / "double.s"
    file.write_text(TEXT.format(code=3))
    return str(file)


def test_text_runs_and_shows_its_memory(vecsim, text, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(4, dtype=np.int32))
    np.save(tmp_path / "right.npy", 2 * np.arange(4, dtype=np.int32))
    arguments = ["--load", f"x={tmp_path / 'x.npy'}", "--expect", f"x={tmp_path / 'right.npy'}"]
    documents = []
    for engine in ("jit", "simpy"):
        asked = ["--engine", engine, "--json", "-", "--hot", "9"]
        documents.append(json.loads(vecsim("exec", text, "--isa", "rv64gcv", *arguments, *asked).out))
    assert documents[0]["cycles"] == documents[1]["cycles"] > 0
    assert documents[0]["riscv"] == {
        "vlen": 512,
        "dlen": 256,
        "instructions": 9,
        "exit_code": 3,
        "output": "",
    }
    lines = {line["text"]: line for line in documents[0]["lines"]}
    assert lines["vadd.vv v8, v8, v8"]["executions"] == 1
    assert documents[0]["expect"][0]["difference"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--isa", "rv32"], "--isa rv32: unknown instruction set; rv64gcv is known"),
        (["--isa", "rv64gcv", "--set", "riscv.vlen=100"], "riscv.vlen = 100: must be a power of two from 64"),
        (["--isa", "rv64gcv", "--set", "riscv.dlen=0"], "riscv.dlen = 0: must be a power of two from 64"),
        (["--argument", "3"], "--argument 3: "),
    ],
)
def test_mistakes_are_one_line(vecsim, text, arguments, message):
    assert message in vecsim("exec", text, *arguments).mistake()


def test_an_endless_program_is_one_line(vecsim, text):
    result = vecsim("exec", text, "--isa", "rv64gcv", "--max-cycles", "2")
    assert (result.code, result.out) == (2, "")
    last = result.err.splitlines()[-1]  # the first use of the interpreter says before it that it compiles
    assert last.startswith("vecsim: error: ")
    assert "no end after 8 instructions: an infinite loop" in last


def test_operations_that_are_not_counted_are_not_shown(vecsim, text):
    result = vecsim("exec", text, "--isa", "rv64gcv", "--machine", "a64fx", "--json", "-")
    assert "GFLOP" not in result.err
    assert "physical" not in json.loads(result.out)


def test_registers_are_named_and_read_by_vtype(vecsim, text):
    result = vecsim("exec", text, "--isa", "rv64gcv", "--registers", "--engine", "simpy", "--json", "-")
    registers = json.loads(result.out)["registers"]
    assert registers["special"] == {"vl": "4", "vtype": "e32, m1, ta, ma"}
    assert (registers["scalar"]["a0"], registers["scalar"]["a7"]) == (3, 93)
    assert list(registers["v"]) == ["v8"]
    assert registers["v"]["v8"]["i32"][:5] == [2, 4, 6, 8, 0]


def test_a_trace_has_instructions_with_their_source_lines(vecsim, text, tmp_path):
    trace = tmp_path / "run.kanata"
    asked = ["--engine", "simpy", "--trace", str(trace)]
    assert vecsim("exec", text, "--isa", "rv64gcv", *asked).code == 0
    lines = trace.read_text().splitlines()
    (number,) = (line.split("\t")[1] for line in lines if line.endswith(": vadd.vv v8, v8, v8"))
    (load,) = (line.split("\t")[1] for line in lines if line.endswith(": vle32.v v8, (a1)"))
    assert f"W\t{number}\t{load}\t0" in lines  # it reads what the load has written
    assert f"L\t{number}\t1\t{text}:7: vadd.vv v8, v8, v8\\n" in lines


def test_why_adds_up_by_source_line(vecsim, text):
    result = vecsim("why", text, "--isa", "rv64gcv", "--engine", "simpy", "--json", "-")
    (explained,) = json.loads(result.out)["explanations"]
    lines = explained["lines"]
    assert sum(line["cycles"] for line in lines) == explained["cycles"]
    assert [line["place"] for line in lines if line["source"] == "la a1, x"] == [f"{text}:4"] * 2
    assert any(part == "moving `v8`" for part in explained["cycles_by_part"])
    assert "source line" in result.err
