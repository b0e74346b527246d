"""What was measured, and the file that keeps it: rendering needs nothing else."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Literal

from experiments.papers.hbp.paper import KIND
from experiments.papers.kit.recorded import kept_json
from experiments.papers.kit.source import read_results

Status = Literal["ok", "not_representable", "left_out", "failed"]


@dataclass(frozen=True)
class MatrixRecord:
    """A matrix that was measured, or was to be.

    Attributes
    ----------
    name, stands_for, note
        Its name, the paper's, and what it is.
    rows, nnz, longest
        Counts.
    mean, sigma
        Of the row lengths.
    missing
        Why it was not measured; empty if it was.
    sha256
        Its digest, with values in float64.
    """

    name: str
    stands_for: str = ""
    note: str = ""
    rows: int = 0
    nnz: int = 0
    longest: int = 0
    mean: float = 0.0
    sigma: float = 0.0
    missing: str = ""
    sha256: str = ""


@dataclass(frozen=True, eq=False)
class OrderRecord:
    """An order of the rows of blocks, measured on the CPU.

    Attributes
    ----------
    matrix, method
        Names; the method is one of `gpu.hbp.ordering.ON_THE_HOST`.
    block_rows, block_columns, blocks
        The partition, and the sampled blocks.
    numbers
        Of the hash: a, b, c and d; of classes: their bits.
    deviation
        Standard deviation of the entries of rows within a group, mean over the groups.
    steps
        The longest rows of all groups, added: so many steps warps take.
    lanes
        The share of lanes that have an entry in these steps.
    nanoseconds
        Of ordering, a row of a block; 0 where nothing is done.
    """

    matrix: str
    method: str
    block_rows: int
    block_columns: int
    blocks: int
    numbers: dict[str, int] = field(default_factory=dict)
    deviation: float = 0.0
    steps: int = 0
    lanes: float = 0.0
    nanoseconds: float = 0.0


@dataclass(frozen=True)
class PreparationRecord:
    """A step of preprocessing on the GPU.

    Attributes
    ----------
    matrix, method
        Names; an order of `gpu.hbp.ordering.METHODS`, or a format.
    stage
        ``order``: the rows of blocks, counted and the hash chosen before, put in order; ``all``: the whole
        conversion from CRS.
    status, reason
        As of `ProductRecord`.
    median_us
        Of several runs.
    spread
        Interquartile range of the runs as a share of the median.
    """

    matrix: str
    method: str
    stage: Literal["order", "all"]
    status: Status = "ok"
    reason: str = ""
    median_us: float | None = None
    spread: float | None = None


@dataclass(frozen=True)
class ProductRecord:
    """A product on the GPU.

    Attributes
    ----------
    matrix, method, dtype
        Names; the type is float32 or float64.
    status
        ``ok``; ``not_representable``: the format would take too much; ``left_out``; ``failed``.
    reason
        Why it is not ``ok``; of the best of cuSPARSE which it is.
    median_us
        Warm, by replay of a graph.
    combine_us
        Of the kernels behind the first alone: what adds the sums of blocks; None where there is none.
    nbytes
        On the device, without x and y.
    error
        max |y - r| / (|A| |x|), r in float64 from the rounded inputs.
    """

    matrix: str
    method: str
    dtype: str
    status: Status = "ok"
    reason: str = ""
    median_us: float | None = None
    combine_us: float | None = None
    nbytes: int | None = None
    error: float | None = None


@dataclass(frozen=True)
class Results:
    """Everything that one run measured.

    Attributes
    ----------
    kind
        What the file says it is.
    made, commit
        When it began (ISO 8601, UTC), and of which code.
    gpu
        The name of the device; empty if there was none, and then nothing is known of products.
    facts
        Versions and limits of it, as text; of the host where there was none.
    seconds
        What the phases of the run took.
    matrices, orders, preparations, products
        In the order in which they were measured.
    command, versions
        What made it (`vecsim.results.provenance`).
    """

    kind: Literal["vecsim reproduce hbp"]
    made: str
    commit: str
    gpu: str
    facts: dict[str, str]
    seconds: dict[str, float]
    matrices: tuple[MatrixRecord, ...]
    orders: tuple[OrderRecord, ...] = ()
    preparations: tuple[PreparationRecord, ...] = ()
    products: tuple[ProductRecord, ...] = ()
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)


def to_json(results: Results) -> bytes:
    """Write results, a line for each record."""
    return kept_json(asdict(results), ("matrices", "orders", "preparations", "products"))


def read(path: str | os.PathLike[str]) -> Results:
    """Read results; raise as `experiments.papers.kit.source.read_results`."""
    return read_results(path, Results, KIND)
