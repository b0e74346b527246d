"""Runs of RISC-V programs on both engines, on a machine whose cycles are easily worked out."""

from isa.riscv.assembler import assemble
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.riscv.timing.program import record, recorded_execution

# One address and one word a cycle, startup 20; adder 4, multiplier 5 cycles; four groups a register.
MACHINE = load_machine(
    "vs2003",
    [
        *("memory_ports=1", "words_per_cycle=1", "addresses_per_cycle=1", "startup=20", "banks=64"),
        *("latency.add=4", "latency.multiply=5", "issue_width=1", "alignment_bytes=4", "branch_penalty=0"),
    ],
)
VLEN, DLEN = 256, 64
EXIT = "\nli a7, 93\nli a0, 0\necall\n"


def timed(text, vlen=VLEN, dlen=DLEN, machine=MACHINE, **inputs):
    program = assemble(f".globl _start\n_start:\n{text}{EXIT}")
    machine = machine.changed({"riscv.vlen": vlen, "riscv.dlen": dlen})
    execution = recorded_execution(program, machine.riscv, memory_bytes=1 << 20)
    for name, array in inputs.items():
        execution.write(name, array)
    result = record(execution)
    return (
        result,
        execution,
        [
            run(result.program, result.memory, result.machine(machine), engine=each)
            for each in ("jit", "simpy")
        ],
    )


def cycles_of(text, **given):
    _, _, (compiled, interpreted) = timed(text, **given)
    assert compiled.cycles == interpreted.cycles
    assert compiled.cycles_by_cause == interpreted.cycles_by_cause
    return compiled.cycles
