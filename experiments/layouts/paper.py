"""The paper on layouts of compound entries, and what makes its tables and figures."""

from typing import Literal

from experiments.layouts.printed import TABLES
from experiments.paper import Experiment, Paper

KIND: Literal["vecsim reproduce layouts"] = "vecsim reproduce layouts"
"""What files of its results say they are."""
ITEMS = "experiments.layouts.items"

PAPER = Paper(
    "layouts",
    "J. S. Mueller-Roemer, A. Stork, D. W. Fellner: Joint Schedule and Layout Autotuning for Sparse Matrices "
    "with Compound Entries on GPUs, VMV 2019.",
    (
        Experiment("layouts-fig1", "Figure 1", "speed-ups over cuSPARSE, float32", f"{ITEMS}:figure1"),
        Experiment("layouts-fig3", "Figure 3", "entries of rows", f"{ITEMS}:figure3"),
        Experiment("layouts-fig4", "Figure 4", "bandwidths of rows", f"{ITEMS}:figure4"),
        Experiment("layouts-fig5", "Figure 5", "speed-ups over cuSPARSE, float64", f"{ITEMS}:figure5"),
        *(
            Experiment(
                f"layouts-table{each.number}",
                f"Table {each.number}",
                f"best layouts of {each.entry} entries, {each.dtype}",
                f"{ITEMS}:table{each.number}",
            )
            for each in TABLES
        ),
    ),
    f"{ITEMS}:appendices",
    KIND,
    f"{ITEMS}:remarks",
)
