import itertools

import numpy as np
import pytest
import scipy.sparse

from gpu.choice.cost_model import estimate
from gpu.choice.lower_bounds import LowerBounds
from gpu.choice.structure import Structure
from gpu.choice.work_counts import blocks
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
