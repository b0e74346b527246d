"""What an instruction is under a vtype: its parts, their registers, and what the record says of each.

A node is an instruction of the text together with the vtype under which it executes; what it does to time
depends on nothing else but the values in its event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from isa.riscv.declaration import Row, Timing
from isa.riscv.fields import FIELDS, Kind, operand_names
from isa.riscv.instructions import ROWS
from isa.riscv.state import BYTES, IMMEDIATE, INSTRUCTION, RD, RS1, RS2, VM
from vecsim.engines.decoded import FLOAT, SPECIAL
from vecsim.machine.riscv import Riscv
from vecsim.riscv.nodes.passing import through_unit, with_rest
from vecsim.riscv.nodes.registers import PartRegisters, arithmetic_of
from vecsim.riscv.nodes.sparse import (
    CACHED,
    SUMMED,
    adds_to_cache,
    late_registers,
    moves_slice,
    parts_of_load,
    parts_of_product,
    record_bytes,
    state_of,
)

UNKNOWN, PLAIN, BRANCH, JUMP, INDIRECT, CALL, SCALAR, ARITHMETIC, ONE, SPAN, LISTED, ENTRIES = range(12)
"""Kinds of nodes. UNKNOWN: not met before. PLAIN: without an event. BRANCH, JUMP, INDIRECT: to one of two, to
one, to any instruction. CALL: of the host. SCALAR: a scalar access. ARITHMETIC: elements of vectors. ONE: one
element. SPAN: an access of bytes in a row. LISTED: an access whose addresses are in a list.
ENTRIES: products of entries, whose rows are in a list."""
KIND, PARTS, PER_GROUP, GROUPS, VALUE_BYTES, FIELDS_EACH, FIXED_BYTES, WHOLE, PASSING = range(9)
"""Columns of what compiled code reads of a node. PER_GROUP: how many elements an element of the machine's
registers has, a *group*. GROUPS: how many groups a register has. FIELDS_EACH: the fields of a segment.
FIXED_BYTES: what it moves whatever vl is, 0 if vl decides, -1 for the bits of a mask. WHOLE: whether elements
beyond vl take time. PASSING: how many parts only pass through a unit, which PARTS leaves out."""
AFTER, COUNTED, LEFT, ENDING = range(9, 13)
"""Columns that compiled code writes, at first 0. AFTER: 1 + the number of the vtype after it, of a
configuration. Of arithmetic, for the last vl, COUNTED: that and 1; LEFT: how many groups; ENDING: how it
ends."""
COLUMNS = 13
VTYPES = 65
"""Numbers of vtypes: its lowest 6 bits; VILL where it is illegal."""
VILL = 64

VL = SPECIAL
"""The scalar register that stands for vl and vtype."""
_ACCESSES = {
    Timing.LOAD_UNIT: (SPAN, False),
    Timing.STORE_UNIT: (SPAN, True),
    Timing.LOAD_STRIDED: (LISTED, False),
    Timing.STORE_STRIDED: (LISTED, True),
    Timing.LOAD_INDEXED: (LISTED, False),
    Timing.STORE_INDEXED: (LISTED, True),
}
_SCALAR_KINDS = {
    Timing.BRANCH: BRANCH,
    Timing.SCALAR_LOAD: SCALAR,
    Timing.SCALAR_STORE: SCALAR,
    Timing.ATOMIC: SCALAR,
}
_SCALAR_BYTES = {"b": 1, "bu": 1, "h": 2, "hu": 2, "w": 4, "wu": 4, "d": 8}


@dataclass(frozen=True)
class Node:
    """An instruction under a vtype.

    Attributes
    ----------
    row
        The instruction.
    kind
        What its event consists of.
    awaited, scalar_writes, late
        Scalar registers, as :class:`vecsim.engines.recorded.program.RecordedRow` has them.
    parts
        What each part reads and writes; none of a scalar instruction.
    bits
        Of an element.
    value_bytes, fields, fixed_bytes
        Of an access: bytes of an element, fields of a segment, and what it moves whatever vl is.
    store
        Whether an access stores.
    record_bytes
        Bytes in memory of an element and its position, of a load of entries; otherwise 0.
    """

    row: Row
    kind: int
    awaited: tuple[int, ...] = ()
    scalar_writes: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    parts: tuple[PartRegisters, ...] = ()
    bits: int = 8
    value_bytes: int = 0
    fields: int = 1
    fixed_bytes: int = 0
    store: bool = False
    record_bytes: int = 0

    def columns(self, riscv: Riscv) -> list[int]:
        """Return what compiled code reads of the node on a machine, without the columns that it writes."""
        return [
            self.kind,
            len(self.parts) - self.passing,
            max(1, riscv.group_bits // self.bits),
            riscv.vlen // riscv.group_bits,
            self.record_bytes or self.value_bytes,
            self.fields,
            self.fixed_bytes,
            riscv.whole_groups,
            self.passing,
        ]

    @property
    def passing(self) -> int:
        """How many parts only pass through a unit."""
        return sum(part.passes for part in self.parts)


def node_of(code: npt.NDArray[np.int64], vtype: int, riscv: Riscv) -> Node:
    """Return a decoded instruction under a vtype.

    Parameters
    ----------
    code
        Its row of ``Hart.code``.
    vtype
        Its number.
    riscv
        The numbers of the machine.

    Raises
    ------
    UserError
        The instruction has no timing.
    """
    vlen = riscv.vlen
    row = ROWS[code[INSTRUCTION]]
    awaited, written = _scalars(row, code)
    sew, lmul = _decoded(vtype)
    if row.timing < Timing.CONFIGURE:
        state, changed = state_of(row, code)
        awaited, written = (*awaited, *state), (*written, *changed)
        kind = _scalar_kind(row)
        bytes_ = _scalar_bytes(row) if kind == SCALAR else 0
        store = row.timing == Timing.SCALAR_STORE
        return Node(row, kind, awaited, written, value_bytes=bytes_, store=store)
    if row.timing == Timing.CONFIGURE:
        return Node(row, PLAIN, awaited, (*written, VL))
    if row.timing in (Timing.LOAD_BLOCK, Timing.SPARSE) or moves_slice(row):
        return _in_unit(_sparse(row, code, (*awaited, VL), sew, lmul, vlen), riscv)
    if row.timing in _ACCESSES:
        return _in_unit(_access(row, code, (*awaited, VL), sew, lmul, vlen), riscv)
    masked = code[VM] == 0 or "v0" in operand_names(row.operands)
    vd, vs1, vs2 = (int(code[column]) for column in (RD, RS1, RS2))
    narrow = riscv.narrow_groups == 1
    parts = arithmetic_of(row, vd, vs1, vs2, masked=masked, sew=sew or 8, lmul=lmul, narrow=narrow)
    one = row.timing in (Timing.TO_SCALAR, Timing.COUNT, Timing.INSERT)
    whole = re.fullmatch(r"vmv(\d)r\.v", row.mnemonic)
    rest = max(1, int(lmul)) if row.timing == Timing.TO_SCALAR and riscv.whole_groups == 2 else 0
    return Node(
        row,
        ONE if one else ARITHMETIC,
        (*awaited, VL),
        late=written if row.timing in (Timing.TO_SCALAR, Timing.COUNT) else (),
        parts=with_rest(parts.parts, rest),
        bits=parts.bits,
        fixed_bytes=int(whole[1]) * vlen // 8 if whole else 0,
    )


def _in_unit(node: Node, riscv: Riscv) -> Node:
    """Return an instruction on a machine whose accesses go through a unit."""
    if riscv.access_unit == 0 or node.kind not in (SPAN, LISTED):
        return node
    return replace(node, parts=through_unit(node.parts))


def _sparse(
    row: Row, code: npt.NDArray[np.int64], awaited: tuple[int, ...], sew: int, lmul: float, vlen: int
) -> Node:
    """Return an instruction of Xhism; one under an illegal vtype traps, and has no parts."""
    if not sew:
        return Node(row, PLAIN, awaited)
    count = max(1, int(lmul))
    if row.timing == Timing.SPARSE:
        parts = parts_of_product(row, code, count)
        if adds_to_cache(row):
            return Node(row, ENTRIES, (*awaited, CACHED), late=(SUMMED,), parts=parts, bits=sew)
        return Node(row, ENTRIES, awaited, parts=parts, bits=sew)
    if moves_slice(row):
        store = row.timing == Timing.STORE_UNIT
        return Node(
            row,
            SPAN,
            (*awaited, SUMMED),
            late=() if store else (CACHED,),
            parts=(PartRegisters(),) * count,
            bits=sew,
            value_bytes=sew // 8,
            store=store,
        )
    return Node(
        row,
        SPAN,
        awaited,
        late=late_registers(row),
        parts=parts_of_load(row, code, count),
        bits=sew,
        value_bytes=sew // 8,
        record_bytes=record_bytes(row, sew, int(vlen * lmul) // sew),
    )


def _decoded(vtype: int) -> tuple[int, float]:
    """Return the bits of an element and the registers of a group; 0 and 1 of an illegal vtype."""
    if vtype == VILL:
        return 0, 1.0
    return 8 << (vtype >> 3 & 7), 2.0 ** (((vtype & 7) ^ 4) - 4)


def _scalars(row: Row, code: npt.NDArray[np.int64]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the scalar registers that an instruction reads and writes."""
    reads: list[int] = []
    writes: list[int] = []
    for name in operand_names(row.operands):
        field = FIELDS[name]
        if field.kind not in (Kind.INTEGER, Kind.FLOAT) or field.column is None:
            continue
        number = int(code[field.column]) + (FLOAT if field.kind == Kind.FLOAT else 0)
        if number:
            (writes if name in ("rd", "fd") else reads).append(number)
    awaited = tuple(dict.fromkeys([*reads, *writes]))  # in order, a write waits for the write before it
    return awaited, tuple(writes)


def _scalar_kind(row: Row) -> int:
    if row.timing == Timing.JUMP:
        return JUMP if row.mnemonic == "jal" else INDIRECT
    if row.mnemonic == "ecall":
        return CALL
    return _SCALAR_KINDS.get(row.timing, PLAIN)


def _scalar_bytes(row: Row) -> int:
    """Return the bytes of a scalar access, which its mnemonic names: ``lhu``, ``fsd``, ``amoadd.w``."""
    if row.timing == Timing.ATOMIC:
        return _SCALAR_BYTES[row.mnemonic.rpartition(".")[2]]
    return _SCALAR_BYTES[row.mnemonic.removeprefix("f")[1:]]


def _access(
    row: Row, code: npt.NDArray[np.int64], awaited: tuple[int, ...], sew: int, lmul: float, vlen: int
) -> Node:
    kind, store = _ACCESSES[row.timing]
    name, fixed, fields = row.mnemonic, 0, 1
    if segment := re.search(r"seg(\d)", name):
        fields = int(segment[1])
    if whole := re.match(r"v[ls](\d)r", name):
        count, bits = int(whole[1]), 8
        fixed = count * vlen // 8
    elif name in ("vlm.v", "vsm.v"):
        count, bits, fixed = 1, 8, -1
    else:
        indexed = row.timing in (Timing.LOAD_INDEXED, Timing.STORE_INDEXED)
        bits = (
            sew
            if indexed
            else int(re.sub(r"seg\d", "", name).partition(".")[0].rstrip("f").rpartition("e")[2])
        )
        count = max(1, int(lmul * bits / sew)) * fields if sew else 1
    data = int(code[RD])
    whole_reads: tuple[int, ...] = ()
    if row.timing in (Timing.LOAD_INDEXED, Timing.STORE_INDEXED):
        width = int(name.partition("ei")[2].partition(".")[0])
        indexes = max(1, int(lmul * width / sew))
        whole_reads = tuple(range(int(code[RS2]), int(code[RS2]) + indexes))
    if code[VM] == 0:
        whole_reads += (0,)
    parts = tuple(
        PartRegisters(
            reads=(data + k,) if store else (),
            writes=() if store else (data + k,),
            whole_reads=whole_reads,
        )
        for k in range(count)
    )
    return Node(
        row,
        kind,
        awaited,
        parts=parts,
        bits=bits,
        value_bytes=bits // 8,
        fields=fields,
        fixed_bytes=fixed,
        store=store,
    )


def successor(code: npt.NDArray[np.int64], row: int) -> int:
    """Return the row of ``Hart.code`` that follows a row."""
    return row + int(code[row, BYTES]) // 2


def jump_target(code: npt.NDArray[np.int64], row: int) -> int:
    """Return the row of ``Hart.code`` to which a branch or ``jal`` leads."""
    return row + int(code[row, IMMEDIATE]) // 2
