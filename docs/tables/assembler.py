"""The tables of the assembler's language: registers, pseudo-instructions, directives."""

from __future__ import annotations

from docs.tables.markdown import code, table
from isa.declaration import REGISTERS, SPECIAL_REGISTERS
from isa.directives import DIRECTIVES
from isa.pseudo import PSEUDO_INSTRUCTIONS
from isa.registers import ALIASES, KINDS


def registers() -> str:
    """Return the registers by kind, with their second names."""
    second = {plain: name for name, plain in ALIASES.items()}
    rows = []
    for kind in "xfv":
        named = ", ".join(
            f"{code(name)} is {code(plain)}" for plain, name in second.items() if plain[0] == kind
        )
        rows.append((f"`{kind}0` to `{kind}{REGISTERS - 1}`", KINDS[kind], named))
    rows.append((", ".join(map(code, SPECIAL_REGISTERS)), KINDS["s"], "read by `mfs`, written by `mts`"))
    return table(["register", "what it is", "second names, use"], rows)


def pseudo_instructions() -> str:
    """Return every pseudo-instruction with what it is written out as."""
    return table(
        ["written", "what it does", "means"],
        (
            (code(p.syntax), p.summary, " or ".join(code("; ".join(e.lines)) for e in p.expansions))
            for p in PSEUDO_INSTRUCTIONS
        ),
    )


def directives() -> str:
    """Return every directive."""
    return table(["directive", "what it does"], ((code(d.syntax), d.summary) for d in DIRECTIVES))
