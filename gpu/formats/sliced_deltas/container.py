"""Sliced deltas: the columns of a row as distances of a few bits, packed into words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from gpu.formats.sliced.slicing import NO_ROW, WARP
from gpu.formats.sliced.steps import steps_in_order, steps_sorted
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.base import StoredAsArrays
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.invariants import check_pointers, require
from vecsim.formats.pattern import Pattern
from vecsim.formats.pointers import pointers_of, sizes_of
from vecsim.formats.representable import MAX_GROWTH, too_large
from vecsim.formats.thread_count import as_many_threads_as_pay

BITS = (4, 5, 6, 8, 10, 16)
"""Bits a distance may have: as many of them as possible fill a word of 32."""
WINDOWS = (1, 1024)
"""Rows within which they are sorted, where that saves more padding than the permutation costs."""

MOST_SORTED_CODES = 2**16
"""A row of this many codes or more keeps all rows in their order: they are sorted by counting."""


@dataclass(frozen=True, eq=False, repr=False)
class SlicedDeltas(StoredAsArrays):
    """A matrix in slices of 32 rows, with the distances between neighbouring columns instead of columns.

    Delta encoding of columns is as old as inverted files; on GPUs: Maggioni and Berger-Wolf, CoAdELL, IPDPS
    2014. Here a distance is a code of a fixed number of bits, chosen for the matrix, so that no thread waits
    for the length of a code: code d + 1 is an entry d columns further, code 0 a filler, which goes 2^bits - 1
    columns further and has no entry. Rows end in fillers.

    Code j of row i of slice s stands in word ``(word_ptr[s] + j // n) * 32 + i``, n = 32 // bits, lowest bits
    first; its value, 0 for a filler, at ``(value_ptr[s] + j) * 32 + i``.

    Attributes
    ----------
    shape
        Rows M and columns N.
    bits
        Of a code: one of `BITS`.
    perm
        uint32 of 32 S: the row at each place of a slice, 2^32 - 1 where there is none. Empty where rows are
        in order.
    first_column
        uint32 of 32 S: where each row begins.
    word_ptr, value_ptr
        uint32 of S + 1: words and codes a row before each slice, then of all.
    words
        uint32: the codes.
    values
        float32 or float64, one a code.
    """

    shape: Shape
    bits: int
    perm: NDArray[np.uint32]
    first_column: NDArray[np.uint32]
    word_ptr: NDArray[np.uint32]
    value_ptr: NDArray[np.uint32]
    words: NDArray[np.uint32]
    values: FloatArray

    @classmethod
    def from_scipy(cls, matrix: Any) -> Self:
        """Convert a SciPy sparse matrix, with the bits and the order of rows that take the fewest bytes.

        Parameters
        ----------
        matrix
            As `canonical_csr` takes it.

        Raises
        ------
        UserError
            As `canonical_csr` raises it.
        NotRepresentableError
            If fillers and padding would make it larger than four times CRS (and a MiB).
        """
        csr = canonical_csr(matrix)
        pattern = Pattern.of(csr)
        best = arrangement(pattern)
        if not pattern.allows(best.nbytes):
            raise too_large("fillers and padding", best.nbytes, pattern.crs_bytes, MAX_GROWTH, "use CRS")
        order = best.order()
        widths = best.widths(order)
        value_ptr, word_ptr = pointers_of(widths), pointers_of(-(-widths // (32 // best.bits)))
        words = np.zeros(int(word_ptr[-1]) * WARP, dtype=np.uint32)
        values = np.zeros(int(value_ptr[-1]) * WARP, dtype=csr.data.dtype)
        pack(order, csr.indptr, csr.indices, csr.data, best.bits, word_ptr, value_ptr, words, values)
        places = len(widths) * WARP
        first_column = np.zeros(places, dtype=np.uint32)
        filled = np.flatnonzero(pattern.lengths[order])
        first_column[filled] = csr.indices[csr.indptr[order[filled]]]
        perm = np.full(places if best.window > 1 else 0, NO_ROW, dtype=np.uint32)
        if best.window > 1:
            perm[: len(order)] = order
        return cls(
            shape=pattern.shape,
            bits=best.bits,
            perm=perm,
            first_column=first_column,
            word_ptr=word_ptr.astype(np.uint32),
            value_ptr=value_ptr.astype(np.uint32),
            words=words,
            values=values,
        )

    @property
    def slices(self) -> int:
        """S, the number of slices."""
        return len(self.value_ptr) - 1

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix, explicit zeros included, fillers not."""
        return int(np.count_nonzero(self._codes()))

    def _widths(self) -> IntArray:
        """Return the codes a row of each slice."""
        return sizes_of(self.value_ptr)

    def _codes(self) -> IntArray:
        """Return the code of each value."""
        in_word = 32 // self.bits
        widths = self._widths()
        slice_of = np.repeat(np.arange(self.slices), widths)
        j = np.arange(len(slice_of)) - self.value_ptr[slice_of]
        step = self.word_ptr[slice_of] + j // in_word
        words = self.words.reshape(-1, WARP)[step]
        codes: IntArray = (words.astype(np.int64) >> (j % in_word * self.bits)[:, None]) & (2**self.bits - 1)
        return codes.ravel()

    def structure(self) -> Mapping[str, int]:
        """Return the slices, the bits of a code, and the places for entries, fillers included."""
        return {"slices": self.slices, "bits": self.bits, "places": len(self.values)}

    def triplets(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return row, column (int64) and value of each entry, in storage order, without fillers."""
        codes = self._codes().reshape(-1, WARP)
        moved = np.cumsum(np.where(codes == 0, 2**self.bits - 1, codes - 1), axis=0)
        widths = self._widths()
        slice_of = np.repeat(np.arange(self.slices), widths)
        before = np.vstack((np.zeros((1, WARP), dtype=np.int64), moved))[self.value_ptr[slice_of]]
        columns = moved - before + self.first_column.reshape(-1, WARP)[slice_of]
        places = np.arange(self.slices * WARP).reshape(-1, WARP)[slice_of]
        stored = codes != 0
        rows = places[stored]
        rows = self.perm[rows].astype(np.int64) if len(self.perm) else rows
        return rows, columns[stored], self.values[stored.ravel()]

    def check(self) -> None:
        """Check every invariant of the format.

        Raises
        ------
        ValueError
            Naming the first one that is broken.
        """
        require(self.bits in BITS, f"bits must be one of {BITS}")
        require(self.slices == -(-self.shape[0] // WARP), f"there must be a slice for each {WARP} rows")
        for name in ("word", "value"):
            pointers, elements = getattr(self, f"{name}_ptr"), len(getattr(self, f"{name}s"))
            require(elements % WARP == 0, f"{name}s must fill whole steps of {WARP}")
            check_pointers(f"{name}_ptr", pointers.astype(np.int64), self.slices, elements // WARP)
        widths = self._widths()
        expected = pointers_of(-(-widths // (32 // self.bits)))
        require(np.array_equal(self.word_ptr, expected), "word_ptr must give the words that the codes fill")
        places = self.slices * WARP
        require(len(self.first_column) == places, f"first_column must have {places} elements")
        require(len(self.perm) in (0, places), f"perm must have {places} elements or none")
        if len(self.perm):
            named = np.sort(self.perm[self.perm != NO_ROW])
            require(np.array_equal(named, np.arange(self.shape[0])), "perm must name each row once")
        require(not self.values[self._codes() == 0].any(), "fillers must have the value 0")
        self.check_coordinates()


@dataclass(frozen=True)
class Arrangement:
    """The bits and the order of rows that take the fewest bytes.

    Attributes
    ----------
    bits
        Of a code.
    window
        Rows are sorted by falling number of codes within each run of this many; 1 leaves them in order.
    codes
        Codes of each row, fillers included.
    nbytes
        Of the matrix arranged so.
    """

    bits: int
    window: int
    codes: IntArray
    nbytes: int

    @property
    def longest(self) -> int:
        """Codes of the row with most."""
        return int(self.codes.max(initial=0))

    def order(self) -> IntArray:
        """Return the rows in the order in which they are stored."""
        from gpu.formats.sliced.filling import sorted_by_falling_length

        if self.window == 1:
            return np.arange(len(self.codes))
        order: IntArray = sorted_by_falling_length(self.codes, self.window)
        return order

    def widths(self, order: IntArray) -> IntArray:
        """Return the codes a row of each slice, for rows in this order."""
        padded = np.zeros(-(-len(order) // WARP) * WARP, dtype=np.int64)
        padded[: len(order)] = self.codes[order]
        widths: IntArray = padded.reshape(-1, WARP).max(axis=1, initial=0)
        return widths


def arrangement(pattern: Pattern) -> Arrangement:
    """Find the bits and the order of rows that take the fewest bytes."""
    rows = pattern.shape[0]
    slices = -(-rows // WARP)
    limits = np.array([2**bits - 1 for bits in BITS])
    with as_many_threads_as_pay(pattern.nnz):
        needed = codes_needed(pattern.indptr, pattern.indices, limits)
        sums = steps_and_words(needed, np.array([32 // bits for bits in BITS]), WINDOWS[1])
    results = []
    for codes, bits, of_windows in zip(needed, BITS, sums, strict=True):
        for window, (steps, words) in zip(WINDOWS, of_windows, strict=True):
            if window > 1 and codes.max(initial=0) >= MOST_SORTED_CODES:
                continue
            nbytes = WARP * (int(steps) * pattern.value_bytes + 4 * int(words))
            nbytes += 4 * WARP * slices * (1 + (window > 1)) + 8 * (slices + 1)
            results.append(Arrangement(bits, window, codes, nbytes))
    return min(results, key=lambda each: each.nbytes)


@njit(parallel=True, cache=True)
def codes_needed(indptr: Any, indices: Any, limits: Any) -> Any:
    """Return the codes of each row for each of `limits`, the distances from which fillers are needed."""
    rows = len(indptr) - 1
    needed = np.zeros((len(limits), rows), np.int64)
    for row in prange(rows):
        for place in range(indptr[row] + 1, indptr[row + 1]):
            distance = np.int64(indices[place]) - indices[place - 1]
            if distance >= limits[0]:  # the lowest
                for k in range(len(limits)):
                    if distance < limits[k]:
                        break
                    needed[k, row] += distance // limits[k]
        for k in range(len(limits)):
            needed[k, row] += indptr[row + 1] - indptr[row]
    return needed


@njit(parallel=True, cache=True)
def steps_and_words(needed: Any, in_word: Any, window: int) -> Any:
    """Return the steps and the words of the slices of each of the rows of `needed`, which are codes of rows.

    Steps and words of rows in order, then of rows sorted by falling codes within each run of `window`. A step
    is a code of each row of a slice; a word holds `in_word` of them.
    """
    limits, rows = needed.shape
    results = np.zeros((limits, 2, 2), np.int64)
    for k in prange(limits):
        for first in range(0, rows, window):
            codes = needed[k, first : first + window]
            results[k, 0, 0] += steps_in_order(codes, WARP, 1)
            results[k, 0, 1] += steps_in_order(codes, WARP, in_word[k])
            results[k, 1, 0] += steps_sorted(codes, WARP, 1)
            results[k, 1, 1] += steps_sorted(codes, WARP, in_word[k])
    return results


@njit(parallel=True, cache=True)
def pack(
    order: Any,
    indptr: Any,
    indices: Any,
    data: Any,
    bits: int,
    word_ptr: Any,
    value_ptr: Any,
    words: Any,
    values: Any,
) -> None:
    """Write `words` and `values`, fillers and padding included, for rows in this order.

    Parameters
    ----------
    order
        (M,) int64: the rows, in the order of the slices.
    indptr, indices, data
        The matrix, sorted CSR without duplicates: (M + 1,) and (nnz,) integers, (nnz,) floats.
    bits
        Of a code.
    word_ptr, value_ptr
        (S + 1,) int64: words and codes a row before each slice.
    words, values
        uint32 and floats: what is written.
    """
    in_word = 32 // bits
    limit = (1 << bits) - 1
    rows = len(order)
    for s in prange(len(word_ptr) - 1):
        for lane in range(WARP):
            row = order[s * WARP + lane] if s * WARP + lane < rows else -1
            at = indptr[row] if row >= 0 else 0
            end = indptr[row + 1] if row >= 0 else 0
            column: Any = np.int64(indices[at]) if at < end else 0
            width = value_ptr[s + 1] - value_ptr[s]
            word = 0
            for j in range(width):
                code = 0
                value = 0.0
                if at < end:
                    distance = np.int64(indices[at]) - column
                    if distance < limit:
                        code = distance + 1
                        value = data[at]
                        column += distance
                        at += 1
                    else:
                        column += limit
                values[(value_ptr[s] + j) * WARP + lane] = value
                word |= code << (j % in_word * bits)
                if j % in_word == in_word - 1 or j == width - 1:
                    words[(word_ptr[s] + j // in_word) * WARP + lane] = word
                    word = 0
