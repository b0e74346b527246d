"""The vector instruction set: its table, its assembler, its binary form.

``isa.assemble``, ``isa.assemble_file``, ``isa.disassemble``, ``isa.Program`` and ``isa.BASE`` are loaded
when they are first used, so that who needs :mod:`vecsim.support.errors` alone pays for nothing else.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isa.assembler import assemble, assemble_file
    from isa.disassembler import disassemble
    from isa.instructions import BASE
    from isa.program import Program

_HOME = {
    "BASE": "isa.instructions",
    "Program": "isa.program",
    "assemble": "isa.assembler",
    "assemble_file": "isa.assembler",
    "disassemble": "isa.disassembler",
}

__all__ = ["BASE", "Program", "assemble", "assemble_file", "disassemble"]


def __getattr__(name: str) -> Any:
    """Load a public name from the module where it lives."""
    if name not in _HOME:
        raise AttributeError(f"module 'isa' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Return the public names, loaded or not, so that an interpreter completes them."""
    return sorted([*__all__])
