"""The memory of nodes on the device: of a tree, and of those that were edited from it."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

import numpy as np

from gpu.hisparse.node_layout import UNIT_WORDS
from gpu.hisparse.pool import MAX_WORDS, SPARE_SHARE
from gpu.runtime.memory import all_or_nothing, empty
from vecsim.support.errors import UserError


class DevicePool:
    """Words of nodes. Nodes are appended and never changed: trees may share them.

    Parameters
    ----------
    words
        uint32 device array.
    used
        How many of them nodes take, with the first 16 bytes, which belong to none.

    Attributes
    ----------
    words
        The array; a larger one replaces it when the pool grows. Products that were made of the old one
        go on with it.
    used
        As given, and all that was appended.
    trees
        The trees that lie in it, as long as somebody holds them.
    """

    def __init__(self, words: Any, used: int) -> None:
        self.words, self.used = words, used
        self.trees: WeakSet[Any] = WeakSet()

    @classmethod
    def of(cls, used: int, spare: int = 0) -> DevicePool:
        """Make room for nodes of `used` words together, and for `spare` words more.

        Raises
        ------
        UserError
            The nodes would take more than 16 GiB.
        OutOfDeviceMemoryError
            The device has too little memory.
        """
        _check_size(used)
        used = max(UNIT_WORDS, used)
        room = min(used + spare, MAX_WORDS) // UNIT_WORDS * UNIT_WORDS
        words = all_or_nothing(lambda: empty(room, np.uint32))
        words[:UNIT_WORDS].copy_to_device(np.zeros(UNIT_WORDS, np.uint32))
        return cls(words, used)

    def append(self, size: int) -> None:
        """Take `size` words after those that are used; where there is no room, the pool grows.

        Raises
        ------
        UserError, OutOfDeviceMemoryError
            As of `of`.
        """
        if not self.has_room(size):
            grown = DevicePool.of(self.used + size, (self.used + size) // SPARE_SHARE)
            grown.words[: self.used].copy_to_device(self.words[: self.used])
            self.words = grown.words
        self.used += size

    def has_room(self, size: int) -> bool:
        """Return whether it can take this many words more without growing."""
        return self.used + size <= int(self.words.size)

    def is_only(self, tree: Any) -> bool:
        """Return whether a tree is the only one that lies in it."""
        return all(each is tree for each in self.trees)


def _check_size(used: int) -> None:
    if not 0 <= used <= MAX_WORDS:
        raise UserError("the nodes of the matrix would take more than 16 GiB: use CSR matrices")
