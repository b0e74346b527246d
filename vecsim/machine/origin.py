"""Where the numbers of a machine came from."""

from __future__ import annotations

from dataclasses import dataclass, field

from vecsim.results.file_digests import InputFile


@dataclass(frozen=True)
class Origin:
    """Where the numbers of a machine came from. Never compared: equal numbers are the same machine.

    Attributes
    ----------
    file
        Name of the file that it was read from, without its folder; empty for a preset or none.
    based_on
        The preset that gave what was not stated; empty if none was asked.
    taken
        The numbers that the file does not state and that are the preset's, such as ``latency.add``.
    base_stated
        Whether the file says itself what it is based on.
    read_from
        The file and its digest when it was read; None for a preset, and for a machine of a results file.
    """

    file: str = field(default="", compare=False)
    based_on: str = field(default="", compare=False)
    taken: tuple[str, ...] = field(default=(), compare=False)
    base_stated: bool = field(default=True, compare=False)
    read_from: InputFile | None = field(default=None, compare=False)
