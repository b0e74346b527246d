"""``python -m experiments.whatif.which_format``: print what the study's page shows, of recorded tables.

With a folder the study is run again, and its tables and its picture are written there.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from experiments.made_by import made_by, make_folder
from experiments.report.charts import draw as picture_of
from experiments.whatif.which_format.machines import MATRICES, cycles_on, draw
from experiments.whatif.which_format.results import chart, made, tables, written
from experiments.whatif.which_format.section import section
from vecsim.results.atomic_files import write_file
from vecsim.results.provenance import of_command
from vecsim.support.errors import UserError

COMMAND = ("python", "-m", "experiments.whatif.which_format")


def run(folder: Path) -> None:
    """Time the machines and write tables and picture.

    Raises
    ------
    UserError
        A program cannot be recorded, or the folder cannot be written.
    """
    make_folder(folder)
    made_by()  # of the code as it is now, not minutes later
    begun, places, cycles = time.process_time(), draw(), {}
    for matrix in MATRICES:
        print(f"{matrix}: {len(places):,} machines", flush=True)
        cycles[matrix] = cycles_on(matrix, places)
    results = tables(cycles, places)
    results["provenance"] = made(places, time.process_time() - begun)
    for name, rows in results.items():
        write_file(folder / f"which-format-{name}.csv", written(rows).encode())
    head, *others = results["wins"]
    named = [dict(zip(head, row, strict=True)) for row in others]
    write_file(folder / "study-which-format.png", picture_of(chart(named)).png)


def main() -> None:
    """Print the section, or run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    chosen = parser.parse_args()
    if chosen.folder:
        try:
            with of_command((*COMMAND, str(chosen.folder))):
                run(chosen.folder)
        except UserError as error:
            parser.exit(2, f"error: {error}\n")
    else:
        print(section(), end="")


if __name__ == "__main__":
    main()
