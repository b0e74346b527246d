"""Which registers the parts of an instruction read and write: an example of each kind."""

import numpy as np
import pytest

from isa.riscv.declaration import Timing
from isa.riscv.extensions import CUSTOM
from isa.riscv.instructions import NUMBERS, ROWS
from isa.riscv.state import COLUMNS, INSTRUCTION, RD, RS1, RS2, VM
from vecsim.machine.riscv import Riscv
from vecsim.riscv.nodes.node import VILL, node_of

E32_M2, E8_M8 = 0b010001, 0b000011


def node(mnemonic, vtype=E32_M2, vm=1):
    code = np.zeros(COLUMNS, np.int64)
    code[[INSTRUCTION, RD, RS1, RS2, VM]] = NUMBERS[mnemonic], 8, 16, 24, vm
    return node_of(code, vtype, Riscv(vlen=512))


def lists(part):
    return part.reads, part.writes, part.whole_reads, part.whole_writes


@pytest.mark.parametrize(
    ("mnemonic", "bits", "parts"),
    [
        ("vadd.vv", 32, [((24, 16), (8,), (), ()), ((25, 17), (9,), (), ())]),
        ("vmacc.vx", 32, [((24, 8), (8,), (), ()), ((25, 9), (9,), (), ())]),
        ("vmseq.vv", 32, [((24, 16), (), (8,), (8,)), ((25, 17), (), (), (8,))]),
        (
            "vnsrl.wi",
            64,
            [((24,), (), (), (8,)), ((25,), (), (), (8,)), ((26,), (), (), (9,)), ((27,), (), (), (9,))],
        ),
        ("vredsum.vs", 32, [((24,), (), (16,), (8,)), ((25,), (), (), (8,))]),
        ("vmand.mm", 1, [((24, 16), (8,), (), ())]),
        ("vcpop.m", 32, [((), (), (24,), ())]),
        ("vmv.s.x", 32, [((), (8,), (), ())]),
        ("vrgather.vv", 32, [((16,), (8,), (24, 25), ()), ((17,), (9,), (24, 25), ())]),
        ("vzext.vf4", 32, [((), (8,), (24,), ()), ((), (9,), (24,), ())]),
        ("vlseg3e8.v", 8, [((), (8,), (), ()), ((), (9,), (), ()), ((), (10,), (), ())]),
        ("vsuxei64.v", 32, [((8,), (), (24, 25, 26, 27), ()), ((9,), (), (24, 25, 26, 27), ())]),
        ("vl2re16.v", 8, [((), (8,), (), ()), ((), (9,), (), ())]),
    ],
)
def test_parts(mnemonic, bits, parts):
    actual = node(mnemonic)
    assert actual.bits == bits
    assert [lists(p) for p in actual.parts] == parts


def test_a_mask_is_read_by_every_part():
    assert [part.whole_reads for part in node("vadd.vv", vm=0).parts] == [(0,), (0,)]
    assert [part.whole_reads for part in node("vmerge.vvm").parts] == [(0,), (0,)]


def test_every_row_is_a_node():
    for row in ROWS:
        for vtype in (E32_M2, E8_M8, VILL):
            vector = row.timing >= Timing.CONFIGURE
            if vector and vtype == VILL and ("ei" in row.mnemonic or row.extension in CUSTOM):
                continue  # indexes of no width: it traps before
            made = node(row.mnemonic, vtype)
            configures = row.mnemonic.startswith("vset")
            assert bool(made.parts) == (vector and not configures), row.mnemonic
            if made.parts and vtype == E32_M2:
                touched = [r for p in made.parts for each in (*lists(p), p.accumulators) for r in each]
                assert max(touched, default=0) < 64, row.mnemonic


def test_scalar_accesses_have_their_bytes():
    sizes = {"lbu": 1, "lh": 2, "flw": 4, "fsd": 8, "sd": 8, "amoadd.w": 4, "lr.d": 8}
    assert {name: node(name).value_bytes for name in sizes} == sizes
