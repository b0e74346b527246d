"""The instruction table in the groups that the generator draws from; new rows fall into theirs."""

from __future__ import annotations

from collections.abc import Callable

from isa.declaration import Instruction, Pattern, Record, Timing
from isa.instructions import BASE

Rows = tuple[Instruction, ...]


def _rows(condition: Callable[[Instruction], bool]) -> Rows:
    return tuple(row for row in BASE.instructions if condition(row))


def _accesses(pattern: Pattern, record: Record = Record.PLAIN, cache: bool = False) -> Rows:
    return _rows(
        lambda row: (
            row.access is not None
            and row.timing == Timing.ACCESS
            and (row.access.pattern, row.access.record, row.access.cache) == (pattern, record, cache)
        )
    )


SCALAR = _rows(lambda row: row.timing == Timing.SCALAR and row.mnemonic not in ("setvl", "mts"))
"""Any operands will do; setvl and mts have separate items."""
VECTOR = _rows(lambda row: row.timing in (Timing.ELEMENTWISE, Timing.REDUCTION, Timing.EXTRACT))
"""Any operands will do."""
BRANCHES = _rows(lambda row: row.timing == Timing.BRANCH and len(row.operands) == 3)
SCALAR_ACCESS = _rows(lambda row: row.timing in (Timing.SCALAR_LOAD, Timing.SCALAR_STORE))
CONTIGUOUS = _accesses(Pattern.CONTIGUOUS)
STRIDED = _accesses(Pattern.STRIDED)
INDEXED = _accesses(Pattern.INDEXED)
CACHE = _accesses(Pattern.CONTIGUOUS, cache=True)
BLOCKS = _accesses(Pattern.CONTIGUOUS, Record.POSITIONS)
DESCRIPTORS = _accesses(Pattern.CONTIGUOUS, Record.DESCRIPTOR)
SPARSE = _rows(lambda row: row.timing == Timing.SPARSE)
