"""The HiSparse paper, and what makes its tables and figures."""

from typing import Literal

from experiments.papers.kit.experiment import Experiment, Paper

KIND: Literal["vecsim reproduce hisparse"] = "vecsim reproduce hisparse"
"""What files of its results say they are."""
ITEMS = "experiments.papers.hisparse.items"

PAPER = Paper(
    "hisparse",
    "A. Derler, R. Zayer, H.-P. Seidel, M. Steinberger: Dynamic Scheduling for Efficient Hierarchical Sparse "
    "Matrix Operations on the GPU, ICS 2017.",
    (
        Experiment(
            "hisparse-fig2",
            "Figure 2",
            "bytes a non-zero against COO and CSR, by the formulas and of real trees",
            f"{ITEMS}:figure2",
        ),
        Experiment("hisparse-fig4", "Figure 4", "matrices, their nodes and leaves", f"{ITEMS}:figure4"),
        Experiment(
            "hisparse-fig5", "Figure 5", "GFLOPS of the product, direct and transposed", f"{ITEMS}:figure5"
        ),
        Experiment("hisparse-table1", "Table 1", "mean times of both products", f"{ITEMS}:table1"),
        Experiment("hisparse-fig6", "Figure 6", "GFLOPS of sums, direct and transposed", f"{ITEMS}:figure6"),
        Experiment("hisparse-table2", "Table 2", "mean times of sums", f"{ITEMS}:table2"),
    ),
    f"{ITEMS}:appendices",
    KIND,
    f"{ITEMS}:remarks",
)
