"""What the tests of the debugger run."""

import numpy as np

from programs.measurement import prepare_product
from programs.registry import find
from vecsim.data import load
from vecsim.debugger.debugger import Debugger
from vecsim.debugger.target import Target
from vecsim.machine import load_machine

KERNEL = """\
# doubles four floats, adds up 3 + 2 + 1
.reg left, x5
.equ PLACE, 256
        li      x3, PLACE
        li      left, 3
        li      x4, 4
        setvl   x4
        lv.w    v1, (x3)
        addvv.s v2, v1, v1
        sv.w    v2, 64(x3)
again:  add     x6, x6, left
        addi    left, left, -1
        bnez    left, again
        sw      x6, 128(x3)
        halt
"""
MACHINE = {"section_size": 16, "issue_width": 2}


def kernel(text=KERNEL, machine="vs2003", **changes):
    """A program of a screen, on memory that holds 1, 2, 3, 4 at PLACE."""
    memory = np.zeros(1024, np.uint8)
    memory[256:272] = np.array([1, 2, 3, 4], np.float32).view(np.uint8)
    described = load_machine(machine, [f"{name}={value}" for name, value in (MACHINE | changes).items()])
    return Target("kernel", "kernel.s", text, memory, described)


def hism(matrix="laplace2d-5"):
    """HiSM, plain, on a small matrix, in sections of 16."""
    machine = load_machine("vs2003", ["section_size=16"])
    prepared = prepare_product("hism", load(matrix), machine, options={"schedule": "plain"})
    program = find("hism")
    path = program.text("plain").file
    symbols = program.symbols(prepared.options) | dict(prepared.loaded.symbols)
    text = path.read_text(encoding="utf-8")
    target = Target(f"hism on {matrix}", path.name, text, prepared.loaded.memory, machine, symbols)
    return target.with_files(path.parent)


def debugger(target=None, **how):
    return Debugger(target or kernel(), **how)
