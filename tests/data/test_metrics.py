import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from vecsim.data import metrics, read
from vecsim.data.metrics import average_per_row, locality, nonempty_blocks


def blocks_by_loops(csr, block):
    dense = np.zeros(csr.shape, dtype=bool)
    dense[csr.tocoo().coords] = True
    starts = [(i, j) for i in range(0, csr.shape[0], block) for j in range(0, csr.shape[1], block)]
    return [dense[i : i + block, j : j + block].sum() for i, j in starts]


def test_worked_by_hand():
    # 33 x 64: two blocks above, two of one row below; entries 3, 0, 0, 1.
    entries = ([1.0, 0.0, 2.0, 4.0], ([0, 31, 31, 32], [0, 31, 30, 63]))
    csr = scipy.sparse.coo_array(entries, shape=(33, 64)).tocsr()
    actual = metrics.metrics(csr)
    assert actual.size == 4  # the explicit zero counts
    assert actual.locality == (3 + 1) / 2 / 32
    assert actual.average_per_row == 4 / 33


def test_a_diagonal_and_a_dense_matrix():
    assert locality(scipy.sparse.eye_array(64, format="csr")) == 1
    assert locality(scipy.sparse.csr_array(np.ones((64, 32)))) == 32
    assert average_per_row(scipy.sparse.csr_array(np.ones((64, 32)))) == 32


@given(
    st.integers(1, 90),
    st.integers(1, 90),
    st.integers(1, 40),
    st.floats(0.005, 1),
    st.integers(0, 2**32 - 1),
)
def test_is_the_mean_over_the_nonempty_blocks(rows, columns, block, density, seed):
    csr = scipy.sparse.random_array((rows, columns), density=density, rng=seed, format="csr")
    counts = [count for count in blocks_by_loops(csr, block) if count]
    assert nonempty_blocks(csr, block) == len(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics, "FEW_ENTRIES", -1)  # the compiled loop for large ones
        assert nonempty_blocks(csr, block) == len(counts)
    if csr.nnz:
        assert locality(csr, block) == pytest.approx(np.mean(counts) / block)


def test_a_large_matrix_with_few_entries():
    far = scipy.sparse.coo_array(([1.0, 1.0], ([0, 2**20 - 1], [0, 2**20 - 1])), shape=(2**20, 2**20))
    assert nonempty_blocks(far.tocsr(), 32) == 2


def test_nothing_to_measure():
    with pytest.raises(ValueError, match="with entries"):
        locality(scipy.sparse.csr_array((3, 3)))
    with pytest.raises(ValueError, match="with rows"):
        average_per_row(scipy.sparse.csr_array((0, 3)))


# What the paper prints, with the digits found on the real files.
@pytest.mark.parametrize(
    ("name", "size", "of_locality", "per_row"),
    [
        ("bcsstm01", 48, 0.75, 1),
        ("bcspwr10", 21842, 0.0702, 4.1211),
        ("qc324", 26730, 12.851, 82.5),
        ("bcsstm20", 485, 0.9473, 1),
        pytest.param("memplus", 126150, 0.9187, 7.1038, marks=pytest.mark.ci),
    ],
)
def test_agrees_with_the_paper(real_matrix, name, size, of_locality, per_row):
    actual = metrics.metrics(read(real_matrix(name)).csr)
    assert actual.size == size
    assert actual.locality == pytest.approx(of_locality, abs=5e-5 if of_locality < 10 else 5e-4)
    assert actual.average_per_row == pytest.approx(per_row, abs=5e-5)
