"""The experiments: declared once, found by name, made in the papers' order."""

import pytest

from experiments import registry
from experiments.registry import PAPERS, Experiment, Paper, chosen, names, reproduce
from experiments.report.item import Appendix, Item
from experiments.request import Request
from vecsim.errors import UserError
from vecsim.machine import load_machine

HISM = ["hism-table1", "hism-table2", "hism-table3", "hism-fig2", "hism-fig3", "hism-fig4"]


def picked(*asked):
    return [experiment.name for _, experiments in chosen(asked) for experiment in experiments]


def test_every_name_of_the_hism_paper():
    assert picked("hism") == HISM
    assert set(HISM) | {"hism", "all"} <= set(names())


def test_all_is_everything():
    assert picked("all") == [experiment.name for paper in PAPERS for experiment in paper.experiments]


def test_names_are_in_the_papers_order_and_once():
    assert picked("hism-fig2", "hism-table1", "hism-fig2") == ["hism-table1", "hism-fig2"]
    assert picked("hism-fig2", "hism") == HISM
    assert picked() == []


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(
        UserError,
        match=r"unknown experiment 'hism-tabel2'; exp.*; did you mean 'hism-table2'\?$",
    ):
        chosen(["hism-tabel2"])


def test_names_are_unique_and_experiments_begin_with_their_paper():
    assert len(names()) == len(set(names()))
    for paper in PAPERS:
        assert all(experiment.name.startswith(f"{paper.name}-") for experiment in paper.experiments)


def test_a_report_holds_the_items_and_what_stands_behind(monkeypatch):
    def make(request):
        request.kept["made"] = True
        return Item("p-one", "One", "s", ())

    def appendices(request):
        assert request.kept["made"]  # asked for last
        return (Appendix("", "Behind"),)

    paper = Paper("p", "A paper.", (Experiment("p-one", "One", "it", make),), appendices)
    monkeypatch.setattr(registry, "PAPERS", (paper,))
    report = reproduce(chosen(["p"]), Request(load_machine("vs2003")))
    assert [item.name for item in report.items] == ["p-one"]
    assert report.sources == ("A paper.",)
    assert [appendix.title for appendix in report.appendices] == ["Behind", "What made this report"]
