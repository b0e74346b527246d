"""Compound vectors on the device: axpby, dot and norm, whatever their layout."""

from typing import Any

import numpy as np

from gpu.compound.solver.kernels import THREADS, axpby_kernel, dot_kernel
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import ALPHA, BETA, Launch, X, Y
from gpu.runtime.memory import real_type, upload
from vecsim.support.errors import UserError

BLOCKS_PER_MULTIPROCESSOR = 8


def blocks_for(length: int) -> int:
    """Give the blocks of threads of a vector operation: as many as run at once."""
    most = 2 if SIMULATED else BLOCKS_PER_MULTIPROCESSOR * shared_memory()[0]
    return max(1, min(most, -(-length // THREADS)))


class VectorOperations:
    """axpby, dot and norm of vectors of one length and type.

    Vectors are arrays of the device in one layout, padding 0, as `CompoundProduct.arranged_vector` makes
    them: so components need not be told apart.

    Parameters
    ----------
    length
        Of the arrays.
    real
        np.float32 or np.float64.

    Raises
    ------
    UserError
        There is no such type, or nothing in a vector.
    """

    def __init__(self, length: int, real: Any) -> None:
        if length < 1:
            raise UserError("a vector needs at least one element")
        self._real = real_type(np.zeros(0, real))
        self._length, blocks = length, blocks_for(length)
        sums = [upload(np.zeros(2 * blocks, np.float64)), upload(np.zeros(1, np.uint32))]
        self._sum = upload(np.zeros(1, np.float64))
        self._axpby = Launch(axpby_kernel(self._real), blocks, THREADS, [X, Y, ALPHA, BETA], self._real)
        self._dot = Launch(dot_kernel(self._real), blocks, THREADS, [X, Y, *sums, self._sum], self._real)

    def axpby(self, alpha: float, x: Any, beta: float, y: Any, stream: Any = 0) -> None:
        """Do ``y = alpha x + beta y``; y is not read where beta is 0.

        Parameters
        ----------
        alpha, beta
            Numbers.
        x, y
            Device arrays.
        stream
            0, or an object of Numba or cuda.core.

        Raises
        ------
        UserError
            An array does not fit.
        """
        self._check(x, y)
        self._axpby(x, y, self._real(alpha), self._real(beta), stream)

    def dot(self, x: Any, y: Any) -> float:
        """Give the sum of all products, added up in float64; the same bits in every run.

        Parameters
        ----------
        x, y
            Device arrays.

        Raises
        ------
        UserError
            An array does not fit.
        """
        self._check(x, y)
        self._dot(x, y, self._real(1), self._real(0), 0)
        return float(self._sum.copy_to_host()[0])

    def norm(self, x: Any) -> float:
        """Give the square root of `dot` of a vector and itself."""
        return float(np.sqrt(self.dot(x, x)))

    def _check(self, *vectors: Any) -> None:
        for each in vectors:
            if each.size != self._length or each.dtype != self._real:
                raise UserError(
                    f"a vector of {self._length} {np.dtype(self._real).name} is needed, not of {each.size} "
                    f"{each.dtype}"
                )
