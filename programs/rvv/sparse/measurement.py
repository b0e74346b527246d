"""Run a product for RISC-V Vector on a matrix and time it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.riscv.assembler import assemble_file
from isa.riscv.extensions import XHISM
from isa.riscv.program import RiscvProgram
from programs.rvv.sparse.arrays import FORMATS, Placed, check_name
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.formats.accuracy import relative_error
from vecsim.machine import Machine
from vecsim.riscv.execution import Execution
from vecsim.riscv.timing.program import record, recorded_execution
from vecsim.support.errors import UserError

HERE = Path(__file__).parent
STACK_BYTES = 1 << 16
GROUPS = {"crs": 4, "jd": 4, "ellpack": 4, "sell": 4, "bbcs": 4, "hism": 8, "chism": 8}
"""The most registers of a group, by product."""
VALUE_BITS = 32


@dataclass(frozen=True)
class ProductRun:
    """A product that has run.

    Attributes
    ----------
    name
        Of the product.
    lmul
        Registers of a group.
    run
        The engine's result.
    instructions
        How many have been executed.
    relative_error
        See `vecsim.formats.accuracy`, with SciPy's product in float64.
    """

    name: str
    lmul: int
    run: Run
    instructions: int
    relative_error: float


def section_of(machine: Machine, lmul: int) -> int:
    """Return s: the elements of a group of ``lmul`` registers of a machine."""
    return machine.riscv.vlen // VALUE_BITS * lmul


def prepared(
    name: str, matrix: Any, x: npt.NDArray[np.float32], vlen: int, lmul: int = 1
) -> tuple[RiscvProgram, Placed]:
    """Assemble a product for a matrix, and place that.

    Parameters
    ----------
    name
        Of the product.
    matrix
        SciPy's compressed rows, float32.
    x
        (n,) what it is multiplied by.
    vlen
        Bits of a vector register.
    lmul
        Registers of a group.

    Raises
    ------
    UserError
        There is no such product, or it has no registers for such groups.
    """
    check_name(name)
    if lmul not in (1, 2, 4, 8) or lmul > GROUPS[name]:
        raise UserError(f"{name}: LMUL is {lmul}; use a power of 2 up to {GROUPS[name]}")
    s = vlen // VALUE_BITS * lmul
    placed = FORMATS[name](matrix, s)
    symbols = {key: value for key, value in placed.symbols.items() if key not in ("X", "Y")}
    symbols |= {
        "LMUL": lmul,
        "IMAGE_BYTES": max(16, len(placed.data)),
        "X_ELEMENTS": -(-len(x) // s) * s,
        "Y_ELEMENTS": max(1, -(-matrix.shape[0] // s)) * s,
    }
    program = assemble_file(HERE / f"{name}.s", symbols=symbols, extensions=frozenset([XHISM]))
    return program, placed


def filled(execution: Execution, placed: Placed, x: npt.NDArray[np.float32]) -> Execution:
    """Write a matrix and x into the memory of a product that has not run."""
    execution.write("IMAGE", placed.data)
    execution.write("X", x)
    return execution


def run_product(
    name: str,
    matrix: Any,
    x: npt.NDArray[np.float32],
    machine: Machine,
    *,
    lmul: int = 1,
    engine: str = DEFAULT_ENGINE,
) -> ProductRun:
    """Run a product and time it.

    Parameters
    ----------
    name, matrix, x, lmul
        As :func:`prepared` takes them.
    machine
        On what it is timed; its registers are as long as ``riscv.vlen`` says.
    engine
        Name of the engine.

    Raises
    ------
    UserError
        As :func:`prepared`, or the machine cannot run it.
    """
    program, placed = prepared(name, matrix, x, machine.riscv.vlen, lmul)
    size = max(each.address + each.size for each in program.segments) + STACK_BYTES
    execution = recorded_execution(program, machine.riscv, memory_bytes=size // 4096 * 4096 + 4096)
    timed = record(filled(execution, placed, x))
    y = np.asarray(execution.read("Y", np.float32, matrix.shape[0]), np.float32)
    result = run(timed.program, timed.memory, timed.machine(machine), engine=engine, max_cycles=10**12)
    return ProductRun(name, lmul, result, timed.result.instructions, relative_error(matrix, x, y))
