"""``vecsim isa``: what the instruction set is, from its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion
from vecsim.cli.commands.assemble import instructions_with
from vecsim.cli.options import ExtendOption, JsonOption
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output
from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from isa.reference import Entry


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
    extend: ExtendOption = None,
    json: JsonOption = None,
) -> None:
    """Show the instruction set, one instruction in full, or those whose description has a word."""
    from isa.reference import describe, entries, help_lines, search

    output, instruction_set = Output(json), instructions_with(extend)
    if word is None:
        result = entries(instruction_set)
        _show_all(output, result)
    else:
        try:
            result = describe(word, instruction_set)
        except UserError:
            result = search(word, instruction_set)
            if not result:
                raise
            _show_all(output, result)
        else:
            output.text("\n\n".join("\n".join(help_lines(entry)) for entry in result))
    output.finish("vecsim isa", {"entries": [_plain(entry) for entry in result]})


def _plain(entry: Entry) -> dict[str, Any]:
    from isa.reference import kind_of

    return {"kind": kind_of(entry), **asdict(entry)}


def _show_all(output: Output, result: Sequence[Entry]) -> None:
    from isa.reference import InstructionEntry, kind_of

    rows = [
        (f"0x{e.opcode:02x}", e.syntax, e.unit, e.timing, e.summary)
        for e in result
        if isinstance(e, InstructionEntry)
    ]
    columns = ["opcode", "instruction", "unit", "timing", "what it does"]
    if rows:
        output.table(fill(table(columns), rows))
    for kind in ("pseudo-instruction", "directive"):
        of_kind = [(e.syntax, e.summary) for e in result if kind_of(e) == kind]
        if of_kind:
            output.table(fill(table([kind, "what it does"]), of_kind))
