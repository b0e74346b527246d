"""From the words of RISC-V instructions back to text that assembles to the same words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from isa.riscv.encoding import ILLEGAL, compressed_row, is_short, row_number
from isa.riscv.fields import FIELDS, Field, Kind
from isa.riscv.instructions import ROWS
from isa.riscv.operands import (
    ABI_NAMES,
    DEFAULTS,
    GROUPS,
    KINDS,
    POLICIES,
    ROUNDING_MODES,
    SUFFIXES,
    WIDTHS,
    slots,
)
from isa.riscv.program import RiscvProgram
from isa.riscv.semantics.control import CSRS

_ROUNDING = {number: name for name, number in ROUNDING_MODES.items()}
_CSRS = {number: name for name, number in CSRS.items()}
_ORDERING = {number: suffix for suffix, number in SUFFIXES.items()} | {0: ""}
NameOf = Callable[[int], str | None]
"""The name of an address that an instruction jumps to, if it has one."""


def _unnamed(address: int) -> None:
    return None


def instruction_text(bits: int, pc: int, name_of: NameOf = _unnamed) -> str:
    """Return the text of an instruction; of other bits a directive with their number.

    Parameters
    ----------
    bits
        The 32 bits at its address, or the 16 of a short one.
    pc
        Its address.
    name_of
        Names the targets of jumps; one without a name is written as an address.
    """
    if is_short(bits):
        bits &= 0xFFFF
        short = compressed_row(bits)
        if short is None:
            return f".half {bits:#06x}"
        return _text(short.mnemonic, short.operands, short.values, bits, pc, name_of)
    number = row_number(bits)
    text = None
    if number != ILLEGAL:
        row = ROWS[number]
        text = _text(row.mnemonic, row.operands, FIELDS, bits, pc, name_of)
    return text or f".word {bits:#010x}"


def _text(
    mnemonic: str, operands: str, fields: Mapping[str, Field | int], bits: int, pc: int, name_of: NameOf
) -> str:
    written = []
    for slot in slots(operands):
        texts = [_operand(name, fields.get(name), bits, pc, name_of) for name in slot.names]
        if slot.is_memory:
            texts = [f"{''.join(texts[:-1])}({texts[-1]})"]
        elif not texts[0]:
            continue
        written += texts
    suffix = _ORDERING[FIELDS["aqrl"].value_in(bits)] if "aqrl" in operands else ""
    return f"{mnemonic}{suffix} {', '.join(written)}".strip()


def _operand(name: str, field: Field | int | None, bits: int, pc: int, name_of: NameOf) -> str:
    if field is None or (isinstance(field, Field) and field.kind == Kind.CARRY):
        return name
    if isinstance(field, int):
        return ABI_NAMES[f"x{field}"]
    value = field.value_in(bits)
    if value == DEFAULTS.get(name):
        return ""
    if field.kind in KINDS:
        plain = f"{KINDS[field.kind]}{value}"
        return ABI_NAMES.get(plain, plain)
    match field.kind:
        case Kind.MASK:
            return "v0.t"
        case Kind.UPPER:
            return str(value >> 12 & 0xFFFFF)
        case Kind.TARGET:
            return name_of(pc + value) or hex(pc + value)
        case Kind.CSR:
            return _CSRS.get(value, hex(value))
        case Kind.ROUNDING:
            return _ROUNDING.get(value, str(value))
        case Kind.ORDER:
            return "".join(letter for place, letter in enumerate("iorw") if value & 8 >> place) or "0"
        case Kind.VTYPE:
            return vtype_text(value)
    return str(value)


def vtype_text(value: int) -> str:
    """Return the names of a vector configuration; a reserved one is a number."""
    names = [
        next((name for name, number in choices.items() if number == value & mask), None)
        for choices, mask in zip((WIDTHS, GROUPS, *POLICIES), (0x38, 0x7, 1 << 6, 1 << 7), strict=True)
    ]
    if None in names or value >> 8:
        return str(value)
    return ", ".join(map(str, names))


def instruction_at(program: RiscvProgram, pc: int) -> str:
    """Return the text of the instruction at an address, with the names of those that it jumps to."""
    bits = int.from_bytes(program.bytes_at(pc, min(4, program.text_end - pc)), "little")
    return instruction_text(bits, pc, program.code_labels.get)


def listing(program: RiscvProgram) -> str:
    """Return a table with a line for each instruction: address, word, text, source line; and labels."""
    names, lines, pc = program.code_labels, [], program.text
    while pc < program.text_end:
        bits = int.from_bytes(program.bytes_at(pc, min(4, program.text_end - pc)), "little")
        size = 2 if is_short(bits) else 4
        if pc in names:
            lines.append(f"{names[pc]}:")
        digits = f"{bits & (1 << 8 * size) - 1:0{2 * size}x}"
        source = program.line_of(pc)
        comment = f"  # {source}" if source else ""
        lines.append(f"{pc:8x}  {digits:<8}  {instruction_text(bits, pc, names.get):<32}{comment}".rstrip())
        pc += size
    return "".join(line + "\n" for line in lines)
