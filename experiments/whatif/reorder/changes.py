"""The orders next to one order: what a search tries from there.

- In a block, up to three neighbouring instructions go to another place.
- Across blocks, an instruction that can stand first in its block goes to the end of all blocks before it, or
  as early in them as its operands allow. That is the step of software pipelining.
- A block that a branch jumps to is copied to where the branch stands, so that the branch is no longer taken.
  Of the branch at the end of a loop, that unrolls the loop once.

A change is only proposed if every instruction still reads the registers that the same instructions wrote. The
order of accesses to memory may change: a run decides whether the result stays the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from experiments.whatif.reorder.flow import INVERSE, Block, Flow, Move, keeps_values
from vecsim.engines.decoded import NONE

LONGEST = 3
"""Instructions that are moved together, at most."""


@dataclass(frozen=True)
class Change:
    """A changed order.

    Attributes
    ----------
    flow
        The program in this order.
    words
        What was changed.
    """

    flow: Flow
    words: str


def changes(flow: Flow, hot: Collection[int], *, across: bool) -> Iterator[Change]:
    """Yield the orders next to one.

    Parameters
    ----------
    flow
        The order to change.
    hot
        Numbers of the blocks that count.
    across
        Whether instructions may leave their block.
    """
    for block in flow.blocks:
        if block.number in hot:
            yield from _in_block(flow, block)
            if across:
                yield from _into_blocks_before(flow, block)
                yield from _straightened(flow, block)


def _in_block(flow: Flow, block: Block) -> Iterator[Change]:
    needed = flow.needed_after(block, flow.live)
    seen = set()
    for order in _orders(block.body, len(block.moves)):
        if order not in seen and keeps_values(block.moves, order, needed):
            seen.add(order)
            moved = next(place for place, at in enumerate(order) if place != at)
            words = f"{_line(flow, block.moves[order[moved]])} before {_line(flow, block.moves[moved])}"
            yield Change(flow.replaced(replace(block, moves=_taken(block.moves, order))), words)


def _orders(body: int, count: int) -> Iterator[tuple[int, ...]]:
    for length in range(1, LONGEST + 1):
        for start in range(body - length + 1):
            segment = range(start, start + length)
            others = [place for place in range(count) if place not in segment]
            for at in range(body - length + 1):
                if at != start:
                    yield (*others[:at], *segment, *others[at:])


def _taken(moves: Sequence[Move], order: Sequence[int]) -> tuple[Move, ...]:
    return tuple(moves[place] for place in order)


def _into_blocks_before(flow: Flow, block: Block) -> Iterator[Change]:
    before = flow.predecessors[block.number]
    if block.number == flow.entry or not before or any(_returns(each) for each in before):
        return
    needed = flow.needed_after(block, flow.live)
    count = len(block.moves)
    for place in range(block.body):
        rest = [each for each in range(count) if each != place]
        move = block.moves[place]
        if not keeps_values(block.moves, (place, *rest), needed):
            continue
        if not all(_may_end(flow, each, move, block.number) for each in before):
            continue
        removed = flow.replaced(replace(block, moves=_taken(block.moves, rest)))
        for early in (False, True):
            changed = removed
            for each in before:
                current = changed.blocks[changed.place[each.number]]
                changed = changed.replaced(_with_last(changed, current, move, early=early))
            where = "as early as can be in" if early else "at the end of"
            yield Change(changed, f"{_line(flow, move)} {where} the blocks before")


def _returns(block: Block) -> bool:
    return block.ends and block.branch is None


def _may_end(flow: Flow, before: Block, move: Move, after: int) -> bool:
    """Return whether an instruction can be the last of a block but for its branch."""
    branch = before.branch
    if branch is not None:
        reads, writes = branch.effects.reads, branch.effects.writes
        if reads & move.effects.writes or writes & (move.effects.reads | move.effects.writes):
            return False
    others = [each for each in flow.successors(before) if each != after]
    return all(not flow.live[each] & move.effects.writes for each in others)


def _with_last(flow: Flow, block: Block, move: Move, *, early: bool) -> Block:
    moves = (*block.moves[: block.body], move, *block.moves[block.body :])
    last = block.body
    if early:
        needed = flow.needed_after(block, flow.live) | move.effects.writes
        for at in range(last):
            order = (*range(at), last, *range(at, last), *range(last + 1, len(moves)))
            if keeps_values(moves, order, needed):
                return replace(block, moves=_taken(moves, order))
    return replace(block, moves=moves)


def _straightened(flow: Flow, block: Block) -> Iterator[Change]:
    branch = block.branch
    if branch is None or branch.target not in flow.place:
        return
    at = flow.place[branch.target]
    target = flow.blocks[at]
    jump = next((m for b in flow.blocks for m in b.moves if b.ends and m.target != NONE), None)
    copied = list(target.moves)
    if not target.ends:
        if jump is None or at + 1 == len(flow.blocks):
            return
        copied.append(replace(jump, target=flow.blocks[at + 1].number))
    words = f"{_line(flow, branch)} is followed by what it jumps to"
    if block.ends:
        if target.ends or len(target.moves) == target.body:
            yield Change(flow.replaced(replace(block, moves=(*block.moves[:-1], *copied), ends=True)), words)
        return
    if branch.mnemonic in INVERSE:
        place = flow.place[block.number]
        inverted = replace(branch, mnemonic=INVERSE[branch.mnemonic], target=flow.blocks[place + 1].number)
        number = max(flow.place) + 1
        ends = target.ends or target.branch is None
        new = [Block(number, tuple(copied), ends)]
        if not ends:  # the branch of the copy and the jump after it are separate blocks
            new = [
                Block(number, tuple(target.moves), ends=False),
                Block(number + 1, (copied[-1],), ends=True),
            ]
        blocks = list(flow.replaced(replace(block, moves=(*block.moves[:-1], inverted))).blocks)
        yield Change(
            Flow(flow.program, [*blocks[: place + 1], *new, *blocks[place + 1 :]], flow.entry), words
        )


def _line(flow: Flow, move: Move) -> str:
    source = flow.program.source
    return f"line {source[move.pc].line}" if source else f"instruction {move.pc}"
