"""What a cross-check found, as a JSON file: from it the report is made without a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from experiments.crosscheck.hierarchies import Hierarchy
from experiments.crosscheck.paper import KIND
from experiments.crosscheck.products import Check, CrossCheck
from vecsim.machine import Machine
from vecsim.support.errors import UserError
from vecsim.support.input_files import RESULTS
from vecsim.support.structured_text import read_json

BETWEEN = " - "
"""Between the names of two implementations."""


@dataclass(frozen=True)
class Checked:
    """A matrix that was cross-checked.

    Attributes
    ----------
    name
        Of the matrix.
    rows, columns, entries
        Its size.
    found
        What was found.
    sha256
        Digest of the matrix as it was multiplied (`vecsim.results.digests`); empty in older files.
    """

    name: str
    rows: int
    columns: int
    entries: int
    found: CrossCheck
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
        When, UTC, and of which version; the latter None where it is not known.
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
        return [f"{each.name}: {text}" for each in self.matrices for text in each.found.disagreements]

    def document(self) -> dict[str, Any]:
        """Give it as a JSON object."""
        return {
            "kind": KIND,
            "date": self.date,
            "commit": self.commit,
            "device": self.device,
            "machine": self.machine.to_dict(),
            "engine": self.engine,
            "seed": self.seed,
            "value_bits": self.value_bits,
            "matrices": [_matrix_document(each) for each in self.matrices],
            "missing": dict(self.missing),
        }

    def with_cycles(self, cycles: Mapping[str, Mapping[str, int]], machine: Machine) -> Results:
        """Give the same with the cycles of another machine; matrices that have none are left out."""
        matrices = tuple(
            replace(
                each, found=replace(each.found, checks=_with_cycles(each.found.checks, cycles[each.name]))
            )
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
        raise UserError(f"{path}: holds no results of `vecsim crosscheck --json`")
    try:
        return Results(
            matrices=tuple(map(_matrix, document["matrices"])),
            missing=document["missing"],
            device=document["device"],
            machine=Machine.from_dict(document["machine"]),
            engine=document["engine"],
            seed=document["seed"],
            value_bits=document["value_bits"],
            date=document["date"],
            commit=document["commit"],
        )
    except (KeyError, TypeError, ValueError, UserError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise UserError(f"{path}: is no whole file of results: {what}") from None


def _with_cycles(checks: Iterable[Check], cycles: Mapping[str, int]) -> tuple[Check, ...]:
    return tuple(replace(check, cycles=cycles[check.program]) for check in checks)


def _matrix_document(each: Checked) -> dict[str, Any]:
    return {
        "name": each.name,
        "sha256": each.sha256,
        "rows": each.rows,
        "cols": each.columns,
        "nnz": each.entries,
        "longest_row": each.found.longest_row,
        "allowed": each.found.allowed,
        "checks": [_check_document(check) for check in each.found.checks],
        "hierarchies": [asdict(hierarchy) for hierarchy in each.found.hierarchies],
        "hisparse_apart": {str(side): apart for side, apart in each.found.hisparse_apart.items()},
    }


def _check_document(check: Check) -> dict[str, Any]:
    return {
        "program": check.program,
        "program_sha256": check.program_sha256,
        "format": check.format,
        "cycles": check.cycles,
        "image_bytes": check.image_bytes,
        "gpu_kernel": check.gpu_kernel,
        "gpu_us": check.gpu_us,
        "gpu_spread": check.gpu_spread,
        "gpu_bytes": check.gpu_bytes,
        "gpu_status": check.gpu_status,
        "errors": dict(check.errors),
        "apart": {BETWEEN.join(implementations): apart for implementations, apart in check.apart.items()},
    }


def _matrix(document: Mapping[str, Any]) -> Checked:
    found = CrossCheck(
        tuple(map(_check, document["checks"])),
        float(document["allowed"]),
        int(document["longest_row"]),
        tuple(map(_hierarchy, document.get("hierarchies", ()))),
        {int(side): apart for side, apart in _numbers(document.get("hisparse_apart", {})).items()},
    )
    rows, columns, entries = (document[name] for name in ("rows", "cols", "nnz"))
    return Checked(document["name"], rows, columns, entries, found, document.get("sha256", ""))


def _hierarchy(document: Mapping[str, Any]) -> Hierarchy:
    levels = {name: tuple(map(int, document[name])) for name in ("nodes", "entries")}
    return Hierarchy(**{**document, **levels})


def _check(document: Mapping[str, Any]) -> Check:
    return Check(
        program=document["program"],
        format=document["format"],
        errors=_numbers(document["errors"]),
        apart={
            _pair(implementations): apart for implementations, apart in _numbers(document["apart"]).items()
        },
        image_bytes=int(document["image_bytes"]),
        cycles=int(document["cycles"]),
        gpu_kernel=document["gpu_kernel"],
        gpu_bytes=document["gpu_bytes"],
        gpu_us=document["gpu_us"],
        gpu_spread=document["gpu_spread"],
        gpu_status=document["gpu_status"],
        program_sha256=document.get("program_sha256", ""),
    )


def _numbers(document: Mapping[str, Any]) -> dict[str, float]:
    # JSON has no NaN and no infinity: they are written as null.
    return {name: float("nan") if value is None else float(value) for name, value in document.items()}


def _pair(implementations: str) -> tuple[str, str]:
    first, _, second = implementations.partition(BETWEEN)
    return first, second
