from dataclasses import replace

import pytest
from crosscheck_cases import checked, written
from crosscheck_cases import numbers as worked

from experiments.crosscheck import report
from experiments.crosscheck import source as module
from experiments.crosscheck.matrices import Listed
from experiments.crosscheck.paper import KIND
from experiments.crosscheck.results import read_results
from experiments.papers.hism.timing import Measured, Timing
from experiments.papers.kit.request import Request
from experiments.report.folder import files_of
from experiments.report.item import Part, Report
from vecsim.data import load_builtin
from vecsim.machine import load_machine
from vecsim.results.digests import matrix_sha256
from vecsim.support.errors import UserError


@pytest.fixture
def request_(results, tmp_path):
    return Request(load_machine("vs2003"), recorded={KIND: written(results, tmp_path / "r.json")})


def numbers(item, row):
    return {actual.quantity: actual.ours for actual in item.rows if actual.row == row}


def test_pairs_of_formats(request_):
    item = report.make_pairs(request_)
    falling = numbers(item, "JD over CRS")
    assert falling["matrices"] == 3
    assert falling["Spearman's rho"] == falling["Kendall's tau"] == 1
    assert falling["same side"] == 3
    assert falling["rho, large"] is None
    assert numbers(item, "BBCS over CRS")["Spearman's rho"] == -1
    assert numbers(item, "CHiSM over CRS")["other side"] == 2
    assert "Rho is between -1.00 and 1.00; its interval is above 0 for JD over CRS" in item.summary
    assert item.gaps == ("qc324: not found",)
    assert not item.faults
    panel = item.chart.panels[0]
    assert panel.title == "JD over CRS, rho 1.00"
    assert panel.series == {"real": ((0.8, 0.75), (0.6, 0.5)), "other": ((0.4, 0.25),)}


def test_rankings_of_each_matrix(request_):
    item = report.make_rankings(request_)
    assert numbers(item, "all matrices")["same fastest"] == 1
    assert numbers(item, "50,000 non-zeros or more")["matrices"] == 1
    mine = numbers(item, "mine")
    assert (mine["JD, cycles"], mine["JD, GPU"], mine["lost"]) == (2.5, 4.0, 8.0)
    assert "fewest cycles is the fastest on the GPU on 1 of 3 matrices" in item.summary
    assert "fastest on the GPU: CRS 0, JD 2, BBCS 0, HiSM 1." in item.summary


def test_reasons(request_):
    item = report.make_reasons(request_)
    entries = numbers(item, "JD over CRS: non-zeros")
    assert set(entries) == {"cycles", "GPU time"}
    # The bytes of the fixture have the same ratio on each matrix.
    assert numbers(item, "JD over CRS: bytes on the GPU")["cycles"] is None


@pytest.mark.ci
def test_everything_is_plotted_without_a_gpu(request_):
    items = tuple(make(request_) for make in (report.make_pairs, report.make_rankings, report.make_reasons))
    files = files_of(Report("t", (Part("crosscheck", "s", items),), report.appendices(request_)))
    assert {"crosscheck-pairs.svg", "crosscheck-pairs.png", "crosscheck-rankings.csv"} <= set(files)
    assert b"A GPU" in files["report.html"]
    assert b"memplus" in files["crosscheck-matrices.csv"]


def test_worlds_that_disagree_are_a_fault(results, tmp_path):
    wrong = checked("wrong", worked(1, 1, 1, 1, 1), worked(1.0, 1.0, 1.0, 1.0), apart=1e-3)
    path = written(replace(results, matrices=(wrong,)), tmp_path / "r.json")
    item = report.make_pairs(Request(load_machine("vs2003"), recorded={KIND: path}))
    assert "wrong: crs: simulator and GPU differ by 1.0e-03, rounding allows 1.0e-06" in item.faults


def test_without_results_the_report_says_how_to_make_them(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "RECORDED", tmp_path)
    request = Request(load_machine("vs2003"))
    with pytest.raises(UserError, match="vecsim crosscheck --suite --json FILE"):
        report.make_pairs(request)


def test_the_last_file_of_the_package_is_taken(results, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "RECORDED", tmp_path)
    for name in ("crosscheck-a-2026-01-01.json", "crosscheck-a-2026-02-01.json"):
        written(results, tmp_path / name)
    assert module.recorded(Request(load_machine("vs2003"))).source == "crosscheck-a-2026-02-01.json"


def test_another_machine_is_simulated(request_, monkeypatch):
    asked = []

    def measure(subjects, load, request, identify):
        asked.extend((subject.name, subject.size) for subject in subjects)
        cycles = {"crs": 9, "jd": 8, "bbcs": 7, "hism": 6, "chism": 5}
        timings = {program: Timing(program, count, 1, 1, 0.0) for program, count in cycles.items()}
        return Measured({"gre_185": timings}, {"memplus": "not found"})

    monkeypatch.setattr(module, "measure_members", measure)
    request = Request(load_machine("wide"), recorded=request_.recorded)
    actual = module.recorded(request)
    assert asked == [("gre_185", 1000), ("memplus", 60_000)]
    assert [each.name for each in actual.results.matrices] == ["gre_185"]
    assert actual.results.machine.label == "wide"
    assert "memplus: not found" in actual.gaps
    assert any(gap.startswith("mine: is no matrix of the list") for gap in actual.gaps)
    assert module.recorded(request) is actual


def test_64_bits_are_not_simulated_again(results, tmp_path):
    path = written(replace(results, value_bits=64), tmp_path / "r.json")
    assert read_results(path).value_bits == 64
    with pytest.raises(UserError, match="only 32-bit ones"):
        module.recorded(Request(load_machine("wide"), recorded={KIND: path}))


def test_a_matrix_that_is_another_one_than_was_measured_is_not_simulated(monkeypatch):
    monkeypatch.setattr(module, "listed", lambda: (Listed("laplace2d-3", "generated", "laplace2d-3"),))
    csr = load_builtin("laplace2d-3").csr
    right = module._Subject("laplace2d-3", 33, matrix_sha256(csr.astype("f4")))
    other = module._Subject("laplace2d-3", 33, matrix_sha256(2 * csr.astype("f4")))
    assert module.load_subject(right).nnz == 33
    with pytest.raises(UserError, match="differs from the matrix that was measured; measure again"):
        module.load_subject(other)
    assert module.identify_subject(right) != module.identify_subject(other)
