"""The measurement of the PELLR experiment, with a clock that does not measure."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from experiments.papers.kit.results import read_results
from experiments.papers.pellr import measurement, subjects
from experiments.papers.pellr.iterations import iterations, sorted_iterations, work
from experiments.papers.pellr.methods import FILLED_METHODS, HYB_PARTS, METHODS, NOT_GENERATED
from experiments.papers.pellr.results import Results
from experiments.papers.pellr.subjects import Subject
from gpu.measure.timing import Timing

TIMING = Timing(5.0, 0.01, 20, 100)


def gpu(multiprocessors, threads):
    return "simulated", {"multiprocessors": str(multiprocessors), "threads_per_multiprocessor": str(threads)}


GPU = gpu(2, 4096)
LENGTHS = [9, 1, 0, 3, 3, 2, 1, 1, 8, 1, 10, 4]
NAMED = Subject("named", "file", "file named", "original", "a note", {"sigma": 3.0})
MADE = Subject("made", "generated")
LOST = Subject("lost", "stand-in", "file lost", "other")


def matrix(lengths):
    rng = np.random.default_rng(7)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = np.concatenate([np.sort(rng.choice(len(lengths), length, False)) for length in lengths])
    return scipy.sparse.coo_array((rng.random(len(rows)), (rows, columns)), shape=(len(lengths),) * 2).tocsr()


def timer(operations):
    for operation in operations:
        operation(SimpleNamespace(address=0))
    return [replace(TIMING, median_us=5.0 + number) for number, _ in enumerate(operations)]


@pytest.fixture
def measured(monkeypatch):
    def load(subject):
        if subject is LOST:
            raise FileNotFoundError("no such\nfile")
        return matrix(LENGTHS)

    monkeypatch.setattr(subjects, "load", load)
    doing = []
    actual = measurement.measure_subjects(
        (NAMED, LOST, MADE), GPU, timer, lambda what, share: doing.append((what, share))
    )
    assert doing[:3] == [("compiling", 0), ("measuring named", 0), ("measuring lost", 1 / 3)]
    return actual


@pytest.mark.ci
def test_every_method_on_every_matrix(measured, tmp_path):
    # Repeated until it fills this GPU as it fills the paper's 6144 threads: 8192 threads, once.
    assert [each.name for each in measured.matrices] == ["named", "lost", "made"]
    named, lost, built = measured.matrices
    assert lost.missing == "FileNotFoundError: no such file"
    assert (named.rows, named.nnz, named.longest, named.shortest) == (12, 43, 10, 0)
    assert named.histogram == (1, 4, 3, 1, 3)
    assert named.work == work(LENGTHS)
    assert named.counted == {"ellr": iterations(LENGTHS), "pellr": sorted_iterations(LENGTHS)}
    assert {name: named.iterations[name] for name in named.counted} == named.counted
    assert set(named.iterations) == {"ellr", "pellr", "biell", "bijad"}

    by_name = {(each.matrix, each.method, each.dtype): each for each in measured.records}
    for name, methods in (("named", METHODS), ("made", set(METHODS) - set(NOT_GENERATED))):
        for method in methods:
            for dtype, allowed in (("float64", 1e-15), ("float32", 1e-6)):
                record = by_name[name, method, dtype]
                if method == "cucsr":  # there is no cuSPARSE here
                    assert record.status == "failed"
                    assert record.reason
                    continue
                assert (record.status, record.median_us >= 5) == ("ok", True), record
                assert record.error <= allowed
                assert ("ell_launches" in record.parts) == (method in HYB_PARTS)
                assert record.nbytes > named.nnz * (4 + np.dtype(dtype).itemsize)
    # In turn: csrv is the first of each type.
    in_turn = [
        each.median_us for each in measured.records if (each.matrix, each.dtype) == ("named", "float32")
    ]
    assert in_turn[:-1] == [5.0 + number for number in range(len(METHODS) - 1)]
    assert named.longest_warp == {"ellr": 10, "pellr": 10, "biell": 5, "bijad": 5}
    assert built.name == "made"

    path = tmp_path / "results.json"
    path.write_bytes(measured.to_json())
    again = read_results(path, Results)
    assert [each.name for each in again.matrices] == ["named", "lost", "made"]
    assert again.records[0].median_us == 5
    assert replace(again.records[0], parts={}, error=0) == replace(measured.records[0], parts={}, error=0)
    assert set(again.records[0].parts) == {"setup"}
    assert (again.gpu, again.facts) == GPU


@pytest.mark.nightly
def test_a_matrix_of_the_paper_is_repeated_until_it_fills_the_gpu(monkeypatch):
    monkeypatch.setattr(subjects, "load", lambda subject: matrix(LENGTHS))
    actual = measurement.measure_subjects((NAMED,), gpu(9, 2048), timer, lambda *_: None)
    again = actual.matrices[1]
    assert (again.name, again.group, again.of, again.copies, again.rows) == (
        "named x 3",
        "filled",
        "named",
        3,
        36,
    )
    assert {record.method for record in actual.records if record.matrix == "named x 3"} == set(FILLED_METHODS)
    assert all(record.error <= 1e-6 for record in actual.records if record.status == "ok")
