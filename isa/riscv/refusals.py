"""Why an instruction is illegal, in words: what is not supported by its name, and what is reserved."""

from __future__ import annotations

from isa.riscv.declaration import Row, Timing
from isa.riscv.disassembler import vtype_text
from isa.riscv.encoding import ILLEGAL, expand, is_short, row_number
from isa.riscv.extensions import CUSTOM, XHISM, mask_of, switched_on_by
from isa.riscv.fields import FIELDS, operand_names
from isa.riscv.instructions import ROWS
from isa.riscv.semantics.control import CSRS, WITH_IMMEDIATE, WRITE
from isa.riscv.state import EXTENSIONS, FRM, VL, VSTART, VTYPE, Hart

_NOT_SUPPORTED = (
    (0xFFFFFFFF, 0x30200073, "mret, which is privileged,"),
    (0xFFFFFFFF, 0x10200073, "sret, which is privileged,"),
    (0xFFFFFFFF, 0x10500073, "wfi, which is privileged,"),
    (0xFE007FFF, 0x12000073, "sfence.vma, which is privileged,"),
    (0x0000707F, 0x0000200F, "an operation on cache blocks (Zicbom, Zicboz)"),
    (0x0000707F, 0x00001007, "flh (half floats, Zfh)"),
    (0x0000707F, 0x00001027, "fsh (half floats, Zfh)"),
    (0x0600007F, 0x04000053, "an operation on half floats (Zfh)"),
    (0x06000073, 0x04000043, "a fused operation on half floats (Zfh)"),
    (0x0000707F, 0x00004007, "flq (floats of 128 bits, Q)"),
    (0x0000707F, 0x00004027, "fsq (floats of 128 bits, Q)"),
    (0x0600007F, 0x06000053, "an operation on floats of 128 bits (Q)"),
    (0x06000073, 0x06000043, "a fused operation on floats of 128 bits (Q)"),
    (0xFE00507F, 0x0E005033, "czero (Zicond)"),
    (0xFE00707F, 0x28001033, "bset (Zbs)"),
    (0xFE00707F, 0x48001033, "bclr (Zbs)"),
    (0xFE00707F, 0x48005033, "bext (Zbs)"),
    (0xFE00707F, 0x68001033, "binv (Zbs)"),
    (0xFC00707F, 0x28001013, "bseti (Zbs)"),
    (0xFC00707F, 0x48001013, "bclri (Zbs)"),
    (0xFC00707F, 0x48005013, "bexti (Zbs)"),
    (0xFC00707F, 0x68001013, "binvi (Zbs)"),
    (0xFE00407F, 0x0A000033, "clmul (Zbc)"),
    (0xF800607F, 0x2800202F, "amocas (Zacas)"),
    (0x0000007F, 0x00000077, "vector cryptography"),
)
"""Mask, match and name of what other extensions have; the first that matches."""
_OTHER_CSRS = {
    0x301: "misa",
    0x304: "mie",
    0x305: "mtvec",
    0x340: "mscratch",
    0x341: "mepc",
    0x342: "mcause",
    0x343: "mtval",
    0x344: "mip",
    0xB00: "mcycle",
    0xB02: "minstret",
    0xF11: "mvendorid",
    0xF12: "marchid",
    0xF13: "mimpid",
}
_NAMES = {number: name for name, number in CSRS.items()} | _OTHER_CSRS
_OF_HISM = (CSRS["rowptr"], CSRS["rowcount"])
_RESERVED = "its encoding is reserved"
DYNAMIC = 7
MOST_ROUNDING = 4


def why_illegal(hart: Hart, bits: int) -> str:
    """Return why an instruction is illegal in the state that a hart is in.

    Parameters
    ----------
    hart
        Its state before the instruction.
    bits
        The 32 bits at its address, or the 16 of a short one.
    """
    word = expand(bits & 0xFFFF) if is_short(bits) else bits
    if word is None:
        return _RESERVED
    number = row_number(word)
    if number == ILLEGAL:
        names = (name for mask, match, name in _NOT_SUPPORTED if word & mask == match)
        name = next(names, None)
        return f"{name} is not supported" if name else "no instruction has these bits"
    row = ROWS[number]
    if row.extension in CUSTOM and not mask_of([row.extension]) & hart.control[EXTENSIONS]:
        return f"{row.mnemonic} ({row.extension}) is not supported: {switched_on_by(row.extension)}"
    values = {name: FIELDS[name].value_in(word) for name in operand_names(row.operands)}
    if row.timing == Timing.CSR:
        return _why_csr(hart, row, values["csr"])
    rounding = values.get("rm", 0)
    if rounding == DYNAMIC and hart.control[FRM] > MOST_ROUNDING:
        return f"frm is {hart.control[FRM]}, which is no rounding mode"
    if MOST_ROUNDING < rounding < DYNAMIC:
        return f"{rounding} is no rounding mode"
    return _why_vector(hart, row)


def _why_csr(hart: Hart, row: Row, number: int) -> str:
    name = f"{_NAMES[number]} ({number:#x})" if number in _NAMES else f"{number:#x}"
    if number not in CSRS.values():
        return f"the control register {name} is not supported"
    if number in _OF_HISM and not mask_of([XHISM]) & hart.control[EXTENSIONS]:
        return f"the control register {name} of {XHISM} is not supported: {switched_on_by(XHISM)}"
    if row.operation % WITH_IMMEDIATE == WRITE:
        return f"the control register {name} cannot be written"
    return f"bits of the control register {name} cannot be changed"


def _why_vector(hart: Hart, row: Row) -> str:
    control = hart.control
    if control[VTYPE] < 0:
        return "vtype is not set, or to what this machine has not (vill)"
    if control[VSTART] and not Timing.LOAD_UNIT <= row.timing <= Timing.STORE_INDEXED:
        return f"vstart is {control[VSTART]}: only loads and stores go on in the middle"
    if control[FRM] > MOST_ROUNDING and row.mnemonic.startswith(("vf", "vmf")) and row.mnemonic != "vfirst.m":
        return f"frm is {control[FRM]}, which is no rounding mode"
    start = f", vstart {control[VSTART]}" if control[VSTART] else ""
    configuration = f"{vtype_text(int(control[VTYPE]))}, vl {control[VL]}{start}"
    return f"its registers or its element width are reserved with {configuration}"
