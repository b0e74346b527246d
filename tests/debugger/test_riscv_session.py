"""RISC-V programs in the debugger: places, registers and memory, and steps back."""

from pathlib import Path

import numpy as np
import pytest

from isa.riscv.assembler import assemble
from vecsim.debugger.commands import execute
from vecsim.debugger.debugger import Debugger
from vecsim.debugger.riscv_target import compiled_target, text_target
from vecsim.machine import load_machine
from vecsim.riscv.elf import read_elf
from vecsim.riscv.timing.source import RiscvSource
from vecsim.support.errors import UserError

SIEVE = Path(__file__).parents[1] / "riscv" / "sieve.elf"
TEXT = """
    .globl _start
_start:
    la a1, x
    li a0, 10
strip:
    vsetvli t0, a0, e32, m2, ta, ma
    vle32.v v8, (a1)
    vadd.vv v8, v8, v8
    vse32.v v8, (a1)
    vsetvli zero, zero, e64, m4, ta, ma
    vmv.v.i v12, 3
    sub a0, a0, t0
    sh2add a1, t0, a1
    bnez a0, strip
    li a7, 93
    ecall
    .data
x:  .word 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
"""
MACHINE = load_machine("vs2003", ["riscv.vlen=128", "riscv.dlen=64", "issue_width=1"])


def say(shown, *commands):
    messages = []
    for command in commands:
        messages = execute(shown, command)
    return "\n".join(messages)


def source_of(text):
    return RiscvSource(assemble(text, file="my.s"), memory_bytes=1 << 16)


@pytest.fixture(params=[pytest.param("simpy", marks=pytest.mark.ci), "jit-multiport"])
def shown(request):
    return Debugger(text_target("my.s", TEXT, source_of, MACHINE), engine=request.param)


def test_steps_are_whole_instructions(shown):
    texts = [say(shown, "step").rpartition(": ")[2] for _ in range(8)]
    assert texts[3:7] == [
        "vle32.v v8, (a1)",
        "vadd.vv v8, v8, v8",
        "vse32.v v8, (a1)",
        "vsetvli zero, zero, e64, m4, ta, ma",
    ]


def test_values_are_those_after_the_instructions_that_issued(shown):
    say(shown, "until vse32.v")
    assert [shown.value(name) for name in ("a0", "t0", "vl", "v8[0]", "v9[3]", "word(x + 4)")] == [
        10,
        8,
        8,
        2,
        16,
        2,
    ]
    say(shown, "until sub")
    state = shown.position.state
    assert (state.section, shown.value("v12[1]"), shown.value("word(x + 4)")) == (2, 3, 4)
    assert "e64, m4, ta, ma" in say(shown, "show scalars")


def test_a_step_back_is_exact(shown):
    digests = {}
    while not shown.session.ended:
        digests[shown.position.cycle] = shown.position.architectural_digest
        say(shown, "cycle")
    for cycle in sorted(digests, reverse=True)[::5]:
        shown.session.go_to(cycle)
        assert shown.position.architectural_digest == digests[cycle]
    assert len(set(digests.values())) > 10


def test_the_end_is_that_of_the_interpreter(shown):
    execution = source_of(TEXT).execution(128)
    execution.run()
    say(shown, "run")
    hart = shown.position.hart
    assert np.array_equal(hart.v64, execution.hart.v64)
    assert np.array_equal(hart.memory, execution.hart.memory)
    assert np.array_equal(hart.x, execution.hart.x)


def test_places_are_lines_symbols_addresses_and_mnemonics(shown):
    address = shown.session.names.symbols["strip"]
    rows = shown.instructions_at("strip")
    assert rows == shown.instructions_at("7") == shown.instructions_at(f"{address:#x}")
    assert len(rows) == 2  # before the first configuration, and under that of the loop
    assert len(shown.instructions_at("vsetvli")) > 2
    assert say(shown, "break strip").count("\n") == 0
    with pytest.raises(UserError, match="no instruction of the run is there"):
        shown.instructions_at("x")


def test_a_watch_stops_at_its_change(shown):
    say(shown, "watch word(x)")
    assert "word(x) is now 2" in say(shown, "run")
    assert shown.value("word(x)") == 2
    say(shown, "back")
    assert shown.value("word(x)") == 1


def test_a_text_is_edited_and_assembled(shown):
    say(shown, "until sub", "edit 12     vmv.v.i v12, 4", "assemble")
    assert shown.value("v12[0]") == 4
    say(shown, "edit 12     vmv.v.q v12, 4")
    with pytest.raises(UserError, match=r"my\.s:12"):
        say(shown, "assemble")


def test_all_panels_show_something(shown):
    say(shown, "until sub", "memory x:10:word", "view extended")
    text = say(shown, "show")
    for line in ("> ", "v12", "x: 10 x word", "multiply", "vle32.v v8, (a1) [2 of 2]"):
        assert line in text


def test_a_compiled_program_has_its_lines_and_no_edits():
    source = RiscvSource(read_elf(str(SIEVE)), memory_bytes=1 << 20)
    shown = Debugger(compiled_target(str(SIEVE), source, MACHINE))
    assert "sieve.c:" in say(shown, "until sieve")
    assert "sieve(void)" in say(shown, "show source")
    with pytest.raises(UserError, match="is compiled"):
        say(shown, "edit 3 int x;")
