import numpy as np
import pytest

from gpu.runtime.cuda import EVERY_LANE, cuda

LANES = np.arange(64)


@cuda.jit
def shuffles(up, down, xor, first):
    thread = cuda.grid(1)
    up[thread] = cuda.shfl_up_sync(EVERY_LANE, thread, 3)
    down[thread] = cuda.shfl_down_sync(EVERY_LANE, thread, 3)
    xor[thread] = cuda.shfl_xor_sync(EVERY_LANE, thread, 5)
    first[thread] = cuda.shfl_sync(EVERY_LANE, thread, 0)


@cuda.jit
def votes(ballot, every, some, matching):
    thread = cuda.grid(1)
    ballot[thread] = cuda.ballot_sync(EVERY_LANE, thread % 32 < 2)
    every[thread] = cuda.all_sync(EVERY_LANE, thread < 32)
    some[thread] = cuda.any_sync(EVERY_LANE, thread == 40)
    matching[thread] = cuda.match_any_sync(EVERY_LANE, thread % 16)
    cuda.syncwarp()


def run(kernel, count):
    results = [np.zeros(64, dtype=np.int64) for _ in range(count)]
    kernel[1, 64](*results)
    return results


def test_shuffles_stay_within_the_warp():
    up, down, xor, first = run(shuffles, 4)
    lane, base = LANES % 32, LANES // 32 * 32
    np.testing.assert_array_equal(up, np.where(lane < 3, LANES, LANES - 3))
    np.testing.assert_array_equal(down, np.where(lane >= 29, LANES, LANES + 3))
    np.testing.assert_array_equal(xor, base + (lane ^ 5))
    np.testing.assert_array_equal(first, base)


def test_votes_are_those_of_the_warp():
    ballot, every, some, matching = run(votes, 4)
    np.testing.assert_array_equal(ballot, np.full(64, 3))
    np.testing.assert_array_equal(every, LANES < 32)
    np.testing.assert_array_equal(some, LANES >= 32)
    np.testing.assert_array_equal(matching, (1 << LANES % 16) | (1 << (LANES % 16 + 16)))


@pytest.mark.parametrize("threads", [1, 20])
def test_a_block_smaller_than_a_warp(threads):
    @cuda.jit
    def kernel(y):
        y[cuda.grid(1)] = cuda.shfl_down_sync(EVERY_LANE, cuda.grid(1), 1)

    y = np.zeros(threads, dtype=np.int64)
    kernel[1, threads](y)
    np.testing.assert_array_equal(y, np.minimum(np.arange(threads) + 1, threads - 1))
