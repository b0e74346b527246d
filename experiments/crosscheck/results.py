"""What a cross-check found, as a JSON file: from it the report is made without a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from experiments.crosscheck.paper import KIND
from experiments.crosscheck.products import CrossCheck
from vecsim.machine import Machine
from vecsim.support.errors import UserError
from vecsim.support.input_files import RESULTS
from vecsim.support.structured_text import read_json

MADE = ("missing", "device", "engine", "seed", "value_bits", "date", "commit")
"""What a file says next to the machine and the matrices."""


@dataclass(frozen=True)
class Checked:
    """A matrix that was cross-checked.

    Attributes
    ----------
    name
        Of the matrix.
    rows, columns, entries
        Its size.
    check
        What the cross-check measured.
    sha256
        Digest of the matrix as it was multiplied (`vecsim.results.digests`); empty in older files.
    """

    name: str
    rows: int
    columns: int
    entries: int
    check: CrossCheck
    sha256: str = ""


@dataclass(frozen=True)
class Results:
    """What a cross-check found, and what made it.

    Attributes
    ----------
    matrices
        In the order in which they were checked.
    missing
        Why others are not among them, by name.
    device
        What is known of the GPU; None without one.
    machine
        The simulated machine.
    engine, seed, value_bits
        How it was asked for.
    date, commit
        When it was made, in UTC, and the commit of the code; None where that is not known.
    """

    matrices: tuple[Checked, ...]
    missing: Mapping[str, str]
    device: Mapping[str, Any] | None
    machine: Machine
    engine: str
    seed: int
    value_bits: int
    date: str
    commit: str | None

    @property
    def disagreements(self) -> list[str]:
        """What is further apart than rounding allows, matrix by matrix, in words."""
        return [f"{each.name}: {text}" for each in self.matrices for text in each.check.disagreements]

    def document(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        result = {name: getattr(self, name) for name in MADE}
        matrices = [
            {
                "name": each.name,
                "sha256": each.sha256,
                "rows": each.rows,
                "cols": each.columns,
                "nnz": each.entries,
                **asdict(each.check),
            }
            for each in self.matrices
        ]
        return {"kind": KIND, **result, "machine": self.machine.to_dict(), "matrices": matrices}

    def with_cycles(self, cycles: Mapping[str, Mapping[str, int]], machine: Machine) -> Results:
        """Return the same with the cycles of another machine; matrices that have none are left out."""
        matrices = tuple(
            replace(each, check=each.check.with_cycles(cycles[each.name]))
            for each in self.matrices
            if each.name in cycles
        )
        return replace(self, matrices=matrices, machine=machine)


def read_results(path: Path) -> Results:
    """Read what :meth:`Results.document` gave.

    Raises
    ------
    UserError
        There is no such file, or it is something else.
    """
    document = read_json(path, RESULTS)
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise UserError(f"{path}: is not a file of results; name one that `vecsim crosscheck --json` wrote")
    try:
        matrices = tuple(map(_matrix, document["matrices"]))
        result = {name: document[name] for name in MADE}
        return Results(matrices, machine=Machine.from_dict(document["machine"]), **result)
    except (KeyError, TypeError, ValueError, UserError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise UserError(
            f"{path}: is not a complete file of results; write it again: {' '.join(what.split())}"
        ) from None


def _matrix(document: Mapping[str, Any]) -> Checked:
    check = TypeAdapter(CrossCheck).validate_python(document)
    rows, columns, entries = (document[name] for name in ("rows", "cols", "nnz"))
    return Checked(document["name"], rows, columns, entries, check, document.get("sha256", ""))
