"""The page for users of RISC-V: complete, and RVV as LLVM's assembler knows it."""

import re
import shutil
import subprocess
from itertools import chain

import pytest

from docs.tables.riscv import COUNTERPARTS
from isa.declaration import Timing
from isa.instructions import BASE

REGISTERS = {"vd": "v4", "va": "v8", "vb": "v12", "vi": "v16", "vt": "v20", "vu": "v24"}
LLVM = "llvm-mc", "-triple=riscv64", "-mattr=+m,+f,+d,+v"


def is_vector(row):
    return (
        "vl" in row.writes
        or row.mask != ""
        or (row.access is not None and row.timing is Timing.ACCESS)
        or any(operand.kind in "vs" for operand in row.operands)
    )


def operands_of(line):
    return re.findall(r"\b[vxf][a-z]\b", line.partition(" ")[2])


def test_every_vector_instruction_has_one_line():
    named = list(chain.from_iterable(each.classic for each in COUNTERPARTS))
    assert sorted(named) == sorted(row.mnemonic for row in BASE.instructions if is_vector(row))


def test_operands_are_those_of_the_classic_instruction():
    for each in COUNTERPARTS:
        rows = [BASE.by_mnemonic[name] for name in each.classic]
        classic = {operand.name for row in rows for operand in row.operands}
        for name in chain.from_iterable(map(operands_of, each.rvv)):
            assert name in classic | {"vt", "vu", "xt"} or name == "vl", each


def test_what_differs_says_why_there_is_no_counterpart():
    assert all(each.differs for each in COUNTERPARTS if not each.rvv)


@pytest.mark.skipif(shutil.which(LLVM[0]) is None, reason="llvm-mc, LLVM's assembler, is not installed")
def test_llvm_assembles_the_instructions_of_rvv():
    lines = []
    for line in chain.from_iterable(each.rvv for each in COUNTERPARTS):
        name, _, operands = line.partition(" ")
        for operand in set(operands_of(line)) - {"vl"}:
            register = REGISTERS.get(operand) or f"{operand[0]}1{'abcdist'.index(operand[1])}"
            operands = re.sub(rf"\b{operand}\b", register, operands)
        lines.append(f"{name} {operands}")
    text = "\n".join(lines)
    done = subprocess.run(LLVM, input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
