"""How rows of vector instructions are declared: one entry of a family gives a row for each of its forms.

A form is what follows the point of the mnemonic: ``vv`` takes two vectors, ``vx`` an integer register,
``vi`` an immediate, ``vf`` a float register; ``w`` in the first place is a source twice as wide, ``m`` in
the third the mask v0 as an operand.
"""

from __future__ import annotations

from typing import NamedTuple

from isa.riscv.declaration import Row, Semantics, Timing
from isa.riscv.semantics.vector_elements import FORM_BITS, VI, VV, VX

_OPCODE = 0x57
_FUNCT3 = {
    "I": {"v": 0, "s": 0, "x": 4, "i": 3},
    "M": {"v": 2, "s": 2, "m": 2, "x": 6},
    "F": {"v": 1, "s": 1, "f": 5},
}
"""Bits 14 to 12 by category and the letter of the second operand."""


class Family(NamedTuple):
    """Rows whose semantics are one function.

    Attributes
    ----------
    category
        "I" (integer), "M" (multiply, masks) or "F" (float), as the encoding has them.
    semantics, timing
        As in :class:`Row`.
    unsigned
        Whether immediates are.
    """

    category: str
    semantics: Semantics
    timing: Timing
    unsigned: bool = False

    def rows(
        self,
        name: str,
        funct6: int,
        forms: str,
        operation: int,
        summary: str,
        *,
        addend: bool = False,
        **fixed: int,
    ) -> list[Row]:
        """Make a row for each form of an entry.

        Parameters
        ----------
        name
            The mnemonic before the form.
        funct6
            Bits 31 to 26.
        forms
            Separated by blanks.
        operation
            The number in the family, without the form.
        summary
            For the reference.
        addend
            Whether the destination is an operand: assembly then writes vs2 last.
        fixed
            Fields (vs2, vs1, vm) that have one value and are no operands.
        """
        return [self._row(name, funct6, form, operation, summary, addend, fixed) for form in forms.split()]

    def _row(
        self,
        name: str,
        funct6: int,
        form: str,
        operation: int,
        summary: str,
        addend: bool,
        fixed: dict[str, int],
    ) -> Row:
        letter, carries = form[:2][-1], len(form) == 3
        if letter == "i":
            operand, code = ("uimm5" if self.unsigned else "simm5"), VI
        else:
            operand, code = {"x": ("rs1", VX), "f": ("fs1", VX)}.get(letter, ("vs1", VV))
        sources = [field for field in ("vs2", operand) if field not in fixed]
        operands = ["vd", *(reversed(sources) if addend else sources)]
        if carries:
            fixed = fixed | {"vm": 0}
            operands.append("v0")
        elif "vm" not in fixed:
            operands.append("vm")
        return Row(
            f"{name}.{form}",
            "V",
            *encoding(funct6, _FUNCT3[self.category][letter], **fixed),
            ", ".join(operands),
            self.timing,
            self.semantics,
            operation << FORM_BITS | code,
            summary,
        )


def encoding(funct6: int, funct3: int, **fixed: int) -> tuple[int, int]:
    """Return match and mask of vector arithmetic in which some of vs2, vs1, rs1 and vm are fixed."""
    match, mask = funct6 << 26 | funct3 << 12 | _OPCODE, 0xFC00707F
    for field, value in fixed.items():
        place, width = {"vs2": (20, 5), "vs1": (15, 5), "rs1": (15, 5), "vm": (25, 1)}[field]
        match |= value << place
        mask |= ((1 << width) - 1) << place
    return match, mask
