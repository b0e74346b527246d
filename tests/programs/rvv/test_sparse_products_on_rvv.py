"""The sparse products for RISC-V Vector against SciPy, next to the classic programs, and on both engines."""

import numpy as np
import pytest
import scipy.sparse as sp
from tiers import one_combination_in

from programs.measurement import measure
from programs.rvv.sparse.arrays import FORMATS, check_name
from programs.rvv.sparse.measurement import GROUPS, filled, prepared, run_product, section_of
from vecsim.formats.accuracy import relative_error
from vecsim.machine import load_machine
from vecsim.riscv.execution import Execution
from vecsim.support.errors import UserError

RNG = np.random.default_rng(11)


def random(rows, columns, density):
    return sp.random_array((rows, columns), density=density, rng=RNG, dtype=np.float32, format="csr")


def with_a_dense_row():
    matrix = random(70, 90, 0.02).tolil()
    matrix[13, :] = 1.5
    return sp.csr_array(matrix)


MATRICES = {
    "random": random(150, 130, 0.05),
    "sparse": random(300, 333, 0.004),  # empty rows, empty block columns
    "dense row": with_a_dense_row(),
    "one entry": sp.csr_array(([2.0], ([4], [3])), shape=(9, 5), dtype=np.float32),
    "empty": sp.csr_array((6, 7), dtype=np.float32),
    "one row": random(1, 400, 0.3),
    "one column": random(400, 1, 0.3),
}


@pytest.mark.parametrize(("matrix", "name"), one_combination_in(2, MATRICES, FORMATS))
def test_products_are_right_for_all_registers(name, matrix):
    csr = MATRICES[matrix]
    x = RNG.standard_normal(csr.shape[1]).astype(np.float32)
    for vlen, lmul in ((128, 1), (128, GROUPS[name]), (512, 2), (16384, 1)):
        program, placed = prepared(name, csr, x, vlen, lmul)
        execution = filled(Execution(program, vlen=vlen, memory_bytes=1 << 22), placed, x)
        execution.write("Y", np.full(csr.shape[0], np.nan, np.float32))
        execution.run()
        assert relative_error(csr, x, execution.read("Y", np.float32, csr.shape[0])) < 1e-6, (vlen, lmul)


@pytest.mark.parametrize("name", FORMATS)
def test_both_engines_agree(name):
    csr = random(40, 40, 0.1)
    x = RNG.standard_normal(40).astype(np.float32)
    machine = load_machine("vs2003", ["riscv.vlen=256", "riscv.dlen=128"])
    compiled, interpreted = (
        run_product(name, csr, x, machine, lmul=2, engine=each) for each in ("jit", "simpy")
    )
    assert compiled.relative_error < 1e-6
    assert compiled.run.cycles == interpreted.run.cycles
    assert compiled.run.cycles_by_cause == interpreted.run.cycles_by_cause


def test_a_section_of_the_papers_takes_about_the_cycles_of_the_classic_program():
    """VLEN 2,048 has the section of 64 of the papers' machine; HiSM differs by its scalar instructions."""
    machine = load_machine("vs2003", ["riscv.vlen=2048", "riscv.dlen=128"])
    assert section_of(machine, 1) == machine.section_size == 64
    csr = random(600, 600, 0.02)
    x = np.ones(600, np.float32)
    classic = measure("hism", csr, "vs2003").run.counters
    ours = run_product("hism", csr, x, machine).run.counters
    # The same entries, segments of y and clearing; pointers and lengths are loaded by scalar instructions.
    assert ours["words_stored"] == classic["words_stored"]
    assert 0.9 < ours["words_loaded"] / classic["words_loaded"] <= 1


def test_what_is_refused():
    with pytest.raises(UserError, match="no product 'coo' for RISC-V; use one of crs, jd, ellpack"):
        check_name("coo")
    with pytest.raises(UserError, match="crs: LMUL is 8; use a power of 2 up to 4"):
        prepared("crs", MATRICES["random"], np.ones(130, np.float32), 256, 8)
