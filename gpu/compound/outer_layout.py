"""Where entries go: CSR, or one of the arrangements of the sliced container, by their pattern alone."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

OUTER_LAYOUTS: dict[str, Slicing | None] = {
    "csr": None,
    "ellpack-r": Slicing(slice_height=None, row_lengths=True),
    "sliced-16": Slicing(slice_height=16),
    "sliced-32": Slicing(slice_height=32),
    "sliced-32-short": Slicing(slice_height=32, index_bits=16),
    "sorted-32": Slicing(slice_height=32, sorting_window=1024),
    "sorted-32-short": Slicing(slice_height=32, sorting_window=1024, index_bits=16, base_per_step=True),
}
"""Outer layouts by name: those of the paper; then with 16-bit column offsets from a base, and with rows
sorted by length within 1024. None is CSR."""


def slicing_of(outer: str | Slicing, threads_per_row: int) -> Slicing | None:
    """Return the arrangement of an outer layout with this many threads a row; None for CSR.

    A slice of 32 rows with four threads a row has 8 rows, so that a step is as many entries.

    Raises
    ------
    UserError
        If the name is unknown, or products of compound entries do not have what the arrangement asks for.
    """
    if isinstance(outer, str):
        if outer not in OUTER_LAYOUTS:
            raise UserError(
                f"unknown outer layout {outer!r}; use one of {', '.join(OUTER_LAYOUTS)}"
                f"{nearest(outer, OUTER_LAYOUTS)}"
            )
        slicing = OUTER_LAYOUTS[outer]
        if slicing is None:
            return None
        height = slicing.slice_height
        fewer = None if height is None else max(1, height // threads_per_row)
        return replace(slicing, slice_height=fewer, threads_per_row=threads_per_row)
    if outer.wide != 1 or outer.block != 1 or outer.row_cap is not None:
        raise UserError("compound entries need an arrangement with wide 1, block 1 and no row_cap")
    if outer.threads_per_row not in (None, threads_per_row):
        raise UserError(
            f"threads a row must be {outer.threads_per_row} as in the arrangement, not {threads_per_row}"
        )
    return replace(outer, threads_per_row=threads_per_row)


@dataclass(frozen=True, eq=False)
class ArrangedPattern:
    """The places of the entries of a pattern.

    Attributes
    ----------
    slicing
        The arrangement that was chosen; None for CSR.
    height
        Rows of a slice; all of them, in whole warps, of a single slice; 0 for CSR.
    positions
        Places for rows.
    pointers
        uint32: the first entry of each row (CSR), or the first step of each slice; then the end.
    columns, bases, lengths, perm
        As of `gpu.formats.sliced.container.Sliced`; the last three empty for CSR.
    sources
        int64, one a place: the entry that stands there, -1 in padding.
    """

    slicing: Slicing | None
    height: int
    positions: int
    pointers: NDArray[np.uint32]
    columns: NDArray[Any]
    bases: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    perm: NDArray[np.uint32]
    sources: NDArray[np.int64]

    @property
    def places(self) -> int:
        """Places for entries, padding included."""
        return len(self.sources)

    @property
    def entries(self) -> int:
        """Entries, without padding."""
        return int(np.count_nonzero(self.sources >= 0))

    @property
    def nbytes(self) -> int:
        """Bytes of all that is stored but the entries themselves."""
        return sum(int(array.nbytes) for array in self.stored)

    @property
    def stored(self) -> tuple[NDArray[Any], ...]:
        """All that is stored but the entries themselves, in the order of a kernel's parameters."""
        return self.columns, self.bases, self.pointers, self.lengths, self.perm

    def at_places(self, components: NDArray[Any]) -> NDArray[Any]:
        """Return the components of (nnz, n) of the entries at each place, (places, n); 0 in padding."""
        if self.slicing is None:
            return components
        # Padding has the number -1: the last row, of zeros.
        extended = np.concatenate((components, np.zeros((1, components.shape[1]), components.dtype)))
        return np.take(extended, self.sources, axis=0)


def arranged(
    shape: tuple[int, int], indptr: NDArray[Any], indices: NDArray[Any], slicing: Slicing | None
) -> ArrangedPattern:
    """Arrange a pattern.

    Parameters
    ----------
    shape, indptr, indices
        Of the pattern, in CSR order.
    slicing
        The arrangement; None is CSR.

    Raises
    ------
    NotRepresentableError
        If padding is too much, or offsets do not fit 16 bits (`Sliced.from_scipy`).
    """
    none = np.zeros(0, np.uint32)
    if slicing is None:
        pointers, columns = indptr.astype(np.uint32), indices.astype(np.uint32)
        return ArrangedPattern(
            None, 0, shape[0], pointers, columns, none, none, none, np.arange(len(indices))
        )
    # The container carries the number of each entry where it has values otherwise; 0 is padding.
    numbers = scipy.sparse.csr_array((np.arange(1.0, len(indices) + 1), indices, indptr), shape=shape)
    result = Sliced.from_scipy(numbers, slicing=slicing)
    return ArrangedPattern(
        slicing=result.slicing,
        height=result.slice_height,
        positions=result.slices * result.slice_height,
        pointers=result.slice_ptr,
        columns=result.columns,
        bases=result.bases,
        lengths=result.lengths,
        perm=result.perm,
        sources=result.values.astype(np.int64) - 1,
    )
