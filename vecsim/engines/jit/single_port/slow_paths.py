"""What the single-port loop calls where no closed form holds: a part compiled on its own.

The loop calls it by its address, as it does the semantics of vector instructions, so that both are compiled
at the same time.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Timing
from vecsim.engines.jit.arrays.views import run_of
from vecsim.engines.jit.single_port.accesses import time_elements, time_records, time_slices
from vecsim.engines.jit.single_port.arithmetic import time_arithmetic, time_one

ACCESS, CONTIGUOUS = int(Timing.ACCESS), int(Pattern.CONTIGUOUS)


def time_slowly(w: Any, number: Any, n: Any, element: Any, slice_: Any, issue: Any, retired: Any) -> None:
    """Time vector instruction ``number`` of the program, of n >= 1 elements, that issued in cycle ``issue``.

    Parameters
    ----------
    number
        Its place in the program.
    element
        The one element of a vector register that it works on, or the first of the vector cache; -1 for none.
    """
    r = run_of(w)
    instruction = r.program[number]
    if instruction.timing == ACCESS:
        if instruction.pattern != CONTIGUOUS:
            time_elements(r, instruction, n, issue, retired)
        elif instruction.cache == 1:
            time_slices(r, instruction, n, element, issue, retired)
        else:
            time_records(r, instruction, n, issue, retired)
    elif element >= 0:
        time_one(r, instruction, element, slice_, issue, retired)
    else:
        time_arithmetic(r, instruction, n, slice_, issue, retired)
