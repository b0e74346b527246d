"""Search for a faster order of a program's instructions, decided by runs on matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.whatif.reorder.changes import changes
from experiments.whatif.reorder.flow import Flow, keeps_values
from isa.program import Program
from programs.loading import Loaded
from programs.measurement import Prepared
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.machine import Machine
from vecsim.support.errors import UserError

HOT = 0.01
"""Share of the executed instructions from which on a block counts."""
LEAST_GAIN = 1e-4
"""Share of the cycles that a change must gain to be taken."""
ENDLESS = 4
"""Times the cycles of the given order after which a run counts as endless."""
POISONS = (0xFF, 0x7F)
"""Bytes that fill y, work space and stack before a run: NaN of two kinds, and addresses out of range."""


@dataclass(frozen=True)
class Case:
    """A program in memory, and what it must come to.

    Attributes
    ----------
    program, machine, memory
        What runs, on which machine and on memory (bytes) whose results are poisoned.
    loaded
        Where y is.
    result
        y of the given order, bits.
    cycles
        Of the given order.
    """

    program: Program
    machine: Machine
    memory: npt.NDArray[np.uint8]
    loaded: Loaded
    result: bytes
    cycles: int


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes
    ----------
    ratio
        Cycles of the fastest order over those of the given one, geometric mean over the matrices.
    before, after
        Cycles on each matrix.
    tried, wrong
        Orders that were run, and how many of them changed a result or did not end.
    words
        The changes of the fastest order, in turn.
    program
        The fastest order, for the first matrix.
    """

    ratio: float
    before: tuple[int, ...]
    after: tuple[int, ...]
    tried: int
    wrong: int
    words: tuple[str, ...]
    program: Program

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the program as plain data, and its words in hexadecimal digits."""
        return {
            "ratio": self.ratio,
            "before": self.before,
            "after": self.after,
            "orders": self.tried,
            "wrong": self.wrong,
            "changes": self.words,
            "words": [f"{word:08x}" for word in self.program.words.tolist()],
        }


def search(
    prepared: Sequence[tuple[Prepared, Machine]],
    *,
    across: bool = True,
    restarts: int = 1,
    most: int = 4000,
    seed: int = 0,
    step: Callable[[int, float], None] = lambda tried, ratio: None,
) -> Found:
    """Change the order of a program's instructions as long as that saves cycles.

    From the given order and from random ones, every order next to the current one is run until none saves
    cycles.

    Parameters
    ----------
    prepared
        The program for each matrix, all with the same instructions, whatever their immediates; and the
        machine that it runs on.
    across
        Whether instructions may leave their basic block.
    restarts
        Random orders to begin with, after the given one.
    most
        Orders to run, at most.
    seed
        Of the random orders and of the order in which changes are tried.
    step
        Called with the number of orders that were run and the best ratio so far.

    Raises
    ------
    UserError
        The programs differ in their instructions, or one does not end.
    """
    shape = prepared[0][0].program.opcode
    for each, _ in prepared[1:]:
        if not np.array_equal(each.program.opcode, shape):
            raise UserError(
                "the program has other instructions for one matrix than for another (levels, long "
                "constants); use matrices of similar size"
            )
    trial = _Trial([_case(each, machine, POISONS[0]) for each, machine in prepared], most, step)
    first = Flow.of(trial.cases[0].program, trial.cases[0].machine)
    random = Random(seed)
    best = _climbed(trial, first, (), random, across=across)
    for _ in range(restarts):
        start = _shuffled(first, trial.hot(first), random)
        best = min(
            best, _climbed(trial, start, ("a random order",), random, across=across), key=lambda b: b[0]
        )
    ratio, flow, words, cycles = best
    _verify(flow, prepared)
    before = tuple(case.cycles for case in trial.cases)
    program = flow.linked(trial.cases[0].program)
    return Found(ratio, before, cycles, trial.tried, trial.wrong, words, program)


_State = tuple[float, Flow, tuple[str, ...], tuple[int, ...]]


def _climbed(trial: _Trial, flow: Flow, words: tuple[str, ...], random: Random, *, across: bool) -> _State:
    """Return the order that no change next to it improves."""
    cycles = trial.cycles(flow)
    if cycles is None:  # a random order may break what memory holds
        return float("inf"), flow, words, ()
    ratio = trial.ratio(cycles)
    improved = True
    while improved and trial.tried < trial.most:
        improved = False
        proposals = list(changes(flow, trial.hot(flow), across=across))
        random.shuffle(proposals)
        for change in proposals:
            other = trial.cycles(change.flow, ratio * (1 - LEAST_GAIN))
            if other is not None and trial.ratio(other) < ratio * (1 - LEAST_GAIN):
                ratio, flow, words, cycles = trial.ratio(other), change.flow, (*words, change.words), other
                improved = True
                break
            if trial.tried >= trial.most:
                break
    return ratio, flow, words, cycles


class _Trial:
    """Runs orders and counts them."""

    def __init__(self, cases: Sequence[Case], most: int, step: Callable[[int, float], None]) -> None:
        self.cases = cases
        self.most = most
        self.tried = 0
        self.wrong = 0
        self._step = step
        self._known: dict[bytes, tuple[int, ...] | None] = {}
        self._best = 1.0
        self._cut = False

    def ratio(self, cycles: Sequence[int]) -> float:
        """Return cycles over those of the given order, the geometric mean over the first matrices."""
        ratios = [cycle / case.cycles for cycle, case in zip(cycles, self.cases, strict=False)]
        return float(np.exp(np.mean(np.log(ratios))))

    def cycles(self, flow: Flow, below: float = float("inf")) -> tuple[int, ...] | None:
        """Return the cycles on each matrix; None for a wrong result, and for no gain on the first one.

        Parameters
        ----------
        flow
            The order.
        below
            The ratio that it is to go below.
        """
        key = flow.linked(self.cases[0].program).words.tobytes()
        if key not in self._known:
            self.tried += 1
            self._cut = False
            cycles = self._measured(flow, below)
            self._step(self.tried, self._best)
            if self._cut:  # from another order on, it may be a gain
                return None
            self._known[key] = cycles
        return self._known[key]

    def _measured(self, flow: Flow, below: float) -> tuple[int, ...] | None:
        cycles: list[int] = []
        for case in self.cases:
            result = _right(flow.linked(case.program), case)
            if result is None:
                self.wrong += 1
                return None
            cycles.append(result.cycles)
            if len(cycles) == 1 and below < float("inf") and self.ratio(cycles) > below * 1.05:
                self._cut = True
                return None
        self._best = min(self._best, self.ratio(cycles))
        return tuple(cycles)

    def hot(self, flow: Flow) -> set[int]:
        """Return the numbers of the blocks with a share of the executed instructions."""
        case = self.cases[0]
        executions = run(flow.linked(case.program), case.memory, case.machine).attribution.executions
        result, pc = set(), 0
        for block in flow.blocks:
            end = pc + len(block.moves)
            if executions[pc:end].sum() >= HOT * executions.sum():
                result.add(block.number)
            pc = end
        return result


def _right(program: Program, case: Case) -> Run | None:
    """Run an order; None if it changes the result, does not end, or goes wrong."""
    try:
        result = run(program, case.memory, case.machine, max_cycles=ENDLESS * case.cycles)
    except UserError:
        return None
    return result if case.loaded.result(result.state.memory).tobytes() == case.result else None


def _case(prepared: Prepared, machine: Machine, poison: int) -> Case:
    memory = prepared.loaded.memory.copy()
    if prepared.options.get("accumulate") != "yes":
        memory[prepared.loaded.symbols["Y"] :] = poison
    result = run(prepared.program, memory, machine)
    y = prepared.loaded.result(result.state.memory).tobytes()
    return Case(prepared.program, machine, memory, prepared.loaded, y, result.cycles)


def _verify(flow: Flow, prepared: Sequence[tuple[Prepared, Machine]]) -> None:
    """Run the fastest order on memory that is poisoned otherwise."""
    for each, machine in prepared:
        case = _case(each, machine, POISONS[1])
        if _right(flow.linked(case.program), case) is None:
            raise UserError(f"the order found is wrong on other memory: {each.name}; use more matrices")


def _shuffled(flow: Flow, hot: set[int], random: Random) -> Flow:
    """Return an order in which the instructions of the hot blocks stand at random, as far as they may."""
    for block in flow.blocks:
        if block.number in hot:
            needed = flow.needed_after(block, flow.live)
            moves = list(block.moves)
            for _ in range(4 * block.body):
                at = random.randrange(max(block.body - 1, 1))
                order = [*range(at), at + 1, at, *range(at + 2, len(moves))]
                if at + 1 < block.body and keeps_values(moves, order, needed):
                    moves[at], moves[at + 1] = moves[at + 1], moves[at]
            flow = flow.replaced(replace(block, moves=tuple(moves)))
    return flow
