"""Speed of the simulator: element operations, instructions and cycles a second, program by program.

Run it as ``python -m benchmarks.simulator [MATRIX ...] [--machine NAME] [--engine NAME] [--json FILE]``.
Only the engine's run counts: matrix, image and assembly are ready before the clock starts. The time is
the best of three.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.data import load, values_as
from vecsim.engines.protocol import run
from vecsim.machine import load_machine

DEFAULT_MATRICES = ("randomwalk-30", "pde2961", "olm1000", "Trefethen_500")


@dataclass(frozen=True)
class Rate:
    """One program on one matrix; rates are per second of host time."""

    matrix: str
    nnz: int
    program: str
    engine: str
    seconds: float
    cycles: int
    element_ops_per_s: float
    instructions_per_s: float
    cycles_per_s: float


def measure(matrix: str, program: str, machine_name: str, engine: str, repeats: int = 3) -> Rate:
    """Run one program ``repeats`` times and keep the fastest."""
    machine = load_machine(machine_name)
    values, _ = values_as(load(matrix).csr, 4)
    prepared = prepare(program, values, machine, multiplicand(values.shape[1], 0, values.dtype))
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        result = run(prepared.program, prepared.loaded.memory, machine, engine=engine)
        best = min(best, time.perf_counter() - begin)
    return Rate(
        matrix,
        int(values.nnz),
        program,
        engine,
        best,
        result.cycles,
        result.counters["element_operations"] / best,
        result.instructions / best,
        result.cycles / best,
    )


def main() -> None:
    """Measure, print a table, and write JSON if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulator", description=__doc__)
    parser.add_argument("matrices", nargs="*", default=DEFAULT_MATRICES)
    parser.add_argument("--machine", default="vs2003")
    parser.add_argument("--engine", default="simpy")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    table = Table("matrix", "program", "seconds", "element operations/s", "instructions/s", "cycles/s")
    rates = []
    for matrix in arguments.matrices:
        for program in PROGRAMS:
            rate = measure(matrix, program, arguments.machine, arguments.engine)
            rates.append(rate)
            numbers = (rate.element_ops_per_s, rate.instructions_per_s, rate.cycles_per_s)
            table.add_row(matrix, program, f"{rate.seconds:.3f}", *(f"{n:,.0f}" for n in numbers))
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(rate) for rate in rates], indent=1) + "\n")


if __name__ == "__main__":
    main()
