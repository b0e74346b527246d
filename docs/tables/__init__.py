"""What pages show of tables of vecsim, made from these: Markdown text by name."""

from __future__ import annotations

import re
from collections.abc import Callable

from docs.tables import (
    assembler,
    commands,
    formats,
    instructions,
    machine,
    pages,
    riscv,
    rvv,
    state,
    validation,
)

_MARK = re.compile(r"^<!-- made from: (?P<name>[a-z-]+) -->$", re.M)

MADE: dict[str, Callable[[], str]] = {
    "instructions": instructions.page,
    "pseudo-instructions": assembler.pseudo_instructions,
    "directives": assembler.directives,
    "registers": assembler.registers,
    "riscv-registers": riscv.registers,
    "riscv-kernels": riscv.kernels,
    "riscv-absent": riscv.absent,
    "riscv-vector": riscv.vector,
    "machine": machine.page,
    "state": state.page,
    "formats": formats.page,
    "commands": commands.page,
    "python": commands.python_names,
    "further-pages": pages.further,
    "rvv-answers": rvv.answers,
    "rvv-classic": rvv.of_classic,
    "rvv-matrices": rvv.matrices,
    "rvv-vs-alone": rvv.of_vs2003_alone,
    "rvv-vs": rvv.of_vs2003,
    "rvv-x": rvv.of_x280,
    "validation": validation.page,
    "validation-counts": validation.counts,
    "validation-half-lengths": validation.half_lengths,
    "validation-riscv": validation.riscv,
    "validation-vicuna": validation.vicuna,
}


def filled(text: str) -> str:
    """Fill in a page: each line ``<!-- made from: NAME -->`` becomes the text that `MADE` has for it.

    Raises
    ------
    KeyError
        There is no such text.
    """
    return _MARK.sub(lambda mark: MADE[mark["name"]](), text)
