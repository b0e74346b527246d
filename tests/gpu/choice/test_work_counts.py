import itertools

import numpy as np
import pytest
import scipy.sparse

from gpu.choice.cost_model import estimate
from gpu.choice.lower_bounds import LowerBounds
from gpu.choice.structure import Structure
from gpu.choice.work_counts import blocks, crs_adaptive
from gpu.formats.sliced.product import steps_at_once
from gpu.formats.sliced.slicing import BLOCKS, WIDTHS, Slicing


def test_every_arrangement_has_a_step_in_flight():
    for threads_per_row, block, wide in itertools.product((1, 2, 4, 8, 16, 32), BLOCKS, WIDTHS):
        assert steps_at_once(threads_per_row, block, wide) >= 1


@pytest.mark.parametrize("block", [2, 3, 4])
@pytest.mark.parametrize("wide", WIDTHS)
def test_a_step_of_blocks_loads_as_many_as_are_wide(block, wide):
    coarse = scipy.sparse.random_array((400, 400), density=0.1, rng=np.random.default_rng(5), format="csr")
    matrix = scipy.sparse.csr_array(scipy.sparse.kron(coarse, np.ones((block, block))))
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    structure = Structure.of(matrix)
    slicing = Slicing(wide=wide, block=block)
    work = blocks(structure, slicing=slicing)
    assert work.ahead == wide * steps_at_once(1, block, wide)
    bounds = LowerBounds.of_structure(structure, padded=False)
    least = blocks(bounds, slicing=slicing)
    assert 0 < estimate("none", least, structure) <= estimate("none", work, structure) < 1e6


def test_threads_of_crs_adaptive_take_turns_over_short_rows():
    def turns(rows, per_row):
        """Return the turns of a thread for a matrix with as many entries in each row."""
        pointers = (np.arange(rows + 1) * per_row).astype(np.int32)
        columns = np.tile(np.arange(max(1, per_row), dtype=np.int32), rows)[: pointers[-1]]
        matrix = scipy.sparse.csr_array((np.ones(pointers[-1]), columns, pointers), shape=(rows, 64))
        work = crs_adaptive(Structure.of(matrix))
        return work.chain / work.ahead, work

    assert turns(4000, 32)[0] == 1
    few, work = turns(40_000, 1)
    # One entry in each row: a thread has as many rows as entries, and sums one after the other.
    assert few == pytest.approx(40_000 / (32 * work.warps)) and few > 2
