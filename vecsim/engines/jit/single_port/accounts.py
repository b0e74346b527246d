"""Waits, cycle attribution and timeline rows of the instruction being timed.

It is the oldest of those whose cycles are not yet known: all before ``retired`` has been attributed to older
instructions.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.cause import WAITS
from vecsim.engines.jit.compiler.functions import function, inline, larger, smaller
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.single_port import block
from vecsim.engines.rules import accounts, timeline
from vecsim.engines.state import causes

ACCESS = int(Timing.ACCESS)
issue_cause = compiled_rule(accounts.issue_cause)
element_cause = compiled_rule(accounts.element_cause)
word_cause = compiled_rule(accounts.word_cause)
open_row, write_scalar_row = compiled_rule(timeline.open_row), compiled_rule(timeline.write_scalar_row)


@inline
def note_wait(r: Any, instruction: Any, cause: Any, cycles: Any) -> None:
    """Record this many cycles of a wait that are not attributed: the awaited instruction retires later.

    Parameters
    ----------
    cycles
        How many.
    """
    waited = r.accounts[instruction.number].waited
    waited[cause] += cycles


@inline
def book_at_issue(r: Any, instruction: Any, cause: Any, begin: Any, end: Any, retired: Any) -> Any:
    """Book a wait before issue, from ``begin`` to ``end`` (exclusive); return the end of attribution."""
    account = r.accounts[instruction.number]
    account.waited[cause] += end - begin
    begin = larger(begin, retired)
    if end > begin:
        account.attributed[cause] += end - begin
    return larger(end, retired)


@inline
def book(r: Any, instruction: Any, cause: Any, begin: Any, end: Any, retired: Any) -> None:
    """Book a wait after issue, from ``begin`` to ``end`` (exclusive); the rest is attributed to work."""
    if end > begin:
        account = r.accounts[instruction.number]
        account.waited[cause] += end - begin
        begin = larger(begin, retired)
        if end > begin:
            account.attributed[cause] += end - begin
            account.busy -= end - begin


@inline
def answer_for_part(r: Any, case: Any, start: Any, retired: Any) -> Any:
    """Attribute the cycles of a case that begins in cycle ``start``; return the latest retirement by then.

    Its last instruction issues by ``retired``, so all that it waits for is attributed to others. The
    attribution depends on how much later ``retired`` is; executions are counted by that until the loop ends.

    Parameters
    ----------
    case
        Where in ``blocks`` the case begins.
    start
        The cycle in which its first instruction issues.
    """
    blocks, outcome = r.blocks, r.outcome
    ahead, retire = retired - start - blocks[case + block.LAST], start + blocks[case + block.RETIRED]
    blocks[case + block.TIMES + smaller(ahead, block.MOST_AHEAD)] += 1
    if blocks[case + block.LINK] == 0:
        blocks[case + block.LINK] = outcome.last_case + 1
        outcome.last_case = case
    if ahead >= block.MOST_AHEAD and retire > retired:
        _attribute_case(r, case, retired - start, 1)
    return larger(retired, retire)


@inline
def _attribute_case(r: Any, case: Any, retired: Any, times: Any) -> None:
    """Attribute the cycles of this many executions that all begin this many cycles before ``retired``."""
    blocks = r.blocks
    first = blocks[case + block.BEGIN]
    for j in range(blocks[case + block.LENGTH]):
        retire = blocks[case + block.RETIRED_UP_TO + j]
        r.accounts[first + j].scalar += times * larger(retire - retired, 0)
        retired = larger(retired, retire)


@function
def count_blocks(r: Any) -> None:
    """Add the cycles of scalar blocks to the accounts."""
    blocks, case = r.blocks, r.outcome.last_case
    r.outcome.last_case = 0
    while case > 0:
        times = 0
        for ahead in range(block.MOST_AHEAD + 1):
            so_many = blocks[case + block.TIMES + ahead]
            blocks[case + block.TIMES + ahead] = 0
            times += so_many
            if so_many > 0 and ahead < block.MOST_AHEAD:
                _attribute_case(r, case, blocks[case + block.LAST] + ahead, so_many)
        for j in range(blocks[case + block.LENGTH]):
            account = r.accounts[blocks[case + block.BEGIN] + j]
            waited = blocks[case + block.WAITED + j]
            account.executions += times
            cause = causes.ISSUE if waited > 0 else causes.SCALAR_RAW_WAW
            account.waited[cause] += times * abs(waited)
        following = blocks[case + block.LINK] - 1
        blocks[case + block.LINK] = 0
        case = following


@inline
def note_times(r: Any, dispatched: Any, start: Any, first: Any, result: Any) -> None:
    """Note the times of an instruction that retires with its last result.

    Parameters
    ----------
    dispatched, start
        The cycles of its dispatch and of its first element.
    first
        The cycle from which its first result is ready.
    """
    outcome = r.outcome
    outcome.dispatch, outcome.start, outcome.first = dispatched, start, first
    outcome.last = outcome.retire = result


@inline
def remember_waits(r: Any, instruction: Any) -> None:
    """Remember the waits before an instruction is executed, to tell those of this time."""
    waited = r.accounts[instruction.number].waited
    for j in range(WAITS):
        r.waits[j] = waited[j]


@function
def write_vector_row(r: Any, instruction: Any, issue: Any) -> None:
    """Write the row of a vector instruction, from what timing it left."""
    row, outcome, access = open_row(r), r.outcome, instruction.timing == ACCESS
    row.pc, row.age = instruction.number, outcome.seen
    row.unit, row.port, row.vl = instruction.unit, 0 if access else -1, outcome.elements
    row.issue, row.dispatch, row.start = issue, outcome.dispatch, outcome.start
    row.first, row.last, row.retire = outcome.first, outcome.last, outcome.retire
    row.address = outcome.address if access else -1
    row.words = outcome.words if access else 0
    waits, waited = row.waits, r.accounts[instruction.number].waited
    for j in range(WAITS):
        waits[j] = waited[j] - r.waits[j]
