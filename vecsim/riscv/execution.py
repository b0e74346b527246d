"""Executes an ELF program: its memory, its stack, arrays in and out by symbol, what stops it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.riscv.declaration import Trap
from isa.riscv.disassembler import instruction_text
from isa.riscv.encoding import decoded_text, is_short
from isa.riscv.extensions import mask_of
from isa.riscv.program import RiscvProgram, Symbol
from isa.riscv.refusals import why_illegal
from isa.riscv.state import COUNT, FAULT_ADDRESS, PC, TOHOST, Hart
from vecsim.riscv.hart import Interpreter, new_hart
from vecsim.riscv.host import A0, Host
from vecsim.riscv.memory import bytes_at, put_bytes
from vecsim.support.errors import UserError

MEMORY_BYTES = 64 << 20
"""Simulated memory by default, from the first byte of the program on; the stack begins at its end."""
MOST_MEMORY_BYTES = 1 << 36
DEFAULT_VLEN = 512
PAGE = 4096
RA, SP = 1, 2
LIMIT_REACHED = "an infinite loop, or raise the limit (--max-cycles)"
HALT = -2
"""Where the first function returns to: the program ends with the exit code in a0."""


class RiscvFault(UserError):
    """A program did what it cannot do; the message names address, instruction, source line and reason."""

    def __init__(self, message: str, trap: Trap, pc: int) -> None:
        super().__init__(message)
        self.trap = trap
        self.pc = pc


@dataclass(frozen=True)
class RiscvResult:
    """What a program has done.

    Attributes
    ----------
    exit_code
        Its exit code.
    output
        What it has written.
    instructions
        How many have retired.
    hart
        The state at the end.
    """

    exit_code: int
    output: bytes
    instructions: int
    hart: Hart


class Execution:
    """A program in memory, which runs once.

    Parameters
    ----------
    program
        Of :func:`vecsim.riscv.elf.read_elf` or :mod:`isa.riscv.assembler`.
    vlen
        Bits of a vector register.
    memory_bytes
        Simulated memory.
    arguments
        Those of ``main(argc, argv)``, after the name of the program.
    interpreter
        Makes what executes the program of a hart.

    Raises
    ------
    UserError
        The machine cannot be so, or the program does not fit.
    """

    def __init__(
        self,
        program: RiscvProgram,
        *,
        vlen: int = DEFAULT_VLEN,
        memory_bytes: int = MEMORY_BYTES,
        arguments: Sequence[str] = (),
        interpreter: Callable[[Hart], Interpreter] = Interpreter,
    ) -> None:
        self.program = program
        self.base = base = min(each.address for each in program.segments) // PAGE * PAGE
        end = max(each.address + each.size for each in program.segments)
        if not end - base + PAGE <= memory_bytes <= MOST_MEMORY_BYTES:
            raise UserError(
                f"{program.name}: memory has {memory_bytes} bytes; the program needs {end - base}, and "
                f"{PAGE} of stack, and {MOST_MEMORY_BYTES} are possible"
            )
        memory = np.zeros(memory_bytes // 16 * 16, np.uint8)
        for address, content, _ in program.segments:
            memory[address - base : address - base + len(content)] = np.frombuffer(content, np.uint8)
        text = memory[program.text - base : program.text_end - base].tobytes()
        extensions = mask_of(program.extensions)
        code = decoded_text(text, extensions)
        self.hart = new_hart(memory, base, code, program.text, vlen, extensions)
        self.hart.control[PC] = program.entry
        self.hart.x[RA] = HALT
        if "tohost" in program.symbols:
            self.hart.control[TOHOST] = program.symbols["tohost"].address
        self._host = Host(heap=-(-end // PAGE) * PAGE)
        self._put_arguments([program.name, *arguments], base + len(memory))
        self.interpreter = interpreter(self.hart)

    def _put_arguments(self, arguments: list[str], top: int) -> None:
        """Write the arguments below ``top`` and ``argc``, ``argv`` below them, where the stack begins."""
        places = []
        for each in arguments:
            content = each.encode("utf-8", "surrogateescape") + b"\0"
            top -= len(content)
            places.append(top)
            put_bytes(self.hart, top, content)
        # No environment, and the end of the auxiliary vector.
        words = [len(places), *places, 0, 0, 0, 0]
        top = (top - 8 * len(words)) // 16 * 16
        put_bytes(self.hart, top, struct.pack(f"<{len(words)}Q", *words))
        self.hart.x[[SP, A0, A0 + 1]] = top, len(places), top + 8

    def symbol(self, name: str) -> Symbol:
        """Return a symbol of the program.

        Raises
        ------
        UserError
            It has none of this name.
        """
        if name not in self.program.symbols:
            raise UserError(
                f"{self.program.name}: there is no symbol {name}; a static variable may have none"
            )
        return self.program.symbols[name]

    def write(self, name: str, array: npt.NDArray[np.generic]) -> None:
        """Write an array to memory, from a symbol on.

        Raises
        ------
        UserError
            There is no such symbol, or its variable is smaller.
        """
        symbol, content = self.symbol(name), np.ascontiguousarray(array).tobytes()
        if len(content) > symbol.size > 0:
            raise UserError(f"{name} has {symbol.size} bytes; the array has {len(content)}")
        put_bytes(self.hart, symbol.address, content)

    def read(self, name: str, dtype: npt.DTypeLike, count: int | None = None) -> npt.NDArray[np.generic]:
        """Return a copy of an array in memory.

        Parameters
        ----------
        name
            The symbol that it begins at.
        dtype
            The type of an element.
        count
            How many elements; by default as many as the variable has.

        Raises
        ------
        UserError
            There is no such symbol, or neither the file nor ``count`` says how large its variable is.
        """
        symbol, size = self.symbol(name), np.dtype(dtype).itemsize
        if count is None:
            if not symbol.size:
                raise UserError(f"{self.program.name} does not say how many bytes {name} has: say how many")
            count = symbol.size // size
        return np.frombuffer(bytes_at(self.hart, symbol.address, count * size).tobytes(), dtype)

    def run(self, limit: int | None = None) -> RiscvResult:
        """Run the program to its end.

        Parameters
        ----------
        limit
            Instructions that it may take.

        Raises
        ------
        RiscvFault
            It traps, or takes more.
        UserError
            It asks the host for what that does not do.
        """
        control = self.hart.control
        exit_code = self.advance(limit)
        if exit_code is None:
            raise self._fault(Trap.NONE, f"no end after {limit} instructions: {LIMIT_REACHED}")
        return RiscvResult(exit_code, bytes(self._host.output), int(control[COUNT]), self.hart)

    def advance(self, end: int | None = None) -> int | None:
        """Run until this many instructions have retired since the beginning, or to the end of the program.

        Returns
        -------
        int or None
            The exit code; None if the program has not ended.

        Raises
        ------
        RiscvFault
            It traps.
        UserError
            It asks the host for what that does not do.
        """
        control, host = self.hart.control, self._host
        while host.exit_code is None and (end is None or control[COUNT] < end):
            trap = self.interpreter.run(None if end is None else end - int(control[COUNT]))
            if trap == Trap.CALL:
                host.call(self.hart)
                control[PC] += 4
                control[COUNT] += 1
            elif trap == Trap.HOST:
                fromhost = self.program.symbols.get("fromhost")
                host.read_message(self.hart, int(control[TOHOST]), fromhost and fromhost.address)
            elif trap == Trap.FETCH_FAULT and control[PC] == HALT:
                host.exit_code = int(self.hart.x[A0])
            elif trap != Trap.NONE:
                raise self._fault(trap, self._reason(trap))
        return host.exit_code

    @property
    def output(self) -> bytes:
        """What the program has written so far."""
        return bytes(self._host.output)

    def _fault(self, trap: Trap, reason: str) -> RiscvFault:
        pc = int(self.hart.control[PC])
        line = self.program.line_of(pc)
        place = f"{line.file}:{line.line}: " if line else ""
        return RiscvFault(f"{place}pc {pc:#x}{self._instruction(pc)}: {reason}", trap, pc)

    def _instruction(self, pc: int) -> str:
        """Name the instruction at an address of the text."""
        if not self.program.text <= pc < self.program.text_end:
            return ""
        text = instruction_text(self._bits(pc), pc)
        return "" if text.startswith(".") else f", {text}"

    def _bits(self, pc: int) -> int:
        content = bytes_at(self.hart, pc, min(4, self.program.text_end - pc)).tobytes()
        bits = int.from_bytes(content, "little")
        return bits & 0xFFFF if is_short(bits) else bits

    def _reason(self, trap: Trap) -> str:
        control = self.hart.control
        address = f"{int(control[FAULT_ADDRESS]) & (1 << 64) - 1:#x}"
        if trap == Trap.ILLEGAL:
            bits = self._bits(int(control[PC]))
            digits = 4 if is_short(bits) else 8
            return f"illegal instruction {bits:#0{digits + 2}x}: {why_illegal(self.hart, bits)}"
        return {
            Trap.FETCH_FAULT: "there are no instructions at this address",
            Trap.LOAD_FAULT: f"a load from {address}, outside of memory",
            Trap.STORE_FAULT: f"a store to {address}, outside of memory",
            Trap.MISALIGNED_LOAD: f"a load from {address}, which its size does not divide",
            Trap.MISALIGNED_STORE: f"a store to {address}, which its size does not divide",
            Trap.BREAKPOINT: "a breakpoint",
        }[trap]


def execute_elf(
    program: RiscvProgram,
    inputs: Mapping[str, npt.NDArray[np.generic]] | None = None,
    *,
    vlen: int = DEFAULT_VLEN,
    memory_bytes: int = MEMORY_BYTES,
    arguments: Sequence[str] = (),
    limit: int | None = None,
) -> RiscvResult:
    """Run a program once.

    Parameters
    ----------
    program, vlen, memory_bytes, arguments
        As :class:`Execution` takes them.
    inputs
        Arrays by the symbols that they are written to.
    limit
        Instructions that it may take.

    Raises
    ------
    UserError
        As :class:`Execution` and its functions.
    """
    execution = Execution(program, vlen=vlen, memory_bytes=memory_bytes, arguments=arguments)
    for name, array in (inputs or {}).items():
        execution.write(name, array)
    return execution.run(limit)
