"""New values for the same pattern: which entry of a CSR matrix each place of a format's values holds.

Every format stores its values in one array, in its order and with padding. Conversions depend on the pattern
alone and move values as they are, so converting the numbers of the entries, as the bits of values, puts each
number where its value is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse

from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.cuda_driver import call
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, X, address_of_array, blocks_of, handle_of
from gpu.runtime.memory import upload

NO_ENTRY = 0xFFFFFFFF
"""The source of a place that pads."""


@cuda.jit
def placing_kernel(sources, places, data, values):
    """Write the value of a place, a thread for each.

    Parameters
    ----------
    sources
        uint32, the entry of each place, or NO_ENTRY.
    places
        Their number.
    data
        real of nnz, the new value of each entry.
    values
        real, one a place: what the format stores.
    """
    begin_in_sequence()
    place = cuda.grid(1)
    if place < places:
        source = sources[place]
        if source != NO_ENTRY:
            values[place] = data[source]


@dataclass(frozen=True, eq=False)
class EntryPlaces:
    """Where the entries of a matrix are in the values of its format.

    Attributes
    ----------
    values
        Device array of the format's values.
    nnz
        Entries.
    sources
        uint32 device array, the entry of each place; None where values are in the order of the entries.
    fence
        uint32 device array of 1, written after the values, unless `sources` is None.
    """

    values: Any
    nnz: int
    sources: Any = None
    fence: Any = None

    @property
    def device_arrays(self) -> list[Any]:
        """What it keeps on the device next to the values."""
        return [] if self.sources is None else [self.sources, self.fence]

    @classmethod
    def by_converting(
        cls, matrix: Any, convert: Callable[[Any], Any], values: Any, entries: Any = None
    ) -> Self:
        """Find the places of the entries by converting their numbers.

        Parameters
        ----------
        matrix
            Sorted CSR, float32 or float64.
        convert
            Makes the host format of such a matrix, with an array `values`.
        values
            Device array of the format's values.
        entries
            The number that each entry of `matrix` has for who brings values; its place in the CSR matrix
            without it.
        """
        nnz = matrix.nnz
        bits = np.int32 if matrix.dtype == np.float32 else np.int64
        numbers = np.arange(1, nnz + 1, dtype=bits)
        if entries is not None:
            numbers = entries.astype(bits) + bits(1)
        pattern = (numbers.view(matrix.dtype), matrix.indices, matrix.indptr)
        numbered = scipy.sparse.csr_array(pattern, shape=matrix.shape)
        numbered.has_canonical_format = True
        placed = np.ascontiguousarray(convert(numbered).values).ravel().view(bits)
        if np.count_nonzero(placed) != nnz:
            raise RuntimeError(f"{nnz} entries are in {np.count_nonzero(placed)} places of the format")
        # Number 0 pads, and becomes NO_ENTRY.
        sources = upload((placed.astype(np.int64) - 1).astype(np.uint32))
        return cls(values, nnz, sources, upload(np.zeros(1, np.uint32)))

    def write(self, data: Any, stream: Any) -> None:
        """Put the new values on a stream.

        Parameters
        ----------
        data
            Contiguous device array of Numba, the value of each entry.
        stream
            0, or an object of Numba or cuda.core.
        """
        if not self.nnz:
            return
        if self.sources is None:
            self._copy(data, stream)
            return
        places = len(self.sources)
        blocks, threads = blocks_of(places)
        arguments = [self.sources, places, X, self.values]
        Launch(placing_kernel, blocks, threads, arguments, data.dtype.type)(data, data, 0, 0, stream)
        if not SIMULATED:
            # A product loads entries before it waits for the kernel before it. No kernel overlaps with this.
            call("cuMemsetD32Async", address_of_array(self.fence), 0, 1, handle_of(stream))

    def _copy(self, data: Any, stream: Any) -> None:
        if SIMULATED:
            self.values[: self.nnz].copy_to_device(data)
            return
        nbytes = self.nnz * data.dtype.itemsize
        call(
            "cuMemcpyDtoDAsync",
            address_of_array(self.values),
            address_of_array(data),
            nbytes,
            handle_of(stream),
        )
