"""The hash of a row's number of entries, in kernels."""

import numpy as np

from gpu.hbp.hashing import CLASSES, RowHash
from gpu.runtime.cuda import device_function


def divides_by_product(row_hash: RowHash, block_rows: int, most: int) -> bool:
    """Return whether the remainder of rows with this many entries, at most, is found without a division.

    With m, 2^32 over d rounded up, ``n * m >> 32`` is n // d for all n below 2^32 over d (Granlund and
    Montgomery 1994); n is c times the entries of a row. Places must be below `block_rows` as they are, too.
    """
    largest = (CLASSES - 1) * row_hash.b + row_hash.d - 1
    return row_hash.d > 1 and most * row_hash.c * row_hash.d < 1 << 32 and largest < block_rows


def numbers_of(row_hash: RowHash) -> tuple[int, int, int, int, int]:
    """Return what the kernel takes of a hash: a, b, c, d, and 2^32 over d rounded up, all below 2^32."""
    inverse = min(-(-(1 << 32) // row_hash.d), (1 << 32) - 1)
    return row_hash.a, row_hash.b, row_hash.c, row_hash.d, inverse


@device_function
def hash_of(count, a, b, c, d, inverse):
    """Return the place of a row with this many entries, where `divides_by_product`.

    Parameters
    ----------
    count
        uint32: entries of the row.
    a, b, c, d, inverse
        uint32: numbers of the hash, `numbers_of`.
    """
    product = np.uint32(count * c)
    quotient = np.uint32(np.uint64(product) * np.uint64(inverse) >> np.uint64(32))
    aggregated = min(np.uint32(count >> a), np.uint32(CLASSES - 1))
    return np.uint32(np.uint32(aggregated * b) + np.uint32(product - np.uint32(quotient * d)))


@device_function
def any_hash_of(count, a, b, c, d, block_rows):
    """Return the place of a row with this many entries; see `gpu.hbp.hashing`.

    Parameters
    ----------
    count
        uint32: entries of the row.
    a, b, c, d, block_rows
        uint32: numbers of the hash, `numbers_of`, and rows of a block.
    """
    rest = np.uint64(count) * np.uint64(c) % np.uint64(d)
    aggregated = min(np.uint32(count >> a), np.uint32(CLASSES - 1))
    return np.uint32((np.uint64(aggregated) * np.uint64(b) + rest) % np.uint64(block_rows))
