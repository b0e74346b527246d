"""Edits on the GPU: entries inserted into HiSparse, and into CSR, next to what each writes.

An edit waits for the device several times, so no graph can have it: times are those of the host.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse

from experiments.papers.hisparse.device_trees import Positions
from experiments.papers.hisparse.methods import CSR_EDIT, EDIT, TREE_EDIT
from experiments.papers.kit.measurement import one_line
from experiments.papers.kit.results import Record

INSERTED = 1000
"""Entries of an edit: "few entries" (section 3.2)."""
SEED = 20_170_615
TIMES = 5
"""How often each edit is timed, in turn, after one that is not."""

Clock = Callable[[Sequence[Callable[[], Any]]], Sequence[float]]
"""Returns the microseconds of each operation, median of several."""


def in_turn(operations: Sequence[Callable[[], Any]]) -> list[float]:
    """Time operations in turn on the host until the device has done them, microseconds."""
    from gpu.runtime.cuda import cuda

    times: list[list[float]] = [[] for _ in operations]
    for turn in range(TIMES + 1):
        for operation, own in zip(operations, times, strict=True):
            cuda.synchronize()
            begun = time.perf_counter()
            operation()
            cuda.synchronize()
            if turn:
                own.append((time.perf_counter() - begun) * 1e6)
    return list(map(median, times))


def edits(matrix: str, csr: Any, clock: Clock) -> list[Record]:
    """Measure both edits of a matrix of float64; what fails is recorded with its reason.

    Parameters
    ----------
    matrix
        Its name.
    csr
        The matrix, canonical.
    clock
        See `Clock`.
    """
    blanks = [Record(matrix, each, csr.dtype.name, EDIT) for each in (TREE_EDIT, CSR_EDIT)]
    try:
        return list(_edits(csr, clock, blanks))
    except Exception as error:  # the other matrices are measured
        return [replace(each, status="failed", reason=one_line(error)) for each in blanks]


def _edits(csr: Any, clock: Clock, blanks: Sequence[Record]) -> Iterator[Record]:
    import gpu
    from gpu.hisparse.node_layout import DEFAULT_NODE_SIZE
    from gpu.runtime.memory import upload

    rng = np.random.default_rng(SEED)
    batch = [rng.integers(0, side, INSERTED).astype(np.int32) for side in csr.shape]
    values = rng.uniform(-1, 1, INSERTED)
    added = scipy.sparse.coo_array((values, tuple(batch)), csr.shape).tocsr()
    tree = Positions(csr).tree(csr.data, DEFAULT_NODE_SIZE)
    given: list[Any] = [upload(np.asarray(each)) for each in (*batch, values)]
    one, two = gpu.DeviceCsr.from_scipy(csr), gpu.DeviceCsr.from_scipy(added)
    # The first edit makes the pool grow.
    edited, summed = tree.insert(*given), gpu.add(one, two)
    written = (edited.added_nbytes + edited.content.leaves.nbytes, summed.nbytes)
    times = clock((lambda: tree.insert(*given), lambda: gpu.add(one, two)))
    for blank, nbytes, microseconds in zip(blanks, written, times, strict=True):
        yield replace(blank, nbytes=int(nbytes), median_us=microseconds)
