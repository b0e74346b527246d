import csv
import io

from report_cases import ITEM, MATRICES, ROWS

from experiments.report.comparison import Comparison
from experiments.report.csv_files import comparisons_csv, table_csv, verdicts_csv


def test_every_number_is_in_the_file_of_an_item():
    rows = list(csv.DictReader(io.StringIO(comparisons_csv(ROWS))))
    assert list(rows[0]) == [
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
    assert [row["paper"] for row in rows] == ["2.0", "4", "1.003", "0.5", ""]  # as printed
    assert [row["ours"] for row in rows] == ["2.1", "3", "1.0031", "", "1234.5"]
    assert [row["difference_percent"] for row in rows] == ["5.00", "-25.00", "0.01", "", ""]
    assert rows[3]["note"] == "none available"


def test_commas_and_quotes_survive():
    row = Comparison('x, "y"', "all", "1", 1.0, "a, b")
    assert next(csv.reader(io.StringIO(comparisons_csv([row]).split("\n", 1)[1])))[0] == 'x, "y"'


def test_a_mean_has_its_range_without_one_matrix():
    row = Comparison("mean", "q", "2", 2.5, without_one=(1.0, 3.25))
    (read,) = csv.DictReader(io.StringIO(comparisons_csv([row])))
    assert (read["least_without_one"], read["greatest_without_one"]) == ("1", "3.25")
    assert (read["outcome"], read["kind"]) == ("contradicted", "predicted")


def test_verdicts_have_one_of_three_outcomes():
    rows = list(csv.DictReader(io.StringIO(verdicts_csv(ITEM.verdicts))))
    assert [row["outcome"] for row in rows] == ["confirmed", "contradicted", "not testable"]


def test_a_table_is_written_as_it_is():
    assert MATRICES.table is not None
    assert table_csv(MATRICES.table) == 'matrix,non-zeros\na<b,48\nc,"1,000"\n'
