"""When loaded words arrive, and how many a port waits for (docs/timing.md, "Latency")."""

from __future__ import annotations

from vecsim.engines.rules.numbers import larger
from vecsim.engines.state.run import Run


def port_waits_until(r: Run, port: int, store: int) -> int:
    """Return the cycle from which a port may wait for one more loaded word ("Latency")."""
    if r.machine.words_outstanding == 0 or store == 1:
        return 0
    return r.arrivals[port][r.ports[port].oldest]


def note_arrival(r: Run, port: int, arrival: int, along: bool) -> int:
    """Note when a loaded word arrives; return it, not before earlier ones of its port ("Latency").

    Parameters
    ----------
    along
        Whether it goes along with an earlier one, and so is not waited for by itself.
    """
    state, most = r.ports[port], r.machine.words_outstanding
    state.arrived = larger(state.arrived, arrival)
    if most > 0 and not along:
        r.arrivals[port][state.oldest] = state.arrived
        state.oldest = state.oldest + 1 if state.oldest + 1 < most else 0
    return state.arrived
