"""What an illegal instruction is called. The words are those that LLVM's assembler writes."""

import numpy as np
import pytest

from isa.riscv.encoding import decoded_text, encode
from isa.riscv.refusals import why_illegal
from isa.riscv.state import FRM, VL, VSTART, VTYPE
from vecsim.riscv.hart import new_hart


@pytest.fixture
def hart():
    return new_hart(np.zeros(16, np.uint8), 0, decoded_text(b""), 0, 128)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (0x30200073, "mret, which is privileged, is not supported"),
        (0x12B50073, "sfence.vma, which is privileged, is not supported"),
        (0x0045200F, "an operation on cache blocks (Zicbom, Zicboz) is not supported"),
        (0x00051507, "flh (half floats, Zfh) is not supported"),
        (0x00A51127, "fsh (half floats, Zfh) is not supported"),
        (0x04C5F553, "an operation on half floats (Zfh) is not supported"),
        (0x6CC5F54B, "a fused operation on half floats (Zfh) is not supported"),
        (0x0EC5D533, "czero (Zicond) is not supported"),
        (0x48C5D533, "bext (Zbs) is not supported"),
        (0x6A859513, "binvi (Zbs) is not supported"),
        (0x0AC5B533, "clmul (Zbc) is not supported"),
        (0xA22120F7, "vector cryptography is not supported"),
        (0xFFFFFFFF, "no instruction has these bits"),
        (0x8002, "its encoding is reserved"),
        (encode("csrrs", {"csr": 0x305}), "the control register mtvec (0x305) is not supported"),
        (encode("csrrs", {"csr": 0x7C0}), "the control register 0x7c0 is not supported"),
        (encode("csrrw", {"csr": 0xC20}), "the control register vl (0xc20) cannot be written"),
        (encode("csrrsi", {"csr": 0xC22}), "bits of the control register vlenb (0xc22) cannot be changed"),
        (encode("fadd.d", {"rm": 5}), "5 is no rounding mode"),
        (encode("vadd.vv", {"vm": 1}), "vtype is not set, or to what this machine has not (vill)"),
    ],
)
def test_the_reason(hart, word, message):
    assert why_illegal(hart, word) == message


def test_reasons_that_depend_on_the_state(hart):
    hart.control[FRM] = 6
    assert why_illegal(hart, encode("fadd.s", {"rm": 7})) == "frm is 6, which is no rounding mode"
    hart.control[[VTYPE, VL, VSTART]] = 2 << 3 | 2, 7, 3
    expected = "its registers or its element width are reserved with e32, m4, tu, mu, vl 7, vstart 3"
    assert why_illegal(hart, encode("vle32.v", {"vd": 1, "vm": 1})) == expected
    expected = "vstart is 3: only loads and stores go on in the middle"
    assert why_illegal(hart, encode("vadd.vv", {"vd": 4, "vm": 1})) == expected
    hart.control[VSTART] = 0
    expected = "frm is 6, which is no rounding mode"
    assert why_illegal(hart, encode("vfadd.vv", {"vd": 4, "vm": 1})) == expected
    expected = "its registers or its element width are reserved with e32, m4, tu, mu, vl 7"
    assert why_illegal(hart, encode("vadd.vv", {"vd": 1, "vm": 1})) == expected
