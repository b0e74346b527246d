"""What the worked examples of the sparse instructions leave out: wide sections, and the rows of entries."""

import struct

import numpy as np
import pytest
from isa_machine import S, execute, machine

from isa.semantics.sparse import END_OF_ROW, ZERO_ROW
from isa.state import new_state


def test_lds_has_wider_descriptors_in_wide_sections():
    m = new_state(128, 4, np.zeros(1024, np.uint8))
    content = struct.pack("<fHfH", 2.0, 127 | 128, 1.0, 5)  # column 127 at the end of a row, column 5
    m.memory[: len(content)] = list(content)
    m.special[1] = 2
    execute(m, "lds.w", 1, 2, 3, 5, n=2)
    assert m.v[256:258].tolist() == [127 | END_OF_ROW, 5]
    assert m.v[384:386].tolist() == [0, 1]
    assert m.x[5] == 12
    assert m.special.tolist() == [2, 0, 1, 2]


@pytest.mark.parametrize("suffix", ["s", "d"])
@pytest.mark.parametrize("mnemonic", ["bmipa", "bmipac"])
def test_the_rows_that_timing_counts_are_those_of_positions(mnemonic, suffix):
    m = machine()
    m.v[4 * S : 5 * S] = [3 | 0 << 16, 0 | 2 << 16, 1 | (S + 2) << 16, 2 | 0 << 16]
    execute(m, f"{mnemonic}.{suffix}", 1, 2, 3, 4)
    assert m.row.tolist() == [0, 2, 2, 0]


@pytest.mark.parametrize("suffix", ["s", "d"])
def test_the_rows_that_timing_counts_are_those_that_end(suffix):
    m = machine()
    m.v[4 * S : 5 * S] = [3, END_OF_ROW, ZERO_ROW, 1 | END_OF_ROW]
    execute(m, f"mipa.{suffix}", 1, 2, 3, 4)
    assert m.row.tolist() == [0, 0, -1, 1]
