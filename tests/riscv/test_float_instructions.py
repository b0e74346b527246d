"""Scalar float instructions: what is around the arithmetic, which other tests hold to exact numbers."""

import numpy as np
import pytest

from isa.riscv.assembler import assemble
from isa.riscv.declaration import Trap
from isa.riscv.state import FFLAGS
from vecsim.riscv.execution import Execution, RiscvFault

NAN, BOXED_NAN, ONE = 0x7FF8000000000000, 0xFFFFFFFF7FC00000, 0xFFFFFFFF3F800000


def run(text, a=0, b=0, **floats):
    """Run a text that begins with a in a0, b in a1, and bits in float registers; return the state."""
    execution = Execution(assemble(f"{text}\nret"))
    execution.hart.x[[10, 11]] = np.array([a, b], np.uint64).view(np.int64)
    for name, bits in floats.items():
        execution.hart.f[int(name[1:])] = bits
    return execution.run().hart


def test_a_binary32_is_boxed_in_ones():
    hart = run(
        "fadd.s f3, f1, f2\nfmv.w.x f4, a0\nfsgnj.s f5, f6, f6", a=0x123400000001, f1=ONE, f2=ONE, f6=1
    )
    assert [hex(hart.f[number]) for number in (3, 4)] == [hex(0xFFFFFFFF40000000), hex(0xFFFFFFFF00000001)]
    assert hart.f[5] == BOXED_NAN  # what is not boxed is a NaN


def test_moves_and_stores_take_the_bits_as_they_are():
    text = """
        addi sp, sp, -16
        fsw  f1, (sp)
        flw  f2, (sp)
        fsd  f1, 8(sp)
        fld  f3, 8(sp)
        fmv.x.w a0, f1
        fmv.x.d a1, f1
        lw   a2, (sp)
        addi sp, sp, 16
    """
    hart = run(text, f1=0x1234567880000001)
    assert hart.f[2] == 0xFFFFFFFF80000001
    assert hart.f[3] == 0x1234567880000001
    assert hart.x[10] == hart.x[12] == -0x7FFFFFFF
    assert hart.x[11] == 0x1234567880000001


def test_an_unsigned_word_is_sign_extended():
    hart = run(
        "fcvt.wu.d a0, f1\nfcvt.w.d a1, f1\nfcvt.lu.d a2, f2", f1=0x41EFFFFFFFE00000, f2=0xBFE0000000000000
    )
    assert list(hart.x[[10, 11, 12]]) == [-1, 0x7FFFFFFF, 0]
    assert hart.control[FFLAGS] == 0x10 | 0x01


def test_the_low_word_is_converted():
    hart = run("fcvt.d.w f1, a0\nfcvt.d.wu f2, a0\nfcvt.s.wu f3, a1", a=0x5FFFFFFFF, b=0xFFFFFFFF00000001)
    assert hart.f.view(np.float64)[[1, 2]].tolist() == [-1, 2**32 - 1]
    assert hart.f[3] == ONE


def test_flags_add_up_and_can_be_cleared():
    text = "fdiv.d f1, f2, f0\nfrflags a0\nfsqrt.d f1, f3\nfrflags a1\nfsflags x0\nfadd.d f1, f2, f2"
    hart = run(text, f2=0x3FF0000000000000, f3=0xBFF0000000000000)
    assert list(hart.x[[10, 11]]) == [0x08, 0x18]
    assert hart.control[FFLAGS] == 0


@pytest.mark.parametrize(
    ("mode", "nearest_above"), [("rne", 0), ("rtz", 0), ("rdn", 0), ("rup", 1), ("rmm", 0)]
)
def test_rounding_by_instruction_and_by_frm(mode, nearest_above):
    number = ("rne", "rtz", "rdn", "rup", "rmm").index(mode)
    text = f"fsrmi {number}\nfadd.d f3, f1, f2\nfsrmi {4 - number}\nfadd.d f4, f1, f2, {mode}"
    hart = run(text, f1=0x3FF0000000000000, f2=0x3C00000000000000)  # 1 + 2**-63
    assert hart.f[3] == hart.f[4] == 0x3FF0000000000000 + nearest_above


@pytest.mark.parametrize(
    "text",
    [
        "fsrmi 5\nfadd.s f1, f1, f1",
        "fsrmi 7\nfcvt.w.d a0, f1",
        "fsrmi 6\nfcvt.s.d f1, f1",
        "fsrmi 5\nfcvt.s.l f1, a0",
        ".word 0x00005053",  # fadd.s with the rounding mode 5
        ".word 0xd2006053",  # fcvt.d.w with 6
    ],
)
def test_a_rounding_mode_that_there_is_not_is_illegal(text):
    with pytest.raises(RiscvFault) as caught:
        run(text)
    assert caught.value.trap == Trap.ILLEGAL


def test_a_rounding_mode_of_frm_is_not_asked_for_when_nothing_is_rounded():
    hart = run("fsrmi 5\nfmin.d f1, f2, f2\nfcvt.d.w f3, a0\nfeq.d a1, f1, f2", a=1, f2=NAN)
    assert hart.f[1] == NAN
    assert hart.f[3] == 0x3FF0000000000000
    assert hart.x[11] == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("fmadd", 7), ("fmsub", 5), ("fnmsub", -5), ("fnmadd", -7)],
)
def test_the_signs_of_fused_operations(text, expected):
    values = {f"f{k + 1}": int(np.float64(value).view(np.uint64)) for k, value in enumerate((2, 3, 1))}
    hart = run(f"{text}.d f4, f1, f2, f3", **values)
    assert hart.f.view(np.float64)[4] == expected
