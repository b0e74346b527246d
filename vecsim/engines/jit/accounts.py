"""Waits and charges of the instruction being timed, the oldest of those whose cycles are not yet known.

All before ``retired`` has been charged to older instructions.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, ledger, outcomes, quick_run
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger, smaller
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.rules import accounts

row_of = compiled_rule(accounts.row_of)


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
def answer_for_part(runs: Any, outcome: Any, r: Any, case: Any, start: Any, retired: Any) -> Any:
    """Charge a case of a run that begins in cycle ``start``; give the latest retirement by then.

    Its last instruction issues by ``retired``, so all that it waits for is another's to answer for. The
    charges depend on how much later ``retired`` is; executions are counted by that until the loop ends.

    Parameters
    ----------
    runs, outcome
        Those of ``scratch``.
    case
        Where in ``runs`` the case begins.
    start
        The cycle in which its first instruction issues.
    """
    ahead, retire = retired - start - runs[case + quick_run.LAST], start + runs[case + quick_run.RETIRED]
    runs[case + quick_run.TIMES + smaller(ahead, quick_run.MOST_AHEAD)] += 1
    if runs[case + quick_run.LINK] == 0:
        runs[case + quick_run.LINK] = outcome[outcomes.LAST_CASE] + 1
        outcome[outcomes.LAST_CASE] = case
    if ahead >= quick_run.MOST_AHEAD and retire > retired:
        _charge_case(r, runs, case, retired - start, 1)
    return larger(retired, retire)


@inline
def _charge_case(r: Any, runs: Any, case: Any, retired: Any, times: Any) -> None:
    """Charge so many executions that all begin so many cycles before ``retired``."""
    row = row_of(runs[case + quick_run.BEGIN])
    for j in range(runs[case + quick_run.LENGTH]):
        retire = runs[case + quick_run.RETIRED_UP_TO + j]
        r.ledger[row + j * ledger.COLUMNS + ledger.SCALAR] += times * larger(retire - retired, 0)
        retired = larger(retired, retire)


@function
def count_runs(r: Any, scratch: Any) -> None:
    """Write into the ledger what runs of scalar instructions came to."""
    runs, case = scratch.runs, scratch.outcome[outcomes.LAST_CASE]
    scratch.outcome[outcomes.LAST_CASE] = 0
    while case > 0:
        times = 0
        for ahead in range(quick_run.MOST_AHEAD + 1):
            so_many = runs[case + quick_run.TIMES + ahead]
            runs[case + quick_run.TIMES + ahead] = 0
            times += so_many
            if so_many > 0 and ahead < quick_run.MOST_AHEAD:
                _charge_case(r, runs, case, runs[case + quick_run.LAST] + ahead, so_many)
        for j in range(runs[case + quick_run.LENGTH]):
            row = row_of(runs[case + quick_run.BEGIN]) + j * ledger.COLUMNS
            waited = runs[case + quick_run.WAITED + j]
            r.ledger[row + ledger.EXECUTIONS] += times
            cause = causes.ISSUE if waited > 0 else causes.SCALAR_RAW_WAW
            r.ledger[row + ledger.WAITED + ledger.BY_CAUSE * cause] += times * abs(waited)
        following = runs[case + quick_run.LINK] - 1
        runs[case + quick_run.LINK] = 0
        case = following


issue_cause = compiled_rule(accounts.issue_cause)
element_cause = compiled_rule(accounts.element_cause)
word_cause = compiled_rule(accounts.word_cause)
