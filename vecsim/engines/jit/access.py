"""Accesses of a machine with one port, timed to their end at issue: which module times which.

Contiguous accesses of one register in 32-bit elements (``SIMPLE``) are timed by
:mod:`vecsim.engines.jit.word_accesses` first.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern
from vecsim.engines.columns import instruction
from vecsim.engines.jit.cache_accesses import time_slices
from vecsim.engines.jit.element_accesses import time_elements
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.record_accesses import time_records

CONTIGUOUS = int(Pattern.CONTIGUOUS)


@inline
def time_access(w: Any, code: Any, i: Any, n: Any, cache_first: Any, issue: Any, retired: Any) -> None:
    """Time an access of n elements, not a ``SIMPLE`` one, whose address is in ``outcome``."""
    if code[i + instruction.PATTERN] != CONTIGUOUS:
        time_elements(w, i, n, issue, retired)
    elif code[i + instruction.CACHE] == 1:
        time_slices(w, i, n, cache_first, issue, retired)
    else:
        time_records(w, i, n, issue, retired)
