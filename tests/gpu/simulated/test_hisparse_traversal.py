"""The product of HiSparse by traversal: every schedule, every queue, and the decisions of the controller."""

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.hisparse.container import HiSparse
from gpu.hisparse.traversal.product import SCHEDULES, HiSparseTraversal
from gpu.hisparse.traversal.queues import (
    DENSE_INNER,
    DENSE_LEAF,
    FEW,
    HUGE,
    LARGE,
    LEAF_QUEUES,
    MANY,
    MEDIUM,
    QUEUES,
    SMALL,
    THREADS,
    TINY,
    WORKERS,
    queue_of,
    workers_of,
)
from gpu.hisparse.traversal.scheduling import ORDER, PUBLISHED, control, items_of, pieces_of
from gpu.runtime.cuda import cuda
from gpu.runtime.memory import upload


def placed(matrix, node_size):
    return gpu.DeviceHiSparse.from_hisparse(HiSparse.from_scipy(matrix, node_size=node_size).scaled(2))


def check(product, exact, alpha, beta):
    rng = np.random.default_rng(1)
    x, before = rng.standard_normal(exact.shape[1]), rng.standard_normal(exact.shape[0])
    y = upload(before if beta else np.full_like(before, np.nan))
    product.launch(upload(x), y, alpha, beta, 0)
    expected = 2 * alpha * (exact @ x) + (beta * before if beta else 0)
    np.testing.assert_allclose(y.copy_to_host(), expected, atol=1e-13)


def scattered(shape, entries, dtype=np.float64):
    density = entries / (shape[0] * shape[1])
    rng = np.random.default_rng(entries)
    return scipy.sparse.random_array(shape, density=density, rng=rng, format="csr").astype(dtype)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("shape", "entries", "node_size"),
    [((30, 24), 90, 4), *(pytest.param(*each, marks=pytest.mark.ci)
                          for each in [((16, 12), 40, 16), ((20, 20), 400, 16), ((5, 7), 0, 4)])],
)  # fmt: skip
def test_every_schedule_multiplies(schedule, shape, entries, node_size):
    matrix = scattered(shape, entries)
    built = HiSparseTraversal(placed(matrix, node_size), schedule)
    check(built, matrix, 1.5, -0.5)
    check(built, matrix, 1.0, 0.0)
    check(built.transposed, matrix.T, 1.0, 0.0)


def test_leaves_of_every_queue():
    # Leaves of 1, 2, 3, 7, 20, 30 and 64 entries of 8 x 8: each queue of leaves but MANY's.
    parts = []
    for entries in (1, 2, 3, 7, 20, 30, 64):
        dense = np.zeros(64)
        dense[:entries] = np.arange(1, entries + 1)
        parts.append(dense.reshape(8, 8))
    matrix = scipy.sparse.csr_array(scipy.sparse.block_diag(parts).toarray())
    built = HiSparseTraversal(placed(matrix, 8))
    check(built, matrix, 1.0, 0.0)
    tails = built.state.tails.copy_to_host()
    assert tails[[TINY, SMALL, MEDIUM, LARGE, HUGE, DENSE_LEAF]].tolist() == [2, 1, 1, 1, 1, 1]
    assert tails[[FEW, MANY, DENSE_INNER]].tolist() == [1, 0, 0]


def test_threads_are_sized_to_nodes():
    assert [workers_of(queue) for queue in range(QUEUES)] == list(WORKERS)
    assert [queue_of(count, 3, 0) for count in (1, 3, 8, 24, 25)] == [TINY, SMALL, MEDIUM, LARGE, HUGE]
    assert [queue_of(count, 3, 1) for count in (8, 9)] == [FEW, MANY]
    assert (queue_of(99, 0, 0), queue_of(99, 0, 2)) == (DENSE_LEAF, DENSE_INNER)
    # A block of 32 threads takes 32 tiny leaves at once, 8 small ones, or one that is its own.
    assert [pieces_of(queue, 33) for queue in (TINY, SMALL, HUGE)] == [2, 5, 33]


@cuda.jit
def controlled_once(counters, heads, tails, orders, resident, over):
    done = control(counters, heads, tails, orders, np.int32(resident))
    if cuda.threadIdx.x == 0:
        over[0] = 1 if done else 0


@cuda.jit
def asked(orders, order, piece, result):
    if cuda.threadIdx.x == 0:
        result[0], result[1], result[2] = items_of(orders, order, piece)


def test_the_controller_orders_what_queues_have():
    state = (np.zeros(6 * 32, np.int32), np.zeros(QUEUES, np.int32), np.zeros(QUEUES, np.int32),
             np.zeros(ORDER * 8, np.int32))  # fmt: skip
    state[1][TINY], state[2][TINY] = 10, 45
    state[2][HUGE] = 3
    counters, heads, tails, orders = map(upload, state)
    over = upload(np.zeros(1, np.int32))
    controlled_once[1, THREADS](counters, heads, tails, orders, 4, over)
    # 35 tiny leaves are two pieces, three huge ones three.
    assert orders.copy_to_host().reshape(-1, ORDER)[:2].tolist() == [[TINY, 10, 35, 0], [HUGE, 0, 3, 2]]
    assert (counters.copy_to_host()[PUBLISHED], over.copy_to_host()[0]) == (5, 0)
    assert heads.copy_to_host().tolist() == tails.copy_to_host().tolist()
    result = upload(np.zeros(3, np.int32))
    asked[1, THREADS](orders, 0, 1, result)
    assert result.copy_to_host().tolist() == [TINY, 42, 45]
    # Five pieces are at work, so it is not over; once they are done, it is.
    controlled_once[1, THREADS](counters, heads, tails, orders, 4, over)
    assert (counters.copy_to_host()[PUBLISHED], over.copy_to_host()[0]) == (5, 0)
    done = counters.copy_to_host()
    done[5 * 32] = 5
    controlled_once[1, THREADS](upload(done), heads, tails, orders, 4, over)
    assert over.copy_to_host()[0] == 1


def test_queues_have_room_for_all_leaves():
    assert LEAF_QUEUES == HUGE + 2 == DENSE_LEAF + 1
    matrix = scattered((40, 40), 300)
    built = HiSparseTraversal(placed(matrix, 4), "levels")
    check(built, matrix, 1.0, 0.0)
    firsts, tails = built.state.firsts.copy_to_host(), built.state.tails.copy_to_host()
    assert (firsts[: LEAF_QUEUES + 1] == np.cumsum([0, *tails[:LEAF_QUEUES]])).all()
