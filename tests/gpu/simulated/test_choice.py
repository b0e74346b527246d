from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.choice.cost_model import Constants, Counts, estimates, microseconds, ranked
from gpu.choice.structure import Structure, Work
from gpu.kernel_registry import KERNELS, work_counts_of
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

pytestmark = pytest.mark.nightly
"""What is counted is compiled here, too, which takes minutes; tests/gpu/choice tests it without kernels."""


def matrix_of(lengths, *, columns=10**6, near=None, dtype=np.float64, seed=3):
    """Return a matrix with rows of these lengths, entries anywhere or `near` the diagonal."""
    rng = np.random.default_rng(seed)
    lengths = np.asarray(lengths, dtype=int)
    row = np.repeat(np.arange(len(lengths)), lengths)
    if near is None:
        column = rng.integers(0, columns, len(row))
    else:
        column = row + np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        column = np.minimum(column, columns - 1)
    places = row.astype(np.int32), column.astype(np.int32)
    built = scipy.sparse.csr_array((np.ones(len(row), dtype), places), shape=(len(lengths), columns))
    built.sum_duplicates()
    return built


def test_sorting_pays_where_long_and_short_rows_take_turns():
    order = list(dict(ranked(work_counts_of(), matrix_of(np.tile([2, 40], 20_000), near=True))))
    assert order.index("sell-c-sigma") < order.index("sliced-ell")
    alike = list(dict(ranked(work_counts_of(), matrix_of(np.full(40_000, 21), near=True))))
    assert alike.index("sliced-ell") < alike.index("sell-c-sigma")


def test_one_very_long_row_is_not_for_one_thread():
    matrix = matrix_of(np.append(np.full(50_000, 4), 300_000), columns=10**6)
    work = KERNELS[next(ranked(work_counts_of(), matrix))[0]].work(Structure.of(matrix))
    assert work.chain < 20_000


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_estimate_is_a_time(dtype):
    for lengths in ([], [0, 0, 0], [3], np.arange(50), np.full(10_000, 9)):
        actual = estimates(work_counts_of(), Structure.of(matrix_of(lengths, near=True, dtype=dtype)))
        assert actual
        assert all(0 < time < 1e6 for time in actual.values())


def test_more_of_anything_takes_longer():
    machine = Constants.read().machine

    def time(**changes):
        counts = {"moved": 1e8, "batches": 2, "sectors": 1e6, "lines": 2e6}
        counts |= {"missed": 0, "launches": 1, "warps": 100, "uneven": 1, "sums": 0}
        return microseconds(Counts(**(counts | changes)), machine, 3000.0, 50.0, 2.0, 0.1, 0.002)

    more = {"moved": 2e8, "batches": 1e5, "sectors": 1e9, "lines": 1e9}
    more |= {"missed": 1e9, "launches": 3, "warps": 1e6, "uneven": 2, "sums": 1e9}
    assert all(time(**{name: count}) > time() for name, count in more.items())


def test_columns_too_far_apart_for_a_cache_are_read_from_memory():
    structure = Structure.of(matrix_of(np.full(3200, 5), columns=10**6))
    work = Work(1000, 5, 16_000)
    roomy, full = (replace(Constants.read().machine, x_bytes=size) for size in (1e9, 1e6))
    assert Counts.of(work, structure, roomy).missed == 0
    assert 0.8 * 16_000 * 32 < Counts.of(work, structure, full).missed < 16_000 * 32


def test_rows_sorted_over_the_whole_matrix_read_all_of_x():
    structure = Structure.of(matrix_of(np.full(3200, 5), columns=10**6, near=True))
    machine = replace(Constants.read().machine, x_bytes=1e6)
    assert Counts.of(Work(1000, 5, 16_000), structure, machine).missed == 0
    assert Counts.of(Work(1000, 5, 16_000, scattered=True), structure, machine).missed > 0


@pytest.mark.parametrize("name", [name for name, kernel in KERNELS.items() if kernel.work])
@pytest.mark.parametrize("kind", ["random", "band", "skewed"])
def test_bytes_counted_are_those_that_are_stored(name, kind):
    rng = np.random.default_rng(8)
    lengths = {"random": rng.integers(0, 9, 3000), "band": np.full(3000, 6)}.get(kind)
    if lengths is None:
        lengths = (3 * (1 - rng.random(3000)) ** -0.8).astype(int).clip(0, 900)
    matrix = matrix_of(lengths, columns=4000, near=kind == "band" or None)
    work = KERNELS[name].work(Structure.of(matrix))
    try:
        host = KERNELS[name].convert(matrix)
    except NotRepresentableError:
        # These are all refused for their padding, and a sample of the rows shows it, too.
        assert work is None
        return
    stored = sum(array.nbytes for array in KERNELS[name].product(host, 64).device_arrays)
    if work is None:  # a sample of rows showed that it takes much more than CRS
        assert stored > 1.2 * Structure.of(matrix).crs_bytes
        return
    # A few pointers, and what is read or written twice, apart.
    assert work.stored_bytes <= 1.2 * stored + 5000
    # Where threads know the lengths of their rows they leave padding unread.
    read = {"ellpack-r": 0.3, "pellr": 0.3, "sell-near-wide": 0.6}.get(name, 0.8)
    assert work.stored_bytes >= read * stored - 5000


@pytest.mark.parametrize("kind", ["power law", "random"])
def test_hisparse_is_not_taken_where_it_takes_more_bytes_than_crs(kind):
    rng = np.random.default_rng(8)
    power = (3 * (1 - rng.random(3000)) ** -0.8).astype(int).clip(0, 900)
    matrix = matrix_of(power if kind == "power law" else np.full(3000, 4), columns=10**6)
    both = gpu.prepare(matrix, "hisparse", threads_per_block=64)
    assert both.nbytes > Structure.of(matrix).crs_bytes
    for each in (matrix, matrix.T.tocsr()):
        assert "hisparse" not in dict(ranked(work_counts_of(), each))
    chosen = gpu.prepare(matrix, threads_per_block=64, transpose=True)
    assert "hisparse" not in (chosen.format, chosen.T.format)


def test_deterministic_leaves_marked_formats_out(monkeypatch):
    matrix = matrix_of(np.full(300, 4))
    first, _ = next(ranked(work_counts_of(), matrix))
    kernel = KERNELS[first]
    monkeypatch.setitem(KERNELS, first, replace(kernel, deterministic=False))
    assert first not in dict(ranked(work_counts_of(deterministic=True), matrix))
    built = gpu.prepare(matrix, threads_per_block=64, deterministic=True)
    assert built.format != first
    assert gpu.prepare(matrix, threads_per_block=64).format == first
    with pytest.raises(UserError, match=f"format '{first}' is not deterministic: use auto or one of"):
        gpu.prepare(matrix, first, threads_per_block=64, deterministic=True)


def test_a_format_that_refuses_after_all_is_passed_over(monkeypatch):
    matrix = matrix_of(np.full(300, 4))
    first, second, *_ = dict(ranked(work_counts_of(), matrix))

    def refuse(matrix):
        raise NotRepresentableError("no")

    kernel = KERNELS[first]
    monkeypatch.setitem(KERNELS, first, replace(kernel, convert=refuse))
    assert gpu.prepare(matrix, threads_per_block=64).format == second
