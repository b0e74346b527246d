"""Short programs on small machines: text in, rows of the timeline out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isa.assembler import assemble
from tests.oracle.comparison import ENGINE, difference_from
from vecsim.engines.result import Run
from vecsim.engines.running import ENGINES, run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import load_machine

EVERY_ENGINE = sorted(ENGINES)

WORKED = str(Path(__file__).with_name("worked.toml"))
"""The machine on which tests are worked by hand, whatever the presets are."""


@dataclass(frozen=True)
class Traced:
    """A run and, by label of the program, the timeline's row of the instruction after the label."""

    run: Run
    labels: dict[str, int]

    def __getattr__(self, label: str) -> dict[str, int]:
        return self.row(label)

    def row(self, label: str, occurrence: int = 0) -> dict[str, int]:
        timeline = self.run.timeline
        assert timeline is not None
        position = np.flatnonzero(timeline["pc"] == self.labels[label])[occurrence]
        return {name: int(column[position]) for name, column in timeline.items()}


def trace(
    text: str, *changes: str, machine: str = WORKED, engine: str = "simpy", memory: Any = None
) -> Traced:
    """Run a program that begins with vl = s; ``changes`` are key=value changes of the machine.

    Of the compiled engine the oracle's word is asked, too: each program worked by hand is one more for it.
    """
    described = load_machine(machine, changes)
    program = assemble(f"li x31, {described.section_size}\nsetvl x31\n{text}\nhalt\n")
    memory = np.zeros(1 << 16, np.uint8) if memory is None else memory
    result = run(program, memory, described, engine=engine, timeline=TimelineRequest(), max_cycles=1_000_000)
    assert sum(result.cycles_by_cause.values()) == result.cycles
    assert result.attribution.attributed.min() >= 0
    if engine == ENGINE:
        assert difference_from(result, program, memory) == ""
    return Traced(result, dict(program.symbols))
