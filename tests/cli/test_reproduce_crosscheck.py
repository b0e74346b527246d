"""`vecsim reproduce crosscheck`: a report of what was measured on a GPU, without one."""

import csv

import pytest

from experiments.crosscheck.source import RECORDED
from experiments.papers.kit.recorded import newest


@pytest.mark.ci
def test_the_recorded_results_make_a_report(vecsim, tmp_path, monkeypatch):
    path = newest(RECORDED)
    monkeypatch.setattr("experiments.crosscheck.source.measure_members", _from_the_file(path))
    out = tmp_path / "report"
    result = vecsim("reproduce", "crosscheck", "--out", out)
    assert (result.code, result.err) == (0, "")
    assert "JD over CRS" in result.out
    page = (out / "report.html").read_text()
    assert page.count("data:image/svg+xml") == 1
    rows = list(csv.DictReader((out / "crosscheck-pairs.csv").read_text().splitlines()))
    counted = [float(row["ours"]) for row in rows if row["quantity"] == "matrices"]
    assert len(counted) == 9
    assert min(counted) >= 40


def _from_the_file(path):
    """Stand in for simulating again, which takes minutes where the machine has changed since."""
    from experiments.crosscheck.results import read_results
    from experiments.papers.hism.timing import Measured, Timing

    def measure(subjects, load, request):
        timings = {
            each.name: {
                check.program: Timing(check.program, check.cycles, 1, 1, 0.0) for check in each.check.checks
            }
            for each in read_results(path).matrices
        }
        return Measured(timings, {})

    return measure


def test_a_file_that_is_for_another_experiment(vecsim, tmp_path):
    path = tmp_path / "r.json"
    path.write_text('{"kind": "something"}')
    message = vecsim("reproduce", "crosscheck", "--results", path, "--out", tmp_path / "out").mistake()
    assert message == (
        f"{path}: is not a file of results of the chosen papers: crosscheck takes `vecsim crosscheck`"
    )
    assert not (tmp_path / "out").exists()


def test_cycles_are_kept_in_one_file(vecsim, tmp_path):
    message = vecsim("reproduce", "hism", "--results", "a.journal", "--results", "b.journal").mistake()
    assert message == "--results b.journal: cycles are stored in one file; leave it out or a.journal"
