"""C = alpha op(A) + beta op(B) of CSR matrices on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.runtime.cuda import THREADS_PER_BLOCK, cuda
from gpu.runtime.launches import ALPHA, BETA, Launch
from gpu.runtime.memory import all_or_nothing, real_type
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel
from gpu.sums.block_share import STEP, THREADS
from gpu.sums.device_csr import DeviceCsr, operand
from gpu.sums.merge_kernels import count_kernel, sum_kernel
from gpu.sums.shares import RECORD, cut_kernel
from gpu.sums.transposition import transposed
from vecsim.support.errors import UserError

MAX_COUNT = 2**31 - 1


class CsrSum:
    """alpha A + beta B of two matrices of one shape and type, with room for the work, ready to be enqueued.

    `count` comes first; then `entries` says how many the sum has, and `into` gives what writes it. While the
    entries of A and B stay where they are, both can be repeated with other values.

    Parameters
    ----------
    first, second
        A and B.
    drop_zeros
        Whether entries of the sum that are 0 are left out.
    """

    def __init__(self, first: DeviceCsr, second: DeviceCsr, *, drop_zeros: bool = False) -> None:
        self.shape = first.shape
        self.real: Any = real_type(first.values)
        rows = first.shape[0]
        self._drop_zeros, self._blocks = drop_zeros, -(-(first.nnz + second.nnz + rows) // STEP)
        sizes = {"records": RECORD * (self._blocks + 1), "counts": self._blocks, "offsets": self._blocks + 1}
        room: dict[str, Any] = all_or_nothing(
            lambda: {
                **{name: cuda.device_array(max(1, size), np.int32) for name, size in sizes.items()},
                "of_threads": cuda.device_array(max(1, self._blocks * THREADS), np.uint8),
            }
        )
        self._offsets, self._of_threads = room["offsets"], room["of_threads"]
        self._matrices = [part for each in (first, second)
                          for part in (each.pointers, each.columns, each.values)]  # fmt: skip
        self._shared = [*self._matrices, rows, room["records"], self._of_threads]
        pointers = first.pointers, first.columns, second.pointers, second.columns
        cuts = self._blocks + 1
        cutting = [*pointers, rows, STEP, cuts, room["records"]]
        counting = [*self._shared, room["counts"], ALPHA, BETA]
        self._counting = [
            Launch(cut_kernel, -(-cuts // THREADS_PER_BLOCK), THREADS_PER_BLOCK, cutting, self.real),
            *self._ready(count_kernel(self.real, drop_zeros), counting),
            Launch(offsets_kernel, 1, SCAN_THREADS, (room["counts"], self._blocks, self._offsets), self.real),
        ]

    def _ready(self, kernel: Any, arguments: list[Any]) -> list[Launch]:
        return [Launch(kernel, self._blocks, THREADS, arguments, self.real)] if self._blocks else []

    def count(self, alpha: float = 1.0, beta: float = 1.0, stream: Any = 0) -> None:
        """Put the first pass on a stream: the number of entries of the sum; alpha and beta matter to zeros.

        Parameters
        ----------
        alpha, beta
            The factors.
        stream
            0, or an object of Numba or cuda.core.
        """
        for each in self._counting:
            each(None, None, self.real(alpha), self.real(beta), stream)

    def entries(self, stream: Any = 0) -> int:
        """Wait for `count` and return the number of entries of the sum."""
        if stream:
            stream.synchronize()
        return int(self._offsets[self._blocks : self._blocks + 1].copy_to_host()[0])

    def empty(self, stream: Any = 0) -> DeviceCsr:
        """Wait for `count` and allocate the sum, exactly as large as it will be."""
        built = DeviceCsr.empty(self.shape, self.entries(stream), np.dtype(self.real))
        if not self._blocks:
            built.pointers.copy_to_device(np.zeros(1, np.int32))
        return built

    def into(self, result: DeviceCsr) -> list[Launch]:
        """Return the launches that write the sum into what `empty` gave."""
        kernel = sum_kernel(self.real, self._drop_zeros)
        arrays = [self._offsets, result.pointers, result.columns, result.values]
        return self._ready(kernel, [*self._shared, *arrays, ALPHA, BETA])

    def write(self, launches: list[Launch], alpha: float, beta: float, stream: Any = 0) -> None:
        """Put what `into` gave on a stream.

        Parameters
        ----------
        launches
            Of `into`.
        alpha, beta
            The factors.
        stream
            0, or an object of Numba or cuda.core.
        """
        for each in launches:
            each(None, None, self.real(alpha), self.real(beta), stream)


def add_csr(
    first: Any, second: Any, alpha: float, beta: float, is_transposed: tuple[bool, bool], drop_zeros: bool,
    stream: Any,
) -> DeviceCsr:  # fmt: skip
    """Return ``alpha op(A) + beta op(B)`` as a canonical CSR matrix on the device.

    Rows are merged twice: once to count the entries of the sum, so that exactly its memory is allocated, and
    once to write them. Each entry is what SciPy gives, to the last bit, and the same in every run.

    Parameters
    ----------
    first, second, alpha, beta, drop_zeros
        As of `gpu.add`.
    is_transposed
        Whether A, and B, are transposed.
    stream
        0, or an object of Numba or cuda.core.
    """
    one, two = operand("A", first), operand("B", second)
    _check(one, two, *is_transposed)
    if all(is_transposed):
        return transposed(_sum(one, two, alpha, beta, drop_zeros, stream), stream)
    one = transposed(one, stream) if is_transposed[0] else one
    two = transposed(two, stream) if is_transposed[1] else two
    return _sum(one, two, alpha, beta, drop_zeros, stream)


def _sum(
    first: DeviceCsr, second: DeviceCsr, alpha: float, beta: float, drop_zeros: bool, stream: Any
) -> DeviceCsr:
    work = CsrSum(first, second, drop_zeros=drop_zeros)
    work.count(alpha, beta, stream)
    result = work.empty(stream)
    work.write(work.into(result), alpha, beta, stream)
    if stream:
        stream.synchronize()  # the room for the work must outlive it
    return result


def _check(first: DeviceCsr, second: DeviceCsr, transpose_a: bool, transpose_b: bool) -> None:
    """Refuse operands that have no sum."""
    shapes = [each.shape[::-1] if is_transposed else each.shape
              for each, is_transposed in ((first, transpose_a), (second, transpose_b))]  # fmt: skip
    if shapes[0] != shapes[1]:
        names = [
            f"{name}^T" if is_transposed else name
            for name, is_transposed in (("A", transpose_a), ("B", transpose_b))
        ]
        raise UserError(
            f"{names[0]} is {shapes[0][0]} x {shapes[0][1]} and {names[1]} {shapes[1][0]} x {shapes[1][1]}: "
            "a sum needs equal shapes"
        )
    if first.dtype != second.dtype:
        raise UserError(f"A has type {first.dtype} and B {second.dtype}: convert one of them")
    if first.nnz + second.nnz > MAX_COUNT:
        raise UserError(
            f"A and B have {first.nnz + second.nnz} entries together: at most {MAX_COUNT} are possible"
        )
