"""Which functions take the place of others on machines whose memory is more than banks, or that rename."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vecsim.engines.trace_timing import elements, memory, renaming, timing, words

_REPLACED: Mapping[Callable[..., object], Callable[..., object]] = {
    words.after_notes: memory.after_notes,
    words.first_word: memory.first_word,
    words.pass_word: memory.pass_word,
    words.arrival_of: memory.arrival_of,
    words.end_words: memory.end_words,
    elements.whole_clear: renaming.whole_clear_of_copies,
    timing.next_event: renaming.next_event,
    timing.take_element: renaming.take_element,
    timing.raise_late: renaming.raise_late,
}


def replacements(with_memory: bool) -> Mapping[int, Sequence[Callable[..., object]]]:
    """Return what takes the place of functions, as `vecsim.engines.rebinding.rebound` takes it."""
    return {id(plain): (other,) for plain, other in _REPLACED.items() if with_memory}
