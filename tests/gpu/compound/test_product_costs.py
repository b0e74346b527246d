"""Costs of products by hand, and rates that are found again."""

import math

import numpy as np
import pytest

from gpu.compound import COMPLEX, CompoundMatrix
from gpu.compound.component_layout import AOS, SOA
from gpu.compound.device_compound import Layout
from gpu.compound.schedule import Schedule
from gpu.compound.standard_types import blocks
from gpu.compound.tuning.features import features_of
from gpu.compound.tuning.product_costs import (
    COSTS,
    Registers,
    costs,
    fitted_rates,
    shares_of_time,
    weights_of,
)
from gpu.compound.tuning.variants import Variant, joint_variants

ROWS, LENGTH = 2**20, 5
FEW = Registers(16, 0)


def features(entry=COMPLEX, rows=ROWS, real=np.float32):
    """Return those of a matrix with LENGTH entries in every row, from a smaller one."""
    small = 1024
    indices = np.tile(np.arange(LENGTH), small)
    values = [np.ones(len(indices), real) for _ in entry.entry]
    matrix = CompoundMatrix.from_arrays(entry, (small, small), LENGTH * np.arange(small + 1), indices, values)
    actual = features_of(matrix)
    grown = ("rows", "columns", "entries", *(name for name in actual if name.startswith("places_")))
    return actual | {name: actual[name] * rows / small for name in grown}


def cost(name, of, outer="sliced-32", inner=SOA, vector=AOS, **schedule):
    variant = Variant(Layout(outer, inner, vector), Schedule(**schedule))
    return costs(of, variant, FEW)[COSTS.index(name)]


def test_bytes_are_those_of_entries_columns_and_both_vectors():
    complex_ = features()
    entries, vectors = LENGTH * ROWS, 2 * ROWS * 8
    assert cost("bytes", complex_) == pytest.approx((12 * entries + vectors) / 1e6)
    assert cost("bytes", complex_, "sliced-32-short") == pytest.approx((10 * entries + vectors) / 1e6)
    assert cost("bytes from memory", complex_) == cost("bytes", complex_)
    assert cost("bytes from memory", features(rows=2**15)) == 0


def test_waves_are_of_the_blocks_that_registers_let_run():
    # 4 entries at once take 4 (2 + 2) registers, the sum 2, what is next to 16; in eights 40: 6 blocks of
    # 256.
    waves = ROWS / 256 / (6 * 132)
    assert cost("threads of a block", features()) == pytest.approx(0.25 * math.ceil(waves))
    last = math.ceil(waves) / waves - 1
    assert cost("bytes while the last wave is not full", features()) == pytest.approx(
        last * cost("bytes", features())
    )


def test_several_threads_a_row_have_fewer_steps_and_one_sum():
    small = features(rows=1024)
    assert (cost("steps of a thread", small), cost("steps of a thread", small, threads_per_row=4)) == (5, 1)
    assert cost("batches of loads", small) == 2
    assert cost("batches of loads", small, at_once=8) == 1
    assert cost("steps of the longest row", small, threads_per_row=2) == 1
    assert cost("sums of shared rows", small, threads_per_row=4) == 2 * 2


def test_lines_are_more_where_neighbours_are_far():
    of = features(blocks(4))
    entries = LENGTH * ROWS / 1e6
    assert cost("lines of entries", of, inner=SOA) == pytest.approx(16 * entries * 4 / 128)
    assert cost("lines of entries", of, inner=AOS) == pytest.approx(4 * entries * 64 / 128)
    doubles = features(blocks(4), real=np.float64)  # four together are two loads
    assert cost("lines of entries", doubles, inner=AOS) == pytest.approx(8 * entries)
    assert cost("lines of entries", of, "csr", inner=AOS) == pytest.approx(4 * entries)  # 320 bytes a row


def test_assignments_and_sorted_rows_cost():
    small = features(rows=1024)
    assert cost("draws of chunks", small, assignment="dynamic", blocks_per_sm=2) == 1
    assert cost("fixed chunks", small, assignment="static", blocks_per_sm=2) == 1
    assert cost("draws of chunks", small) == cost("fixed chunks", small) == 0
    assert cost("rows out of order", small, "sorted-32") == pytest.approx(1024 * 2 / 1e6)
    assert cost("bases of steps", small, "sorted-32-short") == 5
    assert cost("rows out of order", small) == cost("bases of steps", small, "sorted-32") == 0


@pytest.mark.ci
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_every_variant_has_costs_that_are_finite(real):
    for of in (features(real=real), features(rows=0, real=real)):
        actual = np.array([costs(of, variant, FEW) for variant in joint_variants(COMPLEX, real)])
        assert actual.shape[1] == len(COSTS)
        assert np.isfinite(actual).all()
        assert (actual >= 0).all()


def test_rates_are_found_again_and_none_is_negative():
    sampled = np.random.default_rng(5)
    counts = [sampled.uniform(0, 1, (40, 3)) for _ in range(4)]
    rates = np.array([2.0, 0.0, 5.0])
    actual = fitted_rates(counts, [each @ rates for each in counts])
    assert actual == pytest.approx(rates, abs=1e-9)
    times, shares = shares_of_time(counts[0], actual)
    assert times == pytest.approx(counts[0] @ rates)
    assert shares.sum(axis=1) == pytest.approx(1)
    noisy = [(each @ rates) * sampled.uniform(0.8, 1.2, 40) for each in counts]
    assert fitted_rates(counts, noisy).min() >= 0


def test_the_best_weighs_most():
    assert weights_of(np.array([3.0, 6.0])) == pytest.approx([1.03, 0.28])
