"""What was measured, with what the PELLR paper asks of it: rendering needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from experiments.papers.kit import results as kit
from experiments.papers.pellr.subjects import QUADRO_P600_THREADS
from vecsim.support.suggestions import counted

DTYPES = {"float64": "f64", "float32": "f32"}
"""The types, and how they are called in tables."""
SETS = {
    "alone": "matrices as they are",
    "filled": "repeated until they fill the GPU",
    "generated": "generated, a million rows",
}
"""Kinds of comparisons, and how panels of charts are called."""
ELLR, CUT_ELLR = "ellr", "ellr-sliced"
"""ELLPACK-R as published, in one slice, and cut into slices of a warp."""
PELLR, CUT_PELLR, NEAR = "pellr", "pellr-sliced", "pellr-near"
"""PELLR as published, cut into slices, and these in the order of their first rows."""
BY_WARP = "pellr-warps"
HYB = "hyb-third"
PARTS = {"alone": "as they are", "filled": "repeated", "generated": "generated"}
"""How the sets are called in claims."""


@dataclass(frozen=True)
class MatrixRecord(kit.MatrixRecord):
    """A matrix that was measured, or was to be; one that is repeated is another one, ``NAME x COPIES``.

    Attributes
    ----------
    group
        One of `experiments.papers.pellr.subjects.KINDS`.
    printed
        As in `experiments.papers.pellr.subjects.Subject`.
    of, copies
        The matrix that is repeated, and how often; the matrix itself once.
    shortest
        Of the row lengths.
    histogram
        Rows with 0 entries, 1, 2 to 3, 4 to 7, and so on.
    diagonal_share, upper_share, left_share
        Shares of the entries: on the diagonal, in the first tenth of the rows, of the columns.
    iterations
        Of warps of 32, by formula (1): ``ellr`` and ``pellr``; ``biell`` and ``bijad`` by their arrays.
    longest_warp
        Iterations of the longest warp, by the same names.
    counted
        The same counted on the device: ``ellr`` and ``pellr``.
    work
        By formula (2).
    """

    printed: dict[str, float] = field(default_factory=dict)
    of: str = ""
    copies: int = 1
    shortest: int = 0
    histogram: tuple[int, ...] = ()
    diagonal_share: float = 0.0
    upper_share: float = 0.0
    left_share: float = 0.0
    iterations: dict[str, int] = field(default_factory=dict)
    longest_warp: dict[str, int] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    work: int = 0


@dataclass(frozen=True)
class Results(kit.Results):
    """Everything that one run measured; the part ``setup`` of a record is conversion and upload."""

    paper = "pellr"
    own = PELLR

    matrices: tuple[MatrixRecord, ...]

    def stand_in_matrices(self) -> str:
        """Return in words how many of the matrices as they are stand in for others of the paper."""
        alone = self.sets["alone"]
        standing_in = sum(each.group == "stand-in" for each in alone)
        return f"{standing_in} of {counted(len(alone), 'matrix')}" if standing_in else ""

    @property
    def threads(self) -> int:
        """Threads that the GPU holds at once."""
        return threads_of(self.facts)

    @cached_property
    def sets(self) -> dict[str, list[MatrixRecord]]:
        """The measured matrices of each of `SETS`, by rising sigma as the paper's axes have them."""
        result: dict[str, list[MatrixRecord]] = {name: [] for name in SETS}
        for matrix in self.matrices:
            if not matrix.missing:
                result[matrix.group if matrix.group in SETS else "alone"].append(matrix)
        return {name: sorted(each, key=lambda matrix: matrix.sigma) for name, each in result.items()}

    def ratio(
        self, matrix: kit.MatrixRecord, slow: str, dtype: str, fast: str = "", operation: str = ""
    ) -> float | None:
        """Return how many times PELLR, or another method, is faster than one.

        ``ellr`` is ELLPACK-R as published where PELLR is, otherwise cut into slices, too.

        Parameters
        ----------
        matrix, slow, dtype, fast, operation
            As of `kit.Results.ratio`.
        """
        fast = fast or self.own_of(matrix)
        return super().ratio(
            matrix, self.ellr(matrix, fast) if slow == ELLR else slow, dtype, fast, operation
        )

    def own_of(self, matrix: kit.MatrixRecord) -> str:
        """Return the method that stands for PELLR on a matrix: as published where one slice fits."""
        return PELLR if self.time(matrix, PELLR, "float64") is not None else CUT_PELLR

    def ellr(self, matrix: kit.MatrixRecord, fast: str = PELLR) -> str:
        """Return the method that stands for ELLPACK-R on a matrix, next to a form of PELLR."""
        cut = fast in (CUT_PELLR, NEAR) or self.time(matrix, ELLR, "float64") is None
        return CUT_ELLR if cut else ELLR

    def ell_part(self, matrix: kit.MatrixRecord, dtype: str, fast: str = "") -> float | None:
        """Return how many times PELLR, or another method, is faster than HYB with free coordinates."""
        record = self.record(matrix, HYB, dtype)
        own = self.time(matrix, fast or self.own_of(matrix), dtype)
        part = None if record is None else record.parts.get("ell_launches")
        return part / own if part and own else None

    def ell_parts(self, matrices: Iterable[kit.MatrixRecord], dtype: str, fast: str = "") -> dict[str, float]:
        """Return what `ell_part` returns, by the name of the matrix."""
        matches = {each.name: self.ell_part(each, dtype, fast) for each in matrices}
        return {name: ratio for name, ratio in matches.items() if ratio is not None}

    def waves(self, matrix: kit.MatrixRecord) -> float:
        """Return how often the rows of a matrix, a thread each, fill the GPU."""
        return matrix.rows / self.threads

    def best(self, matrix: kit.MatrixRecord, dtype: str, methods: Sequence[str]) -> str | None:
        """Return the fastest of methods; None if none has a time."""
        times = {method: self.time(matrix, method, dtype) for method in methods}
        there = {method: time for method, time in times.items() if time is not None}
        return min(there, key=lambda method: there[method]) if there else None


def threads_of(facts: Mapping[str, str]) -> int:
    """Return the threads that a GPU holds at once."""
    return int(facts["multiprocessors"]) * int(facts["threads_per_multiprocessor"])


def waves_of_the_paper(matrix: MatrixRecord) -> float:
    """Return how often the rows of a matrix, not repeated, fill the paper's GPU."""
    return matrix.rows / matrix.copies / QUADRO_P600_THREADS
