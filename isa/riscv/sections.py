"""The sections of a text that is assembled: what they contain, and where they are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from isa.riscv.directives import SectionKind
from isa.riscv.program import Segment
from isa.text.places import Place

ALIGNMENT = 8
"""The address of a section is a multiple of this, at least."""
NOP, SHORT_NOP = b"\x13\0\0\0", b"\x01\0"


@dataclass(frozen=True)
class Item:
    """Bytes of a section: what ``content`` returns for their address when all labels are known, or zeros."""

    place: Place
    offset: int
    size: int
    content: Callable[[int], bytes] | None


@dataclass(eq=False)
class Section:
    """A section.

    Attributes
    ----------
    offset
        Where the next item goes.
    address
        Where it begins, once that is known.
    """

    name: str
    kind: SectionKind
    alignment: int = ALIGNMENT
    offset: int = 0
    address: int = 0
    items: list[Item] = field(default_factory=list)

    def add(self, place: Place, size: int, content: Callable[[int], bytes] | None) -> None:
        """Append bytes, zeros without ``content``."""
        if size:
            self.items.append(Item(place, self.offset, size, content))
            self.offset += size

    def align(self, place: Place, alignment: int) -> None:
        """Fill up to a multiple of a power of two, instructions with such that do nothing."""
        self.alignment = max(self.alignment, alignment)
        size = -self.offset % alignment
        filling = SHORT_NOP * (size % 4 // 2) + NOP * (size // 4) if self.kind.instructions else bytes(size)
        self.add(place, size, lambda _: filling.rjust(size, b"\0"))


def lay_out(sections: Iterable[Section], base: int) -> None:
    """Set the addresses of sections: those of a kind follow each other."""
    for section in sections:
        base = -(-base // section.alignment) * section.alignment
        section.address = base
        base += section.offset


def segments(sections: list[Section], contents: dict[int, bytes]) -> tuple[Segment, ...]:
    """Return what memory contains: a segment for the sections of each kind.

    Parameters
    ----------
    sections
        In the order of their addresses.
    contents
        The bytes of each item, by their address.
    """
    result = []
    for kind in dict.fromkeys(section.kind for section in sections):
        parts = [section for section in sections if section.kind == kind and section.offset]
        if not parts:
            continue
        first, end = parts[0].address, parts[-1].address + parts[-1].offset
        content = bytearray(0 if kind.zeros else end - first)
        for section in parts if not kind.zeros else ():
            for item in section.items:
                at = section.address + item.offset
                if at in contents:
                    content[at - first : at - first + item.size] = contents[at].ljust(item.size, b"\0")
        result.append(Segment(first, bytes(content), end - first))
    return tuple(result)
