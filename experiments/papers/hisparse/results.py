"""What was measured, with what the HiSparse paper asks of it: rendering needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from experiments.papers.hisparse.methods import OWN, SUMS
from experiments.papers.kit import results as kit
from experiments.papers.kit.results import Record


@dataclass(frozen=True)
class Level:
    """The nodes of one level of a tree.

    Attributes
    ----------
    sparse, dense
        Nodes of each kind.
    sparse_entries, dense_entries
        Their non-zeros, or their children.
    """

    sparse: int
    dense: int
    sparse_entries: int
    dense_entries: int


@dataclass(frozen=True)
class Tree:
    """A matrix in HiSparse.

    Attributes
    ----------
    node_size
        d.
    dtype
        Of the values: float32 or float64.
    nbytes
        All nodes, as they are stored (`HiSparse.storage`).
    levels
        Leaves first.
    """

    node_size: int
    dtype: str
    nbytes: int
    levels: tuple[Level, ...]

    @property
    def leaves(self) -> int:
        """Leaves of both kinds."""
        return self.levels[0].sparse + self.levels[0].dense if self.levels else 0

    @property
    def inner(self) -> Level:
        """All inner nodes as one level."""
        above = self.levels[1:]
        return Level(
            sum(each.sparse for each in above),
            sum(each.dense for each in above),
            sum(each.sparse_entries for each in above),
            sum(each.dense_entries for each in above),
        )


@dataclass(frozen=True)
class MatrixRecord(kit.MatrixRecord):
    """A matrix of the GPU suite that was measured, or was to be.

    Attributes
    ----------
    trees
        The matrix in HiSparse; none if it was not measured.
    """

    trees: tuple[Tree, ...] = ()

    def tree(self, node_size: int, dtype: str) -> Tree | None:
        """Return the matrix in HiSparse; None if it was not converted so."""
        return next((t for t in self.trees if (t.node_size, t.dtype) == (node_size, dtype)), None)


@dataclass(frozen=True)
class Results(kit.Results):
    """Everything that one run measured.

    The parts of a record of a sum are ``symbolic``, ``numeric`` and ``conversion``. An entry of the matrix
    counts as three operations: two multiplications, one with the scaling factor, and an addition (section 7).
    """

    paper = "hisparse"
    own = OWN
    operations_of_an_entry = 3

    matrices: tuple[MatrixRecord, ...]

    @property
    def measured(self) -> list[MatrixRecord]:
        """The matrices that are not missing."""
        return [each for each in self.matrices if not each.missing]

    @property
    def of_the_paper(self) -> list[MatrixRecord]:
        """The measured matrices that stand for one of the paper."""
        return [each for each in self.measured if each.stands_for]

    def tried(self, operation: str, method: str) -> bool:
        """Return whether there is any record of an operation by a method."""
        return any((r.operation, r.method) == (operation, method) for r in self.records)

    def times(
        self, matrices: Iterable[MatrixRecord], operation: str, methods: Sequence[str], dtype: str
    ) -> list[tuple[MatrixRecord, tuple[float, ...]]]:
        """Return the times of several methods on the matrices on which all have one.

        Parameters
        ----------
        matrices
            Which matrices.
        operation, methods, dtype
            Names, as in `Record`.
        """
        matches = []
        for matrix in matrices:
            times = [self.time(matrix, method, dtype, operation) for method in methods]
            there = tuple(time for time in times if time is not None)
            if len(there) == len(methods):
                matches.append((matrix, there))
        return matches

    def allowed(self, record: Record, longest: int) -> float:
        """Return the error allowed: none of a sum of matrices; a column may be as long as there are rows."""
        if record.operation in SUMS:
            return 0.0
        rows = next((each.rows for each in self.matrices if each.name == record.matrix), 0)
        return super().allowed(record, max(longest, rows))
