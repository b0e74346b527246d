"""The experiments: declared once, found by name, made in the papers' order."""

import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pytest

import experiments
from experiments.papers.kit import registry
from experiments.papers.kit.experiment import Experiment, Paper
from experiments.papers.kit.registry import FOLDERS, PAPERS, chosen, every_experiment, names, reproduce
from experiments.papers.kit.request import Request
from experiments.report.item import Appendix, Item
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

HISM = [
    *("hism-fig1", "hism-setup", "hism-table1", "hism-table2", "hism-unseen", "hism-table3"),
    *("hism-fig2", "hism-fig3", "hism-fig4"),
]


def picked(*asked):
    return [experiment.name for _, experiments in chosen(asked) for experiment in experiments]


def test_every_name_of_the_hism_paper():
    assert picked("hism") == HISM
    assert set(HISM) | {"hism"} <= set(names())


def test_all_is_everything():
    every = [experiment.name for _, experiments in every_experiment() for experiment in experiments]
    assert every == [experiment.name for paper in PAPERS for experiment in paper.experiments]


def test_names_are_in_the_papers_order_and_once():
    assert picked("hism-fig2", "hism-table1", "hism-fig2") == ["hism-table1", "hism-fig2"]
    assert picked("hism-fig2", "hism") == HISM
    assert picked() == []


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(
        UserError,
        match=r"unknown experiment 'hism-tabel2'; use .*; did you mean 'hism-table2'\?$",
    ):
        chosen(["hism-tabel2"])


def test_names_are_unique_and_experiments_begin_with_their_paper():
    assert len(names()) == len(set(names()))
    for paper in PAPERS:
        assert all(experiment.name.startswith(f"{paper.name}-") for experiment in paper.experiments)


def test_every_folder_with_a_paper_is_listed():
    root = Path(experiments.__file__).parent
    actual = {path.parent.relative_to(root).as_posix() for path in root.rglob("paper.py")}
    assert actual == set(FOLDERS)


def test_whatever_makes_an_experiment_is_there():
    for paper in PAPERS:
        makers = [(experiment.maker, *experiment.arguments) for experiment in paper.experiments]
        for maker in (*(name for name, *_ in makers), paper.appendices_maker):
            assert callable(resolve_name(maker)), maker
        assert len(makers) == len(set(makers))


def test_listing_the_papers_imports_none_of_what_makes_them():
    code = (
        "import sys, experiments.papers.kit.registry\n"
        "print(*(name for name in sys.modules if 'experiments' in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    folders = ["papers", *(folder.replace("/", ".") for folder in FOLDERS)]
    papers = {f"experiments.{folder}{end}" for folder in folders for end in ("", ".paper")}
    kit = {f"experiments.papers.kit{end}" for end in ("", ".experiment", ".recorded", ".registry")}
    assert set(done.stdout.split()) == papers - {"experiments.papers.paper"} | kit | {"experiments"}


def test_a_new_paper_is_a_folder_and_its_name(monkeypatch, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "paper.py").write_text(
        "from experiments.papers.kit.experiment import Experiment, Paper\n"
        "made = (Experiment('mine-one', 'One', 'it', 'experiments.mine.one:make'),)\n"
        "PAPER = Paper('mine', 'My paper.', made, 'experiments.mine.one:appendices')\n"
    )
    (tmp_path / "mine" / "one.py").write_text(
        "from experiments.report.item import Item\n"
        "def make(request): return Item('mine-one', 'One', request.engine, ())\n"
        "def appendices(request): return ()\n"
    )
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "PAPERS", (*PAPERS, registry.declared("mine")))
    (item,) = reproduce(chosen(["mine"]), Request(load_machine("vs2003"), engine="simpy")).items
    assert (item.name, item.summary) == ("mine-one", "simpy")


def test_a_report_holds_the_items_and_what_follows(monkeypatch):
    module = ModuleType("own_makers")

    def make(request):
        request.cached["made"] = True
        return Item("p-one", "One", "s", ())

    def appendices(request):
        assert request.cached["made"]  # asked for last
        return (Appendix("", "Behind"),)

    module.make, module.appendices = make, appendices
    monkeypatch.setitem(sys.modules, "own_makers", module)
    one = Experiment("p-one", "One", "it", "own_makers:make")
    paper = Paper("p", "A paper.", (one,), "own_makers:appendices")
    monkeypatch.setattr(registry, "PAPERS", (paper,))
    report = reproduce(chosen(["p"]), Request(load_machine("vs2003")))
    assert [item.name for item in report.items] == ["p-one"]
    assert [(part.name, part.source) for part in report.parts] == [("p", "A paper.")]
    assert [appendix.title for appendix in report.appendices] == ["Behind", "What made this report"]
