"""Schedules: the numbers that a search tries, and those that are refused."""

import numpy as np
import pytest

from gpu.compound import QUATERNION, blocks
from gpu.compound.product_kernel import form_of
from gpu.compound.schedule import Schedule, grids, powers_and_thirds, register_limit
from vecsim.support.errors import UserError


def test_the_numbers_of_the_paper():
    assert powers_and_thirds(1, 32) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
    assert powers_and_thirds(32, 1024) == [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]


def test_grids_fit_the_device():
    actual = grids(2048, 32)
    assert (64, 32) in actual
    assert (1024, 2) in actual
    assert all(threads * blocks <= 2048 for threads, blocks in actual)


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


def test_registers_are_limited_to_what_a_multiprocessor_has():
    limits = {
        threads * blocks: register_limit(Schedule("static", threads, blocks))
        for threads, blocks in grids(2048, 32)
    }
    assert (limits[2048], limits[1536], limits[1024], limits[768], limits[576]) == (32, 40, 64, 80, 112)
    assert (limits[512], limits[384]) == (128, 168)
    assert limits[288] == limits[32] == register_limit(Schedule("whole", 1024)) == 0
    assert all(limit * threads <= 65536 for threads, limit in limits.items())


def test_schedules_that_differ_in_numbers_alone_share_a_kernel():
    shared = [Schedule("static", 256, 8), Schedule("static", 32, 1), Schedule("static", 256, 8, at_once=4)]
    assert len({form_of(QUATERNION, np.float32, each) for each in shared}) == 1
    assert form_of(QUATERNION, np.float32, Schedule("dynamic", 256, 8)) != form_of(
        QUATERNION, np.float32, shared[0]
    )
    at_once = [form_of(blocks(edge), np.float64, Schedule()).at_once for edge in (2, 3, 4, 6)]
    assert at_once == [4, 4, 2, 1]
