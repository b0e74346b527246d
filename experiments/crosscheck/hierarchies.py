"""The two hierarchies side by side: HiSM of the vector machine and HiSparse of the GPU, of one matrix.

Both cut a matrix into squares, and those that have entries into one tree. HiSM's blocks are as large as a
section and lie one after the other. HiSparse's nodes are sparse or dense, and each has an address, so that
nodes can be shared and edited. With equal sides both have the same nodes and entries on every level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from experiments.crosscheck.device import DeviceProduct
from gpu.hisparse.container import HiSparse
from gpu.hisparse.node_layout import DEFAULT_NODE_SIZE, DENSE, MAX_NODE_SIZE
from vecsim.formats import HiSM, storage


@dataclass(frozen=True)
class Hierarchy:
    """A matrix in one of the formats.

    Attributes
    ----------
    format
        Its name: ``hism`` or ``hisparse``.
    side
        Of a block or node: s or d.
    nbytes
        Of its image in memory: HiSM's on the simulated machine, all nodes of HiSparse.
    nodes, entries
        Of each level, leaves first: blocks or nodes; non-zeros, then pointers to nodes below.
    dense
        Dense leaves; HiSM has none.
    gpu_bytes, gpu_us, gpu_status
        As `DeviceProduct`: HiSparse multiplies both ways with these bytes. None without a GPU.
    """

    format: str
    side: int
    nbytes: int
    nodes: tuple[int, ...]
    entries: tuple[int, ...]
    dense: int = 0
    gpu_bytes: int | None = None
    gpu_us: float | None = None
    gpu_status: str = ""

    @property
    def leaf_entries(self) -> float:
        """Mean non-zeros of a leaf; 0 without leaves."""
        return self.entries[0] / self.nodes[0] if self.nodes and self.nodes[0] else 0.0

    @property
    def fill(self) -> float:
        """Non-zeros in parts of the positions of all leaves."""
        return self.leaf_entries / self.side**2


def hierarchies(
    matrix: Any,
    hism: HiSM,
    hism_on_device: DeviceProduct | None,
    multiply: Callable[[HiSparse], DeviceProduct | None],
) -> tuple[Hierarchy, ...]:
    """Return HiSM, HiSparse with nodes of the same side where it has such, and HiSparse as it is by default.

    Parameters
    ----------
    matrix
        scipy.sparse.csr_array of float32 or float64.
    hism
        The same in HiSM.
    hism_on_device
        Its product on a GPU; None without one.
    multiply
        Multiplies on the GPU; returns None without one.
    """
    sides = dict.fromkeys((hism.section_size, DEFAULT_NODE_SIZE))
    trees = [HiSparse.from_scipy(matrix, node_size=side) for side in sides if side <= MAX_NODE_SIZE]
    return (
        Hierarchy(
            "hism",
            hism.section_size,
            hism.storage(storage.IMAGE),
            hism.level_arrays,
            hism.level_entries,
            0,
            *_on_device(hism_on_device),
        ),
        *(_of_hisparse(tree, multiply(tree)) for tree in trees),
    )


def _of_hisparse(tree: HiSparse, on_device: DeviceProduct | None) -> Hierarchy:
    levels = [nodes.distinct() for nodes in tree.content.nodes]
    return Hierarchy(
        "hisparse",
        tree.node_size,
        tree.storage(storage.IMAGE),
        tuple(len(level.references) for level in levels),
        tuple(int(level.counts.sum()) for level in levels),
        int((levels[0].kinds == DENSE).sum()),
        *_on_device(on_device),
    )


def _on_device(result: DeviceProduct | None) -> tuple[int | None, float | None, str]:
    return (None, None, "") if result is None else (result.nbytes, result.median_us, result.status)
