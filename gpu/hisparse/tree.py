"""The content of a matrix, which never changes: a root in a pool."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any
from weakref import finalize

from gpu.hisparse.memory import Geometry
from gpu.hisparse.node_layout import NULL
from gpu.hisparse.nodes import Nodes, levels_of
from gpu.hisparse.pool import Pool
from vecsim.formats.array_types import Shape


@dataclass(frozen=True, eq=False)
class Tree:
    """The nodes of a matrix that can be reached from a root, one reference to which is this record's own.

    When it goes, so do the nodes that nothing else refers to: their places in the pool are used again.

    Attributes
    ----------
    pool
        What contains them.
    root
        The reference to the root; 0 without entries.
    shape
        Rows M and columns N of the content, before any transposition.
    levels
        D; leaves are on level 0, the root is on level D - 1.
    nnz
        Entries, explicit zeros included.
    """

    pool: Pool
    root: int
    shape: Shape
    levels: int
    nnz: int

    def __post_init__(self) -> None:
        self._release_at_end()

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, recorded: dict[str, Any]) -> None:
        # The copied pool has the reference that the original held: it is this record's own.
        self.__dict__.update(recorded)
        self._release_at_end()

    def _release_at_end(self) -> None:
        if self.root != NULL:
            finalize(self, self.pool.released.append, (self.root, self.levels)).atexit = False

    def __copy__(self) -> "Tree":
        return self

    def __deepcopy__(self, memo: Any) -> "Tree":
        return self

    @property
    def geometry(self) -> Geometry:
        """What compiled code needs to know of it."""
        return self.pool.geometry(self.levels)

    @cached_property
    def nodes(self) -> tuple[Nodes, ...]:
        """The nodes of every level, leaves first, at each of their places."""
        return levels_of(self.pool.memory, self.root, self.geometry)
