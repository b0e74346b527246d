"""Rows of vector loads and stores."""

from __future__ import annotations

from collections.abc import Iterator

from isa.declaration import Instruction, Length, Pattern
from isa.rows.forms import Semantics, access_row
from isa.semantics import memory, narrow


def _word_rows() -> Iterator[Instruction]:
    for offset, (suffix, size) in enumerate((("w", 4), ("d", 8))):
        bits = 8 * size

        def semantics(name: str, suffix: str = suffix) -> Semantics:
            found: Semantics = getattr(memory, f"{name}_{suffix}")
            return found

        yield access_row(
            f"lv.{suffix}",
            0x80 + offset,
            "vd=, i14(xa)",
            Pattern.CONTIGUOUS,
            size,
            semantics("lv"),
            f"vd[k] = {bits}-bit element at xa + offset + {size} k",
        )
        yield access_row(
            f"sv.{suffix}",
            0x82 + offset,
            "vb, i14(xa)",
            Pattern.CONTIGUOUS,
            size,
            semantics("sv"),
            f"{bits}-bit element at xa + offset + {size} k = vb[k]",
        )
        yield access_row(
            f"lvws.{suffix}",
            0x84 + offset,
            "vd=, (xa), xs",
            Pattern.STRIDED,
            size,
            semantics("load_elements"),
            f"vd[k] = {bits}-bit element at xa + xs k (stride in bytes)",
        )
        yield access_row(
            f"svws.{suffix}",
            0x86 + offset,
            "vb, (xa), xs",
            Pattern.STRIDED,
            size,
            semantics("store_elements"),
            f"{bits}-bit element at xa + xs k = vb[k] (stride in bytes)",
        )
        yield access_row(
            f"lvi.{suffix}",
            0x88 + offset,
            "vd=, (xa), vi",
            Pattern.INDEXED,
            size,
            semantics("load_elements"),
            f"gather: vd[k] = {bits}-bit element at xa + {size} vi[k]",
        )
        yield access_row(
            f"svi.{suffix}",
            0x8A + offset,
            "vb, (xa), vi",
            Pattern.INDEXED,
            size,
            semantics("store_elements"),
            f"scatter: {bits}-bit element at xa + {size} vi[k] = vb[k], in element order",
        )
        yield access_row(
            f"ldc.{suffix}",
            0x8C + offset,
            "xo, (xa), xc",
            Pattern.CONTIGUOUS,
            size,
            semantics("ldc"),
            f"vector cache[xo + k] = {bits}-bit element at xa + {size} k, for xc elements",
            Length.COUNT,
        )
        yield access_row(
            f"stc.{suffix}",
            0x8E + offset,
            "xo, (xa), xc",
            Pattern.CONTIGUOUS,
            size,
            semantics("stc"),
            f"{bits}-bit element at xa + {size} k = vector cache[xo + k], for xc elements",
            Length.COUNT,
        )


def _narrow_loads() -> Iterator[Instruction]:
    for offset, (suffix, what) in enumerate(
        (("b", "byte"), ("bu", "unsigned byte"), ("h", "16-bit half word"), ("hu", "unsigned half word"))
    ):
        read, size = narrow.READ[suffix], narrow.BYTES[suffix]
        each = f" {size}" if size > 1 else ""
        yield access_row(
            f"lv.{suffix}",
            0xC0 + offset,
            "vd=, i14(xa)",
            Pattern.CONTIGUOUS,
            size,
            narrow.contiguous_load(read, size),
            f"vd[k] = {what} at xa + offset +{each} k",
        )
        yield access_row(
            f"lvws.{suffix}",
            0xC6 + offset,
            "vd=, (xa), xs",
            Pattern.STRIDED,
            size,
            narrow.element_load(read),
            f"vd[k] = {what} at xa + xs k (stride in bytes)",
        )
        yield access_row(
            f"lvi.{suffix}",
            0xCC + offset,
            "vd=, (xa), vi",
            Pattern.INDEXED,
            size,
            narrow.element_load(read),
            f"gather: vd[k] = {what} at xa +{each} vi[k]",
        )


def _narrow_stores() -> Iterator[Instruction]:
    for offset, (suffix, what) in enumerate((("b", "byte"), ("h", "16-bit half word"))):
        write, size = narrow.WRITE[suffix], narrow.BYTES[suffix]
        each = f" {size}" if size > 1 else ""
        yield access_row(
            f"sv.{suffix}",
            0xC4 + offset,
            "vb, i14(xa)",
            Pattern.CONTIGUOUS,
            size,
            narrow.contiguous_store(write, size),
            f"{what} at xa + offset +{each} k = low bits of vb[k]",
        )
        yield access_row(
            f"svws.{suffix}",
            0xCA + offset,
            "vb, (xa), xs",
            Pattern.STRIDED,
            size,
            narrow.element_store(write),
            f"{what} at xa + xs k = low bits of vb[k] (stride in bytes)",
        )
        yield access_row(
            f"svi.{suffix}",
            0xD0 + offset,
            "vb, (xa), vi",
            Pattern.INDEXED,
            size,
            narrow.element_store(write),
            f"scatter: {what} at xa +{each} vi[k] = low bits of vb[k], in element order",
        )


def rows() -> Iterator[Instruction]:
    """Give the rows."""
    yield from _word_rows()
    yield from _narrow_loads()
    yield from _narrow_stores()
