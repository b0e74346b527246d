"""HiSparse on the device: both products of one copy, entries dealt to segments, and these to blocks."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import THREADS, allowed, relative_error, tiny_matrices
from tiers import examples, one_in

import gpu
from gpu.hisparse.container import HiSparse
from gpu.hisparse.product import HiSparseProduct
from gpu.hisparse.product.dealing import BY_GROUPS, COLLIDING, DISTINCT
from gpu.hisparse.product.product import chunks_of
from gpu.hisparse.product.segments import (
    BLOCK_SHIFT,
    KIND_SHIFT,
    Segments,
    arranged_leaves,
    entries_at_once,
)
from gpu.hisparse.sharing import equal_nodes_shared
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError


def full(rows, columns, dtype=np.float64):
    values = np.random.default_rng(rows).uniform(-1, 1, (rows, columns)).astype(dtype)
    return scipy.sparse.csr_array(values)


def check(results, matrix, alpha=1.0, beta=0.0):
    x = np.linspace(-1, 2, matrix.shape[1]).astype(matrix.dtype)
    y0 = np.linspace(3, -1, matrix.shape[0]).astype(matrix.dtype) if beta else None
    out = np.full(matrix.shape[0], np.nan, matrix.dtype) if y0 is None else y0.copy()
    y = results.matvec(x, out=out.copy(), alpha=alpha, beta=beta)
    assert relative_error(y, matrix, x, alpha, beta, y0) <= allowed(matrix)
    np.testing.assert_array_equal(results.matvec(x, out=out.copy(), alpha=alpha, beta=beta), y)


@examples(4)
@given(
    matrix=tiny_matrices(),
    node_size=st.sampled_from([16, 256]),
    factors=st.sampled_from([(1, 0), (-2, 0.5)]),
)
def test_both_products_of_any_matrix(matrix, node_size, factors):
    results = gpu.prepare(HiSparse.from_scipy(matrix, node_size=node_size), threads_per_block=THREADS)
    check(results, matrix, *factors)
    check(results.T, scipy.sparse.csr_array(matrix.T), *factors)


@pytest.mark.parametrize("shape", [(1, 40), (40, 1), pytest.param((40, 48), marks=pytest.mark.ci)])
def test_entries_that_collide_and_stripes_in_pieces(shape):
    # In one row or column lanes take turns; of a full leaf the 15 segments are too many for one block.
    matrix = full(*shape)
    host = HiSparse.from_scipy(matrix, node_size=64)
    results = gpu.prepare(host, threads_per_block=THREADS)
    check(results, matrix)
    check(results.T, scipy.sparse.csr_array(matrix.T), 2, -1)
    assert (chunks_of(arranged_leaves(host).direct, 2).pieces > 0) == (shape == (40, 48))


def test_the_state_of_the_matrix():
    matrix = full(5, 9, np.float32)
    results = gpu.prepare(HiSparse.from_scipy(matrix, node_size=8).T.scaled(0.5), threads_per_block=THREADS)
    assert results.shape == (9, 5)
    halved = scipy.sparse.csr_array(matrix.T * np.float32(0.5))
    check(results, halved, 3, 2)
    check(results.T, scipy.sparse.csr_array(halved.T))


def test_one_copy_serves_both_products():
    matrix = full(6, 9)
    results = gpu.prepare(matrix, "hisparse", threads_per_block=THREADS)
    x = np.arange(6.0)
    np.testing.assert_allclose(results.T @ x, matrix.T @ x, rtol=1e-14)
    np.testing.assert_allclose(results.rmatvec(x), matrix.T @ x, rtol=1e-14)
    product = HiSparseProduct(HiSparse.from_scipy(matrix), THREADS)
    ways = product.device_arrays, product.transposed.device_arrays
    shared = [array is other for array, other in zip(*ways, strict=True)]
    assert shared == [False, False, True, True, False, False]
    once = {id(array): array.nbytes for array in [*ways[0], *ways[1]]}
    assert results.nbytes == results.T.nbytes == sum(once.values())
    assert results.nbytes < 54 * 8 + 54 * 2 + 200
    # No copy is made where none is needed; another format is one.
    assert gpu.prepare(matrix, "hisparse", transpose=True, threads_per_block=THREADS).nbytes == results.nbytes
    other = gpu.prepare(matrix, "hisparse", transpose="crs", threads_per_block=THREADS)
    assert (other.T.format, other.T.T.format) == ("crs", "hisparse")
    np.testing.assert_allclose(other.T @ x, matrix.T @ x, rtol=1e-14)


@pytest.mark.ci
def test_products_of_an_edited_matrix_are_those_of_one_rebuilt():
    matrix = scipy.sparse.csr_array(np.tril(full(9, 12).toarray()))
    editor = HiSparse.from_scipy(matrix, node_size=4).editor()
    dense = matrix.toarray()
    editor.insert([0, 8, 3], [11, 11, 3], [2.0, 3.0, 4.0])
    editor.delete([5, 8], [0, 0])
    dense[[0, 8, 3], [11, 11, 3]], dense[[5, 8], [0, 0]] = [2, 3, 4], 0
    results = gpu.prepare(editor.matrix(), threads_per_block=THREADS)
    rebuilt = scipy.sparse.csr_array(dense)
    check(results, rebuilt, 2, -1)
    check(results.T, scipy.sparse.csr_array(rebuilt.T))


def test_equal_leaves_are_stored_once():
    matrix = scipy.sparse.csr_array(scipy.sparse.block_diag([full(8, 8)] * 2))
    host = equal_nodes_shared(HiSparse.from_scipy(matrix, node_size=8))
    assert len(arranged_leaves(host).values) == 64
    check(gpu.prepare(host, threads_per_block=THREADS), matrix)


def test_too_many_blocks_are_refused():
    matrix = scipy.sparse.csr_array(([1.0], ([0], [2**26])), shape=(1, 2**26 + 1))
    with pytest.raises(NotRepresentableError, match="use larger nodes"):
        arranged_leaves(HiSparse.from_scipy(matrix, node_size=4))


@examples(6)
@given(
    seed=st.integers(0, 99),
    share=st.sampled_from([0.02, 0.2, 1.0]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_segments_are_what_they_are_said_to_be(seed, share, dtype):
    rng = np.random.default_rng(seed)
    rows, columns = (int(each) for each in rng.integers(1, 50, 2))
    matrix = scipy.sparse.random_array((rows, columns), density=share, rng=rng, dtype=dtype, format="csr")
    leaves, wide = arranged_leaves(HiSparse.from_scipy(matrix, node_size=32)), entries_at_once(matrix.dtype)
    actual = np.zeros(matrix.shape, dtype)
    for segments, way in ((leaves.direct, 0), (leaves.transposed, 1)):
        actual[:] = 0
        words = segments.words.reshape(-1, 2).astype(np.int64)
        for stripe in range(len(segments.pointers) - 1):
            for begin, rest in words[segments.pointers[stripe] : segments.pointers[stripe + 1]]:
                count, kind, block = (rest & 127) + 1, rest >> KIND_SHIFT & 3, rest >> BLOCK_SHIFT
                at = slice(begin * wide, begin * wide + count)
                assert not begin * wide * matrix.dtype.itemsize % 16
                row, column = leaves.coordinates[at] >> 8, leaves.coordinates[at] & 255
                base = (stripe, block) if way == 0 else (block, stripe)
                actual[32 * base[0] + row, 32 * base[1] + column] += leaves.values[at]
                assert kind == kind_of((row, column)[way], wide)
    np.testing.assert_array_equal(actual, matrix.toarray())


def kind_of(lines, wide):
    """Return the kind of a segment, by the rule that assigns entries to lanes."""
    places = np.arange(len(lines))
    half = -(-len(lines) // 4) * 2
    groups = places % 4 if wide == 4 else places // half * 2 + places % half % 2
    if len(set(lines)) == len(lines):
        return DISTINCT
    apart = all(len(set(lines[groups == each])) == (groups == each).sum() for each in range(4))
    return BY_GROUPS if apart else COLLIDING


def test_segments_of_diagonals_are_distinct():
    # Five diagonals of a stencil fall apart into segments of different rows and columns in both directions.
    matrix = scipy.sparse.diags_array([np.ones(256)] * 3, offsets=[-1, 0, 1], shape=(256, 256), format="csr")
    leaves = arranged_leaves(HiSparse.from_scipy(matrix))
    for segments in (leaves.direct, leaves.transposed):
        kinds = segments.words[1::2] >> KIND_SHIFT & 3
        assert (kinds == DISTINCT).sum() >= 4 and (kinds == COLLIDING).sum() == 0


def test_segments_are_dealt_to_blocks_by_hand():
    words = np.zeros(2 * 32, np.uint32)
    # Stripes of 20 segments, none and 12: two warps, since there are few stripes; 8 a block at most.
    results = chunks_of(Segments(words, np.array([0, 20, 20, 32])), 2)
    assert results.warps == 2
    assert results.records.reshape(-1, 4).tolist() == [
        [0, 6, 0, 1],
        [6, 13, 0, 2],
        [13, 20, 0, 3],
        [20, 20, 1, 0],
        [20, 26, 2, 4],
        [26, 32, 2, 5],
    ]
    assert (results.pieces, results.cut.reshape(-1, 4).tolist()) == (5, [[0, 0, 3, 0], [2, 3, 5, 0]])
    # Many stripes of one segment: a warp each.
    many = chunks_of(Segments(words, np.arange(1001)), 8)
    assert (many.warps, len(many.records) // 4, many.pieces) == (1, 1000, 0)


@pytest.mark.parametrize(
    ("stripes", "segments", "warps"),
    # 4224 warps run at a time. 2000 stripes of four warps fill them 1.9 times, 1172 only 1.1 times: eight
    # warps each are at work for 2.2 rounds of 3 instead of 1.1 of 2. 20 segments are too few for four warps.
    [(2000, 150, 4), (1172, 150, 8), (1172, 60, 4), (5000, 20, 1)],
)
def test_warps_of_a_block_fill_the_device(stripes, segments, warps):
    pointers = np.arange(stripes + 1) * segments
    assert chunks_of(Segments(np.zeros(0, np.uint32), pointers), 8).warps == warps


def test_a_matrix_with_another_scale_needs_no_other_copy():
    host = HiSparse.from_scipy(full(3, 3))
    twice = replace(host, scale=2.0)
    x = np.ones(3)
    results = [gpu.prepare(each, threads_per_block=THREADS) @ x for each in (host, twice)]
    np.testing.assert_array_equal(results[1], 2 * results[0])


@pytest.mark.parametrize(
    "several", one_in(4, [(np.float64, 2), (np.float64, 3), (np.float32, 4), (np.float32, 6)])
)
def test_several_vectors_at_once(several):
    dtype, count = several
    matrix = full(3, 20, dtype)
    results = gpu.prepare(HiSparse.from_scipy(matrix, node_size=16), threads_per_block=THREADS)
    rng = np.random.default_rng(count)
    for one, exact in ((results, matrix), (results.T, matrix.T.tocsr())):
        x, y = (rng.uniform(-1, 1, (side, count)).astype(dtype) for side in exact.shape[::-1])
        actual = one.matmat(x, out=y.copy(), alpha=2, beta=-1)
        np.testing.assert_array_equal(actual, one.matmat(x, out=y.copy(), alpha=2, beta=-1))
        for k in range(count):
            assert relative_error(actual[:, k], exact, x[:, k], 2, -1, y[:, k]) <= allowed(matrix)


def test_several_vectors_of_the_wrong_kind():
    matrix = full(4, 5)
    results = gpu.prepare(HiSparse.from_scipy(matrix, node_size=16))
    for x, message in (
        (np.ones((4, 2)), r"x has shape \(4, 2\), a 4 x 5 matrix needs \(5, k\)"),
        (np.ones(5), r"x has shape \(5,\)"),
    ):
        with pytest.raises(UserError, match=message):
            results.matmat(x)
