"""From a written mnemonic to instructions of the table: generic suffixes and pseudo-instructions."""

from __future__ import annotations

from functools import cache

from isa import pseudo
from isa.declaration import Instruction, InstructionSet
from isa.instructions import BASE, TYPED
from isa.operands import Field, instruction_slots, match_operands, written_syntax
from isa.symbols import Symbols, Undefined
from isa.text.expressions import evaluate
from isa.text.syntax import Argument, Line, Name, Problem, parse_line, substituted
from vecsim.support.suggestions import amount, nearest

GENERIC = ".f"
"""The suffix that stands for the type of a matrix value."""


def candidates(mnemonic: str, instruction_set: InstructionSet, value_bytes: int) -> list[Instruction]:
    """Instructions that a mnemonic may mean with values of this many bytes, the best first."""
    table = instruction_set.by_mnemonic
    if mnemonic in table:
        return [table[mnemonic]]
    if not mnemonic.endswith(GENERIC):
        return []
    stem = mnemonic[: -len(GENERIC)]
    names = dict.fromkeys(f"{stem}.{suffix}" for suffix in TYPED[value_bytes])
    return [table[name] for name in names if name in table]


def is_mnemonic(name: str, instruction_set: InstructionSet) -> bool:
    """Return whether a name is that of an instruction or pseudo-instruction."""
    return name in instruction_set.by_mnemonic or name in pseudo.MNEMONICS


def known_names(instruction_set: InstructionSet) -> set[str]:
    """Every name that can be a mnemonic, the generic ones included."""
    names = set(instruction_set.by_mnemonic) | pseudo.MNEMONICS
    stems = {name.rpartition(".")[0] for name in instruction_set.by_mnemonic if "." in name}
    return names | {stem + GENERIC for stem in stems}


def unknown(mnemonic: str, instruction_set: InstructionSet) -> str:
    """Return a message that there is no such instruction, with similar names."""
    names = known_names(instruction_set)
    typed = sorted(name for name in names if name.startswith(mnemonic + "."))
    if typed:
        return f"{mnemonic!r} needs the type of an element: {', '.join(typed)}"
    if mnemonic in pseudo.ABSENT:
        return f"no instruction {mnemonic!r}, unlike RISC-V: {pseudo.ABSENT[mnemonic]}"
    return f"unknown instruction {mnemonic!r}{nearest(mnemonic, names)}"


def expand(
    name: Name,
    arguments: tuple[Argument, ...],
    instruction_set: InstructionSet,
    value_bytes: int,
    symbols: Symbols,
) -> list[tuple[Instruction, list[Field]]]:
    """Return the instructions that a written one stands for, with their operands matched.

    Parameters
    ----------
    name, arguments
        The mnemonic and the operands, as they are written.
    instruction_set
        The instructions to choose from.
    value_bytes
        Bytes of a matrix value, 4 or 8: what the suffix ``.f`` stands for.
    symbols
        The names that operands may use.

    Raises
    ------
    Problem
        An unknown mnemonic, or operands that do not fit; the message shows the syntax.
    """
    short = pseudo.BY_NAME.get((name.text, len(arguments)))
    result = candidates(name.text, instruction_set, value_bytes)
    forms = [written_syntax(instruction) for instruction in result[:1]]
    forms += [p.syntax for p in pseudo.PSEUDO_INSTRUCTIONS if p.mnemonic == name.text]
    if not forms:
        raise Problem(name.column, unknown(name.text, instruction_set), name.text)
    try:
        if result and len(arguments) == len(instruction_slots(result[0])):
            return [(result[0], match_operands(result[0], arguments, symbols))]
        if short is None:
            count = amount(len(arguments), "operand")
            raise Problem(name.column, f"{name.text!r} does not have {count}")
        return [
            (row, match_operands(row, operands, symbols))
            for row, operands in _substitute_all(short, arguments, value_bytes, symbols)
        ]
    except Undefined:
        raise
    except Problem as problem:
        reason = f"{problem.reason} (write: {' or '.join(forms)})"
        raise Problem(problem.column, reason, problem.cause) from None


def _substitute_all(
    short: pseudo.Pseudo,
    arguments: tuple[Argument, ...],
    value_bytes: int,
    symbols: Symbols,
) -> list[tuple[Instruction, tuple[Argument, ...]]]:
    """Write out a pseudo-instruction with the user's operands."""
    values = dict(zip(short.operands, arguments, strict=True))

    def replace(name: Name) -> Argument:
        return values.get(name.text, name)

    rows = []
    for line in _choose(short, values, symbols).lines:
        template = _template(line)
        assert template.operation is not None
        operands = tuple(substituted(argument, replace) for argument in template.arguments)
        rows.append((candidates(template.operation.text, BASE, value_bytes)[0], operands))
    return rows


def _choose(short: pseudo.Pseudo, values: dict[str, Argument], symbols: Symbols) -> pseudo.Expansion:
    if len(short.expansions) == 1:
        return short.expansions[0]
    try:
        value = evaluate(values["value"], symbols.lookup)
    except Undefined:
        return short.expansions[-1]
    return next(expansion for expansion in short.expansions if expansion.when(value))


@cache
def _template(line: str) -> Line:
    return parse_line(line)
