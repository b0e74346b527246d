"""The kinds of random programs, and what is recorded of Spike for the default tests."""

import hashlib
import json
from functools import partial
from pathlib import Path

from isa.riscv.encoding import compressed_row, expand, is_short, row_number
from isa.riscv.instructions import ROWS
from tests.riscv.random_scalar import FLOAT, SCALAR, random_program
from tests.riscv.random_vectors import random_vector_program
from tests.riscv.random_words import random_words

KINDS = {
    "scalar": random_program,
    "float": partial(random_program, extensions=SCALAR | FLOAT),
    "vector": random_vector_program,
    "words": random_words,
}
"""``(seed, vlen)`` to a :class:`tests.riscv.program_image.RandomProgram`, by the name of the kind."""
RECORDED = Path(__file__).parent / "recorded"


def mnemonics_in(program):
    """Return the mnemonics of a body, those of 16 bits as they are and as what they stand for."""
    place, names = 0, []
    while place < len(program.body):
        bits = int.from_bytes(program.body[place : place + 4], "little")
        short = compressed_row(bits & 0xFFFF) if is_short(bits) else None
        if short is not None:
            names.append(short.mnemonic)
        word = expand(bits & 0xFFFF) if is_short(bits) else bits
        if word is not None and row_number(word) >= 0:
            names.append(ROWS[row_number(word)].mnemonic)
        place += 2 if is_short(bits) else 4
    return names


def digest(content):
    """Return a short digest of bytes."""
    return hashlib.sha256(content).hexdigest()[:16]


def program_digest(program):
    """Return a digest of what a program is: its body and its first state."""
    return digest(program.body + program.state)


def write_recorded(kind, vlen, rows):
    """Keep ``(digest of the program, digest of Spike's state)`` of the seeds from 0 on."""
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    (RECORDED / f"{kind}-{vlen}.json").write_text(f"[\n{lines}\n]\n")


def read_recorded(kind, vlen):
    """Return what `write_recorded` has kept."""
    return json.loads((RECORDED / f"{kind}-{vlen}.json").read_text())
