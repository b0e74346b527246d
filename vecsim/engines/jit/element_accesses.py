"""Strided and indexed accesses of a machine with one port: element by element at the banks."""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import causes, instruction, ledger, outcomes, parameter
from vecsim.engines.jit.accounts import book, row_of, word_cause
from vecsim.engines.jit.banks import bank_of, settle
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.operands import (
    element_hazard,
    element_operand,
    hazard_clear,
    operand_clear,
    pass_elements,
    whole_hazard,
    whole_operand,
)
from vecsim.engines.jit.port import begin_access, end_access
from vecsim.engines.jit.tracks import new_track
from vecsim.engines.jit.views import record_of, scratch_of, state_of


@inline
def _transfer(m: Any, r: Any, scratch: Any, i: Any, k: Any, n: Any, at: Any, cycle: Any, retired: Any) -> Any:
    """Transfer the elements from k to n, one word each and one a cycle, which only banks can hold up.

    ``cycle`` is that of the first if its bank is free, ``at`` where the track begins. Gives the cycle of the
    last one.
    """
    banks, busy = scratch.machine[parameter.BANKS], scratch.machine[parameter.BANK_BUSY]
    address, bank_free, tracks = m.address, r.bank_free, scratch.tracks
    waited = charged = 0
    power = banks & (banks - 1) == 0
    cycle -= 1
    for j in range(k, n):
        word = address[j] >> 2
        bank = word & (banks - 1) if power else word % banks
        free = cycle + 1
        cycle = larger(free, bank_free[bank])
        if cycle > free:
            waited += cycle - free
            charged += larger(cycle - larger(free, retired), 0)
        bank_free[bank] = cycle + busy
        tracks[at + j] = cycle
    row = row_of(i)
    r.ledger[row + ledger.WAITED + ledger.BY_CAUSE * causes.BANK_CONFLICT] += waited
    r.ledger[row + ledger.CHARGED + ledger.BY_CAUSE * causes.BANK_CONFLICT] += charged
    r.ledger[row + ledger.BUSY] -= charged
    return cycle


@function
def time_elements(w: Any, i: Any, n: Any, issue: Any, retired: Any) -> None:
    """Time a strided or indexed access of n elements that issued in cycle ``issue``."""
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, machine, outcome = scratch.program, scratch.machine, scratch.outcome
    s, banks, busy = machine[parameter.SECTION_SIZE], machine[parameter.BANKS], machine[parameter.BANK_BUSY]
    rate = machine[parameter.ADDRESSES_PER_CYCLE]
    words = code[i + instruction.VALUE_BYTES] + 3 >> 2
    cycle = begin_access(r, scratch, i, issue, 0, retired)
    clear = larger(operand_clear(r, code, i), hazard_clear(r, code, i))
    operand = hazard = 0
    if code[i + instruction.PLAIN] == 0:
        operand, hazard = whole_operand(r, code, i), whole_hazard(r, code, i)
    if cycle < outcome[outcomes.BANKS_FREE] and outcome[outcomes.RUN_WORDS] > 0:
        settle(r, scratch)
    outcome[outcomes.RUN_WORDS] = 0
    alone = rate == 1 or words >= rate
    track = new_track(w, scratch, 1 if alone else rate)
    at = track * s
    quick = rate == 1 and words == 1
    k = in_cycle = in_use = 0
    clear = larger(clear, larger(operand, hazard))
    while k < n and not (quick and clear <= cycle):
        operand = larger(operand, element_operand(r, scratch, code, i, s, k))
        hazard = larger(hazard, element_hazard(r, scratch, code, i, s, k))
        for j in range(words):
            bank = bank_of((m.address[k] >> 2) + j, banks)
            free = cycle + 1 if in_cycle == rate else cycle
            now = larger(larger(free, r.bank_free[bank]), larger(operand, hazard))
            if now > free:
                book(r, i, word_cause(now, operand, hazard), free, now, retired)
            if now > cycle or in_cycle == 0:
                cycle, in_cycle = now, 0
                in_use += 1
            in_cycle += 1
            r.bank_free[bank] = now + busy
            if k == 0 and j == 0:
                outcome[outcomes.START] = now
        operand = hazard = 0
        scratch.tracks[at + k] = cycle
        k += 1
    if k < n:
        in_use += n - k
        cycle = _transfer(m, r, scratch, i, k, n, at, cycle + in_cycle, retired)
        if k == 0:
            outcome[outcomes.START] = scratch.tracks[at]
    outcome[outcomes.FIRST] = scratch.tracks[at] + 1
    pass_elements(w, scratch, code, i, n, track, 0, 1)
    end_access(r, scratch, i, cycle, outcome[outcomes.ADDRESS], -1, n * words, in_use)
