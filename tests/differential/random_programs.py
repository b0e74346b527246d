"""Random programs: items between branches, in loops and in routines.

An item is never entered in its midst, so a branch may skip any number of them. Programs end and stay
inside memory by construction.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from isa.program import Program
from vecsim.machine import Machine

from . import rows
from .builder import Builder, Label
from .random_items import BLOCK_LENGTH, BLOCK_POINTER, DATA, DESCRIPTOR_POINTER, Items
from .random_memory import Layout

RETURN, STACK, COUNTERS, TARGET = 1, 2, (4, 5), 21
"""x registers: return address, stack pointer, loop counters by depth, target of a computed jump."""

ROUTINE = len(COUNTERS)
"""The depth of what a routine does: no loops and no calls."""


def random_program(
    rng: random.Random, machine: Machine, layout: Layout, spoil: Callable[[Items], None] | None = None
) -> Program:
    """Return a program; ``spoil`` appends, somewhere, what goes wrong."""
    return _Composer(rng, machine, layout, spoil).compose()


class _Composer:
    def __init__(
        self,
        rng: random.Random,
        machine: Machine,
        layout: Layout,
        spoil: Callable[[Items], None] | None,
    ) -> None:
        self.rng = rng
        self.builder = Builder()
        self.items = Items(rng, machine, layout, self.builder)
        self.routine: Label | None = Label() if rng.randrange(4) == 3 else None
        self.spoil = spoil

    def compose(self) -> Program:
        rng, builder = self.rng, self.builder
        routine_first = self.routine is not None and rng.randrange(2) == 1
        if routine_first:
            self._routine()
        builder.place(builder.start)
        self._prepare()
        self._block(0, self._size())
        if self.spoil is not None:
            self.spoil(self.items)
            self._block(0, rng.randrange(3))
        builder.add("halt")
        if not routine_first:
            self._routine()
        return builder.program()

    def _size(self) -> int:
        rng = self.rng
        return rng.randrange(24, 60) if rng.randrange(16) == 15 else rng.randrange(3, 24)

    def _prepare(self) -> None:
        self.items.preparation()
        builder = self.builder
        builder.constant(BLOCK_POINTER, self.items.data_address(0, 64))
        builder.constant(BLOCK_LENGTH, self.rng.randrange(5))
        builder.constant(DESCRIPTOR_POINTER, self.items.data_address(0, 64))

    def _block(self, depth: int, count: int) -> None:
        for _ in range(count):
            form = self.rng.randrange(24)
            if form < 20:
                self.items.item()
            elif form == 20 and depth < ROUTINE:
                self._loop(depth)
            elif form == 21 and depth < ROUTINE and self.routine is not None:
                self.builder.add("jal", RETURN, self.routine)
            else:
                self._skip(depth)

    def _loop(self, depth: int) -> None:
        builder, counter, again = self.builder, COUNTERS[depth], Label()
        builder.constant(counter, self.rng.randrange(1, 5))
        builder.place(again)
        self._block(depth + 1, self.rng.randrange(1, 6))
        builder.add("addi", counter, counter, -1)
        builder.add("bne", counter, 0, again)

    def _skip(self, depth: int) -> None:
        """A branch forward: taken or not, a jump, or a computed one."""
        builder, rng, behind = self.builder, self.rng, Label()
        form = rng.randrange(8)
        if form == 7:
            builder.add("addi", TARGET, 0, behind)
            builder.add("jr", TARGET)
        elif form == 6:
            builder.add("jal", rng.choice([0, *DATA]), behind)
        else:
            row = rng.choice(rows.BRANCHES)
            builder.add(row.mnemonic, self.items.x_any(), self.items.x_any(), behind)
        self._block(max(depth, ROUTINE - 1), rng.randrange(1, 3))
        builder.place(behind)

    def _routine(self) -> None:
        if self.routine is None:
            return
        builder, saved = self.builder, self.rng.choice(DATA)
        builder.place(self.routine)
        builder.add("addi", STACK, STACK, -4)
        builder.add("sw", saved, 0, STACK)
        self._block(ROUTINE, self.rng.randrange(1, 5))
        builder.add("lw", saved, 0, STACK)
        builder.add("addi", STACK, STACK, 4)
        builder.add("jr", RETURN)
