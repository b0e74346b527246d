"""A record that is kept for the machines of a sweep is the one that each of them would make."""

import pytest
from test_riscv_numbers import ACCESSES, OF_CLASS
from timed_runs import EXIT, MACHINE

from isa.riscv.assembler import assemble
from vecsim.engines.running import run
from vecsim.machine.description import flat
from vecsim.results.digests import program_sha256
from vecsim.riscv.timing.source import RiscvSource

OTHERS = {"vlen": 512, "dlen": 128}
NUMBERS = [name for name in flat(MACHINE.numbers()) if name.startswith("riscv.")]
SCALAR = ("to_scalar", "count")


def program():
    lines = [text.format("a2" if name in SCALAR else "v8") for name, (text, _) in OF_CLASS.items()]
    # All elements, and a part of them; results of two registers.
    parts = ["vsetvli t0, zero, e32, m2, ta, ma", *lines, "vsetivli zero, 3, e32, m1, ta, ma", *lines]
    parts += ["la a1, x", *ACCESSES.values(), "vse32.v v8, (a1)", "vwadd.vv v8, v16, v24"]
    text = "\n".join(parts)
    return assemble(f".globl _start\n_start:\n{text}{EXIT}\n.data\nx: .zero 4096\n.text\n")


def changed(machine, name):
    value = flat(machine.numbers())[name]
    return machine.changed({name: OTHERS.get(name.rpartition(".")[2], value + 1)})


def timed_on(source, machine):
    """What a machine is to run, by its digest, and its cycles."""
    runnable = source.on(machine)
    return program_sha256(runnable.program), run(*runnable).cycles


@pytest.mark.ci
def test_a_kept_record_is_the_one_that_a_machine_would_make():
    base, text = MACHINE.changed({"riscv.vlen": 256, "riscv.dlen": 64}), program()
    kept = RiscvSource(text, memory_bytes=1 << 20)
    record, _ = timed_on(kept, base)
    recorded = set()
    for name in NUMBERS:
        machine = changed(base, name)
        fresh = timed_on(RiscvSource(text, memory_bytes=1 << 20), machine)
        assert timed_on(kept, machine) == fresh, name
        if fresh[0] != record:
            recorded.add(name.removeprefix("riscv."))
    assert recorded == {"vlen", "dlen", "whole_groups", "narrow_groups", "access_unit"}
