"""What a sweep would do: cells counted, those in the store looked up, times from stored ones."""

import sqlite3

import pytest

from experiments.whatif.sweep import Sweep, plan, sweep
from experiments.whatif.sweep.plan import CELL_SECONDS, IMAGE_NONZERO_SECONDS, NONZERO_SECONDS

SPEC = Sweep(("laplace2d-3", "laplace2d-5"), programs=("crs", "jd"), set={"banks": (4, 8)})


def test_nothing_stored_is_estimated_from_the_number_of_non_zeros(tmp_path):
    match = plan(SPEC, store=tmp_path / "store", jobs=1)
    assert (match.cells, match.stored, match.left, match.timed) == (8, 0, 8, 0)
    nnz = 33 + 105
    expected = 8 * CELL_SECONDS + 4 * NONZERO_SECONDS * nnz + 2 * IMAGE_NONZERO_SECONDS * nnz
    assert match.seconds == pytest.approx(expected)
    assert not (tmp_path / "store").exists()


def test_times_of_stored_cells_are_used(tmp_path):
    store = tmp_path / "store"
    sweep(SPEC, store=store, jobs=1, programs="crs")
    match = plan(SPEC, store=store, jobs=1)
    assert (match.cells, match.stored, match.left, match.timed) == (8, 4, 4, 0)
    match = plan(SPEC, store=store, programs="crs", set={"banks": "4:16:x2"})
    assert (match.cells, match.stored, match.left, match.timed) == (6, 4, 2, 2)
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT count(*) FROM cells").fetchone() == (4,)


def test_an_open_store_is_read(tmp_path):
    store = tmp_path / "store"
    sweep(SPEC, store=store, jobs=1)
    with sqlite3.connect(store) as database:
        database.execute("DELETE FROM cells WHERE key = (SELECT min(key) FROM cells)")
        database.commit()
        assert (tmp_path / "store-wal").exists()
        assert plan(SPEC, store=store).stored == 7


def test_damaged_cells_count_as_missing(tmp_path):
    store = tmp_path / "store"
    sweep(SPEC, store=store, jobs=1)
    with sqlite3.connect(store) as database:
        database.execute("UPDATE cells SET content = '{}' WHERE key = (SELECT min(key) FROM cells)")
    database.close()
    assert plan(SPEC, store=store).stored == 7
