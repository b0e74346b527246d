"""Machines in results files: whether all their numbers are there, and the files that they came from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vecsim.machine.description import Machine
from vecsim.machine.extension_files import SHIPPED
from vecsim.results.digests import machine_sha256
from vecsim.results.file_digests import InputFile, input_files
from vecsim.support.errors import UserError

NO_NUMBERS = frozenset(
    ("label", "sha256", "file", "based_on", "differences", "taken_from_base", "name", "extensions")
)
"""Of a machine in a results file: what is no number of it."""


def machine_files(machine: Machine) -> tuple[InputFile, ...]:
    """Return the files that a machine was read from: its own, and those of its extensions."""
    read_from = machine.origin.read_from
    result: tuple[InputFile, ...] = () if read_from is None else (read_from,)
    for each in machine.extensions:
        path = Path(each.file) if Path(each.file).is_absolute() else SHIPPED / f"{each.file}.py"
        result += input_files(f"extension {each.name}", [path])
    return result


def check_recorded(document: Mapping[str, Any]) -> None:
    """Check that a results file states every number of a machine, and those of its digest.

    Numbers of extensions, which need not be here, are checked by the digest alone.

    Parameters
    ----------
    document
        What `Machine.to_dict` returned, of a machine with any extensions.

    Raises
    ------
    UserError
        Naming the first number that is missing or wrong.
    """
    Machine.from_dict({name: document[name] for name in Machine.model_fields if name in document})
    message = document.get("sha256")
    numbers = {name: value for name, value in document.items() if name not in NO_NUMBERS}
    extensions = {each["name"]: each["sha256"] for each in document.get("extensions", ())}
    if message not in (None, machine_sha256(numbers, extensions)):
        raise UserError("machine: sha256 is not the digest of its numbers: one of them was changed")
