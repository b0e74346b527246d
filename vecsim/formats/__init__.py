"""Sparse formats: frozen records of NumPy arrays, made from and turned into SciPy matrices.

Each knows its product, its invariants and its storage, as `vecsim.formats.protocol.Format` says; some have a
memory image for the simulated machine, and some take up single elements. `FORMATS` names them all and says
what each can do.
"""

from vecsim.formats.bbcs.container import BBCS
from vecsim.formats.biell.container import BiELL
from vecsim.formats.coo import COO
from vecsim.formats.crs.container import CRS
from vecsim.formats.hbp.active import ActiveHBP
from vecsim.formats.hbp.container import HBP
from vecsim.formats.hism.container import HiSM
from vecsim.formats.hism.level import Level
from vecsim.formats.hisparse.container import HiSparse
from vecsim.formats.hisparse.editor import Editor
from vecsim.formats.hisparse.sharing import SharedStorage, equal_nodes_shared
from vecsim.formats.hyb.container import HYB
from vecsim.formats.image import Image, Layout
from vecsim.formats.jd.container import JD
from vecsim.formats.mixed_sliced.container import MixedSliced
from vecsim.formats.mixed_sliced.slicing import MixedSlicing
from vecsim.formats.propagation.container import PropagationBlocks
from vecsim.formats.protocol import Format, FormatWithImage, FormatWithInsertion
from vecsim.formats.registry import FORMATS, NamedFormat, find, format_of
from vecsim.formats.representable import NotRepresentableError
from vecsim.formats.section_size import (
    DEFAULT_SECTION_SIZE,
    MAX_SECTION_SIZE,
    MIN_SECTION_SIZE,
    section_bits,
)
from vecsim.formats.segmented.container import SegmentedSliced
from vecsim.formats.sliced.container import Sliced
from vecsim.formats.sliced.slicing import Slicing
from vecsim.formats.sliced_deltas.container import SlicedDeltas
from vecsim.formats.sliced_diagonals.container import SlicedDiagonals
from vecsim.formats.storage import ACCOUNTINGS

__all__ = [
    "ACCOUNTINGS",
    "BBCS",
    "COO",
    "CRS",
    "DEFAULT_SECTION_SIZE",
    "FORMATS",
    "HBP",
    "HYB",
    "JD",
    "MAX_SECTION_SIZE",
    "MIN_SECTION_SIZE",
    "ActiveHBP",
    "BiELL",
    "Editor",
    "Format",
    "FormatWithImage",
    "FormatWithInsertion",
    "HiSM",
    "HiSparse",
    "Image",
    "Layout",
    "Level",
    "MixedSliced",
    "MixedSlicing",
    "NamedFormat",
    "NotRepresentableError",
    "PropagationBlocks",
    "SegmentedSliced",
    "SharedStorage",
    "Sliced",
    "SlicedDeltas",
    "SlicedDiagonals",
    "Slicing",
    "equal_nodes_shared",
    "find",
    "format_of",
    "section_bits",
]
