"""Digests: what a result names its matrix, its machine and its program by. Each is defined here alone.

A digest is a SHA-256 in 64 hexadecimal digits. It is of contents only, never of a name or a path.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from isa.program import Program

_CACHE = {
    "bytes": 0,
    "line_bytes": 64,
    "ways": 4,
    "replacement": 0,
    "hit_latency": 2,
    "banks": 0,
    "write_back": True,
    "refill_bytes": 0,
    "misses": 16,
    "prefetch": 0,
    "serves": 1,
    "perfect": False,
}
_COST = {"latency": 0, "first": 1, "group": 1, "pair": 0}
_COSTS = {
    **dict.fromkeys(
        ("integer", "compare", "narrow", "multiply", "fixed", "float", "estimate", "mask", "mask_prefix"),
        _COST,
    ),
    **dict.fromkeys(("slide", "compress", "insert", "to_scalar", "count", "access", "element_access"), _COST),
    **dict.fromkeys(("divide", "float_divide", "ordered_sum", "gather"), _COST | {"pair": 2}),
    **dict.fromkeys(("reduction", "float_sum"), _COST | {"level": 0}),
}
_RISCV = {"vlen": 512, "dlen": 256, "whole_groups": 0, "narrow_groups": 0, "tree_of_all": 0}
_RISCV |= {"ordered_writes": 0, "configure": 1, "access_unit": 0}
ADDED_NUMBERS: Mapping[str, int] = {
    "physical_vector_registers": 0,
    "physical_scalar_registers": 0,
    "latency.integer_divide": 20,
    "latency.float_divide": 16,
    "latency.divide": 20,
    "store_ports": 0,
    "store_words_per_cycle": 0,
    "store_addresses_per_cycle": 0,
    "disambiguation": 0,
    "add_units": 1,
    "multiply_units": 1,
    "sparse_units": 1,
    "divide_interval": 1,
    "masked_elements": 0,
    "words_outstanding": 0,
    "merge_bytes": 0,
    "merge_window": 16,
    "clock_mhz": 0,
    "main_memory.latency": 0,
    "main_memory.bytes": 0,
    "main_memory.cycles": 1,
    "main_memory.row_words": 0,
    "main_memory.row_miss": 12,
    **{f"{level}.{name}": value for level in ("l1", "l2") for name, value in _CACHE.items()},
    **{f"riscv.{name}": value for name, value in _RISCV.items()},
    **{f"riscv.{of}.{name}": value for of, costs in _COSTS.items() for name, value in costs.items()},
}
"""Numbers of a machine that came later; with these values a machine has the digest that it had before."""

SHOWN_DIGITS = 12
"""Digits of a digest that tables show; results files have all."""


def pattern_sha256(csr: Any) -> str:
    """Return the digest of where a matrix has entries.

    It is of rows, columns, row pointers and column indices, each a little-endian int32, in this order.

    Parameters
    ----------
    csr
        scipy.sparse CSR array or matrix of (m, n), with sorted indices and duplicates summed.
    """
    return _pattern(csr).hexdigest()


def matrix_sha256(csr: Any) -> str:
    """Return the digest of a matrix: of what `pattern_sha256` takes, then of its values.

    Values count in their own type, little-endian float32 or float64: a matrix rounded to 32 bits is another
    one than the matrix it was rounded from.

    Parameters
    ----------
    csr
        scipy.sparse CSR array or matrix of (m, n), with sorted indices and duplicates summed.
    """
    digest = _pattern(csr)
    digest.update(csr.data.astype(csr.data.dtype.newbyteorder("<"), order="C", copy=False))
    return digest.hexdigest()


def _pattern(csr: Any) -> hashlib._Hash:
    digest = hashlib.sha256(struct.pack("<2i", *csr.shape))
    for part in (csr.indptr, csr.indices):
        digest.update(part.astype("<i4", order="C", copy=False))
    return digest


def machine_sha256(numbers: Mapping[str, Any], extensions: Mapping[str, str] | None = None) -> str:
    """Return the digest of a machine: of its numbers as JSON with sorted keys and no spaces, in UTF-8.

    Those of `ADDED_NUMBERS` that have the value given there are left out.

    Parameters
    ----------
    numbers
        Every number of the machine, as `vecsim.machine.Machine.numbers` returns them: its name is none.
    extensions
        The digest of each extension's file by its name; if there are any they count as one more number,
        ``extensions``.
    """
    stated = _without_added(numbers)
    if extensions:
        stated["extensions"] = dict(extensions)
    text = json.dumps(stated, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _nested(numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return numbers by full names as a table of tables."""
    result: dict[str, Any] = {}
    for name, value in numbers.items():
        *tables, last = name.split(".")
        place = result
        for each in tables:
            place = place.setdefault(each, {})
        place[last] = value
    return result


_ADDED = _nested(ADDED_NUMBERS)


def _without_added(numbers: Mapping[str, Any], added: Any = _ADDED) -> dict[str, Any]:
    """Return a table without the numbers of another that are the same there: most tables are whole."""
    stated: dict[str, Any] = {}
    there = added if isinstance(added, Mapping) else {}
    for name, value in numbers.items():
        if value == there.get(name):
            continue
        if not isinstance(value, Mapping):
            stated[name] = value
        elif inner := _without_added(value, there.get(name)):
            stated[name] = inner
    return stated


_DIGESTS: WeakKeyDictionary[Program, str] = WeakKeyDictionary()
"""Of programs, which never change; each snapshot of a run names its program."""


def program_sha256(program: Program) -> str:
    """Return the digest of a program's image, of what runs and not of the text that it was made from.

    It is of the entry, the number of words and the words, little-endian uint32 each, then of every data
    segment: address and length, little-endian uint64 each, and its bytes. Last come the instructions that the
    text declares, in UTF-8, a line each.
    """
    if program in _DIGESTS:
        return _DIGESTS[program]
    digest = hashlib.sha256(struct.pack("<2I", program.entry, len(program.words)))
    digest.update(program.words.astype("<u4", copy=False))
    for segment in program.data:
        digest.update(struct.pack("<2Q", segment.address, len(segment.content)))
        digest.update(segment.content)
    for declaration in program.declarations:
        digest.update(f"{declaration}\n".encode())
    _DIGESTS[program] = digest.hexdigest()
    return _DIGESTS[program]
