"""Vector programs: what the recorded ones execute, and what Spike does not show."""

import numpy as np
import pytest

from isa.riscv.assembler import assemble
from isa.riscv.declaration import Trap
from isa.riscv.encoding import decoded_text, row_number
from isa.riscv.instructions import ROWS
from isa.riscv.state import ADDRESSES, BASE, PC, VL, VSTART
from tests.riscv.kinds import read_recorded
from tests.riscv.program_image import ours
from tests.riscv.random_vectors import VECTOR, executed_words, random_vector_program
from vecsim.riscv.hart import Interpreter, new_hart

DATA = 0x20000
"""An address in the memory of :func:`executed`."""


def executed(text, vlen=128, data=b""):
    """Execute assembly with a0 at DATA, to its end or a trap; return the hart and the trap."""
    program = assemble(text)
    words = program.bytes_at(program.text, program.text_end - program.text)
    memory = np.zeros(1 << 18, np.uint8)
    hart = new_hart(memory, program.text, decoded_text(words), program.text, vlen)
    place = DATA - program.text
    memory[place : place + len(data)] = np.frombuffer(data, np.uint8)
    hart.control[PC], hart.x[10] = program.text, DATA
    return hart, Interpreter(hart).run()


@pytest.mark.ci
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
@pytest.mark.parametrize(("group", "lmul"), [("mf2", -1), ("m1", 0), ("m8", 3)])
def test_lengths_that_spike_does_not_have(vlen, group, lmul):
    """All elements are loaded, gathered in reverse, slid, added and stored."""
    text = f"""
        vsetvli t0, x0, e32, {group}, ta, ma
        vle32.v v8, (a0)
        vid.v v16
        addi t1, t0, -1
        vrsub.vx v16, v16, t1
        vrgather.vv v24, v8, v16
        vslide1down.vx v16, v8, t1
        vadd.vv v8, v24, v16
        vse32.v v8, (a0)"""
    given = np.random.default_rng(5).integers(-(2**31), 2**31, 4097).astype(np.int32)
    hart, trap = executed(text, vlen, given.tobytes())
    assert trap == Trap.FETCH_FAULT
    count = vlen >> 5 << 3 >> 3 - lmul
    assert hart.x[5] == hart.control[VL] == count
    place = DATA - hart.control[BASE]
    result = hart.memory[place : place + given.nbytes].view(np.int32)
    expected = given[:count][::-1] + np.append(given[1:count], np.int32(count - 1))
    assert result[:count].tolist() == expected.tolist()
    assert result[count:].tolist() == given[count:].tolist()


@pytest.mark.parametrize(
    ("access", "distances"),
    [
        ("vlse32.v v8, (a0), t1, v0.t", [0, -12, -24, -36]),
        ("vssseg2e16.v v8, (a0), t1, v0.t", [0, -12, -24, -36]),
        ("vluxei16.v v8, (a0), v4, v0.t", [40, 8, 0, 16]),
        ("vsoxseg3ei16.v v8, (a0), v4, v0.t", [40, 8, 0, 16]),
    ],
)
def test_addresses_that_timing_needs(access, distances):
    """One for each element or segment, those that are masked off without."""
    text = f"""
        vsetivli t0, 4, e16, m1, ta, ma
        vle16.v v4, (a0)
        vsetivli t0, 4, e32, m1, ta, ma
        li t1, -12
        li t2, 0b1101
        vmv.s.x v0, t2
        {access}"""
    hart, trap = executed(text, data=np.array([40, 8, 0, 16], np.int16).tobytes())
    assert trap == Trap.FETCH_FAULT
    addresses = [DATA + each for each in distances]
    addresses[1] = -1
    assert hart.addresses[: hart.control[ADDRESSES]].tolist() == addresses


def test_what_faults_keeps_its_place():
    """Elements before it are loaded, and vstart says where to go on."""
    text = """
        li t0, 0x50000 - 8
        vsetivli t1, 4, e32, m1, ta, ma
        vle32ff.v v4, (t0)
        csrr t2, vl
        vsetivli t1, 4, e32, m1, ta, ma
        vle32.v v4, (t0)"""
    hart, trap = executed(text)
    assert (trap, hart.x[7], hart.control[VSTART]) == (Trap.LOAD_FAULT, 2, 2)
