"""The leaves of both operands of a sum, merged into pairs by their keys."""

import numpy as np

from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.sorting.runs import keys_before

RECORD = 4
"""Words of a pair of leaves: reference and entries of A's, and of B's; 0 where there is none."""


@cuda.jit
def merge_kernel(first_keys, first_leaves, first_number, second_keys, second_leaves, second_number,
                 pairs, keys):  # fmt: skip
    """Merge the leaves of A and B, a leaf a thread; one that both have takes two pairs, the second empty.

    Parameters
    ----------
    first_keys, second_keys
        int64, rising.
    first_leaves, second_leaves
        uint32 of 2 a leaf: reference and entries.
    first_number, second_number
        How many there are.
    pairs
        uint32 of 4 for each leaf of both, see `RECORD`.
    keys
        int64, as many.
    """
    at = np.int64(cuda.grid(1))
    begin_in_sequence()
    if at < first_number:
        key = first_keys[at]
        other = keys_before(second_keys, second_number, key)
        pair = at + other
        keys[pair] = key
        pairs[RECORD * pair] = first_leaves[2 * at]
        pairs[RECORD * pair + 1] = first_leaves[2 * at + 1]
        both = other < second_number and second_keys[min(other, second_number - 1)] == key
        pairs[RECORD * pair + 2] = second_leaves[2 * other] if both else np.uint32(0)
        pairs[RECORD * pair + 3] = second_leaves[2 * other + 1] if both else np.uint32(0)
    elif at < first_number + second_number:
        own = at - first_number
        key = second_keys[own]
        other = keys_before(first_keys, first_number, key)
        both = other < first_number and first_keys[min(other, first_number - 1)] == key
        pair = own + other + (1 if both else 0)
        keys[pair] = key
        pairs[RECORD * pair] = np.uint32(0)
        pairs[RECORD * pair + 1] = np.uint32(0)
        pairs[RECORD * pair + 2] = np.uint32(0) if both else second_leaves[2 * own]
        pairs[RECORD * pair + 3] = np.uint32(0) if both else second_leaves[2 * own + 1]
