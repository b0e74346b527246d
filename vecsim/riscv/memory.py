"""The simulated memory of a hart as Python reads and writes it, by address."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.riscv.state import BASE, Hart
from vecsim.support.errors import UserError


def bytes_at(hart: Hart, address: int, count: int) -> npt.NDArray[np.uint8]:
    """Return a view of memory.

    Raises
    ------
    UserError
        Not all of it is in memory.
    """
    base = int(hart.control[BASE])
    place = address - base
    if not 0 <= place <= place + count <= len(hart.memory):
        raise UserError(
            f"{count} bytes at address {address:#x} are not in memory, which is from {base:#x} to "
            f"{base + len(hart.memory):#x}"
        )
    return hart.memory[place : place + count]


def number_at(hart: Hart, address: int) -> int:
    """Return the unsigned number in 8 bytes of memory.

    Raises
    ------
    UserError
        Not all of them are in memory.
    """
    return int.from_bytes(bytes_at(hart, address, 8).tobytes(), "little")


def put_number(hart: Hart, address: int, value: int) -> None:
    """Write a number, wrapped to 64 bits, to 8 bytes of memory.

    Raises
    ------
    UserError
        Not all of them are in memory.
    """
    put_bytes(hart, address, (value & (1 << 64) - 1).to_bytes(8, "little"))


def put_bytes(hart: Hart, address: int, content: bytes) -> None:
    """Write bytes to memory.

    Raises
    ------
    UserError
        Not all of them are in memory.
    """
    bytes_at(hart, address, len(content))[:] = np.frombuffer(content, np.uint8)
