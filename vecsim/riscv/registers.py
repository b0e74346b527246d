"""The registers of a hart by name, read as its configuration says."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isa.riscv.disassembler import vtype_text
from isa.riscv.operands import ABI_NAMES
from isa.riscv.state import FFLAGS, FRM, SEW, VL, VSTART, VTYPE, VXRM, VXSAT, Hart

REGISTERS = 32
CONTROLS = {"vl": VL, "vtype": VTYPE, "vstart": VSTART, "vxrm": VXRM, "vxsat": VXSAT, "frm": FRM}
CONTROLS["fflags"] = FFLAGS
"""Registers of ``Hart.control`` that a program sees, by name."""
BOX = 0xFFFFFFFF
"""The upper half of a register that has a float32."""
UNCONFIGURED = 32
"""Bits of the elements that are shown where vtype says none."""


def element_bits(hart: Hart) -> int:
    """Return the bits of an element as vtype says, `UNCONFIGURED` where it is illegal."""
    return int(hart.control[SEW]) or UNCONFIGURED


def float_values(hart: Hart) -> npt.NDArray[np.float64]:
    """Return the (32,) values of the float registers: of a float32 where one is boxed."""
    boxed = hart.f >> np.uint64(32) == BOX
    singles = (hart.f & np.uint64(BOX)).astype(np.uint32).view(np.float32)
    return np.where(boxed, singles.astype(np.float64), hart.f.view(np.float64))


def scalar_values(hart: Hart) -> dict[str, int | float]:
    """Return the values of integer and float registers by their customary names, but for ``zero``."""
    result: dict[str, int | float] = {
        ABI_NAMES[f"x{number}"]: int(hart.x[number]) for number in range(1, REGISTERS)
    }
    floats = float_values(hart).tolist()
    return result | {ABI_NAMES[f"f{number}"]: floats[number] for number in range(REGISTERS)}


def configuration(hart: Hart) -> dict[str, str]:
    """Return vl and vtype, and the other control registers that are not 0, as text."""
    result = {name: int(hart.control[number]) for name, number in CONTROLS.items()}
    shown = {name: str(value) for name, value in result.items() if value or name == "vl"}
    return shown | {"vtype": vtype_text(result["vtype"]) if result["vtype"] >= 0 else "none"}


def vector_values(hart: Hart) -> dict[str, dict[str, list[int | float]]]:
    """Return the elements of all vector registers, by register and type, such as ``i32`` and ``f32``."""
    bits = element_bits(hart)
    integers = hart.v8.view(f"i{bits // 8}")
    views: dict[str, npt.NDArray[Any]] = {f"i{bits}": integers}
    if bits >= 32:
        views[f"f{bits}"] = integers.view(f"f{bits // 8}")
    count = len(integers) // REGISTERS
    return {
        f"v{number}": {
            name: values[number * count : (number + 1) * count].tolist() for name, values in views.items()
        }
        for number in range(REGISTERS)
    }
