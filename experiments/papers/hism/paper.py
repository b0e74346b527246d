"""The HiSM paper, and what makes its tables and figures."""

from experiments.papers.kit.experiment import Experiment, Paper

PAPER = Paper(
    "hism",
    "P. Stathis, S. Vassiliadis, S. Cotofana: A Hierarchical Sparse Matrix Storage Format for Vector "
    "Processors, IPDPS 2003.",
    (
        Experiment(
            "hism-table1",
            "Table 1",
            "storage of HiSM against JD, CRS and BBCS",
            "experiments.papers.hism.format_tables:make_table1",
        ),
        Experiment(
            "hism-table2",
            "Table 2",
            "cycles of the products, averaged over groups",
            "experiments.papers.hism.table2:make",
            simulates=True,
        ),
        Experiment(
            "hism-table3",
            "Table 3",
            "steps to insert an element",
            "experiments.papers.hism.format_tables:make_table3",
        ),
        Experiment(
            "hism-fig2",
            "Figure 2",
            "cycles of ten matrices of growing size",
            "experiments.papers.hism.figures:make_figure2",
            simulates=True,
        ),
        Experiment(
            "hism-fig3",
            "Figure 3",
            "cycles of ten matrices with ever more non-zeros a row",
            "experiments.papers.hism.figures:make_figure3",
            simulates=True,
        ),
        Experiment(
            "hism-fig4",
            "Figure 4",
            "cycles of ten matrices of growing locality",
            "experiments.papers.hism.figures:make_figure4",
            simulates=True,
        ),
    ),
    "experiments.papers.hism.appendices:make",
    remarks_maker="experiments.papers.hism.appendices:remarks",
)
