"""Schedules: the numbers that a search tries, and those that are refused."""

import pytest

from gpu.compound.schedule import Schedule, grids, powers_and_thirds
from vecsim.errors import UserError


def test_the_numbers_of_the_paper():
    assert powers_and_thirds(1, 32) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
    assert powers_and_thirds(32, 1024) == [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]


def test_grids_fit_the_device():
    found = grids(2048, 32)
    assert (64, 32) in found
    assert (1024, 2) in found
    assert all(threads * blocks <= 2048 for threads, blocks in found)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"assignment": "guided"}, "'guided' is unknown"),
        ({"threads_per_block": 48}, "multiple of 32"),
        ({"threads_per_block": 2048}, "up to 1024"),
        ({"threads_per_row": 3}, "power of two"),
        ({"rows_per_thread": 0}, "1 or more"),
        ({"assignment": "static"}, "needs blocks_per_sm"),
        ({"at_once": 3}, "at_once 3"),
    ],
)
def test_impossible_schedules_are_refused(numbers, message):
    with pytest.raises(UserError, match=message):
        Schedule(**numbers)
