"""Where a line of assembly text stands: its number, its text, the file, and who includes that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A text that is assembled.

    Attributes
    ----------
    name
        Its name in messages.
    key
        Its path from the folder of the text that is assembled, as `isa.program.Program.inputs` has it.
    included
        The line that includes it; None for the text itself.
    """

    name: str
    key: str
    included: Place | None = None

    @property
    def depth(self) -> int:
        """How many texts include it, one the other."""
        return 0 if self.included is None else 1 + self.included.source.depth

    def is_within(self, key: str) -> bool:
        """Return whether a text is this one, or includes it."""
        return key == self.key or (self.included is not None and self.included.source.is_within(key))


@dataclass(frozen=True)
class Place:
    """A line: its number, counted from 1, its text, and what it stands in."""

    number: int
    text: str
    source: Source

    def seen_from(self, other: Place) -> str:
        """Name it in a message on another line."""
        if self.source.name == other.source.name:
            return f"line {self.number}"
        return f"{self.source.name}:{self.number}"

    @property
    def order(self) -> tuple[int, ...]:
        """The numbers of the lines that include it, the outermost first, then its own."""
        outer = self.source.included
        return (*(outer.order if outer else ()), self.number)

    @property
    def way(self) -> str:
        """Name the lines that include this one's text, the innermost first; empty for the text itself."""
        result, place = [], self.source.included
        while place is not None:
            result.append(f"{place.source.name}:{place.number}")
            place = place.source.included
        return ", ".join(result)
