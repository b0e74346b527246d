"""The formats with a product on the GPU: how each is made, and what puts it on the device."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from vecsim.formats import CRS, GPU_FORMATS, SLICINGS

from .coo import COOProduct
from .crs import CRSProduct
from .device_matrix import Product
from .sliced import SlicedProduct

# Entries of a piece, where long rows of CRS are cut.
ROW_CAP = 512


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
    """

    convert: Callable[[Any], Any]
    product: Callable[[Any, int], Product]
    deterministic: bool = True


KERNELS: dict[str, Kernel] = {
    "crs": Kernel(CRS.from_scipy, CRSProduct),
    "crs-scalar": Kernel(CRS.from_scipy, partial(CRSProduct, lanes=1)),
    "crs-split": Kernel(CRS.from_scipy, partial(CRSProduct, row_cap=ROW_CAP)),
    "coo": Kernel(GPU_FORMATS["coo"], COOProduct),
    **{name: Kernel(GPU_FORMATS[name], SlicedProduct) for name in SLICINGS},
}
"""By the name that `gpu.prepare` takes."""

ALIASES = {"csr": "crs", "csr-scalar": "crs-scalar", "csr-split": "crs-split"}
"""Other names of them."""
