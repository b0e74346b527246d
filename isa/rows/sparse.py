"""Rows of the sparse extensions: LDB and BMIPA of HiSM, LDS and MIPA of BBCS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isa.declaration import Instruction, Length, Pattern, Record
from isa.rows.forms import FLOATS, access_row, sparse_row
from isa.semantics import sparse


def _loads() -> Iterator[Instruction]:
    block: dict[str, Any] = {"writes": ("vl", "blocklen"), "late": ("rowptr", "rowcount")}
    for offset, (suffix, size, what) in enumerate(
        (("w", 4, "32-bit values or pointers"), ("d", 8, "64-bit values"))
    ):
        ldb, lds = getattr(sparse, f"ldb_{suffix}"), getattr(sparse, f"lds_{suffix}")
        message = f"HiSM: vl = min(xc, s) entries, {what} to vv, positions of u4 bytes to vp; advance xa, xc"
        how = Pattern.CONTIGUOUS, size, ldb, message, Length.SECTION, Record.POSITIONS
        yield access_row(f"ldb.{suffix}", 0xA0 + offset, "vv=, vp=, (xa+), xc+, u4", *how, writes=("vl",))
        message = (
            f"BBCS: vl = min(blocklen, s) entries, {what} to vv, descriptors to vp, rows to vr; advance xa"
        )
        how = Pattern.CONTIGUOUS, size, lds, message, Length.BLOCK, Record.DESCRIPTOR
        yield access_row(f"lds.{suffix}", 0xA2 + offset, "vv=, vp=, vr=*, (xa+)", *how, **block)


def rows() -> Iterator[Instruction]:
    """Return the rows."""
    yield from _loads()
    for offset, (suffix, kind) in enumerate(FLOATS):
        for name, opcode, sums, what in (
            ("bmipa", 0xA4, "vy+*", "HiSM: vy[row] += vv[k] * vx[column] with row and column of vp[k]"),
            ("bmipac", 0xA6, "xi", "CHiSM: like bmipa, adding to slice xi of the vector cache"),
            (
                "mipa",
                0xA8,
                "vy+*",
                "BBCS: vy[row] += vv[k] * vx[column], the row counting the ends of row in vp",
            ),
        ):
            semantics, sliced = getattr(sparse, f"{name}_{suffix}"), sums if sums == "xi" else ""
            message, syntax = f"{what}, {kind}", f"{sums}, vx*, vv, vp"
            yield sparse_row(f"{name}.{suffix}", opcode + offset, syntax, semantics, message, sliced)
