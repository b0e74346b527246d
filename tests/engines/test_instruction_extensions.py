"""The instructions that come with vecsim as extensions, worked by hand, and equal in all engines."""

import ast
from pathlib import Path

import numpy as np
import pytest

import vecsim.extensions
from isa.assembler import assemble
from vecsim.engines.running import run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Extension, extensions_of, instruction_set_of, load_machine
from vecsim.support.errors import UserError

FOLDER = Path(vecsim.extensions.__file__).parent
SHIPPED = ("transposition", "register_gather", "scratchpad_gather")
MOST_LINES = 60

REGISTER_GATHER = """
    .data 1024
x:  .float 1, 2, 3, 4
a:  .float 10, 20, 30, 40
at: .word 3, 0, 0, 2
    .text
    li      x1, 4
    setvl   x1
    lv.w    v1, x(x0)
    lv.w    v2, a(x0)
    lv.w    v3, at(x0)
    movvx   v4, x0
    maddi.s v4, v2, v1, v3
    maddi.s v4, v2, v1, v3
    sv.w    v4, 2048(x0)
    halt
"""
SCRATCHPAD = """
    .data 1024
x:  .word 10, 11, 12, 13, 14, 15, 16, 17
    .text
    li      x1, 8
    li      x2, 0
    li      x3, x
    ldc.w   x2, (x3), x1
    li      x1, 4
    setvl   x1
    li      x4, 2
    cvi     v1, x4
    lvx     v2, v1, x0
    sv.w    v2, 2048(x0)
    addvv.w v2, v2, v2
    svx     v2, v1, x0
    lvx     v3, v1, x0
    sv.w    v3, 2064(x0)
    halt
"""


def ran(text, name, engine, *changes, **more):
    machine = load_machine("vs2003", changes, [name])
    program = assemble(text, instruction_set=instruction_set_of(machine.extensions))
    return run(program, np.zeros(4096, np.uint8), machine, engine=engine, **more)


ENGINES = [
    "simpy",
    pytest.param("jit", marks=pytest.mark.ci),
    pytest.param("jit-multiport", marks=pytest.mark.nightly),
]


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_of_products_with_elements_of_a_register(engine):
    result = ran(REGISTER_GATHER, "register_gather", engine)
    assert result.state.memory[2048:2064].view(np.float32).tolist() == [80, 40, 60, 240]
    assert result.cycles == ran(REGISTER_GATHER, "register_gather", "simpy").cycles


@pytest.mark.parametrize("engine", ENGINES)
def test_a_scratchpad_by_index(engine):
    result = ran(SCRATCHPAD, "scratchpad_gather", engine)
    assert result.state.memory[2048:2080].view(np.int32).tolist() == [10, 12, 14, 16, 20, 24, 28, 32]
    assert result.cycles == ran(SCRATCHPAD, "scratchpad_gather", "simpy").cycles


def test_the_scratchpad_waits_until_it_is_filled():
    def first_gather(startup):
        result = ran(
            SCRATCHPAD, "scratchpad_gather", "simpy", f"startup={startup}", timeline=TimelineRequest()
        )
        return result.timeline["first"][8]

    assert first_gather(120) == first_gather(20) + 100


@pytest.mark.parametrize("name", SHIPPED)
def test_each_is_a_short_file(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node):
            first = node.body[0]
            lines[first.lineno - 1 : first.end_lineno] = [""] * (first.end_lineno - first.lineno + 1)
    assert len([line for line in lines if line.strip()]) <= MOST_LINES


def test_all_go_together():
    mnemonics = instruction_set_of(extensions_of(SHIPPED)).by_mnemonic
    assert {"stcr", "ldcc", "stb.w", "maddi.s", "maddi.d", "lvx", "svx"} <= set(mnemonics)


@pytest.mark.parametrize(
    ("opcode", "syntax", "message"),
    [
        (
            0x10,
            "vd=, va",
            "extension mine: two: opcode 0x10 must be in the range for extensions, 0xe0 to 0xff",
        ),
        (0xE0, "vd=, va", "extension mine: declared twice: opcode 224"),
        (0xE1, "vd=, q", "extension mine: operand 'q' is malformed"),
    ],
)
def test_a_declaration_that_does_not_fit(opcode, syntax, message):
    mine = Extension("mine", "one instruction and another")
    mine.instruction("one", 0xE0, "vd=, va", "")(lambda m, n, d, a: None)
    with pytest.raises(UserError, match=message):
        mine.instruction("two", opcode, syntax, "")(lambda m, n, d, a: None)


def test_two_extensions_with_one_opcode():
    results = [Extension(name, "") for name in ("first", "second")]
    for each in results:
        each.instruction(each.name, 0xE0, "vd=, va", "")(lambda m, n, d, a: None)
    with pytest.raises(UserError, match=r"of extensions \(first, second\): declared twice: opcode"):
        instruction_set_of(tuple(results))
