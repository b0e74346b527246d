"""Hostile programs on all engines: ``python -m tests.fuzz.hostile_programs --count 10000``.

Any instructions with any fields, addresses and lengths at the edges of memory, any machine. Nothing may reach
outside of an array (`tests.fuzz.guarded_pages`), nothing may raise but a fault, and the engines must agree.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isa.assembler import assemble
from isa.declaration import Instruction, Operand
from isa.encoding import encode
from isa.instructions import BASE
from isa.program import Program
from tests.differential.cases import Case as EngineCase
from tests.differential.comparison import End, difference
from tests.differential.comparison import outcome as run_on
from tests.differential.random_machines import random_machine
from tests.fuzz.campaign import Case, main
from tests.fuzz.guarded_pages import guarded_engines
from vecsim.machine import Machine
from vecsim.support.errors import UserError

NAME = "hostile_programs"
MAX_CYCLES = 3000
SIZES = (0, 4, 8, 12, 60, 64, 100, 256, 1000, 4096, 4100, 20_000)
"""Bytes of memory."""
WORDS = {End.RUN: "ran", End.FAULT: "fault", End.CRASH: "traceback"}


@dataclass(frozen=True)
class ProgramFuzzer:
    """Makes programs up and compares what the engines make of them, as `tests.fuzz.campaign` runs it."""

    name: str = NAME

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever: program, memory and machine as JSON."""
        source = random.Random(f"{self.name} {seed}")
        machine = random_machine(source)
        size = source.choice(SIZES)
        words = _words(source, machine, size)
        document = {
            "machine": machine.model_dump(),
            "memory": source.randbytes(size).hex(),
            "words": words,
            "timeline": source.random() < 0.5,
        }
        return Case("case.json", json.dumps(document).encode())

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Run a case on the compiled engine between guard pages, and on SimPy; compare."""
        try:
            built = _read(case)
        except UserError:  # a branch to before the first instruction
            return "refused", ""
        with guarded_engines():
            compiled = run_on(built, "jit")
        interpreted = run_on(built, "simpy")
        differs = difference(built.program, interpreted, compiled, ("simpy", "jit"))
        return WORDS[compiled.end], "" if differs is None else str(differs)


def _read(case: Case) -> EngineCase:
    document: dict[str, Any] = json.loads(case.data)
    words = np.array(document["words"], np.uint32)
    return EngineCase(
        Program(words, {}, (), (), BASE),
        np.frombuffer(bytes.fromhex(document["memory"]), np.uint8).copy(),
        Machine(**document["machine"]),
        timeline=document["timeline"],
        max_cycles=MAX_CYCLES,
    )


def _words(source: random.Random, machine: Machine, size: int) -> list[int]:
    """Load registers with hostile numbers, and execute any instructions."""
    values = [_number(source, machine, size) for _ in range(8)]
    text = "\n".join(f"li x{3 + i}, {value}" for i, value in enumerate(values))
    words = assemble(text + "\nsetvl x31, x3").words.tolist()
    for _ in range(source.choice((1, 3, 8, 20, 60))):
        instruction = source.choice(BASE.instructions)
        fields = [_field(source, operand, machine) for operand in instruction.operands]
        words.append(encode(instruction, _within(instruction, fields)))
    if source.random() < 0.9:
        words.append(encode(BASE.by_mnemonic["halt"], ()))
    return words


def _number(source: random.Random, machine: Machine, size: int) -> int:
    """Return an address, a length or a stride near an edge."""
    section = machine.section_size
    edge = source.choice((0, 0, 4, 8, section, section**2, size, size // 2, 1 << 31))
    near = source.choice((0, 0, 0, 1, -1, 3, 4, -4, 8, -8, section))
    wrapped = (edge + near + (1 << 31)) % (1 << 32) - (1 << 31)
    return source.choice((wrapped, wrapped, wrapped, source.randrange(-(1 << 31), 1 << 31)))


def _field(source: random.Random, operand: Operand, machine: Machine) -> int:
    low, high = operand.limits
    if operand.kind in "xf" and source.random() < 0.9:
        return source.randrange(11)
    if operand.kind == "v" and source.random() < 0.98:
        return source.randrange(min(6, machine.vector_registers))
    if operand.kind == "t" and source.random() < 0.95:
        return source.randrange(-6, 7)
    if source.random() < 0.7:
        return max(low, min(high, source.choice((0, 1, 2, 4, 8, -4, machine.section_size))))
    return source.choice((low, high, source.randint(low, high)))


def _within(instruction: Instruction, fields: list[int]) -> list[int]:
    """Keep fields within what the encoding has room for."""
    limits = [operand.limits for operand in instruction.operands]
    return [max(low, min(high, field)) for field, (low, high) in zip(fields, limits, strict=True)]


FUZZER = ProgramFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
