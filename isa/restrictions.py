"""What a text may not do where it is assembled for inputs that it must not know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Restrictions:
    """Limits of one text, for :func:`isa.assembler.assemble`.

    Attributes
    ----------
    varying
        Given symbols on which .if, .data, .space and .align must not depend, nor must what is defined by
        them. Instructions and values of data may.
    data
        The first address that data may take, and the end.
    declares
        Whether the text may declare instructions.
    """

    varying: frozenset[str]
    data: tuple[int, int]
    declares: bool = False
