"""The formats with a product on the GPU: how each is made, and what puts it on the device."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from vecsim.formats import (
    BBCS,
    BLOCK_SLICINGS,
    COO,
    CRS,
    GPU_FORMATS,
    HYB,
    JD,
    MIXED_SLICINGS,
    SLICINGS,
    BiELL,
    HiSM,
    MixedSliced,
    Sliced,
    SlicedDeltas,
    SlicedDiagonals,
    deltas,
    diagonals,
)
from vecsim.formats.structure import Structure, Work

from . import works
from .bbcs import BBCSProduct
from .biell import BiELLProduct
from .coo import COOProduct
from .crs import CRSProduct
from .crs_adaptive import CRSAdaptiveProduct, crs_adaptive_work
from .cuda import WARP
from .deltas import DeltaProduct
from .device_matrix import Product
from .diagonals import DiagonalProduct
from .ellpack_r import EllpackRProduct
from .hism import HiSMProduct
from .hyb import HYBProduct
from .jd import JDProduct
from .mixed_sliced import MixedSlicedProduct
from .sliced import SlicedProduct

# Entries of a piece, where long rows of CRS are cut.
ROW_CAP = 512
# Columns of a block in the formats of the vector machine, as in its presets.
SECTION_SIZE = 64


@dataclass(frozen=True)
class Kernel:
    """A format on the GPU.

    Attributes
    ----------
    convert
        Makes the host format of a SciPy sparse matrix.
    product
        Puts the host format on the device, for blocks of so many threads.
    deterministic
        Whether results are equal to the last bit from run to run.
    work
        What a product does, counted from the pattern of the matrix without converting it (`gpu.works`); it
        gives None where the format cannot hold the matrix. `auto` takes formats that have it.
    """

    convert: Callable[[Any], Any]
    product: Callable[[Any, int], Product]
    deterministic: bool = True
    work: Callable[[Structure], Work | None] | None = None


# What goes to the device at once need not be copied before.
_CRS, _COO = partial(CRS.from_scipy, copy=False), partial(COO.from_scipy, copy=False)

KERNELS: dict[str, Kernel] = {
    "crs": Kernel(_CRS, CRSProduct, work=works.crs),
    "crs-scalar": Kernel(_CRS, partial(CRSProduct, lanes=1), work=partial(works.crs, lanes=1)),
    "crs-split": Kernel(_CRS, partial(CRSProduct, row_cap=ROW_CAP), work=partial(works.crs, row_cap=ROW_CAP)),
    "crs-adaptive": Kernel(_CRS, CRSAdaptiveProduct, work=crs_adaptive_work),
    # The vector kernel of the early GPUs: half a warp a row, whatever its length.
    "crs-half-warp": Kernel(_CRS, partial(CRSProduct, lanes=WARP // 2)),
    "coo": Kernel(_COO, COOProduct, work=works.coo),
    **{name: Kernel(GPU_FORMATS[name], HYBProduct) for name in ("hyb", "hyb-third", "hyb-mean")},
    **{name: Kernel(GPU_FORMATS[name], BiELLProduct) for name in ("biell", "bijad")},
    **{
        name: Kernel(
            GPU_FORMATS[name],
            EllpackRProduct if slicing.row_lengths else SlicedProduct,
            work=partial(works.sliced, slicing=slicing),
        )
        for name, slicing in SLICINGS.items()
    },
    # The same arrays as those of pellr, taken in another order.
    "pellr-near": Kernel(GPU_FORMATS["pellr"], partial(EllpackRProduct, near=True)),
    **{
        name: Kernel(GPU_FORMATS[name], SlicedProduct, work=partial(works.blocks, slicing=slicing))
        for name, slicing in BLOCK_SLICINGS.items()
    },
    "sliced-deltas": Kernel(SlicedDeltas.from_scipy, DeltaProduct, work=works.on_a_sample(deltas.work)),
    "sliced-diagonals": Kernel(
        SlicedDiagonals.from_scipy, DiagonalProduct, work=works.on_a_sample(diagonals.work)
    ),
    **{
        name: Kernel(GPU_FORMATS[name], MixedSlicedProduct, work=partial(works.mixed, slicing=slicing))
        for name, slicing in MIXED_SLICINGS.items()
    },
    "jd": Kernel(JD.from_scipy, JDProduct),
    "bbcs": Kernel(partial(BBCS.from_scipy, section_size=SECTION_SIZE), BBCSProduct),
    "hism": Kernel(partial(HiSM.from_scipy, section_size=SECTION_SIZE), HiSMProduct),
}
"""By the name that `gpu.prepare` takes."""

ALIASES = {"csr": "crs", "csr-scalar": "crs-scalar", "csr-split": "crs-split", "jad": "jd"}
"""Other names of them."""

HOSTS: dict[type, str] = {
    CRS: "crs",
    COO: "coo",
    Sliced: "sliced-ell",
    MixedSliced: "sell-near",
    JD: "jd",
    BBCS: "bbcs",
    HiSM: "hism",
    HYB: "hyb",
    BiELL: "biell",
    SlicedDeltas: "sliced-deltas",
    SlicedDiagonals: "sliced-diagonals",
}
"""Host formats that `gpu.prepare` takes as they are, and the name of a format with their product."""
