"""The digests, against plain concatenations of the bytes that they are documented to be of."""

import hashlib
import json
import struct
from functools import reduce
from operator import getitem

import numpy as np
import scipy.sparse

from isa.assembler import assemble
from vecsim.machine import load_machine
from vecsim.results.digests import (
    ADDED_NUMBERS,
    machine_sha256,
    matrix_sha256,
    pattern_sha256,
    program_sha256,
)

CSR = scipy.sparse.csr_array(np.array([[0, 1.5], [2.5, 0], [0, -1]]))
PATTERN = struct.pack("<2i", 3, 2) + struct.pack("<4i", 0, 1, 2, 3) + struct.pack("<3i", 1, 0, 1)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def test_of_a_pattern_and_of_a_matrix():
    assert pattern_sha256(CSR) == sha256(PATTERN)
    assert matrix_sha256(CSR) == sha256(PATTERN + struct.pack("<3d", 1.5, 2.5, -1))
    assert matrix_sha256(CSR.astype("f4")) == sha256(PATTERN + struct.pack("<3f", 1.5, 2.5, -1))


def test_of_a_matrix_however_its_arrays_are_kept():
    other = CSR.copy()
    other.indices, other.indptr = other.indices.astype(np.int64), other.indptr.astype(np.int64)
    other.data = np.repeat(other.data, 2)[::2]
    assert not other.data.flags.c_contiguous
    assert matrix_sha256(other) == matrix_sha256(CSR)
    big_endian = CSR.copy()
    big_endian.data = big_endian.data.astype(">f8")
    assert matrix_sha256(big_endian) == matrix_sha256(CSR)


def test_of_a_machine():
    numbers = load_machine("t0", ["physical_scalar_registers=40", "latency.divide=21"]).numbers()
    assert "name" not in numbers
    for name, value in ADDED_NUMBERS.items():
        *tables, inner = name.split(".")
        place = reduce(getitem, tables, numbers)
        if name not in ("physical_scalar_registers", "latency.divide"):
            assert place.pop(inner) == value
    for table in ("l1", "l2", "main_memory"):
        assert not numbers.pop(table)
    assert not any(numbers.pop("riscv").values())
    text = json.dumps(numbers, sort_keys=True, separators=(",", ":"))
    assert machine_sha256(dict(reversed(numbers.items()))) == sha256(text.encode())


def test_of_a_machine_numbers_that_came_later_count_if_they_are_changed():
    numbers = load_machine("t0").numbers()
    earlier = {name: value for name, value in numbers.items() if not name.startswith("physical")}
    latency = {name: value for name, value in numbers["latency"].items() if "divide" not in name}
    earlier["latency"] = latency
    assert machine_sha256(numbers) == machine_sha256(earlier)
    assert machine_sha256(numbers | {"physical_vector_registers": 20}) != machine_sha256(earlier)
    assert machine_sha256(numbers | {"latency": latency | {"divide": 9}}) != machine_sha256(earlier)


def test_of_a_program():
    text = "    .data\nx:  .word 7\n    .text\nmain: lw x3, x(zero)\n    halt\n"
    program = assemble(text)
    words = struct.pack(f"<{len(program)}I", *program.words.tolist())
    (segment,) = program.data
    data = struct.pack("<2Q", segment.address, 4) + struct.pack("<i", 7)
    assert program_sha256(program) == sha256(struct.pack("<2I", program.entry, len(program)) + words + data)
    renamed = assemble(text.replace("x:", "y:").replace("x(", "y(") + "# the same\n", file="other.s")
    assert program_sha256(renamed) == program_sha256(program)
    assert program_sha256(assemble(text.replace("7", "8"))) != program_sha256(program)
