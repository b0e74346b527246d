"""C = A B with 2:4 structured sparsity: the indexed multiply-add of Xindexmac against NumPy and loads."""

from pathlib import Path

import numpy as np
import pytest

import programs.rvv.sparse
from isa.riscv.assembler import assemble_file
from isa.riscv.extensions import XINDEXMAC
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.riscv.timing.program import record, recorded_execution

TEXT = Path(programs.rvv.sparse.__file__).parent / "structured.s"
ROWS = 12


def product(indexed, vlen, engine="jit"):
    """Run the product; return the right result, the actual one, and the cycles."""
    rng, width = np.random.default_rng(3), vlen // 32
    kept = np.concatenate(
        [np.sort(rng.permuted(np.tile(np.arange(4), (ROWS, 1)), axis=1)[:, :2]) + 4 * k for k in range(4)], 1
    )
    values, b = rng.standard_normal((ROWS, 8), np.float32), rng.standard_normal((16, width), np.float32)
    a = np.zeros((ROWS, 16))
    np.put_along_axis(a, kept, values, axis=1)
    symbols = {"INDEXED": indexed, "ROWS": ROWS, "WIDTH": width}
    program = assemble_file(TEXT, symbols=symbols, extensions=frozenset([XINDEXMAC] * indexed))
    machine = load_machine("x280", [f"riscv.vlen={vlen}"])
    execution = recorded_execution(program, machine.riscv, memory_bytes=1 << 20)
    for name, array in (("VALUES", values), ("COLUMNS", kept.astype(np.uint8)), ("B", b)):
        execution.write(name, array)
    timed = record(execution)
    c = execution.read("C", np.float32, ROWS * width).reshape(ROWS, width)
    return a @ b, c, run(timed.program, timed.memory, timed.machine(machine), engine=engine).cycles


@pytest.mark.parametrize("vlen", [128, 512, 16384])
def test_both_ways_are_right(vlen):
    for indexed in (0, 1):
        expected, result, _ = product(indexed, vlen)
        assert np.allclose(result, expected, atol=1e-5)


def test_engines_agree_and_rows_in_registers_need_not_be_loaded():
    indexed, loads = (product(each, 512)[2] for each in (1, 0))
    assert indexed == product(1, 512, "simpy")[2]
    page = (Path(__file__).parents[3] / "docs/papers/hism-on-rvv.md").read_text()
    assert f"VLEN 512 it takes {indexed:,} cycles with the\ninstruction. It takes {loads:,} cycles" in page
