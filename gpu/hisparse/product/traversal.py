"""The product of HiSparse as its paper schedules it: the tree is walked down in every product (section 4).

Nodes of each level are put into a queue, leaves into four, by their type and size; persistent blocks of
threads draw work from these by atomic tickets. Numba starts no kernel from a kernel, so there is a launch for
each level. The pool is multiplied as it lies, nothing is laid out beforehand, and entries are added to y by
atomics: the last bits differ from run to run. `gpu.prepare` takes `HiSparseProduct`.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from gpu.hisparse.container import HiSparse
from gpu.hisparse.product.traversal_kernels import (
    BINS,
    LARGE_BIN,
    THREADS,
    begin_kernel,
    expand_kernel,
    leaves_kernel,
)
from gpu.runtime.cuda import SIMULATED, THREADS_PER_BLOCK, cuda
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, X, Y
from gpu.runtime.memory import all_or_nothing, real_type, upload

RESIDENT = 12
"""Persistent blocks of a multiprocessor."""


class HiSparseTraversal(LaunchedInTurn):
    """A `HiSparse` matrix on the device, and the launches of its product by traversal.

    Products of the same object must not overlap: they share the queues.

    Parameters
    ----------
    matrix
        The matrix.

    Attributes
    ----------
    transposed
        The product of the transpose, of the same pool and queues; it has no `transposed` of its own.
    """

    def __init__(self, matrix: HiSparse) -> None:
        tree = matrix.content
        self.real = real_type(tree.pool.values)
        self.scale = self.real(matrix.scale)
        self._root, self._shape, self._bits = tree.root, tree.shape, tree.geometry.bits
        numbers = [len(each.references) for each in tree.nodes]
        # Behind the queues of leaves there is one for each inner level.
        sizes = [numbers[0]] * BINS + [max(1, number) for number in numbers[1:]]
        self._words = all_or_nothing(lambda: upload(tree.pool.words))
        self._queues = all_or_nothing(
            lambda: [cuda.device_array(3 * max(1, size), np.int32) for size in sizes]
        )
        self._heads, self._tails = (upload(np.zeros(len(sizes) + 1, np.int32)) for _ in range(2))
        self.launches = self._launches(matrix.transposed)
        self.transposed = copy.copy(self)
        self.transposed.launches = self._launches(not matrix.transposed)

    def _launches(self, turned: bool) -> list[Launch]:
        rows = self._shape[int(turned)]
        blocks = 2 if SIMULATED else RESIDENT * shared_memory()[0]
        words, halves, values = self._words, self._words.view(np.uint16), self._words.view(self.real)
        inner = list(range(len(self._queues) - 1, BINS - 1, -1))
        first = len(self._queues) - 1 if inner else LARGE_BIN
        made = [
            Launch(begin_kernel(self.real), max(1, -(-rows // THREADS_PER_BLOCK)), THREADS_PER_BLOCK,
                   (self._heads, self._tails, len(self._queues), self._root, first, self._queues[first], Y,
                    rows, BETA),
                   self.real)
        ]  # fmt: skip
        for queue in inner:
            below = self._queues[:BINS] if queue == BINS else [self._queues[queue - 1]] * BINS
            shift = self._bits * (queue - BINS + 1)
            made.append(
                Launch(expand_kernel(self._bits), blocks, THREADS,
                       (words, halves, self._heads, self._tails, queue, self._queues[queue], shift, *below),
                       self.real)
            )  # fmt: skip
        kernel = leaves_kernel(self.real, self._bits, turned)
        arguments = (words, halves, values, self._heads, self._tails, *self._queues[:BINS], X, Y, ALPHA)
        return [*made, Launch(kernel, blocks, THREADS, arguments, self.real)]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream, A with its scale; parameters as of a `Launch`.

        Parameters
        ----------
        x, y, alpha, beta, stream
            As of a `Launch`.
        """
        super().launch(x, y, self.scale * alpha, beta, stream)
