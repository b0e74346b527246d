"""Places in simulated memory as a user names them, and the types that it may be read as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

if TYPE_CHECKING:
    from isa.program import Program

TYPES = {"word": "<i4", "float": "<f4", "double": "<f8", "byte": "u1"}
"""NumPy's name of each type of memory."""


def address_of(text: str, program: Program, asked: str) -> int:
    """Read a place in memory: a number or a symbol of the program.

    Parameters
    ----------
    text
        Of the place.
    program
        Whose symbols may be named.
    asked
        What messages begin with: the option and its value.

    Raises
    ------
    UserError
        There is no such symbol.
    """
    try:
        return int(text, 0)
    except ValueError:
        if text not in program.symbols:
            raise UserError(f"{asked}: no symbol {text!r}{nearest(text, program.symbols)}") from None
    return program.symbols[text]
