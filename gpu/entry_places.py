"""The entries of a prepared matrix: which of them each place of a format's values holds.

Every format stores its values in one array, in its order and with padding. Conversions depend on the pattern
alone and move values as they are, so converting the numbers of the entries, as the bits of values, puts each
number where its value is.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse
from numba import njit, prange
from numpy.typing import NDArray

from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.cuda_driver import call
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, X, address_of_array, blocks_of, handle_of
from gpu.runtime.memory import upload, zeros
from vecsim.formats.canonical_csr import rows_of_csr
from vecsim.formats.thread_count import as_many_threads_as_pay

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

    def write(self, data: Any, stream: Any) -> None:
        """Put the new values on a stream.

        Parameters
        ----------
        data
            Contiguous device array of Numba, or `Elements` of the same type: the value of each entry.
        stream
            0, or an object of Numba or cuda.core.
        """
        if not self.nnz:
            return
        # Borrowed elements have the type of the values; of complex ones the format stores the parts.
        if getattr(data, "dtype", self.values.dtype) != self.values.dtype:
            data = data.view(self.values.dtype)
        if self.sources is None:
            self._copy(data, stream)
            return
        self._launch(data, data, 0, 0, stream)
        if not SIMULATED:
            # A product loads entries before it waits for the kernel before it. No kernel overlaps with this.
            call("cuMemsetD32Async", address_of_array(self.fence), 0, 1, handle_of(stream))

    @cached_property
    def _launch(self) -> Launch:
        places = len(self.sources)
        arguments = [self.sources, places, X, self.values]
        return Launch(placing_kernel, *blocks_of(places), arguments, self.values.dtype.type)

    def _copy(self, data: Any, stream: Any) -> None:
        if SIMULATED:
            self.values[: self.nnz].copy_to_device(data)
            return
        nbytes = self.nnz * self.values.dtype.itemsize
        call(
            "cuMemcpyDtoDAsync",
            address_of_array(self.values),
            address_of_array(data),
            nbytes,
            handle_of(stream),
        )


@dataclass(frozen=True, eq=False)
class EntrySource:
    """The entries that a matrix was prepared from: where they stand, and how a format is made of them.

    Attributes
    ----------
    dtype
        float32 or float64, of the values.
    numbers
        Makes sorted CSR of the pattern on the host. Its int64 data are the numbers of the entries for who
        brings or reads values.
    convert
        Makes the host format, with an array `values`, of such a matrix; None where the format has several.
    in_order
        Whether the format stores values in the order of these numbers.
    given
        Returns the values in the order of the numbers; needed where `convert` is None, since they cannot be
        replaced then.
    """

    dtype: np.dtype[Any]
    numbers: Callable[[], Any]
    convert: Callable[[Any], Any] | None = None
    in_order: bool = False
    given: Callable[[], Any] | None = None

    @classmethod
    def of_csr(cls, csr: Any, convert: Callable[[Any], Any] | None, *, in_order: bool) -> Self:
        """Return the source of a sorted CSR matrix of the host.

        Parameters
        ----------
        csr
            The matrix. What may belong to the caller is copied: the pattern, and the values where they cannot
            be read from the device.
        convert, in_order
            See the attributes.
        """
        shape, indptr, indices = csr.shape, _copied(csr.indptr), _copied(csr.indices)
        values = _copied(csr.data) if convert is None else None
        return cls(
            csr.dtype,
            lambda: numbered(indptr, indices, shape),
            convert,
            in_order,
            None if values is None else lambda: values,
        )

    @classmethod
    def of_stored(cls, stored: Any) -> Self:
        """Return the source of a matrix in a format of the host, or of the device, that has ``to_scipy``."""

        def numbers() -> Any:
            csr = stored.to_scipy()
            return numbered(csr.indptr, csr.indices, csr.shape)

        return cls(np.dtype(stored.dtype), numbers, given=lambda: stored.to_scipy().data)

    @property
    def updatable(self) -> bool:
        """Whether the values of the format can be replaced."""
        return self.convert is not None or self.in_order

    def transposed(self, copied: "EntrySource") -> "EntrySource":
        """Return the source of a transposed copy, with the numbers that the entries have here."""
        if not copied.updatable:
            return copied
        return replace(copied, numbers=lambda: self.numbers().T.tocsr(), in_order=False)

    def places(self, values: Any) -> EntryPlaces:
        """Return where the entries are in the values of the format, for `EntryPlaces.write`."""
        csr = self.numbers()
        if self.in_order:
            return EntryPlaces(values, csr.nnz)
        return EntryPlaces(values, csr.nnz, upload(self._entries(csr)), upload(np.zeros(1, np.uint32)))

    def diagonal(self) -> EntryPlaces:
        """Return what copies the main diagonal out of the values of the format, by `EntryPlaces.write`."""
        csr = self.numbers()
        length = min(csr.shape)
        rows = rows_of_csr(csr.indptr)
        at = np.flatnonzero(csr.indices == rows)
        place_of = np.arange(csr.nnz)
        if not self.in_order:
            entries = self._entries(csr)
            places = np.flatnonzero(entries != NO_ENTRY)
            place_of[entries[places]] = places
        sources = np.full(length, NO_ENTRY, np.uint32)
        sources[rows[at]] = place_of[csr.data[at]]
        fence = upload(np.zeros(1, np.uint32))
        return EntryPlaces(zeros(length, self.dtype), length, upload(sources), fence)

    def csr(self, values: Any) -> Any:
        """Return the matrix as SciPy's sorted CSR.

        Parameters
        ----------
        values
            Device array of the format's values; None where it has several.
        """
        csr = self.numbers()
        if self.given is not None:
            data = self.given()
        elif self.in_order:
            data = values.copy_to_host()[: csr.nnz]
        else:
            entries, stored = self._entries(csr), values.copy_to_host()
            data = np.empty(csr.nnz, self.dtype)
            is_entry = entries != NO_ENTRY
            data[entries[is_entry]] = stored[: len(entries)][is_entry]
        result = scipy.sparse.csr_array((data[csr.data], csr.indices, csr.indptr), shape=csr.shape)
        result.has_canonical_format = True
        return result

    def _entries(self, csr: Any) -> NDArray[np.uint32]:
        """Return the number of the entry at each place of the format's values, by converting the numbers."""
        assert self.convert is not None
        bits = np.int32 if self.dtype == np.float32 else np.int64
        pattern = ((csr.data + 1).astype(bits).view(self.dtype), csr.indices, csr.indptr)
        as_values = scipy.sparse.csr_array(pattern, shape=csr.shape)
        as_values.has_canonical_format = True
        placed = np.ascontiguousarray(self.convert(as_values).values).ravel().view(bits)
        if np.count_nonzero(placed) != csr.nnz:
            raise RuntimeError(f"{csr.nnz} entries are in {np.count_nonzero(placed)} places of the format")
        # Number 0 pads, and becomes NO_ENTRY.
        return (placed.astype(np.int64) - 1).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class PairSource(EntrySource):
    """The entries of a complex matrix, which a format stores as real and imaginary parts, side by side.

    Attributes
    ----------
    stored
        int32, one a place of the format: the number of the entry in the order of its CSR, or -1.
    """

    stored: Any = None

    @property
    def updatable(self) -> bool:
        """Whether the values of the format can be replaced: they can."""
        return True

    def places(self, values: Any) -> EntryPlaces:
        """Return where the parts of the entries are in the values of the format."""
        csr = self.numbers()
        first = 2 * self._entries(csr).astype(np.int64)
        parts = np.stack([first, first + 1], axis=1).ravel()
        parts[parts >= 2 * NO_ENTRY] = NO_ENTRY
        return EntryPlaces(
            values, 2 * csr.nnz, upload(parts.astype(np.uint32)), upload(np.zeros(1, np.uint32))
        )

    def csr(self, values: Any) -> Any:
        """Return the matrix as SciPy's sorted CSR, from the values of the format."""
        csr, stored = self.numbers(), values.copy_to_host().view(self.dtype)
        entries = self._entries(csr)
        data = np.empty(csr.nnz, self.dtype)
        data[entries[entries != NO_ENTRY]] = stored[: len(entries)][entries != NO_ENTRY]
        result = scipy.sparse.csr_array((data[csr.data], csr.indices, csr.indptr), shape=csr.shape)
        result.has_canonical_format = True
        return result

    def _entries(self, csr: Any) -> NDArray[np.uint32]:
        entries = np.full(len(self.stored), NO_ENTRY, np.uint32)
        entries[self.stored >= 0] = csr.data[self.stored[self.stored >= 0]]
        return entries


PARTS = 64
"""Of an array that is copied, each by one thread."""


@njit(parallel=True, cache=True)
def _copy(source: Any, target: Any) -> None:
    size = len(source)
    for part in prange(PARTS):
        begin, end = part * size // PARTS, (part + 1) * size // PARTS
        target[begin:end] = source[begin:end]


def _copied(array: NDArray[Any]) -> NDArray[Any]:
    result = np.empty(len(array), array.dtype)
    with as_many_threads_as_pay(len(array)):
        _copy(array, result)
    return result


def numbered(indptr: Any, indices: Any, shape: tuple[int, int]) -> Any:
    """Return sorted CSR of this pattern whose data are the numbers of the entries."""
    result = scipy.sparse.csr_array((np.arange(len(indices), dtype=np.int64), indices, indptr), shape=shape)
    result.has_canonical_format = True
    return result
