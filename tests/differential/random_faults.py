"""What ends a program in a fault: appended to a random program, it goes wrong in one of many ways."""

from __future__ import annotations

from collections.abc import Callable

from . import rows
from .builder import Label
from .random_items import (
    ADDRESS,
    BLOCK_LENGTH,
    BLOCK_POINTER,
    COUNT,
    DESCRIPTOR_POINTER,
    FIRST,
    SECTION,
    STRIDE,
    Items,
)


def spoil(items: Items) -> None:
    """Append a few instructions; the last one does what the machine cannot do."""
    items.add("setvl", 0, SECTION)
    WAYS[items.rng.choice([name for name in WAYS if name != "endless"])](items)


def endless(items: Items) -> None:
    """Append a loop without an end."""
    again = Label()
    items.builder.place(again)
    items.item()
    items.add("beq", 0, 0, again)


def _outside(items: Items) -> int:
    """An address from which a section leaves memory: by the least possible, or far."""
    size = items.layout.size
    return items.rng.choice(
        [-1, -4, -8, size - 4 * items.s + 1, size - 3, size - 1, size, 1 << 24, -(1 << 24)]
    )


def _contiguous(items: Items) -> None:
    items.set(ADDRESS, _outside(items))
    items.add(items.rng.choice(rows.CONTIGUOUS).mnemonic, items.v(), 0, ADDRESS)


def _scalar(items: Items) -> None:
    size = items.layout.size
    items.set(ADDRESS, items.rng.choice([-1, -4, size - 3, size, size + 4, 1 << 30]))
    items.add(items.rng.choice(rows.SCALAR_ACCESS).mnemonic, 4, 0, ADDRESS)


def _strided(items: Items) -> None:
    items.set(ADDRESS, items.data_address(0, 8))
    items.set(STRIDE, items.rng.choice([1, -1]) * items.layout.size)
    items.add(items.rng.choice(rows.STRIDED).mnemonic, items.v(), ADDRESS, STRIDE)


def _indexed(items: Items) -> None:
    index = items.v()
    items.set(STRIDE, items.rng.choice([-100_000, -3, 5000, 1 << 28]))
    items.add(items.rng.choice(["cvi", "movvx"]), index, STRIDE)
    items.set(FIRST, items.rng.randrange(items.s))
    items.add("insx", index, 0, FIRST)
    items.set(ADDRESS, items.rng.choice([0, 4, items.layout.size - 4]))
    items.add(items.rng.choice(rows.INDEXED).mnemonic, items.v(), ADDRESS, index)


def _blocks(items: Items) -> None:
    items.set(BLOCK_POINTER, _outside(items))
    items.set(BLOCK_LENGTH, items.s)
    value, position = items.distinct(2)
    items.add(items.rng.choice(rows.BLOCKS).mnemonic, value, position, BLOCK_POINTER, BLOCK_LENGTH, 1)


def _descriptors(items: Items) -> None:
    items.set(DESCRIPTOR_POINTER, _outside(items))
    items.add("mts", 1, SECTION)
    items.add(items.rng.choice(rows.DESCRIPTORS).mnemonic, *items.distinct(3), DESCRIPTOR_POINTER)


def _cache_memory(items: Items) -> None:
    _cache_move(items, 0, items.s, _outside(items))


def _cache_range(items: Items) -> None:
    elements = items.s * items.s
    first, count = items.rng.choice(
        [
            (-1, 1),
            (elements, 1),
            (elements - 1, 2),
            (0, elements + 1),
            (0, -1),
            (elements, 0),
            (elements + 1, 0),
        ]
    )
    _cache_move(items, first, count, items.data_address(0, 8))


def _cache_move(items: Items, first: int, count: int, address: int) -> None:
    for register, value in ((FIRST, first), (COUNT, count), (ADDRESS, address)):
        items.set(register, value)
    items.add(items.rng.choice(rows.CACHE).mnemonic, FIRST, ADDRESS, COUNT)


def _slice(items: Items) -> None:
    row = items.rng.choice([row for row in rows.SPARSE if row.slice_operand])
    items.set(FIRST, items.rng.choice([-1, items.s, 1 << 20]))
    items.add(row.mnemonic, FIRST, *(items.v() for _ in range(3)))


def _past_the_end(items: Items) -> None:
    items.set(ADDRESS, items.rng.choice([1_000_000, 100_000, -1]))
    items.add("jr", ADDRESS)


WAYS: dict[str, Callable[[Items], None]] = {
    "contiguous": _contiguous,
    "scalar": _scalar,
    "strided": _strided,
    "indexed": _indexed,
    "blocks": _blocks,
    "descriptors": _descriptors,
    "cache memory": _cache_memory,
    "cache range": _cache_range,
    "slice": _slice,
    "past the end": _past_the_end,
    "endless": endless,
}
"""What can go wrong; ``endless`` ends with the limit of cycles and is chosen separately."""
