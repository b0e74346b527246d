"""The table of a sweep, read back from its CSV file: every row is checked before anything is made of it."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from experiments.whatif.compare.layouts import MOST, SweepLayout, first_fault
from vecsim.results.file_digests import short
from vecsim.support.errors import UserError
from vecsim.support.shown_text import csv_cell
from vecsim.support.suggestions import counted, shown

CAUSE_PREFIX = "cause_"
ONE_AT_A_TIME = "one-at-a-time"
"""The design in whose rows what is not varied is left empty."""
REQUIRED = ("program", "cycles", "fault")
OF_MATRICES = ("matrix", "rows", "nnz", "locality", "cycles_per_nnz")
"""Columns that products need in addition."""
AGREEMENT = 1e-9
"""How far a stated quotient may be off, relative to that of the numbers in its row."""

_WHOLE = re.compile(r"[0-9]{1,19}")
_REAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?", re.IGNORECASE)


def _whole(text: str | None) -> int | None:
    if not text:
        return None
    if not _WHOLE.fullmatch(text):
        raise ValueError("a whole number in digits is expected")
    return int(text)


def _real(text: str | None) -> float | None:
    if not text:
        return None
    if not _REAL.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError("a finite number is expected")
    return float(text)


Count = Annotated[int, Field(ge=0, le=MOST)]
Size = Annotated[int, Field(ge=1, le=MOST)]
FromText = BeforeValidator(_whole)


class TextRow(BaseModel):
    """A row: a text at a point, with its cycles or the fault that prevented them."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    program: Annotated[str, Field(min_length=1)]
    cycles: Annotated[Size | None, FromText]
    fault: str
    cycles_by_cause: dict[str, Annotated[Count, FromText]] = Field(default_factory=dict)
    varied: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.cycles is None) != bool(self.fault):
            raise ValueError("a row must have either cycles or a fault")
        if (
            self.cycles is not None
            and self.cycles_by_cause
            and sum(self.cycles_by_cause.values()) != self.cycles
        ):
            raise ValueError(
                f"cycles = {self.cycles}, cycles_by_cause add up to {sum(self.cycles_by_cause.values())}"
            )
        return self

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it apart: program and what was varied, as ``name=value``."""
        return (self.program, *(f"{name}={value}" for name, value in self.varied.items() if value))


class ProductRow(TextRow):
    """A row: a program on a matrix at a point, with its cycles or the fault that prevented them."""

    matrix: Annotated[str, Field(min_length=1)]
    rows: Annotated[Size, FromText]
    nnz: Annotated[Count, FromText]
    locality: Annotated[Annotated[float, Field(ge=0)] | None, BeforeValidator(_real)]
    cycles_per_nnz: Annotated[Annotated[float, Field(gt=0)] | None, BeforeValidator(_real)]

    @model_validator(mode="after")
    def _check_quotient(self) -> Self:
        if self.cycles is None:
            return self
        quotient = self.cycles / self.nnz if self.nnz else None
        stated = self.cycles_per_nnz
        agree = quotient == stated
        if quotient is not None and stated is not None:
            agree = math.isclose(quotient, stated, rel_tol=AGREEMENT)
        if not agree:
            raise ValueError(f"cycles_per_nnz = {stated}, but must be cycles / nnz = {quotient}")
        return self

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it apart: the matrix before all else."""
        return (self.matrix, *super().key)


TableRow = ProductRow | TextRow


@dataclass(frozen=True)
class _Columns:
    """Where a table has what."""

    names: tuple[str, ...]
    varied: Mapping[str, frozenset[str]]

    def row(self, cells: Sequence[str]) -> dict[str, Any]:
        """Return a row as the model takes it."""
        result: dict[str, Any] = {"cycles_by_cause": {}, "varied": {}}
        for name, cell in zip(self.names, cells, strict=True):
            if name in self.varied:
                result["varied"][name] = cell
            elif name.startswith(CAUSE_PREFIX):
                if cell:
                    result["cycles_by_cause"][name.removeprefix(CAUSE_PREFIX)] = cell
            else:
                result[name] = cell
        return result


def read_table(
    path: Path, content: bytes, layout: SweepLayout, most: int | None = None
) -> tuple[TableRow, ...]:
    """Read the table of a sweep.

    Parameters
    ----------
    path
        The CSV file, for messages.
    content
        What is in it.
    layout
        What the ``sweep.json`` next to it says.
    most
        If it has more rows, points are chosen by chance, always the same, and only their rows are read.

    Raises
    ------
    UserError
        It is not the table that was written then, naming the file, the line and the column.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8; save it as UTF-8") from None
    digest = hashlib.sha256(content).hexdigest()
    if layout.table_sha256 != digest:
        raise UserError(
            f"{path}: was changed after the sweep (digest {short(digest)}, then "
            f"{short(layout.table_sha256)}): run the sweep again; it keeps its results"
        )
    spec = layout.sweep
    varied = {name: frozenset(map(str, values)) for name, values in spec.factors.items()}
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        required = REQUIRED if spec.is_of_texts else (*REQUIRED, *OF_MATRICES)
        columns = _columns(path, next(reader, []), varied, required)
        chosen, count = _chosen_points(layout, most), 0
        rows: list[TableRow] = []
        for count, cells in enumerate(reader, 1):
            if chosen is None or chosen[(count - 1) % len(chosen)]:
                rows.append(_row(f"{path}, line {reader.line_num}", columns, cells, layout))
    except csv.Error as error:
        raise UserError(f"{path}, line {reader.line_num}: is not CSV: {error}; run the sweep again") from None
    if layout.cells != count:
        raise UserError(f"{path}: has {counted(count, 'row')}; sweep.json needs {layout.cells:,}")
    _check_rows(path, rows, layout)
    return tuple(rows)


def _chosen_points(layout: SweepLayout, most: int | None) -> npt.NDArray[np.bool_] | None:
    """Return which of the points to read, the same of every program on every matrix; None for all.

    A question is about all combinations of values.
    """
    if most is None or layout.cells <= most or layout.sweep.question:
        return None
    products = max(len(layout.matrices), 1) * len(layout.sweep.programs)
    points = layout.cells // products
    chosen = np.zeros(points, np.bool_)
    count = min(points, max(1, most // products))
    chosen[np.random.Generator(np.random.PCG64(0)).choice(points, count, replace=False)] = True
    return chosen


def _columns(
    path: Path, names: Sequence[str], varied: Mapping[str, frozenset[str]], required: Sequence[str]
) -> _Columns:
    for name in (*required, *varied):
        if names.count(name) != 1:
            what = "has no column" if name not in names else "has more than one column"
            raise UserError(f"{path}, line 1: {what} {shown(repr(name))}; exactly one is needed")
    if len(set(names)) != len(names):
        raise UserError(f"{path}, line 1: two columns have the same name; rename one")
    return _Columns(tuple(names), varied)


_ROWS: dict[bool, TypeAdapter[TableRow]] = {True: TypeAdapter(TextRow), False: TypeAdapter(ProductRow)}
"""By whether the sweep is of texts."""


def _row(where: str, columns: _Columns, cells: Sequence[str], layout: SweepLayout) -> TableRow:
    if len(cells) != len(columns.names):
        raise UserError(
            f"{where}: has {counted(len(cells), 'value')}; "
            f"{counted(len(columns.names), 'column')} need one each"
        )
    try:
        row = _ROWS[layout.sweep.is_of_texts].validate_python(columns.row([csv_cell(cell) for cell in cells]))
    except ValidationError as error:
        raise UserError(f"{where}: {first_fault(error)}") from None
    if row.program not in layout.sweep.programs:
        raise UserError(
            f"{where}: program = {shown(repr(row.program))}: is not in sweep.json; use one of its programs"
        )
    for name, value in row.varied.items():
        if value not in columns.varied[name] and not (value == "" and layout.sweep.design == ONE_AT_A_TIME):
            raise UserError(
                f"{where}: {name} = {shown(repr(value))}: is not in sweep.json; use one of its values"
            )
    return row


def _check_rows(path: Path, rows: Sequence[TableRow], layout: SweepLayout) -> None:
    """Check that rows do not contradict each other: two matrices of one name would."""
    known = {each.name for each in layout.matrices}
    facts: dict[str, tuple[object, ...]] = {}
    cycles: dict[tuple[str, ...], int | None] = {}
    for row in rows:
        agree = cycles.setdefault(row.key, row.cycles) == row.cycles
        if isinstance(row, ProductRow):
            if row.matrix not in known:
                raise UserError(
                    f"{path}: matrix {shown(repr(row.matrix))}: is not in sweep.json; use one of its matrices"
                )
            of_matrix = (row.rows, row.nnz, row.locality)
            agree &= facts.setdefault(row.matrix, of_matrix) == of_matrix
        if not agree:
            raise UserError(
                f"{path}: {shown(' '.join(row.key), 80)}: two rows contradict each other; "
                "run the sweep again, which distinguishes matrices of the same name"
            )
