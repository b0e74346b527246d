"""The product of BBCS: parts of rows, found by the end-of-row flags in the memory image's descriptors."""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.partial_row_sums import PER_THREAD, Decode, RowPartsProduct, row_parts
from gpu.runtime.cuda import device_function
from vecsim.formats import BBCS, section_bits


@functools.cache
def decoders(bits: int, descriptor_bytes: int) -> Decode:
    """Make the readers of a thread's descriptors: column in the low bits, then end of row, then zero-row."""
    return tuple(_decoder(bits, descriptor_bytes, entry) for entry in range(PER_THREAD))


def _decoder(bits: int, descriptor_bytes: int, entry: int) -> Any:
    end, zero_row, columns = 1 << bits, 2 << bits, (1 << bits) - 1
    in_word = PER_THREAD // descriptor_bytes
    word, shift = entry // in_word, entry % in_word * (32 // in_word)

    @device_function
    def decode(descriptors: Any, second: Any, following: Any) -> Any:
        descriptor = np.uint32(descriptors[word] >> np.uint32(shift))
        return (
            np.uint32(descriptor & np.uint32(columns)),
            (descriptor & np.uint32(end)) != 0,
            (descriptor & np.uint32(zero_row)) == 0,
        )

    return decode


class BBCSProduct(RowPartsProduct):
    """A `BBCS` matrix on the device, and the launches of its product.

    Values (zero-row entries among them) and descriptors are those of the memory image; which row a part
    belongs to was counted once, from the flags and the zero-row entries.
    """

    def __init__(self, matrix: BBCS, threads_per_block: int) -> None:
        descriptors = matrix.descriptors()
        filled = np.flatnonzero(np.diff(matrix.block_ptr))
        parts = row_parts(
            matrix.entry_rows(),
            matrix.end_of_row,
            matrix.zero_rows == 0,
            matrix.block_ptr[filled],
            matrix.shape[0],
        )
        super().__init__(
            matrix.values,
            descriptors,
            # One array says all.
            descriptors[:0],
            decoders(section_bits(matrix.section_size), descriptors.itemsize),
            filled * matrix.section_size,
            parts,
            threads_per_block,
        )
