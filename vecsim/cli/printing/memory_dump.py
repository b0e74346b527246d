"""Chosen memory after a run: ``PLACE:COUNT[:TYPE]``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.execution import A_LINE, written
from vecsim.cli.printing.output import Output
from vecsim.data.memory_files import TYPES, address_of
from vecsim.support.decimal_text import integer
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from isa.program import Program


@dataclass(frozen=True)
class Dump:
    """A piece of memory to show: where it begins, how many of which type."""

    place: str
    address: int
    count: int
    type: str

    def values(self, memory: npt.NDArray[np.uint8]) -> list[Any]:
        """Read it."""
        import numpy as np

        dtype = np.dtype(TYPES[self.type])
        content = memory[self.address : self.address + self.count * dtype.itemsize]
        values: list[Any] = np.frombuffer(content.tobytes(), dtype).tolist()
        return values


def parse_dump(text: str, program: Program, memory_bytes: int, option: str = "--dump") -> Dump:
    """Read one ``--dump``, or another option of the same form.

    Parameters
    ----------
    text
        The value of the option.
    program, memory_bytes
        Whose symbols may be named, and how large memory is.
    option
        What messages call it.

    Raises
    ------
    UserError
        It is not of the form, or names no symbol of the program, or lies outside memory.
    """
    place, *rest = (part.strip() for part in text.split(":"))
    if len(rest) not in (1, 2):
        raise UserError(f"{option} {text}: write it as PLACE:COUNT or PLACE:COUNT:TYPE, such as y:8:float")
    kind = rest[1] if len(rest) == 2 else "word"
    if kind not in TYPES:
        raise UserError(f"{option} {text}: types are {', '.join(TYPES)}, not {kind!r}{nearest(kind, TYPES)}")
    count = integer(rest[0])
    if count is None or count < 1:
        raise UserError(f"{option} {text}: the count {rest[0]!r} must be an integer, at least 1")
    address = address_of(place, program, f"{option} {text}")
    end = address + count * int(TYPES[kind][-1])
    if address < 0 or end > memory_bytes:
        raise UserError(
            f"{option} {text}: bytes {address} to {end - 1} lie outside memory, "
            f"{memory_bytes} bytes (--memory)"
        )
    return Dump(place, address, count, kind)


def show_dumps(output: Output, dumps: Sequence[Dump], memory: npt.NDArray[np.uint8]) -> list[dict[str, Any]]:
    """Show pieces of memory and give them as plain data."""
    found = []
    for dump in dumps:
        values = dump.values(memory)
        size = int(TYPES[dump.type][-1])
        output.text(f"{dump.place}: {dump.count} x {dump.type}")
        for start in range(0, dump.count, A_LINE):
            line = "  ".join(written(value, dump.type) for value in values[start : start + A_LINE])
            output.text(f"  {dump.address + start * size:>10}  {line}")
        found.append({"place": dump.place, "address": dump.address, "type": dump.type, "values": values})
    return found
