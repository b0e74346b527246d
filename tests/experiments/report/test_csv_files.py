import csv
import io

from report_cases import ITEM, MATRICES, ROWS

from experiments.report.comparison import Comparison
from experiments.report.csv_files import comparisons_csv, table_csv, verdicts_csv


def test_every_number_is_in_the_file_of_an_item():
    rows = list(csv.DictReader(io.StringIO(comparisons_csv(ROWS))))
    assert list(rows[0]) == ["row", "quantity", "paper", "ours", "difference_percent", "kind", "note"]
    assert [row["paper"] for row in rows] == ["2.0", "4", "1.003", "0.5", ""]  # as printed
    assert [row["ours"] for row in rows] == ["2.1", "3", "1.0031", "", "1234.5"]
    assert [row["difference_percent"] for row in rows] == ["5.00", "-25.00", "0.01", "", ""]
    assert rows[3]["note"] == "none available"


def test_commas_and_quotes_survive():
    row = Comparison('x, "y"', "all", "1", 1.0, "a, b")
    assert next(csv.reader(io.StringIO(comparisons_csv([row]).split("\n", 1)[1])))[0] == 'x, "y"'


def test_verdicts_are_yes_no_or_unknown():
    rows = list(csv.DictReader(io.StringIO(verdicts_csv(ITEM.verdicts))))
    assert [row["holds"] for row in rows] == ["yes", "no", "unknown"]


def test_a_table_is_written_as_it_is():
    assert MATRICES.table is not None
    assert table_csv(MATRICES.table) == 'matrix,non-zeros\na<b,48\nc,"1,000"\n'
