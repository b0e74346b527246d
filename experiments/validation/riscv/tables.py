"""Published cycles of RISC-V vector instructions, by width of elements and registers of a group.

The tables are those of github.com/camel-cdr/rvv-bench-results (MIT licence). They have the cycles of an
instruction where many of a kind follow each other, each on other registers as far as there are some.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TABLES = Path(__file__).parent / "tables"
CORES = ("saturn", "x280")
LENGTHS = ("vlmax", "vl1")


class Entry(NamedTuple):
    """What was measured.

    Attributes
    ----------
    text
        The instruction, as the table has it.
    sew, lmul
        Bits of an element, registers of a group.
    full
        Whether vl is VLMAX, and not 1.
    cycles
        Of one instruction.
    """

    text: str
    sew: int
    lmul: int
    full: bool
    cycles: float

    @property
    def is_half(self) -> bool:
        """Whether it works on half-precision floats, which are not simulated."""
        return self.sew == 16 and self.text.startswith(("vf", "vmf")) and not self.text.startswith("vfirst")


def entries(core: str) -> Iterator[Entry]:
    """Yield all that was measured of a core with whole registers."""
    for length in LENGTHS:
        with (TABLES / f"{core}-{length}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                text = row.pop("instruction")
                for column, value in row.items():
                    sew, _, lmul = column[1:].partition("m")
                    if lmul.isdigit() and (cycles := _number(value)) is not None:
                        yield Entry(text, int(sew), int(lmul), length == "vlmax", cycles)


def _number(text: str | None) -> float | None:
    """Return a number; None where the measurement was not possible or ended without one."""
    try:
        return float(text or "")
    except ValueError:
        return None
