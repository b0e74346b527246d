"""From a case on which engines differ to a small one: fewer lines, a usual machine, empty memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from pydantic import BaseModel, ValidationError

from vecsim.machine import Machine
from vecsim.support.errors import UserError

from .cases import Case

Differs = Callable[[Case], bool]


class Shrinker:
    """Delta debugging: what can go without the engines coming to agree goes.

    Parameters
    ----------
    differs
        Whether the engines still differ; the case that is given does.
    seconds
        After these, what has been reached is given.
    """

    def __init__(self, differs: Differs, seconds: float = 60.0) -> None:
        self.differs = differs
        self.end = time.monotonic() + seconds

    def shrink(self, case: Case) -> Case:
        """Return a small case on which the engines differ too."""
        case = case.with_text(case.assembly)
        while True:
            before = (case.assembly, case.machine, case.memory.any(), case.timeline)
            for step in (self._lines, self._numbers, self._memory, self._timeline, self._machine):
                case = step(case)
            if before == (case.assembly, case.machine, case.memory.any(), case.timeline) or self._late():
                return case

    def _late(self) -> bool:
        return time.monotonic() > self.end

    def _try(self, case: Case) -> bool:
        return not self._late() and self.differs(case)

    def _try_text(self, case: Case, lines: list[str]) -> Case | None:
        try:
            smaller = case.with_text("\n".join(lines) + "\n")
        except UserError:  # a branch whose label went
            return None
        return smaller if self._try(smaller) else None

    def _lines(self, case: Case) -> Case:
        """Take out runs of lines, long ones first."""
        lines = case.assembly.splitlines()
        size = max(len(lines) // 2, 1)
        while size:
            start = len(lines)  # from the end: what comes late depends on what came before
            while start > 0:
                start = max(start - size, 0)
                fewer = lines[:start] + lines[start + size :]
                smaller = self._try_text(case, fewer)
                if smaller is not None:
                    case, lines = smaller, fewer
            size //= 2
        return case

    def _numbers(self, case: Case) -> Case:
        """Make constants 0, or otherwise half as large."""
        lines = case.assembly.splitlines()
        for place, line in enumerate(lines):
            head, separator, last = line.rpartition(" ")
            if not (separator and line.strip().startswith("addi") and last.lstrip("-").isdigit()):
                continue
            for value in dict.fromkeys((0, int(last) // 2)):
                if abs(value) >= abs(int(last)):
                    continue
                simpler = [*lines[:place], f"{head} {value}", *lines[place + 1 :]]
                actual = self._try_text(case, simpler)
                if actual is not None:
                    case, lines = actual, simpler
                    break
        return case

    def _memory(self, case: Case) -> Case:
        empty = replace(case, memory=np.zeros_like(case.memory))
        return empty if case.memory.any() and self._try(empty) else case

    def _timeline(self, case: Case) -> Case:
        shown = replace(case, timeline=True)
        return shown if not case.timeline and self._try(shown) else case

    def _machine(self, case: Case) -> Case:
        """Set field after field to its usual value, where engines still differ."""
        for path in _paths(Machine):
            machine = _usual(case.machine, path)
            if machine != case.machine:
                simpler = replace(case, machine=machine)
                if self._try(simpler):
                    case = simpler
        return case


def _paths(model: type[BaseModel], prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    paths = []
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            paths += _paths(inner, (*prefix, name))
        elif name != "name":
            paths.append((*prefix, name))
    return paths


def _usual(machine: Machine, path: tuple[str, ...]) -> Machine:
    """Return a machine with the default value in one field."""
    values, usual = machine.model_dump(), Machine().model_dump()
    table = values
    for name in path[:-1]:
        table, usual = table[name], usual[name]
    table[path[-1]] = usual[path[-1]]
    try:
        return Machine.model_validate(values)
    except ValidationError:
        return machine
