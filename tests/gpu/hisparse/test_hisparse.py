"""The tree of HiSparse: its bytes, its types of nodes, its state, and the way back."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_right, assert_same
from hisparse_cases import NODE_SIZES, assert_stores, blocked
from hypothesis import given
from hypothesis import strategies as st

from gpu.hisparse.container import HiSparse
from gpu.hisparse.node_layout import dense_words, sparse_words
from vecsim.support.errors import UserError


def figure_1(dtype=np.float32):
    """The example of the paper's Figure 1: d = 4, three levels, a dense leaf and three sparse nodes."""
    leaf = scipy.sparse.coo_array(([3, 3, 1, 5], ([0, 0, 1, 3], [1, 3, 0, 2])), shape=(4, 4))
    dense = np.array([[1, 7, 6, 3], [1, 0, 4, 9], [3, 3, 2, 2], [2, 5, 5, 0]], dtype)
    matrix = np.zeros((64, 64), dtype)
    matrix[52:56, 0:4] = leaf.toarray()
    matrix[60:64, 4:8] = dense
    return scipy.sparse.csr_array(matrix)


def test_the_example_of_figure_1_word_by_word():
    built = HiSparse.from_scipy(figure_1(), node_size=4)
    one, nothing = 0x3F800000, 0x80000000
    floats = np.array([3, 3, 1, 5], np.float32).view(np.uint32).tolist()
    words = built.content.pool.words.tolist()
    # N3: 4 entries, coordinates (0, 1), (0, 3), (1, 0), (3, 2), two in a word.
    assert words[4:12] == [4, 1, 3 << 16 | 1, 0x0302 << 16 | 0x0100, *floats]
    # N4: dense, 14 entries; the two zeros of the example are no entries.
    assert words[12:16] == [14, 1, 0, 0]
    assert words[16] == one
    assert [place for place, word in enumerate(words[16:32]) if word == nothing] == [5, 15]
    # N2: COO2 with the references to N3 (COO4) and N4 (dense); N1: COO1 with that to N2.
    assert words[32:40] == [2, 1, 0x0301 << 16 | 0x0100, 0, 4 + 3, 12, 0, 0]
    assert words[40:44] == [1, 1, 0x0300, 32 + 2]
    assert len(words) == 44
    assert built.content.root == 40 + 1
    assert built.storage("image") == 4 * (44 - 4) == built.content.pool.bytes_in_use
    assert built.structure() == {
        "node_size": 4,
        "level_arrays": (2, 1, 1),
        "level_dense_arrays": (1, 0, 0),
        "level_entries": (18, 2, 1),
    }


def test_slots_of_64_bits_are_aligned_for_16_byte_loads():
    words = HiSparse.from_scipy(figure_1(np.float64), node_size=4).content.pool.words
    assert words[4:8].tolist() == [4, 1, 3 << 16 | 1, 0x0302 << 16 | 0x0100]
    assert words[8:16].view(np.float64).tolist() == [3, 3, 1, 5]
    assert words[20:52].view(np.float64).tolist()[:4] == [1, 7, 6, 3]


@given(matrix=blocked(), node_size=st.sampled_from(NODE_SIZES))
def test_bytes_read_by_loops(matrix, node_size):
    built = HiSparse.from_scipy(matrix, node_size=node_size)
    built.check()
    assert_stores(built, matrix)
    back = built.to_scipy()
    assert_same(back, matrix)
    assert np.array_equal(np.signbit(back.data), np.signbit(matrix.data))


@given(
    matrix=blocked(), node_size=st.sampled_from(NODE_SIZES), turns=st.integers(0, 3), scale=st.integers(-2, 2)
)
def test_transposed_and_scaled_the_nodes_stay_and_the_product_follows(matrix, node_size, turns, scale):
    stored = built = HiSparse.from_scipy(matrix, node_size=node_size)
    for _ in range(turns):
        built = built.T
    built = built.scaled(scale)
    expected = scipy.sparse.csr_array(matrix.T if turns % 2 else matrix)
    expected.data = expected.data * matrix.dtype.type(scale)
    assert built.content is stored.content
    assert_right(built, expected)
    assert (stored.transposed, stored.scale) == (False, 1)


def test_a_scale_is_rounded_to_the_type_of_the_values_and_multiplies_on():
    matrix = scipy.sparse.csr_array(np.array([[3.0]], np.float32))
    built = HiSparse.from_scipy(matrix).scaled(0.1).scaled(2)
    assert built.scale == 0.2
    assert built.to_scipy().data[0] == np.float32(3) * np.float32(0.2)
    for factor in (np.inf, np.nan, 1e40):
        with pytest.raises(UserError, match="a finite float32 number is needed"):
            built.scaled(factor)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (5, 5), (3, 70), (70, 3), (17, 64)])
@pytest.mark.parametrize("node_size", NODE_SIZES)
def test_one_entry_and_all_entries(dtype, shape, node_size):
    corner = scipy.sparse.coo_array((np.ones(1, dtype), ([shape[0] - 1], [shape[1] - 1])), shape=shape)
    full = scipy.sparse.csr_array(np.arange(1, shape[0] * shape[1] + 1).reshape(shape).astype(dtype))
    for matrix in (corner, full):
        built = HiSparse.from_scipy(matrix, node_size=node_size)
        assert_right(built, matrix)
        assert_stores(built, matrix)
        assert node_size**built.levels >= max(shape)
        assert built.levels == 1 or node_size ** (built.levels - 1) < max(shape)


@pytest.mark.parametrize("node_size", [4, 256])
def test_columns_up_to_31_bits(node_size):
    last = 2**31 - 2
    ends = scipy.sparse.coo_array(([1.0, 2.0, 3.0], ([0, 2, 1], [0, last, last // 2])), shape=(3, last + 1))
    built = HiSparse.from_scipy(ends, node_size=node_size)
    built.check()
    rows, columns = built.coordinates()
    assert sorted(zip(columns.tolist(), rows.tolist(), strict=True)) == [(0, 0), (last // 2, 1), (last, 2)]


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("node_size", [4, 8])
def test_a_leaf_is_dense_exactly_where_that_is_smaller(width, node_size):
    dtype = {4: np.float32, 8: np.float64}[width]
    places = node_size * node_size
    types = set()
    for count in range(1, places + 1):
        matrix = scipy.sparse.coo_array(
            (np.ones(count, dtype), np.divmod(np.arange(count), node_size)), shape=(node_size, node_size)
        )
        built = HiSparse.from_scipy(matrix, node_size=node_size)
        dense = 4 * dense_words(node_size, width) < 4 * sparse_words(count, width)
        assert built.structure()["level_dense_arrays"] == (int(dense),)
        assert built.storage("image") == 4 * min(dense_words(node_size, width), sparse_words(count, width))
        types.add(dense)
    assert types == {True, False}


def test_inner_nodes_are_dense_where_that_is_smaller():
    # Every other row: all 16 children of the root, each with 8 entries.
    matrix = np.zeros((16, 16))
    matrix[::2] = 1
    built = HiSparse.from_scipy(scipy.sparse.csr_array(matrix), node_size=4)
    assert built.structure()["level_dense_arrays"] == (0, 1)
    assert_stores(built, scipy.sparse.csr_array(matrix))


def test_a_stored_negative_zero_keeps_a_leaf_sparse_unless_it_is_full():
    values = np.ones((4, 4))
    values[1, 2] = -0.0
    full = scipy.sparse.csr_array((values.ravel(), np.divmod(np.arange(16), 4)), shape=(4, 4))
    built = HiSparse.from_scipy(full, node_size=4)
    assert built.structure()["level_dense_arrays"] == (1,)
    assert_stores(built, full)
    partly = scipy.sparse.csr_array((values.ravel()[:15], np.divmod(np.arange(15), 4)), shape=(4, 4))
    for matrix, dense in ((partly, 0), (abs(partly), 1)):
        built = HiSparse.from_scipy(matrix, node_size=4)
        assert built.structure()["level_dense_arrays"] == (dense,)
        assert_stores(built, matrix)


@pytest.mark.parametrize("node_size", [0, 2, 3, 12, 512, -4, 4.0, "8", None])
def test_an_impossible_node_size_is_refused(node_size):
    with pytest.raises(UserError, match="use a power of two from 4 to 256"):
        HiSparse.from_scipy(figure_1(), node_size=node_size)


def broken(word, value):
    built = HiSparse.from_scipy(figure_1(), node_size=4)
    built.content.pool.words[word] = value
    return built


@pytest.mark.parametrize(
    ("built", "message"),
    [
        (broken(42, 0x0400), "level 2: coordinates must rise and lie within"),
        (broken(43, 32 + 3), "level 1: a node must be dense where that is smaller"),
        (broken(40, 2), "level 2: nodes must be within the pool"),
        (broken(43, 1), r"level 1: nodes must have 1 \.\. 16 entries"),
        (broken(43, 44 + 2), "a reference leads beyond the end of the pool"),
        (broken(43, 2**32 - 1), "a reference leads beyond the end of the pool"),
        (broken(41, 0), "level 2: nodes must count all references"),
        (broken(33, 0), "level 1: nodes must count all references"),
        (broken(32, 0), r"level 1: nodes must have 1 \.\. 16 entries"),
        (broken(36, 0), "level 1: a sparse inner node must have no slot without a child"),
        (broken(36, 12), "level 0: nodes must count all references"),
        (broken(6, 1 << 16 | 3), "level 0: coordinates must rise"),
        (broken(6, 4 << 16 | 1), "level 0: coordinates must rise and lie within"),
        (broken(12, 13), "level 0: a dense node must count its entries"),
        (broken(12, 12), "level 0: a node must be dense where that is smaller"),
        (replace(HiSparse.from_scipy(figure_1()), scale=np.inf), "scale must be"),
    ],
)
def test_check_names_what_is_broken(built, message):
    with pytest.raises(ValueError, match=message):
        built.check()


def test_check_finds_a_broken_padding():
    matrix = scipy.sparse.coo_array((np.ones(3), ([0, 1, 2], [0, 1, 2])), shape=(4, 4))
    for half in (1, 3):
        built = HiSparse.from_scipy(matrix, node_size=4)
        built.content.pool.words.view(np.uint16)[8 + 4 + half] = 0x0303
        with pytest.raises(ValueError, match=r"level 0: (padding|coordinates) must"):
            built.check()
    built = HiSparse.from_scipy(matrix, node_size=4)
    built.content.pool.values[2 + 2 + 3] = 1
    with pytest.raises(ValueError, match="level 0: padding must repeat"):
        built.check()


def test_check_finds_nodes_that_overlap():
    built = broken(36, 24 + 1)
    built.content.pool.words[24:26] = 1
    with pytest.raises(ValueError, match="level 0: nodes must not overlap"):
        built.check()


def test_check_finds_entries_beyond_the_matrix():
    built = HiSparse.from_scipy(figure_1(), node_size=4)
    for shape, axis in (((63, 64), "rows"), ((64, 7), "columns")):
        wrong = replace(built, content=replace(built.content, shape=shape))
        with pytest.raises(ValueError, match=f"{axis} of entries must be from"):
            wrong.check()
    with pytest.raises(ValueError, match="leaves must have 17 entries, have 18"):
        replace(built, content=replace(built.content, nnz=17)).check()
    with pytest.raises(ValueError, match="needs 4 levels, has 3"):
        replace(built, content=replace(built.content, shape=(64, 65))).check()


def test_an_overview_tells_the_state():
    text = repr(HiSparse.from_scipy(figure_1(), node_size=4).T.scaled(2))
    assert "transposed=True, scale=2" in text
    assert "shape=(64, 64), nnz=18, dtype='float32', bytes={'image': 160}" in text
