"""What a program asks of its host: by ``ecall`` with the numbers of Linux, or by the word ``tohost``.

Those are the end of the program, and output. Anything else is refused by its number.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from isa.riscv.state import Hart
from vecsim.riscv.memory import bytes_at, number_at, put_number
from vecsim.support.errors import UserError

CLOSE, FSTAT, WRITE, EXIT, EXIT_GROUP, BRK = 57, 80, 64, 93, 94, 214
"""Numbers of calls in a7, with arguments from a0 on and the result in a0."""
NOT_SUPPORTED = -38
"""The result of a call that the C library makes and can do without."""
A0, A7 = 10, 17
CONSOLE = 0x0101
"""The upper 16 bits of ``tohost`` that put the lowest byte out."""
MOST_OUTPUT = 1 << 26
"""Bytes of output that are kept."""


@dataclass
class Host:
    """What the program has asked for.

    Attributes
    ----------
    output
        What it has written, to whichever file.
    exit_code
        None before its end.
    heap
        The end of the memory that the program has claimed by ``brk``, an address.
    """

    heap: int
    output: bytearray = field(default_factory=bytearray)
    exit_code: int | None = None

    def call(self, hart: Hart) -> None:
        """Do what an ``ecall`` asks for.

        Raises
        ------
        UserError
            It asks for something else, or gives an address outside of memory.
        """
        number, arguments = int(hart.x[A7]), [int(each) for each in hart.x[A0 : A0 + 3]]
        result = self._result(hart, number, arguments)
        if result is None:
            names = "64 (write), 93 (exit), 214 (brk)"
            raise UserError(f"ecall {number} is not supported: a7 is the number of the call, such as {names}")
        hart.x[A0] = result

    def _result(self, hart: Hart, number: int, arguments: list[int]) -> int | None:
        if number in (EXIT, EXIT_GROUP):
            self.exit_code = arguments[0]
            return arguments[0]
        if number == WRITE:
            self._write(hart, *arguments[1:])
            return arguments[2]
        if number == BRK:
            self.heap = arguments[0] if arguments[0] > self.heap else self.heap
            return self.heap
        return {CLOSE: 0, FSTAT: NOT_SUPPORTED}.get(number)

    def read_message(self, hart: Hart, tohost: int, fromhost: int | None) -> None:
        """Read ``tohost`` after the program has stored there.

        An odd number ends the program, with the exit code above bit 0. An even one is the address of a call:
        its number and arguments, 8 bytes each. Its result replaces the number.

        Raises
        ------
        UserError
            It asks for something else, or gives an address outside of memory.
        """
        message = number_at(hart, tohost)
        if message == 0:
            return
        if message >> 48 == CONSOLE:
            self._put(bytes([message & 0xFF]))
        elif message & 1:
            self.exit_code = message >> 1
            return
        else:
            number, *arguments = (number_at(hart, message + 8 * k) for k in range(4))
            result = self._result(hart, number, arguments)
            if result is None:
                raise UserError(f"call {number} by tohost is not supported; 64 (write) and 93 (exit) are")
            put_number(hart, message, result)
        put_number(hart, tohost, 0)
        if fromhost is not None:
            put_number(hart, fromhost, 1)

    def _write(self, hart: Hart, address: int, count: int) -> None:
        self._put(bytes_at(hart, address, count).tobytes())

    def _put(self, content: bytes) -> None:
        if len(self.output) + len(content) > MOST_OUTPUT:
            raise UserError(f"the program writes more than {MOST_OUTPUT >> 20} MiB")
        self.output += content
