"""What the paper says that nothing here can decide, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.papers.layouts.printed import TABLES
from experiments.report.item import Verdict

ONE_GPU = "one GPU was measured"

_OF_FIGURES = {
    "float32": {
        "Slices need 16 or 32 rows for coalescing (4.1)": "no other heights were measured",
        "Loads past coherent caches, and of aligned vectors, are faster (4.2)": "no kernel without them was "
        "measured",
        "No major library supports quaternionic matrices (2.1)": "cuSPARSE, which does not, is the only "
        "library that was looked at",
        "Compilation for one sparsity pattern gains more (6)": "not built",
        "Measuring all variants is very expensive (6.2)": "our search leaves out what a model rules out",
        "Sums of vectors and dot products need tuning less (6.2)": "not tuned",
    },
    "float64": {
        "Complex matrices in float64 are 1 to 1.5 times as fast as with cuSPARSE on the Quadro K2000 (5.1)": (
            ONE_GPU
        ),
    },
}


def of_figure(dtype: str) -> Iterator[Verdict]:
    """Yield what the text says of Figure 1 (float32) or 5 and of what has no figure."""
    for claim, reason in _OF_FIGURES[dtype].items():
        yield Verdict(claim, None, reason)


def of_gpus(claim: str, words: str, holds: Callable[[float, float, float], bool], *tables: int) -> Verdict:
    """Return what the text says of gains on its GPUs, with what its own tables say of it.

    Parameters
    ----------
    claim, words
        What it says, and the same in the fewest words.
    holds
        Judges the gains of a matrix, in the order of `printed.GPUS`.
    tables
        Numbers of the tables that it is about; all if none.
    """
    rows = [
        tuple(float(cell.speedup) for cell in of_matrix)
        for table in TABLES
        if not tables or table.number in tables
        for of_matrix in table.matrices.values()
    ]
    there = sum(holds(*row) for row in rows)
    return Verdict(claim, None, f"{ONE_GPU}; in the paper's tables {words} on {there} of {len(rows)}")
