"""What was measured, and the file that keeps it: rendering needs nothing else."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Literal

from experiments.papers.hisparse.paper import KIND
from experiments.papers.kit.recorded import kept_json
from experiments.papers.kit.source import read_results

Status = Literal["ok", "failed"]


@dataclass(frozen=True)
class Level:
    """The nodes of one level of a tree.

    Attributes
    ----------
    sparse, dense
        Nodes of each kind.
    sparse_entries, dense_entries
        Their non-zeros, or their children.
    """

    sparse: int
    dense: int
    sparse_entries: int
    dense_entries: int


@dataclass(frozen=True)
class Tree:
    """A matrix in HiSparse.

    Attributes
    ----------
    node_size
        d.
    dtype
        Of the values: float32 or float64.
    nbytes
        All nodes, as they are stored (`HiSparse.storage`).
    levels
        Leaves first.
    """

    node_size: int
    dtype: str
    nbytes: int
    levels: tuple[Level, ...]

    @property
    def leaves(self) -> int:
        """Leaves of both kinds."""
        return self.levels[0].sparse + self.levels[0].dense if self.levels else 0

    @property
    def inner(self) -> Level:
        """All inner nodes as one level."""
        above = self.levels[1:]
        return Level(
            sum(each.sparse for each in above),
            sum(each.dense for each in above),
            sum(each.sparse_entries for each in above),
            sum(each.dense_entries for each in above),
        )


@dataclass(frozen=True)
class MatrixRecord:
    """A matrix that was measured, or was to be.

    Attributes
    ----------
    name, group
        Of the matrix in the GPU suite, and its class there.
    stands_for
        The paper's name of the matrix that it stands for; empty for none.
    rows, columns, nnz
        Counts.
    mean, sigma, longest
        Of the entries of a row; sigma as of a population.
    trees
        The matrix in HiSparse; none if it was not measured.
    missing
        Why it was not measured; empty if it was.
    sha256
        Its digest, with values in float64 (`vecsim.results.digests.matrix_sha256`).
    """

    name: str
    group: str
    stands_for: str = ""
    rows: int = 0
    columns: int = 0
    nnz: int = 0
    mean: float = 0.0
    sigma: float = 0.0
    longest: int = 0
    trees: tuple[Tree, ...] = ()
    missing: str = ""
    sha256: str = ""

    def tree(self, node_size: int, dtype: str) -> Tree | None:
        """Give the matrix in HiSparse; None if it was not converted so."""
        return next((t for t in self.trees if (t.node_size, t.dtype) == (node_size, dtype)), None)


@dataclass(frozen=True)
class Record:
    """One operation by one method on one matrix in one type.

    Attributes
    ----------
    matrix, operation, method, dtype
        Names; the operation is one of `experiments.papers.hisparse.methods.OPERATIONS`.
    status, reason
        ``ok``, or ``failed`` and why.
    chosen
        Of several formats or algorithms, the fastest, which this is.
    median_us, spread
        As `gpu.measure.timing.Timing`: warm, by replay of a graph.
    nbytes
        On the device, without x and y.
    error
        As `vecsim.formats.accuracy.ExactProduct.error`.
    same_bits
        Whether two runs gave equal bits; None where that was not compared.
    parts
        Of a sum: microseconds of ``symbolic`` and ``numeric``, each timed alone, and of ``conversion``.
    """

    matrix: str
    operation: str
    method: str
    dtype: str
    status: Status = "ok"
    reason: str = ""
    chosen: str = ""
    median_us: float | None = None
    spread: float | None = None
    nbytes: int | None = None
    error: float | None = None
    same_bits: bool | None = None
    parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Gpu:
    """The device that measured: the product's name, and versions and limits as text."""

    name: str
    facts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """Everything that one run measured.

    Attributes
    ----------
    kind
        What the file says it is.
    made
        When it began: ISO 8601, UTC.
    commit
        Of the code; empty if unknown.
    gpu
        The device.
    seconds
        What the phases of the run took.
    matrices, records
        In the order in which they were measured.
    command, versions
        What made it (`vecsim.results.provenance`).
    added
        What was measured in another run than the rest: when, and the commit.
    """

    kind: Literal["vecsim reproduce hisparse"]
    made: str
    commit: str
    gpu: Gpu
    seconds: dict[str, float]
    matrices: tuple[MatrixRecord, ...]
    records: tuple[Record, ...]
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)


def to_json(results: Results) -> bytes:
    """Write results, a line for each matrix and record."""
    return kept_json(asdict(results), ("matrices", "records"))


def read(path: str | os.PathLike[str]) -> Results:
    """Read results; raise as `experiments.papers.kit.source.read_results`."""
    return read_results(path, Results, KIND)
