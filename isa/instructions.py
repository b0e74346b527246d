"""The instruction table: the one place where an instruction is declared.

To add an instruction, write its semantics in :mod:`isa.semantics` and one row here; assembler,
encoding, disassembler, engines and the reference read this table. Mnemonics follow the textbooks'
VMIPS; the suffix is the type of an element: ``.w`` 32-bit word, ``.s`` float32, ``.d`` 64-bit word or
float64. :data:`TYPED` maps the assembler's generic suffix ``.f`` to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from isa.declaration import Access, Instruction, InstructionSet, Length, Pattern, Record, Timing, Unit
from isa.semantics import memory, scalar, sparse, vector

TYPED = {4: ("s", "w"), 8: ("d", "d")}
"""Suffixes that ``.f`` may stand for, by the bytes of a matrix value: arithmetic, then data movement."""

Semantics = Callable[..., Any]


def _scalar(
    mnemonic: str,
    opcode: int,
    syntax: str,
    semantics: Semantics,
    summary: str,
    latency: str = "integer",
    **more: Any,
) -> Instruction:
    return Instruction(
        mnemonic, opcode, syntax, Unit.SCALAR, Timing.SCALAR, latency, semantics, summary, **more
    )


def _branch(mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str) -> Instruction:
    return Instruction(mnemonic, opcode, syntax, Unit.SCALAR, Timing.BRANCH, "integer", semantics, summary)


def _word(
    mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str, value_bytes: int = 4
) -> Instruction:
    store = "=" not in syntax
    timing, latency = (Timing.SCALAR_STORE, "integer") if store else (Timing.SCALAR_LOAD, "")
    access = Access(Pattern.CONTIGUOUS, store, value_bytes)
    return Instruction(
        mnemonic, opcode, syntax, Unit.SCALAR, timing, latency, semantics, summary, Length.ONE, access
    )


def _vector(
    mnemonic: str,
    opcode: int,
    syntax: str,
    unit: Unit,
    latency: str,
    semantics: Semantics,
    summary: str,
    timing: Timing = Timing.ELEMENTWISE,
    length: Length = Length.VL,
    **more: Any,
) -> Instruction:
    reads = ("vl",) if length == Length.VL else ()
    return Instruction(
        mnemonic, opcode, syntax, unit, timing, latency, semantics, summary, length, reads=reads, **more
    )


def _access(
    mnemonic: str,
    opcode: int,
    syntax: str,
    pattern: Pattern,
    value_bytes: int,
    semantics: Semantics,
    summary: str,
    length: Length = Length.VL,
    record: Record = Record.PLAIN,
    **more: Any,
) -> Instruction:
    store = "=" not in syntax
    cache = length == Length.COUNT
    if cache:
        store = mnemonic.startswith("st")
    reads = ("vl",) if length == Length.VL else ("blocklen",) if length == Length.BLOCK else ()
    return Instruction(
        mnemonic,
        opcode,
        syntax,
        Unit.MEMORY,
        Timing.ACCESS,
        "",
        semantics,
        summary,
        length,
        Access(pattern, store, value_bytes, record, cache),
        reads=reads,
        **more,
    )


def _sparse(
    mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str, slice_operand: str = ""
) -> Instruction:
    return Instruction(
        mnemonic,
        opcode,
        syntax,
        Unit.SPARSE,
        Timing.SPARSE,
        "",
        semantics,
        summary,
        Length.VL,
        reads=("vl",),
        accumulates=True,
        slice_operand=slice_operand,
    )


def _scalar_rows() -> Iterator[Instruction]:
    three, immediate = "xd=, xa, xb", "xd=, xa, i14"
    yield Instruction(
        "halt",
        0x00,
        "",
        Unit.SCALAR,
        Timing.HALT,
        "integer",
        scalar.halt,
        "Stop; the run ends when all has retired.",
    )
    yield _scalar("add", 0x01, three, scalar.add, "xd = xa + xb")
    yield _scalar("sub", 0x02, three, scalar.sub, "xd = xa - xb")
    yield _scalar("mul", 0x03, three, scalar.mul, "xd = xa * xb, low 32 bits", "integer_multiply")
    yield _scalar("and", 0x04, three, scalar.and_, "xd = xa and xb, bit by bit")
    yield _scalar("or", 0x05, three, scalar.or_, "xd = xa or xb, bit by bit")
    yield _scalar("xor", 0x06, three, scalar.xor, "xd = xa exclusive-or xb, bit by bit")
    yield _scalar("sll", 0x07, three, scalar.sll, "xd = xa shifted left by xb (low 5 bits)")
    yield _scalar("srl", 0x08, three, scalar.srl, "xd = xa shifted right by xb, zeros come in")
    yield _scalar("sra", 0x09, three, scalar.sra, "xd = xa shifted right by xb, the sign comes in")
    yield _scalar("slt", 0x0A, three, scalar.slt, "xd = 1 if xa < xb else 0")
    yield _scalar("addi", 0x0B, immediate, scalar.addi, "xd = xa + immediate")
    yield _scalar("andi", 0x0C, immediate, scalar.andi, "xd = xa and immediate, bit by bit")
    yield _scalar("ori", 0x0D, immediate, scalar.ori, "xd = xa or immediate, bit by bit")
    yield _scalar("xori", 0x0E, immediate, scalar.xori, "xd = xa exclusive-or immediate, bit by bit")
    yield _scalar("slli", 0x0F, immediate, scalar.slli, "xd = xa shifted left")
    yield _scalar("srli", 0x10, immediate, scalar.srli, "xd = xa shifted right, zeros come in")
    yield _scalar("srai", 0x11, immediate, scalar.srai, "xd = xa shifted right, the sign comes in")
    yield _scalar("slti", 0x12, immediate, scalar.slti, "xd = 1 if xa < immediate else 0")
    yield _scalar("lui", 0x13, "xd=, u19", scalar.lui, "xd = immediate << 13")
    yield _branch("beq", 0x14, "xa, xb, t14", scalar.beq, "branch if xa = xb")
    yield _branch("bne", 0x15, "xa, xb, t14", scalar.bne, "branch if xa is not xb")
    yield _branch("blt", 0x16, "xa, xb, t14", scalar.blt, "branch if xa < xb")
    yield _branch("bge", 0x17, "xa, xb, t14", scalar.bge, "branch if xa >= xb")
    yield _branch("jal", 0x18, "xd=, t19", scalar.jal, "jump; xd = number of the next instruction")
    yield _branch("jr", 0x19, "xa", scalar.jr, "jump to the instruction whose number is in xa")
    yield _word("lw", 0x1A, "xd=, i14(xa)", scalar.lw, "xd = 32-bit word at xa + offset")
    yield _word("sw", 0x1B, "xb, i14(xa)", scalar.sw, "32-bit word at xa + offset = xb")
    yield _word("fl.w", 0x1C, "fd=, i14(xa)", scalar.fl_w, "fd = float32 at xa + offset")
    yield _word("fl.d", 0x1D, "fd=, i14(xa)", scalar.fl_d, "fd = float64 at xa + offset", 8)
    yield _word("fs.w", 0x1E, "fb, i14(xa)", scalar.fs_w, "float32 at xa + offset = fb")
    yield _word("fs.d", 0x1F, "fb, i14(xa)", scalar.fs_d, "float64 at xa + offset = fb", 8)
    yield _scalar("fadd.s", 0x20, "fd=, fa, fb", scalar.fadd_s, "fd = fa + fb, float32", "float")
    yield _scalar("fadd.d", 0x21, "fd=, fa, fb", scalar.fadd_d, "fd = fa + fb, float64", "float")
    yield _scalar("fsub.s", 0x22, "fd=, fa, fb", scalar.fsub_s, "fd = fa - fb, float32", "float")
    yield _scalar("fsub.d", 0x23, "fd=, fa, fb", scalar.fsub_d, "fd = fa - fb, float64", "float")
    yield _scalar("fmul.s", 0x24, "fd=, fa, fb", scalar.fmul_s, "fd = fa * fb, float32", "float")
    yield _scalar("fmul.d", 0x25, "fd=, fa, fb", scalar.fmul_d, "fd = fa * fb, float64", "float")
    yield _scalar("mxf", 0x26, "fd=, xa", scalar.mxf, "fd = the 32 bits of xa, as they are")
    yield _scalar("mfx", 0x27, "xd=, fa", scalar.mfx, "xd = the low 32 bits of fa, as they are")
    yield _scalar(
        "setvl",
        0x28,
        "xd=, xa",
        scalar.setvl,
        "vl = xd = xa, at least 0, at most the section size",
        writes=("vl",),
    )
    yield _scalar("mfs", 0x29, "xd=, sa", scalar.mfs, "xd = special register")
    yield _scalar("mts", 0x2A, "sd=, xa", scalar.mts, "special register = xa (vl is set by setvl alone)")


def _typed_arithmetic(
    name: str, opcode: int, unit: Unit, latency: str, what: str, integer: bool = True
) -> Iterator[Instruction]:
    """Rows for vector-vector and vector-scalar forms of one operation in each element type."""
    for form in ("vv", "vs"):
        if not hasattr(vector, f"{name}{form}_s"):
            continue
        for offset, (suffix, kind) in enumerate((("w", "int32"), ("s", "float32"), ("d", "float64"))):
            if suffix == "w" and not integer:
                continue
            scalar_operand = "xb" if suffix == "w" else "fb"
            destination = "vd+" if name == "madd" else "vd="
            yield _vector(
                f"{name}{form}.{suffix}",
                opcode + offset + 3 * (form == "vs"),
                f"{destination}, va, {'vb' if form == 'vv' else scalar_operand}",
                unit,
                latency,
                getattr(vector, f"{name}{form}_{suffix}"),
                f"{what.format(b='vb[k]' if form == 'vv' else scalar_operand)}, {kind}",
            )


def _arithmetic_rows() -> Iterator[Instruction]:
    yield from _typed_arithmetic("add", 0x40, Unit.ADD, "add", "vd[k] = va[k] + {b}")
    yield from _typed_arithmetic("sub", 0x46, Unit.ADD, "add", "vd[k] = va[k] - {b}")
    for offset, (suffix, kind) in enumerate((("w", "int32"), ("s", "float32"), ("d", "float64"))):
        b = "xb" if suffix == "w" else "fb"
        semantics = getattr(vector, f"subsv_{suffix}")
        yield _vector(
            f"subsv.{suffix}",
            0x4C + offset,
            f"vd=, va, {b}",
            Unit.ADD,
            "add",
            semantics,
            f"vd[k] = {b} - va[k], {kind}",
        )
    yield from _typed_arithmetic("mul", 0x50, Unit.MULTIPLY, "multiply", "vd[k] = va[k] * {b}")
    yield from _typed_arithmetic(
        "madd",
        0x56,
        Unit.MULTIPLY,
        "multiply_add",
        "vd[k] = vd[k] + va[k] * {b}, rounded twice",
        integer=False,
    )
    for offset, (suffix, kind) in enumerate((("s", "float32"), ("d", "float64"))):
        yield _vector(
            f"sumv.{suffix}",
            0x5C + offset,
            "fd=, va",
            Unit.ADD,
            "sum",
            getattr(vector, f"sumv_{suffix}"),
            f"fd = va[0] + va[1] + ... in element order, {kind}",
            Timing.REDUCTION,
        )
    compares = (("seq", "="), ("slt", "<"), ("sle", "<="))
    for row, (name, sign) in enumerate(compares):
        for offset, (suffix, kind) in enumerate((("w", "int32"), ("s", "float32"), ("d", "float64"))):
            yield _vector(
                f"{name}vv.{suffix}",
                0x60 + 3 * row + offset,
                "va, vb",
                Unit.ADD,
                "move",
                getattr(vector, f"{name}vv_{suffix}"),
                f"mask[k] = 1 if va[k] {sign} vb[k] else 0, {kind}",
                mask="w",
            )


def _move_rows() -> Iterator[Instruction]:
    def move(
        mnemonic: str, opcode: int, syntax: str, semantics: Semantics, summary: str, **more: Any
    ) -> Instruction:
        return _vector(mnemonic, opcode, syntax, Unit.ADD, "move", semantics, summary, **more)

    yield move("mergev", 0x70, "vd=, va, vb", vector.mergev, "vd[k] = va[k] if mask[k] else vb[k]", mask="r")
    yield move("movv", 0x71, "vd=, va", vector.movv, "vd[k] = va[k]")
    yield move("movvf", 0x72, "vd=, fa", vector.movvf, "vd[k] = fa")
    yield move("movvx", 0x73, "vd=, xa", vector.movvx, "vd[k] = xa, 32 bits")
    yield move("cvi", 0x74, "vd=, xa", vector.cvi, "vd[k] = k * xa, int32 (iota)")
    yield move("insf", 0x75, "vd=, fa, xi", vector.insf, "vd[xi] = fa (xi modulo s)", length=Length.ONE)
    yield move(
        "insx", 0x76, "vd=, xa, xi", vector.insx, "vd[xi] = xa, 32 bits (xi modulo s)", length=Length.ONE
    )
    for mnemonic, opcode, syntax, semantics, what in (
        ("extf", 0x77, "fd=, va, xi", vector.extf, "fd = va[xi]"),
        ("extx", 0x78, "xd=, va, xi", vector.extx, "xd = va[xi], 32 bits"),
    ):
        yield Instruction(
            mnemonic,
            opcode,
            syntax,
            Unit.SCALAR,
            Timing.EXTRACT,
            "extract",
            semantics,
            f"{what} (xi modulo s)",
            Length.ONE,
        )


def _access_rows() -> Iterator[Instruction]:
    for offset, (suffix, size) in enumerate((("w", 4), ("d", 8))):
        bits = 8 * size

        def semantics(name: str, suffix: str = suffix) -> Semantics:
            found: Semantics = getattr(memory, f"{name}_{suffix}")
            return found

        yield _access(
            f"lv.{suffix}",
            0x80 + offset,
            "vd=, i14(xa)",
            Pattern.CONTIGUOUS,
            size,
            semantics("lv"),
            f"vd[k] = {bits}-bit element at xa + offset + {size} k",
        )
        yield _access(
            f"sv.{suffix}",
            0x82 + offset,
            "vb, i14(xa)",
            Pattern.CONTIGUOUS,
            size,
            semantics("sv"),
            f"{bits}-bit element at xa + offset + {size} k = vb[k]",
        )
        yield _access(
            f"lvws.{suffix}",
            0x84 + offset,
            "vd=, (xa), xs",
            Pattern.STRIDED,
            size,
            semantics("load_elements"),
            f"vd[k] = {bits}-bit element at xa + xs k (stride in bytes)",
        )
        yield _access(
            f"svws.{suffix}",
            0x86 + offset,
            "vb, (xa), xs",
            Pattern.STRIDED,
            size,
            semantics("store_elements"),
            f"{bits}-bit element at xa + xs k = vb[k] (stride in bytes)",
        )
        yield _access(
            f"lvi.{suffix}",
            0x88 + offset,
            "vd=, (xa), vi",
            Pattern.INDEXED,
            size,
            semantics("load_elements"),
            f"gather: vd[k] = {bits}-bit element at xa + {size} vi[k]",
        )
        yield _access(
            f"svi.{suffix}",
            0x8A + offset,
            "vb, (xa), vi",
            Pattern.INDEXED,
            size,
            semantics("store_elements"),
            f"scatter: {bits}-bit element at xa + {size} vi[k] = vb[k], in element order",
        )
        yield _access(
            f"ldc.{suffix}",
            0x8C + offset,
            "xo, (xa), xc",
            Pattern.CONTIGUOUS,
            size,
            semantics("ldc"),
            f"vector cache[xo + k] = {bits}-bit element at xa + {size} k, for xc elements",
            Length.COUNT,
        )
        yield _access(
            f"stc.{suffix}",
            0x8E + offset,
            "xo, (xa), xc",
            Pattern.CONTIGUOUS,
            size,
            semantics("stc"),
            f"{bits}-bit element at xa + {size} k = vector cache[xo + k], for xc elements",
            Length.COUNT,
        )


def _sparse_rows() -> Iterator[Instruction]:
    for offset, (suffix, size, what) in enumerate(
        (("w", 4, "32-bit values or pointers"), ("d", 8, "64-bit values"))
    ):
        yield _access(
            f"ldb.{suffix}",
            0xA0 + offset,
            "vv=, vp=, (xa+), xc+, u4",
            Pattern.CONTIGUOUS,
            size,
            getattr(sparse, f"ldb_{suffix}"),
            f"HiSM: vl = min(xc, s) entries, {what} to vv, positions of u4 bytes to vp; advance xa, xc",
            Length.SECTION,
            Record.POSITIONS,
            writes=("vl",),
        )
        yield _access(
            f"lds.{suffix}",
            0xA2 + offset,
            "vv=, vp=, vr=*, (xa+)",
            Pattern.CONTIGUOUS,
            size,
            getattr(sparse, f"lds_{suffix}"),
            f"BBCS: vl = min(blocklen, s) entries, {what} to vv, descriptors to vp, rows to vr; advance xa",
            Length.BLOCK,
            Record.DESCRIPTOR,
            writes=("vl", "blocklen"),
            late=("rowptr", "rowcount"),
        )
    for offset, (suffix, kind) in enumerate((("s", "float32"), ("d", "float64"))):
        yield _sparse(
            f"bmipa.{suffix}",
            0xA4 + offset,
            "vy+*, vx*, vv, vp",
            getattr(sparse, f"bmipa_{suffix}"),
            f"HiSM: vy[row] += vv[k] * vx[column] with row and column of vp[k], {kind}",
        )
        yield _sparse(
            f"bmipac.{suffix}",
            0xA6 + offset,
            "xi, vx*, vv, vp",
            getattr(sparse, f"bmipac_{suffix}"),
            f"CHiSM: like bmipa, adding to slice xi of the vector cache, {kind}",
            slice_operand="xi",
        )
        yield _sparse(
            f"mipa.{suffix}",
            0xA8 + offset,
            "vy+*, vx*, vv, vp",
            getattr(sparse, f"mipa_{suffix}"),
            f"BBCS: vy[row] += vv[k] * vx[column], the row counting the ends of row in vp, {kind}",
        )


BASE = InstructionSet((*_scalar_rows(), *_arithmetic_rows(), *_move_rows(), *_access_rows(), *_sparse_rows()))
"""The instruction set of every vecsim machine."""
