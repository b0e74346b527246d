import pytest
from pellr_cases import MATRICES, records, refused, results

from experiments.papers.kit.numbers import geometric_mean, rank_correlation
from experiments.papers.pellr.results import waves_of_the_paper

BY_NAME = {matrix.name: matrix for matrix in MATRICES}


def test_sets_are_sorted_by_sigma_and_leave_out_what_is_missing():
    speeds = results()
    assert {name: [each.name for each in part] for name, part in speeds.sets.items()} == {
        "alone": ["even", "lnsp_131", "memplus"],
        "filled": ["memplus x 4"],
        "generated": ["made"],
    }
    assert speeds.missing == {"lost": "no file"}


def test_ratios_are_times_of_the_other_by_those_of_pellr():
    speeds = results()
    assert speeds.ratio(BY_NAME["even"], "hyb-third", "float64") == 2
    assert speeds.ratios(speeds.sets["alone"], "biell", "float32") == {
        "even": 0.5,
        "lnsp_131": 0.5,
        "memplus": 0.5,
    }
    # 2 x 60,000 operations in 100 us.
    assert speeds.gflops(BY_NAME["even"], "pellr", "float64") == pytest.approx(1.2)


def test_both_are_as_published_or_both_are_cut():
    actual = refused(records(**{"memplus_ellr-sliced": 4.0, "even_ellr-sliced": 2.5}), "memplus", "pellr")
    speeds = results(records=actual)
    even, memplus = BY_NAME["even"], BY_NAME["memplus"]
    assert (speeds.own_of(even), speeds.own_of(memplus)) == ("pellr", "pellr-sliced")
    assert speeds.ratio(even, "ellr", "float64") == 1.5
    assert speeds.ratio(even, "ellr", "float64", "pellr-near") == 2.5
    assert speeds.ratio(memplus, "ellr", "float64") == 4
    assert speeds.ell_part(even, "float64") == pytest.approx(0.9)


def test_waves_of_both_gpus():
    speeds = results()
    assert speeds.waves(BY_NAME["memplus x 4"]) == 2.4
    assert waves_of_the_paper(BY_NAME["memplus x 4"]) == 6000 / 6144


def test_the_fastest():
    speeds = results()
    assert speeds.best(BY_NAME["even"], "float64", ("pellr", "hyb-third")) == "pellr"
    assert speeds.best(BY_NAME["even"], "float64", ("pellr", "biell")) == "biell"
    assert speeds.best(BY_NAME["lost"], "float64", ("pellr",)) is None


def test_wrong_products_are_named():
    from dataclasses import replace

    actual = list(records())
    actual[0] = replace(actual[0], error=1e-3)
    actual[1] = replace(actual[1], error=float("nan"))
    assert results(records=tuple(actual)).faults() == (
        "csrs on memplus, float64: relative error 1.0e-03",
        "csrs on memplus, float32: relative error nan",
    )


def test_means_and_correlations():
    assert geometric_mean([2, 8]) == pytest.approx(4)
    assert geometric_mean([]) is None
    assert rank_correlation([1, 2, 3], [1, 5, 9]) == 1
    assert rank_correlation([1, 2], [1, 2]) is None
    assert rank_correlation([1, 1, 1], [1, 2, 3]) is None
