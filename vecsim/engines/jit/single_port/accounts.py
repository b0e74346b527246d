"""Waits, charges and timeline rows of the instruction being timed.

It is the oldest of those whose cycles are not yet known: all before ``retired`` has been charged to older
instructions.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.cause import WAITS
from vecsim.engines.columns import causes, instruction, ledger, outcomes, quick_run
from vecsim.engines.jit.compiler.functions import function, inline, larger, smaller
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.rules import accounts
from vecsim.engines.rules import rows as timeline
from vecsim.engines.rules.rows import BEFORE_WAITS

ACCESS = int(Timing.ACCESS)
row_of = compiled_rule(accounts.row_of)
issue_cause = compiled_rule(accounts.issue_cause)
element_cause = compiled_rule(accounts.element_cause)
word_cause = compiled_rule(accounts.word_cause)
begin_row, write_scalar_row = compiled_rule(timeline.open_row), compiled_rule(timeline.write_scalar_row)


@inline
def note_wait(r: Any, i: Any, cause: Any, cycles: Any) -> None:
    """Note so many cycles of waiting that are never charged: who is waited for retires later.

    Parameters
    ----------
    cycles
        How many.
    """
    r.ledger[row_of(i) + ledger.WAITED + ledger.BY_CAUSE * cause] += cycles


@inline
def book_at_issue(r: Any, i: Any, cause: Any, begin: Any, end: Any, retired: Any) -> Any:
    """Book a wait before issue, from ``begin`` to ``end`` (exclusive); give up to where all is charged."""
    at = row_of(i)
    r.ledger[at + ledger.WAITED + ledger.BY_CAUSE * cause] += end - begin
    begin = larger(begin, retired)
    if end > begin:
        r.ledger[at + ledger.CHARGED + ledger.BY_CAUSE * cause] += end - begin
    return larger(end, retired)


@inline
def book(r: Any, i: Any, cause: Any, begin: Any, end: Any, retired: Any) -> None:
    """Book a wait behind issue, from ``begin`` to ``end`` (exclusive); :func:`answer` counts it as work."""
    if end > begin:
        at = row_of(i)
        r.ledger[at + ledger.WAITED + ledger.BY_CAUSE * cause] += end - begin
        begin = larger(begin, retired)
        if end > begin:
            r.ledger[at + ledger.CHARGED + ledger.BY_CAUSE * cause] += end - begin
            r.ledger[at + ledger.BUSY] -= end - begin


@inline
def answer(r: Any, i: Any, work: Any, retire: Any, retired: Any) -> None:
    """Charge the cycles up to ``retire``.

    Parameters
    ----------
    work
        The column of the ledger.
    """
    r.ledger[row_of(i) + work] += larger(retire - retired, 0)


@inline
def answer_for_part(r: Any, case: Any, start: Any, retired: Any) -> Any:
    """Charge a case of a run that begins in cycle ``start``; give the latest retirement by then.

    Its last instruction issues by ``retired``, so all that it waits for is another's to answer for. The
    charges depend on how much later ``retired`` is; executions are counted by that until the loop ends.

    Parameters
    ----------
    case
        Where in ``runs`` the case begins.
    start
        The cycle in which its first instruction issues.
    """
    runs, outcome = r.runs, r.outcome
    ahead, retire = retired - start - runs[case + quick_run.LAST], start + runs[case + quick_run.RETIRED]
    runs[case + quick_run.TIMES + smaller(ahead, quick_run.MOST_AHEAD)] += 1
    if runs[case + quick_run.LINK] == 0:
        runs[case + quick_run.LINK] = outcome[outcomes.LAST_CASE] + 1
        outcome[outcomes.LAST_CASE] = case
    if ahead >= quick_run.MOST_AHEAD and retire > retired:
        _charge_case(r, case, retired - start, 1)
    return larger(retired, retire)


@inline
def _charge_case(r: Any, case: Any, retired: Any, times: Any) -> None:
    """Charge so many executions that all begin so many cycles before ``retired``."""
    runs = r.runs
    row = row_of(runs[case + quick_run.BEGIN])
    for j in range(runs[case + quick_run.LENGTH]):
        retire = runs[case + quick_run.RETIRED_UP_TO + j]
        r.ledger[row + j * ledger.COLUMNS + ledger.SCALAR] += times * larger(retire - retired, 0)
        retired = larger(retired, retire)


@function
def count_runs(r: Any) -> None:
    """Write into the ledger what runs of scalar instructions came to."""
    runs, case = r.runs, r.outcome[outcomes.LAST_CASE]
    r.outcome[outcomes.LAST_CASE] = 0
    while case > 0:
        times = 0
        for ahead in range(quick_run.MOST_AHEAD + 1):
            so_many = runs[case + quick_run.TIMES + ahead]
            runs[case + quick_run.TIMES + ahead] = 0
            times += so_many
            if so_many > 0 and ahead < quick_run.MOST_AHEAD:
                _charge_case(r, case, runs[case + quick_run.LAST] + ahead, so_many)
        for j in range(runs[case + quick_run.LENGTH]):
            row = row_of(runs[case + quick_run.BEGIN]) + j * ledger.COLUMNS
            waited = runs[case + quick_run.WAITED + j]
            r.ledger[row + ledger.EXECUTIONS] += times
            cause = causes.ISSUE if waited > 0 else causes.SCALAR_RAW_WAW
            r.ledger[row + ledger.WAITED + ledger.BY_CAUSE * cause] += times * abs(waited)
        following = runs[case + quick_run.LINK] - 1
        runs[case + quick_run.LINK] = 0
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
    outcome[outcomes.DISPATCH], outcome[outcomes.START], outcome[outcomes.FIRST] = dispatched, start, first
    outcome[outcomes.LAST] = outcome[outcomes.RETIRE] = result


@inline
def remember_waits(r: Any, i: Any) -> None:
    """Remember the waits before an instruction is executed, to tell those of this time."""
    waited = row_of(i) + ledger.WAITED
    for j in range(WAITS):
        r.waits[j] = r.ledger[waited + ledger.BY_CAUSE * j]


@function
def write_vector_row(r: Any, i: Any, issue: Any) -> None:
    """Write the row of a vector instruction, from what timing it left."""
    code, rows, outcome = r.program, r.timeline, r.outcome
    access, at = code[i + instruction.TIMING] == ACCESS, begin_row(r)
    rows[at], rows[at + 1] = i // instruction.WIDTH, outcome[outcomes.SEEN]
    rows[at + 2], rows[at + 3] = code[i + instruction.UNIT], 0 if access else -1
    rows[at + 4], rows[at + 5] = outcome[outcomes.ELEMENTS], issue
    rows[at + 6], rows[at + 7] = outcome[outcomes.DISPATCH], outcome[outcomes.START]
    rows[at + 8], rows[at + 9] = outcome[outcomes.FIRST], outcome[outcomes.LAST]
    rows[at + 10] = outcome[outcomes.RETIRE]
    rows[at + 11] = outcome[outcomes.ADDRESS] if access else -1
    rows[at + 12] = outcome[outcomes.WORDS] if access else 0
    waited = row_of(i) + ledger.WAITED
    for j in range(WAITS):
        rows[at + BEFORE_WAITS + j] = r.ledger[waited + ledger.BY_CAUSE * j] - r.waits[j]
