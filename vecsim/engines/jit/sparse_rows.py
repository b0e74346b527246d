"""The rows that entries of a sparse instruction add to: as many in a cycle as the unit may touch."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import outcomes, parameter
from vecsim.engines.jit.cells import shifted
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.tracks import new_track
from vecsim.engines.jit.views import scratch_of, state_of


@inline
def row_is_new(row: Any, k: Any, in_cycle: Any) -> Any:
    """Tell whether none of the ``in_cycle`` entries before entry k adds to its row."""
    j = k - in_cycle
    while j < k and row[j] != row[k]:
        j += 1
    return j == k


@inline
def is_new(row: Any, k: Any, in_cycle: Any, highest: Any) -> Any:
    """What :func:`row_is_new` tells, as 0 or 1; a negative row is none.

    Parameters
    ----------
    row
        The rows of the entries.
    k
        The entry.
    in_cycle
        How many entries before it the unit takes in the same cycle.
    highest
        The last of their rows, -1 for none.
    """
    if row[k] > highest:
        return 1
    if row[k] == highest or row[k] < 0:
        return 0
    return 1 if row_is_new(row, k, in_cycle) else 0


@function
def fill_cycles(w: Any, n: Any, start: Any, lanes: Any, distinct: Any) -> Any:
    """Start n entries that wait for nothing, as many in a cycle as may be: ``lanes`` in ``distinct`` rows.

    Gives their track, and leaves in ``outcome`` the number of cycles.

    Parameters
    ----------
    start
        The cycle of the first entry.
    lanes
        Entries that may start in a cycle.
    distinct
        Distinct rows that they may add to.
    """
    row, scratch = state_of(w).row, scratch_of(w)
    track = new_track(w, scratch, lanes)
    cycles = shifted(scratch.tracks, track * scratch.machine[parameter.SECTION_SIZE])
    cycle, in_cycle, rows, highest = start, 0, 0, -1
    for k in range(n):
        new = is_new(row, k, in_cycle, highest)
        if in_cycle == lanes or rows + new > distinct:
            cycle, in_cycle, rows, highest = cycle + 1, 0, 0, -1
            new = 1 if row[k] >= 0 else 0
        rows, in_cycle, highest = rows + new, in_cycle + 1, larger(highest, row[k])
        cycles[k] = cycle
    scratch.outcome[outcomes.BUSY] = cycle - start + 1
    return track
