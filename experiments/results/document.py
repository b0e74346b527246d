"""The cycles that a results file holds: of ``vecsim run``, ``exec``, ``why`` or ``sweep``."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments.results.layouts import EXEC, RUN, SWEEP, WHY, check
from vecsim.errors import UserError
from vecsim.input_files import RESULTS, TABLE, read_text
from vecsim.structured_text import read_json

SWEEP_FILE, TABLE_FILE = "sweep.json", "table.csv"
CHARGED = "charged_"


@dataclass(frozen=True)
class Row:
    """One simulated run.

    Attributes
    ----------
    cycles
        None where there is no result.
    charged
        Cycles by cause, by name.
    lines
        Cycles by the text of the instruction, those that read alike together; empty if the file has none.
    program_sha256
        Digest of the program's image; empty if the file does not say it.
    options
        What it was run with, as the file says it.
    """

    cycles: int | None
    charged: Mapping[str, int]
    lines: Mapping[str, int] = field(default_factory=dict)
    program_sha256: str = ""
    options: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Document:
    """A results file.

    Attributes
    ----------
    path
        Its name for messages.
    content
        The JSON as it is.
    rows
        By what tells them apart: the matrix and the program; the file of a program; of a sweep also what was
        varied, as ``name=value``.
    """

    path: Path
    content: Mapping[str, Any]
    rows: Mapping[tuple[str, ...], Row]

    @property
    def kind(self) -> str:
        """The command whose results they are."""
        return str(self.content["kind"])


def read_document(path: Path) -> Document:
    """Read a results file.

    Parameters
    ----------
    path
        A JSON file of ``vecsim run``, ``exec`` or ``why``; the folder of a sweep, or its ``sweep.json``.

    Raises
    ------
    UserError
        It cannot be read, or is something else.
    """
    file = path / SWEEP_FILE if path.is_dir() else path
    content = read_json(file, RESULTS)
    kind = content.get("kind") if isinstance(content, dict) else None
    readers = {RUN: _of_run, EXEC: _of_exec, WHY: _of_why, SWEEP: _of_sweep}
    if not isinstance(kind, str) or kind not in readers:
        said = f"is of {kind!r}" if isinstance(kind, str) else "says not what it is of"
        raise UserError(f"{file}: {said}; results of {', '.join(readers)} are taken")
    check(str(file), kind, content)
    try:
        return Document(file, content, readers[kind](file, content))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{file}: is damaged, or of another version: {error}") from None


def _of_run(file: Path, content: Mapping[str, Any]) -> dict[tuple[str, ...], Row]:
    return {
        (str(each["matrix"]), str(each["program"])): Row(
            int(each["cycles"]),
            dict(each["charged"]),
            _lines(each),
            str(each["program_sha256"]),
            dict(each["options"]),
        )
        for each in content["results"]
    }


def _of_exec(file: Path, content: Mapping[str, Any]) -> dict[tuple[str, ...], Row]:
    digest = str(content["program_sha256"])
    row = Row(int(content["cycles"]), dict(content["charged"]), _lines(content), digest)
    return {(Path(str(content["file"])).name,): row}


def _of_why(file: Path, content: Mapping[str, Any]) -> dict[tuple[str, ...], Row]:
    return {
        (str(each["matrix"]), str(each["program"])): Row(
            int(each["cycles"]), dict(each["cycles_by_cause"]), _lines(each)
        )
        for each in content["explanations"]
    }


def _lines(told: Mapping[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in told.get("lines", ()):
        found[line["text"]] = found.get(line["text"], 0) + line["cycles"]
    return found


def _of_sweep(file: Path, content: Mapping[str, Any]) -> dict[tuple[str, ...], Row]:
    table = file.with_name(TABLE_FILE)
    varied = [*content["sweep"]["set"], *(f"option.{name}" for name in content["sweep"]["option"])]
    lines = read_text(table, TABLE).splitlines()
    found = {}
    for line in csv.DictReader(lines):
        key = (line["matrix"], line["program"], *(f"{name}={line[name]}" for name in varied if line[name]))
        charged = {
            name.removeprefix(CHARGED): int(value)
            for name, value in line.items()
            if name.startswith(CHARGED) and value
        }
        found[key] = Row(int(line["cycles"]) if line["cycles"] else None, charged)
    return found
