"""Sparse formats: frozen records of NumPy arrays, made from and turned into SciPy matrices.

Each knows its product, its invariants and its storage, as `vecsim.formats.protocol.Format` says; some have a
memory image for the simulated machine, and some take up single elements. `MACHINE_FORMATS` names
them and says what each can do; `gpu.format_registry` has these and the formats that only GPUs use.
"""

from vecsim.formats.bbcs.container import BBCS
from vecsim.formats.crs.container import CRS
from vecsim.formats.hism.container import HiSM
from vecsim.formats.hism.level import Level
from vecsim.formats.image import Image, Layout
from vecsim.formats.jd.container import JD
from vecsim.formats.protocol import Format, FormatWithImage, FormatWithInsertion
from vecsim.formats.registry import MACHINE_FORMATS, NamedFormat
from vecsim.formats.representable import NotRepresentableError
from vecsim.formats.section_size import (
    DEFAULT_SECTION_SIZE,
    MAX_SECTION_SIZE,
    MIN_SECTION_SIZE,
    section_bits,
)
from vecsim.formats.storage import ACCOUNTINGS

__all__ = [
    "ACCOUNTINGS",
    "BBCS",
    "CRS",
    "DEFAULT_SECTION_SIZE",
    "JD",
    "MACHINE_FORMATS",
    "MAX_SECTION_SIZE",
    "MIN_SECTION_SIZE",
    "Format",
    "FormatWithImage",
    "FormatWithInsertion",
    "HiSM",
    "Image",
    "Layout",
    "Level",
    "NamedFormat",
    "NotRepresentableError",
    "section_bits",
]
