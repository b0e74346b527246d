"""Physical registers (*Renaming*): which one each operand is in, and which retirement frees one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from isa.declaration import Length
from tests.oracle import shape
from tests.oracle.shape import Use
from tests.oracle.steps import Step
from vecsim.machine import Machine

SCALARS = 32


@dataclass(eq=False)
class Register:
    """A physical vector register, from when it is given to an instruction to when it is displaced.

    Attributes
    ----------
    written
        How many elements that instruction writes, from the first on.
    left
        The register that it displaced, if the other elements are what they were there.
    """

    name: str
    written: int
    left: Register | None = None


class Renaming:
    """The registers of a machine, as of the instructions that have issued."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.vectors = machine.physical_vector_registers > 0
        self.scalars = machine.physical_scalar_registers > 0
        s, named = machine.section_size, range(machine.vector_registers)
        self.places = {f"v{i}": Register(f"v{i}", s) for i in named}
        self.takers: dict[str, list[int]] = {"v": [], "x": [], "f": []}
        """Of each kind, the number of the instruction that took a register, each time one was taken."""

    def freed_by(self, step: Step) -> Iterator[int]:
        """The instructions up to which all must have retired before this one may issue."""
        spare = dict.fromkeys("xf", self.machine.physical_scalar_registers - SCALARS)
        spare["v"] = self.machine.physical_vector_registers - self.machine.vector_registers
        for kind, takers in self.takers.items():
            count = self._takes(step, kind)
            awaited = len(takers) + count - 1 - spare[kind]
            if count and awaited >= 0:
                yield takers[awaited]

    def _takes(self, step: Step, kind: str) -> int:
        if kind == "v":
            return sum(self._moves(step, use) for use in shape.uses(step, self.machine.section_size))
        written = [
            f
            for f, o in zip(step.fields, step.row.operands, strict=True)
            if o.kind == kind and o.written and (kind, f) != ("x", 0)
        ]
        return len(written) if self.scalars else 0

    def _moves(self, step: Step, use: Use) -> bool:
        """Whether what is written goes to another physical register."""
        in_place = use.forwarded or step.row.length == Length.ONE or not use.name.startswith("v")
        return self.vectors and use.writes and not in_place

    def uses(self, step: Step) -> list[Use]:
        """What an instruction reads, and what it writes in place, in physical registers."""
        named = shape.uses(step, self.machine.section_size)
        if not self.vectors:
            return named
        actual = []
        for use in named:
            if not use.name.startswith("v"):
                actual.append(use)
            elif not self._moves(step, use):
                actual += self._in_place(use)
            elif use.reads:
                actual += self._in_place(replace(use, writes=False))
        return actual

    def _in_place(self, use: Use) -> list[Use]:
        """A use of the register where it is, and of those from which elements have been left as they were."""
        register = self.places[use.name]
        behind = use.offset + use.end > register.written
        own = replace(use, name=register.name)
        actual = [own]
        if behind and not use.forwarded:
            actual.append(replace(own, reads=True, writes=False, whole=True))
        if behind or use.whole or (use.reads and not self.machine.chaining):
            older = register.left
            while older is not None:
                actual.append(Use(older.name, True, False, True, use.begin, use.end))
                older = older.left
        return actual

    def issue(self, step: Step, age: int) -> list[Use]:
        """Rename what an instruction writes that issues; return all that it uses."""
        actual = self.uses(step)
        for kind, takers in self.takers.items():
            takers += [age] * self._takes(step, kind)
        for use in shape.uses(step, self.machine.section_size):
            if self._moves(step, use):
                left = self.places[use.name] if step.n < self.machine.section_size else None
                given = Register(f"{use.name} of {age}.{len(actual)}", step.n, left)
                self.places[use.name] = given
                actual.append(replace(use, name=given.name, reads=False))
        return actual
