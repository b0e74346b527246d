"""Machine descriptions from presets and TOML files, with changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from vecsim.machine.description import DEFAULTS, Machine, flat, in_words
from vecsim.machine.extended import machine_class
from vecsim.machine.extension import Extension
from vecsim.machine.extension_files import extensions_of, shipped
from vecsim.machine.origin import Origin
from vecsim.machine.preset_files import DEFAULT_PRESET, preset_table, presets
from vecsim.results.digests import ADDED_NUMBERS
from vecsim.results.file_digests import InputFile
from vecsim.support.arguments import path_text, plain, series
from vecsim.support.arguments import shown as shown_value
from vecsim.support.arguments import table as table_of
from vecsim.support.arguments import text as text_of
from vecsim.support.errors import UserError
from vecsim.support.input_files import MACHINE_FILE, decoded, read_input
from vecsim.support.mistakes import Mistakes
from vecsim.support.shown_text import one_line
from vecsim.support.structured_text import NotTomlError, toml_table
from vecsim.support.suggestions import did_you_mean, nearest, shown


def load_machine(
    preset_or_file: str | os.PathLike[str] | Machine,
    changes: Mapping[str, Any] | str | Iterable[str] | None = (),
    extend: Extension | str | Path | Iterable[Extension | str | Path] | None = (),
) -> Machine:
    """Read a machine and apply changes.

    Parameters
    ----------
    preset_or_file
        Name of a preset, or path of a TOML file (docs/machines.md). A file may name a preset as ``based_on``
        and state only what differs; without it, what it does not state is that of ``vs2003``. Of a `Machine`
        numbers are changed.
    changes
        Numbers by name, ``{"banks": 32, "latency.add": 6}`` or ``{"latency": {"add": 6}}``; or texts such as
        ``banks=32``, ``chaining=false`` or ``latency.add=6``.
    extend
        Extensions of the timing rules, or the files that declare them (docs/extending-time.md), next to those
        that the machine file names.

    Returns
    -------
    Machine
        Its `label` names the preset or the file, and every difference. Its `name` is the preset's, or what
        the file states; the file's own name if it states none, or a preset's, which it no longer is.

    Raises
    ------
    UserError
        An unknown preset, an unreadable file, an unknown field, or a value out of range; an extension that
        cannot be loaded.

    Examples
    --------
    >>> import vecsim
    >>> machine = vecsim.load_machine("vs2003", {"banks": 32, "latency.add": 6})
    >>> machine.banks, machine.latency.add
    (32, 6)
    >>> machine.label
    'vs2003 with banks=32, latency.add=6'
    """
    added = (extend,) if isinstance(extend, Extension) else series("extend", extend, "extensions")
    texts = changes if isinstance(changes, Mapping) else series("changes", changes, "key=value")
    if isinstance(preset_or_file, Machine):
        if added:
            raise UserError("extend: name the machine's preset or file: a Machine has its extensions already")
        return preset_or_file.changed({name: value for _, name, value in _named(texts)})
    named = path_text("machine", preset_or_file)
    try:
        return _load(named, texts, added)
    except RecursionError:
        raise UserError(
            f"{preset_or_file}: a value is nested too deeply: use numbers and tables of numbers only"
        ) from None


def _load(
    preset_or_file: str,
    changes: Mapping[str, Any] | Iterable[str],
    extend: Iterable[Extension | str | Path],
) -> Machine:
    mistakes = Mistakes()
    if preset_or_file in presets():
        where, table = f"preset {preset_or_file}", preset_table(preset_or_file)
        origin = Origin(based_on=preset_or_file)
    else:
        where, (table, origin) = preset_or_file, _read(preset_or_file, mistakes)
    files = mistakes.attempt(_named_files, table, where)
    extensions = None if files is None else mistakes.attempt(extensions_of, [*files, *extend])
    changed = set()
    for what, name, value in _named(changes):
        mistakes.attempt(_apply, table, what, name, value)
        changed.add(name)
    taken = tuple(name for name in origin.taken if name not in changed)
    described = mistakes.attempt(machine_class, extensions or ())
    if described is None or extensions is None:  # what the extensions would add is not known
        known = Machine.model_fields
        table = {name: value for name, value in table.items() if name in known or not isinstance(value, dict)}
    machine = mistakes.attempt(_validate, described or Machine, table, where)
    mistakes.raise_all()
    assert machine is not None
    return machine.with_origin(replace(origin, taken=taken))


def as_machine(machine: Machine | str | os.PathLike[str]) -> Machine:
    """Return a machine as it is, and the one that a name stands for; see :func:`load_machine`."""
    return machine if isinstance(machine, Machine) else load_machine(machine)


def _read(path: str, mistakes: Mistakes) -> tuple[dict[str, Any], Origin]:
    """Read a machine file: all numbers, what it does not state from a preset, and their origin."""
    file = Path(path)
    known = presets()
    if not file.exists() and file.suffix != ".toml":
        raise UserError(
            f"unknown machine {path!r}; use one of {', '.join(known)}, or a .toml file{nearest(path, known)}"
        )
    content = read_input(file, MACHINE_FILE, path)
    table = toml_table(decoded(content, path), path)
    named = table.get("name", one_line(file.stem))
    is_preset = isinstance(named, str) and named in known
    stated = flat(table).keys()
    omitted = tuple(name for name in flat(DEFAULTS) if name not in stated)
    base = table.pop("based_on", None)
    if base is None:
        # A copy of a preset that states everything is compared with that; otherwise vs2003 fills it.
        base, base_stated = (
            named if is_preset and ADDED_NUMBERS.keys() >= set(omitted) else DEFAULT_PRESET,
            False,
        )
    elif isinstance(base, str) and base in known:
        base_stated = True
    else:
        near = nearest(base, known) if isinstance(base, str) else ""
        mistakes.add(f"{path}: based_on: unknown preset {base!r}; use one of {', '.join(known)}{near}")
        base, base_stated = DEFAULT_PRESET, True
    merged = preset_table(base)
    if not base_stated:  # what no preset needs to state is off
        of_preset = flat(merged)
        omitted = tuple(name for name in omitted if name in of_preset)
    for key, value in table.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merged[key] | value if both else value
    merged["name"] = one_line(file.stem) if is_preset else named
    read_from = InputFile("machine", str(file.absolute()), hashlib.sha256(content).hexdigest())
    return merged, Origin(file.name, base, omitted, base_stated, read_from)


def _named_files(table: dict[str, Any], where: str) -> list[Path | str]:
    """Take the extensions out of a machine file's table: names, and files relative to it."""
    files = table.pop("extend", [])
    if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
        raise UserError(f"{where}: extend = {files!r}: write a list of files")
    return [file if file in shipped() else Path(where).parent / file for file in files]


def _named(changes: Mapping[str, Any] | Iterable[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield each change in the words of a message, with the full name of the number and its value."""
    if isinstance(changes, Mapping):
        for name, value in flat(_with_names(changes)).items():
            number = plain(value)
            yield f"{name}={number if isinstance(number, str) else shown_value(number)}", name, number
        return
    for each in changes:
        change = each if isinstance(each, str) else text_of("changes", each)
        name, separator, text = (part.strip() for part in change.partition("="))
        if not separator or not name or not text or "\n" in change:
            raise UserError(f"--set {change}: write it as key=value, for example banks=32")
        try:
            yield f"--set {change}", name, toml_table(f"value = {text}", f"--set {shown(change)}")["value"]
        except NotTomlError:
            yield f"--set {change}", name, text


def _with_names(changes: Mapping[Any, Any]) -> dict[str, Any]:
    """Check that names of numbers are texts, in tables of tables too."""
    result = table_of("changes", changes)
    return {n: _with_names(each) if isinstance(each, Mapping) else each for n, each in result.items()}


def _apply(table: dict[str, Any], what: str, name: str, value: Any) -> None:
    if name == "based_on":
        raise UserError(f"{what}: numbers can be changed; name another preset or file as the machine instead")
    if name == "extend":
        raise UserError(f"{what}: only numbers can be changed; use --extend FILE.py for a file")
    *path, last = name.split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UserError(f"{what}: {part} is a value without fields; write {part}=VALUE")
    table[last] = value


def _validate(described: type[Machine], table: dict[str, Any], where: str) -> Machine:
    """Make a machine of a table, or raise everything that is wrong with it."""
    mistakes = Mistakes()
    try:
        machine = described.model_validate(table)
    except ValidationError as error:
        mistakes.add_first(_in_words(described, each) for each in error.errors())
    mistakes.raise_all(f"{where}: ")
    return machine


def _in_words(described: type[Machine], error: ErrorDetails) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"unknown machine field {key!r}{_near(described, key)}"
    if error["type"] == "model_type":
        return f"{key} is a table: set one of its fields, {key}.NAME"
    return in_words(error)


def _near(described: type[Machine], key: str) -> str:
    """Propose a field for an unknown one: those of that name within a table, otherwise the nearest."""
    names = ["name", *flat(described().numbers())]
    inner = [name for name in names if name.endswith(f".{key}")]
    return did_you_mean(inner) or nearest(key, names)
