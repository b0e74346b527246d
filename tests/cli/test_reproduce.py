"""`vecsim reproduce`: files, tables, JSON, mistakes, on a suite of tiny built-in matrices."""

import csv
import json
import re

import pytest
import suite_cases
from browser import looked_at

from experiments.report.agreement import OUTCOMES
from vecsim.results.result_folder import LOCK, MANIFEST

ITEMS = ["hism-fig1", "hism-table1", "hism-table2", "hism-table3", "hism-fig2", "hism-fig3", "hism-fig4"]


@pytest.fixture(autouse=True)
def tiny_suite(monkeypatch, tmp_path):
    suite_cases.install(monkeypatch)
    monkeypatch.chdir(tmp_path)


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.ci
def test_a_paper_is_files_of_every_kind_and_one_page(vecsim, tmp_path):
    result = vecsim("reproduce", "hism", "--out", tmp_path / "out", "--jobs", 1)
    assert result.code == 0
    names = {path.name for path in (tmp_path / "out").iterdir()} - {MANIFEST, LOCK}
    assert {f"{item}.{end}" for item in ITEMS for end in ("csv", "md", "svg", "png")} <= names
    assert {"report.html", "hism-matrices.csv", "hism-cycles.csv"} <= names
    assert not any(name.startswith(".") for name in names)
    assert len([row for row in rows(tmp_path / "out" / "hism-table2.csv") if row["paper"]]) == 24 + 1
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<img ") == len(ITEMS)
    engine = "vs2003; simulated with the engine jit"
    for text in (engine, "What made this report", "big1", "scipy", suite_cases.ABSENT):
        assert text in page
    assert str(tmp_path / "out" / "report.html") in result.out


@pytest.mark.browser
def test_the_page_opens_in_a_browser_with_every_chart(vecsim, tmp_path):
    assert vecsim("reproduce", "hism", "--jobs", 1).code == 0
    seen = looked_at(tmp_path / "reproduced" / "report.html", tmp_path)
    assert len(seen["images"]) == len(ITEMS)
    for image in seen["images"]:
        assert image["complete"]
        assert image["visible"]
        assert min(image["natural"], image["width"], image["height"]) > 200
    assert all(name.startswith("data:") for name in seen["outside"])
    assert seen["wide"] <= seen["window"]


def test_an_item_alone(vecsim, tmp_path):
    result = vecsim("reproduce", "hism-fig2", "--jobs", 1)
    assert result.code == 0
    names = {path.name for path in (tmp_path / "reproduced").iterdir()} - {MANIFEST, LOCK}
    assert {name for name in names if "table" in name or "fig3" in name} == set()
    actual = rows(tmp_path / "reproduced" / "hism-fig2.csv")
    assert list(actual[0]) == [
        "row",
        "quantity",
        "paper",
        "ours",
        "difference_percent",
        "outcome",
        "kind",
        "least_without_one",
        "greatest_without_one",
        "note",
    ]
    assert [row["quantity"] for row in actual[:5]] == ["CRS", "JD", "BBCS", "HiSM", "CHiSM"]
    available = [row for row in actual if row["row"] != suite_cases.ABSENT]
    assert {row["ours"] for row in available if row["quantity"] == "CHiSM"} == {"1"}
    assert all(row["ours"] == "" for row in actual if row["row"] == suite_cases.ABSENT)
    assert "hism-fig2: Figure 2" in result.out
    assert "CHiSM is slower than HiSM" in result.out
    assert re.search(r"^hism: predicted: \d of 2 claims (is|are) confirmed", result.out, re.M)


@pytest.mark.ci
def test_tables_1_and_3_need_no_simulation(vecsim, monkeypatch, tmp_path):
    monkeypatch.setattr("experiments.papers.hism.measurements.measure", None)
    assert vecsim("reproduce", "hism-table1", "hism-table3", "--jobs", 1).code == 0
    assert len([row for row in rows(tmp_path / "reproduced" / "hism-table3.csv") if row["paper"]]) == 18 + 1


@pytest.mark.ci
def test_json_says_the_same(vecsim, tmp_path):
    document = json.loads(
        vecsim("reproduce", "hism-table2", "--json", "-", "--set", "banks=64", "--jobs", 1).out
    )
    assert document["machine"]["banks"] == 64
    assert "vs2003 with banks=64" in (tmp_path / "reproduced" / "report.html").read_text()
    (item,) = document["items"]
    (paper,) = document["papers"]
    assert paper["name"] == "hism"
    confirmed = [claim["outcome"] for claim in item["claims"]].count("confirmed")
    assert paper["claims"]["confirmed"] == confirmed
    assert item["name"] == "hism-table2"
    printed = [row for row in item["rows"] if row["paper"]]
    assert len(printed) == 24 + 1  # BBCS over JD
    written = rows(tmp_path / "reproduced" / "hism-table2.csv")
    assert [f"{row['ours']:.6g}" if row["ours"] else "" for row in item["rows"]] == [
        r["ours"] for r in written
    ]
    assert {claim["outcome"] for claim in item["claims"]} <= set(OUTCOMES)


@pytest.mark.ci
def test_results_of_an_earlier_run_are_used(vecsim, monkeypatch, tmp_path):
    arguments = ["reproduce", "hism-table2", "--results", "kept.journal", "--jobs", 1]
    assert vecsim(*arguments).code == 0
    first = (tmp_path / "reproduced" / "hism-table2.csv").read_text()
    monkeypatch.setattr("experiments.papers.hism.measurements.measure", None)
    assert vecsim(*arguments).code == 0
    assert (tmp_path / "reproduced" / "hism-table2.csv").read_text() == first


@pytest.mark.ci
def test_a_wrong_result_is_exit_code_1_and_in_the_report(vecsim, monkeypatch, tmp_path):
    monkeypatch.setattr("programs.measurement.relative_error", lambda *_: 0.5)
    result = vecsim("reproduce", "hism-fig4", "--jobs", 1)
    assert result.code == 1
    assert "wrong results: crs on laplace2d-2: the relative error is 5.0e-01" in result.err
    assert "Wrong results" in (tmp_path / "reproduced" / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing is chosen; use --all or names such as hism or hism-table2"),
        (["hism", "--all"], "--all: leave it out, or leave out names such as"),
        (["hism-tabel2"], "unknown experiment 'hism-tabel2'; use one of hism, hism-fig1, hism-setup"),
        (["hism", "--out", "file"], "file: "),
        (["hism", "--out", "file/below"], "file/below: "),
        (["hism", "--machine", "vs2004"], "unknown machine 'vs2004'"),
        (["hism", "--engine", "turbo", "--jobs", "1"], "unknown engine 'turbo'"),
        (["hism", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["hism", "--results", "no/where.journal"], "no/where.journal: the folder no does not exist"),
        (["hism", "--results", "file.journal", "--jobs", "1"], "file.journal: is not a journal of"),
        (["pellr", "--results", "file"], "--results file: name a .journal for simulated cycles, or a .json"),
        (
            ["pellr", "--results", "file.journal"],
            "file.journal: no chosen experiment stores cycles; choose one of hism-table2",
        ),
        (["hism", "--json", "no/where.json"], "no/where.json: the folder no does not exist"),
    ],
)
def test_mistakes(vecsim, tmp_path, arguments, message):
    files = {"file", "file.journal"}
    for file in files:
        (tmp_path / file).write_text("something\n")
    assert vecsim("reproduce", *arguments).mistake().startswith(message)
    assert {path.name for path in tmp_path.iterdir()} - {"file.journal.lock"} == files
    assert (tmp_path / "file.journal").read_text() == "something\n"
