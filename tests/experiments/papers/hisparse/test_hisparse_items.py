"""The items of the HiSparse paper: made from results, or without any."""

from dataclasses import replace

import pytest
from hisparse_paper_cases import records, results

from experiments.papers.hisparse import figure2, figure4, products, sums
from experiments.papers.hisparse.methods import BEST, CONVERTING_GEAM, CSR_SUM, GEAM, PRODUCTS, SUMS, TREE_SUM
from experiments.papers.hisparse.paper import PAPER
from experiments.papers.hisparse.results import Results, averages
from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.kit.registry import chosen, reproduce
from experiments.papers.kit.request import Request
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
    assert row.paper == "50"
    assert number(item, "blocks", "stored, d = 256").ours == 6.1
    assert number(item, "blocks", "on the GPU, both products").ours == 6.3
    assert number(item, "blocks", "CSR").ours == 8 + 4 * 101 / 1000
    both = "on the GPU, both products, of one CSR f32"
    assert number(item, "class large_structured", both).ours == pytest.approx(6.3 / 8.404)
    fewer = verdict(item, "fewer bytes than one CSR (class large_structured")
    assert fewer.holds
    assert fewer.detail == "49.2 % less in f64, 25.0 % less in f32; over 1 matrices"
    assert verdict(item, "fewer bytes than one CSR on every matrix").detail == "more on none"
    assert verdict(item, "20 % less memory than CSR on average: by the nodes").holds
    assert verdict(item, "20 % less memory than CSR on average (d = 128").holds
    assert verdict(item, "CSR can be slightly smaller").detail == "on 1 of 4: spread"
    assert verdict(item, "On a dense matrix").holds
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


def test_figure_5_in_the_papers_gflops():
    item = products.figure5(measured(**{"local spmv cusparse-best": 2.0}))
    assert number(item, "blocks (for bone010), SpMVᵀ", "HiSparse f64").ours == pytest.approx(0.03)
    best = number(item, "blocks (for bone010), SpMV", "cuSPARSE, best f64")
    assert (best.ours, best.note) == (pytest.approx(0.06), "best of cuSPARSE f64: sell_32")
    assert verdict(item, "in general does not outperform").holds
    assert verdict(item, "on special HiSparse delivers").holds
    assert verdict(item, "all matrices: here its CSR").holds
    assert verdict(item, "all matrices: here its best").holds is False
    assert verdict(item, "hardly changes").holds
    assert any("lost: no file" in gap for gap in item.gaps)
    assert {panel.title.split(":")[0] for panel in item.chart.panels} == {"SpMV", "SpMVᵀ"}


def test_table_1_by_quotients():
    item = products.table1(measured(**{"blocks spmv_t cusparse-csr": 10.0}))
    ratio = number(item, "cuSparse, SpMVᵀ", "times HiSparse f64")
    # Three stand-ins: 10, 4 and 4 times.
    assert (ratio.paper, ratio.ours) == ("6.24", pytest.approx(6.0))
    assert number(item, "cuSparse, SpMVᵀ", "geometric mean f64").ours == pytest.approx(160 ** (1 / 3))
    assert number(item, "cuSparse, SpMVᵀ", "mean, ms f64").ours == pytest.approx(0.6)
    assert number(item, "HiSparse, SpMV", "s.dev. / mean f64").ours == 0
    assert "4.68 (4.13) in f64" in number(item, "HiSparse, SpMV", "mean, ms f64").note
    assert number(item, "yaSpMV, SpMV", "times HiSparse f32").ours is None
    assert verdict(item, "6 times faster than cuSparse (f64)").holds
    assert verdict(item, "19 times faster than cusp").holds is None
    assert averages([1000.0, 3000.0]) == (2.0, 1.0)


def test_sums_that_were_measured():
    factors = {TREE_SUM: 1.0, CSR_SUM: 0.5, GEAM: 4.0, CONVERTING_GEAM: 6.0}
    actual = tuple(replace(each, error=0.0) for each in records((*SUMS,), factors))
    there = results(records=actual)
    titles = {panel.title.split(":")[0] for panel in sums.figure6(there).chart.panels}
    assert titles == {"A + B", "Aᵀ + Bᵀ", "A + Bᵀ"}
    item = sums.table2(there)
    assert number(item, "cuSparse, A + B", "times HiSparse f64").ours == pytest.approx(4)
    assert number(item, "cuSparse, Aᵀ + Bᵀ", "times HiSparse f64").ours == pytest.approx(6)
    assert number(item, "cuSparse, Aᵀ + Bᵀ, converted", "times HiSparse f64").ours == pytest.approx(4)
    ours = number(item, "gpu.add of CSR, A + Bᵀ: skewed", "times csrgeam2, conversion counted f32")
    assert (ours.paper, ours.ours) == ("", pytest.approx(12))
    assert verdict(item, "Sums, HiSparse is 4 times").holds
    assert verdict(item, "conversion not counted, HiSparse is 2 times").holds
    assert verdict(item, "Transposed sums: HiSparse has the lowest standard deviation").holds is not None
    # All sums are exact.
    wrong = (replace(actual[0], error=1e-16), *actual[1:])
    assert len(sums.table2(results(records=wrong)).faults) == 1


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
    assert (len(actual.measured), actual.missing, actual.faults()) == (26, {}, ())
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
        shares = figure2.of_one_csr(actual, actual.matrices, dtype)
        larger = [each for each in actual.matrices if shares[each.name] > 1]
        assert {"kronecker-20-16", "uniform-1M-16"} < {each.name for each in larger}
        for operation in PRODUCTS:
            assert max(actual.ratios(larger, BEST, dtype, operation=operation).values()) < 1
