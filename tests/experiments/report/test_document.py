"""Items as plain data, and back."""

import json

from report_cases import BARE, ITEM

from experiments.report.comparison import Comparison
from experiments.report.document import items_of, of_items
from experiments.report.item import Item
from experiments.report.tally import tally


def test_what_is_counted_comes_back():
    rows = (
        Comparison("a", "q", "42", 45.0, measure="share", without_one=(44.0, 46.0)),
        Comparison("b", "q", "2.50", None, kind="decoded", implied=True),
    )
    items = (ITEM, BARE, Item("share", "S", "", rows))
    document = json.loads(json.dumps(of_items(items)))
    again = items_of(document)
    assert [each.rows for each in again] == [each.rows for each in items]
    assert [each.verdicts for each in again] == [each.verdicts for each in items]
    assert tally(again) == tally(items)
    assert [each.gaps + each.faults for each in again] == [each.gaps + each.faults for each in items]
    assert document[-1]["rows"][0]["outcome"] == "confirmed"
