"""The paper on layouts of compound entries, and what makes its tables and figures."""

from typing import Literal

from experiments.papers.kit.experiment import Experiment, Paper

KIND: Literal["vecsim reproduce layouts"] = "vecsim reproduce layouts"
"""What files of its results say they are."""
ITEMS = "experiments.papers.layouts.items"

PAPER = Paper(
    "layouts",
    "J. S. Mueller-Roemer, A. Stork, D. W. Fellner: Joint Schedule and Layout Autotuning for Sparse Matrices "
    "with Compound Entries on GPUs, VMV 2019.",
    (
        Experiment("layouts-fig1", "Figure 1", "speed-ups over cuSPARSE, float32", f"{ITEMS}:figure1"),
        Experiment("layouts-fig3", "Figure 3", "entries of rows", f"{ITEMS}:figure3"),
        Experiment("layouts-fig4", "Figure 4", "bandwidths of rows", f"{ITEMS}:figure4"),
        Experiment("layouts-fig5", "Figure 5", "speed-ups over cuSPARSE, float64", f"{ITEMS}:figure5"),
        Experiment(
            "layouts-table1", "Table 1", "best layouts of complex entries, float32", f"{ITEMS}:table1"
        ),
        Experiment(
            "layouts-table2", "Table 2", "best layouts of complex entries, float64", f"{ITEMS}:table2"
        ),
        Experiment(
            "layouts-table3", "Table 3", "best layouts of quaternion entries, float32", f"{ITEMS}:table3"
        ),
        Experiment(
            "layouts-table4", "Table 4", "best layouts of quaternion entries, float64", f"{ITEMS}:table4"
        ),
        Experiment(
            "layouts-table5", "Table 5", "best layouts of 3 x 3 block entries, float32", f"{ITEMS}:table5"
        ),
        Experiment(
            "layouts-table6", "Table 6", "best layouts of 3 x 3 block entries, float64", f"{ITEMS}:table6"
        ),
    ),
    f"{ITEMS}:appendices",
    KIND,
    f"{ITEMS}:remarks",
)
