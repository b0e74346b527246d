"""A matrix in HiSM read back out of simulated memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp


def read_hism(
    memory: npt.NDArray[np.uint8],
    symbols: Mapping[str, int],
    shape: tuple[int, int],
    section_size: int,
    value_bytes: int = 4,
) -> Any:
    """Read all block arrays of an image, level by level from the root.

    Parameters
    ----------
    memory
        Bytes.
    symbols
        ROOT, ROOT_LENGTH, LEVELS and POSITION_BYTES, as `HiSM.image` returns them.
    shape
        Rows and columns of the matrix.
    section_size
        s: blocks are s x s.
    value_bytes
        Bytes of a value, 4 or 8.

    Returns
    -------
    SciPy's compressed rows.
    """
    width = symbols["POSITION_BYTES"]
    position = [("column", f"<u{width}"), ("row", f"<u{width}")]
    entry, leaf = (np.dtype([("content", kind), *position]) for kind in ("<i4", f"<f{value_bytes}"))
    arrays = [(symbols["ROOT"], symbols["ROOT_LENGTH"], 0, 0)]
    for level in reversed(range(symbols["LEVELS"])):
        below, blocks = [], []
        record = entry if level else leaf
        for address, length, row, column in arrays:
            end = address + length * record.itemsize
            entries = memory[address:end].view(record)
            rows = row * section_size + entries["row"].astype(np.int64)
            columns = column * section_size + entries["column"].astype(np.int64)
            if level:
                lengths = memory[end + 15 & -16 :][: 4 * length].view("<i4")
                pointers = entries["content"].tolist()
                below += list(zip(pointers, lengths.tolist(), rows.tolist(), columns.tolist(), strict=True))
            else:
                blocks.append((entries["content"].copy(), rows, columns))
        arrays = below
    if not blocks:
        return sp.csr_array(shape, dtype=leaf["content"])
    values, rows, columns = map(np.concatenate, zip(*blocks, strict=True))
    return sp.coo_array((values, (rows, columns)), shape).tocsr()
