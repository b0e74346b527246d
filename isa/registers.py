"""Names of registers in assembly text."""

from __future__ import annotations

from isa.declaration import REGISTERS, SPECIAL_REGISTERS

KINDS = {
    "x": "a scalar integer register",
    "f": "a scalar float register",
    "v": "a vector register",
    "s": "a special register",
}
"""What each kind of register is called in messages."""

ALIASES = {"zero": "x0", "ra": "x1", "sp": "x2"}
"""Second names of registers with a customary use; no text can give them another meaning."""


def _numbered(name: str, kind: str, *numbers: range) -> dict[str, str]:
    registers = [f"{kind}{number}" for part in numbers for number in part]
    return {f"{name}{place}": register for place, register in enumerate(registers)}


RISCV_ALIASES = {
    "gp": "x3",
    "tp": "x4",
    **_numbered("t", "x", range(5, 8), range(28, 32)),
    **_numbered("s", "x", range(8, 10), range(18, 28)),
    "fp": "x8",
    **_numbered("a", "x", range(10, 18)),
    **_numbered("ft", "f", range(8), range(28, 32)),
    **_numbered("fs", "f", range(8, 10), range(18, 28)),
    **_numbered("fa", "f", range(10, 18)),
}
"""The other register names of RISC-V's calling convention; a text may give them another meaning."""

Register = tuple[str, int]
"""Kind (x, f, v, s) and number."""


def _names() -> dict[str, Register]:
    names = {f"{kind}{number}": (kind, number) for kind in "xfv" for number in range(REGISTERS)}
    names |= {name: ("s", number) for number, name in enumerate(SPECIAL_REGISTERS)}
    return names | {alias: names[name] for alias, name in (ALIASES | RISCV_ALIASES).items()}


REGISTER_NAMES: dict[str, Register] = _names()
"""Every name that means a register."""


def register_name(kind: str, number: int) -> str:
    """Return the plain name of a register, such as ``x2`` or ``rowptr``."""
    return SPECIAL_REGISTERS[number] if kind == "s" else f"{kind}{number}"
