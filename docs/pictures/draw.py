"""Draw the pictures of the documentation that are SVG, from real matrices and runs.

python -m docs.pictures.draw                # all of them
python -m docs.pictures.draw format-crs     # some
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from docs.pictures.draw_formats import FIELDS, draw_format, draw_matrix
from docs.pictures.draw_hierarchy import draw_hierarchy
from docs.pictures.draw_runs import draw_banks, draw_bmipa, draw_chaining, draw_programs

HERE = Path(__file__).parent
SHORT: dict[str, Callable[[], str]] = {
    "format-matrix": draw_matrix,
    **{f"format-{name}": partial(draw_format, name) for name in FIELDS},
    "hism-hierarchy": draw_hierarchy,
    "bank-conflict": draw_banks,
    "chaining": draw_chaining,
    "bmipa": draw_bmipa,
}
"""Pictures that take less than a second each."""
PICTURES = SHORT | {"five-programs": draw_programs}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        (HERE / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8")
