"""The product of HYB: that of its ELL part, then that of its rest on top."""

from typing import Any

from gpu.formats.coo.product import COOProduct
from gpu.formats.hyb.container import HYB
from gpu.formats.sliced.product import SlicedProduct


class HYBProduct:
    """A `HYB` matrix on the device, and the launches of its product."""

    def __init__(self, matrix: HYB, threads_per_block: int) -> None:
        self.ell = SlicedProduct(matrix.ell, threads_per_block)
        self.rest = COOProduct(matrix.rest, threads_per_block, on_top=True) if matrix.rest.nnz else None
        self.device_arrays = [*self.ell.device_arrays, *(self.rest.device_arrays if self.rest else [])]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream.

        Parameters
        ----------
        x, y
            Contiguous device vectors of Numba, of N and M elements.
        alpha, beta
            Scalars of the real type; with beta 0, y is not read.
        stream
            0, or an object of Numba or cuda.core.
        """
        self.ell.launch(x, y, alpha, beta, stream)
        if self.rest is not None:
            self.rest.launch(x, y, alpha, beta, stream)
