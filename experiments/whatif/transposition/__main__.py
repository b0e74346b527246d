"""``python -m experiments.whatif.transposition [MATRIX ...]``: cycles of both transpositions as a table."""

from __future__ import annotations

import argparse
import math

from programs.transposition.measurement import transpose
from vecsim.data import load
from vecsim.machine import load_machine

MATRICES = (
    "bcspwr10", "bcsstk16", "bcsstk29", "bp_1600", "cavity14", "e20r0000", "fidap007", "jpwh_991",
    "lp_25fv47", "lshp3466", "mbeause", "mcfe", "memplus", "mhd1280b", "olm1000", "orani678",
    "orsreg_1", "pde2961", "s1rmq4m1", "west1505",
)  # fmt: skip
"""Of every kind: power networks, structures, circuits, flow, oil reservoirs, chemistry, economics."""


def row(name: str) -> tuple[str, int, float, int, int]:
    """Return a matrix' name, its entries, entries a block, and the cycles in HiSM and in CRS on vs2003."""
    matrix, machine = load(name).csr, load_machine("vs2003")
    s = machine.section_size
    coo = matrix.tocoo()
    blocks = len(set(zip((coo.row // s).tolist(), (coo.col // s).tolist(), strict=True)))
    cycles = [transpose(format, matrix, machine).run.cycles for format in ("hism", "crs")]
    return name, matrix.nnz, matrix.nnz / blocks, cycles[0], cycles[1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matrix", nargs="*", default=MATRICES)
    rows = [row(name) for name in parser.parse_args().matrix]
    print("| matrix | entries | entries a block | HiSM, cycles | an entry | CRS, cycles | an entry | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for name, entries, filled, hism, crs in rows:
        message = f"{hism:,} | {hism / entries:.2f} | {crs:,} | {crs / entries:.2f} | {crs / hism:.1f}"
        print(f"| {name} | {entries:,} | {filled:.1f} | {message} |")
    mean = math.exp(sum(math.log(crs / hism) for *_, hism, crs in rows) / len(rows))
    print(f"\nGeometric mean of the ratio: {mean:.1f}.")


if __name__ == "__main__":
    main()
