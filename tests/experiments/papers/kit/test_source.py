"""Where results come from: a file, a GPU, the package."""

import pytest

from experiments.papers.kit.registry import PAPERS
from experiments.papers.kit.request import Request
from experiments.papers.kit.results import read_results
from experiments.papers.kit.source import recorded_results
from experiments.papers.pellr import measurement
from experiments.papers.pellr.results import Results
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

PAPER = next(each for each in PAPERS if each.name == "pellr")
MACHINE = load_machine("vs2003")


@pytest.fixture
def source():
    facts = {"multiprocessors": "1", "threads_per_multiprocessor": "2048"}
    return Results(PAPER.recorded_kind, "2026-11-21", "abc", "a GPU", facts, {}, ())


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A package without results, on a machine without a GPU."""
    monkeypatch.setattr("experiments.papers.kit.source.has_gpu", lambda: False)
    monkeypatch.setattr(Results, "recorded_folder", classmethod(lambda cls: tmp_path))
    return tmp_path


def test_a_file_that_was_given(source, package):
    file = package / "r.json"
    file.write_bytes(source.to_json())
    request = Request(MACHINE, recorded={PAPER.recorded_kind: file})
    assert PAPER.source_of(request) == source
    file.write_text("[]")
    assert PAPER.source_of(request) == source  # read once
    with pytest.raises(UserError, match="is not a file of"):
        PAPER.source_of(Request(MACHINE, recorded={PAPER.recorded_kind: file}))


def test_the_newest_of_the_package(source, package):
    with pytest.raises(UserError, match="pellr: no NVIDIA GPU and no file of results was found"):
        PAPER.source_of(Request(MACHINE))
    (package / "pellr-b-2026-11-20.json").write_text("{")
    (package / "pellr-a-2026-11-21.json").write_bytes(source.to_json())
    assert PAPER.source_of(Request(MACHINE)).gpu == "a GPU"


def test_a_gpu_measures_and_its_results_are_kept(source, monkeypatch, tmp_path):
    monkeypatch.setattr("experiments.papers.kit.source.has_gpu", lambda: True)
    monkeypatch.setattr(measurement, "measure", lambda watch: source)
    request = Request(MACHINE, folder=tmp_path / "report")
    assert PAPER.source_of(request) is PAPER.source_of(request) is source
    assert read_results(tmp_path / "report" / "pellr-results.json", Results) == source


def test_every_paper_that_is_measured_has_results_in_the_package():
    from pkgutil import resolve_name

    for paper in PAPERS:
        if paper.measured:
            type_ = resolve_name(f"{paper.measured}.results:Results")
            assert recorded_results(type_).kind == paper.recorded_kind
            assert callable(resolve_name(f"{paper.measured}.measurement:measure"))
