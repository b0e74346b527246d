"""What the user of the debugger calls registers and places in memory: of a machine, or of a hart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from isa.declaration import SPECIAL_REGISTERS
from isa.program import Program
from isa.registers import REGISTER_NAMES
from isa.riscv.operands import ABI_NAMES
from isa.riscv.program import RiscvProgram
from isa.state import State
from vecsim.debugger.hart_state import SPECIAL, is_wide

Register = tuple[str, int]


@dataclass(frozen=True)
class Names:
    """The names of a program in flight.

    Attributes
    ----------
    registers
        Kind and number of each register by each of its names.
    second
        Those of them that are not the plain ones.
    special
        The special registers by number.
    symbols
        Addresses and constants.
    base
        The address of the first byte of memory.
    doubles
        Whether float registers are read as float64.
    wide
        Whether elements of vector registers have 64 bits.
    """

    registers: Mapping[str, Register]
    second: Mapping[str, Register]
    special: tuple[str, ...]
    symbols: Mapping[str, int]
    base: int
    doubles: bool
    wide: Callable[[State], bool]


def classic_names(program: Program, wide: bool) -> Names:
    """Return the names of a program of this machine's own instructions.

    Parameters
    ----------
    program
        What runs.
    wide
        Whether values of matrices are float64.
    """
    own = {name: each for name, each in REGISTER_NAMES.items() if name not in program.symbols}
    second = program.register_names
    registers = own | dict(second)
    return Names(registers, second, SPECIAL_REGISTERS, program.symbols, 0, wide, lambda state: wide)


def hart_names(program: RiscvProgram, base: int, vlen: int) -> Names:
    """Return the names of a RISC-V program.

    Parameters
    ----------
    program
        What runs.
    base
        The address of the first byte of memory.
    vlen
        Bits of a vector register.
    """
    plain = {f"{kind}{number}": (kind, number) for kind in "xfv" for number in range(32)}
    second = {name: plain[of] for of, name in ABI_NAMES.items()} | {"fp": plain["x8"]}
    special = {name: ("s", number) for number, name in enumerate(SPECIAL)}
    symbols = {name: each.address for name, each in program.symbols.items()}
    registers = {name: each for name, each in {**plain, **second, **special}.items() if name not in symbols}
    return Names(registers, second, SPECIAL, symbols, base, True, lambda state: is_wide(state, vlen))
