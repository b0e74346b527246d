"""A matrix in HiSparse as numbers: nodes and entries of each level, bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.papers.hisparse.results import Level, Tree
from gpu.hisparse.container import HiSparse
from gpu.hisparse.node_layout import DENSE


def tree_of(host: HiSparse) -> Tree:
    """Count the nodes of a matrix that shares none within itself."""
    levels = tuple(
        _level(nodes.kinds == DENSE, nodes.counts) for nodes in host.content.nodes if len(nodes.counts)
    )
    return Tree(host.node_size, host.dtype.name, host.storage("image"), levels)


def _level(dense: Any, counts: Any) -> Level:
    return Level(
        int(np.count_nonzero(~dense)),
        int(np.count_nonzero(dense)),
        int(counts[~dense].sum()),
        int(counts[dense].sum()),
    )
