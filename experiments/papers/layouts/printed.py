"""What the paper prints: the best layout of each matrix on three GPUs, and what tuning layouts gained."""

from __future__ import annotations

from dataclasses import dataclass

GPUS = ("K2000", "GTX 980", "GP100")
OUTER = {
    "CSR": ("csr",),
    "ELL": ("ellpack-r",),
    "Sl-16": ("sliced-16",),
    "Sl-32": ("sliced-32",),
}
"""How the paper calls outer layouts, and how they are called here."""


@dataclass(frozen=True)
class Tuned:
    """The best variant of a matrix on one GPU.

    Attributes
    ----------
    layout
        Outer, inner and vector layout, as ``ELL-SoA-AoS``.
    speedup
        Over the best schedule in the natural layout, as printed.
    """

    layout: str
    speedup: str


@dataclass(frozen=True)
class PrintedTable:
    """One of Tables 1 to 6.

    Attributes
    ----------
    number
        Its number.
    entry, dtype
        What its matrices have as entries (a name of `gpu.compound`), and the type of the components.
    matrices
        What was tuned, on each GPU in the order of `GPUS`, by the name of the matrix.
    """

    number: int
    entry: str
    dtype: str
    matrices: dict[str, tuple[Tuned, Tuned, Tuned]]


def _table(number: int, entry: str, dtype: str, printed: str) -> PrintedTable:
    matrices = {}
    for line in printed.strip().splitlines():
        name, *cells = line.split()
        one, two, three = (Tuned(*cell.split("=")) for cell in cells)
        matrices[name] = (one, two, three)
    return PrintedTable(number, entry, dtype, matrices)


TABLES = (
    _table(
        1,
        "complex",
        "float32",
        """
mhd1280b    ELL-AoS-AoS=2.09   ELL-AoS-AoS=1.22   CSR-SoA-AoS=1.05
RFdevice    ELL-AoS-AoS=1.64   Sl-32-SoA-AoS=1.11 CSR-SoA-AoS=1.18
fem_filter  ELL-AoS-AoS=3.20   ELL-AoS-AoS=1.40   ELL-AoS-AoS=1.52
mono_500Hz  Sl-32-SoA-AoS=3.74 Sl-32-SoA-AoS=2.02 ELL-AoS-AoS=2.09
""",
    ),
    _table(
        2,
        "complex",
        "float64",
        """
mhd1280b    Sl-32-AoS-AoS=1.79 Sl-16-AoS-AoS=1.05 CSR-SoA-SoA=1.00
RFdevice    ELL-AoS-AoS=1.52   CSR-AoS-AoS=1.00   CSR-AoS-AoS=1.00
fem_filter  ELL-AoS-AoS=2.11   ELL-AoS-AoS=1.10   ELL-AoS-AoS=1.16
mono_500Hz  Sl-32-AoS-AoS=2.81 Sl-16-AoS-AoS=1.59 ELL-AoS-AoS=1.84
""",
    ),
    _table(
        3,
        "quaternion",
        "float32",
        """
bunny       ELL-AoS-AoS=2.24 ELL-AoS-AoS=1.27 ELL-AoS-AoS=1.46
armadillo   ELL-AoS-AoS=2.18 ELL-AoS-AoS=1.18 ELL-AoS-AoS=1.68
dragon      ELL-AoS-AoS=2.33 ELL-AoS-AoS=1.09 ELL-AoS-AoS=1.54
buddha      ELL-AoS-AoS=2.35 ELL-AoS-AoS=1.08 ELL-AoS-AoS=1.48
""",
    ),
    _table(
        4,
        "quaternion",
        "float64",
        """
bunny       ELL-SoA-AoS=1.93 ELL-SoA-AoS=1.18 ELL-AoS-AoS=1.40
armadillo   ELL-SoA-AoS=1.88 ELL-AoS-AoS=1.15 ELL-SoA-AoS=1.42
dragon      ELL-SoA-SoA=1.87 ELL-SoA-AoS=1.04 ELL-AoS-AoS=1.31
buddha      ELL-SoA-SoA=1.84 ELL-AoS-AoS=1.02 ELL-AoS-AoS=1.31
""",
    ),
    _table(
        5,
        "3 x 3 block",
        "float32",
        """
armadillo_1000.1 Sl-32-SoA-SoA=3.15 Sl-32-SoA-SoA=1.44 Sl-16-SoA-SoA=1.20
bunny2.4M        ELL-SoA-AoS=3.34   ELL-SoA-AoS=1.58   ELL-AoS-AoS=1.12
nut_37k          ELL-SoA-SoA=5.54   Sl-32-SoA-SoA=2.03 Sl-32-SoA-SoA=1.27
dragon_100K      ELL-SoA-AoS=3.67   ELL-SoA-AoS=2.12   ELL-AoS-AoS=1.61
NX_MotorH67k     ELL-SoA-AoS=4.28   ELL-SoA-AoS=2.37   ELL-SoA-AoS=1.95
""",
    ),
    _table(
        6,
        "3 x 3 block",
        "float64",
        """
armadillo_1000.1 ELL-SoA-SoA=2.80 Sl-32-SoA-SoA=1.26 Sl-32-SoA-SoA=1.18
bunny2.4M        ELL-SoA-AoS=2.74 ELL-SoA-AoS=1.31   ELL-AoS-SoA=1.21
nut_37k          ELL-SoA-SoA=4.08 ELL-SoA-SoA=1.53   ELL-AoS-AoS=1.27
dragon_100K      ELL-SoA-AoS=3.05 ELL-SoA-AoS=1.59   ELL-AoS-AoS=1.52
NX_MotorH67k     ELL-SoA-AoS=3.52 ELL-SoA-AoS=1.66   ELL-SoA-AoS=1.67
""",
    ),
)
"""Cell by cell as the tables have them; the text of the paper comes column by column."""

BY_LAYOUTS = 5.5
"""Section 6: how many times tuning layouts, too, is faster than tuning schedules alone, at most."""
OVER_CUSPARSE = {"float32": 4.7, "float64": 2.8}
"""Figures 1 and 5, whose bars have no numbers: how many times faster than cuSPARSE, at most."""
