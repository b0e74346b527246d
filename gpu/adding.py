"""`gpu.add`: sums of two matrices on the device."""

from __future__ import annotations

from typing import Any

from gpu.hisparse.device_hisparse import DeviceHiSparse
from gpu.hisparse.sum.adding import add_trees, is_tree
from gpu.runtime.cuda import require_gpu
from gpu.runtime.vectors import stream_of
from gpu.sums.csr_sum import add_csr
from gpu.sums.device_csr import DeviceCsr
from gpu.vector_products import check_factor


def add(
    first: Any,
    second: Any,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    drop_zeros: bool = False,
    stream: Any = None,
) -> DeviceCsr | DeviceHiSparse:
    """Return ``alpha op(A) + beta op(B)`` on the device, in the format of its operands, CSR or HiSparse.

    Entries are counted first, so that exactly the memory of the sum is allocated, and then written. Each
    is what SciPy gives, to the last bit, and the same in every run.

    Parameters
    ----------
    first, second
        A and B: each a `gpu.DeviceCsr`; any SciPy sparse matrix, which is uploaded and whose duplicates are
        summed; or a CSR matrix whose ``indptr``, ``indices`` and ``data`` lie on the device (CuPy), which is
        refused unless its columns ascend in each row without duplicates. Or both are HiSparse: each a
        `gpu.DeviceHiSparse` or a `gpu.hisparse.container.HiSparse`, which is uploaded.
    alpha, beta
        Factors, of the type of the values.
    transpose_a, transpose_b
        Whether op is the transpose. In CSR a transposed operand is converted first; with both, the sum is. In
        HiSparse nothing is converted.
    drop_zeros
        Leave out entries of the sum that are 0. Without it every place of A or B has an entry, also where
        they cancel or hold an explicit 0.
    stream
        As of `DeviceMatrix.matvec`. The host waits for the first pass, to allocate, and for the stream at
        the end if one is given.

    Raises
    ------
    UserError
        In one line: an operand is none of these, shapes or types differ, both have together more than
        2^31 - 1 entries, or there is no GPU.
    OutOfDeviceMemoryError
        If the device has too little memory.
    """
    require_gpu()
    for name, factor in (("alpha", alpha), ("beta", beta)):
        check_factor(name, factor)
    stream, transposed = stream_of(stream), (transpose_a, transpose_b)
    adding = add_trees if is_tree(first) or is_tree(second) else add_csr
    return adding(first, second, alpha, beta, transposed, drop_zeros, stream)
