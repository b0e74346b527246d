"""Configuration, reductions of integers, masks and permutations of vectors."""

from __future__ import annotations

from isa.riscv.declaration import Row, Semantics, Timing
from isa.riscv.rows.vector_forms import Family, encoding
from isa.riscv.semantics import vector_configuration as configuration
from isa.riscv.semantics import vector_permutations as permutations
from isa.riscv.semantics import vector_reductions as reductions

_REDUCE = Family("M", reductions.reduce, Timing.REDUCTION)
_WIDE_REDUCE = Family("I", reductions.reduce, Timing.REDUCTION)
_LOGIC = Family("M", reductions.combine_masks, Timing.MASK)
_SLIDE = Family("I", permutations.slide, Timing.SLIDE, unsigned=True)
_SLIDE_ONE = Family("M", permutations.slide_by_one, Timing.SLIDE)
_GATHER = Family("I", permutations.gather, Timing.GATHER, unsigned=True)
_ONE_TO_ALL = Family("I", permutations.gather, Timing.SLIDE, unsigned=True)
_COMPRESS = Family("M", permutations.compress, Timing.COMPRESS)


def _one(
    mnemonic: str,
    operands: str,
    code: tuple[int, int],
    timing: Timing,
    semantics: Semantics,
    operation: int,
    summary: str,
) -> Row:
    return Row(mnemonic, "V", *code, operands, timing, semantics, operation, summary)


def _configure(mnemonic: str, operands: str, match: int, mask: int, operation: int, summary: str) -> Row:
    code = (match | 0x7057, mask | 0x707F)
    return _one(mnemonic, operands, code, Timing.CONFIGURE, configuration.configure, operation, summary)


_MARKS = (
    ("vmsbf.m", 1, reductions.BEFORE_FIRST, "mask: before the first set bit"),
    ("vmsof.m", 2, reductions.ONLY_FIRST, "mask: the first set bit"),
    ("vmsif.m", 3, reductions.UP_TO_FIRST, "mask: up to the first set bit"),
)

ROWS: tuple[Row, ...] = (
    _configure(
        "vsetvli", "rd, rs1, zimm11", 0, 0x8000_0000, configuration.FROM_IMMEDIATE, "set type and length"
    ),
    _configure(
        "vsetivli",
        "rd, zimm5, zimm10",
        0xC000_0000,
        0xC000_0000,
        configuration.FROM_IMMEDIATES,
        "set type and a length below 32",
    ),
    _configure(
        "vsetvl",
        "rd, rs1, rs2",
        0x8000_0000,
        0xFE00_0000,
        configuration.FROM_REGISTER,
        "set the type in rs2 and length",
    ),
    *_REDUCE.rows("vredsum", 0x00, "vs", reductions.SUM, "sum"),
    *_REDUCE.rows("vredand", 0x01, "vs", reductions.AND, "and of all"),
    *_REDUCE.rows("vredor", 0x02, "vs", reductions.OR, "or of all"),
    *_REDUCE.rows("vredxor", 0x03, "vs", reductions.XOR, "exclusive or of all"),
    *_REDUCE.rows("vredminu", 0x04, "vs", reductions.MINIMUM_UNSIGNED, "least, unsigned"),
    *_REDUCE.rows("vredmin", 0x05, "vs", reductions.MINIMUM, "least, signed"),
    *_REDUCE.rows("vredmaxu", 0x06, "vs", reductions.MAXIMUM_UNSIGNED, "greatest, unsigned"),
    *_REDUCE.rows("vredmax", 0x07, "vs", reductions.MAXIMUM, "greatest, signed"),
    *_WIDE_REDUCE.rows(
        "vwredsumu", 0x30, "vs", reductions.WIDE_SUM_UNSIGNED, "sum at twice the width, unsigned"
    ),
    *_WIDE_REDUCE.rows("vwredsum", 0x31, "vs", reductions.WIDE_SUM, "sum at twice the width, signed"),
    *_LOGIC.rows("vmandn", 0x18, "mm", reductions.MASK_ANDN, "vs2 and not vs1", vm=1),
    *_LOGIC.rows("vmand", 0x19, "mm", reductions.MASK_AND, "and", vm=1),
    *_LOGIC.rows("vmor", 0x1A, "mm", reductions.MASK_OR, "or", vm=1),
    *_LOGIC.rows("vmxor", 0x1B, "mm", reductions.MASK_XOR, "exclusive or", vm=1),
    *_LOGIC.rows("vmorn", 0x1C, "mm", reductions.MASK_ORN, "vs2 or not vs1", vm=1),
    *_LOGIC.rows("vmnand", 0x1D, "mm", reductions.MASK_NAND, "not (vs2 and vs1)", vm=1),
    *_LOGIC.rows("vmnor", 0x1E, "mm", reductions.MASK_NOR, "not (vs2 or vs1)", vm=1),
    *_LOGIC.rows("vmxnor", 0x1F, "mm", reductions.MASK_XNOR, "not (vs2 exclusive or vs1)", vm=1),
    _one(
        "vcpop.m",
        "rd, vs2, vm",
        encoding(0x10, 2, vs1=0x10),
        Timing.COUNT,
        reductions.mask_to_scalar,
        reductions.COUNT,
        "count the set bits",
    ),
    _one(
        "vfirst.m",
        "rd, vs2, vm",
        encoding(0x10, 2, vs1=0x11),
        Timing.COUNT,
        reductions.mask_to_scalar,
        reductions.FIRST,
        "number of the first set bit, or -1",
    ),
    *(
        _one(
            name,
            "vd, vs2, vm",
            encoding(0x14, 2, vs1=vs1),
            Timing.MASK_PREFIX,
            reductions.mark_first,
            number,
            summary,
        )
        for name, vs1, number, summary in _MARKS
    ),
    _one(
        "viota.m",
        "vd, vs2, vm",
        encoding(0x14, 2, vs1=0x10),
        Timing.MASK_PREFIX,
        reductions.number_elements,
        reductions.IOTA,
        "how many bits are set before each",
    ),
    _one(
        "vid.v",
        "vd, vm",
        encoding(0x14, 2, vs1=0x11, vs2=0),
        Timing.MASK_PREFIX,
        reductions.number_elements,
        reductions.IDENTITY,
        "number of each element",
    ),
    _one(
        "vmv.x.s",
        "rd, vs2",
        encoding(0x10, 2, vs1=0, vm=1),
        Timing.TO_SCALAR,
        permutations.move_element,
        permutations.TO_SCALAR,
        "element 0 to an integer register",
    ),
    _one(
        "vmv.s.x",
        "vd, rs1",
        encoding(0x10, 6, vs2=0, vm=1),
        Timing.INSERT,
        permutations.move_element,
        permutations.FROM_SCALAR,
        "element 0 from an integer register",
    ),
    *(
        _one(
            f"vmv{1 << k}r.v",
            "vd, vs2",
            encoding(0x27, 3, vs1=(1 << k) - 1, vm=1),
            Timing.INTEGER,
            permutations.move_registers,
            k,
            f"copy {1 << k} whole register{'s' if k else ''}",
        )
        for k in range(4)
    ),
    *_SLIDE.rows("vslideup", 0x0E, "vx vi", permutations.UP, "move elements up"),
    *_SLIDE.rows("vslidedown", 0x0F, "vx vi", permutations.DOWN, "move elements down, zeros in"),
    *_SLIDE_ONE.rows("vslide1up", 0x0E, "vx", permutations.UP, "move elements up by one, rs1 in"),
    *_SLIDE_ONE.rows("vslide1down", 0x0F, "vx", permutations.DOWN, "move elements down by one, rs1 in"),
    *_GATHER.rows("vrgather", 0x0C, "vv", permutations.GATHER, "read elements of vs2 by number"),
    *_ONE_TO_ALL.rows("vrgather", 0x0C, "vx vi", permutations.GATHER, "one element of vs2 to all"),
    *_GATHER.rows("vrgatherei16", 0x0E, "vv", permutations.GATHER_16, "read elements by numbers of 16 bits"),
    *_COMPRESS.rows("vcompress", 0x17, "vm", 0, "pack the elements that a mask selects", vm=1),
)
