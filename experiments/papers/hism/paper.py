"""The HiSM paper, and what makes its tables and figures."""

from experiments.papers.kit.experiment import Experiment, Paper

HERE = "experiments.papers.hism"


def _table(number: int, shows: str) -> Experiment:
    made_by = f"{HERE}.format_tables:make"
    return Experiment(f"hism-table{number}", f"Table {number}", shows, made_by, arguments=(number,))


def _figure(number: int, shows: str) -> Experiment:
    made_by = f"{HERE}.figures:make"
    return Experiment(
        f"hism-fig{number}", f"Figure {number}", shows, made_by, simulates=True, arguments=(number,)
    )


PAPER = Paper(
    "hism",
    "P. Stathis, S. Vassiliadis, S. Cotofana: A Hierarchical Sparse Matrix Storage Format for Vector "
    "Processors, IPDPS 2003.",
    (
        Experiment("hism-fig1", "Figure 1", "the format of an example, as a picture", f"{HERE}.figure1:make"),
        Experiment(
            "hism-setup", "Section 3.1.1", "the machine and the suite, as stated", f"{HERE}.setup:make"
        ),
        _table(1, "storage of HiSM against JD, CRS and BBCS"),
        Experiment(
            "hism-table2",
            "Table 2",
            "cycles of the products, averaged over groups",
            f"{HERE}.table2:make",
            simulates=True,
        ),
        Experiment(
            "hism-unseen",
            "Table 2, out of sample",
            "the same averages on matrices outside the suite",
            f"{HERE}.unseen:make",
            simulates=True,
        ),
        _table(3, "steps to insert an element"),
        _figure(2, "cycles of ten matrices of growing size"),
        _figure(3, "cycles of ten matrices with ever more non-zeros a row"),
        _figure(4, "cycles of ten matrices of growing locality"),
    ),
    f"{HERE}.appendices:make",
    remarks_maker=f"{HERE}.appendices:remarks",
    stand_in_matrices=f"{HERE}.appendices:stand_in_matrices",
)
