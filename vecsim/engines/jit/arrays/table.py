"""All arrays of a run as one table of addresses.

The arrays belong to the Python side, which keeps them alive; compiled code gets the address of the table and
names them again, in :mod:`vecsim.engines.jit.arrays.views`. What is small is in the table itself, with room
for the largest machine, so that compiled code finds it without loading an address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import REGISTERS
from isa.state import State
from vecsim.engines.interpreted_run import Placed
from vecsim.engines.jit.state import CompiledRun
from vecsim.engines.record import TimingRecord
from vecsim.engines.state.row import words_of
from vecsim.engines.state.run import RECORD, Part, parts_of

Ints = npt.NDArray[np.int64]
Scratch = dict[str, npt.NDArray[Any]]
"""The program, the machine and room to work in, by the names of ``CompiledRun``."""

PARTS = parts_of(CompiledRun)
STATE = ("v", "mask", "cache", "memory", "address", "row")
"""Arrays of the architectural state whose addresses are in the table; other names see the same ones."""
SEEN_OTHERWISE = ("vw", "words")
"""Of the parts of a run, what are other views of arrays of the state."""


class Place(NamedTuple):
    """Where an array is in the table, in words.

    Attributes
    ----------
    begin
        Where it begins, or its address is.
    near
        Whether it is in the table itself.
    length
        Where its first dimension is, or its bytes of an array of integers; the second dimension follows.
    """

    begin: int
    near: bool
    length: int


def _words(part: Part) -> int:
    """Return how many words an array has at most that is in the table itself; 0 of others."""
    return part.mark.most * (words_of(part.row) if part.row is not None else 1)


def _placed() -> tuple[dict[str, Place], int]:
    """Return where each array is, and the length of the table without the arrays of extensions."""
    near = {name: _words(part) for name, part in PARTS.items() if _words(part)} | {"f": REGISTERS}
    names = [*STATE, *(name for name in PARTS if name not in (*STATE, *near, *SEEN_OTHERWISE)), *near]
    begin, places = SECTION + 1, {}
    for name in names:
        places[name] = Place(begin, name in near, 0)
        begin += near.get(name, 1)
    return {name: place._replace(length=begin + 2 * k) for k, (name, place) in enumerate(places.items())}, (
        begin + 2 * len(names)
    )


SECTION = 0
"""Where the section size is."""
PLACES, OWN = _placed()
"""Where the arrays are; where the addresses of the arrays of extensions begin, whose lengths follow."""
FAR = [name for name, place in PLACES.items() if not place.near]
"""The arrays whose addresses are in the table."""
_FAR_BEGIN = [PLACES[name].begin for name in FAR]
_LENGTHS = min(place.length for place in PLACES.values())
_TABLES = [(k, name) for k, name in enumerate(PLACES) if name in PARTS and PARTS[name].dimensions == 2]


def table_of(
    state: State, record: TimingRecord, scratch: Scratch, own: Sequence[Placed] = ()
) -> tuple[Ints, State, TimingRecord, Scratch]:
    """Make the table of a run.

    Parameters
    ----------
    state, record, scratch
        The arrays.
    own
        Where in ``record.own`` the arrays of extensions are.

    Returns
    -------
    table, state, record, scratch
        The table; what was given, with the small arrays as views of the table.
    """
    table = np.zeros(OWN + 2 * len(own), np.int64)
    table[SECTION] = state.section
    size = record.own.itemsize
    table[OWN : OWN + len(own)] = [record.own.ctypes.data + size * each.begin for each in own]
    table[OWN + len(own) :] = [each.end - each.begin for each in own]

    def moved(name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        place = PLACES[name]
        if not place.near:
            return values
        view = table[place.begin : place.begin + values.nbytes // table.itemsize].view(values.dtype)
        view[:] = values
        return view

    f = moved("f", state.f)
    state = state._replace(
        x=moved("x", state.x),
        f=f,
        fs=f.view(np.float32),
        fd=f.view(np.float64),
        special=moved("special", state.special),
    )
    record = TimingRecord(
        {name: moved(name, values) if name in RECORD else values for name, values in record.arrays.items()}
    )
    scratch = {name: moved(name, values) for name, values in scratch.items()}
    _address(table, state._asdict() | record.arrays | scratch)
    return table, state, record, scratch


def _address(table: Ints, arrays: Mapping[str, Any]) -> None:
    """Write the addresses of arrays and their dimensions into a table."""
    table[_FAR_BEGIN] = [arrays[name].ctypes.data for name in FAR]
    dimensions = table[_LENGTHS:OWN].reshape(-1, 2)
    dimensions[:, 0] = [len(arrays[name]) for name in PLACES]
    for k, name in _TABLES:
        dimensions[k, 1] = arrays[name].shape[1]
