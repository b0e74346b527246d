"""The formats with a product on the GPU: how each is made, and what puts it on the device."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gpu.choice import work_counts
from gpu.choice.structure import Structure, Work
from gpu.device_matrix import Product
from gpu.formats.bbcs import BBCSProduct
from gpu.formats.biell import BiELLProduct
from gpu.formats.coo import COOProduct
from gpu.formats.crs import CRSProduct
from gpu.formats.crs_adaptive import CRSAdaptiveProduct
from gpu.formats.ellpack_r import EllpackRProduct
from gpu.formats.hism import HiSMProduct
from gpu.formats.hyb import HYBProduct
from gpu.formats.jd import JDProduct
from gpu.formats.mixed_sliced import MixedSlicedProduct
from gpu.formats.sliced import SlicedProduct
from gpu.formats.sliced_deltas import DeltaProduct
from gpu.formats.sliced_diagonals import DiagonalProduct
from gpu.runtime.cuda import WARP
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
)

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
        What a product does, counted from the pattern of the matrix without converting it
        (`gpu.choice.work_counts`); it gives None where the format cannot hold the matrix. `auto` takes
        formats that have it.
    """

    convert: Callable[[Any], Any]
    product: Callable[[Any, int], Product]
    deterministic: bool = True
    work: Callable[[Structure], Work | None] | None = None


# What goes to the device at once need not be copied before.
_CRS, _COO = partial(CRS.from_scipy, copy=False), partial(COO.from_scipy, copy=False)

KERNELS: dict[str, Kernel] = {
    "crs": Kernel(_CRS, CRSProduct, work=work_counts.crs),
    "crs-scalar": Kernel(_CRS, partial(CRSProduct, lanes=1), work=partial(work_counts.crs, lanes=1)),
    "crs-split": Kernel(
        _CRS, partial(CRSProduct, row_cap=ROW_CAP), work=partial(work_counts.crs, row_cap=ROW_CAP)
    ),
    "crs-adaptive": Kernel(_CRS, CRSAdaptiveProduct, work=work_counts.crs_adaptive),
    # The vector kernel of the early GPUs: half a warp a row, whatever its length.
    "crs-half-warp": Kernel(_CRS, partial(CRSProduct, lanes=WARP // 2)),
    "coo": Kernel(_COO, COOProduct, work=work_counts.coo),
    **{name: Kernel(GPU_FORMATS[name], HYBProduct) for name in ("hyb", "hyb-third", "hyb-mean")},
    **{name: Kernel(GPU_FORMATS[name], BiELLProduct) for name in ("biell", "bijad")},
    **{
        name: Kernel(
            GPU_FORMATS[name],
            EllpackRProduct if slicing.row_lengths else SlicedProduct,
            work=partial(work_counts.sliced, slicing=slicing),
        )
        for name, slicing in SLICINGS.items()
    },
    # The same arrays as those of pellr, taken in another order.
    "pellr-near": Kernel(GPU_FORMATS["pellr"], partial(EllpackRProduct, near=True)),
    **{
        name: Kernel(GPU_FORMATS[name], SlicedProduct, work=partial(work_counts.blocks, slicing=slicing))
        for name, slicing in BLOCK_SLICINGS.items()
    },
    "sliced-deltas": Kernel(SlicedDeltas.from_scipy, DeltaProduct, work=work_counts.sliced_deltas),
    "sliced-diagonals": Kernel(
        SlicedDiagonals.from_scipy, DiagonalProduct, work=work_counts.sliced_diagonals
    ),
    **{
        name: Kernel(GPU_FORMATS[name], MixedSlicedProduct, work=partial(work_counts.mixed, slicing=slicing))
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
