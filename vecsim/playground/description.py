"""What the page shows of the language and of machines: nothing is written here by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from isa.reference import entries, kind_of
from isa.registers import REGISTER_NAMES
from vecsim.engines.cause import Cause
from vecsim.machine import Machine, load_machine
from vecsim.machine.description import flat
from vecsim.machine.preset_files import presets

UNUSED = ("riscv.", "clock_mhz")
"""Numbers that change no cycle of the programs of the page."""


def language() -> dict[str, Any]:
    """Return what stands in a program by its name, with syntax, summary and kind; and the registers."""
    words: dict[str, dict[str, str]] = {}
    for entry in entries():
        known = {"syntax": entry.syntax, "help": entry.summary, "kind": kind_of(entry)}
        words.setdefault(entry.mnemonic, known)
    return {"words": words, "registers": list(REGISTER_NAMES)}


def machines() -> dict[str, Any]:
    """Return the numbers of a machine with their help and limits, and their values on each preset."""
    fields = {name: field for name, field in _fields(Machine, "") if not name.startswith(UNUSED)}
    values = {name: flat(load_machine(name).numbers()) for name in presets()}
    shown = {name: {key: table[key] for key in fields if key in table} for name, table in values.items()}
    return {"fields": fields, "presets": shown}


def _fields(table: type[BaseModel], before: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the full name of each number of a table, with its help, least and greatest value."""
    for name, field in table.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _fields(kind, f"{before}{name}.")
        elif kind in (int, bool):
            least, most = (_limit(field.metadata, name) for name in ("ge", "le"))
            shown = {"help": field.description or "", "least": least, "most": most}
            yield f"{before}{name}", {**shown, "kind": "choice" if kind is bool else "number"}


def _limit(rules: list[Any], name: str) -> int | None:
    return next((getattr(rule, name) for rule in rules if getattr(rule, name, None) is not None), None)


def causes() -> dict[str, str]:
    """Return what tables call each cause of cycles, by its name."""
    return {cause.name.lower(): cause.label for cause in Cause}
