"""What the reference says of an instruction, pseudo-instruction or directive, as plain data.

Nothing is written here by hand: the entries come from the instruction table and its companions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from isa import mnemonics
from isa.declaration import FORM, FORM_BITS, Instruction, InstructionSet
from isa.directives import BY_NAME as DIRECTIVES
from isa.encoding import OPCODE_SHIFT
from isa.instructions import BASE, TYPED
from isa.operands import written_syntax
from isa.pseudo import PSEUDO_INSTRUCTIONS, Pseudo
from isa.text.directives import Directive
from isa.worked import Example, examples_of
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest


@dataclass(frozen=True)
class BitField:
    """Part of an instruction word, from bit ``high`` down to bit ``low``."""

    name: str
    high: int
    low: int


@dataclass(frozen=True)
class InstructionEntry:
    """An instruction: what a user writes, what it does, how it is encoded, where and how it runs."""

    mnemonic: str
    syntax: str
    summary: str
    opcode: int
    layout: tuple[BitField, ...]
    unit: str
    timing: str
    latency: str
    length: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class PseudoEntry:
    """A pseudo-instruction: the ways to write it out, each with one or two instructions."""

    mnemonic: str
    syntax: str
    summary: str
    expansions: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class DirectiveEntry:
    """A directive of the assembler."""

    mnemonic: str
    syntax: str
    summary: str


Entry: TypeAlias = InstructionEntry | PseudoEntry | DirectiveEntry


def layout(instruction: Instruction) -> tuple[BitField, ...]:
    """Return the fields of an instruction's word from the highest bit down; ``0`` names unused bits."""
    fields = [BitField("opcode", 31, OPCODE_SHIFT)]
    fields += [BitField(o.name, o.shift + o.bits - 1, o.shift) for o in instruction.operands]
    form = FORM_BITS if instruction.opcode >= FORM else 0
    if fields[-1].low > form:
        fields.append(BitField("0", fields[-1].low - 1, form))
    if form:
        fields.append(BitField(f"form {instruction.opcode // FORM}", form - 1, 0))
    return tuple(fields)


def _reads(instruction: Instruction) -> tuple[str, ...]:
    names = [operand.name for operand in instruction.operands if operand.is_register and operand.read]
    return *names, *instruction.reads, *_places(instruction, writes=False)


def _writes(instruction: Instruction) -> tuple[str, ...]:
    names = [operand.name for operand in instruction.operands if operand.written]
    return *names, *instruction.writes, *instruction.late, *_places(instruction, writes=True)


def _places(instruction: Instruction, *, writes: bool) -> list[str]:
    """Name what it reads or writes that is no register: mask, memory, vector cache."""
    names = ["mask"] * (instruction.writes_mask if writes else instruction.reads_mask)
    access = instruction.access
    if access is not None:
        names += ["memory"] if access.store == writes else ["vector cache"] * access.cache
    return names + ["vector cache"] * bool(instruction.slice_operand)


def instruction_entry(instruction: Instruction) -> InstructionEntry:
    """Describe an instruction of the table."""
    return InstructionEntry(
        instruction.mnemonic,
        written_syntax(instruction),
        instruction.summary,
        instruction.opcode % FORM,
        layout(instruction),
        instruction.unit.name.lower(),
        instruction.timing.name.lower(),
        instruction.latency,
        instruction.length.name.lower(),
        _reads(instruction),
        _writes(instruction),
        examples_of(instruction),
    )


def pseudo_entry(pseudo: Pseudo) -> PseudoEntry:
    """Describe a pseudo-instruction."""
    expansions = tuple(expansion.lines for expansion in pseudo.expansions)
    return PseudoEntry(pseudo.mnemonic, pseudo.syntax, pseudo.summary, expansions)


def directive_entry(directive: Directive) -> DirectiveEntry:
    """Describe a directive."""
    return DirectiveEntry(directive.name, directive.syntax, directive.summary)


def entries(instruction_set: InstructionSet = BASE) -> tuple[Entry, ...]:
    """Describe everything: instructions by opcode, pseudo-instructions, directives."""
    rows = sorted(instruction_set.instructions, key=lambda row: (row.opcode % FORM, row.opcode))
    return (
        *map(instruction_entry, rows),
        *map(pseudo_entry, PSEUDO_INSTRUCTIONS),
        *map(directive_entry, DIRECTIVES.values()),
    )


def search(word: str, instruction_set: InstructionSet = BASE) -> tuple[Entry, ...]:
    """Return the entries that have a word in their syntax, their summary, their unit or their timing.

    Parameters
    ----------
    word
        Any part of a text; case does not count.
    instruction_set
        The instructions to search, next to pseudo-instructions and directives.

    Returns
    -------
    tuple of Entry
        In the order of :func:`entries`; empty if nothing matches.
    """
    wanted = word.lower()
    return tuple(entry for entry in entries(instruction_set) if wanted in _searched(entry).lower())


def _searched(entry: Entry) -> str:
    parts = [entry.syntax, entry.summary]
    if isinstance(entry, InstructionEntry):
        parts += [entry.unit, entry.timing]
    return "\n".join(parts)


def describe(name: str, instruction_set: InstructionSet = BASE) -> tuple[Entry, ...]:
    """Describe what a mnemonic or directive means; a generic ``.f`` means several instructions.

    Raises
    ------
    UserError
        There is no such name; the message offers the nearest.
    """
    if name in DIRECTIVES:
        return (directive_entry(DIRECTIVES[name]),)
    if name.startswith("."):
        raise UserError(f"unknown directive {name!r}{nearest(name, DIRECTIVES)}")
    result: dict[str, Instruction] = {}
    for value_bytes in TYPED:
        for instruction in mnemonics.candidates(name, instruction_set, value_bytes)[:1]:
            result[instruction.mnemonic] = instruction
    pseudos = [pseudo for pseudo in PSEUDO_INSTRUCTIONS if pseudo.mnemonic == name]
    if not result and not pseudos:
        raise UserError(mnemonics.unknown(name, instruction_set))
    return (*map(instruction_entry, result.values()), *map(pseudo_entry, pseudos))


def kind_of(entry: Entry) -> str:
    """Return ``instruction``, ``pseudo-instruction`` or ``directive``."""
    if isinstance(entry, DirectiveEntry):
        return "directive"
    return "pseudo-instruction" if isinstance(entry, PseudoEntry) else "instruction"


def help_lines(entry: Entry) -> list[str]:
    """Return the lines that describe one entry."""
    lines = [f"{entry.syntax}  ({kind_of(entry)})", f"  {entry.summary}"]
    if isinstance(entry, PseudoEntry):
        lines += [f"  means     {'; '.join(expansion)}" for expansion in entry.expansions]
    elif isinstance(entry, InstructionEntry):
        lines += [f"  {name:<9} {value}" for name, value in _facts(entry)]
        for example in entry.examples:
            first, *states = example.lines
            lines += [f"  {'example':<9} {first}", *(f"  {'':<9} {state}" for state in states)]
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
