"""All there is to say of an instruction, pseudo-instruction or directive, as lines of text."""

from __future__ import annotations

from isa.reference import DirectiveEntry, Entry, InstructionEntry, PseudoEntry


def kind_of(entry: Entry) -> str:
    """Give ``instruction``, ``pseudo-instruction`` or ``directive``."""
    if isinstance(entry, DirectiveEntry):
        return "directive"
    return "pseudo-instruction" if isinstance(entry, PseudoEntry) else "instruction"


def help_lines(entry: Entry) -> list[str]:
    """Say all there is to say of one entry."""
    lines = [f"{entry.syntax}  ({kind_of(entry)})", f"  {entry.summary}"]
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
