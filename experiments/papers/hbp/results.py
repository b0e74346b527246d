"""What was measured, with what the HBP paper asks of it: rendering needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from experiments.papers.kit import results as kit


@dataclass(frozen=True, eq=False)
class OrderRecord:
    """An order of the rows of blocks, measured on a sample of them.

    Attributes
    ----------
    matrix, method
        Names; the method is one of `gpu.hbp.ordering.ON_THE_HOST`, on a CPU, or of
        `gpu.hbp.building.probed_order.PROBING`, on the GPU, the mean of several runs.
    block_rows, block_columns, blocks
        The partition, and the sampled blocks.
    numbers
        Of the hash: a, b, c and d; of classes: their bits.
    deviation
        Standard deviation of the entries of rows within a group, mean over the groups.
    steps
        The longest rows of all groups, added: this many steps warps take.
    lanes
        The share of lanes that have an entry in these steps.
    nanoseconds
        Of ordering on a CPU, a row of a block; 0 where nothing is done there.
    """

    matrix: str
    method: str
    block_rows: int
    block_columns: int
    blocks: int
    numbers: dict[str, int] = field(default_factory=dict)
    deviation: float = 0.0
    steps: int = 0
    lanes: float = 0.0
    nanoseconds: float = 0.0


@dataclass(frozen=True)
class BlockCounts:
    """The blocks of a matrix in the published partition.

    Attributes
    ----------
    matrix
        Its name.
    blocks, filled, few
        All of them; those with an entry; those with 32 entries or fewer, or none.
    filled_rows
        Rows of blocks with an entry: slots that are not empty.
    """

    matrix: str
    blocks: int
    filled: int
    few: int
    filled_rows: int


@dataclass(frozen=True)
class Results(kit.Results):
    """Everything that one run measured.

    Attributes
    ----------
    records
        Products, with the part ``combine`` of what adds the sums of blocks; and steps of preprocessing with
        the operations ``order``, the rows of blocks put in order, and ``all``, the whole conversion from CRS.
    orders
        In the order in which they were measured: on a CPU, and last those that a GPU has probed.
    blocks
        Of each matrix.
    """

    paper = "hbp"

    orders: tuple[OrderRecord, ...] = ()
    blocks: tuple[BlockCounts, ...] = ()

    def blocks_of(self, matrix: str) -> BlockCounts | None:
        """Return the counts of a matrix by its name; None if its blocks were not counted."""
        return next((each for each in self.blocks if each.matrix == matrix), None)
