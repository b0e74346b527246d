"""Random memory: numbers of both widths, the odd ones among them, and small words to index with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

STACK_BYTES = 128
INDEX_LIMIT = 64
"""The words of the index region are at least 0 and less than this."""

_INDEX_BYTES = 4096
_SPECIAL = [np.inf, -np.inf, np.nan, -0.0, 0.0, 1e-310, -1e-310, 1e-40, 1e38, -3e38, 1e308, 1e-300]
_SPECIAL_BITS = [0x7FC00000_FFC12345, 0x7F800001_7F800001, 0xFFF80000_00001234, 0x7FF00000_00000001]


@dataclass(frozen=True)
class Layout:
    """What lies where.

    Attributes
    ----------
    data_end
        Programs load and store below; from here on lie indexes, which are only read.
    index_end
        After it is the stack.
    size
        Bytes of memory.
    """

    data_end: int
    index_end: int
    size: int


def layout_for(section_size: int, odd_bytes: int = 0) -> Layout:
    """Return the layout for a section size: a section with a stride of 64 bytes fits in twice."""
    data_end = 4096 + 128 * section_size
    size = data_end + _INDEX_BYTES + odd_bytes
    return Layout(data_end, data_end + _INDEX_BYTES - STACK_BYTES, size)


def random_memory(seed: int, layout: Layout) -> npt.NDArray[np.uint8]:
    """Return the memory of a seed; odd seeds have infinities, NaNs and denormal numbers in it."""
    generator = np.random.Generator(np.random.PCG64(seed))
    memory = np.zeros(layout.size, np.uint8)
    cells = memory[: layout.data_end].view(np.uint64)
    floats = generator.integers(-8, 8, 2 * len(cells)).astype(np.float32)
    fractions = generator.standard_normal(len(cells)) * 2.0 ** generator.integers(-30, 30, len(cells))
    kind = generator.integers(0, 16, len(cells))
    cells[:] = floats.view(np.uint64)
    cells[kind >= 10] = fractions[kind >= 10].view(np.uint64)
    if seed & 1:
        _scatter_special(generator, cells, kind)
    words = generator.integers(0, INDEX_LIMIT, (_INDEX_BYTES - STACK_BYTES) // 4).astype(np.int32)
    memory[layout.data_end : layout.index_end] = words.view(np.uint8)
    return memory


def _scatter_special(
    generator: np.random.Generator, cells: npt.NDArray[np.uint64], kind: npt.NDArray[np.int64]
) -> None:
    doubles = np.concatenate([np.array(_SPECIAL).view(np.uint64), np.array(_SPECIAL_BITS, np.uint64)])
    with np.errstate(over="ignore"):
        singles = np.array(_SPECIAL).astype(np.float32).view(np.uint32).astype(np.uint64)
    pairs = singles | (np.roll(singles, 1) << np.uint64(32))
    for number, pool in ((14, doubles), (15, pairs)):
        places = np.flatnonzero(kind == number)
        cells[places] = generator.choice(pool, len(places))
