"""The HBP paper: what is counted of orders, the recorded results, and what says that it was not measured."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from experiments.papers.hbp import balance, hash_numbers, orders, preparation, products, texts
from experiments.papers.hbp.measurement import described
from experiments.papers.hbp.printed import REDUCTIONS, TABLE_1
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import LARGE, id_of, on_the_host, subjects
from experiments.papers.kit.results import Record
from experiments.papers.kit.source import recorded_results


@pytest.fixture(scope="module")
def recorded():
    return recorded_results(Results)


def ours(item, row, quantity):
    return next(
        each.ours for each in item.rows if each.row.startswith(row) and each.quantity.startswith(quantity)
    )


def test_deviation_and_steps_by_hand():
    deviation, steps = orders.measured(
        np.array([1, 3, 5, 5, 0, 0], np.int32), np.array([True, False, True, False, False, False])
    )
    assert deviation == pytest.approx((1.0 + 2.5) / 2)
    assert steps == 3 + 5


def test_a_sample_counts_rows_of_blocks_that_have_entries():
    dense = np.zeros((70, 90))
    dense[3, [0, 2, 50]] = dense[40, 89] = 1
    actual = orders.sample(scipy.sparse.csr_array(dense), 32, 40)
    # Blocks (0, 0), (0, 1) and (1, 2) of 3 x 3.
    assert actual.counts.sum(axis=1).tolist() == [2, 1, 1]
    assert (actual.counts[0, 3], actual.counts[1, 3], actual.counts[2, 8]) == (2, 1, 1)
    assert actual.whole[0, 3] == actual.whole[1, 3] == 3


@pytest.mark.nightly  # what it compiles takes 20 s
def test_a_study_varies_what_it_is_asked_to():
    rng = np.random.default_rng(1)
    csr = scipy.sparse.random_array((600, 500), density=0.02, rng=rng, format="csr")
    few = orders.study("a", csr, every_partition=False)
    assert {each.method for each in few} == set(orders.ON_THE_HOST)
    assert few[0].method == "own" and few[0].nanoseconds == 0
    sort = next(each for each in few if each.method == "sort")
    assert sort.deviation < few[0].deviation and sort.steps <= few[0].steps
    assert sort.lanes == pytest.approx(csr.nnz / (32 * sort.steps))
    varied = list(orders.varied("a", orders.sample(csr, 512, 4096)))
    tried = {(each.method, *each.numbers.values()) for each in varied}
    assert len(tried) == len(varied) > 10
    assert {each.method for each in varied} == {"hash", "in_turn"}


def test_there_is_a_matrix_for_each_of_the_paper():
    assert [id_of(each) for each in subjects()] == [each.id for each in TABLE_1]
    assert {id_of(each) for each in subjects()} - {id_of(each) for each in on_the_host()} == set(LARGE)
    assert set(REDUCTIONS) <= {each.name for each in TABLE_1}
    built_all = described(subjects()[0], scipy.sparse.eye_array(3, format="csr"))
    assert (built_all.stands_for, built_all.nnz, built_all.longest) == ("ASIC_320k", 3, 1)


def test_figure_6_is_compared_with_the_paper(recorded):
    item = balance.make(recorded)
    kronecker = next(row for row in item.rows if "logn18" in row.row and row.quantity.startswith("the paper"))
    assert kronecker.paper == "42"
    assert kronecker.ours > 60
    assert ours(item, "m4", "the paper's hash, rows in turn") < 42
    assert item.verdicts[1].holds


def test_the_hash_is_compared_with_what_is_better(recorded):
    item = hash_numbers.make(recorded)
    assert not item.verdicts[0].holds
    assert {panel.title for panel in item.chart.panels} >= {"m4-kronecker-18", "m10-device"}
    assert ours(item, "m4-kronecker-18: classes bits=2", "512 x 4096") < 0.4
    assert any("classes: deviation 1.0" in note for note in item.notes)


def test_the_recorded_run_has_all_matrices(recorded):
    assert recorded.gpu == "NVIDIA H200"
    assert all(each.status == "ok" for each in recorded.records)
    assert not any(each.missing for each in recorded.matrices)
    item = products.parts(recorded)
    assert item.verdicts[0].holds and not item.gaps
    for each in recorded.records:
        if each.method in ("hbp-active", "hbp-by-degree") and each.dtype == "float64":
            entries = next(actual.nnz for actual in recorded.matrices if actual.name == each.matrix)
            assert each.nbytes < 20 * entries, each


@pytest.fixture
def measured(recorded):
    """Results of a GPU, made up: HBP takes half of CSR's time, sorting three times that of the hash."""
    two = [each for each in recorded.matrices if each.name in ("m4-kronecker-18", "m1-circuit")]
    times = {"crs-scalar": 100.0, "own": 80.0, "hbp": 50.0, "hbp-active": 20.0, "cusparse": 10.0}
    built_all = [
        Record(each.name, method, "float64", median_us=time, parts={"combine": time / 5}, nbytes=1000)
        for each in two
        for method, time in times.items()
    ]
    built_all += [
        Record(each.name, method, operation=stage, median_us=time)
        for each in two
        for method, time in (("hash", 10.0), ("sort", 30.0))
        for stage in ("order", "all")
    ]
    built_all.append(Record("m1-circuit", "hbp", "float32", status="not_representable", reason="too large"))
    return replace(recorded, gpu="a GPU", matrices=tuple(two), records=tuple(built_all))


def test_measured_numbers_stand_where_they_belong(measured):
    item = preparation.make(measured)
    assert ours(item, "geometric mean", "sort2D over hash, whole") == pytest.approx(3)
    assert [verdict.holds for verdict in item.verdicts] == [None, False]
    item = products.speeds(measured, 8, "Orin")
    mean = "HBP: times faster than CSR, a thread a row, float64"
    assert ours(item, "geometric mean", mean) == pytest.approx(2)
    assert [verdict.holds for verdict in item.verdicts] == [True, False]
    assert ours(item, "m4", "HBP, GFLOPS, float64") == pytest.approx(2 * 21_003_634 / 50e3)
    item = products.parts(measured)
    assert (ours(item, "m4", "HBP: blocks"), ours(item, "m4", "HBP: combine")) == (40, 10)
    item = products.throughput(measured)
    assert ours(item, "m4", "HBP") == pytest.approx((1000 + 16 * 262_144) / 50e3)
    assert "a GPU" in texts.remarks_of(measured)[1]
