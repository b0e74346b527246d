"""The state of a run as the timing rules read and write it in Python: objects and lists."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from isa.state import State
from vecsim.engines.record import TimingRecord
from vecsim.engines.state.accounts import Start, TimelineRow
from vecsim.engines.state.control import Scratch
from vecsim.engines.state.flight import TouchedRegisters
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.machine import MachineNumbers
from vecsim.engines.state.row import Row, fields_of, objects, store
from vecsim.engines.state.run import RECORD, Part, Run, Temporary, parts_of
from vecsim.engines.user_values import GREATEST, LEAST, UNCHANGED, outside, too_wide
from vecsim.support.suggestions import nearest

STATE = ("x", "special", "vw", "words", "mask", "address", "row")


@dataclass(frozen=True)
class Placed:
    """An array of an extension in ``TimingRecord.own``: where it begins, and the end."""

    name: str
    begin: int
    end: int


class BoundedList(list[Any]):
    """A list of a run with user-defined rules: without negative indices, of integers of 64 bits."""

    __slots__ = ("most",)
    least, greatest, bits = LEAST, GREATEST, 64

    def __init__(self, values: Any, most: int | None = None) -> None:
        super().__init__(values)
        self.most = len(self) if most is None else most

    def append(self, value: Any) -> None:
        """Add an element, if there is room."""
        if len(self) == self.most:
            raise IndexError(outside(len(self), self.most))
        list.append(self, fitting(value, self.least, self.greatest, self.bits))

    def __getitem__(self, index: Any) -> Any:
        """Read an element, or a slice."""
        if isinstance(index, slice) or 0 <= index < len(self):
            return list.__getitem__(self, index)
        raise IndexError(outside(index, len(self)))

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write an element, or a slice."""
        if not isinstance(index, slice):
            if not 0 <= index < len(self):
                raise IndexError(outside(index, len(self)))
            value = fitting(value, self.least, self.greatest, self.bits)
        list.__setitem__(self, index, value)


class BoundedBytes(BoundedList):
    """The same of integers of 8 bits."""

    __slots__ = ()
    least, greatest, bits = 0, 255, 8


class BoundedView:
    """A memoryview without negative indices."""

    __slots__ = ("length", "values")

    def __init__(self, values: Any) -> None:
        self.values, self.length = values, len(values)

    def __getitem__(self, index: int) -> Any:
        """Read an element."""
        if 0 <= index < self.length:
            return self.values[index]
        raise IndexError(outside(index, self.length))

    def __setitem__(self, index: int, value: int) -> None:
        """Write an element."""
        if not 0 <= index < self.length:
            raise IndexError(outside(index, self.length))
        self.values[index] = value


def fitting(value: Any, least: int = LEAST, greatest: int = GREATEST, bits: int = 64) -> int:
    """Return an integer that is not too large for its place.

    Parameters
    ----------
    value
        What is to be written.
    least, greatest, bits
        The least and the greatest integer of the place, and its width.

    Raises
    ------
    OverflowError
        It is too large.
    TypeError
        It is no integer.
    """
    number = operator.index(value)
    if not least <= number <= greatest:
        raise OverflowError(too_wide(bits))
    return number


class ConstantList(BoundedList):
    """A list that does not change during a run."""

    __slots__ = ()

    def __setitem__(self, index: Any, value: Any) -> None:
        """Refuse it."""
        raise TypeError(UNCHANGED)

    append = clear = __setitem__  # type: ignore[assignment]


_BOUNDED: dict[tuple[type[Row], bool], type[Any]] = {}


def bounded_row(row: type[Row], *, constant: bool = False) -> type[Any]:
    """Return the row for user-defined rules: its fields take integers of 64 bits, or nothing if constant."""
    most = {field.name: field.most for field in fields_of(row)}
    results = ConstantList if constant else BoundedList

    def set_field(self: Row, name: str, value: Any) -> None:
        if constant and hasattr(self, name):
            raise TypeError(UNCHANGED)
        if isinstance(value, list):
            object.__setattr__(self, name, results(value, most[name]))
        else:
            object.__setattr__(self, name, fitting(value))

    if (row, constant) not in _BOUNDED:
        _BOUNDED[row, constant] = type(row.__name__, (row,), {"__slots__": (), "__setattr__": set_field})
    return _BOUNDED[row, constant]


_PROGRAM, _MACHINE, _CACHES = (parts_of(Run)[name] for name in ("program", "machine", "cache_numbers"))


def interpreted_program(rows: npt.NDArray[Any], *, bounded: bool = False) -> list[Instruction]:
    """Return the instructions of a program, from its rows, as rules in Python read them."""
    results: list[Instruction] = _interpreted(_PROGRAM, rows, bounded=bounded)
    return results


class InterpretedRun(Run):
    """The arrays of a run: objects for rows, lists, and memoryviews of the architectural state.

    Lists and objects give and take Python integers several times faster than arrays of NumPy.
    """

    __slots__ = (*parts_of(Run), "extension", "own")

    def __init__(
        self,
        program: list[Instruction],
        machine: npt.NDArray[Any],
        caches: npt.NDArray[Any],
        numbers: Sequence[int],
        state: State,
        record: TimingRecord,
        own: Sequence[Placed] = (),
        *,
        timeline: int = 0,
        starts: int = 0,
        bounded: bool = False,
    ) -> None:
        """Read a record.

        Parameters
        ----------
        machine
            The (1,) row ``MachineNumbers``.
        caches
            The (2,) rows ``CacheNumbers``.
        state
            As :func:`isa.state.interpreted` returns it.
        own
            The arrays of extensions.
        timeline, starts
            For how many rows of each there is room.
        bounded
            Whether user-defined rules run on it.
        """
        self.program, self.numbers = program, list(numbers)
        self.machine: MachineNumbers = _interpreted(_MACHINE, machine, bounded=bounded)
        self.cache_numbers = _interpreted(_CACHES, caches, bounded=bounded)
        self.scratch = (bounded_row(Scratch) if bounded else Scratch)()
        self.order = [0] * self.machine.slots
        self.touched = [TouchedRegisters() for _ in self.order]
        self.timeline = [TimelineRow() for _ in range(timeline)]
        self.starts = [Start() for _ in range(starts)]
        for name, part in RECORD.items():
            setattr(self, name, _interpreted(part, getattr(record, name), bounded=bounded))
        for name in STATE:
            setattr(self, name, getattr(state, name))
        self.own = record.own.copy()
        view = memoryview(self.own)
        self.extension: dict[str, Any] = {each.name: view[each.begin : each.end] for each in own}
        if bounded:
            for name in ("numbers", "order", "timeline", "starts"):
                setattr(self, name, BoundedList(getattr(self, name)))
            for name in STATE:
                setattr(self, name, BoundedView(getattr(self, name)))
            self.extension = {name: BoundedView(values) for name, values in self.extension.items()}

    def write(self, record: TimingRecord) -> None:
        """Write the state into a record."""
        for name, part in RECORD.items():
            _write(part, getattr(record, name), getattr(self, name))
        record.own[:] = self.own


class ExtendedRun(InterpretedRun):
    """The same of a machine whose extensions have arrays: their names are attributes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return an array of an extension."""
        try:
            return self.extension[name]
        except KeyError:
            raise AttributeError(f"a run has no array {name!r}{nearest(name, self.extension)}") from None


def _row_of(part: Part, *, bounded: bool) -> type[Row]:
    assert part.row is not None
    constant = isinstance(part.mark, Temporary) and part.mark.constant
    return bounded_row(part.row, constant=constant) if bounded else part.row


def _interpreted(part: Part, values: npt.NDArray[Any], *, bounded: bool) -> Any:
    """Return an array of a record as rules in Python read it."""
    results: Any
    if part.dimensions == 0 and part.row is not None:
        return objects(_row_of(part, bounded=bounded), values)[0]
    if part.dimensions == 2:
        each = part._replace(dimensions=1)
        results = [_interpreted(each, row, bounded=bounded) for row in values]
    elif part.row is not None:
        results = objects(_row_of(part, bounded=bounded), values)
    elif part.byte:
        return BoundedBytes(values.tolist()) if bounded else bytearray(values.tobytes())
    else:
        results = values.tolist()
    return BoundedList(results) if bounded else results


def _write(part: Part, values: npt.NDArray[Any], interpreted: Any) -> None:
    """Write what rules in Python have into an array of a record."""
    if part.dimensions == 0:
        store(values, [interpreted])
    elif part.dimensions == 2:
        for row, each in zip(values, interpreted, strict=True):
            _write(part._replace(dimensions=1), row, each)
    elif part.row is not None:
        store(values, interpreted)
    else:
        values[:] = list(interpreted)
