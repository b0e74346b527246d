"""Custom extensions of RV64GCV: their names in architecture strings, and which of them a program has."""

from __future__ import annotations

import re
from collections.abc import Iterable

STANDARD = "rv64gcv"
"""The architecture string without custom extensions."""
XHISM, XINDEXMAC = "Xhism", "Xindexmac"
CUSTOM = [XHISM, XINDEXMAC]
"""The custom extensions by their numbers, bits of ``control[EXTENSIONS]``; those of users follow."""


def mask_of(names: Iterable[str]) -> int:
    """Return custom extensions as bits by their numbers."""
    return sum(1 << CUSTOM.index(name) for name in set(names))


def custom_extensions(isa: str) -> frozenset[str]:
    """Return the custom extensions of an architecture string such as ``rv64gcv_xhism``.

    Raises
    ------
    ValueError
        It is not RV64GCV, or an extension is unknown.
    """
    base, *others = isa.lower().split("_")
    known = {name.lower(): name for name in CUSTOM}
    wrong = [] if base == STANDARD else [base]
    wrong += [each for each in others if each not in known]
    if wrong:
        choices = ", ".join(f"_{name}" for name in known)
        raise ValueError(f"{STANDARD} is known, also with {choices}; not {wrong[0]}")
    return frozenset(known[each] for each in others)


def isa_text(extensions: Iterable[str]) -> str:
    """Return the architecture string with custom extensions."""
    return "_".join([STANDARD, *sorted(name.lower() for name in extensions)])


def extensions_in_attribute(arch: str) -> frozenset[str]:
    """Return the custom extensions that the attribute of an ELF file names, such as ``xhism1p0``."""
    names = {re.sub(r"\d+p\d+$", "", each) for each in arch.lower().split("_")}
    return frozenset(name for name in CUSTOM if name.lower() in names)


def switched_on_by(name: str) -> str:
    """Return how to switch an extension on, for messages."""
    return f"switch it on with --isa {isa_text([name])}"
