"""Which numbers of a machine no cycle of a program depends on, so that it is not simulated again for them."""

from __future__ import annotations

from typing import Any

from vecsim.machine import Machine

_SPARSE_UNIT = ("sparse_unit.p", "sparse_unit.r", "sparse_unit.latency")
_ARITHMETIC = ("latency.add", "latency.multiply", "latency.multiply_add", "latency.sum")

UNUSED = {
    "crs": ("latency.extract", *_SPARSE_UNIT),
    "jd": ("latency.extract", "latency.sum", *_SPARSE_UNIT),
    "bbcs": ("latency.extract", *_ARITHMETIC),
    "hism": _ARITHMETIC,
    "chism": _ARITHMETIC,
}
"""By program: CRS and JD have no instruction of the sparse unit and take nothing out of vectors, JD sums
nothing up; BBCS, HiSM and CHiSM leave all arithmetic to the sparse unit."""

ANY = 1
"""What stands for a number that does not matter."""


def numbers_that_matter(machine: Machine, program: str) -> Machine:
    """Give the machine with :data:`ANY` for every number that the program does not use.

    Parameters
    ----------
    program
        Its name, a key of :data:`UNUSED`.
    """
    found: dict[str, Any] = {}
    for name in UNUSED[program]:
        table, field = name.split(".")
        found.setdefault(table, {})[field] = ANY
    tables = {table: getattr(machine, table).model_copy(update=fields) for table, fields in found.items()}
    return machine.model_copy(update=tables)
