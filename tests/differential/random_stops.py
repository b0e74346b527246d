"""Boundaries where a case is stopped: they follow from its program, so its files need not name them."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass

from isa.program import Program
from isa.state import ARCHITECTURAL
from vecsim.engines.fault import Fault
from vecsim.engines.protocol import Engine

MOST_STOPS = 12
FAR = 40


@dataclass(frozen=True)
class Stop:
    """How far an engine is let go on: this many further cycles, instructions, or the first of both."""

    cycles: int | None
    instructions: int | None


def stops_of(program: Program) -> list[Stop]:
    """Draw the stops of a program; every other program has none and runs through."""
    rng = random.Random(zlib.crc32(program.words.tobytes()))
    if rng.randrange(2):
        return []
    return [_stop(rng) for _ in range(rng.randint(1, MOST_STOPS))]


def _stop(rng: random.Random) -> Stop:
    far = rng.choice((3, FAR, FAR * FAR))
    cycles, instructions = rng.randint(-1, far), rng.randint(-1, min(far, FAR))
    return Stop(*rng.choice(((cycles, None), (None, instructions), (cycles, instructions))))


def visit(running: Engine, stops: list[Stop], limit: int) -> list[str]:
    """Let an engine go from stop to stop; return where it stood at each, in words.

    Parameters
    ----------
    running
        Goes on from where it stands.
    stops
        In turn.
    limit
        The cycle before which it ends at the latest.
    """
    stood = []
    for stop in stops:
        cycle = limit if stop.cycles is None else min(limit, running.cycle + stop.cycles)
        try:
            running.advance(cycle=cycle, instructions=stop.instructions)
            how = "finished" if running.finished else "running"
        except Fault as fault:
            how = str(fault)
        digest = 0
        for name in ARCHITECTURAL:
            digest = zlib.crc32(getattr(running.state, name).tobytes(), digest)
        stood.append(f"cycle {running.cycle}, instruction {running.pc}, {how}, state {digest:08x}")
    return stood
