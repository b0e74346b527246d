import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from report_cases import BARE, CHART, ITEM, REPORT

from experiments.report import charts
from experiments.report.agreement import rule
from experiments.report.item import Part, Report
from experiments.report.tally import SUMMARY
from experiments.report.text import html, markdown

PICTURES = {ITEM.name: charts.draw(CHART).svg}
VOID = {"meta", "img", "br", "link"}


class Page(HTMLParser):
    """Checks that elements are nested, and keeps what they say."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data.strip())

    def attributes(self, tag: str, name: str) -> list[str | None]:
        return [attributes.get(name) for actual, attributes in self.elements if actual == tag]


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(html(REPORT, PICTURES))


def test_the_page_needs_nothing_else(page):
    text = html(REPORT, PICTURES)
    assert not re.search(r"https?:|//[\w.]+/|@import|url\(", text)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "link", "iframe", "object", "embed", "base"}
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.attributes("img", "src"))
    ids = {f"#{name}" for _, attributes in page.elements if (name := attributes.get("id"))}
    assert set(page.attributes("a", "href")) <= ids


def test_the_picture_in_the_page_is_the_picture(page):
    (source,) = page.attributes("img", "src")
    content = base64.b64decode(source.partition(",")[2])
    assert content == PICTURES[ITEM.name]
    ElementTree.fromstring(content)
    assert page.attributes("img", "alt") == ['Bars "described"']


def test_the_page_says_all_that_the_report_holds(page):
    words = " ".join(page.words)
    for text in ("Table 1: A | B", "What A & B < C do.", "A. Author: A paper.", "Read it so.", "12 matrices"):
        assert text in words
    for text in ("The fourth is missing.", "crs on m: wrong", "a<b", 'name = "tiny"', "+5.0 %", "-25.0 %"):
        assert text in words
    for text in ("confirmed", "contradicted", "not testable", "not found"):
        assert text in page.words


def test_the_verdict_stands_on_top(page):
    words = " ".join(page.words)
    verdict = " ".join(words[: words.index("What A & B < C do.")].split())
    counts = (
        "1 of 3 claims is confirmed, 1 not testable; 2 of 4 printed numbers are confirmed, 1 not testable"
    )
    assert counts in verdict
    assert "Stand-ins: 1 of 2 matrices." in verdict
    assert rule() in verdict
    assert " ".join(SUMMARY) in verdict
    assert "tiny - - 3 2 2 1 of 2 matrices" in verdict
    assert "Wrong results, on which nothing can be built: crs on m: wrong" in verdict
    assert "A. Author: A paper." in verdict


def test_what_is_said_of_several_items_is_said_once():
    again = replace(ITEM, name="tiny-table2", title="Table 2")
    page = Page(html(Report("t", (Part("tiny", "s", (ITEM, again)),)), {}))
    assert page.words.count("Read it so.") == 1
    assert "#tiny-table1" in page.attributes("a", "href")
    other = replace(again, notes=("Read it otherwise.",))
    assert "Read it otherwise." in Page(html(Report("t", (Part("tiny", "s", (ITEM, other)),)), {})).words


def test_differences_are_classed_by_their_outcome(page):
    classes = [text.split()[-1] for text in page.attributes("td", "class") if text and "number " in text]
    assert classes.count("confirmed") == 2  # +5.0 and +0.0
    assert classes.count("contradicted") == 1  # -25.0


def test_markdown_tables_have_as_many_cells_in_each_line():
    for item in (ITEM, BARE):
        tables = re.findall(r"(?:^\|.*\|\n)+", markdown(item), re.M)
        assert tables
        for table in tables:
            counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            assert len(counts) == 1, table


def test_markdown_says_all_that_the_item_holds():
    text = markdown(ITEM)
    assert text.startswith("# Table 1: A | B\n\nWhat A & B < C do.\n")
    assert '![Bars "described"](tiny-table1.svg)' in text
    assert "| A vs B | 2.0 | 2.10 [1] | +5.0 % | 4 | 3.0 [2] | -25.0 % |" in text
    assert "[1] 12 matrices" in text
    assert "| C \\| D are slower | contradicted | x |" in text
    assert "- The fourth is missing." in text
    assert "- crs on m: wrong" in markdown(BARE)
    assert not re.search(r"\n{4,}", text)
