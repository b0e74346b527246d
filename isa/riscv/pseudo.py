"""Pseudo-instructions of RISC-V: what the assembler writes as one or two instructions of the table."""

from __future__ import annotations

from typing import NamedTuple


class Pseudo(NamedTuple):
    """A pseudo-instruction.

    Attributes
    ----------
    mnemonic
        Its name.
    operands
        As a user writes them; ``vm`` at the end may be left out.
    lines
        The instructions, in which the names of operands stand for what the user writes; ``vm`` that was left
        out is left out in them.
    """

    mnemonic: str
    operands: str
    lines: tuple[str, ...]


def _one(syntax: str, lines: str) -> Pseudo:
    mnemonic, _, operands = syntax.partition(" ")
    return Pseudo(mnemonic, operands, tuple(lines.split("; ")))


_HIGH, _LOW = "%pcrel_hi(symbol)", "%pcrel_rest(symbol)"
"""The two halves of the distance to a symbol; the second is that from the instruction before."""

_INTEGERS = (
    ("nop", "addi x0, x0, 0"),
    ("c.nop", "c.addi x0, 0"),
    ("mv rd, rs", "addi rd, rs, 0"),
    ("not rd, rs", "xori rd, rs, -1"),
    ("neg rd, rs", "sub rd, x0, rs"),
    ("negw rd, rs", "subw rd, x0, rs"),
    ("sext.w rd, rs", "addiw rd, rs, 0"),
    ("zext.b rd, rs", "andi rd, rs, 255"),
    ("zext.w rd, rs", "add.uw rd, rs, x0"),
    ("seqz rd, rs", "sltiu rd, rs, 1"),
    ("snez rd, rs", "sltu rd, x0, rs"),
    ("sltz rd, rs", "slt rd, rs, x0"),
    ("sgtz rd, rs", "slt rd, x0, rs"),
    ("sgt rd, rs, rt", "slt rd, rt, rs"),
    ("sgtu rd, rs, rt", "sltu rd, rt, rs"),
)
_IMMEDIATES = tuple(
    (f"{name}{word} rd, rs, imm", f"{full}{word} rd, rs, imm")
    for name, full in (
        *(("add", "addi"), ("and", "andi"), ("or", "ori"), ("xor", "xori"), ("slt", "slti")),
        *(("sltu", "sltiu"), ("sll", "slli"), ("srl", "srli"), ("sra", "srai"), ("ror", "rori")),
    )
    for word in ("", *(("w",) if name in ("add", "sll", "srl", "sra", "ror") else ()))
)
"""The names of operations on registers, which assemblers take with an immediate, too."""
_BRANCHES = (
    ("beqz rs, label", "beq rs, x0, label"),
    ("bnez rs, label", "bne rs, x0, label"),
    ("blez rs, label", "bge x0, rs, label"),
    ("bgez rs, label", "bge rs, x0, label"),
    ("bltz rs, label", "blt rs, x0, label"),
    ("bgtz rs, label", "blt x0, rs, label"),
    ("bgt rs, rt, label", "blt rt, rs, label"),
    ("ble rs, rt, label", "bge rt, rs, label"),
    ("bgtu rs, rt, label", "bltu rt, rs, label"),
    ("bleu rs, rt, label", "bgeu rt, rs, label"),
    ("j label", "jal x0, label"),
    ("jal label", "jal x1, label"),
    ("jr rs", "jalr x0, 0(rs)"),
    ("jr offset(rs)", "jalr x0, offset(rs)"),
    ("jalr rs", "jalr x1, 0(rs)"),
    ("jalr offset(rs)", "jalr x1, offset(rs)"),
    ("jalr rd, rs", "jalr rd, 0(rs)"),
    ("jalr rd, rs, offset", "jalr rd, offset(rs)"),
    ("ret", "jalr x0, 0(x1)"),
    ("call symbol", f"auipc x1, {_HIGH}; jalr x1, {_LOW}(x1)"),
    ("call rd, symbol", f"auipc rd, {_HIGH}; jalr rd, {_LOW}(rd)"),
    ("tail symbol", f"auipc x6, {_HIGH}; jalr x0, {_LOW}(x6)"),
    ("jump symbol, rt", f"auipc rt, {_HIGH}; jalr x0, {_LOW}(rt)"),
)
_ADDRESSES = (
    *((f"{name} rd, symbol", f"auipc rd, {_HIGH}; addi rd, rd, {_LOW}") for name in ("la", "lla")),
    *(
        (f"{name} rd, symbol", f"auipc rd, {_HIGH}; {name} rd, {_LOW}(rd)")
        for name in ("lb", "lbu", "lh", "lhu", "lw", "lwu", "ld")
    ),
    *(
        (f"{name} rd, symbol, rt", f"auipc rt, {_HIGH}; {name} rd, {_LOW}(rt)")
        for name in ("sb", "sh", "sw", "sd", "flw", "fld", "fsw", "fsd")
    ),
)
_FLOATS = (
    *(
        (syntax.replace(".", f".{t}", 1), line.replace(".", f".{t}", 1))
        for t in "sd"
        for syntax, line in (
            ("fmv. fd, fs", "fsgnj. fd, fs, fs"),
            ("fabs. fd, fs", "fsgnjx. fd, fs, fs"),
            ("fneg. fd, fs", "fsgnjn. fd, fs, fs"),
            ("fgt. rd, fs, ft", "flt. rd, ft, fs"),
            ("fge. rd, fs, ft", "fle. rd, ft, fs"),
        )
    ),
    ("fmv.x.s rd, fs", "fmv.x.w rd, fs"),
    ("fmv.s.x fd, rs", "fmv.w.x fd, rs"),
)
_REGISTERS = (
    ("csrr rd, csr", "csrrs rd, csr, x0"),
    ("csrw csr, rs", "csrrw x0, csr, rs"),
    ("csrs csr, rs", "csrrs x0, csr, rs"),
    ("csrc csr, rs", "csrrc x0, csr, rs"),
    ("csrwi csr, imm", "csrrwi x0, csr, imm"),
    ("csrsi csr, imm", "csrrsi x0, csr, imm"),
    ("csrci csr, imm", "csrrci x0, csr, imm"),
    *((f"rd{name} rd", f"csrrs rd, {name}, x0") for name in ("cycle", "time", "instret")),
    *(
        (f"{name} rd", f"csrrs rd, {csr}, x0")
        for name, csr in (("frcsr", "fcsr"), ("frsr", "fcsr"), ("frrm", "frm"), ("frflags", "fflags"))
    ),
    *(
        each
        for name, csr in (("fscsr", "fcsr"), ("fssr", "fcsr"), ("fsrm", "frm"), ("fsflags", "fflags"))
        for each in (
            (f"{name} rs", f"csrrw x0, {csr}, rs"),
            (f"{name} rd, rs", f"csrrw rd, {csr}, rs"),
        )
    ),
    *(
        each
        for name, csr in (("fsrmi", "frm"), ("fsflagsi", "fflags"))
        for each in (
            (f"{name} imm", f"csrrwi x0, {csr}, imm"),
            (f"{name} rd, imm", f"csrrwi rd, {csr}, imm"),
        )
    ),
    ("unimp", "csrrw x0, cycle, x0"),
    ("fence", "fence iorw, iorw"),
    ("pause", "fence w, 0"),
)
_VECTORS = (
    ("vneg.v vd, vs, vm", "vrsub.vx vd, vs, x0, vm"),
    ("vnot.v vd, vs, vm", "vxor.vi vd, vs, -1, vm"),
    ("vwcvt.x.x.v vd, vs, vm", "vwadd.vx vd, vs, x0, vm"),
    ("vwcvtu.x.x.v vd, vs, vm", "vwaddu.vx vd, vs, x0, vm"),
    ("vncvt.x.x.w vd, vs, vm", "vnsrl.wx vd, vs, x0, vm"),
    ("vfneg.v vd, vs, vm", "vfsgnjn.vv vd, vs, vs, vm"),
    ("vfabs.v vd, vs, vm", "vfsgnjx.vv vd, vs, vs, vm"),
    *(
        (f"{name}.vv vd, va, vb, vm", f"{full}.vv vd, vb, va, vm")
        for name, full in (
            *(("vmsgt", "vmslt"), ("vmsgtu", "vmsltu"), ("vmsge", "vmsle"), ("vmsgeu", "vmsleu")),
            *(("vmfgt", "vmflt"), ("vmfge", "vmfle")),
        )
    ),
    *(
        (f"{name}.vi vd, va, imm, vm", f"{full}.vi vd, va, imm - 1, vm")
        for name, full in (
            *(("vmslt", "vmsle"), ("vmsge", "vmsgt"), ("vmsltu", "vmsleu"), ("vmsgeu", "vmsgtu")),
        )
    ),
    *(
        each
        for name, less in (("vmsge", "vmslt"), ("vmsgeu", "vmsltu"))
        for each in (
            (f"{name}.vx vd, va, rs", f"{less}.vx vd, va, rs; vmnand.mm vd, vd, vd"),
            (f"{name}.vx vd, va, rs, v0.t", f"{less}.vx vd, va, rs, v0.t; vmxor.mm vd, vd, v0"),
            (
                f"{name}.vx vd, va, rs, v0.t, vt",
                f"{less}.vx vt, va, rs; vmandn.mm vt, v0, vt; vmandn.mm vd, vd, v0; vmor.mm vd, vt, vd",
            ),
        )
    ),
    *((f"{name} vd, vs", "vmand.mm vd, vs, vs") for name in ("vmmv.m", "vmcpy.m")),
    ("vmclr.m vd", "vmxor.mm vd, vd, vd"),
    ("vmset.m vd", "vmxnor.mm vd, vd, vd"),
    ("vmnot.m vd, vs", "vmnand.mm vd, vs, vs"),
    *((f"vl{count}r.v vd, (rs)", f"vl{count}re8.v vd, (rs)") for count in (1, 2, 4, 8)),
    ("vle1.v vd, (rs)", "vlm.v vd, (rs)"),
    ("vse1.v vd, (rs)", "vsm.v vd, (rs)"),
    ("vpopc.m rd, vs, vm", "vcpop.m rd, vs, vm"),
    ("vmandnot.mm vd, va, vb", "vmandn.mm vd, va, vb"),
    ("vmornot.mm vd, va, vb", "vmorn.mm vd, va, vb"),
    ("vfredsum.vs vd, va, vb, vm", "vfredusum.vs vd, va, vb, vm"),
    ("vfwredsum.vs vd, va, vb, vm", "vfwredusum.vs vd, va, vb, vm"),
)
PSEUDO_INSTRUCTIONS: tuple[Pseudo, ...] = tuple(
    _one(*each)
    for part in (_INTEGERS, _IMMEDIATES, _BRANCHES, _ADDRESSES, _FLOATS, _REGISTERS, _VECTORS)
    for each in part
)
"""The table; ``li`` is in :func:`constant`. A name may be that of an instruction with other operands."""

COMPARED_WITH_ZERO = {"vmsltu.vi": "vmsne.vv vd, va, va, vm", "vmsgeu.vi": "vmseq.vv vd, va, va, vm"}
"""Comparisons of unsigned elements with the immediate 0: the immediate before that is the largest number."""


class Step(NamedTuple):
    """An instruction that makes a constant: its mnemonic, and its immediate."""

    mnemonic: str
    immediate: int


def constant(value: int) -> list[Step]:
    """Return the instructions of ``li``: of each the source is what the one before has made, of the first x0.

    A constant that ends in zeros, or begins with them, may be made of a shorter one by a last shift.

    Parameters
    ----------
    value
        From -2**63 to 2**63 - 1.
    """
    steps = _direct(value)
    if value & 0xFFF and not value & 1 and len(steps) > 1:
        zeros = _trailing_zeros(value)
        short = value >> zeros
        other = _direct(short)
        if len(other) + 1 < len(steps) or -32 <= short < 32:
            steps = [*other, Step("slli", zeros)]
    if len(steps) > 2 and value > 0:
        zeros = 64 - value.bit_length()
        for low in ((1 << zeros) - 1, 0):
            other = _direct(_signed(value << zeros | low))
            if len(other) + 1 < len(steps):
                steps = [*other, Step("srli", zeros)]
    return steps


def _signed(value: int) -> int:
    return ((value & (1 << 64) - 1) ^ 1 << 63) - (1 << 63)


def _trailing_zeros(value: int) -> int:
    return (value & -value).bit_length() - 1


def _fits(value: int, bits: int) -> bool:
    return -(1 << bits - 1) <= value < 1 << bits - 1


def _direct(value: int) -> list[Step]:
    """Return lui and addi of each piece of 12 bits, with shifts between them."""
    low = (value & 0xFFF ^ 0x800) - 0x800
    if _fits(value, 32):
        high = (value + 0x800 >> 12) & 0xFFFFF
        steps = [Step("lui", high)] if high else []
        if low or not high:
            steps.append(Step("addiw" if high else "addi", low))
        return steps
    rest, shift = _signed(value - low), 0
    if not _fits(rest, 32):
        shift = _trailing_zeros(rest)
        rest >>= shift
        if shift > 12 and not _fits(rest, 12) and _fits(rest << 12, 32):
            shift, rest = shift - 12, rest << 12  # lui makes 12 zeros
    return [
        *_direct(rest),
        *([Step("slli", shift)] if shift else []),
        *([Step("addi", low)] if low else []),
    ]
