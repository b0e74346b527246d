"""Banks of dynamic memory, each with an open row: a word of another row waits until that is open.

An access opens the rows of its words as soon as it may begin and their bank is free, many at the same time.
"""

from typing import Any

from vecsim import Extension
from vecsim.engines.rules.banks import word_passes, word_start
from vecsim.engines.rules.main_memory import bank_of
from vecsim.engines.rules.numbers import larger
from vecsim.engines.rules.ports import current_slot
from vecsim.engines.state.instruction import Instruction

open_rows = Extension("open_rows", "each bank has an open row; a word of another row opens that first")
ROW_WORDS = open_rows.number("row_words", 256, "words of a row of a bank", le=65_536)
MISS = open_rows.number("miss", 12, "cycles until another row is open", ge=0)
HITS = open_rows.counter("hits", "words whose row was open")
MISSES = open_rows.counter("misses", "words that opened a row")
open_rows.array("open_row", lambda machine: machine.banks, fill=-1)


def row_of_word(r: Any, address: int) -> int:
    """Return the row of its bank in which a word is: consecutive words of a bank are ``banks`` apart."""
    words: int = r.machine.banks * r.numbers[ROW_WORDS]
    return address // words


@open_rows.replaces(word_start)
def start_when_open(r: Any, instruction: Instruction, port: int, address: int, earliest: int) -> int:
    """Return the cycle in which the row is open."""
    start, bank = word_start(r, instruction, port, address, earliest), bank_of(r, address)
    if r.open_row[bank] == row_of_word(r, address):
        return start
    may_begin = r.slots[current_slot(r, port)].words_from
    return larger(start, larger(may_begin, r.banks[bank].free_at) + r.numbers[MISS])


@open_rows.replaces(word_passes)
def pass_and_leave_open(r: Any, instruction: Instruction, port: int, address: int, cycle: int) -> int:
    """Leave the row open."""
    bank, row = bank_of(r, address), row_of_word(r, address)
    r.counters[HITS if r.open_row[bank] == row else MISSES] += 1
    r.open_row[bank] = row
    return word_passes(r, instruction, port, address, cycle)
