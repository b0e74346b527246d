"""The product of HYB: that of its ELL part, then that of its rest on top."""

from gpu.formats.coo.product import COOProduct
from gpu.formats.hyb.container import HYB
from gpu.formats.sliced.product import SlicedProduct
from gpu.runtime.launches import LaunchedInTurn


class HYBProduct(LaunchedInTurn):
    """A `HYB` matrix on the device, and the launches of its product.

    Attributes
    ----------
    ell_launches
        Those of its ELL part alone.
    """

    def __init__(self, matrix: HYB, threads_per_block: int) -> None:
        parts: list[LaunchedInTurn] = [SlicedProduct(matrix.ell, threads_per_block)]
        self.ell_launches = parts[0].launches
        if matrix.rest.nnz:
            parts.append(COOProduct(matrix.rest, threads_per_block, on_top=True))
        self.device_arrays = [array for part in parts for array in part.device_arrays]
        self.launches = [launch for part in parts for launch in part.launches]
