"""The formats that the simulated machine has programs for: JD, BBCS, HiSM."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import THREADS, tiny_matrices
from tiers import examples

import gpu
from gpu.device_matrix import DeviceMatrix
from gpu.formats.bbcs.product import BBCSProduct
from gpu.formats.hism.product import HiSMProduct
from gpu.formats.jd.product import LEAST_PART, JDProduct, group_for
from gpu.kernel_parts.gathered_row_sums import threads_per_row_for
from gpu.kernel_parts.partial_row_sums import row_parts
from vecsim.formats import BBCS, JD, HiSM, Layout
from vecsim.formats.accuracy import relative_error, rounding_bound
from vecsim.formats.canonical_csr import canonical_csr

PRODUCTS = {JD: JDProduct, BBCS: BBCSProduct, HiSM: HiSMProduct}


def on_device(host):
    product = PRODUCTS[type(host)](host, THREADS)
    return DeviceMatrix(product, shape=host.shape, dtype=host.values.dtype, format="", nnz=host.nnz)


def check(host, matrix):
    # Entries of one position are summed by the conversion, with a rounding for each that no product has.
    matrix = canonical_csr(matrix)
    built = on_device(host)
    x = np.linspace(-1, 2, matrix.shape[1]).astype(matrix.dtype)
    y = built @ x
    # A float64 result is compared with one of its kind, which has its own error.
    roundings = 1 if y.dtype == np.float32 else 2
    assert relative_error(matrix, x, y) <= roundings * rounding_bound(matrix, y.dtype)
    np.testing.assert_array_equal(built @ x, y)


@examples(6)
@given(matrix=tiny_matrices(), section_size=st.sampled_from([4, 8, 64, 512]))
@pytest.mark.parametrize("kind", [BBCS, HiSM])
def test_any_section_size(kind, matrix, section_size):
    # 4 cuts rows into many parts and makes three levels of HiSM; 512 needs 16 bits a position.
    check(kind.from_scipy(matrix, section_size=section_size), matrix)


@examples(4)
@given(matrix=tiny_matrices())
def test_hism_by_columns(matrix):
    # Neighbours are then of different rows: nearly every entry is a part.
    check(HiSM.from_scipy(matrix, section_size=8, order=("column", "row")), matrix)


def test_rows_over_many_blocks_and_chunks():
    rng = np.random.default_rng(8)
    dense = np.zeros((5, 200))
    dense[0] = rng.standard_normal(200)
    dense[3] = rng.standard_normal(200) * (rng.random(200) < 0.4)
    dense[2, 170] = 1
    matrix = scipy.sparse.csr_array(dense)
    for kind in (BBCS, HiSM):
        check(kind.from_scipy(matrix, section_size=16), matrix)


def test_a_nan_next_to_zero_row_entries_stays_out():
    # Each block column begins with a zero-row entry, which has column 0 where x is no number.
    matrix = scipy.sparse.csr_array(np.array([[0.0] * 8, [0, 1, 2, 3, 0, 4, 5, 6]]))
    built = on_device(BBCS.from_scipy(matrix, section_size=4))
    x = np.array([np.nan, 1, 1, 1, np.nan, 1, 1, 1])
    np.testing.assert_array_equal(built @ x, [0, 21])


@pytest.mark.parametrize("longest", [LEAST_PART, LEAST_PART + 1, 3 * LEAST_PART + 5])
def test_jd_rows_over_several_parts(longest):
    rng = np.random.default_rng(longest)
    lengths = np.concatenate([[3, longest, 0, longest // 2], rng.integers(0, 9, 70)])
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = np.concatenate([rng.choice(400, length, replace=False) for length in lengths])
    matrix = scipy.sparse.csr_array(
        (rng.standard_normal(len(rows)), (rows, columns)), shape=(len(lengths), 400)
    )
    host = JD.from_scipy(matrix)
    assert JDProduct(host, THREADS).split_blocks == (longest > LEAST_PART)
    check(host, matrix)


def test_groups_of_warps_of_jd():
    assert group_for(10**6, 50, 256) == 1
    assert group_for(1000, 80, 256) == 8
    assert group_for(1000, 9, 256) == 2
    assert group_for(1000, 80, 96) == 1  # a block of three warps
    assert group_for(0, 0, 256) == 1


def test_bbcs_reads_what_the_memory_image_holds():
    rng = np.random.default_rng(2)
    matrix = scipy.sparse.random_array((40, 70), density=0.1, rng=rng, format="csr", dtype=np.float32)
    host = BBCS.from_scipy(matrix, section_size=64)
    values, descriptors = BBCSProduct(host, THREADS).device_arrays[:2]
    image = host.image(Layout(0, 4, alignment=1))
    record = np.dtype([("value", "<f4"), ("descriptor", "u1")])
    entries = image.data[: host.entries * record.itemsize].view(record)
    actual = descriptors.copy_to_host().view(np.uint8)
    np.testing.assert_array_equal(actual[: host.entries], entries["descriptor"])
    real = host.zero_rows == 0
    np.testing.assert_array_equal(values.copy_to_host()[: host.entries][real], entries["value"][real])


def test_hism_reads_what_the_memory_image_holds():
    rng = np.random.default_rng(2)
    matrix = scipy.sparse.random_array((40, 60), density=0.1, rng=rng, format="csr", dtype=np.float32)
    host = HiSM.from_scipy(matrix, section_size=64)
    values, columns, rows = HiSMProduct(host, THREADS).device_arrays[:3]
    image = host.image(Layout(0, 4, alignment=1))
    record = np.dtype([("value", "<f4"), ("column", "u1"), ("row", "u1")])
    entries = image.data[: host.nnz * record.itemsize].view(record)
    for name, actual in (("value", values), ("column", columns), ("row", rows)):
        recorded = actual.copy_to_host().view(entries[name].dtype)
        np.testing.assert_array_equal(recorded[: host.nnz], entries[name])


def test_jd_reads_the_arrays_of_the_memory_image():
    matrix = scipy.sparse.random_array((40, 30), density=0.1, rng=np.random.default_rng(4), format="csr")
    host = JD.from_scipy(matrix)
    actual = [array.copy_to_host() for array in JDProduct(host, THREADS).device_arrays[:4]]
    for array, recorded in zip(actual, (host.diag_ptr, host.colidx, host.values, host.perm), strict=True):
        np.testing.assert_array_equal(array, recorded)


def test_where_parts_lie_by_hand():
    # 130 entries: row 2 of 129 entries over the end of a run, then a block with row 0.
    rows = np.array([2] * 129 + [0])
    ends = np.zeros(130, dtype=bool)
    ends[[128, 129]] = True
    parts = row_parts(rows, ends, np.ones(130, dtype=bool), np.array([0, 129]), 3)
    # A block begins in the first run at entry 0; one before the second run, and in it at entry 1.
    assert parts.runs.reshape(2, 8).tolist() == [
        [1, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 1, 1, 0, 0],
    ]
    # Parts in storage order: row 2 to the end of the run, its last entry, row 0.
    assert parts.by_row.tolist() == [2, 0, 1]
    assert parts.row_ptr.tolist() == [0, 1, 1, 3]


def test_more_threads_sum_a_row_where_rows_have_many_parts():
    # A million rows of a part each; a few rows, one of them of many parts; none at all.
    assert threads_per_row_for(np.arange(10**6 + 1, dtype=np.uint32)) == 1
    assert threads_per_row_for(np.array([0, 1, 2, 2000], dtype=np.uint32)) == 32
    assert threads_per_row_for(np.zeros(1, dtype=np.uint32)) == 1


def test_other_names_and_sections_of_64():
    matrix = scipy.sparse.eye_array(70, format="csr")
    assert gpu.prepare(matrix, "jad", threads_per_block=THREADS).format == "jd"
    for name in ("jd", "bbcs", "hism"):
        built = gpu.prepare(matrix, name, threads_per_block=THREADS)
        assert (built.format, built.nnz) == (name, 70)
        np.testing.assert_array_equal(built @ np.arange(70.0), np.arange(70.0))


@pytest.mark.parametrize("kind", PRODUCTS)
def test_host_formats_are_taken_as_they_are(kind):
    matrix = scipy.sparse.random_array((20, 30), density=0.2, rng=np.random.default_rng(9), format="csr")
    section = {} if kind is JD else {"section_size": 16}
    built = gpu.prepare(kind.from_scipy(matrix, **section), threads_per_block=THREADS)
    assert built.format == kind.__name__.lower()
    np.testing.assert_allclose(built @ np.ones(30), matrix @ np.ones(30), rtol=1e-14)
