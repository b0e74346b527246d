import pytest
from report_cases import ROWS

from experiments.report.comparison import Comparison
from experiments.report.number_tables import largest, pivots, shown, three_digits


def test_rows_of_the_paper_come_first_and_alone():
    (with_paper, without), _notes = pivots(ROWS)
    assert (with_paper.with_paper, without.with_paper) == (True, False)
    assert with_paper.quantities == ("all", "large")
    assert [line.label for line in with_paper.lines] == ["A vs B", "A vs C"]
    assert [line.label for line in without.lines] == ["A vs B, otherwise"]
    first = with_paper.lines[0].cells[0]
    assert (first.paper, first.ours, first.difference) == ("2.0", "2.10", "+5.0 %")


def test_notes_that_differ_within_a_row_stand_at_its_numbers():
    (with_paper, _), notes = pivots(ROWS)
    assert notes == ("12 matrices", "3 matrices", "none available")
    assert [[cell.note for cell in line.cells] for line in with_paper.lines] == [[1, 2], [1, 3]]
    assert [(line.note, line.remark) for line in with_paper.lines] == [(None, ""), (None, "")]


def test_a_note_of_a_whole_row_stands_at_its_label_or_next_to_it():
    long = "x" * 61
    rows = [
        Comparison("printed", "a", "1", 1.0, "so"),
        Comparison("short", "a", "", 1.0, "so"),
        Comparison("short", "b", "", 1.0, "so"),
        Comparison("long", "a", "", 1.0, long),
        Comparison("long too", "a", "", 1.0, long),
        Comparison("alone", "a", "", 1.0, long + "!"),
    ]
    (with_paper, without), notes = pivots(rows)
    assert notes == ("so", long)
    assert [(line.note, line.remark) for line in with_paper.lines] == [(1, "")]
    assert [(line.note, line.remark) for line in without.lines] == [
        (None, "so"),
        (2, ""),
        (2, ""),
        (None, long + "!"),
    ]
    assert (with_paper.has_remarks, without.has_remarks) == (False, True)


def test_columns_have_one_order_in_both_tables():
    rows = [Comparison("r", q, "1", 1.0) for q in "ab"] + [Comparison("s", q, "", 1.0) for q in "ba"]
    assert [table.quantities for table in pivots(rows)[0]] == [("a", "b"), ("a", "b")]


def test_a_row_that_lacks_a_quantity_has_an_empty_cell():
    (table,), _ = pivots([Comparison("r", "a", "", 1.0), Comparison("s", "b", "", 2.0)])
    assert [[cell.ours for cell in line.cells] for line in table.lines] == [["1.00", ""], ["", "2.00"]]


@pytest.mark.parametrize(
    ("paper", "ours", "text"),
    [("1.003", 1.00314, "1.0031"), ("200", 199.7, "199.7"), ("", 199.7, "200"), ("0.5", None, "not found")],
)
def test_ours_has_a_digit_more_than_the_paper(paper, ours, text):
    assert shown(Comparison("r", "q", paper, ours)) == text


def test_a_number_that_is_not_there_says_why():
    assert shown(Comparison("r", "q", "", None, absent="refused")) == "refused"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (0.000123, "0.000123"),
        (0.0000123, "1.23e-05"),
        (0.5, "0.500"),
        (5.3, "5.30"),
        (99.94, "99.9"),
        (99.96, "100"),
        (1234.5, "1,234"),
        (-2.0, "-2.00"),
    ],
)
def test_three_digits(value, text):
    assert three_digits(value) == text


def test_the_row_furthest_from_the_paper():
    assert largest(ROWS) is ROWS[1]
    assert largest(ROWS[3:]) is None
