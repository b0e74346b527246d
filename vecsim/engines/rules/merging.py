"""Words of a strided or indexed access that go as one (docs/timing.md, "Merging")."""

from __future__ import annotations

from vecsim.engines.rules.addresses import words_of_element
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run


def goes_along(r: Run, slot: Slot, instruction: Instruction, word: int, address: int) -> bool:
    """Return whether a word goes along with an earlier one of its window ("Merging").

    Parameters
    ----------
    word
        Its number in the access.
    """
    block_words = r.machine.merge_bytes >> 2
    if block_words == 0 or slot.end_byte >= 0:
        return False
    addresses, wide = r.word_address[slot.number], words_of_element(instruction) > 1
    block, first = address // block_words, word - word % r.machine.merge_window
    for earlier in range(first, word):
        other = addresses[earlier >> 1] + (earlier & 1) if wide else addresses[earlier]
        if other // block_words == block:
            return True
    return False
