"""`vecsim calibrate`: its files, its JSON and its mistakes, on a suite of tiny built-in matrices."""

import csv
import json
import tomllib

import pytest
import suite_cases

from experiments.papers.hism.calibration.choices import CHOICES
from vecsim.machine import load_machine
from vecsim.results.result_folder import LOCK, MANIFEST


@pytest.fixture(autouse=True)
def tiny(monkeypatch, tmp_path):
    suite_cases.install(monkeypatch)
    few = tuple(choice for choice in CHOICES if choice.name in ("banks", "JD: y"))
    monkeypatch.setattr("experiments.papers.hism.calibration.calibration.CHOICES", few)
    monkeypatch.chdir(tmp_path)


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.nightly
def test_files_and_json(vecsim, tmp_path):
    result = vecsim(
        "calibrate", "--jobs", 1, "--out", "out", "--results", "kept.journal", "--json", "found.json"
    )
    assert result.code == 0
    out = tmp_path / "out"
    names = {path.name for path in out.iterdir() if path.name not in (MANIFEST, LOCK)}
    tables = (
        "choices",
        "sensitivity",
        "shares",
        "single-changes",
        "least",
        "spread",
        "standards",
        "conclusions-by-standard",
        "groups",
        "candidates",
        "readings",
        "provenance",
    )
    assert {f"hism-calibration-{name}.csv" for name in tables} <= names
    assert {"hism-calibration.csv", "hism-calibration.md", "report.html", "proposed.toml"} <= names
    assert not any(name.startswith(".") for name in names)
    assert len([row for row in rows(out / "hism-calibration.csv") if row["paper"]]) == 24

    actual = json.loads((tmp_path / "found.json").read_text())
    assert load_machine(str(out / "proposed.toml")).sha256 == actual["machine"]["sha256"]
    assert actual["machine"]["label"].startswith("vs2003")
    assert (actual["kind"], actual["command"][:2]) == ("vecsim calibrate", ["vecsim", "calibrate"])
    assert actual["commit"] and actual["date"] and actual["versions"]["numpy"]
    assert len(actual["matrices"]) == len(suite_cases.NAMES) - 1
    assert actual["machine"]["label"] in (out / "report.html").read_text()
    assert tomllib.loads((out / "proposed.toml").read_text())["startup"] == 20
    chosen = {row["choice"]: row["proposed"] for row in rows(out / "hism-calibration-choices.csv")}
    assert chosen == actual["proposal"]
    changed = rows(out / "hism-calibration-single-changes.csv")
    assert changed[0]["change"] == "none"
    assert len(changed) == 1 + sum(len(choice.values) - 1 for choice in CHOICES if choice.name in chosen)
    extents = {row["conclusion"]: row["extent"] for row in rows(out / "hism-calibration-sensitivity.csv")}
    assert {c["conclusion"]: c["extent"] for c in actual["conclusions"]} == extents

    again = vecsim("calibrate", "--jobs", 1, "--out", "again", "--results", "kept.journal")
    assert again.code == 0
    for name in ("hism-calibration.csv", "hism-calibration-single-changes.csv"):
        assert (tmp_path / "again" / name).read_text() == (out / name).read_text()


@pytest.mark.nightly
def test_a_search_can_be_bounded(vecsim, tmp_path):
    result = vecsim("calibrate", "--candidates", 1, "--starts", 2, "--jobs", 1, "--json", "found.json")
    assert result.code == 0
    actual = json.loads((tmp_path / "found.json").read_text())
    assert (actual["starts"], actual["finished"], actual["examined"]) == (2, 0, 1)
    text = {
        row["what"]: row["which"] for row in rows(tmp_path / "calibrated" / "hism-calibration-provenance.csv")
    }
    assert text["searches asked for"] == "2"
    assert text["searches that came to their end"] == "0"
    assert text["limit of the search"] == "1 candidates"
    assert (
        "ended when it had examined 1 candidates"
        in (tmp_path / "calibrated" / "hism-calibration.md").read_text()
    )


@pytest.mark.nightly
def test_quick(vecsim, tmp_path):
    result = vecsim("calibrate", "--quick", "--jobs", 1)
    assert result.code == 0
    assert "rehearsal" in (tmp_path / "calibrated" / "hism-calibration.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "fast"], "unknown engine 'fast'"),
        (["--results", "there/kept.journal"], "there/kept.journal: the folder there does not exist"),
        (["--set", "bank=3"], "preset vs2003: unknown machine field 'bank'"),
        (["--jobs", "0"], "Invalid value for '--jobs'"),
        (["--starts", "0"], "Invalid value for '--starts'"),
        (["--candidates", "0"], "Invalid value for '--candidates'"),
        (["--quick", "--out", "/proc/x"], "/proc/x: cannot be written"),
    ],
)
def test_mistakes(vecsim, tmp_path, arguments, message):
    assert vecsim("calibrate", *arguments).mistake().startswith(message)
    assert not (tmp_path / "calibrated").exists()


def test_a_file_that_holds_no_results(vecsim, tmp_path):
    (tmp_path / "kept.journal").write_text("something\nelse\n")
    message = vecsim("calibrate", "--results", "kept.journal", "--jobs", 1).mistake()
    assert message == "kept.journal: is not a journal of `vecsim calibrate`: choose another file"
