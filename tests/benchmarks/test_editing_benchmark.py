"""The benchmark of edits: what it draws and what it compares with; its times are for a reader."""

import numpy as np
import pytest
import scipy.sparse

from benchmarks import editing
from vecsim.data import load
from vecsim.errors import UserError


@pytest.mark.parametrize("near", [False, True])
def test_new_positions_are_new_and_each_there_once(near):
    csr = load("laplace2d-20").csr
    rows, columns = editing.new_positions(csr, 300, near)
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == 300
    assert not csr[rows, columns].any()
    # Moved by two numbers of deviation 10 from a pattern of offsets 0, 1 and 20.
    distance = np.abs(np.abs(rows - columns)[:, None] - [0, 1, 20]).min(axis=1).mean()
    assert distance < 20 if near else distance > 50


def test_a_merge_is_scipys_sum():
    csr = load("laplace2d-20").csr
    positions = editing.new_positions(csr, 300, False)
    values = np.arange(1.0, 301)
    found = editing.merged(csr, positions, values)
    expected = csr + scipy.sparse.csr_array((values, positions), shape=csr.shape)
    expected.sort_indices()
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)


@pytest.mark.parametrize("near", [False, True])
def test_new_positions_that_a_matrix_has_not_are_refused(near):
    csr = load("laplace2d-5").csr  # 25 x 25, 105 entries
    with pytest.raises(UserError, match=r"^--count 521: .* 25 x 25 with 105 entries takes up 1 to 520 more$"):
        editing.new_positions(csr, 521, near)
    rows, _ = editing.new_positions(csr, 400, near)
    assert len(rows) == 400


def test_too_few_new_positions_near_entries_are_refused():
    one = scipy.sparse.csr_array(([1.0], ([0], [0])), shape=(1000, 1000))
    with pytest.raises(UserError, match=r"^--count 100000: only \d+ new positions were found near entries "):
        editing.new_positions(one, 100_000, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--extent", "5", "--count", "100000"], "--count 100000: a matrix of 25 x 25 "),
        (["--extent", "5", "--count", "0"], "--count 0: "),
        (["--extent", "0"], "laplace2d-0"),
    ],
)
def test_a_mistake_ends_in_one_line(arguments, message, capsys):
    assert editing.main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("editing: error: ")
    assert message in said.err
    assert said.err.count("\n") == 1


@pytest.mark.nightly
@pytest.mark.parametrize(("count", "single"), [(300, editing.SINGLE_EDITS), (100, 100)])
def test_all_is_measured_of_what_is_right(count, single, monkeypatch):
    def six(work, prepare=lambda: None):
        prepare()
        work()
        return 6.0

    monkeypatch.setattr(editing, "seconds", six)
    csr = load("laplace2d-30").csr
    case = editing.Case(csr, editing.new_positions(csr, count, True))
    assert editing.measured(case) == {
        "insert, the matrix kept": 6.0,
        "single, the matrix kept": 6.0 / single,
        "insert, in place": 6.0,
        "merge by NumPy": 6.0,
        "sum by SciPy": 6.0,
        "conversion": 6.0,
    }
    assert (case.editor.nnz, case.matrix) == (case.csr.nnz, None)


def test_the_least_of_some_prepared_repetitions_counts(monkeypatch):
    clock, done = [0.0], []
    durations = iter([5.0, 3.0, 4.0, 9.0, 8.0])

    def work():
        clock[0] += next(durations)
        done.append("work")

    def prepare():
        clock[0] += 100
        done.append("prepare")

    monkeypatch.setattr(editing.time, "process_time", lambda: clock[0])
    assert editing.seconds(work, prepare) == 3.0
    assert done == ["prepare", "work"] * editing.REPEATS
