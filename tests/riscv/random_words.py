"""Random bodies of words that are instructions, or nearly: what is refused must be what Spike refuses.

Accesses and jumps are left out, as their addresses would lead anywhere.
"""

import random

from isa.riscv.instructions import ROWS
from isa.riscv.rows import compressed
from tests.riscv.program_image import Layout, RandomProgram
from tests.riscv.random_scalar import BASES, BLOCK_BYTES, FLOAT, SCALAR, ScalarBody, first_state

OPCODES = (0x0F, 0x13, 0x17, 0x1B, 0x33, 0x37, 0x3B, 0x43, 0x47, 0x4B, 0x4F, 0x53)
LEADING_AWAY = ("mem", "jump", "branch", "environment", "debugger", "text", "csr")
"""Words of the summaries of rows that are left out."""
WORDS = 6


def _leads_away(row):
    return row.extension not in SCALAR | FLOAT or any(each in row.summary for each in LEADING_AWAY)


NEAR = [row for row in ROWS if not _leads_away(row)]
NEAR_SHORT = [row for row in compressed.ROWS if row.full in {each.mnemonic for each in NEAR}]


def _word(random_state):
    """Return a word near a row: its own, with a bit changed, or any of an opcode."""
    choice = random_state.random()
    if choice < 0.2:
        return random_state.getrandbits(25) << 7 | random_state.choice(OPCODES)
    row = random_state.choice(NEAR)
    word = row.match | random_state.getrandbits(32) & ~row.mask
    return word ^ 1 << random_state.randrange(12, 32) if choice < 0.5 else word


def random_words(seed, vlen):
    """Return the program of a seed: some instructions, then words until one is refused."""
    random_state = random.Random(f"riscv words {seed}")
    layout = Layout(vlen, BLOCK_BYTES)
    state = first_state(random_state, layout, BASES)
    body = ScalarBody(random_state, SCALAR | FLOAT)
    for _ in range(10):
        body.step()
    for _ in range(WORDS):
        if random_state.random() < 0.2:
            short = random_state.choice(NEAR_SHORT)
            body.add_half(short.match | random_state.getrandbits(16) & ~short.mask & ~3)
        else:
            body.items.append((_word(random_state), 4, None))
    return RandomProgram(body.finished(), state, layout)
