"""A machine as plain data, as every results file holds it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from vecsim.errors import UserError
from vecsim.machine.description import Machine
from vecsim.machine.origin import Origin
from vecsim.machine.preset_files import presets


def machine_document(machine: Machine) -> dict[str, Any]:
    """Give a machine for a JSON object: which one it is, in words and by digest, and all its numbers."""
    origin = machine.origin
    return {
        "label": machine.label,
        "sha256": machine.sha256,
        "file": origin.file or None,
        "based_on": machine.based_on,
        "differences": machine.differences,
        "taken_from_base": list(origin.taken),
        **machine.model_dump(),
    }


def machine_from_document(document: Mapping[str, Any]) -> Machine:
    """Read what `machine_document` gave; of results of earlier versions, which held name and numbers alone.

    Raises
    ------
    UserError
        It is no machine, naming the first field that is missing or wrong.
    """
    known = {name: document[name] for name in Machine.model_fields if name in document}
    missing = Machine.model_fields.keys() - known.keys()
    if missing:
        raise UserError(f"machine: {min(missing)} is missing")
    try:
        machine = Machine.model_validate(known)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"machine: {where} = {first['input']!r}: {first['msg']}") from None
    base = document.get("based_on")
    if base is None:
        return machine
    if base not in presets():
        raise UserError(f"machine: based_on: unknown preset {base!r}; presets are {', '.join(presets())}")
    taken = tuple(map(str, document.get("taken_from_base", ())))
    return machine.with_origin(Origin(str(document.get("file") or ""), base, taken))
