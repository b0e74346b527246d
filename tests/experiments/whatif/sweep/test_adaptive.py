"""Adaptive sweeps: the answer of the full grid with a tenth of its cells."""

import itertools
import json
import sys

import numpy as np
import pytest

from experiments.whatif.compare.document import read_document
from experiments.whatif.compare.rerun import rerun
from experiments.whatif.explain.cells import read_cells
from experiments.whatif.explain.question import answered
from experiments.whatif.sweep import Sweep, sweep
from experiments.whatif.sweep.adaptive import adapted
from experiments.whatif.sweep.answer import answer, combinations_of, ratios_of
from experiments.whatif.sweep.question import read_question
from experiments.whatif.sweep.table import SweepTable
from vecsim.cli import main
from vecsim.support.errors import UserError

pytestmark = pytest.mark.usefixtures("sweeps_in_one_process")

FACTORS = {"accesses_in_flight": tuple(range(1, 17)), "startup": tuple(range(0, 101, 5))}
QUESTION = read_question("jd<hism", ("jd", "hism"))


def asked(**others):
    spec = {"programs": ("jd", "hism"), "set": FACTORS, "question": "jd<hism", **others}
    return Sweep(("laplace2d-3",), **spec)


def simulated(ratio, points):
    """What runs a round, where the ratio of cycles is a function of the values; it counts points."""

    def swept(listed, spent, alone):
        columns = {name: [] for name in ("matrix", "program", *FACTORS, "cycles")}
        for program, at in itertools.product(("jd", "hism"), listed.at):
            cycles = 10**6 * (ratio(*at.values()) if program == "jd" else 1)
            row = ("m", program, *at.values(), None if np.isnan(cycles) else round(cycles))
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
        points.append(len(listed.at))
        return SweepTable(listed, columns, 2 * len(listed.at), 0.0)

    return swept


RATIOS = {
    "a ramp": lambda flight, startup: 1.5 * np.exp(-startup / 60) * flight**0.3,
    "a wall": lambda flight, startup: 0.8 if startup > 15 * flight + 20 else 1.3,
    "a kink": lambda flight, startup: np.clip(1.4 - 0.012 * (startup - 14 * flight), 0.8, 1.35),
    "always": lambda flight, startup: 0.5 + 0.001 * startup,
    "never": lambda flight, startup: 2.0,
}


@pytest.mark.parametrize("name", RATIOS)
def test_a_tenth_of_the_grid_has_the_same_answer(name):
    ratio = RATIOS[name]
    points: list[int] = []
    table = adapted(asked(adaptive=2 * 33), simulated(ratio, points))
    assert len(table.sweep.at) <= 33
    assert table.computed == 2 * (sum(points))
    result = table.answer()
    truth = np.array([ratio(*each) < 1 for each in itertools.product(*FACTORS.values())])
    assert not (result.yes & ~truth).any()
    assert not (result.no & truth).any()
    at = 16 * 21 - 1
    assert result.ratios[at] == pytest.approx(ratio(16, 100))  # a corner, which is computed
    if name != "a wall":  # a jump has no slope that says where it is
        assert (result.yes | result.no).mean() > 0.97


def test_a_point_without_a_result_is_not_asked_again():
    table = adapted(asked(adaptive=2 * 20), simulated(lambda f, s: np.nan if f == 1 else s / 50 + f / 99, []))
    assert len(table.sweep.at) == len({tuple(each.values()) for each in table.sweep.at}) <= 20
    ratios = ratios_of(table.columns, list(FACTORS), QUESTION)
    assert ratios and all(flight != "1" for flight, _ in ratios)


def test_the_answer_of_a_grid_is_exact_and_names_runs():
    factors = {"banks": (4, 8), "startup": (0, 10, 20)}
    logs = [1.0, -1.0, -1.0, 1.0, 1.0, 1.0]
    ratios = dict(zip(combinations_of(factors), logs, strict=True))
    result = answer(QUESTION, factors, ratios)
    assert result.rows() == [("banks=4", "10 to 20", "", "0"), ("banks=8", "", "", "0 to 20")]


def test_a_question_has_a_factor():
    question = read_question(" jd < 2.5 * hism ", ("jd", "hism"))
    assert (question.first, question.second, question.factor) == ("jd", "hism", 2.5)
    assert str(question) == "jd<2.5*hism"
    for text, message in {
        "jd": "is not a question; write PROGRAM<PROGRAM",
        "jd<hsm": "has no program 'hsm'; use two of jd, hism; did you mean 'hism'?",
        "jd<jd": "compares a program with itself",
        "jd<0*hism": "is not a question",
    }.items():
        with pytest.raises(UserError, match=message.replace("?", r"\?").replace("*", r"\*")):
            read_question(text, ("jd", "hism"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"adaptive": 9, "question": ""}, "adaptive: needs a question"),
        ({"adaptive": 9, "design": "one-at-a-time"}, "leave out design = 'one-at-a-time'"),
        ({"design": "listed"}, "no point is listed"),
        ({"at": [{"startup": 5}]}, "which only design = 'listed' has"),
        ({"design": "listed", "at": [{"startup": 5}]}, r"at\[0\]: needs a value of each of"),
        (
            {"design": "listed", "at": [{"startup": 7, "accesses_in_flight": 1}]},
            r"at\[0\]\.startup: 7 is not among",
        ),
        ({"set": {}}, "question: nothing is varied"),
    ],
)
def test_what_is_wrong_is_named(given, message):
    with pytest.raises(UserError, match=message):
        asked(**given)


def test_too_few_cells_to_begin_with():
    with pytest.raises(UserError, match="too few cells to begin with: 5 points of 2 cells take 10"):
        adapted(asked(adaptive=9), simulated(RATIOS["never"], []))


def test_without_the_library_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.gaussian_process", None)
    with pytest.raises(UserError, match=r"pip install 'vecsim\[statistics\]'"):
        adapted(asked(adaptive=20), simulated(RATIOS["never"], []))


def test_on_the_command_line_and_again(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ask.toml").write_text(
        "matrices = ['uniform-200-3']\nprograms = ['jd', 'hism']\nquestion = 'jd<hism'\nadaptive = 16\n"
        "[set]\naccesses_in_flight = [1, 4, 16]\nstartup = '0:100:20'\n"
    )
    assert main(["sweep", "ask.toml", "--out", "out", "--store", "cells", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "jd<hism for startup" in printed
    assert "accesses_in_flight=16" in printed
    content = json.loads((tmp_path / "out/sweep.json").read_text())
    assert content["sweep"]["design"] == "listed"
    assert content["cells"] == 2 * len(content["sweep"]["at"]) <= 16
    again = rerun(read_document(tmp_path / "out"), store=tmp_path / "other")
    assert len(again.runs) == content["cells"]
    assert all(run.same for run in again.runs)
    assert main(["sweep", "ask.toml", "--dry-run"]) == 2
    item = answered(cells := read_cells(tmp_path / "out"), cells.question)
    assert item.chart.rows == ("1", "4", "16")
    assert len(item.rows) == 18
    assert {row.note for row in item.rows} <= {"yes", "no", "uncertain"}
    assert all((row.ours < 1) == (row.note == "yes") for row in item.rows if row.note != "uncertain")
    assert f"{len(content['sweep']['at'])} of 18 combinations were computed" in item.summary


@pytest.mark.nightly
def test_where_jd_beats_hism_on_eight_matrices(tmp_path):
    """The figure of docs/tutorial/which-is-faster.md."""
    matrices = (
        "uniform-1000-8", "uniform-1000-7", "uniform-1000-6", "uniform-2000-10",
        "banded-1000-20-8-0.05", "banded-1000-20-6-0.05", "butterfly-7", "rmat-11-4",
    )  # fmt: skip
    spec = Sweep(matrices, ("jd", "hism"), set=FACTORS, question="jd<hism")
    part = sweep(spec, adaptive=537, store=tmp_path / "part")
    whole = sweep(spec, store=tmp_path / "whole")
    assert len(whole) == 5376 and len(part) <= 537
    result, exact = part.answer(), whole.answer()
    assert (result.yes == exact.yes).all()
    assert (result.no == exact.no).all()
