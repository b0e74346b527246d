"""A program as basic blocks whose instructions can be moved, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from experiments.whatif.reorder.effects import Effects, effects_of
from isa.declaration import Timing
from isa.encoding import encode
from isa.program import Program
from vecsim.engines.decoded import NONE, decode
from vecsim.machine import Machine

INVERSE = {"beq": "bne", "bne": "beq", "blt": "bge", "bge": "blt"}
"""Branches on the opposite condition."""


@dataclass(frozen=True)
class Move:
    """An instruction that can stand elsewhere.

    Attributes
    ----------
    pc
        Where it stands in the given program, which tells its words and its source line.
    effects
        What it reads and writes.
    mnemonic
        Its name, which differs from that at `pc` where a branch was inverted.
    target
        The block that a taken branch goes to; `NONE` for other instructions.
    """

    pc: int
    effects: Effects
    mnemonic: str
    target: int = NONE


@dataclass(frozen=True)
class Block:
    """Instructions that are executed one after the other; only the last can be a branch or `halt`."""

    number: int
    moves: tuple[Move, ...]
    ends: bool
    """Whether control never goes on to the block that stands after it."""

    @property
    def branch(self) -> Move | None:
        """The branch that the block ends with."""
        return self.moves[-1] if self.moves and self.moves[-1].target != NONE else None

    @property
    def body(self) -> int:
        """How many instructions stand before what ends the block."""
        return len(self.moves) - (self.ends or self.branch is not None)


class Flow:
    """The blocks of a program, in their order in memory.

    Attributes
    ----------
    program
        The given one: instruction set, data, entry and source lines are its.
    blocks
        In their order.
    entry
        The number of the one that the program begins with.
    """

    def __init__(self, program: Program, blocks: Sequence[Block], entry: int) -> None:
        self.program = program
        self.blocks = tuple(blocks)
        self.entry = entry

    @classmethod
    def of(cls, program: Program, machine: Machine) -> Flow:
        """Cut a program into blocks."""
        decoded, effects = decode(program, machine), effects_of(program)
        targets = decoded.target.tolist()
        timings = [program.instruction(pc).timing for pc in range(len(program))]
        leaders = {0, program.entry, *program.labels.values(), *(t for t in targets if t != NONE)}
        leaders |= {pc + 1 for pc, timing in enumerate(timings) if timing in (Timing.BRANCH, Timing.HALT)}
        starts = sorted(leader for leader in leaders if leader < len(program))
        numbers = {start: number for number, start in enumerate(starts)}
        blocks = []
        for start, end in zip(starts, [*starts[1:], len(program)], strict=True):
            moves = tuple(
                Move(pc, effects[pc], program.instruction(pc).mnemonic, numbers.get(targets[pc], NONE))
                for pc in range(start, end)
            )
            blocks.append(Block(numbers[start], moves, _ends(program, end - 1)))
        return cls(program, blocks, numbers[program.entry])

    def replaced(self, *changed: Block) -> Flow:
        """Return the same with other instructions in some blocks."""
        new = {block.number: block for block in changed}
        return Flow(self.program, [new.get(block.number, block) for block in self.blocks], self.entry)

    @cached_property
    def place(self) -> dict[int, int]:
        """Where each block stands, by its number."""
        return {block.number: place for place, block in enumerate(self.blocks)}

    def successors(self, block: Block) -> list[int]:
        """Return the numbers of the blocks that may come next; all after a call, for a return."""
        if block.ends and block.branch is None:
            last = block.moves[-1]
            return self._returns if last.mnemonic != "halt" else []
        after = [] if block.ends else [self.blocks[self.place[block.number] + 1].number]
        return after if block.branch is None else [block.branch.target, *after]

    @cached_property
    def _returns(self) -> list[int]:
        """Blocks that stand after a call."""
        return [
            after.number
            for block, after in zip(self.blocks, self.blocks[1:], strict=False)
            if block.branch is not None and _calls(block.branch)
        ]

    @cached_property
    def predecessors(self) -> Mapping[int, list[Block]]:
        """The blocks that may come before each, by number."""
        result: dict[int, list[Block]] = {block.number: [] for block in self.blocks}
        for block in self.blocks:
            for after in self.successors(block):
                result[after].append(block)
        return result

    @cached_property
    def live(self) -> Mapping[int, int]:
        """The registers whose values are still needed at the beginning of each block."""
        result = {block.number: 0 for block in self.blocks}
        changed = True
        while changed:
            changed = False
            for block in reversed(self.blocks):
                needed = self.needed_after(block, result)
                for move in reversed(block.moves):
                    needed = needed & ~move.effects.writes | move.effects.reads
                changed |= needed != result[block.number]
                result[block.number] = needed
        return result

    def needed_after(self, block: Block, live: Mapping[int, int]) -> int:
        """Return the registers that are needed at the end of a block."""
        needed = 0
        for after in self.successors(block):
            needed |= live[after]
        return needed

    def linked(self, program: Program) -> Program:
        """Return the program that the blocks make of one with the same instructions, and its source lines."""
        moves = [move for block in self.blocks for move in block.moves]
        starts, pc = {}, 0
        for block in self.blocks:
            starts[block.number] = pc
            pc += len(block.moves)
        words = [_word(program, move, pc, starts) for pc, move in enumerate(moves)]
        source = program.source
        return replace(
            program,
            words=np.array(words, np.uint32),
            source=tuple(source[move.pc] for move in moves) if source else (),
            labels={},
            entry=starts[self.entry],
        )


def _word(program: Program, move: Move, pc: int, starts: Mapping[int, int]) -> int:
    row = program.instruction_set.by_mnemonic[move.mnemonic]
    fields = program.fields[move.pc].tolist()
    if move.target != NONE:
        for column, operand in enumerate(row.operands):
            if operand.kind == "t":
                fields[column] = starts[move.target] - pc
    return encode(row, fields)


def _ends(program: Program, pc: int) -> bool:
    """Return whether control never goes on to the next instruction: jumps, returns and `halt`."""
    row = program.instruction(pc)
    if row.timing == Timing.HALT:
        return True
    if row.timing != Timing.BRANCH:
        return False
    written = [int(f) for o, f in zip(row.operands, program.fields[pc], strict=False) if o.written]
    conditional = not written and any(operand.kind == "t" for operand in row.operands)
    return not conditional and not any(written)  # a call writes the address to return to


def _calls(move: Move) -> bool:
    return bool(move.effects.writes)


def keeps_values(moves: Sequence[Move], order: Sequence[int], needed: int) -> bool:
    """Return whether every instruction of a block reads in another order what the same ones wrote.

    Parameters
    ----------
    moves
        The instructions of the block.
    order
        The places that they are taken from.
    needed
        Registers that are needed after the block.
    """
    return _writers(moves, range(len(moves)), needed) == _writers(moves, order, needed)


def _writers(moves: Sequence[Move], order: Iterable[int], needed: int) -> dict[tuple[int, int], int]:
    """Return which instruction wrote what each one reads, by the place of the reader and the register."""
    writer: dict[int, int] = {}
    result: dict[tuple[int, int], int] = {}
    for place in order:
        effects = moves[place].effects
        for register in _bits(effects.reads):
            result[place, register] = writer.get(register, NONE)
        for register in _bits(effects.writes):
            writer[register] = place
    for register in _bits(needed):
        result[NONE, register] = writer.get(register, NONE)
    return result


def _bits(registers: int) -> Iterable[int]:
    while registers:
        lowest = registers & -registers
        yield lowest.bit_length()
        registers ^= lowest
