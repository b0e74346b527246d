"""What a host has to know of the module: where the arrays of a run and their fields are.

It follows from the declarations that the native engine is compiled from.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.cause import Cause
from vecsim.engines.jit import interface
from vecsim.engines.jit.arrays.table import OWN, PARTS, PLACES, SECTION
from vecsim.engines.state.counters import Counter
from vecsim.engines.state.row import Row, fields_of, words_of
from vecsim.engines.targets.wasm.linking import HEAP, LOOPS
from vecsim.engines.targets.wasm.objects import ADDRESS_OF, OF_SLOW_PATHS

FORMAT = 1
"""The number of the form of a description and of packed runs; it changes when that does."""
BYTES = ("memory", "mask")
"""Arrays of the architectural state that have bytes for elements."""
STATUS = ("STOPPED", "FINISHED", "TROUBLE", "FULL", "STILL")


def description() -> dict[str, Any]:
    """Return the description of the module, as plain data for JSON.

    Returns
    -------
    description
        ``format``; the names of ``loops``; ``heap``, ``address_of`` and ``slow_paths``; by name, why a loop
        came back, ``status``; ``table``, its length in words of 64 bits, where the section size is and the
        places of the arrays; ``rows``, the words of each kind of row and its fields; the names of
        ``counters`` and ``causes``.
    """
    rows = {part.row for part in PARTS.values() if part.row is not None}
    return {
        "format": FORMAT,
        "loops": list(LOOPS),
        "heap": HEAP,
        "address_of": ADDRESS_OF,
        "slow_paths": OF_SLOW_PATHS,
        "status": {name.lower(): getattr(interface, name) for name in STATUS},
        "table": {"words": OWN, "section": SECTION, "arrays": {name: _array(name) for name in PLACES}},
        "rows": {row.__name__: _row(row) for row in sorted(rows, key=lambda row: row.__name__)},
        "counters": [each.name.lower() for each in Counter],
        "causes": [each.name.lower() for each in Cause],
    }


def _array(name: str) -> dict[str, Any]:
    """Describe an array: its place in the table, and what its elements are."""
    place, part = PLACES[name], PARTS.get(name)
    row = None if part is None or part.row is None else part.row.__name__
    one_byte = name in BYTES if part is None else part.byte
    return {**place._asdict(), "row": row, "element_bytes": 1 if one_byte else 8}


def _row(row: type[Row]) -> dict[str, Any]:
    fields = {
        field.name: {"offset": field.offset, "most": field.most, "counted": field.counted}
        for field in fields_of(row)
    }
    return {"words": words_of(row), "fields": fields}
