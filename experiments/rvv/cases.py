"""What the study measures: products on matrices, machines, register lengths and groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from programs.measurement import measure, multiplicand
from programs.rvv.sparse.arrays import FORMATS
from programs.rvv.sparse.measurement import GROUPS, run_product, section_of
from vecsim.data import load
from vecsim.machine import Machine, load_machine
from vecsim.support.errors import UserError

MATRICES = (
    "nos7", "gr_30_30", "pde2961", "olm5000", "rdb3200l", "tols4000", "ch7-7-b2", "bibd_17_4",
    "Trefethen_700", "mycielskian9", "laplace2d-30", "randomwalk-100",
)  # fmt: skip
"""Those of the study of section sizes, and two that are generated."""
LENGTHS = (256, 512, 1024, 2048, 4096, 8192, 16384)
"""VLEN, bits."""
LMULS = (1, 2, 4, 8)
MACHINES = {
    # Two elements a cycle, as the lanes of vs2003.
    "vs2003": ("vs2003", ("riscv.dlen=64",)),
    "x280": ("x280", ()),
}
"""By name: the preset, and what is set of it in addition to VLEN."""
CLASSIC = "classic"
"""The machine of the classic programs: vs2003 with a section of VLEN / 32 elements."""
CLASSIC_PROGRAMS = ("crs", "jd", "bbcs", "hism", "chism")
LARGEST_ERROR = 1e-5


@dataclass(frozen=True)
class Cycles:
    """What one product took.

    Attributes
    ----------
    matrix, machine, product
        Names.
    vlen, lmul
        Bits of a register, and registers of a group.
    nnz, cycles
        Non-zeros of the matrix, and cycles of the product.
    """

    matrix: str
    machine: str
    product: str
    vlen: int
    lmul: int
    nnz: int
    cycles: int


def machine_of(name: str, vlen: int) -> Machine:
    """Return a machine of the study with registers of a length."""
    preset, changes = MACHINES[name]
    return load_machine(preset, [*changes, f"riscv.vlen={vlen}"])


def measured(name: str) -> Iterator[Cycles]:
    """Measure all products on a matrix.

    Raises
    ------
    UserError
        A result is wrong.
    """
    matrix = load(name).csr.astype(np.float32)
    x = multiplicand(matrix.shape[1], 0, np.float32).astype(np.float32)
    for vlen in LENGTHS:
        for product in FORMATS:
            for lmul in LMULS:
                if lmul <= GROUPS[product]:
                    yield from _of_product(name, matrix, x, product, vlen, lmul)
        yield from _classic(name, matrix, vlen)


def _of_product(name: str, matrix: Any, x: Any, product: str, vlen: int, lmul: int) -> Iterator[Cycles]:
    for each in MACHINES:
        run = run_product(product, matrix, x, machine_of(each, vlen), lmul=lmul)
        if run.relative_error > LARGEST_ERROR:
            raise UserError(f"{name}, {product}, VLEN {vlen}, LMUL {lmul}: wrong by {run.relative_error}")
        yield Cycles(name, each, product, vlen, lmul, matrix.nnz, run.run.cycles)


def _classic(name: str, matrix: Any, vlen: int) -> Iterator[Cycles]:
    machine = load_machine("vs2003", [f"section_size={section_of(machine_of('vs2003', vlen), 1)}"])
    for program in CLASSIC_PROGRAMS:
        cycles = measure(program, matrix, machine).cycles
        yield Cycles(name, CLASSIC, program, vlen, 1, matrix.nnz, cycles)
