"""Results that a GPU measured: one shape for the files of all papers, and what is asked of them.

A paper has its own class, derived from `Results`, in its module ``results``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from pydantic import TypeAdapter, ValidationError

from experiments.papers.kit.recorded import json_lines
from experiments.report.comparison import Comparison
from experiments.report.item import Chart, Item, Verdict
from vecsim.support.errors import UserError
from vecsim.support.input_files import RESULTS
from vecsim.support.structured_text import read_json
from vecsim.support.suggestions import counted

Status = Literal["ok", "not_representable", "left_out", "failed"]
STATUS_WORDS: dict[Status, str] = {
    "ok": "",
    "not_representable": "refused",
    "left_out": "left out",
    "failed": "failed",
}
"""How tables show a time that was not measured."""
NOT_MEASURED = "not measured"
LEAST_LIMITS = {"float64": 1e-12, "float32": 1e-5}
"""Errors that no product may exceed, but for the roundoff of the longest chain that one thread sums."""
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24}


@dataclass(frozen=True)
class MatrixRecord:
    """A matrix that was measured, or was to be.

    Attributes
    ----------
    name, group
        Of the matrix, and its kind or class.
    stands_for
        The paper's name of it, or of the matrix that it stands for; empty for none.
    note
        What a reader must know.
    rows, columns, nnz
        Counts.
    mean, sigma, longest
        Of the row lengths; sigma as of a population.
    missing
        Why it was not measured; empty if it was.
    sha256
        Its digest, with values in float64 (`vecsim.results.digests.matrix_sha256`); empty in older files.
    """

    name: str
    group: str = ""
    stands_for: str = ""
    note: str = ""
    rows: int = 0
    columns: int = 0
    nnz: int = 0
    mean: float = 0.0
    sigma: float = 0.0
    longest: int = 0
    missing: str = ""
    sha256: str = ""

    @property
    def label(self) -> str:
        """Its name, and that of the paper's matrix that it stands for."""
        return self.name if self.stands_for in ("", self.name) else f"{self.name} (for {self.stands_for})"


def counts_of(csr: Any) -> dict[str, Any]:
    """Return the counts of a csr_array that a `MatrixRecord` has, by name."""
    lengths = np.diff(csr.indptr)
    return {
        "rows": int(csr.shape[0]),
        "columns": int(csr.shape[1]),
        "nnz": int(csr.nnz),
        "mean": float(lengths.mean()),
        "sigma": float(lengths.std()),
        "longest": int(lengths.max(initial=0)),
    }


@dataclass(frozen=True)
class Record:
    """One operation by one method on one matrix in one type.

    Attributes
    ----------
    matrix, method, dtype, operation
        Names; the type and the operation are empty where there is but one.
    status, reason
        ``ok``; ``not_representable``: the format would take too much; ``left_out``; ``failed``; and why.
    chosen
        Of several formats or algorithms, the fastest, which this is.
    median_us, spread
        As `gpu.measure.timing.Timing`: warm, by replay of a graph.
    nbytes
        On the device, without x and y.
    error
        As `vecsim.formats.accuracy.ExactProduct.error`.
    same_bits
        Whether two runs returned equal bits; None where that was not compared.
    parts
        Microseconds of parts of it, each timed alone, by name.
    """

    matrix: str
    method: str
    dtype: str = ""
    operation: str = ""
    status: Status = "ok"
    reason: str = ""
    chosen: str = ""
    median_us: float | None = None
    spread: float | None = None
    nbytes: int | None = None
    error: float | None = None
    same_bits: bool | None = None
    parts: dict[str, float] = field(default_factory=dict)

    @property
    def named(self) -> str:
        """Name the method, the operation and the matrix."""
        what = f"{self.method}, {self.operation} of" if self.operation else f"{self.method} on"
        return f"{what} {self.matrix}"

    @property
    def remark(self) -> str:
        """Explain why there is no number, or name the fastest of several."""
        return self.chosen if self.status == "ok" else f"{STATUS_WORDS[self.status]}: {self.reason}"


@dataclass(frozen=True)
class Results:
    """Everything that one run measured.

    Attributes
    ----------
    paper
        The paper, by its name on the command line.
    own
        The method that others are compared with.
    operations_of_an_entry
        In GFLOPS: 2, a multiplication and an addition, unless a paper counts others.
    kind
        What the file says it is.
    made, commit
        When it began (ISO 8601, UTC), and the commit of the code.
    gpu
        The name of the device.
    facts
        Versions and limits of it, as text.
    seconds
        What the phases of the run took.
    matrices, records
        In the order in which they were measured.
    command, versions
        What made it (`vecsim.results.provenance`); empty in older files.
    added
        What was measured in another run than the rest: when, and the commit.
    """

    paper: ClassVar[str]
    own: ClassVar[str] = ""
    operations_of_an_entry: ClassVar[int] = 2

    kind: str
    made: str
    commit: str
    gpu: str
    facts: dict[str, str]
    seconds: dict[str, float]
    matrices: tuple[MatrixRecord, ...]
    records: tuple[Record, ...] = ()
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _records(self) -> dict[tuple[str, str, str, str], Record]:
        return {(r.matrix, r.method, r.dtype, r.operation): r for r in self.records}

    @property
    def missing(self) -> dict[str, str]:
        """Why matrices were not measured, by name."""
        return {each.name: each.missing for each in self.matrices if each.missing}

    def stand_in_matrices(self) -> str:
        """Return in words how many of the measured matrices stand in for others of the paper."""
        there = [each for each in self.matrices if not each.missing]
        standing_in = sum(each.stands_for not in ("", each.name) for each in there)
        return f"{standing_in} of {counted(len(there), 'matrix')}" if standing_in else ""

    def record(
        self, matrix: MatrixRecord, method: str, dtype: str = "", operation: str = ""
    ) -> Record | None:
        """Return a record; None if the method was not tried.

        Parameters
        ----------
        matrix
            Which matrix.
        method, dtype, operation
            Names, as in `Record`; so in all that follows.
        """
        return self._records.get((matrix.name, method, dtype, operation))

    def time(self, matrix: MatrixRecord, method: str, dtype: str = "", operation: str = "") -> float | None:
        """Return the microseconds of an operation; None if there is no time.

        Parameters
        ----------
        matrix, method
            What was measured.
        dtype
            ``float32`` or ``float64``; that of the paper if none is given.
        operation
            Its name; the product if none is given.
        """
        record = self.record(matrix, method, dtype, operation)
        return None if record is None else record.median_us

    def absent(self, matrix: MatrixRecord, method: str, dtype: str = "", operation: str = "") -> str:
        """Return in a word or two why there is no time.

        Parameters
        ----------
        matrix, method
            What was measured.
        dtype
            ``float32`` or ``float64``; that of the paper if none is given.
        operation
            Its name; the product if none is given.
        """
        record = self.record(matrix, method, dtype, operation)
        return NOT_MEASURED if record is None else STATUS_WORDS[record.status]

    def gflops(self, matrix: MatrixRecord, method: str, dtype: str, operation: str = "") -> float | None:
        """Return the performance in 10^9 operations a second; None if there is no time.

        Parameters
        ----------
        matrix, method
            What was measured.
        dtype
            ``float32`` or ``float64``.
        operation
            Its name; the product if none is given.
        """
        time = self.time(matrix, method, dtype, operation)
        return None if not time else self.operations_of_an_entry * matrix.nnz / time / 1000

    def ratio(
        self, matrix: MatrixRecord, slow: str, dtype: str, fast: str = "", operation: str = ""
    ) -> float | None:
        """Return how many times a method is faster than another; None if unknown.

        Parameters
        ----------
        matrix
            What was multiplied.
        slow, fast
            Names of methods; `own` if no fast one is named.
        dtype
            ``float32`` or ``float64``.
        operation
            Its name; the product if none is given.
        """
        first, second = (self.time(matrix, each, dtype, operation) for each in (slow, fast or self.own))
        return first / second if first and second else None

    def ratios(
        self, matrices: Iterable[MatrixRecord], slow: str, dtype: str, fast: str = "", operation: str = ""
    ) -> dict[str, float]:
        """Return the ratios that were measured, by the name of the matrix.

        Parameters
        ----------
        matrices
            Those that count.
        slow, fast, dtype, operation
            As of `ratio`.
        """
        results = {each.name: self.ratio(each, slow, dtype, fast, operation) for each in matrices}
        return {name: ratio for name, ratio in results.items() if ratio is not None}

    def allowed(self, record: Record, longest: int) -> float:
        """Return the error that a record may have, on a matrix with rows of this many entries."""
        return max(LEAST_LIMITS[record.dtype], longest * ROUNDOFF[record.dtype])

    def faults(self) -> tuple[str, ...]:
        """Name every result that was wrong, or not the same twice."""
        longest = {each.name: each.longest for each in self.matrices}
        wrong = [
            f"{each.named}, {each.dtype}: relative error {each.error:.1e}"
            for each in self.records
            if each.error is not None and not each.error <= self.allowed(each, longest.get(each.matrix, 0))
        ]
        changed = [f"{r.named}, {r.dtype}: two runs differ" for r in self.records if r.same_bits is False]
        return (*wrong, *changed)

    def gaps(self) -> tuple[str, ...]:
        """Name what was not measured, and what failed."""
        results = [f"Not measured: {name}: {why}" for name, why in self.missing.items()]
        failed = {f"{each.named} ({each.reason})" for each in self.records if each.status == "failed"}
        if failed:
            results.append(f"Failed, and therefore without numbers: {'; '.join(sorted(failed))}")
        return tuple(results)

    def item(
        self,
        name: str,
        title: str,
        summary: str,
        rows: Iterable[Comparison],
        *,
        chart: Chart | None = None,
        verdicts: Iterable[Verdict] = (),
        notes: tuple[str, ...] = (),
        gaps: tuple[str, ...] = (),
    ) -> Item:
        """Make a table or figure, with what is missing and wrong.

        Parameters
        ----------
        name, title, summary, rows, chart, verdicts, notes
            As of `Item`.
        gaps
            What is missing in addition to the gaps of the results.
        """
        missing = (*gaps, *self.gaps())
        return Item(name, title, summary, tuple(rows), chart, tuple(verdicts), notes, missing, self.faults())

    @classmethod
    def recorded_folder(cls) -> Path:
        """Return the folder of the results that come with the package."""
        return Path(str(sys.modules[cls.__module__].__file__)).with_name("recorded")

    def to_json(self) -> bytes:
        """Write it, a line for each matrix and record; what has its default is left out of these."""
        named = {each.name: getattr(self, each.name) for each in fields(self)}
        tables = {name: value for name, value in named.items() if _is_table(value)}
        rest = {name: value for name, value in named.items() if name not in tables}
        return json_lines(rest, {name: [_short(row) for row in rows] for name, rows in tables.items()})


def kind_of_results(paper: str) -> str:
    """Return what files of results of a paper say they are: the command that makes them."""
    return f"vecsim reproduce {paper}"


R = TypeVar("R", bound=Results)


def read_results(path: Path, type_: type[R]) -> R:
    """Read a file of results.

    Parameters
    ----------
    path
        The file.
    type_
        The class of the paper's results.

    Raises
    ------
    UserError
        In one line: the file cannot be read, or is no file of results, naming the first wrong field.
    """
    kind = kind_of_results(type_.paper)
    document = read_json(path, RESULTS)
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise UserError(f"{path}: is not a file of `{kind}`; name one that it wrote")
    try:
        return TypeAdapter(type_).validate_python(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(
            f"{path}: is not a file of `{kind}`; write it again: {where}: {first['msg'].lower()}"
        ) from None


def _is_table(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(is_dataclass, value)) and bool(value)


def _short(row: Any) -> dict[str, Any]:
    """Return a row without what has its default, measured numbers rounded to four digits."""
    defaults = {each.name: each.default for each in fields(row)}
    return {
        name: _rounded(value)
        for name, value in asdict(row).items()
        if value not in ({}, ()) and value != defaults[name]
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _rounded(each) for name, each in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value
