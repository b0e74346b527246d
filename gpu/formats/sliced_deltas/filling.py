"""Compiled, parallel loops that count and pack distances between neighbouring columns of a row."""

from typing import Any

import numpy as np
from numba import njit, prange

from gpu.formats.sliced.slicing import WARP
from gpu.formats.sliced.steps import steps_in_order, steps_sorted


@njit(parallel=True, cache=True)
def codes_needed(indptr: Any, indices: Any, limits: Any) -> Any:
    """Give the codes of each row for each of `limits`, the distances from which fillers are needed."""
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
    """Give the steps and the words of the slices of each of the rows of `needed`, which are codes of rows.

    Steps and words of rows in order, then of rows sorted by falling codes within each run of `window`. A step
    is a code of each row of a slice; a word holds `in_word` of them.
    """
    limits, rows = needed.shape
    found = np.zeros((limits, 2, 2), np.int64)
    for k in prange(limits):
        for first in range(0, rows, window):
            codes = needed[k, first : first + window]
            found[k, 0, 0] += steps_in_order(codes, WARP, 1)
            found[k, 0, 1] += steps_in_order(codes, WARP, in_word[k])
            found[k, 1, 0] += steps_sorted(codes, WARP, 1)
            found[k, 1, 1] += steps_sorted(codes, WARP, in_word[k])
    return found


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
