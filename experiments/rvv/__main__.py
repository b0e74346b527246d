"""``python -m experiments.rvv [MATRIX ...]``: measure the study again and write its recorded cycles."""

from __future__ import annotations

import argparse

from experiments.rvv.cases import MATRICES, measured
from experiments.rvv.recorded_cycles import recorded, write


def main() -> None:
    """Measure matrices, all by default, and replace what is recorded of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matrix", nargs="*", default=MATRICES)
    names = parser.parse_args().matrix
    kept = [each for each in recorded() if each.matrix not in names]
    for name in names:
        kept += measured(name)
        write(kept)
        print(name)


if __name__ == "__main__":
    main()
