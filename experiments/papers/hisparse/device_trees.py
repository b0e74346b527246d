"""Trees of a matrix, made on the device of its positions, which both types and all node sizes share."""

from __future__ import annotations

from typing import Any

import numpy as np


class Positions:
    """The positions of a matrix on the device.

    Parameters
    ----------
    csr
        The matrix, canonical.
    """

    def __init__(self, csr: Any) -> None:
        from gpu.runtime.memory import upload

        rows = np.repeat(np.arange(csr.shape[0], dtype=np.int32), np.diff(csr.indptr))
        self._shape = int(csr.shape[0]), int(csr.shape[1])
        self._rows, self._columns = upload(rows), upload(csr.indices.astype(np.int32, copy=False))
        self._number = len(rows)

    def tree(self, values: Any, node_size: int) -> Any:
        """Return the matrix with these values as a `gpu.DeviceHiSparse`.

        Parameters
        ----------
        values
            One a position, in the order of CSR.
        node_size
            d.
        """
        from gpu.hisparse.device_hisparse import DeviceHiSparse
        from gpu.runtime.memory import part_of, upload

        given = (part_of(self._rows, 0, self._number), part_of(self._columns, 0, self._number))
        there = upload(values) if self._number else values
        return DeviceHiSparse.from_coo(*given, there, self._shape, node_size=node_size)


def differ(one: Any, other: Any) -> bool:
    """Return whether two trees on the device have any node that is not equal.

    Parameters
    ----------
    one, other
        `gpu.hisparse.device_tree.DeviceTree`, with their leaves in the order of their keys.
    """
    from gpu.hisparse.edit.compaction import compacted
    from gpu.measure.equality import are_equal

    # Pools made of the leaves in order have nodes in the same places.
    pools = [compacted(each) for each in (one, other)]
    if len({(each.end, each.root, each.nnz, each.level_nodes) for each in pools}) > 1:
        return True
    return not are_equal(*(each.words[: each.end] for each in pools))
