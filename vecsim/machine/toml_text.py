"""A machine as the text of a TOML file."""

from __future__ import annotations

from typing import Any

import tomlkit
from pydantic import BaseModel

from vecsim.machine.description import Machine
from vecsim.machine.preset_files import DEFAULT_PRESET
from vecsim.support.shown_text import unicode_text

ABOUT = (
    "A machine file may state only what differs from the preset that it is based on. Reports name the file,",
    "the preset and the differences. The rules that read the numbers: docs/timing.md.",
)
BASED_ON = f"the preset that gives what is not stated here; {DEFAULT_PRESET} if this line is missing"
NO_NAME = 'name = "..." # name that reports show next to the file\'s'


def to_toml(machine: Machine) -> str:
    """Write a machine as a TOML file that states everything, with what each field means as a comment.

    The first line tells which machine it is; numbers that its own file does not state say where they are
    from. A name that is only the preset's or the file's is left out: a file read from this text has its own.
    """
    document = tomlkit.document()
    for line in (f"Written by vecsim for {machine.label}.", f"SHA-256: {machine.sha256}", *ABOUT):
        document.add(tomlkit.comment(line))
    base = tomlkit.item(machine.based_on)
    base.comment(BASED_ON)
    document.add("based_on", base)
    if machine.extensions:
        document.add("extend", [unicode_text(each.file) for each in machine.extensions])
    if machine.has_user_name:
        _add(document, machine, "name", "")
    else:
        document.add(tomlkit.comment(NO_NAME))
    _fill(document, machine, machine, "")
    return printable_toml(document)


def printable_toml(document: tomlkit.TOMLDocument) -> str:
    """Return the text of a document, all of whose letters show."""
    return "".join(map(_escaped, tomlkit.dumps(document)))


def _escaped(letter: str) -> str:
    """Write a letter that shows nothing, or turns the direction of what follows, as TOML escapes it."""
    if letter.isprintable() or letter == "\n":
        return letter
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _fill(table: Any, model: BaseModel, machine: Machine, prefix: str) -> None:
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            inner = tomlkit.table()
            _fill(inner, value, machine, f"{prefix}{name}.")
            table.add(name, inner)
        elif prefix + name != "name":
            taken = prefix + name in machine.origin.taken
            _add(table, model, name, f" (from {machine.based_on})" if taken else "")


def _add(table: Any, model: BaseModel, name: str, source: str) -> None:
    item = tomlkit.item(getattr(model, name))
    item.comment(f"{type(model).model_fields[name].description}{source}")
    table.add(name, item)
