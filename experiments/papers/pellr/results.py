"""What was measured, and the file that keeps it: rendering needs nothing else."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Literal

from experiments.papers.kit.recorded import kept_json
from experiments.papers.kit.source import read_results
from experiments.papers.pellr.paper import KIND
from experiments.papers.pellr.subjects import Kind

Status = Literal["ok", "not_representable", "left_out", "failed"]


@dataclass(frozen=True)
class MatrixRecord:
    """A matrix that was measured, or was to be.

    Attributes
    ----------
    name
        Of the matrix; one that is repeated is another matrix, ``NAME x COPIES``.
    kind, stands_for, note, printed
        As in `Subject`.
    of, copies
        The matrix that is repeated, and how often; the matrix itself once.
    rows, columns, nnz
        Counts.
    mean, sigma, shortest, longest
        Of the row lengths; sigma as of a population.
    histogram
        Rows with 0 entries, 1, 2 to 3, 4 to 7, and so on.
    diagonal_share, upper_share, left_share
        Shares of the entries: on the diagonal, in the first tenth of the rows, of the columns.
    iterations
        Of warps of 32, by formula (1): ``ellr`` and ``pellr``; ``biell`` and ``bijad`` by their arrays.
    counted
        The same counted on the device: ``ellr`` and ``pellr``.
    work
        By formula (2).
    missing
        Why it was not measured; empty if it was.
    sha256
        Its digest, with values in float64 (`vecsim.results.digests.matrix_sha256`); empty in older files.
    """

    name: str
    kind: Kind
    stands_for: str = ""
    note: str = ""
    printed: dict[str, float] = field(default_factory=dict)
    of: str = ""
    copies: int = 1
    rows: int = 0
    columns: int = 0
    nnz: int = 0
    mean: float = 0.0
    sigma: float = 0.0
    shortest: int = 0
    longest: int = 0
    histogram: tuple[int, ...] = ()
    diagonal_share: float = 0.0
    upper_share: float = 0.0
    left_share: float = 0.0
    iterations: dict[str, int] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    work: int = 0
    missing: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Record:
    """One method on one matrix in one type.

    Attributes
    ----------
    matrix, method, dtype
        Names; the type is float32 or float64.
    status
        ``ok``; ``not_representable``: the format would take too much; ``left_out``; ``failed``.
    reason
        Why it is not ``ok``.
    median_us, spread
        As `gpu.measure.timing.Timing`: warm, by replay of a graph.
    nbytes
        On the device, without x and y.
    setup_us
        Conversion and upload; None where the arrays were made from those of the other type.
    error
        max |y - r| / (|A| |x|), r in float64 from the rounded inputs.
    """

    matrix: str
    method: str
    dtype: str
    status: Status = "ok"
    reason: str = ""
    median_us: float | None = None
    spread: float | None = None
    nbytes: int | None = None
    setup_us: float | None = None
    error: float | None = None


@dataclass(frozen=True)
class Gpu:
    """The device that measured.

    Attributes
    ----------
    name
        The product's name.
    multiprocessors, threads_per_multiprocessor
        Their product is the threads that it holds at once.
    facts
        Versions and limits, as text.
    """

    name: str
    multiprocessors: int
    threads_per_multiprocessor: int
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """Threads that it holds at once."""
        return self.multiprocessors * self.threads_per_multiprocessor


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
        What made it (`vecsim.results.provenance`); empty in older files.
    """

    kind: Literal["vecsim reproduce pellr"]
    made: str
    commit: str
    gpu: Gpu
    seconds: dict[str, float]
    matrices: tuple[MatrixRecord, ...]
    records: tuple[Record, ...]
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)


def to_json(results: Results) -> bytes:
    """Write results, a line for each matrix and record."""
    return kept_json(asdict(results), ("matrices", "records"))


def read(path: str | os.PathLike[str]) -> Results:
    """Read results; raise as `experiments.papers.kit.source.read_results`."""
    return read_results(path, Results, KIND)
