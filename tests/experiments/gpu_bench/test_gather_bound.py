"""The bound of gathers, on patterns whose requests can be counted by hand."""

from collections import OrderedDict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.gpu_bench.ceilings import Gather
from experiments.gpu_bench.gather_bound import BEYOND_L1_BYTES, GatherBound, GatherWork, least_work

GATHERS = tuple(
    Gather(dtype, x_bytes, rate)
    for dtype in ("float32", "float64")
    for x_bytes, rate in ((1 << 16, 800.0), (1 << 20, 200.0), (1 << 24, 160.0), (1 << 26, 40.0))
)
BOUND = GatherBound(1e9, GATHERS)


def work(columns, *, itemsize=8, multiprocessors=1, l2_bytes=1 << 20, sectors=1 << 13, block_entries=2):
    """Count, in L1 caches of this many sectors."""
    columns = np.array(columns, np.int32)
    return GatherWork.of(
        columns,
        int(columns.max(initial=-1)) + 1,
        itemsize,
        multiprocessors=multiprocessors,
        l2_bytes=l2_bytes,
        l1_bytes=32 * sectors,
        block_entries=block_entries,
    )


def requests(columns, **options):
    actual = work(columns, **options)
    return actual.first, actual.again


def test_neighbours_share_a_sector():
    assert requests(range(16)) == (4, 0)
    assert requests(range(16), itemsize=4) == (2, 0)
    assert requests([0, 4, 8, 12]) == (4, 0)


def test_what_stays_near_is_asked_for_once():
    assert requests([0, 40, 80] * 5, sectors=3) == (3, 0)
    # All the same for a hub between other columns, as long as it comes back soon.
    assert requests([0, 40, 0, 80, 0, 120, 0, 160, 0], sectors=2) == (5, 0)


def test_what_comes_back_when_others_have_taken_its_place_is_asked_for_again():
    row = [0, 40, 80, 120, 160, 200]
    assert requests(row * 3, sectors=5) == (6, 12)
    assert requests(row * 3, sectors=6) == (6, 0)
    assert requests([0, 40, 80, 0], sectors=2) == (3, 1)


def test_every_multiprocessor_asks_for_itself():
    # Two entries each, in turn: 0 40 | 0 40 | 0 40.
    assert requests([0, 40, 0, 40, 0, 40], multiprocessors=3) == (2, 4)
    assert requests([0, 40, 0, 40, 0, 40], multiprocessors=2) == (2, 2)
    # One each: 0 by the first and 40 by the second.
    assert requests([0, 40, 0, 40, 0, 40], multiprocessors=2, block_entries=1) == (2, 0)


def test_no_entries():
    assert requests([]) == (0, 0)
    assert work([]).spread_bytes == 0


@given(st.lists(st.integers(0, 40), max_size=200), st.integers(1, 12), st.integers(1, 5), st.integers(1, 9))
def test_as_many_as_a_cache_of_what_was_last_asked_for(columns, sectors, multiprocessors, block_entries):
    options = {"sectors": sectors, "multiprocessors": multiprocessors, "block_entries": block_entries}
    first, again = requests(columns, itemsize=32, **options)
    assert first == len(set(columns))
    recorded, asked = [OrderedDict() for _ in range(multiprocessors)], 0
    for entry, column in enumerate(columns):
        own = recorded[entry // block_entries % multiprocessors]
        asked += column not in own
        own[column] = True
        own.move_to_end(column)
        if len(own) > sectors:
            own.popitem(last=False)
    assert first + again == asked


def test_random_requests_are_spread_over_all_of_x():
    sectors = 1 << 14
    columns = 4 * np.random.default_rng(1).integers(0, sectors, 1 << 18)
    actual = work(columns, sectors=64, l2_bytes=1 << 18)  # half of x
    assert actual.first == sectors
    # What was asked for for the first time is missing from the first windows.
    assert 0.9 * 32 * sectors < actual.spread_bytes <= 32 * sectors


def test_what_moves_along_is_not_spread_over_all_of_x():
    # 32 random requests of 100 sectors, then of the next 100, and so on.
    rng = np.random.default_rng(2)
    columns = np.concatenate([4 * rng.integers(100 * at, 100 * at + 100, 1000) for at in range(200)])
    actual = work(columns, sectors=4, l2_bytes=32 * 4000)
    assert actual.first > 19_000
    assert actual.spread_bytes < 32 * 1000


def test_hubs_count_as_if_they_stood_side_by_side():
    # Four hubs in separate sectors: side by side they are one, and the four others are another.
    columns = np.array([0, 4, 8, 12] * 10 + [1, 5, 9, 13], np.int32)
    actual = least_work(columns, 14, (4, 8), multiprocessors=1, l2_bytes=1 << 20)
    assert [(each.first, each.again) for each in actual] == [(1, 0), (2, 0)]


def test_the_time_of_hand_worked_requests():
    mib = 1 << 20
    # 2000 in order at the best rate beyond the L1 cache, 4000 again from an x of 4 MiB: halfway to 16 MiB.
    assert BOUND.us(GatherWork(2000, 4000, 4 * mib), "float64", 0) == pytest.approx(2 / 200 + 4 / 180)
    assert BOUND.us(GatherWork(0, 4000, 64 * mib), "float64", 0) == pytest.approx(4 / 40)
    # They were not found in the L1 cache, however few they are.
    assert mib == BEYOND_L1_BYTES
    assert BOUND.us(GatherWork(0, 4000, 100), "float32", 0) == pytest.approx(4 / 200)


def test_what_is_stored_comes_from_the_l2_cache_too():
    # 968,000 bytes at 1000 GB/s, next to 1000 sectors at 200 a nanosecond.
    bound = replace(BOUND, l2_gb_per_s=1000.0)
    assert bound.us(GatherWork(1000, 0, 0), "float64", 968_000) == pytest.approx(0.968 + 1 / 200)


def test_the_rate_is_interpolated_and_kept_beyond_the_ends():
    assert BOUND.g_per_s("float32", 1 << 22) == pytest.approx(180)
    assert BOUND.g_per_s("float32", 1) == 800
    assert BOUND.g_per_s("float32", 1 << 40) == 40
    assert BOUND.document()[0] == {"dtype": "float32", "x_bytes": 1 << 16, "g_per_s": 800.0}
