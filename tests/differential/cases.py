"""A case is a program, its initial memory and a machine: random, written to files, read again."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isa.assembler import assemble
from isa.disassembler import disassemble
from isa.program import Program
from vecsim.machine import Machine, load_machine, to_toml

from .random_faults import endless, spoil
from .random_items import Items
from .random_machines import random_machine
from .random_memory import layout_for, random_memory
from .random_programs import random_program

MAX_CYCLES = 5_000_000
ENDLESS_CYCLES = 1500


@dataclass(frozen=True, eq=False)
class Case:
    """What two engines are compared on.

    Attributes
    ----------
    text
        Assembly text; none of a program that was not made from text.
    timeline
        Whether the runs keep a timeline.
    max_cycles
        After these a program is taken for an infinite loop.
    """

    program: Program
    memory: npt.NDArray[np.uint8]
    machine: Machine
    timeline: bool = True
    max_cycles: int = MAX_CYCLES
    text: str | None = None

    @property
    def assembly(self) -> str:
        """The program as text that assembles to it."""
        return disassemble(self.program) if self.text is None else self.text

    def with_text(self, text: str) -> Case:
        """Return the case with another program."""
        return replace(self, program=assemble(text, file="case.s"), text=text)


def random_case(seed: int, *, faults: bool = False) -> Case:
    """Return the case of a seed; with ``faults`` some programs end in one."""
    return draw_case(random.Random(seed), faults=faults)


def draw_case(rng: random.Random, *, faults: bool = True) -> Case:
    """Return a case by the choices of ``rng``."""
    machine = random_machine(rng)
    layout = layout_for(machine.section_size, rng.choice([0, 0, 0, 0, 0, 0, 1, 2, 3]))
    way = rng.randrange(64) if faults else 0
    wrong: Callable[[Items], None] | None = None
    if way >= 60:
        wrong = endless if way == 63 else spoil
    memory_seed = rng.getrandbits(32)
    program = random_program(rng, machine, layout, wrong)
    return Case(
        program,
        random_memory(memory_seed, layout),
        machine,
        timeline=rng.randrange(8) < 7,
        max_cycles=ENDLESS_CYCLES if wrong is endless else MAX_CYCLES,
    )


def changed(machine: Machine, changes: Iterable[str]) -> Machine:
    """Return a machine with ``key=value`` changes; the section size and the registers are the program's."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "machine.toml"
        file.write_text(to_toml(machine), encoding="utf-8")
        return load_machine(str(file), changes)


def case_texts(case: Case) -> tuple[str, str]:
    """Return a case as assembly file and machine file."""
    zeros = not case.memory.any()
    lines = [f"# memory: {len(case.memory)} bytes{' of zeros' if zeros else ''}"]
    if case.max_cycles != MAX_CYCLES:
        lines.append(f"# limit: {case.max_cycles} cycles")
    if not case.timeline:
        lines.append("# timeline: none")
    return "\n".join([*lines, case.assembly]), to_toml(case.machine)


def write_case(case: Case, folder: Path, name: str) -> Path:
    """Write NAME.s, NAME.toml and, unless memory is all zeros, NAME.bin; return the path of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.s"
    assembly, machine = case_texts(case)
    path.write_text(assembly, encoding="utf-8")
    path.with_suffix(".toml").write_text(machine, encoding="utf-8")
    image = path.with_suffix(".bin")
    if case.memory.any():
        image.write_bytes(case.memory.tobytes())
    else:
        image.unlink(missing_ok=True)
    return path


def read_case(path: Path) -> Case:
    """Read what :func:`write_case` wrote."""
    text = path.read_text(encoding="utf-8")
    image = path.with_suffix(".bin")
    if image.exists():
        memory = np.frombuffer(image.read_bytes(), np.uint8).copy()
    else:
        memory = np.zeros(_number(text, "memory: ([0-9]+) bytes of zeros", 8192), np.uint8)
    return Case(
        assemble(text, file=path.name),
        memory,
        load_machine(str(path.with_suffix(".toml"))),
        timeline="# timeline: none" not in text,
        max_cycles=_number(text, "limit: ([0-9]+) cycles", MAX_CYCLES),
        text=text,
    )


def _number(text: str, pattern: str, default: int) -> int:
    match = re.search(f"^# {pattern}$", text, re.MULTILINE)
    return int(match[1]) if match else default
