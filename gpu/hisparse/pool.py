"""The memory pool that contains the nodes of matrices."""

from collections import deque
from typing import Any

import numpy as np

from gpu.hisparse.memory import FREE, USED, Geometry, Memory, release
from gpu.hisparse.node_layout import (
    REFERENCE_BYTES,
    UNIT_WORDS,
    dense_from,
    most_words,
    node_bits,
)
from vecsim.formats.array_types import FloatArray, IntArray, UIntArray
from vecsim.support.errors import UserError

MAX_WORDS = 2**32
"""A reference has 32 bits, and counts words: 16 GiB."""
SPARE_SHARE = 8
"""A new pool has one of this many parts more than its nodes take, untouched until nodes are edited."""


class Pool:
    """One array of 32-bit words with all nodes of one matrix, and of those that were edited from it.

    Nodes are only changed while one reference leads to them: a matrix never changes. A pool is not to be used
    by several threads at once.

    A copied or pickled pool has all nodes that were in use, also those of matrices that were not copied or
    pickled with it: these stay in use there.

    Attributes
    ----------
    node_size
        d.
    dtype
        Type of the values in leaves: float32 or float64.
    memory
        Its arrays; those of a larger pool replace them when it grows.
    released
        Roots whose matrices are gone, with their levels; their nodes are freed before others are made. To
        append is all that may happen while something else goes on.
    """

    def __init__(self, node_size: int, dtype: np.dtype[Any], words: int) -> None:
        """Make a pool for nodes of `words` words together, which are its own to fill from word 4 on."""
        self._begin(node_size, np.dtype(dtype))
        used = UNIT_WORDS + words
        _check_size(used)
        # Pages that nobody writes to take no memory, here as in a `grow`.
        spare = used // SPARE_SHARE + 8 * self._largest
        self.memory = self._arrays(min(used + spare, MAX_WORDS))
        self.memory.state[USED] = used

    def __getstate__(self) -> dict[str, Any]:
        """Return what `memory` is made from: its arrays are views of one buffer, which no copy keeps."""
        self.collect()
        words, free, state = self.words, self.memory.free, self.memory.state
        return {
            "node_size": self.node_size,
            "dtype": self.dtype,
            "words": words,
            "free": free,
            "state": state,
        }

    def __setstate__(self, recorded: dict[str, Any]) -> None:
        self._begin(recorded["node_size"], recorded["dtype"])
        self.memory = self._arrays(len(recorded["words"]))
        self._copy(recorded["words"], recorded["free"], recorded["state"])

    def _begin(self, node_size: int, dtype: np.dtype[Any]) -> None:
        self.node_size = node_size
        self.dtype = dtype
        self.released: deque[tuple[int, int]] = deque()
        widths = (REFERENCE_BYTES, dtype.itemsize)
        self._largest = max(most_words(node_size, width) for width in widths)
        self._dense_from = tuple(dense_from(node_size, width) for width in widths)

    def _copy(self, words: UIntArray, free: UIntArray, state: IntArray) -> None:
        self.memory.words[: len(words)] = words
        self.memory.free[:] = free
        self.memory.state[:] = state

    def _arrays(self, size: int) -> Memory:
        words = np.zeros(-(-size // UNIT_WORDS) * UNIT_WORDS, np.uint32)
        free = np.zeros(self._largest // UNIT_WORDS + 1, np.uint32)
        return Memory(words, words.view(np.uint16), words.view(self.dtype), free, np.zeros(2, np.int64))

    def geometry(self, levels: int) -> Geometry:
        """Return what compiled code needs to know of a tree in it."""
        return Geometry(levels, node_bits(self.node_size), self.node_size, *self._dense_from)

    @property
    def words(self) -> UIntArray:
        """The nodes, uint32, from the 16 bytes before the first one to the end of the last: a GPU's copy."""
        words: UIntArray = self.memory.words[: self.memory.state[USED]]
        return words

    @property
    def values(self) -> FloatArray:
        """The same bytes in the type of the values."""
        values: FloatArray = self.words.view(self.dtype)
        return values

    @property
    def bytes_in_use(self) -> int:
        """Bytes of the nodes of all matrices in it that are still there."""
        self.collect()
        state = self.memory.state
        return int(state[USED] - state[FREE] - UNIT_WORDS) * REFERENCE_BYTES

    def share(self, root: int) -> None:
        """Count a reference more to a tree."""
        self.memory.words[root & ~3 | 1] += np.uint32(root != 0)

    def collect(self) -> None:
        """Free the nodes of matrices that are gone."""
        while self.released:
            root, levels = self.released.popleft()
            release(self.memory, root, self.geometry(levels))

    def room(self, levels: int) -> int:
        """Return the words that one edit of a tree may take: a copy of a path, and its ends made again."""
        return (levels + 3) * self._largest

    def reserve(self, levels: int) -> None:
        """Free what is gone, and see to it that there is room for one edit at least.

        Raises
        ------
        UserError
            If it would be larger than 16 GiB.
        """
        self.collect()
        used, room = int(self.memory.state[USED]), self.room(levels)
        if used + room <= len(self.memory.words):
            return
        _check_size(used + room)
        words, free, state = self.words, self.memory.free, self.memory.state
        self.memory = self._arrays(min(used + max(used // 2, 8 * room), MAX_WORDS))
        self._copy(words, free, state)


def _check_size(words: int) -> None:
    if words > MAX_WORDS:
        raise UserError(
            f"the nodes would take {words * REFERENCE_BYTES:,} bytes, "
            f"but references of 32 bits reach {MAX_WORDS * REFERENCE_BYTES:,}: use CRS"
        )
