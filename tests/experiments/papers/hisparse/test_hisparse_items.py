"""The items of the HiSparse paper: made from results, or without any."""

from dataclasses import replace

import pytest
from hisparse_paper_cases import FACTORS, MATRICES, records, results

from experiments.papers.hisparse import edits, figure2, figure4, products, sums
from experiments.papers.hisparse.methods import (
    BEST,
    CONVERTED_GEAM,
    CONVERTING_GEAM,
    CSR_EDIT,
    CSR_SUM,
    DUAL_SUM,
    EDIT,
    GEAM,
    NAIVE,
    PRODUCTS,
    QUEUED,
    SUMS,
    TREE_EDIT,
    TREE_SUM,
)
from experiments.papers.hisparse.paper import PAPER
from experiments.papers.hisparse.results import Results
from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.kit.registry import chosen, reproduce
from experiments.papers.kit.request import Request
from experiments.papers.kit.results import Record
from experiments.papers.kit.source import recorded_results
from experiments.report.folder import files_of
from vecsim.machine import load_machine

MACHINE = load_machine("vs2003")


def measured(**special):
    return results(records=records(**special))


def number(item, row, quantity):
    return next(each for each in item.rows if each.row.startswith(row) and each.quantity == quantity)


def verdict(item, text):
    return next(each for each in item.verdicts if text in each.claim)


def test_every_declared_item_is_made_with_its_name():
    for experiment in PAPER.experiments:
        assert experiment.make(measured()).name == experiment.name


def test_figure_2_saves_what_the_trees_save():
    item = figure2.make(measured())
    row = number(item, "matrices that stand for the paper's, d = 128", "saved against COO, %")
    # 6.2, 6.2 and 4.01 bytes a non-zero of 12.
    assert row.ours == pytest.approx(100 * (1 - (6.2 + 6.2 + 4.01) / 36))
    assert (row.paper, row.measure, row.implied) == ("50", "share", True)
    average = verdict(item, "takes 50 % less memory than COO")
    assert average.holds is None
    assert f"stand-ins, of other structures: {row.ours:.2f}" in average.detail
    assert row.without_one == pytest.approx((100 * (1 - 12.4 / 24), 100 * (1 - 10.21 / 24)))
    assert number(item, "blocks", "stored, d = 256").ours == 6.1
    assert number(item, "blocks", "on the GPU, both products").ours == 6.3
    assert number(item, "blocks", "CSR").ours == 8 + 4 * 101 / 1000
    both = "on the GPU, both products, of one CSR f32"
    assert number(item, "class large_structured", both).ours == pytest.approx(6.3 / 8.404)
    # 10,200 and 6,100 bytes for 1,000 entries.
    assert verdict(item, "all requirements increase by 4 bytes").holds
    itself = number(item, "the paper's 14 matrices", "saved against CSR, %")
    assert (round(itself.ours), itself.implied, itself.kind) == (30, True, "decoded")
    slightly = verdict(item, "CSR is slightly smaller")
    assert (slightly.holds, slightly.detail.endswith("on 1 of 4: 2.38 (spread)")) == (False, True)
    less = verdict(item, "generally takes less memory")
    assert (less.holds, less.detail) == (True, "than CSR on 3 of 4; than COO on 3 of 4")
    assert verdict(item, "Inner nodes take less").holds
    assert verdict(item, "Dense nodes reduce the memory of inner nodes").holds is False
    assert verdict(item, "On a dense matrix").holds
    assert verdict(item, "equation 1").holds
    assert verdict(item, "boil down to").holds
    # Without any tree nothing of them is judged.
    empty = figure2.make(results(matrices=tuple(replace(each, trees=()) for each in MATRICES)))
    assert all(each.holds is None for each in empty.verdicts)
    assert item.chart is not None


def test_figure_4_compares_nodes_and_not_what_was_chosen():
    item = figure4.make(measured())
    leaves = number(item, "bone010", "leaves")
    assert (leaves.paper, leaves.ours) == ("90300", 10)
    assert "ours is blocks" in leaves.note
    assert (number(item, "bone010", "rows").paper, number(item, "bone010", "rows").ours) == ("", 100)
    assert number(item, "mip1", "leaves").ours is None
    # What the paper prints there cannot be.
    assert not [row for row in item.rows if row.row == "mip1" and row.quantity == "inner nodes: mean"]
    assert verdict(item, "fewer inner nodes").holds
    # Nodes of other matrices confirm and contradict nothing; the dense matrix is the same.
    printed = [row for row in item.rows if row.paper]
    others = [row for row in printed if row.implied]
    assert {row.row for row in printed} - {row.row for row in others} == {"dense"}
    assert verdict(item, f"The {len(others)} printed numbers").holds is None
    impossible = verdict(item, "mean entries of inner nodes of dense, in-2004, mip1")
    assert impossible.holds is False
    assert "16,373.3 for 1,600 nodes below each" in impossible.detail


def test_figure_5_in_the_papers_gflops():
    item = products.figure5(measured(**{"blocks spmv cusparse-csr": 1.0, "full spmv cusparse-csr": 1.0}))
    assert number(item, "blocks (for bone010), SpMVᵀ", "HiSparse, flat f64").ours == pytest.approx(0.03)
    published = number(item, "blocks (for bone010), SpMVᵀ", "HiSparse as published f64")
    assert published.ours == pytest.approx(0.015)
    best = number(item, "blocks (for bone010), SpMV", "cuSPARSE, best f64")
    assert (best.ours, best.note) == (pytest.approx(0.03), "best of cuSPARSE f64: sell_32")
    # Slower on two of three, and faster on most of no two.
    assert verdict(item, "in general does not outperform").holds
    special = verdict(item, "on special HiSparse delivers")
    # Of the libraries of the paper; the best of cuSPARSE is today's.
    assert special.holds
    assert "HiSparse as published over cuSPARSE CSR 4.00" in special.detail
    assert "HiSparse as published over cuSPARSE, best 0.50" in special.detail
    assert "HiSparse, flat over naive 16.00" in special.detail
    transposed = verdict(item, "Transposed, it outperforms cuSPARSE CSR")
    assert transposed.holds
    assert "HiSparse as published over cuSPARSE CSR, faster on 3 of 3: 4.00" in transposed.detail
    assert verdict(item, "hardly changes").holds
    assert verdict(item, "bhSparse").holds is None
    full_chip = number(item, "HiSparse as published over cuSPARSE CSR on FullChip", "times f64")
    assert (full_chip.paper, full_chip.outcome) == ("50", "not testable")
    assert any("lost: no file" in gap for gap in item.gaps)
    assert {panel.title.split(":")[0] for panel in item.chart.panels} == {"SpMV", "SpMVᵀ"}


def test_only_the_dense_matrix_may_change():
    slow = {"full spmv_t hisparse-published": 3.0}
    assert verdict(products.figure5(measured(**slow)), "hardly changes").holds
    slow["blocks spmv_t hisparse-published"] = 3.0
    changed = verdict(products.figure5(measured(**slow)), "hardly changes")
    assert changed.holds is False
    assert "by over 10% on blocks, full; HiSparse, flat" in changed.detail


def test_what_a_stand_in_for_the_controller_or_one_matrix_decides_is_not_judged():
    factors = {**FACTORS, QUEUED: 1.0, NAIVE: 1.5}
    item = products.figure5(results(records=records(factors=factors)))
    # 2 times the time as published, 1 with queues filled, and naive is between.
    naive = verdict(item, "Transposed, it outperforms the naive product")
    assert naive.holds is None
    assert naive.detail.endswith("so the controller decides it")
    assert verdict(item, "Transposed, it outperforms cuSPARSE CSR").holds
    level = verdict(item, "Launches from the CPU for each level")
    assert level.holds is None
    one = products.figure5(measured(**{f"{name} spmv_t naive": 1.0 for name in ("blocks", "local")}))
    naive = verdict(one, "Transposed, it outperforms the naive product")
    assert naive.holds is False
    two = products.figure5(measured(**{"blocks spmv_t naive": 1.0}))
    # Two of three are faster, but one of two is not most.
    assert verdict(two, "Transposed, it outperforms the naive product").detail.endswith(
        "; this holds, but not without local or without full"
    )
    # As steady as each other but for one matrix.
    steady = products.table1(
        measured(**{"blocks spmv cusparse-csr": 9.0, "full spmv hisparse-published": 2.1})
    )
    steady = verdict(steady, "Direct, HiSparse performs consistently")
    assert steady.holds is None
    assert steady.detail.endswith("this holds, but not without blocks")


def test_table_1_by_quotients_with_and_without_each_matrix():
    item = products.table1(measured(**{"blocks spmv_t cusparse-csr": 20.0}))
    # Three stand-ins: as published 10, 4 and 4 times, flat twice as many.
    row = number(item, "HiSparse as published over cuSparse, SpMVᵀ", "times HiSparse f64")
    assert (row.paper, row.ours, row.implied) == ("6.24", pytest.approx(6.0), False)
    assert row.outcome == "not testable"  # the paper's was timed on another GPU
    assert row.without_one == pytest.approx((4.0, 7.0))
    assert "without one matrix 4 (blocks) to 7" in row.note
    assert "its text says 6 times" in row.note
    flat = number(item, "HiSparse, flat over cuSparse, SpMVᵀ", "times HiSparse f64")
    assert (flat.ours, flat.implied) == (pytest.approx(12.0), True)
    direct = number(item, "HiSparse as published over cuSparse, SpMV", "times HiSparse f64")
    assert "average performance of this library is below" in direct.note
    single = number(item, "HiSparse as published over cuSparse, SpMVᵀ", "geometric mean f64")
    assert single.ours == pytest.approx(160 ** (1 / 3))
    assert single.without_one == pytest.approx((4.0, 40**0.5))
    assert number(item, "cuSparse, SpMVᵀ", "mean, ms f64").ours == pytest.approx(3.6 / 3)
    deviation = number(item, "HiSparse as published, SpMV", "s.dev. / mean f64")
    # The paper does not print it.
    assert (deviation.ours, deviation.implied) == (0, True)
    assert "4.68 (4.13) in f64" in number(item, "HiSparse as published, SpMV", "mean, ms f64").note
    nothing = number(item, "HiSparse as published over yaSpMV, SpMV", "times HiSparse f32")
    assert nothing.outcome == "not testable"
    # Each printed number counts once.
    counted = [row for row in item.rows if row.paper and not row.implied]
    assert len({(row.quantity, row.row.partition(" over ")[2] or row.row) for row in counted}) == len(counted)


def test_sums_that_were_measured():
    factors = {DUAL_SUM: 2.0, TREE_SUM: 1.0, CSR_SUM: 0.5, GEAM: 8.0, CONVERTING_GEAM: 12.0,
               CONVERTED_GEAM: 10.0}  # fmt: skip
    actual = tuple(replace(each, error=0.0) for each in records((*SUMS,), factors))
    there = results(records=actual)
    titles = {panel.title.split(":")[0] for panel in sums.figure6(there).chart.panels}
    assert titles == {"A + B", "Aᵀ + Bᵀ", "A + Bᵀ"}
    item = sums.table2(there)
    ours = "HiSparse as published over cuSparse, "
    assert number(item, f"{ours}A + B", "times HiSparse f64").ours == pytest.approx(4)
    assert number(item, f"{ours}Aᵀ + Bᵀ", "times HiSparse f64").ours == pytest.approx(6)
    assert number(item, f"{ours}Aᵀ + Bᵀ, converted", "times HiSparse f64").ours == pytest.approx(4)
    flat = number(item, "gpu.add of HiSparse over cuSparse, A + B", "times HiSparse f64")
    assert (flat.ours, flat.implied) == (pytest.approx(8), True)
    of_csr = number(item, "gpu.add of CSR, A + Bᵀ: skewed", "times csrgeam2, conversion counted f32")
    assert (of_csr.paper, of_csr.ours) == ("", pytest.approx(24))
    assert of_csr.note.startswith("1 of 1 matrices: ")
    failed = [each for each in actual if (each.matrix, each.method) != ("full", CSR_SUM)]
    rest = number(
        sums.table2(results(records=tuple(failed))), "gpu.add of CSR, A + B: matrices", "times csrgeam2 f64"
    )
    assert rest.note.startswith("2 of 3 matrices, without full: ")
    assert verdict(item, "the shortest time in all test cases").holds
    assert verdict(item, "with the conversion counted").holds
    assert verdict(item, "lower for transposed matrices").holds is False
    assert verdict(item, "lower standard deviation than cuSPARSE").holds is False
    # 12 against 8 without a conversion, and 10 with that of the sum.
    assert verdict(item, "adds a significant overhead").holds
    efficient = verdict(item, "most efficient way")
    assert efficient.holds is False
    assert "1.20" in efficient.detail
    assert verdict(item, "can be extrapolated").holds is None
    assert verdict(item, "due to FullChip").holds is None
    # All sums are exact.
    wrong = (replace(actual[0], error=1e-16), *actual[1:])
    assert len(sums.table2(results(records=wrong)).faults) == 1


def test_a_gain_that_one_matrix_makes():
    factors = {DUAL_SUM: 1.0, GEAM: 2.0, CONVERTING_GEAM: 2.0}
    full_chip = replace(MATRICES[1], stands_for="FullChip")
    there = results(
        matrices=(MATRICES[0], full_chip, *MATRICES[2:]),
        records=tuple(
            replace(each, error=0.0) for each in records(SUMS, factors, **{f"local sum {GEAM}": 20.0})
        ),
    )
    made = verdict(sums.table2(there), "due to FullChip")
    assert made.holds
    assert made.detail.startswith("8.00 times by means, 2.00 without")


def test_edits_by_what_they_write_and_how_long_they_take():
    made = [
        Record(each.name, method, "float64", EDIT, nbytes=size, median_us=time)
        for each in MATRICES[:2]
        for method, size, time in ((TREE_EDIT, 100, 30.0), (CSR_EDIT, 400, 20.0))
    ]
    item = edits.make(results(records=tuple(made)))
    assert number(item, "blocks (for bone010), HiSparse, edited", "bytes written").ours == 100
    assert number(item, "full (for dense), CSR, edited", "us").ours is None
    assert verdict(item, "saves storage").holds
    slower = verdict(item, "Editing is efficient")
    assert slower.holds is False
    assert "0.67" in slower.detail
    assert verdict(item, "fewer operations").holds is None
    assert verdict(edits.make(measured()), "saves storage").holds is None


def test_wrong_changing_and_failed_results_are_named():
    actual = [*records()]
    actual[0] = replace(actual[0], error=0.5)
    actual[1] = replace(actual[1], same_bits=False)
    actual[2] = replace(actual[2], status="failed", reason="no memory", median_us=None, error=None)
    item = products.figure5(results(records=tuple(actual)))
    assert len(item.faults) == 2
    assert "relative error 5.0e-01" in item.faults[0]
    assert "two runs differ" in item.faults[1]
    assert any("(no memory)" in gap for gap in item.gaps)


@pytest.mark.nightly
def test_the_whole_report_from_what_comes_with_the_package():
    report = reproduce(chosen(["hisparse"]), Request(MACHINE))
    assert not any(item.faults for item in report.items)
    files = files_of(report)
    for experiment in PAPER.experiments:
        assert {f"{experiment.name}.csv", f"{experiment.name}.md"} <= set(files)
    assert {"hisparse-matrices.csv", "hisparse-trees.csv", "hisparse-times.csv", "hisparse-sums.csv"} <= set(
        files
    )
    for name in ("fig2", "fig4", "fig5", "table1", "fig6", "table2"):
        assert files[f"hisparse-{name}.png"].startswith(b"\x89PNG")


def test_what_comes_with_the_package_is_whole():
    actual = recorded_results(Results)
    assert (len(actual.measured), actual.faults()) == (24, ())
    assert actual.missing == dict.fromkeys(
        ("kronecker-20-16", "uniform-1M-16"), "left out: 420 seconds were over"
    )
    assert len(actual.of_the_paper) == 9
    of_sums = [each for each in actual.records if each.operation in SUMS and each.status == "ok"]
    ours = [each for each in of_sums if each.method in (TREE_SUM, CSR_SUM)]
    assert all((each.error, each.same_bits) == (0.0, True) for each in ours)
    summed = {each.matrix for each in ours}
    assert summed >= {each.name for each in actual.matrices if each.stands_for}
    assert summed >= {each.name for each in actual.matrices if each.group == "large_structured"}


def test_where_hisparse_takes_more_bytes_than_csr_it_is_slower_too():
    actual = recorded_results(Results)
    for dtype, most in (("float32", 0.76), ("float64", 0.84)):
        structured = [each for each in actual.matrices if each.group == "large_structured"]
        shares = figure2.of_one_csr(actual, structured, dtype)
        assert len(shares) == 8
        assert geometric_mean(shares.values()) <= most
        shares = figure2.of_one_csr(actual, actual.measured, dtype)
        larger = [each for each in actual.measured if shares[each.name] > 1]
        assert larger
        for operation in PRODUCTS:
            assert max(actual.ratios(larger, BEST, dtype, operation=operation).values()) < 1
