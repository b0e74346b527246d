"""Waits, charges and timeline rows of the instruction being timed.

It is the oldest of those whose cycles are not yet known: all before ``retired`` has been charged to older
instructions.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.cause import WAITS
from vecsim.engines.columns import causes, instruction, ledger, outcomes, quick_run
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.compiler.integers import larger, smaller
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.rules import accounts
from vecsim.engines.rules.rows import ROW

ACCESS = int(Timing.ACCESS)
row_of = compiled_rule(accounts.row_of)
issue_cause = compiled_rule(accounts.issue_cause)
element_cause = compiled_rule(accounts.element_cause)
word_cause = compiled_rule(accounts.word_cause)


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
def open_row(r: Any, i: Any) -> None:
    """Remember the waits before an instruction is executed, to tell those of this time."""
    waited = row_of(i) + ledger.WAITED
    for j in range(WAITS):
        r.waits[j] = r.ledger[waited + ledger.BY_CAUSE * j]


@inline
def _write_row(r: Any, i: Any, age: Any, unit: Any, port: Any, n: Any) -> Any:
    """Open a row of the timeline; return where its cycles go."""
    rows, at, waited = r.timeline, 1 + r.timeline[0] * ROW, row_of(i) + ledger.WAITED
    rows[0] += 1
    rows[at], rows[at + 1] = i // instruction.WIDTH, age
    rows[at + 2], rows[at + 3], rows[at + 4] = unit, port, n
    for j in range(WAITS):
        rows[at + ROW - WAITS + j] = r.ledger[waited + ledger.BY_CAUSE * j] - r.waits[j]
    return at + 5


@function
def write_scalar_row(r: Any, i: Any, age: Any, cycle: Any, retire: Any) -> None:
    """Write the row of a scalar instruction.

    Parameters
    ----------
    cycle
        The cycle of issue.
    """
    code, rows = r.program, r.timeline
    at = _write_row(r, i, age, 0, -1, 0)
    access = code[i + instruction.PATTERN] > 0
    rows[at], rows[at + 1], rows[at + 2] = cycle, cycle, cycle
    rows[at + 3], rows[at + 4], rows[at + 5] = retire, retire, retire
    rows[at + 6] = r.address[0] if access else -1
    rows[at + 7] = code[i + instruction.VALUE_BYTES] + 3 >> 2 if access else 0


@function
def write_vector_row(r: Any, i: Any, age: Any, issue: Any) -> None:
    """Write the row of a vector instruction, from what timing it left."""
    code, rows, outcome = r.program, r.timeline, r.outcome
    access = code[i + instruction.TIMING] == ACCESS
    port, unit = 0 if access else -1, code[i + instruction.UNIT]
    at = _write_row(r, i, age, unit, port, outcome[outcomes.ELEMENTS])
    rows[at], rows[at + 1] = issue, outcome[outcomes.DISPATCH]
    rows[at + 2], rows[at + 3] = outcome[outcomes.START], outcome[outcomes.FIRST]
    rows[at + 4], rows[at + 5] = outcome[outcomes.LAST], outcome[outcomes.RETIRE]
    rows[at + 6] = outcome[outcomes.ADDRESS] if access else -1
    rows[at + 7] = outcome[outcomes.WORDS] if access else 0
