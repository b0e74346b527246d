"""Sparse formats: frozen records of NumPy arrays, made from and turned into SciPy matrices.

Each knows its product, its invariants and its storage. `FORMATS` names those with a memory image for the
simulated machine, `GPU_FORMATS` those made for GPUs.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from vecsim.formats.bbcs.container import BBCS
from vecsim.formats.biell.container import BiELL
from vecsim.formats.coo import COO
from vecsim.formats.crs.container import CRS
from vecsim.formats.hism.container import HiSM
from vecsim.formats.hism.level import Level
from vecsim.formats.hyb.container import HYB
from vecsim.formats.image import Image, Layout
from vecsim.formats.jd.container import JD
from vecsim.formats.mixed_sliced.container import MixedSliced
from vecsim.formats.mixed_sliced.slicing import MIXED_SLICINGS, MixedSlicing
from vecsim.formats.representable import NotRepresentableError
from vecsim.formats.section import MAX_SECTION_SIZE, MIN_SECTION_SIZE, section_bits
from vecsim.formats.sliced.container import Sliced
from vecsim.formats.sliced.slicing import BLOCK_SLICINGS, SLICINGS, Slicing
from vecsim.formats.sliced_deltas.container import SlicedDeltas
from vecsim.formats.sliced_diagonals.container import SlicedDiagonals
from vecsim.formats.storage import ACCOUNTINGS

# Every format with a memory image, by the name the command line, the programs and the reports use.
FORMATS: dict[str, type[CRS] | type[JD] | type[BBCS] | type[HiSM]] = {
    "crs": CRS,
    "jd": JD,
    "bbcs": BBCS,
    "hism": HiSM,
}

# The formats made for GPUs, which have no memory image for the simulated machine: how each is converted.
GPU_FORMATS: dict[
    str, Callable[[Any], COO | Sliced | MixedSliced | SlicedDeltas | SlicedDiagonals | HYB | BiELL]
] = {
    "coo": COO.from_scipy,
    "sliced-deltas": SlicedDeltas.from_scipy,
    "sliced-diagonals": SlicedDiagonals.from_scipy,
    "hyb": HYB.from_scipy,
    "hyb-third": partial(HYB.from_scipy, split="third"),
    "hyb-mean": partial(HYB.from_scipy, split="mean"),
    **{name: partial(MixedSliced.from_scipy, slicing=slicing) for name, slicing in MIXED_SLICINGS.items()},
    "biell": BiELL.from_scipy,
    "bijad": partial(BiELL.from_scipy, sorted_globally=True),
    **{
        name: partial(Sliced.from_scipy, slicing=slicing)
        for name, slicing in (SLICINGS | BLOCK_SLICINGS).items()
    },
}

__all__ = [
    "ACCOUNTINGS",
    "BBCS",
    "BLOCK_SLICINGS",
    "COO",
    "CRS",
    "FORMATS",
    "GPU_FORMATS",
    "HYB",
    "JD",
    "MAX_SECTION_SIZE",
    "MIN_SECTION_SIZE",
    "MIXED_SLICINGS",
    "SLICINGS",
    "BiELL",
    "HiSM",
    "Image",
    "Layout",
    "Level",
    "MixedSliced",
    "MixedSlicing",
    "NotRepresentableError",
    "Sliced",
    "SlicedDeltas",
    "SlicedDiagonals",
    "Slicing",
    "section_bits",
]
