"""Published measurements next to what vecsim gives: which differ, by how much, and what it lacks there."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter

from experiments.validation.kernels import instruction_text, loop_memory, loop_text
from isa.assembler import assemble
from programs.course.measurement import prepare_course, run_course
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.running import run
from vecsim.machine import Machine, load_machine
from vecsim.results.atomic_files import write_file

MEASUREMENTS = Path(__file__).with_name("measurements.toml")
RECORDED = Path(__file__).parent / "recorded" / "validation.csv"
CONFIRMED = 15.0
"""Difference in per cent up to which a measurement is confirmed."""
UNMEASURED = ("sx-aurora",)
"""Presets like a real machine without a published measurement of a single core that we know."""
REPEATED = (20, 120)
"""How often an instruction is repeated: what the further times take counts."""


class Group(BaseModel):
    """Measurements of one source on one machine.

    Attributes
    ----------
    machine, set
        The preset, and numbers that differ.
    kind
        ``loop`` and ``instruction`` of `experiments.validation.kernels`, ``axpy`` and ``gemm`` of the course.
    of, size, unit
        What was measured, what its sizes are, and in which unit.
    source
        Where it is published.
    compared_once
        Whether no number of the preset was chosen or changed by it.
    published
        By what was measured, the number for each size.
    lacks
        By what was measured, or that and its size, the rule that is missing.
    passes
        How often a loop passes over its arrays: the last alone counts if there are two numbers.
    unrolled, results
        Strips in a turn of a loop; elements that the unit is for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    machine: str
    kind: str
    of: str
    size: str
    unit: str
    source: str
    published: dict[str, dict[str, float]]
    set: dict[str, int] = {}
    compared_once: bool = False
    lacks: dict[str, str] = {}
    passes: tuple[int, ...] = (1,)
    unrolled: int = 1
    results: int = 1

    @property
    def described(self) -> Machine:
        """The machine that is simulated."""
        return load_machine(self.machine, self.set)


@dataclass(frozen=True)
class Row:
    """A measurement and its simulation.

    Attributes
    ----------
    machine, measurement, size, unit
        What was measured on what, in words.
    published, ours
        The two numbers.
    lacks
        The rule that explains a difference; empty if none does.
    compared_once
        Whether no number of the preset was chosen or changed by the measurement.
    source
        Where it is published.
    """

    machine: str
    measurement: str
    size: str
    unit: str
    published: float
    ours: float
    lacks: str
    compared_once: bool
    source: str

    @property
    def difference(self) -> float:
        """How much larger ours is, in per cent."""
        return 100 * (self.ours / self.published - 1)

    @property
    def verdict(self) -> str:
        """Return ``within 15 %``, ``explained`` by a missing rule, or ``differs``."""
        if abs(self.difference) <= CONFIRMED:
            return "within 15 %"
        return "explained" if self.lacks else "differs"


_ROW = TypeAdapter(Row)


@cache
def groups() -> tuple[Group, ...]:
    """Return the published measurements, in their order."""
    document = tomllib.loads(MEASUREMENTS.read_text(encoding="utf-8"))
    return tuple(Group.model_validate(each) for each in document["group"])


def measured_machines() -> tuple[str, ...]:
    """Return the presets that are like a real machine."""
    return (*dict.fromkeys(group.machine for group in groups()), *UNMEASURED)


def simulated(group: Group, name: str, size: int, engine: str = DEFAULT_ENGINE) -> float:
    """Return what vecsim gives for a measurement, in its unit.

    Parameters
    ----------
    group, name, size
        What was measured.
    engine
        Name of the engine.
    """
    machine = group.described
    if group.kind == "instruction":
        texts = [instruction_text(name, elements=size, times=times) for times in REPEATED]
        few, many = (_cycles(text, 4096, machine, engine) for text in texts)
        return (many - few) / (REPEATED[1] - REPEATED[0])
    if group.kind == "loop":
        s = machine.section_size
        taken = [0] * (2 - len(group.passes)) + [
            _cycles(
                loop_text(name, size=size, passes=passes, unrolled=group.unrolled, section=s),
                loop_memory(name, size),
                machine,
                engine,
            )
            for passes in group.passes
        ]
        return (taken[1] - taken[0]) * group.results / size
    ready = prepare_course(name, machine, size=size, value_bytes=8)
    cycles = run_course(ready, machine, engine=engine).run.cycles
    return 2 * ready.placed.problem.work / cycles


def _cycles(text: str, memory: int, machine: Machine, engine: str) -> int:
    program = assemble(text, value_bytes=8)
    return run(program, np.zeros(memory, np.uint8), machine, engine=engine).cycles


def compared(engine: str = DEFAULT_ENGINE, *, largest: int | None = None) -> list[Row]:
    """Simulate the measurements.

    Parameters
    ----------
    engine
        Name of the engine.
    largest
        The largest size that is simulated; all without it.
    """
    return [
        _row(group, name, int(size), published, simulated(group, name, int(size), engine))
        for group in groups()
        for name, sizes in group.published.items()
        for size, published in sizes.items()
        if largest is None or int(size) <= largest
    ]


def _row(group: Group, name: str, size: int, published: float, ours: float) -> Row:
    return Row(
        machine=group.described.label,
        measurement=f"{group.of} {name}",
        size=f"{group.size} {size}",
        unit=group.unit,
        published=published,
        ours=round(ours, 3),
        lacks=group.lacks.get(f"{name} {size}", group.lacks.get(name, "")),
        compared_once=group.compared_once,
        source=group.source,
    )


def read() -> list[Row]:
    """Return the rows of the recorded file, in its order."""
    with RECORDED.open(encoding="utf-8", newline="") as file:
        return [_ROW.validate_python(row) for row in csv.DictReader(file)]


def write(rows: Iterable[Row]) -> None:
    """Write the recorded file again."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Row)])
    writer.writerows([getattr(row, field.name) for field in fields(Row)] for row in rows)
    write_file(RECORDED, text.getvalue().encode("utf-8"))
