"""Runs the what-if studies and takes their pictures for the documentation.

    python docs/pictures/make_studies.py           # all
    python docs/pictures/make_studies.py memory    # some

What they gave is written into experiments/whatif/recorded, too; the sentences of docs/studies.md, which are
made of it, are printed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from experiments.whatif.explain.cells import read_cells
from experiments.whatif.studies import RECORDED, STUDIES, conclusions, summary, written
from vecsim.cli import main as vecsim

HERE = Path(__file__).parent
HOME = HERE.parents[1] / "experiments" / "whatif" / RECORDED
SHOWN = {
    "section-size": ("section_size", "front"),
    "memory": ("what-matters", "addresses_per_cycle"),
    "sparse-unit": ("what-matters", "crossings"),
    "renaming": ("physical_vector_registers-schedule",),
}
"""Which pictures of each study are shown: the names of their files without ``sweep-``."""


def picture(study: str, name: str) -> str:
    """Name the file of a picture of a study."""
    return f"study-{study}-{name}.png"


def make(study: str) -> dict[Path, bytes]:
    """Run a study; return the files of what it gave and of its pictures, and print the sentences."""
    with tempfile.TemporaryDirectory() as folder:
        if vecsim(["sweep", study, "--out", folder, "--explain"]):
            raise SystemExit(f"{study}: it did not work")
        means = summary(study, read_cells(Path(folder)))
        files = {HOME / f"{study}.csv": written(means).encode()}
        for name in SHOWN[study]:
            files[HERE / picture(study, name)] = Path(folder, f"sweep-{name}.png").read_bytes()
    for sentence in conclusions(study, means):
        print(f"- {sentence}")
    return files


if __name__ == "__main__":
    results = [make(chosen) for chosen in sys.argv[1:] or STUDIES]
    # At the end: vecsim refuses to go on when a file of its package changes.
    for path, content in (pair for files in results for pair in files.items()):
        path.write_bytes(content)
