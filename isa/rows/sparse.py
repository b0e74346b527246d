"""Rows of the sparse extensions: LDB and BMIPA of HiSM, LDS and MIPA of BBCS."""

from __future__ import annotations

from collections.abc import Iterator

from isa.declaration import Instruction, Length, Pattern, Record
from isa.rows.forms import access_row, sparse_row
from isa.semantics import sparse


def rows() -> Iterator[Instruction]:
    """Give the rows."""
    for offset, (suffix, size, what) in enumerate(
        (("w", 4, "32-bit values or pointers"), ("d", 8, "64-bit values"))
    ):
        yield access_row(
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
        yield access_row(
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
        yield sparse_row(
            f"bmipa.{suffix}",
            0xA4 + offset,
            "vy+*, vx*, vv, vp",
            getattr(sparse, f"bmipa_{suffix}"),
            f"HiSM: vy[row] += vv[k] * vx[column] with row and column of vp[k], {kind}",
        )
        yield sparse_row(
            f"bmipac.{suffix}",
            0xA6 + offset,
            "xi, vx*, vv, vp",
            getattr(sparse, f"bmipac_{suffix}"),
            f"CHiSM: like bmipa, adding to slice xi of the vector cache, {kind}",
            slice_operand="xi",
        )
        yield sparse_row(
            f"mipa.{suffix}",
            0xA8 + offset,
            "vy+*, vx*, vv, vp",
            getattr(sparse, f"mipa_{suffix}"),
            f"BBCS: vy[row] += vv[k] * vx[column], the row counting the ends of row in vp, {kind}",
        )
