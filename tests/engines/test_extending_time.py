"""What docs/extending-time.md shows: its extension runs as it stands there, and its cycles are today's."""

import re
from pathlib import Path

import numpy as np
import pytest

from isa.assembler import assemble
from programs.measurement import measure
from programs.registry import PROGRAMS
from vecsim.engines.running import run
from vecsim.machine import load_machine

PAGE = (Path(__file__).parents[2] / "docs" / "extending-time.md").read_text(encoding="utf-8")
STREAM = """
    li      x1, 64
    setvl   x1
    li      x2, 20
again:
    lv.w    v1, (zero)
    addi    x2, x2, -1
    bne     x2, zero, again
    halt
"""


def table():
    """Yield the page's rows: matrix, program, cycles without and with each extension."""
    names = {program.title: name for name, program in PROGRAMS.items()}
    matrix = ""
    for line in PAGE[PAGE.index("Cycles on `vs2003`") :].splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[1] in names:
            matrix = cells[0] or matrix
            yield matrix, names[cells[1]], [int(cell.replace(",", "")) for cell in cells[2:]]


@pytest.fixture
def extension(tmp_path):
    """Return the page's extension as a file."""
    (text,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    file = tmp_path / "refresh.py"
    file.write_text(text)
    return file


@pytest.mark.parametrize("engine", ["simpy", pytest.param("jit", marks=pytest.mark.nightly)])
def test_a_fourth_extension_from_the_text(extension, engine):
    def stream(*changes, extend=()):
        machine = load_machine("vs2003", changes, extend)
        return run(assemble(STREAM), np.zeros(1 << 12, np.uint8), machine, engine=engine)

    plain = stream()
    assert stream("refresh.length=1", "refresh.period=10000", extend=[extension]).cycles == plain.cycles
    often = stream("refresh.length=10", "refresh.period=100", extend=[extension])
    # 20 accesses of 64 words, 4 in a cycle: a refresh of 10 of 100 cycles hits the stream several times.
    assert often.counters["refresh.refreshes"] >= 3
    assert often.cycles == plain.cycles + 10 * often.counters["refresh.refreshes"]


def test_the_cycles_of_the_page_in_the_reference():
    matrix, program, cycles = next(row for row in table() if row[:2] == ("randomwalk-30", "hism"))
    actual = [measure(program, matrix, machine, engine="simpy").cycles for machine in extended()]
    assert actual == cycles


@pytest.mark.parametrize(
    ("matrix", "program", "cycles"),
    [
        pytest.param(*row, marks=pytest.mark.nightly)  # another engine for each extension
        for row in table()
    ],
)
def test_the_cycles_of_the_page(matrix, program, cycles):
    assert [measure(program, matrix, machine).cycles for machine in extended()] == cycles


def extended():
    """Return the machines of the page's table, from left to right."""
    return [load_machine("vs2003", extend=[name] if name else []) for name in ("", *ORDER)]


ORDER = ("open_rows", "gather_cache", "coalescing")
