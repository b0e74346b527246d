"""The cycles that a results file holds: of ``vecsim run``, ``exec``, ``why`` or ``sweep``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments.whatif.compare.layouts import (
    LAYOUTS,
    ExecLayout,
    Layout,
    LineEntry,
    RunLayout,
    SweepLayout,
    WhyLayout,
    check,
)
from experiments.whatif.compare.table import ProductRow, TableRow, read_table
from vecsim.results.archives import read_archive
from vecsim.results.result_folder import read_set
from vecsim.support.arguments import path as path_of
from vecsim.support.errors import UserError
from vecsim.support.input_files import RESULTS, TABLE, decoded
from vecsim.support.structured_text import json_value
from vecsim.support.suggestions import counted, shown

SWEEP_FILE, TABLE_FILE = "sweep.json", "table.csv"

Key = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """One simulated run.

    Attributes
    ----------
    cycles
        None where there is no result.
    cycles_by_cause
        Cycles by cause, by name.
    lines
        Cycles by the text of the instruction, those that read alike together; empty if the file has none.
    program_sha256
        Digest of the program's image; empty if the file does not say it.
    options
        What it was run with, as the file says it.
    matrix
        The name of its matrix; empty where there is none.
    """

    cycles: int | None
    cycles_by_cause: Mapping[str, int]
    lines: Mapping[str, int] = field(default_factory=dict)
    program_sha256: str = ""
    options: Mapping[str, Any] | None = None
    matrix: str = ""


@dataclass(frozen=True)
class Document:
    """A results file.

    Attributes
    ----------
    path
        Its name for messages.
    layout
        What it holds, checked.
    rows
        By what tells them apart: the matrix and the program; of a text its file alone; of a sweep also what
        was varied, as ``name=value``.
    table
        The rows of a sweep's table, in order.
    """

    path: Path
    layout: Layout
    rows: Mapping[Key, Row]
    table: tuple[TableRow, ...] = ()

    @property
    def kind(self) -> str:
        """The command whose results they are."""
        return self.layout.kind


Pathlike = str | os.PathLike[str]


def as_document(result: Document | Pathlike) -> Document:
    """Return a result that is given as it is or as what `read_document` reads.

    Raises
    ------
    UserError
        It cannot be read, or is something else.
    """
    return result if isinstance(result, Document) else read_document(path_of("result", result))


def read_document(path: Path, most: int | None = None) -> Document:
    """Read a results file.

    Parameters
    ----------
    path
        A JSON file of ``vecsim run``, ``exec`` or ``why``; the folder of a sweep, or its ``sweep.json``; an
        archive of one of them (`vecsim.results.archives`).
    most
        Rows of the table of a sweep to read, about; all without it (`experiments.whatif.compare.table`).

    Raises
    ------
    UserError
        It cannot be read, or is something else.
    """
    return document_of(*result_files(path), most)


def result_files(path: Path) -> tuple[Path, dict[str, bytes]]:
    """Return the place of a result's JSON file, and the contents of its files by name.

    Raises
    ------
    UserError
        As `read_document`.
    """
    archive = read_archive(path)
    if archive is not None:
        names = [name for name in archive if name.endswith(".json")]
        if len(names) != 1:
            raise UserError(f"{path}: has {counted(len(names), 'result')} (.json); an archive has one")
        return path / names[0], {name: archive[name] for name in (*names, TABLE_FILE) if name in archive}
    file = path / SWEEP_FILE if path.is_dir() else path
    contents = read_set(file.parent, {file.name: RESULTS})
    if isinstance(_layout(file, contents[file.name]), SweepLayout):
        # Both of them as the same sweep wrote them.
        contents = read_set(file.parent, {file.name: RESULTS, TABLE_FILE: TABLE})
    return file, contents


def document_of(file: Path, contents: Mapping[str, bytes], most: int | None = None) -> Document:
    """Return the document of what `result_files` returns; ``most`` is that of `read_document`."""
    layout = _layout(file, contents[file.name])
    if isinstance(layout, SweepLayout):
        if TABLE_FILE not in contents:
            raise UserError(f"{file.with_name(TABLE_FILE)}: no such file; get the archive again")
        table = read_table(file.with_name(TABLE_FILE), contents[TABLE_FILE], layout, most)
        rows = {
            row.key: Row(
                row.cycles, row.cycles_by_cause, matrix=row.matrix if isinstance(row, ProductRow) else ""
            )
            for row in table
        }
        return Document(file, layout, rows, table)
    result: dict[Key, Row] = {}
    for key, row in _rows(layout):
        if result.setdefault(key, row).cycles != row.cycles:
            raise UserError(
                f"{file}: {shown(' '.join(key), 80)} has two results of different cycles: two different "
                "matrices have this name; run again"
            )
    return Document(file, layout, result)


def _layout(file: Path, text: bytes) -> Layout:
    content = json_value(decoded(text, str(file)), str(file))
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(kind, str) or kind not in LAYOUTS:
        said = f"is of {shown(repr(kind))}" if isinstance(kind, str) else "does not state its kind"
        raise UserError(f"{file}: {said}; use results of {', '.join(LAYOUTS)}")
    return check(str(file), kind, content)


def _rows(layout: RunLayout | ExecLayout | WhyLayout) -> Iterable[tuple[Key, Row]]:
    if isinstance(layout, ExecLayout):
        digest, lines = layout.program_sha256, _lines(layout.lines)
        yield (Path(layout.file).name,), Row(layout.cycles, layout.cycles_by_cause, lines, digest)
        return
    for each in layout.results if isinstance(layout, RunLayout) else layout.explanations:
        row = Row(
            each.cycles,
            each.cycles_by_cause,
            _lines(each.lines),
            each.program_sha256,
            each.options,
            each.matrix,
        )
        yield (each.matrix, each.program), row


def _lines(lines: Iterable[LineEntry]) -> dict[str, int]:
    result: dict[str, int] = {}
    for line in lines:
        result[line.text] = result.get(line.text, 0) + line.cycles
    return result
