"""A small report with everything that a report can hold."""

from experiments.report.comparison import Comparison
from experiments.report.item import Appendix, BarChart, Item, Panel, Part, Report, Table, Verdict

ROWS = (
    Comparison("A vs B", "all", "2.0", 2.1, "12 matrices"),
    Comparison("A vs B", "large", "4", 3.0, "3 matrices"),
    Comparison("A vs C", "all", "1.003", 1.0031, "12 matrices"),
    Comparison("A vs C", "large", "0.5", None, "none available"),
    Comparison("A vs B, otherwise", "all", "", 1234.5),
)
CHART = BarChart(
    "Bars <of> & things",
    "cycles",
    (Panel("", ("first\n48", "second"), {"paper": (1.0, 2.0), "ours": (1.5, None)}),),
    description='Bars "described"',
    reference=1.0,
    separators=(1,),
)
ITEM = Item(
    "tiny-table1",
    "Table 1: A | B",
    "What A & B < C do.",
    ROWS,
    CHART,
    (
        Verdict("A is faster", True, "2.1"),
        Verdict("C | D are slower", False, "x"),
        Verdict("E is", None, "-"),
    ),
    ("Read it so.",),
    ("The fourth is missing.",),
)
BARE = Item(
    "tiny-fig1", "Figure 1", "No chart.", (Comparison("m", "crs", "", 0.5),), faults=("crs on m: wrong",)
)
MATRICES = Appendix(
    "tiny-matrices",
    "Matrices",
    ("Two of them.",),
    Table(("matrix", "non-zeros"), (("a<b", "48"), ("c", "1,000")), frozenset({"non-zeros"})),
)
MACHINE = Appendix("", "The machine", listing='name = "tiny"\n')
PART = Part("tiny", "A. Author: A paper.", (ITEM, BARE), stand_ins="1 of 2 matrices")
REPORT = Report("A report", (PART,), (MATRICES, MACHINE))
