"""Make the pictures of papers again, as ``paper-ITEM.png`` next to this file: what `vecsim reproduce` draws.

    python -m docs.pictures.make_papers                 # all of them
    python -m docs.pictures.make_papers hism-fig2       # some

Those of the HiSM paper are simulated, which takes a minute. Those of papers on GPUs are plotted from the
results that come with the package. Without the matrix files (docs/matrices.md) pictures have gaps.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from vecsim.cli import main as vecsim

HERE = Path(__file__).parent
ITEMS = (
    "hism-fig2",
    "hism-fig3",
    "hism-fig4",
    "hism-table2",
    "pellr-fig6",
    "pellr-fig8",
    "hisparse-fig2",
    "hisparse-fig5",
    "layouts-fig1",
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for item in sys.argv[1:] or ITEMS:
            if vecsim(["reproduce", item, "--out", folder]):
                raise SystemExit(f"{item}: it could not be made")
            with Image.open(Path(folder) / f"{item}.png") as picture:
                picture.convert("RGB").quantize(64).save(HERE / f"paper-{item}.png", optimize=True)
