"""Machine descriptions from presets, TOML files and ``key=value`` changes, and back to TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import BaseModel, ValidationError

from vecsim.errors import UserError
from vecsim.machine.description import Machine
from vecsim.suggestions import nearest


def presets() -> dict[str, str]:
    """Give the TOML text of each preset by its name."""
    folder = resources.files("vecsim.machine") / "presets"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return {f.name.removesuffix(".toml"): f.read_text(encoding="utf-8") for f in files}


def load_machine(preset_or_file: str, changes: Iterable[str] = ()) -> Machine:
    """Read a machine and apply changes.

    Parameters
    ----------
    preset_or_file
        Name of a preset, or path of a TOML file. A file may name a preset as ``based_on`` and state
        only what differs.
    changes
        ``key=value`` texts, e.g. ``banks=32``, ``chaining=false`` or ``latency.add=6``.

    Raises
    ------
    UserError
        An unknown preset, an unreadable file, an unknown field, or a value out of range.

    Examples
    --------
    >>> import vecsim
    >>> machine = vecsim.load_machine("vs2003", ["banks=32", "latency.add=6"])
    >>> machine.banks, machine.latency.add
    (32, 6)
    """
    known = presets()
    if preset_or_file in known:
        where, table = f"preset {preset_or_file}", _parse(known[preset_or_file], preset_or_file)
    else:
        where, table = preset_or_file, _read(preset_or_file, known)
    for change in changes:
        _apply(table, change)
    return _validate(table, where)


def as_machine(machine: Machine | str) -> Machine:
    """Give a machine as it is, and the one that a name stands for; see :func:`load_machine`."""
    return machine if isinstance(machine, Machine) else load_machine(machine)


def to_toml(machine: Machine) -> str:
    """Write a machine as TOML, each field with its description as a comment."""
    document = tomlkit.document()
    _fill(document, machine)
    return tomlkit.dumps(document)


def _fill(table: Any, model: BaseModel) -> None:
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            inner = tomlkit.table()
            _fill(inner, value)
            table.add(name, inner)
        else:
            item = tomlkit.item(value)
            item.comment(field.description or "")
            table.add(name, item)


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{where}: not valid TOML: {error}") from None


def _read(path: str, known: dict[str, str]) -> dict[str, Any]:
    file = Path(path)
    if not file.exists() and file.suffix != ".toml":
        raise UserError(
            f"unknown machine {path!r}; presets are {', '.join(known)}, or give a .toml file"
            f"{nearest(path, known)}"
        )
    try:
        table = _parse(file.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    base = table.pop("based_on", None)
    if base is None:
        table.setdefault("name", file.stem)
        return table
    if not isinstance(base, str) or base not in known:
        near = nearest(base, known) if isinstance(base, str) else ""
        raise UserError(f"{path}: based_on: unknown preset {base!r}; presets are {', '.join(known)}{near}")
    merged = _parse(known[base], base) | {"name": file.stem}
    for key, value in table.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merged[key] | value if both else value
    return merged


def _apply(table: dict[str, Any], change: str) -> None:
    key, separator, text = change.partition("=")
    key, text = key.strip(), text.strip()
    if not separator or not key or not text or "\n" in change:
        raise UserError(f"--set {change}: write it as key=value, for example banks=32")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    *path, last = key.split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UserError(f"--set {change}: {part} is a value and has no fields")
    table[last] = value


def _validate(table: dict[str, Any], where: str) -> Machine:
    try:
        return Machine.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            near = nearest(key, _field_names(Machine))
            raise UserError(f"{where}: unknown machine field {key!r}{near}") from None
        if first["type"] == "model_type":
            raise UserError(f"{where}: {key} is a table: set one of its fields, {key}.NAME") from None
        message = first["msg"].removeprefix("Value error, ")
        raise UserError(f"{where}: {key} = {first['input']!r}: {message}") from None


def _field_names(model: type[BaseModel], prefix: str = "") -> list[str]:
    names = []
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            names += _field_names(inner, f"{prefix}{name}.")
        else:
            names.append(prefix + name)
    return names
