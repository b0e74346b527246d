"""Which vector registers an instruction reads and writes, part by part.

An instruction on a group of registers consists of a part for each register of its widest group. A part reads
and writes element by element where operands are as wide as the elements that it counts, and whole registers
where they are of another width, masks, or addressed by position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from isa.riscv.declaration import Row, Timing
from isa.riscv.extensions import CUSTOM


class Width(Enum):
    """How wide the elements of an operand are."""

    ELEMENT = auto()  # SEW
    WIDE = auto()  # 2 SEW
    HALF = auto()
    QUARTER = auto()
    EIGHTH = auto()
    SIXTEEN = auto()  # 16 bits
    MASK = auto()  # one bit an element
    FIRST = auto()  # one element of one register


_PARTS_OF_SEW = {"vf2": Width.HALF, "vf4": Width.QUARTER, "vf8": Width.EIGHTH}
_FACTOR = {Width.WIDE: 2.0, Width.HALF: 1 / 2, Width.QUARTER: 1 / 4, Width.EIGHTH: 1 / 8, Width.ELEMENT: 1.0}
_COMPARE = re.compile(r"vmf?(s(eq|ne|lt|le|gt)u?|eq|ne|lt|le|gt|ge|adc|sbc)\.|vms(bc)\.")
_MULTIPLY_ADD = re.compile(r"vf?w?n?m(acc|sac|add|sub)(u|su|us)?\.")
_WIDE_SUM = re.compile(r"vf?wred")
_PART_OF_MASK = (Timing.COMPARE, Timing.MASK_PREFIX)
"""These write some bits of a mask, and read it for that."""
_BY_POSITION = (Timing.SLIDE, Timing.GATHER)


@dataclass(frozen=True)
class Widths:
    """The widths of the operands of an arithmetic instruction; None where it has no such operand."""

    vd: Width | None
    vs1: Width | None
    vs2: Width | None


def widths_of(row: Row) -> Widths:
    """Return the widths of an arithmetic vector instruction."""
    name, names = row.mnemonic, set(re.findall(r"v[sd]\d?", row.operands))
    vd = vs1 = vs2 = Width.ELEMENT
    stem, _, form = name.partition(".")
    if row.extension in CUSTOM:
        pass  # all are as wide as the type says
    elif row.timing in (Timing.REDUCTION, Timing.FLOAT_SUM, Timing.ORDERED_SUM):
        vd = vs1 = Width.FIRST
    elif row.timing in (Timing.MASK, Timing.MASK_PREFIX):
        vs1 = vs2 = Width.MASK
        vd = Width.ELEMENT if stem in ("viota", "vid") else Width.MASK
    elif row.timing in (Timing.TO_SCALAR, Timing.COUNT):
        vs2 = Width.MASK if row.timing == Timing.COUNT else Width.FIRST
    elif form in ("s.x", "s.f"):
        vd = Width.FIRST
    elif stem in ("vzext", "vsext"):
        vs2 = _PARTS_OF_SEW[form]
    elif _COMPARE.match(name):
        vd = Width.MASK
    elif re.match(r"vf?w", name):
        vd = Width.WIDE
        vs2 = Width.WIDE if form.startswith("w") else Width.ELEMENT
    elif form.startswith("w") or form.endswith(".w"):
        vs2 = Width.WIDE
    elif stem == "vrgatherei16":
        vs1 = Width.SIXTEEN
    elif stem == "vcompress":
        vs1 = Width.MASK
    return Widths(
        vd if "vd" in names else None, vs1 if "vs1" in names else None, vs2 if "vs2" in names else None
    )


def bits_of(width: Width, sew: int) -> int:
    """Return the bits of an element of a width; 1 of a mask."""
    if width in (Width.MASK, Width.SIXTEEN):
        return 1 if width == Width.MASK else 16
    return int(sew * _FACTOR.get(width, 1.0))


def registers_of(width: Width, sew: int, lmul: float) -> int:
    """Return how many registers an operand has, 1 or more."""
    if width in (Width.MASK, Width.FIRST):
        return 1
    return max(1, int(lmul * bits_of(width, sew) / sew))


@dataclass(frozen=True)
class PartRegisters:
    """What a part reads and writes, element by element and as a whole, and to what it adds.

    One that ``passes`` does nothing but occupy its unit (:mod:`vecsim.riscv.nodes.passing`).
    """

    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    whole_reads: tuple[int, ...] = ()
    whole_writes: tuple[int, ...] = ()
    accumulators: tuple[int, ...] = ()
    passes: bool = False


@dataclass(frozen=True)
class Arithmetic:
    """The parts of an arithmetic instruction, and the bits of the elements that they count."""

    parts: tuple[PartRegisters, ...]
    bits: int


def arithmetic_of(
    row: Row, vd: int, vs1: int, vs2: int, *, masked: bool, sew: int, lmul: float, narrow: bool = False
) -> Arithmetic:
    """Return the parts of an arithmetic instruction.

    Parameters
    ----------
    row
        The instruction.
    vd, vs1, vs2
        Its operands; it need not have all.
    masked
        Whether it reads v0.
    sew, lmul
        Bits of an element, registers of a group.
    narrow
        Whether widening operations count the groups of their operands, not those of their results.
    """
    if copied := re.fullmatch(r"vmv(\d)r\.v", row.mnemonic):
        parts = (PartRegisters(reads=(vs2 + k,), writes=(vd + k,)) for k in range(int(copied[1])))
        return Arithmetic(tuple(parts), 8)
    widths = widths_of(row)
    counted = _counted(row, widths, narrow=narrow)
    bits = sew if counted == Width.FIRST else bits_of(counted, sew)
    count = registers_of(counted, sew, lmul)
    result = []
    for k in range(count):
        part = _Part(k, count)
        if row.timing in _BY_POSITION and widths.vs2 is not None:
            part.whole_reads += tuple(range(vs2, vs2 + registers_of(widths.vs2, sew, lmul)))
        elif widths.vs2 is not None:
            part.read(vs2, widths.vs2, counted, registers_of(widths.vs2, sew, lmul))
        if widths.vs1 is not None:
            part.read(vs1, widths.vs1, counted, registers_of(widths.vs1, sew, lmul))
        if widths.vd is not None:
            registers = registers_of(widths.vd, sew, lmul)
            changes_bits = widths.vd == Width.MASK and row.timing in _PART_OF_MASK and k == 0
            if row.accumulates or _MULTIPLY_ADD.match(row.mnemonic) or changes_bits:
                part.read(vd, widths.vd, counted, registers)
            part.write(vd, widths.vd, counted, registers, whole=row.timing == Timing.COMPRESS)
        if masked:
            part.whole_reads += (0,)
        result.append(part.registers())
    return Arithmetic(tuple(result), bits)


def _counted(row: Row, widths: Widths, *, narrow: bool) -> Width:
    """Return the width of the elements that parts count: that of the widest group, as a rule."""
    if _WIDE_SUM.match(row.mnemonic):
        return Width.WIDE
    if narrow and widths.vd == Width.WIDE:
        return Width.ELEMENT
    known = [each for each in (widths.vd, widths.vs2) if each is not None]
    groups = [each for each in known if each not in (Width.MASK, Width.FIRST)]
    if not groups or row.timing in (Timing.TO_SCALAR, Timing.COUNT):
        return known[0] if row.timing not in (Timing.TO_SCALAR, Timing.COUNT) else Width.FIRST
    return max(groups, key=lambda each: _FACTOR[each])


class _Part:
    """Collects what part k of ``count`` reads and writes."""

    def __init__(self, k: int, count: int) -> None:
        self.k, self.count = k, count
        self.reads: tuple[int, ...] = ()
        self.writes: tuple[int, ...] = ()
        self.whole_reads: tuple[int, ...] = ()
        self.whole_writes: tuple[int, ...] = ()

    def read(self, first: int, width: Width, counted: Width, registers: int) -> None:
        """Read an operand of ``registers`` registers from ``first`` on."""
        if width == counted:
            self.reads += (first + self.k,)
        elif width in (Width.MASK, Width.FIRST):
            if self.k == 0 or width == Width.MASK:
                self.whole_reads += (first,)
        else:
            self.whole_reads += self._share(first, registers)

    def _share(self, first: int, registers: int) -> tuple[int, ...]:
        """Return the registers of an operand of another width that belong to this part, at least one."""
        begin, end = (k * registers // self.count for k in (self.k, self.k + 1))
        return tuple(range(first + begin, first + max(end, begin + 1)))

    def write(self, first: int, width: Width, counted: Width, registers: int, *, whole: bool) -> None:
        """Write an operand; one of another width is written as a whole by each part that has some of it."""
        if width == counted and not whole:
            self.writes += (first + self.k,)
            return
        self.whole_writes += self._share(first, registers)

    def registers(self) -> PartRegisters:
        """Return what has been collected, each register once."""
        reads, writes, whole_reads, whole_writes = (
            tuple(dict.fromkeys(each))
            for each in (self.reads, self.writes, self.whole_reads, self.whole_writes)
        )
        return PartRegisters(reads, writes, whole_reads, whole_writes)
