"""Storage of real matrices against Table 1 of the HiSM paper, where the files are at hand."""

import math
import os
from pathlib import Path

import pytest
import scipy.io

from vecsim.formats import BBCS, HiSM

FOLDER = Path(os.environ.get("VECSIM_MATRICES", Path(__file__).parents[3] / "shared" / "matrices"))

# Matrix, non-zeros, non-empty 64 x 64 blocks, storage against BBCS as printed (truncated).
ROWS = [
    ("gre_185", 1005, 7, 1.006),
    ("memplus", 126150, 2078, 1.016),
    ("fs_183_3", 1069, 9, 1.008),
    ("mbeause", 41063, 64, 1.001),
    ("tols90", 1746, 4, 1.002),
]


@pytest.mark.parametrize(("name", "nnz", "blocks", "ratio"), ROWS)
def test_storage_against_bbcs(name, nnz, blocks, ratio):
    path = FOLDER / f"{name}.mtx.gz"
    if not path.exists():
        pytest.skip(f"{path} is not at hand")
    matrix = scipy.io.mmread(path)
    hism = HiSM.from_scipy(matrix, section_size=64)
    bbcs = BBCS.from_scipy(matrix, section_size=64)
    assert hism.nnz == nnz
    assert hism.level_arrays[0] == blocks
    computed = hism.storage("paper") / bbcs.storage("paper")
    assert math.floor(computed * 1000) / 1000 == ratio
