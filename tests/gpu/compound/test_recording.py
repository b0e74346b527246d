"""Records of exhaustive searches, of times that a function gives."""

import numpy as np
import pytest

from gpu.compound import COMPLEX, CompoundMatrix
from gpu.compound.tuning import Timing, joint_variants
from gpu.compound.tuning.recording import all_variants, pruned_names, record_of, still_missing
from gpu.compound.tuning.search import loss_of_pruning
from vecsim.errors import UserError

LENGTHS = [3, 5, 4, 2] * 16


def us_of(variant):
    """Say that sliced-32 is best, and more threads a row are worse; sorted rows have no form."""
    if variant.layout.outer.startswith("sorted"):
        return None
    us = 10.0 + 20.0 * (variant.layout.outer != "sliced-32") + variant.schedule.threads_per_row
    return Timing(us - variant.schedule.threads_per_block / 2000, 100)


@pytest.fixture(scope="module")
def matrix():
    indices = np.concatenate([np.arange(length) for length in LENGTHS])
    values = [np.ones(len(indices), np.float32)] * 2
    pointers = np.append(0, np.cumsum(LENGTHS))
    return CompoundMatrix.from_arrays(COMPLEX, (len(LENGTHS), 8), pointers, indices, values)


@pytest.fixture(scope="module")
def times(matrix):
    return {variant.name: us_of(variant) for variant in all_variants(matrix)}


def test_nothing_is_left_out_and_what_is_placed_alike_stands_together(matrix):
    variants = all_variants(matrix)
    assert set(variants) == set(joint_variants(COMPLEX, np.float32))
    placed = [(each.layout, each.schedule.threads_per_row) for each in variants]
    changes = sum(now != before for now, before in zip(placed[1:], placed, strict=False))
    assert changes == len(set(placed)) - 1


def test_a_pruned_search_is_looked_up(matrix, times):
    pruned = pruned_names(matrix, times)
    assert 0 < len(pruned) < len(times) / 10
    assert not any(name.startswith("sorted") for name in pruned)
    assert loss_of_pruning({name: each for name, each in times.items() if each}, pruned) <= 0.03


def test_a_record_has_all_times_that_there_are(matrix, times):
    record = record_of(matrix, times)
    assert set(record) == set(times)
    assert record["csr-AoS-AoS | whole 256"] == pytest.approx(30.872)
    assert {name for name, us in record.items() if us is None} == {name for name in times if not times[name]}


def test_what_is_missing_is_told(matrix, times):
    some = dict([*times.items()][:-2])
    assert [each.name for each in still_missing(all_variants(matrix), some)] == [*times][-2:]
    with pytest.raises(UserError, match="2 variants are not timed yet"):
        record_of(matrix, some)
