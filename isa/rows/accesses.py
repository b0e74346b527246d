"""Rows of vector loads and stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isa.declaration import FORM, UNDER_MASK, Instruction, Length, Pattern
from isa.rows.forms import NARROW, NARROW_STORED, access_row, under_mask
from isa.semantics import memory, narrow, vector

WORDS = (("w", 4), ("d", 8))
"""Suffixes of whole containers, with the bytes of an element."""
STRIDE = " (stride in bytes)"
_TO_STRIDED = 4
"""What an opcode of a strided access of words is more than that of the contiguous one."""
_LOADS = (
    ("lv", 0x80, 0xC0, "vd=, i14(xa)", Pattern.CONTIGUOUS, "vd[k] = {what} at xa + offset + {size}k"),
    ("lvws", 0x84, 0xC6, "vd=, (xa), xs", Pattern.STRIDED, "vd[k] = {what} at xa + xs k" + STRIDE),
    ("lvi", 0x88, 0xCC, "vd=, (xa), vi", Pattern.INDEXED, "gather: vd[k] = {what} at xa + {size}vi[k]"),
)
"""Mnemonic, opcode of the first word and of the first narrow type, syntax, pattern, summary."""
_STORES = (
    ("sv", 0x82, 0xC4, "vb, i14(xa)", Pattern.CONTIGUOUS, "{what} at xa + offset + {size}k = {value}"),
    ("svws", 0x86, 0xCA, "vb, (xa), xs", Pattern.STRIDED, "{what} at xa + xs k = {value}" + STRIDE),
    (
        *("svi", 0x8A, 0xD0, "vb, (xa), vi", Pattern.INDEXED),
        "scatter: {what} at xa + {size}vi[k] = {value}, in element order",
    ),
)


def _short_offset(row: Instruction) -> dict[str, Any]:
    """Return what differs in a contiguous access under mask: it has a shorter offset.

    Its form is one of the strided access: the word of the contiguous access has no room for forms.
    """
    opcode = row.opcode + _TO_STRIDED + 2 * FORM + UNDER_MASK
    syntax = row.syntax.replace("vd=", "vd+").replace("i14", "i10")
    return {"opcode": opcode, "syntax": syntax}


def _words() -> Iterator[Instruction]:
    for offset, (suffix, size) in enumerate(WORDS):
        what = f"{8 * size}-bit element"
        for name, opcode, _, syntax, pattern, summary in (*_LOADS, *_STORES):
            message = summary.format(what=what, size=f"{size} ", value="vb[k]")
            stores = name.startswith("s")
            semantics = memory.vector_access(pattern, suffix, stores=stores)
            row = access_row(f"{name}.{suffix}", opcode + offset, syntax, pattern, size, semantics, message)
            yield row
            semantics = memory.vector_access(pattern, suffix, stores=stores, chosen=vector.active)
            yield under_mask(row, semantics, **(_short_offset(row) if pattern == Pattern.CONTIGUOUS else {}))
        for name, opcode, message in (
            ("ldc", 0x8C, f"vector cache[xo + k] = {what} at xa + {size} k"),
            ("stc", 0x8E, f"{what} at xa + {size} k = vector cache[xo + k]"),
        ):
            how = "xo, (xa), xc", Pattern.CONTIGUOUS, size, getattr(memory, f"{name}_{suffix}")
            message += ", for xc elements"
            yield access_row(f"{name}.{suffix}", opcode + offset, *how, message, Length.COUNT)


def _narrow() -> Iterator[Instruction]:
    for forms, types in ((_LOADS, NARROW), (_STORES, NARROW_STORED)):
        for name, _, opcode, syntax, pattern, summary in forms:
            for offset, (suffix, what) in enumerate(types):
                size = narrow.BYTES[suffix]
                each, value = f"{size} " if size > 1 else "", "low bits of vb[k]"
                message = summary.format(what=what, size=each, value=value)
                semantics = memory.vector_access(pattern, suffix, stores=forms is _STORES)
                yield access_row(
                    f"{name}.{suffix}", opcode + offset, syntax, pattern, size, semantics, message
                )


def rows() -> Iterator[Instruction]:
    """Yield the rows."""
    yield from _words()
    yield from _narrow()
