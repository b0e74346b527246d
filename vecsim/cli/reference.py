"""``vecsim isa``: what the instruction set is, from its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion
from vecsim.cli.console import fill, table
from vecsim.cli.options import JsonOption

if TYPE_CHECKING:
    from isa.reference import Entry, InstructionEntry
    from vecsim.cli.output import Output


def reference(
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="MNEMONIC|WORD",
            help="An instruction, pseudo-instruction or directive; or a word to look for in names and "
            "descriptions, such as gather.",
            autocompletion=completion.mnemonics,
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Show the instruction set, one instruction in full, or those that have a word in their description."""
    from isa.reference import describe, entries, search
    from vecsim.cli.output import Output
    from vecsim.errors import UserError

    output = Output(json)
    if word is None:
        found = entries()
        _show_all(output, found)
    else:
        try:
            found = describe(word)
        except UserError:
            found = search(word)
            if not found:
                raise
            _show_all(output, found)
        else:
            output.text("\n\n".join("\n".join(_lines(entry)) for entry in found))
    output.finish("vecsim isa", {"entries": [_plain(entry) for entry in found]})


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
    if rows:
        output.table(fill(table(columns), rows))
    for kind in ("pseudo-instruction", "directive"):
        of_kind = [(e.syntax, e.summary) for e in found if _kind(e) == kind]
        if of_kind:
            output.table(fill(table([kind, "what it does"]), of_kind))


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
