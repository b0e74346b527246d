"""The directives of RISC-V assembly text: those of the GNU assembler that compilers and courses use."""

from __future__ import annotations

from typing import NamedTuple

from isa.data_section import DOUBLE, FLOAT, Element
from isa.directives import BY_NAME as SHARED
from isa.text.directives import MANY, Directive

DIRECTIVES: tuple[Directive, ...] = (
    *(SHARED[name] for name in (".if", ".else", ".endif", ".include", ".incbin")),
    *(Directive(name, "NAME, expression", 2, 2, "define a constant") for name in (".equ", ".set", ".equiv")),
    Directive(".size", "NAME, bytes", 2, 2, "how many bytes a variable or function has"),
    Directive(".comm", "NAME, bytes[, alignment]", 2, 3, "reserve zero bytes in .bss"),
    Directive(".lcomm", "NAME, bytes[, alignment]", 2, 3, "the same"),
    *(SHARED[name] for name in (".float", ".double", ".ascii", ".asciz", ".string")),
    *(
        Directive(name, "value, ...", 1, MANY, f"integers of {bits} bits")
        for names, bits in (
            ((".byte",), 8),
            ((".half", ".short", ".2byte"), 16),
            ((".word", ".long", ".4byte"), 32),
            ((".dword", ".quad", ".8byte"), 64),
        )
        for name in names
    ),
    *(
        Directive(name, "bytes[, value]", 1, 2, "that many bytes of a value, 0 if there is none")
        for name in (".space", ".zero", ".skip")
    ),
    Directive(".fill", "times[, bytes[, value]]", 1, 3, "a value of that many bytes, repeated"),
    Directive(".align", "n", 1, 3, "fill up to a multiple of 2 to the power of n bytes"),
    Directive(".p2align", "n", 1, 3, "the same"),
    Directive(".balign", "bytes", 1, 3, "fill up to a multiple of that many bytes"),
)
"""The table, but for directives of sections and those without effect."""

BY_NAME: dict[str, Directive] = {directive.name: directive for directive in DIRECTIVES}

SECTION_NAMES = (".text", ".data", ".rodata", ".bss", ".sdata", ".sbss")
"""Directives whose names are those of sections."""

IGNORED = frozenset(
    (
        *(".globl", ".global", ".local", ".weak", ".hidden", ".protected", ".internal", ".type", ".option"),
        *(".attribute", ".ident", ".file", ".loc", ".addrsig", ".addrsig_sym", ".variant_cc", ".end"),
    )
)
"""Directives without effect on the bytes of a program that is not linked; so are those of ``.cfi_``."""

KNOWN: dict[str, Directive] = BY_NAME | {
    name: Directive(name, "...", 0, MANY, "")
    for name in (
        *(*SECTION_NAMES, ".section", ".pushsection", ".popsection", ".previous", *IGNORED),
        *(
            ".macro",
            ".endm",
            ".rept",
            ".irp",
            ".endr",
            ".ifdef",
            ".ifndef",
            ".ifeq",
            ".ifne",
            ".ifb",
            ".ifnb",
            ".insn",
        ),
    )
}
"""All directives, for messages about others."""


def _integer(size: int, code: str) -> Element:
    return Element(size, code, (-(1 << 8 * size - 1), (1 << 8 * size) - 1))


BYTE, HALF, WORD, DWORD = (
    _integer(size, f"<{code}") for size, code in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))
)
ELEMENTS: dict[str, Element] = {
    ".byte": BYTE,
    **dict.fromkeys((".half", ".short", ".2byte"), HALF),
    **dict.fromkeys((".word", ".long", ".4byte"), WORD),
    **dict.fromkeys((".dword", ".quad", ".8byte"), DWORD),
    ".float": FLOAT,
    ".double": DOUBLE,
}
"""The items of data directives."""


class SectionKind(NamedTuple):
    """What a section holds, and its place in memory among the others."""

    order: int
    instructions: bool = False
    zeros: bool = False


TEXT, CONSTANTS, DATA, ZEROS = (
    SectionKind(0, instructions=True),
    SectionKind(1),
    SectionKind(2),
    SectionKind(3, zeros=True),
)
DROPPED = SectionKind(4)
"""Of sections that are not in memory, such as comments."""

_KINDS = {
    ".text": TEXT,
    ".init": TEXT,
    ".rodata": CONSTANTS,
    ".srodata": CONSTANTS,
    ".data": DATA,
    ".sdata": DATA,
    ".tohost": DATA,
    ".htif": DATA,
    ".bss": ZEROS,
    ".sbss": ZEROS,
}


def kind_of(section: str, flags: str, zeros: bool) -> SectionKind:
    """Return the kind of a section by its name, otherwise by its flags.

    Parameters
    ----------
    section
        Its name.
    flags
        Letters: ``x`` instructions, ``w`` variables, ``a`` in memory.
    zeros
        Whether it is ``@nobits``.
    """
    for name, kind in _KINDS.items():
        if section == name or section.startswith(f"{name}."):
            return kind
    if "x" in flags:
        return TEXT
    if "a" not in flags:
        return DROPPED
    if "w" in flags:
        return ZEROS if zeros else DATA
    return CONSTANTS
