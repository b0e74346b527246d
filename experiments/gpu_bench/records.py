"""What the GPU benchmark measured: one record a time, kept at once, and the file of a whole run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from vecsim.results.journal import Journal
from vecsim.support.errors import UserError
from vecsim.support.input_files import RESULTS
from vecsim.support.structured_text import read_json

BENCHMARK = "vecsim gpu bench"
OURS = "vecsim"

OK = "ok"
"""The status of what was timed."""

_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "str | None": (str, type(None)),
    "bool": (bool,),
    "int": (int,),
    "int | None": (int, type(None)),
    "float | None": (float, int, type(None)),
    "Mapping[str, Any]": (dict,),
}
"""What the fields of a record are in JSON, by their annotations."""


@dataclass(frozen=True)
class Record:
    """One method on one matrix.

    Attributes
    ----------
    matrix, class_, generated
        Which matrix of the suite; ``class`` in files.
    rows, cols, nnz
        Its size.
    dtype
        float32 or float64.
    operation
        spmv (y = A x) or spmv_t (y = A^T x).
    method, parameters
        Name of the format, and what else tells it from others of the name.
    library
        vecsim, or cusparse with its version.
    cache
        warm (the same buffers again) or cold (buffers in rotation over four times L2).
    stage
        screen: every method, one after the other. final: the best of each library, replayed in turn.
    median_us, spread
        Time of a product, and the interquartile range as a share of it; None if it was not timed.
    setup_us
        Conversion on the host, upload and preparation, from the SciPy matrix on; compilation apart.
    bytes
        On the device, x and y apart.
    bound_us, share_of_bound
        Lower bound of the time: stored bytes, x and y once each over the measured bandwidth; and its share of
        the time.
    gather_bound_us
        Another lower bound: of the sectors of x that a product in row order asks for, and of the stream of
        the matrix (`experiments.gpu_bench.gather_bound`). None where columns have locality.
    error
        max |y_i - r_i| / (|A| |x|)_i against float64.
    ratio
        Of a final record of ours: how many times faster than the best of cuSPARSE, replayed in turn.
    paid_after
        Products after which the conversion has paid, against the best CSR of cuSPARSE; None if never.
    status, reason
        `OK`; pruned: left out because it cannot be the best; not_representable, not_found, out_of_memory,
        wrong or failed; and why.
    device, commit, date
        What measured it.
    """

    matrix: str
    class_: str
    generated: bool
    rows: int
    cols: int
    nnz: int
    dtype: str
    operation: str
    method: str
    parameters: Mapping[str, Any]
    library: str
    cache: str = "warm"
    stage: str = "screen"
    median_us: float | None = None
    spread: float | None = None
    setup_us: float | None = None
    bytes: int | None = None
    bound_us: float | None = None
    share_of_bound: float | None = None
    gather_bound_us: float | None = None
    error: float | None = None
    ratio: float | None = None
    paid_after: float | None = None
    status: str = OK
    reason: str = ""
    device: str = ""
    commit: str | None = None
    date: str = ""

    @property
    def ours(self) -> bool:
        """Whether it is a method of vecsim."""
        return self.library == OURS

    @property
    def unit(self) -> tuple[str, str, str]:
        """What it is compared within: matrix, type, operation."""
        return self.matrix, self.dtype, self.operation

    def document(self) -> dict[str, Any]:
        """Return it as plain data, for JSON."""
        return {name.rstrip("_"): value for name, value in asdict(self).items()}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read what `document` gave.

        Raises
        ------
        KeyError, TypeError, AttributeError
            It is something else.
        """
        entries = dict(document)
        record = cls(class_=entries.pop("class"), **entries)
        for each in fields(cls):
            if type(getattr(record, each.name)) not in _TYPES[str(each.type)]:
                raise TypeError(f"{each.name} must be of type {each.type}")
        return record


@dataclass(frozen=True)
class Run:
    """A run of the benchmark.

    Attributes
    ----------
    header
        What it ran on and how: device (as `DeviceInfo`), commit, date, copy_gb_per_s, options, and the
        digests of its matrices by name (`vecsim.results.digests.matrix_sha256`).
    records
        In the order in which they were measured.
    seconds
        By phase.
    """

    header: Mapping[str, Any]
    records: Sequence[Record]
    seconds: Mapping[str, float] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {
            "benchmark": BENCHMARK,
            **self.header,
            "seconds": dict(self.seconds),
            "records": [record.document() for record in self.records],
        }


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read the file of a run.

    Raises
    ------
    UserError
        If it cannot be read or is none, in one line that names it.
    """
    document = read_json(path, RESULTS)
    try:
        if document.pop("benchmark") != BENCHMARK:
            raise ValueError
        records = [Record.from_document(each) for each in document.pop("records")]
        run = Run(document, records, document.pop("seconds"))
        (
            str(document["device"]["name"]),
            document["date"],
            document["commit"],
            float(document["copy_gb_per_s"]),
        )
        return run
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path}: is not a file of `{BENCHMARK}`; name one that it wrote") from None


class RunJournal:
    """Keeps each record as soon as it is measured, so that a run that is cut off can be continued.

    Parameters
    ----------
    path
        The journal: a line for the header, each record, and the end of each matrix. None keeps nothing.
    header
        What must be the same for a run to be continued: `Run.header`, measured rates and date apart.

    Attributes
    ----------
    records
        All records of matrices that are done; what was measured of others is measured again.
    done
        The matrices that need not be measured again, with their digests; an empty one of what is not there.

    Raises
    ------
    UserError
        If the file is the journal of another run, or cannot be written.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        self.path = path
        self.records: list[Record] = []
        self.done: dict[str, str] = {}
        self._journal = None if path is None else Journal(path, BENCHMARK, header)
        if self._journal is None:
            return
        begun: dict[str, list[Record]] = {}
        for line in self._journal.records:
            match line:
                case {"record": document}:
                    record = _record(document)
                    if record is not None:
                        begun.setdefault(record.matrix, []).append(record)
                case {"begin": str(matrix)}:
                    begun[matrix] = []
                    self.done.pop(matrix, None)
                case {"done": str(matrix), "sha256": str(sha256), "records": count}:
                    # One whose record was damaged is measured again.
                    if type(count) is int and len(begun.get(matrix, ())) == count:
                        self.done[matrix] = sha256
        self.records = [record for name in begun if name in self.done for record in begun[name]]

    def begin(self, matrix: str) -> None:
        """Mark the beginning of a matrix: what an earlier, unfinished try kept of it does not count."""
        self._write({"begin": matrix})

    def add(self, record: Record) -> None:
        """Keep a record."""
        self.records.append(record)
        self._write({"record": record.document()})

    def finish(self, matrix: str, sha256: str) -> None:
        """Mark a matrix as done."""
        self.done[matrix] = sha256
        count = sum(record.matrix == matrix for record in self.records)
        self._write({"done": matrix, "sha256": sha256, "records": count})

    def close(self) -> None:
        """Close the file."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._journal is not None:
            self._journal.append(line)
            self._journal.sync()


def _record(document: Any) -> Record | None:
    """Read a record of a journal; None if it is none."""
    try:
        return Record.from_document(document)
    except (KeyError, TypeError, AttributeError):
        return None


def with_status(record: Record, status: str, reason: str) -> Record:
    """Return a record that was not timed, and why; the reason in one line."""
    return replace(record, status=status, reason=" ".join(reason.split()))
