"""The hash as its own question: how alike it makes rows of a warp, at what cost on a CPU.

Blocks are sampled, since a matrix has up to a million of them; those without an entry are left out, as the
paper does. What is timed is the ordering alone, compiled by Numba, on all cores, the shortest of several
runs: of use for comparing methods with each other, not as a time of a GPU.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.papers.hbp.results import OrderRecord
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS, WARP
from gpu.hbp.hashing import CLASSES, RowHash
from gpu.hbp.ordering import CLASS_BITS, ON_THE_HOST, ordered

SAMPLED_ROWS = 1 << 20
"""Rows of blocks that are looked at, at most."""
REPEATS = 5
PROBED_RUNS = 3
"""Of an order that depends on which thread comes first."""
SEED = 20_261_123
PARTITIONS = ((128, 4096), (512, 1024), (512, 4096), (512, 16_384), (2048, 4096), (8192, 4096))
"""Rows and columns of blocks; the paper's is 512 x 4096."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """A sample of the blocks of a matrix.

    Attributes
    ----------
    counts
        (blocks, block_rows) int32: entries of each row in its block.
    whole
        (blocks, block_rows) int32: entries of each of these rows in the matrix.
    columns
        Of a block.
    """

    counts: NDArray[np.int32]
    whole: NDArray[np.int32]
    columns: int


def sample(csr: Any, block_rows: int, block_columns: int) -> Blocks:
    """Sample the blocks of a matrix that have entries.

    Parameters
    ----------
    csr
        A canonical csr_array.
    block_rows, block_columns
        Of a block.
    """
    across = -(-csr.shape[1] // block_columns)
    row = np.repeat(np.arange(csr.shape[0], dtype=np.int64), np.diff(csr.indptr))
    block = row // block_rows * across + csr.indices // block_columns
    filled = np.unique(block)
    most = max(1, SAMPLED_ROWS // block_rows)
    if len(filled) > most:
        filled = np.sort(np.random.default_rng(SEED).choice(filled, most, replace=False))
    place = np.minimum(np.searchsorted(filled, block), len(filled) - 1)
    chosen = filled[place] == block
    slots = place[chosen] * block_rows + row[chosen] % block_rows
    counts = np.bincount(slots, minlength=len(filled) * block_rows).astype(np.int32)
    lengths = np.zeros(-(-csr.shape[0] // block_rows) * block_rows, np.int32)
    lengths[: csr.shape[0]] = np.diff(csr.indptr)
    return Blocks(
        counts.reshape(-1, block_rows), lengths.reshape(-1, block_rows)[filled // across], block_columns
    )


def compared(name: str, blocks: Blocks) -> list[OrderRecord]:
    """Compare all methods on the blocks of a matrix.

    Parameters
    ----------
    name
        Of the matrix.
    blocks
        Of `sample`.
    """
    row_hash = RowHash.sampled(blocks.counts.ravel(), blocks.counts.shape[1])
    matches = [_record(name, blocks, method, row_hash) for method in ON_THE_HOST]
    return [*matches, *(_record(name, blocks, "classes", row_hash, bits) for bits in (0, 1, 3))]


def compared_on_the_device(name: str, blocks: Blocks) -> list[OrderRecord]:
    """Measure the orders that depend on which thread comes first, on the same blocks, the mean of some runs.

    Parameters
    ----------
    name, blocks
        As of `compared`.
    """
    from gpu.hbp.building.probed_order import PROBING, probing_grid, probing_kernel
    from gpu.hbp.building.row_hash import divides_by_product, numbers_of
    from gpu.runtime.launches import enqueue
    from gpu.runtime.memory import upload

    number, rows = blocks.counts.shape
    row_hash = RowHash.sampled(blocks.counts.ravel(), rows)
    divides = divides_by_product(row_hash, rows, blocks.columns)
    counts, order = upload(blocks.counts.ravel()), upload(np.zeros(blocks.counts.size, np.int32))
    regular = np.arange(blocks.counts.size) % WARP == 0
    matches = []
    for method in PROBING:
        runs = []
        for _ in range(PROBED_RUNS):
            arguments = (counts, number, *numbers_of(row_hash), order)
            enqueue(probing_kernel(rows, method, divides), probing_grid(rows, number, method), arguments, 0)
            placed = np.take_along_axis(blocks.counts, order.copy_to_host().reshape(number, rows), axis=1)
            runs.append(measured(placed.ravel(), regular))
        deviation, steps = np.mean(runs, axis=0).tolist()
        record = OrderRecord(name, method, rows, blocks.columns, number, row_hash.numbers(), deviation)
        lanes = float(blocks.counts.sum()) / (WARP * steps) if steps else 0.0
        matches.append(replace(record, steps=round(steps), lanes=lanes))
    return matches


def varied(name: str, blocks: Blocks) -> Iterator[OrderRecord]:
    """Vary each number of the published hash, the others as they are sampled.

    Parameters
    ----------
    name
        Of the matrix.
    blocks
        Of `sample`.
    """
    rows = blocks.counts.shape[1]
    own = RowHash.sampled(blocks.counts.ravel(), rows)
    tried = set()
    for a in range(max(0, own.a - 2), own.a + 4):
        tried.add(RowHash(a, own.b, max(1, own.b >> a), own.d))
    for b in (rows // 36, rows // 18, rows // 12, rows // CLASSES, rows // 8):
        tried.add(RowHash(own.a, b, own.c, own.d))
    for c in (1, 2, max(1, own.c // 2), own.c * 2, 7, 13):
        tried.add(RowHash(own.a, own.b, c, own.d))
    for d in (1, own.d // 4, own.d // 2, own.d * 2, own.d * 4):
        tried.add(RowHash(own.a, own.b, own.c, max(1, d)))
    for each in sorted(tried - {own}, key=lambda h: (h.a, h.b, h.c, h.d)):
        yield _record(name, blocks, "hash", each)
    for a in range(own.a):
        yield _record(name, blocks, "in_turn", RowHash.of(a, rows))


def _record(name: str, blocks: Blocks, method: str, row_hash: RowHash, bits: int = CLASS_BITS) -> OrderRecord:
    counts = blocks.counts
    seconds = float("inf")
    for _ in range(REPEATS):
        begun = time.perf_counter()
        result = ordered(counts, method, row_hash, blocks.whole, bits)
        seconds = min(seconds, time.perf_counter() - begun)
    placed = np.take_along_axis(counts, result.order, axis=1).ravel()
    deviation, steps = measured(placed, result.group_begins.ravel())
    numbers = row_hash.numbers()
    return OrderRecord(
        name,
        method,
        counts.shape[1],
        blocks.columns,
        len(counts),
        numbers if method in ("hash", "in_turn") else {"bits": bits} if method == "classes" else {},
        deviation,
        steps,
        float(counts.sum()) / (WARP * steps) if steps else 0.0,
        0.0 if method == "own" else 1e9 * seconds / counts.size,
    )


def measured(placed: NDArray[np.int32], group_begins: NDArray[np.bool_]) -> tuple[float, int]:
    """Return the mean standard deviation within groups, and the steps of all warps.

    Parameters
    ----------
    placed
        Entries of the row at each place.
    group_begins
        Whether a group begins there.
    """
    begins = np.flatnonzero(group_begins)
    sizes = np.diff(begins, append=len(placed))
    wide = placed.astype(np.float64)
    means = np.add.reduceat(wide, begins) / sizes
    squares = np.add.reduceat((wide - np.repeat(means, sizes)) ** 2, begins) / sizes
    return float(np.sqrt(squares).mean()), int(np.maximum.reduceat(placed, begins).sum())


def study(name: str, csr: Any, *, every_partition: bool) -> list[OrderRecord]:
    """Answer the question for a matrix: all methods, and where asked for all partitions and numbers.

    Parameters
    ----------
    name
        Of the matrix.
    csr
        A canonical csr_array.
    every_partition
        Whether partitions other than the paper's are looked at, and the numbers of the hash varied.
    """
    own = sample(csr, BLOCK_ROWS, BLOCK_COLUMNS)
    matches = compared(name, own)
    if every_partition:
        matches += varied(name, own)
        for rows, columns in PARTITIONS:
            if (rows, columns) != (BLOCK_ROWS, BLOCK_COLUMNS):
                matches += compared(name, sample(csr, rows, columns))
    return matches
