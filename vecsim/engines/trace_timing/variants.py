"""Which functions take the place of others on machines whose memory is more than banks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vecsim.engines.trace_timing import memory, words

_NAMES = ("after_notes", "first_word", "pass_word", "arrival_of", "end_words")


def replacements(with_memory: bool) -> Mapping[int, Sequence[Callable[..., object]]]:
    """Return what takes the place of functions, as `vecsim.engines.rebinding.rebound` takes it."""
    if not with_memory:
        return {}
    return {id(getattr(words, name)): (getattr(memory, name),) for name in _NAMES}
