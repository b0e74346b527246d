"""Sparse formats: frozen records of NumPy arrays, made from and turned into SciPy matrices.

Each knows its product, its invariants and its storage. `FORMATS` names those with a memory image for the
simulated machine, `GPU_FORMATS` those made for GPUs.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from .bbcs import BBCS
from .coo import COO
from .crs import CRS
from .hism import HiSM
from .image import Image, Layout
from .jd import JD
from .level import Level
from .section import MAX_SECTION_SIZE, MIN_SECTION_SIZE, section_bits
from .sliced import NotRepresentableError, Sliced
from .slicing import SLICINGS, Slicing
from .storage import ACCOUNTINGS

# Every format with a memory image, by the name the command line, the programs and the reports use.
FORMATS: dict[str, type[CRS] | type[JD] | type[BBCS] | type[HiSM]] = {
    "crs": CRS,
    "jd": JD,
    "bbcs": BBCS,
    "hism": HiSM,
}

# The formats made for GPUs, which have no memory image for the simulated machine: how each is converted.
GPU_FORMATS: dict[str, Callable[[Any], COO | Sliced]] = {
    "coo": COO.from_scipy,
    **{name: partial(Sliced.from_scipy, slicing=slicing) for name, slicing in SLICINGS.items()},
}

__all__ = [
    "ACCOUNTINGS",
    "BBCS",
    "COO",
    "CRS",
    "FORMATS",
    "GPU_FORMATS",
    "JD",
    "MAX_SECTION_SIZE",
    "MIN_SECTION_SIZE",
    "SLICINGS",
    "HiSM",
    "Image",
    "Layout",
    "Level",
    "NotRepresentableError",
    "Sliced",
    "Slicing",
    "section_bits",
]
