"""The state of a run, by its names: what the timing rules take as ``r``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from isa.declaration import REGISTERS, SPECIAL_REGISTERS, Unit
from vecsim.engines.decoded import SCALARS
from vecsim.engines.state.accounts import Account, PendingRetirement, Start, TimelineRow
from vecsim.engines.state.control import Control, Scratch
from vecsim.engines.state.counters import Counter
from vecsim.engines.state.flight import Slot, TouchedRegisters
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.machine import MachineNumbers
from vecsim.engines.state.memory import CacheNumbers, CacheState, Line, MainMemory
from vecsim.engines.state.registers import KINDS, FreeRegister, ScalarRegister, Slice, VectorRegister
from vecsim.engines.state.row import NONE, Row
from vecsim.engines.state.units import Bank, Port, Transfer, UnitState

MOST_OWN = 32
"""Numbers, and as many counters, that all extensions of a machine may have together."""
PHYSICAL = 62
"""Physical vector registers that a machine may have."""
MOST_PORTS = 32
"""Memory ports that a machine may have."""
STORES = int(Unit.SCALAR)
"""The queue of accesses that store, where ports only store; other queues have the number of their unit."""
KINDS_OF_UNITS = len(Unit)
MOST_UNITS = KINDS_OF_UNITS + 3 * 15
"""Units that a machine may have, with the ports as one."""
LEVELS = 2
"""Caches that a machine may have."""


@dataclass(frozen=True)
class Record:
    """Marks an array of the record, which decides what happens next: a snapshot is a copy of all these.

    Attributes
    ----------
    dimensions
        The names of its dimensions in :class:`vecsim.engines.record.Sizes`; none for a single row.
    fill
        What its integers are at the beginning.
    most
        The largest first dimension, if that is small: compiled code then finds it without an address.
    """

    dimensions: tuple[str, ...] = ()
    fill: int = 0
    most: int = 0


@dataclass(frozen=True)
class Temporary:
    """Marks an array that is no state: a program, a machine, or room to work in.

    Attributes
    ----------
    most
        As of a record.
    constant
        Whether it does not change during a run.
    """

    most: int = 0
    constant: bool = False


class Run:
    """All arrays of a run: those of the record, the architectural state, the program and the machine.

    N slots, P ports, V + 1 vector registers with the mask (physical ones on a machine that renames), s
    elements of a vector register, I instructions of the program. Times are cycles.
    """

    __slots__ = ()

    control: Annotated[Control, Record(most=1)]
    """Where issue and retirement are."""
    scalars: Annotated[list[ScalarRegister], Record(("scalars",), most=SCALARS)]
    """(68,) x0 to x31, f0 to f31, special registers."""
    scalar_writers: Annotated[list[int], Record(("scalars",), fill=NONE, most=SCALARS)]
    """(68,) with renaming, the age of the youngest instruction that writes each scalar register."""
    slots: Annotated[list[Slot], Record(("slots",))]
    """(N,) the vector instructions in flight."""
    depends: Annotated[list[bytearray], Record(("slots", "slots"))]
    """(N, N) what the first waits for in the second, bits of :mod:`vecsim.engines.state.flight`."""
    word_address: Annotated[list[list[int]], Record(("slots", "addresses"))]
    """(N, A) word address of each element of strided and indexed accesses; ``MASKED_OFF`` of the elements of
    any instruction under mask where the mask is 0, and 0 of its others."""
    entry_rows: Annotated[list[list[int]], Record(("slots", "addresses"))]
    """(N, A) the row of each entry of sparse instructions."""
    ready: Annotated[list[list[int]], Record(("registers", "section"))]
    """(V + 1, s) from when each element is ready."""
    taken: Annotated[list[list[int]], Record(("registers", "section"), fill=NONE)]
    """(V + 1, s) the latest cycle in which a reader took each element."""
    vectors: Annotated[list[VectorRegister], Record(("registers",), most=PHYSICAL + 1)]
    """(V + 1,) the vector registers as a whole."""
    names: Annotated[list[int], Record(("named",))]
    """(named + 1,) where each vector register that programs name is, and the mask."""
    displaced: Annotated[list[list[FreeRegister]], Record(("kinds", "displaced"))]
    """(KINDS, D) physical registers in the order in which they get free, around the end."""
    next_free: Annotated[list[int], Record(("kinds",), most=KINDS)]
    """(KINDS,) where in its row of ``displaced`` the next is."""
    renamed: Annotated[list[Instruction], Record(("renamed",))]
    """(N,) the instructions in flight with physical registers; none on a machine that does not rename."""
    slices: Annotated[list[Slice], Record(("section",))]
    """(s,) the slices of the vector cache."""
    banks: Annotated[list[Bank], Record(("banks",))]
    """(banks,) the banks of memory."""
    units: Annotated[list[UnitState], Record(("units",), most=MOST_UNITS)]
    """(U,) by the number of an :class:`isa.declaration.Unit`, then further units of a kind."""
    queue: Annotated[list[list[int]], Record(("units", "depth"), fill=NONE)]
    """(U, unit_queue + 1) slots that wait for the unit, oldest first."""
    dispatches: Annotated[list[list[int]], Record(("units", "depth"), fill=NONE)]
    """(U, unit_queue + 1) cycles of the latest dispatches; -1 for none."""
    ports: Annotated[list[Port], Record(("ports",), most=MOST_PORTS)]
    """(P,) the memory ports."""
    accesses: Annotated[list[list[int]], Record(("ports", "accesses"), fill=NONE)]
    """(P, accesses_in_flight) slots of the accesses that a port has, oldest first."""
    transfers: Annotated[list[list[Transfer]], Record(("ports", "transfers"))]
    """(P, accesses_in_flight + unit_queue + 1) the transfers that ended last. This many may be in flight, if
    they are timed ahead."""
    arrivals: Annotated[list[list[int]], Record(("ports", "outstanding"))]
    """(P, words_outstanding) when the loaded words arrive that a port transferred last, around the end."""
    caches: Annotated[list[CacheState], Record(("levels",), most=LEVELS)]
    """(2,) the caches, the one next to the ports first."""
    lines: Annotated[list[list[Line]], Record(("levels", "lines"))]
    """(2, sets x ways) their lines, set by set; nothing on a machine without."""
    awaited_lines: Annotated[list[list[int]], Record(("levels", "misses"))]
    """(2, misses) when the lines arrive that they wait for."""
    cache_banks: Annotated[list[list[int]], Record(("levels", "cache_banks"))]
    """(2, banks) from when their banks take a request."""
    open_rows: Annotated[list[int], Record(("rowed_banks",), fill=NONE)]
    """(banks,) the open row of each bank; nothing on a machine without."""
    main_memory: Annotated[MainMemory, Record(most=1)]
    """What the banks share."""
    accounts: Annotated[list[Account], Record(("instructions",))]
    """(I,) the cycles of each instruction of the program."""
    pending: Annotated[list[PendingRetirement], Record(("pending",))]
    """Instructions whose cycles are attributed when older ones have left flight, oldest first."""
    counters: Annotated[list[int], Record(("counters",), most=len(Counter) + MOST_OWN)]
    """By :class:`vecsim.engines.state.counters.Counter`, then those of the machine's extensions."""

    x: Annotated[list[int], Temporary(REGISTERS)]
    """(32,) the scalar integer registers. This and the next five: :class:`isa.state.State`."""
    special: Annotated[list[int], Temporary(len(SPECIAL_REGISTERS))]
    """(4,) vl, blocklen, rowptr, rowcount."""
    vw: Annotated[list[int], Temporary()]
    """The vector registers as int32: element k of register v is ``vw[2 * (v * s + k)]``."""
    words: Annotated[list[int], Temporary()]
    """Simulated memory as words, in which lists of addresses are."""
    mask: Annotated[bytearray, Temporary()]
    """(s,) the vector mask, 0 or 1."""
    address: Annotated[list[int], Temporary()]
    """(s,) the byte addresses of the access that executes."""
    row: Annotated[list[int], Temporary()]
    """(A,) the row of each entry of the sparse instruction that executes."""

    program: Annotated[list[Instruction], Temporary(constant=True)]
    """(I + 1,) the program, and a row after its end."""
    machine: Annotated[MachineNumbers, Temporary(1, constant=True)]
    """The numbers of the machine and of the run."""
    cache_numbers: Annotated[list[CacheNumbers], Temporary(LEVELS, constant=True)]
    """(2,) the numbers of the caches."""
    numbers: Annotated[list[int], Temporary(MOST_OWN)]
    """The numbers of the machine's extensions."""
    scratch: Annotated[Scratch, Temporary(1)]
    """What rules tell the engine, and count."""
    order: Annotated[list[int], Temporary()]
    """(N,) the slots in flight, oldest first."""
    touched: Annotated[list[TouchedRegisters], Temporary()]
    """(N,) the registers of the instructions in flight."""
    timeline: Annotated[list[TimelineRow], Temporary()]
    """Rows of instructions that have left flight, until the engine collects them."""
    starts: Annotated[list[Start], Temporary()]
    """Starts of elements and words, until the engine hands them on."""


class Part(NamedTuple):
    """An array of a run, as :class:`Run` declares it.

    Attributes
    ----------
    dimensions
        How many it has.
    row
        The type of its rows; None of integers.
    byte
        Whether its integers have eight bits.
    mark
        What it belongs to.
    """

    dimensions: int
    row: type[Row] | None
    byte: bool
    mark: Record | Temporary


@lru_cache(maxsize=4)
def parts_of(run: type[Run]) -> dict[str, Part]:
    """Return the arrays that a class of runs declares, by name."""
    return {name: _part(*get_args(hint)) for name, hint in get_type_hints(run, include_extras=True).items()}


def _part(kind: Any, mark: Record | Temporary) -> Part:
    dimensions = 0
    while get_origin(kind) is list:
        (kind,) = get_args(kind)
        dimensions += 1
    byte = kind is bytearray
    row = kind if isinstance(kind, type) and issubclass(kind, Row) else None
    return Part(dimensions + byte, row, byte, mark)


RECORD = {name: part for name, part in parts_of(Run).items() if isinstance(part.mark, Record)}
"""The arrays of the record."""
