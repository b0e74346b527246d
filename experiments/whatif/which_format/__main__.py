"""``python -m experiments.whatif.which_format``: print what the study's page shows, of recorded tables.

With a folder the study is run again, and its tables and its picture are written there.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from experiments.made_by import made_by
from experiments.report.charts import draw as picture_of
from experiments.whatif.which_format.machines import MATRICES, cycles_on, draw
from experiments.whatif.which_format.results import chart, made, tables, written
from experiments.whatif.which_format.section import section
from vecsim.results.provenance import of_command

COMMAND = ("python", "-m", "experiments.whatif.which_format")


def run(folder: Path) -> None:
    """Time the machines and write tables and picture.

    Raises
    ------
    UserError
        A program cannot be recorded.
    """
    made_by()  # of the code as it is now, not minutes later
    begun, places, cycles = time.process_time(), draw(), {}
    for matrix in MATRICES:
        print(f"{matrix}: {len(places):,} machines", flush=True)
        cycles[matrix] = cycles_on(matrix, places)
    folder.mkdir(parents=True, exist_ok=True)
    results = tables(cycles, places)
    results["provenance"] = made(places, time.process_time() - begun)
    for name, rows in results.items():
        (folder / f"which-format-{name}.csv").write_text(written(rows), encoding="utf-8")
    head, *others = results["wins"]
    named = [dict(zip(head, row, strict=True)) for row in others]
    (folder / "study-which-format.png").write_bytes(picture_of(chart(named)).png)


def main() -> None:
    """Print the section, or run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    chosen = parser.parse_args()
    if chosen.folder:
        with of_command((*COMMAND, str(chosen.folder))):
            run(chosen.folder)
    else:
        print(section(), end="")


if __name__ == "__main__":
    main()
