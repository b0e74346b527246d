"""``python -m experiments.whatif.which_format FOLDER``: run the study, write its tables and its picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.report.charts import draw as picture_of
from experiments.whatif.which_format.machines import MATRICES, cycles_on, draw
from experiments.whatif.which_format.results import chart, recorded, tables, written


def main() -> None:
    """Run the study; with ``--picture`` only draw what is recorded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--picture", action="store_true", help="draw the recorded tables only")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if not chosen.picture:
        places = draw()
        cycles = {}
        for matrix in MATRICES:
            print(f"{matrix}: {len(places):,} machines", flush=True)
            cycles[matrix] = cycles_on(matrix, places)
        for name, rows in tables(cycles, places).items():
            (chosen.folder / f"which-format-{name}.csv").write_text(written(rows), encoding="utf-8")
    else:
        (chosen.folder / "study-which-format.png").write_bytes(picture_of(chart(recorded("wins"))).png)


if __name__ == "__main__":
    main()
