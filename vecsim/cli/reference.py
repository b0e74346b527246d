"""``vecsim isa``: what the instruction set is, from its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli.console import fill, table
from vecsim.cli.options import JsonOption

if TYPE_CHECKING:
    from isa.reference import Entry, InstructionEntry
    from vecsim.cli.output import Output


def reference(
    mnemonic: Annotated[
        str | None,
        typer.Argument(metavar="MNEMONIC", help="An instruction, pseudo-instruction or directive, in full."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Show the instruction set, or all there is to say of one instruction."""
    from isa.reference import describe, entries
    from vecsim.cli.output import Output

    output = Output(json)
    if mnemonic is None:
        found = entries()
        _show_all(output, found)
    else:
        found = describe(mnemonic)
        output.text("\n\n".join("\n".join(_lines(entry)) for entry in found))
    output.finish({"entries": [_plain(entry) for entry in found]})


def _kind(entry: Entry) -> str:
    return {"InstructionEntry": "instruction", "PseudoEntry": "pseudo-instruction"}.get(
        type(entry).__name__, "directive"
    )


def _plain(entry: Entry) -> dict[str, Any]:
    return {"kind": _kind(entry), **asdict(entry)}


def _show_all(output: Output, found: Sequence[Entry]) -> None:
    from isa.reference import InstructionEntry

    rows = [
        (f"0x{e.opcode:02x}", e.syntax, e.unit, e.timing, e.summary)
        for e in found
        if isinstance(e, InstructionEntry)
    ]
    columns = ["opcode", "instruction", "unit", "timing", "what it does"]
    output.table(fill(table(columns), rows))
    for kind in ("pseudo-instruction", "directive"):
        shown = table([kind, "what it does"])
        output.table(fill(shown, ((e.syntax, e.summary) for e in found if _kind(e) == kind)))


def _lines(entry: Entry) -> list[str]:
    """Say all there is to say of one entry."""
    from isa.reference import InstructionEntry, PseudoEntry

    lines = [f"{entry.syntax}  ({_kind(entry)})", f"  {entry.summary}"]
    if isinstance(entry, PseudoEntry):
        lines += [f"  means     {'; '.join(expansion)}" for expansion in entry.expansions]
    elif isinstance(entry, InstructionEntry):
        lines += [f"  {name:<9} {value}" for name, value in _facts(entry)]
    return lines


def _facts(entry: InstructionEntry) -> list[tuple[str, str]]:
    bits = " | ".join(f"{f.high}-{f.low} {'zero' if f.name == '0' else f.name}" for f in entry.layout)
    return [
        ("opcode", f"0x{entry.opcode:02x}"),
        ("encoding", bits),
        ("unit", entry.unit),
        ("timing", entry.timing + (f", latency.{entry.latency}" if entry.latency else "")),
        ("length", entry.length),
        ("reads", ", ".join(entry.reads) or "-"),
        ("writes", ", ".join(entry.writes) or "-"),
    ]
