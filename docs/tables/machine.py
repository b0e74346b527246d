"""The table of a machine's numbers: range, values of the presets, and what the HiSM paper says of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import tomlkit
from pydantic import BaseModel

from docs.tables.markdown import code, table
from experiments.validation.comparison import measured_machines
from vecsim import machine as machines
from vecsim.machine import Machine, load_machine, presets
from vecsim.machine.description import flat
from vecsim.machine.riscv import Cost

PRESET = Path(machines.__file__).parent / "presets" / "vs2003.toml"


def page() -> str:
    """Return every number."""
    names = [name for name in presets() if name not in measured_machines()]
    values = [flat(load_machine(name).numbers()) for name in names]
    said = sources()
    rows = (
        (code(name), text, limits, *(_shown(of_preset[name]) for of_preset in values), said.get(name, ""))
        for name, text, limits in _numbers(Machine)
    )
    return table(
        ["number", "meaning and unit", "range", *map(code, names), "source of `vs2003`'s value"], rows
    )


def sources() -> dict[str, str]:
    """Return what the file of ``vs2003`` says of the origin of its numbers, by their full names."""
    document = tomlkit.parse(PRESET.read_text(encoding="utf-8"))
    result: dict[str, str] = {}
    for prefix, part in [("", document), *((f"{k}.", document[k]) for k in ("latency", "sparse_unit"))]:
        for name in part:
            item = part.item(name) if hasattr(part, "item") else part[name]
            comment = getattr(item.trivia, "comment", "").lstrip("# ").strip()
            if comment:
                result[prefix + name] = comment
    return result


def _numbers(model: type[BaseModel], prefix: str = "", of: str = "") -> Iterator[tuple[str, str, str]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            whose = f"{field.description}: " if issubclass(inner, Cost) else ""
            yield from _numbers(inner, f"{prefix}{name}.", whose)
        elif prefix + name != "name":
            limits = {type(m).__name__: m for m in field.metadata}
            bounds = [limits[kind] for kind in ("Ge", "Le") if kind in limits]
            span = f"{bounds[0].ge} to {bounds[1].le:,}" if len(bounds) == 2 else ""
            yield prefix + name, of + (field.description or ""), span or _span(inner, name)


def _span(kind: object, name: str) -> str:
    if kind is bool:
        return "true, false"
    from_4 = "a power of two, 4 to 4,096"
    spans = {"section_size": from_4, "line_bytes": from_4, "merge_bytes": f"0, or {from_4}"}
    return spans.get(name, "a power of two, 1 to 4,096")


def _shown(value: object) -> str:
    return str(value).lower()
