"""The HBP paper: what is counted of orders, the recorded results, and what says that it was not measured."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from experiments.papers.hbp import (
    allocation,
    balance,
    combining,
    hash_numbers,
    memory,
    orders,
    preparation,
    products,
    remarks,
)
from experiments.papers.hbp.block_counts import counted
from experiments.papers.hbp.measurement import described
from experiments.papers.hbp.printed import REDUCTIONS, TABLE_1
from experiments.papers.hbp.results import BlockCounts, OrderRecord, Results
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


def order(matrix, method, deviation, steps=10):
    return OrderRecord(matrix, method, 512, 4096, 1, {}, deviation, steps, 0.5)


def test_reductions_of_unnamed_blocks_are_not_testable(recorded):
    names = ("m2-circuit", "m4-kronecker-18")
    orders = [
        each
        for name in names
        for each in (
            order(name, "own", 1.0),
            order(name, "probing", 0.5, steps=8),
            replace(order(name, "sort", 0.4), lanes=0.45),
        )
    ]
    item = balance.make(replace(recorded, orders=tuple(orders)))
    verdicts = by_claim(item)
    less = "The hash makes the standard deviation within warps less"
    assert verdicts[less].holds and "m2-circuit 50 %" in verdicts[less].detail
    assert verdicts["Rows with many entries come to the same warps, so that warps take fewer steps"].holds
    low = "Low utilisation of threads is unavoidable: sorting leaves it low, too (most matrices)"
    assert verdicts[low].holds and "on 2 of 2" in verdicts[low].detail
    assert (
        verdicts["The reason of low utilisation is that long rows are too few to fill a warp"].holds is None
    )
    printed = {row.paper: row for row in item.rows if row.paper}
    assert {number: row.outcome for number, row in printed.items()} == dict.fromkeys(
        ("79", "42"), "not testable"
    )
    assert "only resembles ASIC_680k" in printed["79"].note and "resembles" not in printed["42"].note
    # The hash that the verdict on times is about makes the deviation of one of them greater.
    worse = (*orders, order("m2-circuit", "probing-words", 1.1))
    assert by_claim(balance.make(replace(recorded, orders=worse)))[less].holds is False
    item = balance.make(recorded)
    assert {row.paper for row in item.rows if row.paper} == set(map(str, REDUCTIONS.values()))


def test_the_hash_is_compared_with_what_is_better(recorded):
    item = hash_numbers.make(recorded)
    assert {panel.title for panel in item.chart.panels} >= {"m4-kronecker-18", "m10-device"}
    assert ours(item, "m4-kronecker-18: classes bits=2", "512 x 4096") < 0.4
    assert any("classes: deviation 1.0" in note for note in item.notes)
    similar, independent, linear, collisions, shift, room, partition = item.verdicts
    assert linear.holds and shift.holds and room.holds
    assert independent.holds is False and "hash, counted 1.10" in independent.detail
    assert collisions.holds is partition.holds is None
    own, sampled = order("m1-circuit", "own", 1.0), order("m1-circuit", "hash", 0.4)
    sampled = replace(sampled, numbers={"a": 1, "b": 56, "c": 28, "d": 56})
    without = replace(sampled, numbers=sampled.numbers | {"d": 1}, deviation=0.3)
    orders_ = (own, sampled, without, order("m1-circuit", "sort", 0.4), order("m1-circuit", "probing", 0.48))
    orders_ = tuple(replace(each, nanoseconds=1.0 if each.method == "sort" else 0) for each in orders_)
    similar, independent, linear, _, shift, room, _ = hash_numbers.make(
        replace(recorded, orders=orders_)
    ).verdicts
    assert independent.holds is shift.holds is room.holds is None
    assert similar.holds  # 1.2 times
    assert linear.holds is False and "m1-circuit 0.75 times" in linear.detail


def test_the_recorded_run_has_all_matrices(recorded):
    assert all(each.status == "ok" for each in recorded.records)
    assert not any(each.missing for each in recorded.matrices)
    assert not combining.make(recorded).gaps
    for each in recorded.records:
        if each.method == "hbp-active" and each.dtype == "float64":
            entries = next(actual.nnz for actual in recorded.matrices if actual.name == each.matrix)
            assert each.nbytes < 20 * entries, each


def test_blocks_are_counted():
    dense = np.zeros((600, 5000))
    dense[0, :40], dense[1, 0], dense[550, [7, 4999]] = 1, 1, 1
    # Blocks (0, 0) with 41 entries, (1, 0) and (1, 1) with one each; (0, 1) has none.
    assert counted("a", scipy.sparse.csr_array(dense)) == BlockCounts("a", 4, 3, 3, 4)
    assert counted("a", scipy.sparse.csr_array((5, 5))) == BlockCounts("a", 1, 0, 1, 0)


@pytest.fixture
def measured(recorded):
    """Results of a GPU, made up: HBP takes half of CSR's time, the hash three times that of sorting."""
    three = [
        each
        for each in recorded.matrices
        if each.name in ("m1-circuit", "m4-kronecker-18", "m5-kronecker-19")
    ]
    times = {
        "crs-scalar": 100.0,
        "crs": 70.0,
        "own": 80.0,
        "hbp-probing": 50.0,
        "hbp-probing-fixed": 60.0,
        "hbp-probing-competitive": 40.0,
        "hbp-probing-direct": 45.0,
        "hbp": 25.0,
        "hbp-active": 20.0,
        "cusparse": 10.0,
    }
    size = {each.name: 1 + number for number, each in enumerate(three)}
    records = [
        Record(each.name, method, "float64", median_us=time, parts={"combine": time / 5}, nbytes=1000)
        for each in three
        for method, time in times.items()
    ]
    seconds = {"probing": 900.0, "probing-words": 30.0, "hash": 5.0, "sort": 10.0, "dynamic": 120.0}
    records += [
        Record(
            each.name, method, operation=stage, median_us=time * size[each.name] if stage == "order" else 100
        )
        for each in three
        for method, time in seconds.items()
        for stage in ("order", "all")
    ]
    records.append(Record("m1-circuit", "hbp", "float32", status="not_representable", reason="too large"))
    blocks = tuple(BlockCounts(each.name, 10, 9, 5, 512) for each in three)
    return replace(recorded, gpu="a GPU", matrices=tuple(three), records=tuple(records), blocks=blocks)


def by_claim(item):
    return {each.claim: each for each in item.verdicts}


def test_the_verdict_on_the_hash_stands_first(measured):
    item = preparation.make(measured)
    first, bottleneck, *not_built = item.verdicts
    assert {each.holds for each in not_built} == {None}
    assert first.holds is False
    assert first.detail.startswith("not reproduced: the hash is slower than a good sort on this GPU")
    assert "it takes 3.00 (3.00 to 3.00 without one matrix) times as long as the sort" in first.detail
    assert "one by one 90.0 (" in first.detail and "the hash counted 0.500 (" in first.detail
    assert bottleneck.holds is False and "8% to 8% of DP2D" in bottleneck.detail
    assert "10% to 30% of the whole conversion" in bottleneck.detail
    assert remarks.remarks_of(measured)[0] == f"{first.claim}: {first.detail}"
    what = "sort2D over published hash, 32 at once, order alone"
    assert ours(item, what, "geometric mean") == pytest.approx(1 / 3)
    printed = {(row.quantity, row.paper): row.ours for row in item.rows if row.paper}
    assert printed == {
        ("geometric mean", "3.53"): pytest.approx(1.0),
        ("greatest", "7.23"): pytest.approx(1.0),
        ("geometric mean", "3.67"): None,
        ("greatest", "7.67"): pytest.approx(1.0),
    }
    between = next(row for row in item.rows if row.paper == "3.67")
    assert between.outcome == "not testable"
    assert "between 1, whole conversion, and 4, order alone" in between.note
    assert [row.paper for row in item.rows if row.implied] == ["3.53", "7.23"]  # the claim on sorting
    faster = [replace(r, median_us=1.0) if r.method == "probing-words" else r for r in measured.records]
    verdict = preparation.verdict_on_the_hash(replace(measured, records=tuple(faster)))
    assert verdict.holds and "not reproduced" not in verdict.detail


def test_speeds_stand_next_to_those_of_the_papers_matrices(measured):
    item = products.speeds(measured, "Orin")
    mean = "HBP as published: times faster than CSR, a thread a row, float64"
    assert ours(item, mean, "geometric mean, the paper's on Orin") == pytest.approx(2)
    assert {row.paper for row in item.rows if row.paper} == {"1.64", "3.32", "2.68", "6.17"}
    assert ours(item, "m4", "HBP as published, GFLOPS, float64") == pytest.approx(2 * 21_003_634 / 50e3)
    verdicts = by_claim(item)
    assert verdicts["On m4 and m8 the 2D partition and HBP are faster than CSR"].holds
    reason = verdicts["CSR is slow on m4 and m8 due to scattered accesses of x"]
    assert reason.holds is False and "m4-kronecker-18 1.43 times; the 2D partition" in reason.detail
    assert verdicts["The 2D partition alone is no faster than CSR on most matrices"].holds is False
    greatest = next(row for row in item.rows if row.paper == "3.32")
    assert greatest.outcome == "not testable" and greatest.note.startswith("here 2.00 of m1-circuit;")
    # The paper's RTX 4090 has none of the Kronecker graphs.
    slower = [
        replace(each, median_us=400.0)
        if (each.matrix, each.method) == ("m4-kronecker-18", "crs-scalar")
        else each
        for each in measured.records
    ]
    item = products.speeds(replace(measured, records=tuple(slower)), "4090")
    assert {row.paper for row in item.rows if row.paper} == {"1.61", "3.01", "5.49", "9.71"}
    assert ours(item, mean, "geometric mean, the paper's on 4090") == pytest.approx(2)
    assert ours(item, mean, "geometric mean, all matrices") == pytest.approx((2 * 2 * 8) ** (1 / 3))
    assert not any(row.row.startswith("m4") for row in item.rows)
    assert {row.outcome for row in item.rows if row.paper} == {"not testable"}
    verdicts = by_claim(item)
    assert verdicts["On matrices with very unlike rows (sigma above the mean) HBP is faster than CSR"].holds
    assert verdicts["The high performance of the RTX 4090 amplifies this"].holds is None
    assert [each.holds for each in item.verdicts if "m3" in each.claim] == [None]
    assert verdicts["The conversion takes several times the storage of the original matrix"].holds
    assert verdicts["Therefore an RTX 4090 with 24 GB cannot handle m4 to m7"].holds is False
    assert memory.converted_bytes(measured, measured.matrices[1]) == 2000 + 8 * 10 * 512
    padded = "The storage of HBP is fixed by the entries, the rows and the column blocks: nothing is padded"
    assert verdicts[padded].holds is False  # 1000 bytes are less than the entries alone take


def test_the_combine_step_and_what_would_be_without_it(measured):
    item = combining.make(measured)
    assert (ours(item, "m4", "HBP as published: blocks"), ours(item, "m4", "HBP as published: comb")) == (
        40,
        10,
    )
    assert [each.holds for each in item.verdicts] == [False, False, False, True, True]
    assert ours(item, "sums added to y", "geometric mean") == pytest.approx(0.9)
    assert ours(item, "m1-circuit", "sums of no entry") == pytest.approx(90)


def test_allocations_are_compared_with_that_by_size(measured):
    item = allocation.make(measured)
    assert ours(item, "all fixed, over fixed by size, time, float64", "geometric mean") == pytest.approx(1.2)
    assert [each.holds for each in item.verdicts] == [None, None, True, None]
    assert "fixed by size, 1.20" in item.verdicts[2].detail and "competitive, 1.50" in item.verdicts[2].detail


def test_rates_of_another_gpu_are_not_testable_and_a_near_one_is_a_coincidence(measured):
    item = memory.make(measured)
    printed = [row for row in item.rows if row.paper]
    assert {row.outcome for row in printed} == {"not testable"} and len(
        printed
    ) == 4  # m1 alone is of the ten
    rate = (1000 + 16 * 262_144) / 50e3
    assert ours(item, "m4", "HBP as published, counted") == pytest.approx(rate)
    direction, unneeded = item.verdicts
    assert direction.holds is None and unneeded.holds  # 9 blocks of 32 KiB of x against 1000 bytes
    assert not memory.coincidences(measured)
    near = [
        replace(each, median_us=(1000 + 16 * 321_821) / 2850) if each.method == "crs-scalar" else each
        for each in measured.records
    ]
    near = replace(measured, records=tuple(near))
    assert memory.coincidences(near) == {"CSR, a thread a row on m1-circuit": (pytest.approx(2.85), "2.85")}
    assert "2.85, the paper has 2.85" in memory.make(near).notes[0]
