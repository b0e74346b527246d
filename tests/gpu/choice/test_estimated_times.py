"""The estimated time of a product, worked by hand."""

import pytest

from gpu.choice.cost_model import Counts, Machine, microseconds, past_l1

MACHINE = Machine(
    launch_us=2.0,
    sector_ns=0.002,
    sum_ns=0.001,
    uneven_power=0.5,
    cache_bytes=1e30,
    cache_sharpness=3.0,
    x_bytes=1e30,
    memory_gb_per_s=3000.0,
    scattered_gb_per_s=2000.0,
    overlap=2.0,
    l1_bytes=1e5,
)


def time_of(moved=0.0, batches=0.0, sectors=0.0, lines=0.0, launches=1, warps=0.0, uneven=1.0, sums=0.0):
    counts = Counts(moved, batches, sectors, lines, 0.0, launches, warps, uneven, sums)
    return microseconds(counts, MACHINE, 4000.0, 100.0, 1.0, 0.05, 0.003)


def test_parts_that_are_added():
    assert time_of() == 1.0
    assert time_of(launches=3) == 1.0 + 2 * 2.0
    assert time_of(batches=20) == pytest.approx(1.0 + 20 * 0.1)
    assert time_of(warps=1e4) == pytest.approx(1.0 + 1e4 * 0.05e-3)
    assert time_of(moved=4e7, sums=3e6) == pytest.approx(1.0 + 10 + 3)


def test_stored_bytes_and_sectors_overlap():
    # 4e7 bytes at 4,000 GB/s are 10 us; sectors of 0.002 ns and lines of 0.003, 7.5 us.
    assert time_of(moved=4e7) == pytest.approx(1.0 + 10)
    assert time_of(sectors=1.5e6, lines=1.5e6) == pytest.approx(1.0 + 7.5)
    assert time_of(4e7, sectors=1.5e6, lines=1.5e6) == pytest.approx(1.0 + (10**2 + 7.5**2) ** 0.5)
    assert time_of(4e7, uneven=4) == pytest.approx(1.0 + 2 * 10)


def test_a_small_x_is_in_the_l1_cache():
    assert past_l1(1e6, 1e5, MACHINE) == 5e5
    assert past_l1(1e6, 1e9, MACHINE) == pytest.approx(1e6, rel=1e-3)
