"""Figure 1: the format, for a matrix of 64 x 64 and a section size of 8."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import Item, PatternChart, PatternPanel, Verdict
from vecsim.data import load_builtin
from vecsim.formats import HiSM
from vecsim.formats.hism.image import default_position_bytes
from vecsim.formats.hism.level import Level

EXAMPLE = "laplace2d-8"
"""Ours: the entries of the paper's example are not printed."""
SECTION_SIZE = 8


def make(_: Request) -> Item:
    """Draw the format of an example, and check what the paper says of it."""
    hism = HiSM.from_scipy(load_builtin(EXAMPLE).csr, section_size=SECTION_SIZE)
    values, pointers = hism.levels
    return Item(
        "hism-fig1",
        "Figure 1: the format",
        f"A matrix of 64 x 64 with s = 8 as HiSM stores it: {EXAMPLE} in the place of the paper's example, "
        "whose entries are not printed. Left: the matrix, cut into blocks of 8 x 8. Middle: the block array "
        "of level 1, with the place of each pointer in memory. Right: the block array of the block at the "
        "top left, with the place of each value.",
        tuple(_rows(hism)),
        chart=_chart(values, pointers),
        verdicts=tuple(_verdicts(hism)),
    )


def _rows(hism: HiSM) -> Iterator[Comparison]:
    for number, level in enumerate(hism.levels):
        yield Comparison(f"level {number}", "block arrays", "", level.arrays)
        yield Comparison(f"level {number}", "entries", "", level.entries)


def _chart(values: Level, pointers: Level) -> PatternChart:
    csr = load_builtin(EXAMPLE).csr.tocoo()
    first = slice(0, int(values.array_ptr[1]))
    return PatternChart(
        "HiSM of a matrix of 64 x 64, s = 8",
        (
            PatternPanel("the matrix", 64, 8, tuple(zip(csr.row.tolist(), csr.col.tolist(), strict=True))),
            _numbered("level 1: pointers, column by column", pointers.row, pointers.column),
            _numbered("level 0, first block: values, row by row", values.row[first], values.column[first]),
        ),
        "Three patterns of squares: the non-zeros of the matrix in blocks, the blocks that are not empty, "
        "numbered as their pointers, and the first block, numbered as its values",
    )


def _numbered(title: str, rows: np.ndarray, columns: np.ndarray) -> PatternPanel:
    return PatternPanel(
        title,
        SECTION_SIZE,
        SECTION_SIZE,
        tuple(zip(rows.tolist(), columns.tolist(), strict=True)),
        tuple(map(str, range(len(rows)))),
    )


def _verdicts(hism: HiSM) -> Iterator[Verdict]:
    values, pointers = hism.levels
    yield _decoded(
        "The example has two levels: as many as blocks of s x s need to cover the matrix",
        len(hism.levels) == 2,
        f"{len(hism.levels)} levels",
    )
    blocks = [slice(begin, end) for begin, end in pairwise(values.array_ptr.tolist())]
    by_row = all(np.all(np.diff(values.row[each].astype(int)) >= 0) for each in blocks)
    by_column = bool(np.all(np.diff(pointers.column.astype(int)) >= 0))
    yield _decoded(
        "Values are stored row by row, pointers of level 1 column by column",
        by_row and by_column,
        f"in all {len(blocks)} block arrays of values, and in that of level 1",
    )
    yield _decoded(
        "A vector at level 1, as long as its block array, has the lengths of the arrays of level 0",
        len(blocks) == pointers.entries,
        f"{len(blocks)} lengths, {pointers.entries} pointers",
    )
    sizes = [size for size in (4, 64, 128, 256, 512) if default_position_bytes(size) == 1]
    yield _decoded(
        "If s < 256, a row or column position needs 8 bits",
        all(size in sizes for size in (4, 64, 128)),
        f"one byte for s = {', '.join(map(str, sizes))}",
    )


def _decoded(claim: str, holds: bool, detail: str) -> Verdict:
    return Verdict(claim, holds, detail, "decoded")
