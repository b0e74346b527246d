"""What was measured, with what the HBP paper asks of it: rendering needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from experiments.papers.kit import results as kit


@dataclass(frozen=True, eq=False)
class OrderRecord:
    """An order of the rows of blocks, measured on the CPU.

    Attributes
    ----------
    matrix, method
        Names; the method is one of `gpu.hbp.ordering.ON_THE_HOST`.
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
        Of ordering, a row of a block; 0 where nothing is done.
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
class Results(kit.Results):
    """Everything that one run measured.

    Attributes
    ----------
    records
        Products, with the part ``combine`` of what adds the sums of blocks; and steps of preprocessing with
        the operations ``order``, the rows of blocks put in order, and ``all``, the whole conversion from CRS.
    orders
        In the order in which they were measured.
    """

    paper = "hbp"

    orders: tuple[OrderRecord, ...] = ()
