"""Running the five programs on a member of the suite, on every preset."""

from __future__ import annotations

import hashlib
from typing import Any

from experiments.papers.hism.suite import Member, load
from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.data import values_as
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.results.digests import matrix_sha256

from .recorded import PRESETS, Row


def rows_of(member: Member) -> list[Row]:
    """Return a row for each preset; a function of a module, since processes find it by name."""
    csr, _ = values_as(load(member), 4)
    return [row_of(member.name, csr, preset) for preset in PRESETS]


def row_of(name: str, csr: Any, preset: str) -> Row:
    """Run all programs on one preset; y has the values' own type, float32."""
    machine = load_machine(preset)
    x = multiplicand(csr.shape[1], 0, csr.dtype)
    cycles, results = {}, hashlib.sha256()
    for program in PROGRAMS:
        prepared = prepare(program, csr, machine, x)
        result = run(prepared.program, prepared.loaded.memory, machine)
        cycles[program] = result.cycles
        y = prepared.loaded.result(result.state.memory)
        results.update(f"{program} {result.instructions} ".encode() + y.astype("<f4").tobytes())
    return Row(name, matrix_sha256(csr), preset, **cycles, results=results.hexdigest()[:16])
