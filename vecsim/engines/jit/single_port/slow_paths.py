"""What the single-port loop calls where no closed form holds: a part compiled on its own.

The loop calls it by its address, as it does the semantics of vector instructions, so that both are compiled
at the same time.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Timing
from vecsim.engines.columns import instruction
from vecsim.engines.jit.arrays.views import run_of
from vecsim.engines.jit.single_port.accesses import time_elements, time_records, time_slices
from vecsim.engines.jit.single_port.arithmetic import time_arithmetic, time_one

ACCESS, CONTIGUOUS = int(Timing.ACCESS), int(Pattern.CONTIGUOUS)


def time_slowly(w: Any, i: Any, n: Any, element: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time the vector instruction at ``i``, of n >= 1 elements, that issued in cycle ``issue``.

    Parameters
    ----------
    element
        The one element of a vector register that it works on, or the first of the vector cache; -1 for none.
    """
    r = run_of(w)
    code = r.program
    if code[i + instruction.TIMING] == ACCESS:
        if code[i + instruction.PATTERN] != CONTIGUOUS:
            time_elements(r, i, n, issue, retired)
        elif code[i + instruction.CACHE] == 1:
            time_slices(r, i, n, element, issue, retired)
        else:
            time_records(r, i, n, issue, retired)
    elif element >= 0:
        time_one(r, i, element, slice_, issue, retired)
    else:
        time_arithmetic(r, i, n, slice_, issue, retired)
