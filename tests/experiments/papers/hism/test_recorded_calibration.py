"""The calibration that is kept with the code: whole, of this grid, and what the preset and the page say."""

from pathlib import Path

import pytest
from markupsafe import escape

from experiments.papers.hism.calibration import recorded_tables
from experiments.papers.hism.calibration.__main__ import section
from experiments.papers.hism.calibration.appendices import NUMBERS
from experiments.papers.hism.calibration.choices import CHOICES, as_now, machine_of
from experiments.papers.hism.calibration.headings import HEADINGS
from experiments.papers.hism.calibration.uncertainty import TOLD_APART
from experiments.papers.hism.paper import PAPER
from experiments.papers.hism.suite_runs import SuiteRuns
from experiments.papers.kit.request import Request
from experiments.report.item import Part, Report
from experiments.report.text import html
from vecsim.machine import load_machine

VS2003 = load_machine("vs2003")
PAGE = Path(__file__).parents[4] / "docs" / "papers" / "calibration.md"


def rows(name):
    table = recorded_tables.table(name).table
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_it_is_of_this_grid():
    actual = {row["choice"]: row["values"] for row in rows("choices")}
    assert actual == {choice.name: " | ".join(value.name for value in choice.values) for choice in CHOICES}


def test_the_preset_and_the_assignment_are_what_it_proposes():
    proposed = {row["choice"]: row["proposed"] for row in rows("choices")}
    assert proposed == as_now(VS2003)
    assert machine_of(proposed, VS2003) == VS2003


def test_tables_of_other_code_are_reported(monkeypatch):
    searched = dict(recorded_tables.table("provenance").table.rows)["code that decides cycles"]
    for now, message in ((searched + "0" * 48, 0), ("f" * 64, 1)):
        monkeypatch.setattr(recorded_tables, "code_fingerprint", lambda now=now: now)
        first, *others = recorded_tables.appendices()
        assert sum("another version of the code" in text for text in first.paragraphs) == message
        same = {row["row"]: float(row["proposed machine"]) for row in rows("spread")}
        first, *_ = recorded_tables.appendices(same)
        assert sum("are the same" in text for text in first.paragraphs) == message
        first, *_ = recorded_tables.appendices(same | {"HiSM vs CRS": 9.0})
        assert sum("its numbers are those of the machine" in text for text in first.paragraphs) == message
        assert all(
            other == recorded_tables.table(name)
            for other, name in zip(others, recorded_tables.SHOWN[1:], strict=True)
        )


@pytest.mark.parametrize("name", HEADINGS)
def test_every_table_is_there(name):
    appendix = recorded_tables.table(name)
    assert appendix.table.rows
    assert appendix.name.endswith(name)


def test_the_proposal_is_chosen_by_the_rule():
    """Today's if it cannot be distinguished from the nearest; otherwise by conclusions, then by what it
    changes."""
    actual = rows("candidates")
    for row in actual:
        assert row["distinguishable"] == ("no" if float(row["as near"]) >= TOLD_APART else "yes")
        assert all(row[number] for number in NUMBERS)
    alike = [row for row in actual if row["distinguishable"] == "no"]
    order = [(int(row["conclusions that fail"]), int(row["choices changed"])) for row in alike]
    assert actual[0] is alike[0]
    if not any("today's" in row["rank"] for row in alike):
        assert order[0] == min(order)
    else:
        assert "today's" in actual[0]["rank"]


def test_the_report_says_on_top_what_holds_by_standard():
    request = Request(VS2003)
    assert PAPER.remarks(request) == ()  # nothing was simulated
    request.cached[SuiteRuns] = object()
    kinds, message, headline = PAPER.remarks(request)
    assert "4 are independent, against 27 open choices" in kinds
    assert [row["programs"] for row in rows("standards")] == list(recorded_tables.WITH)
    for row in rows("standards"):
        assert (
            f"{row['conclusions that hold']} of {row['of']} {recorded_tables.WITH[row['programs']]}"
            in message
        )
        assert f"{float(row['CHiSM vs CRS, all']):.2f} {recorded_tables.WITH[row['programs']]}" in headline
    page = html(Report("t", (Part(PAPER.name, PAPER.source, (), (message,)),)), {})
    assert page.index(escape(message)) < page.index("<main>")


def test_each_conclusion_has_an_extent_that_fits_its_numbers():
    for row in rows("sensitivity"):
        holds, examined = int(row["holds on"]), int(row["of"])
        extent = "every" if holds == examined else "some" if holds else "none"
        assert row["extent"] == (extent if examined else "unknown")


def test_it_says_how_it_was_made():
    message = {row["what"]: row["which"] for row in rows("provenance")}
    for what in ("made", "vecsim", "commit", "engine", "matrices", "candidates examined"):
        assert message[what]
    assert message["matrices"] == "132"
    assert message["not found"] == "none"


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not next to the tests")
def test_the_page_shows_these_tables():
    """``python -m experiments.papers.hism.calibration`` prints them."""
    assert section() in PAGE.read_text(encoding="utf-8")
