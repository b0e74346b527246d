"""Sparse formats: frozen records of NumPy arrays, made from and turned into SciPy matrices.

Each knows its product, its invariants, its memory image and its storage; `FORMATS` names them all.
"""

from .bbcs import BBCS
from .crs import CRS
from .hism import HiSM
from .image import Image, Layout
from .jd import JD
from .level import Level
from .section import MAX_SECTION_SIZE, MIN_SECTION_SIZE, section_bits
from .storage import ACCOUNTINGS

# Every format by the name the command line, the programs and the reports use.
FORMATS: dict[str, type[CRS] | type[JD] | type[BBCS] | type[HiSM]] = {
    "crs": CRS,
    "jd": JD,
    "bbcs": BBCS,
    "hism": HiSM,
}

__all__ = [
    "ACCOUNTINGS",
    "BBCS",
    "CRS",
    "FORMATS",
    "JD",
    "MAX_SECTION_SIZE",
    "MIN_SECTION_SIZE",
    "HiSM",
    "Image",
    "Layout",
    "Level",
    "section_bits",
]
