"""Vector programs: what the recorded ones execute, and lengths of registers that Spike does not have."""

import numpy as np
import pytest

from isa.riscv.declaration import Trap
from isa.riscv.encoding import decoded_text, encode, row_number
from isa.riscv.instructions import ROWS
from isa.riscv.state import PC, VL
from tests.riscv.kinds import read_recorded
from tests.riscv.program_image import ours
from tests.riscv.random_vectors import VECTOR, executed_words, random_vector_program
from tests.riscv.riscv_elf import DATA_BASE, TEXT_BASE
from vecsim.riscv.hart import Interpreter, new_hart


def test_recorded_programs_execute_every_row():
    """Refused instructions do not count."""
    executed = set()
    for vlen in (128, 512):
        for seed in range(len(read_recorded("vector", vlen))):
            program = random_vector_program(seed, vlen)
            executed.update(executed_words(program, ours(program)[0]))
    executed_rows = {ROWS[row_number(word)].mnemonic for word in executed}
    assert {row.mnemonic for row in VECTOR} - executed_rows == set()


@pytest.mark.parametrize("vlen", [64, 1024, 8192, 16384])
@pytest.mark.parametrize("lmul", [-1, 0, 3])
def test_lengths_that_spike_does_not_have(vlen, lmul):
    """Load, gather in reverse, slide, add and store 32-bit elements at VLMAX."""
    vtype = 2 << 3 | lmul & 7
    words = [
        encode("vsetvli", {"rd": 5, "rs1": 0, "zimm11": vtype}),
        encode("vle32.v", {"vd": 8, "rs1": 10, "vm": 1}),
        encode("vid.v", {"vd": 16, "vm": 1}),
        encode("addi", {"rd": 6, "rs1": 5, "imm12": -1}),
        encode("vrsub.vx", {"vd": 16, "vs2": 16, "rs1": 6, "vm": 1}),
        encode("vrgather.vv", {"vd": 24, "vs2": 8, "vs1": 16, "vm": 1}),
        encode("vslide1down.vx", {"vd": 16, "vs2": 8, "rs1": 6, "vm": 1}),
        encode("vadd.vv", {"vd": 8, "vs2": 24, "vs1": 16, "vm": 1}),
        encode("vse32.v", {"vs3": 8, "rs1": 11, "vm": 1}),
    ]
    text = np.array(words, "<u4").tobytes()
    memory = np.zeros(1 << 17, np.uint8)
    values = np.random.default_rng(5).integers(-(2**31), 2**31, 4096).astype(np.int32)
    offset = DATA_BASE - TEXT_BASE
    memory[offset : offset + values.nbytes] = values.view(np.uint8)
    hart = new_hart(memory, TEXT_BASE, decoded_text(text), TEXT_BASE, vlen)
    hart.control[PC], hart.x[10], hart.x[11] = TEXT_BASE, DATA_BASE, DATA_BASE + values.nbytes
    assert Interpreter(hart).run() == Trap.FETCH_FAULT
    count = vlen >> 5 << 3 >> 3 - lmul
    assert hart.x[5] == hart.control[VL] == count
    given = values[:count]
    expected = given[::-1] + np.append(given[1:], np.int32(count - 1))
    begin = offset + values.nbytes
    assert memory[begin : begin + 4 * count].view(np.int32).tolist() == expected.tolist()
    assert not memory[begin + 4 * count :].any()
