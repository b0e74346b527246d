"""Draw the hierarchy of HiSM: a block of pointers, and the blocks of values that they lead to."""

from __future__ import annotations

from typing import Any

from docs.pictures.draw_formats import SECTION_SIZE, example
from docs.pictures.svg import COLOURS, FAINT, INK, MUTED, Drawing
from gpu.format_registry import FORMATS

SIDE = 26
GAP = 150
TOP = 160


def draw_hierarchy() -> str:
    """Draw the matrix of the formats' pictures as HiSM has it: level 1 above, the arrays of level 0 below."""
    hism = FORMATS["hism"].from_scipy(example(), section_size=SECTION_SIZE)
    values, pointers = hism.levels
    blocks = len(pointers.row)
    result = Drawing(
        40 + blocks * GAP, 320, "The hierarchy of HiSM: level 1 points to four block arrays of level 0"
    )
    left = 20 + (blocks * GAP - SECTION_SIZE * SIDE) / 2
    result.text(left - 12, 40, "level 1: pointers", anchor="end")
    result.text(
        20,
        TOP + SECTION_SIZE * SIDE + 38,
        "level 0: values; the numbers below are the order in memory",
        size=11,
        fill=MUTED,
    )
    _grid(result, left, 20)
    for k, (row, column) in enumerate(zip(pointers.row.tolist(), pointers.column.tolist(), strict=True)):
        x, y = left + column * SIDE, 20 + row * SIDE
        below = 20 + k * GAP + 10
        result.box(x, y, SIDE, SIDE, COLOURS[0], opacity=0.25)
        result.text(x + SIDE / 2, y + 18, f"p{k}", anchor="middle")
        result.line(x + SIDE / 2, y + SIDE, below + SECTION_SIZE * SIDE / 2, TOP - 22, COLOURS[0], 1.2)
        result.text(below + SECTION_SIZE * SIDE / 2, TOP - 8, f"p{k}", anchor="middle", fill=MUTED)
        _grid(result, below, TOP)
        _values(result, hism.values, values, k, below)
    return result.finished()


def _values(result: Drawing, numbers: Any, level: Any, block: int, left: float) -> None:
    begin, end = level.array_ptr[block : block + 2].tolist()
    for k in range(begin, end):
        x, y = left + level.column[k] * SIDE, TOP + level.row[k] * SIDE
        result.box(x, y, SIDE, SIDE, COLOURS[2], opacity=0.25)
        result.text(x + SIDE / 2, y + 18, f"{numbers[k]:g}", anchor="middle")
    order = " ".join(f"{number:g}" for number in numbers[begin:end].tolist())
    result.text(
        left + SECTION_SIZE * SIDE / 2,
        TOP + SECTION_SIZE * SIDE + 16,
        order,
        size=11,
        anchor="middle",
        fill=INK,
    )


def _grid(result: Drawing, x: float, y: float) -> None:
    for row in range(SECTION_SIZE):
        for column in range(SECTION_SIZE):
            result.box(x + column * SIDE, y + row * SIDE, SIDE, SIDE, "none", edge=FAINT)
    result.box(x, y, SECTION_SIZE * SIDE, SECTION_SIZE * SIDE, "none", edge=INK)
