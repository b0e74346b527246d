import itertools

import numpy as np
import pytest
import scipy.sparse

from gpu.choice.cost_model import estimate
from gpu.choice.lower_bounds import LowerBounds
from gpu.choice.structure import Structure
from gpu.choice.work_counts import blocks, crs, crs_adaptive, deltas_of_rows, segmented
from gpu.formats.sliced.product import steps_at_once
from gpu.formats.sliced.slicing import BLOCKS, WIDTHS, Slicing
from gpu.runtime.device_info import MULTIPROCESSORS


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


def anywhere(lengths, columns, dtype=np.float32):
    """Return the structure of a matrix with rows of these lengths and entries anywhere."""
    rng = np.random.default_rng(4)
    indices = [np.sort(rng.choice(columns, length, replace=False)) for length in lengths]
    pointers = np.append(0, np.cumsum(lengths)).astype(np.int32)
    entries = np.concatenate(indices).astype(np.int32)
    matrix = scipy.sparse.csr_array(
        (np.ones(len(entries), dtype), entries, pointers), (len(lengths), columns)
    )
    return Structure.of(matrix)


def test_blocks_of_pieces_share_little_of_x():
    structure = anywhere(np.full(40, 4000), 60_000)
    whole, cut = crs(structure, threads_per_row=32), crs(structure, threads_per_row=32, row_cap=100)
    # Eight rows of a block share sectors, 800 of their entries do not.
    assert cut.sectors > 1.5 * whole.sectors


def test_deltas_of_sorted_rows_read_lines_in_that_order():
    lengths = np.tile([3, 9, 5, 7], 256)
    structure = anywhere(lengths, 500)
    work = deltas_of_rows(structure)
    assert work.lines == structure.load_lines(by_length=True)
    assert work.sectors == structure.sectors(by_length=True)
    equal = deltas_of_rows(anywhere(np.full(1024, 6), 500))
    assert equal.lines == 0  # the caller's, of rows in their order


def test_sums_of_slots_take_longer_with_larger_values_and_more_rows():
    def of_slots(rows, dtype=np.float32, *, direct=True):
        """Return the sums a slot, without what bringing segments of x takes."""
        pointers, columns = np.arange(rows + 1, dtype=np.int32), np.zeros(rows, np.int32)
        matrix = scipy.sparse.csr_array((np.ones(rows, dtype), columns, pointers), (rows, 1000))
        return (segmented(Structure.of(matrix), direct=direct).sums - 0.4 * 1000 * MULTIPROCESSORS) / rows

    assert of_slots(1000) == pytest.approx(1)
    assert of_slots(1000, np.float64) == pytest.approx(2)
    assert of_slots(1000, direct=False) == pytest.approx(2)
    assert of_slots(1_600_000) == pytest.approx(2)
