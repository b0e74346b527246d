"""Random programs end in the states that Spike ended in, as ``python -m tests.riscv --record`` wrote them."""

from collections import Counter
from functools import cache

import pytest

from isa.riscv.instructions import ROWS
from isa.riscv.rows import compressed
from tests.riscv.kinds import KINDS, digest, mnemonics_in, program_digest, read_recorded
from tests.riscv.program_image import ours
from tests.riscv.random_scalar import FLOAT, NOT_ALONE, SCALAR

RECORDED = [("scalar", 128), ("float", 128), ("words", 128)]
RECORDED += [("vector", 128), ("vector", 4096)]
OTHER_LENGTHS = [pytest.param("vector", vlen, marks=pytest.mark.ci) for vlen in (64, 256, 512)]
IN_ALL = {"scalar": 120, "float": 60}


@cache
def program_of(kind, seed, vlen=128):
    return KINDS[kind](seed, vlen)


@pytest.mark.parametrize(("kind", "vlen"), RECORDED + OTHER_LENGTHS)
def test_states_are_those_of_spike(kind, vlen):
    for seed, (program_as_recorded, state) in enumerate(read_recorded(kind, vlen)):
        program = program_of(kind, seed, vlen)
        assert program_digest(program) == program_as_recorded, "another program: record again"
        actual, _ = ours(program)
        assert digest(actual) == state, (
            f"python -m tests.riscv --kind {kind} --seed {seed} --count 1 --vlen {vlen}"
        )


@pytest.mark.parametrize(
    ("kind", "extensions"), [("scalar", SCALAR), ("float", FLOAT)], ids=["scalar", "float"]
)
def test_every_row_is_in_recorded_programs(kind, extensions):
    recorded = read_recorded(kind, 128)
    assert len(recorded) == IN_ALL[kind]
    counts = Counter(name for seed in range(len(recorded)) for name in mnemonics_in(program_of(kind, seed)))
    rows = {row.mnemonic for row in ROWS if row.extension in extensions} - NOT_ALONE
    whole = {row.mnemonic for row in ROWS if row.extension in SCALAR | extensions}
    short = {row.mnemonic for row in compressed.ROWS if row.full in whole - NOT_ALONE}
    assert {name for name in rows | short if counts[name] < 3} == set()


def test_the_reference_notices_a_difference():
    """A state has 0 where the program counter was: the digest is another."""
    state, instructions = ours(program_of("scalar", 0))
    assert instructions > 50
    assert digest(state[:8] + bytes(8) + state[16:]) != read_recorded("scalar", 128)[0][1]
