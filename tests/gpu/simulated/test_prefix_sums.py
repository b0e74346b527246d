"""Sums before each of many counts, in one block and in several."""

import numpy as np
import pytest

from gpu.runtime.memory import upload
from gpu.sorting import prefix_sums


@pytest.mark.parametrize("one_block", [1 << 15, 1])
@pytest.mark.parametrize("number", [0, 1, prefix_sums.SHARE, 2 * prefix_sums.SHARE + 70])
def test_sums_are_those_of_numpy(monkeypatch, one_block, number):
    monkeypatch.setattr(prefix_sums, "ONE_BLOCK", one_block)
    counts = np.random.default_rng(1).integers(0, 9, number).astype(np.int32)
    places, whole = prefix_sums.prefix_sums(upload(counts), number, 0)
    np.testing.assert_array_equal(places.copy_to_host(), np.append(0, np.cumsum(counts)))
    assert whole == counts.sum()
