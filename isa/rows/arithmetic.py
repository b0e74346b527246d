"""Rows of vector arithmetic: element by element, reductions, compares."""

from __future__ import annotations

from collections.abc import Iterator

from isa.declaration import Instruction, Timing, Unit
from isa.rows.forms import vector_row
from isa.semantics import vector


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
            yield vector_row(
                f"{name}{form}.{suffix}",
                opcode + offset + 3 * (form == "vs"),
                f"{destination}, va, {'vb' if form == 'vv' else scalar_operand}",
                unit,
                latency,
                getattr(vector, f"{name}{form}_{suffix}"),
                f"{what.format(b='vb[k]' if form == 'vv' else scalar_operand)}, {kind}",
            )


def rows() -> Iterator[Instruction]:
    """Give the rows."""
    yield from _typed_arithmetic("add", 0x40, Unit.ADD, "add", "vd[k] = va[k] + {b}")
    yield from _typed_arithmetic("sub", 0x46, Unit.ADD, "add", "vd[k] = va[k] - {b}")
    for offset, (suffix, kind) in enumerate((("w", "int32"), ("s", "float32"), ("d", "float64"))):
        b = "xb" if suffix == "w" else "fb"
        semantics = getattr(vector, f"subsv_{suffix}")
        yield vector_row(
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
        yield vector_row(
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
            yield vector_row(
                f"{name}vv.{suffix}",
                0x60 + 3 * row + offset,
                "va, vb",
                Unit.ADD,
                "move",
                getattr(vector, f"{name}vv_{suffix}"),
                f"mask[k] = 1 if va[k] {sign} vb[k] else 0, {kind}",
                mask="w",
            )
