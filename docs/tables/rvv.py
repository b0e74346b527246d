"""Tables of docs/papers/hism-on-rvv.md: sparse products on RISC-V Vector."""

from __future__ import annotations

from docs.tables.markdown import table
from experiments.rvv.cases import CLASSIC, CLASSIC_PROGRAMS, LENGTHS, MATRICES
from experiments.rvv.recorded_cycles import recorded
from experiments.rvv.results import TITLES, best_standard, conclusions, over_standard, recorded_means
from programs.rvv.sparse.arrays import FORMATS


def answers() -> str:
    """Return the conclusions."""
    return "\n".join(f"- {each}" for each in conclusions())


def of_vs2003() -> str:
    """Return the means on the machine with the numbers of vs2003."""
    return _products("vs2003")


def of_x280() -> str:
    """Return the means on the machine with the numbers of x280."""
    return _products("x280")


def of_vs2003_alone() -> str:
    """Return the means on the machine with the numbers of vs2003 without groups."""
    return _products("vs2003", groups=False)


def of_classic() -> str:
    """Return the means of the classic programs."""
    of = recorded_means()
    heads = ("section", *(TITLES[program] for program in CLASSIC_PROGRAMS))
    rows = [
        (f"{vlen // 32:,}", *(f"{of[CLASSIC, program, vlen].cycles:.2f}" for program in CLASSIC_PROGRAMS))
        for vlen in LENGTHS
    ]
    return table(heads, rows)


def matrices() -> str:
    """Return the matrices with their non-zeros."""
    counts = {each.matrix: each.nnz for each in recorded()}
    return ", ".join(f"{name} ({counts[name]:,})" for name in MATRICES if name in counts)


def _products(machine: str, *, groups: bool = True) -> str:
    of = recorded_means(groups=groups)
    heads = ("VLEN", *(TITLES[product] for product in FORMATS), "HiSM, times as fast as")
    rows = []
    for vlen in LENGTHS:
        cells = [of[machine, product, vlen] for product in FORMATS]
        best = f"{over_standard(of, machine, vlen):.2f} ({TITLES[best_standard(of, machine, vlen)]})"
        rows.append((f"{vlen:,}", *(f"{each.cycles:.2f} (m{each.lmul})" for each in cells), best))
    return table(heads, rows)
