"""Which forms of cuSPARSE the products of each kind of entry are compared with."""

from __future__ import annotations

from experiments.papers.layouts.results import REAL

BASELINES = {
    "complex": {"the best of cuSPARSE": ""},
    "quaternion": {
        "BSR 4 x 4, the paper's baseline": "BSR 4 x 4",
        "complex BSR 2 x 2": "complex BSR 2 x 2",
        "four real products": "Hamilton",
    },
    "3 x 3 block": {
        "BSR 3 x 3, the paper's baseline": "BSR 3 x 3",
        "the best of cuSPARSE": "",
        "this project's real products": REAL,
    },
}
"""By entry type: words in the names of forms. The fastest form counts; the first baseline is the paper's."""
