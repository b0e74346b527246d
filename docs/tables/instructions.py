"""The reference of instructions: each with its encoding as a picture, from `isa.reference`."""

from __future__ import annotations

from html import escape
from itertools import groupby

from docs.tables.markdown import code, table
from isa.reference import BitField, InstructionEntry, entries

BIT = 20
"""Width of a bit in the picture."""
WORD_BITS = 32
TITLES = {
    "scalar": "Scalar instructions",
    "memory": "Vector loads and stores",
    "add": "Vector add unit",
    "multiply": "Vector multiply unit",
    "sparse": "Sparse unit",
}


def page() -> str:
    """Return every instruction, by unit."""
    rows = [entry for entry in entries() if isinstance(entry, InstructionEntry)]
    order = list(TITLES)
    rows.sort(key=lambda entry: (order.index(entry.unit), entry.opcode))
    return "\n\n".join(
        "\n\n".join([f"## {TITLES[unit]}", *map(_entry, of_unit)])
        for unit, of_unit in groupby(rows, key=lambda entry: entry.unit)
    )


def _entry(entry: InstructionEntry) -> str:
    timing = entry.timing + (f", `latency.{entry.latency}`" if entry.latency else "")
    facts = [
        (timing, entry.length, ", ".join(entry.reads) or "nothing", ", ".join(entry.writes) or "nothing")
    ]
    return "\n\n".join(
        [
            f"### {entry.mnemonic}",
            f"{code(entry.syntax)}: {escape(entry.summary)}",
            "```{raw} html\n" + encoding_picture(entry.layout, entry.opcode) + "\n```",
            table(["timing", "length", "reads", "writes"], facts),
            "```text\n" + "\n".join(line for example in entry.examples for line in example.lines) + "\n```",
        ]
    )


def encoding_picture(layout: tuple[BitField, ...], opcode: int) -> str:
    """Draw an instruction word as SVG: its fields from bit 31 down to bit 0, the opcode in hexadecimal."""
    parts = []
    for field in layout:
        left, width = (WORD_BITS - 1 - field.high) * BIT, (field.high - field.low + 1) * BIT
        name = f"0x{opcode:02x}" if field.name == "opcode" else field.name
        middle = left + width / 2
        parts.append(f'<rect x="{left}" y="14" width="{width}" height="24"/>')
        parts.append(f'<text x="{middle:g}" y="30">{escape(name)}</text>')
        parts.append(f'<text class="bit" x="{left + BIT / 2:g}" y="10">{field.high}</text>')
        if field.low != field.high:
            parts.append(f'<text class="bit" x="{left + width - BIT / 2:g}" y="10">{field.low}</text>')
    size = f"0 0 {WORD_BITS * BIT} 40"
    message = ", ".join(f"bits {field.high} to {field.low} {field.name}" for field in layout)
    return (
        f'<svg class="word" viewBox="{size}" role="img" aria-label="{escape(message)}">{"".join(parts)}</svg>'
    )
