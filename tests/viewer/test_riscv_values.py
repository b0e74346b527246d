"""Pages of RISC-V programs: what registers and memory held after each instruction."""

import numpy as np

from isa.riscv.assembler import assemble
from vecsim.data.memory_files import read_piece
from vecsim.machine import load_machine
from vecsim.riscv.timing.replay import Replay
from vecsim.riscv.timing.source import RiscvSource
from vecsim.viewer import Subject, record

TEXT = """
main:
    la a1, x
    vsetivli t0, 6, e32, m2, ta, ma
    vle32.v v8, (a1)
    vadd.vi v8, v8, 1
    vse32.v v8, (a1)
    li a7, 93
    li a0, 0
    ecall
    .data
x:  .word 1, 2, 3, 4, 5, 6
"""
MACHINE = load_machine("vs2003", ["riscv.vlen=128", "riscv.dlen=64"])


def test_values_come_with_the_first_part_of_an_instruction():
    source = RiscvSource(assemble(TEXT, file="my.s"), memory_bytes=1 << 16)
    program, memory, on = source.on(MACHINE)
    piece = read_piece("x:6", source.names, 1 << 16)
    subject = Subject("my.s", program, memory, on, 4, (piece,), Replay(source, MACHINE))
    run = record(subject, engine="simpy")
    facts, columns = run.facts(), run.columns()
    texts = [facts["listing"][pc][0] for pc in run.times["pc"]]
    ages = dict(zip(texts, run.times["age"].tolist(), strict=True))
    assert (facts["section"], facts["vectorRegisters"], facts["names"]["a1"]) == (4, 32, "x11")

    def changes(name, cell):
        part = slice(*columns[f"{name}_begin"][cell : cell + 2])
        return columns[f"{name}_age"][part].tolist(), part

    loaded, added = ages["vle32.v v8, (a1)"], ages["vadd.vi v8, v8, 1"]
    when, part = changes("vector", 9)
    assert when == [-1, loaded, added]
    assert columns["vector_low"].reshape(-1, 4)[part].tolist() == [[0] * 4, [5, 6, 0, 0], [6, 7, 0, 0]]
    when, part = changes("piece0", 4)
    assert (when, columns["piece0_content"][part].tolist()) == (
        [-1, ages["vse32.v v8, (a1)"]],
        [[1 + 1], [3]],
    )


def test_a_replay_goes_back_to_any_row():
    source = RiscvSource(assemble(TEXT, file="my.s"), memory_bytes=1 << 16)
    replay, rows = Replay(source, MACHINE), len(source.on(MACHINE).program)
    forwards = [replay.snapshot(row) for row in range(rows)]
    for row in reversed(range(rows)):
        again = replay.snapshot(row)
        for name in ("x", "f", "v64", "memory", "control"):
            assert np.array_equal(getattr(again, name), getattr(forwards[row], name))
    assert forwards[-1].v32[32:38].tolist() == [2, 3, 4, 5, 6, 7]
