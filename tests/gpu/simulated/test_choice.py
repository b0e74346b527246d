import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.choice import Constants, Counts, estimates, microseconds, ranking
from gpu.kernels import KERNELS, Kernel
from isa.errors import UserError
from vecsim.formats import NotRepresentableError, Sliced, Slicing
from vecsim.formats.structure import Structure, Work


def matrix_of(lengths, *, columns=10**6, near=None, dtype=np.float64, seed=3):
    """Give a matrix with rows of these lengths, entries anywhere or `near` the diagonal."""
    rng = np.random.default_rng(seed)
    lengths = np.asarray(lengths, dtype=int)
    row = np.repeat(np.arange(len(lengths)), lengths)
    if near is None:
        column = rng.integers(0, columns, len(row))
    else:
        column = row + np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        column = np.minimum(column, columns - 1)
    made = scipy.sparse.csr_array((np.ones(len(row), dtype), (row, column)), shape=(len(lengths), columns))
    made.sum_duplicates()
    return made


def best_sliced(matrix):
    """Give the best of the plain sliced formats."""
    plain = ("sliced-ell", "sliced-ell-wide", "sliced-ell-short", "sell-c-sigma")
    return next(name for name in ranking(matrix) if name in plain)


def test_sorting_pays_where_long_and_short_rows_take_turns():
    assert best_sliced(matrix_of(np.tile([2, 40], 20_000))).startswith("sell-c-sigma")


def test_one_very_long_row_is_not_for_one_thread():
    name = ranking(matrix_of(np.append(np.full(50_000, 4), 300_000), columns=10**6))[0]
    work = KERNELS[name].work(Structure.of(matrix_of(np.append(np.full(50_000, 4), 300_000), columns=10**6)))
    assert work.chain < 20_000


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_estimate_is_a_time(dtype):
    for lengths in ([], [0, 0, 0], [3], np.arange(50), np.full(10_000, 9)):
        found = estimates(Structure.of(matrix_of(lengths, near=True, dtype=dtype)))
        assert found
        assert all(0 < time < 1e6 for time in found.values())


def test_more_of_anything_takes_longer():
    machine = Constants.read().machine

    def time(**changes):
        counts = {"moved": 1e8, "chain": 10, "sectors": 1e6, "missed": 0, "launches": 1} | changes
        return microseconds(Counts(**counts), 3000.0, 50.0, 2.0, machine)

    assert all(
        time(**more) > time()
        for more in ({"moved": 2e8}, {"chain": 1e6}, {"sectors": 1e9}, {"missed": 1e9}, {"launches": 3})
    )


def test_columns_too_far_apart_for_a_cache_are_read_from_memory():
    structure = Structure.of(matrix_of(np.full(3200, 5), columns=10**6))
    work = Work(1000, 5, 16_000)
    assert Counts.of(work, structure, 1e9).missed == 0
    assert 0.8 * 16_000 * 32 < Counts.of(work, structure, 1e6).missed < 16_000 * 32


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
        assert work is None or kind != "band"
        return
    stored = sum(array.nbytes for array in KERNELS[name].product(host, 64).device_arrays)
    # A few pointers, and what is read or written twice, apart.
    assert work is not None
    assert work.stored_bytes <= 1.2 * stored + 5000
    # Where threads know the lengths of their rows they leave padding unread.
    read = {"ellpack-r": 0.3, "pellr": 0.3, "sell-near-wide": 0.6}.get(name, 0.8)
    assert work.stored_bytes >= read * stored - 5000


@pytest.mark.parametrize("window", [1, 64, None])
@pytest.mark.parametrize("height", [8, 32])
@pytest.mark.parametrize("group", [1, 2])
def test_places_are_those_of_the_container(window, height, group):
    matrix = matrix_of(np.random.default_rng(1).integers(0, 12, 333), columns=100)
    slicing = Slicing(slice_height=height, sorting_window=window, wide=group)
    made = Sliced.from_scipy(matrix, slicing=slicing)
    assert Structure.of(matrix).places(height=height, window=window, group=group) == made.entries


def test_spread_of_a_slice():
    matrix = scipy.sparse.csr_array(([1.0] * 4, ([0, 3, 40, 41], [5, 90, 7, 7])), shape=(70, 100))
    assert Structure.of(matrix).slice_spread == 85
    assert Structure.of(matrix).mean_spread == pytest.approx(85 / 3)


def test_sectors_of_x():
    # 64 rows, each with the columns 0 .. 7: two sectors of float64, the same for every row of a warp.
    matrix = scipy.sparse.csr_array(np.ones((64, 8)))
    structure = Structure.of(matrix)
    assert structure.sectors_down == 2 * 8
    assert structure.sectors_along == 64 * 2


def test_deterministic_leaves_marked_formats_out(monkeypatch):
    matrix = matrix_of(np.full(300, 4))
    first = ranking(matrix)[0]
    kernel = KERNELS[first]
    monkeypatch.setitem(KERNELS, first, Kernel(kernel.convert, kernel.product, False, kernel.work))
    assert first not in ranking(matrix, deterministic=True)
    made = gpu.prepare(matrix, threads_per_block=64, deterministic=True)
    assert made.format != first
    assert gpu.prepare(matrix, threads_per_block=64).format == first
    with pytest.raises(UserError, match=f"format '{first}' is not deterministic: use auto or one of"):
        gpu.prepare(matrix, first, threads_per_block=64, deterministic=True)


def test_a_format_that_refuses_after_all_is_passed_over(monkeypatch):
    matrix = matrix_of(np.full(300, 4))
    first, second = ranking(matrix)[:2]

    def refuse(matrix):
        raise NotRepresentableError("no")

    kernel = KERNELS[first]
    monkeypatch.setitem(KERNELS, first, Kernel(refuse, kernel.product, True, kernel.work))
    assert gpu.prepare(matrix, threads_per_block=64).format == second
