"""Xhism: values against NumPy, what traps, and time against cycles worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.riscv.assembler import assemble
from isa.riscv.declaration import Trap
from isa.riscv.extensions import XHISM
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.riscv.execution import Execution, RiscvFault
from vecsim.riscv.timing.program import record, recorded_execution

HISM = frozenset([XHISM])
EXIT = "\nli a7, 93\nli a0, 0\necall\n"
DATA = "\n.data\n.balign 16\nx: .zero 40000\ny: .zero 40000\nrows: .zero 40000\nblock: .zero 90000\n"
GROUPS = {"mf2": 1, "m1": 1, "m2": 2, "m4": 4, "m8": 8}
MULTIPLY = """
    li a0, {entries}
    vsetvli t0, x0, e{sew}, {group}, ta, ma
    la a2, x
    la a3, y
    la a4, block
    vle{sew}.v v8, (a2)
    vle{sew}.v v0, (a3)
    vsetvli t0, a0, e{sew}, {group}, ta, ma
    {body}
    vsetvli t0, x0, e{sew}, {group}, ta, ma
    vse{sew}.v v0, (a3)
"""
BLOCK = "vldbei{size}.v v16, v24, (a4)\nvbmipa.vv v0, v8, v16, v24"

SLICES = """
    li a6, {number}
    li a7, {other}
    vsetvli t0, x0, e{sew}, {group}, ta, ma
    vldc.x a6, (a3)
    li t1, {kept}
    vsetvli t0, t1, e{sew}, {group}, ta, ma
    vldc.x a7, (a2)
    # Entries follow.
    vsetvli t0, a0, e{sew}, {group}, ta, ma
    vldbei16.v v16, v24, (a4)
    vbmipac.vx a6, v8, v16, v24
    vsetvli t0, x0, e{sew}, {group}, ta, ma
    vstc.x a6, (a3)
    vle{sew}.v v0, (a3)
    la a5, rows
    vstc.x a7, (a5)
"""


@st.composite
def cases(draw):
    """Draw VLEN, SEW, group and entries: values, columns and rows."""
    sew, group = draw(st.sampled_from([32, 64])), draw(st.sampled_from(["m1", "m2", "m4", "m8", "mf2"]))
    vlen = draw(st.sampled_from([128, 256, 1024, 16384]))
    if (sew, group) == (64, "mf2"):
        group = "m1"
    s = vlen // sew * GROUPS[group] // (2 if group == "mf2" else 1)
    count = draw(st.integers(0, s))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    kind = np.float32 if sew == 32 else np.float64
    values, x, y = (rng.standard_normal(n).astype(kind) for n in (count, s, s))
    return vlen, sew, group, s, values, rng.integers(0, s, count), rng.integers(0, s, count), x, y


def executed(text, vlen, inputs, y):
    """Run a program; return its y and what it was run by."""
    execution = Execution(
        assemble(f"_start:\n{text}{EXIT}{DATA}", extensions=HISM), vlen=vlen, memory_bytes=1 << 20
    )
    for name, array in inputs.items():
        execution.write(name, array)
    execution.run()
    return execution.read("y", y.dtype, len(y)), execution


@settings(max_examples=25, deadline=None)
@given(cases(), st.data())
def test_a_section_of_a_block_is_multiplied_in_the_order_of_its_entries(case, data):
    vlen, sew, group, s, values, columns, rows, x, y = case
    size = data.draw(st.sampled_from([8, 16] if s <= 256 else [16]))
    entries = np.zeros(
        len(values), [("value", values.dtype), ("column", f"<u{size // 8}"), ("row", f"<u{size // 8}")]
    )
    entries["value"], entries["column"], entries["row"] = values, columns, rows
    text = MULTIPLY.format(entries=len(values), sew=sew, group=group, body=BLOCK.format(size=size))
    result, _ = executed(text, vlen, {"x": x, "y": y, "block": entries.view(np.uint8)}, y)
    expected = y.copy()
    for value, column, row in zip(values, columns, rows, strict=True):
        expected[row] = expected[row] + value * x[column]
    assert np.array_equal(result, expected)


@settings(max_examples=25, deadline=None)
@given(cases(), st.data())
def test_a_slice_of_the_cache_is_added_to_in_the_place_of_a_group(case, data):
    vlen, sew, group, s, values, columns, rows, x, y = case
    chosen, other = data.draw(st.integers(0, s - 1)), data.draw(st.integers(0, s - 1))
    kept = data.draw(st.integers(0, s))
    entries = np.zeros(len(values), [("value", values.dtype), ("column", "<u2"), ("row", "<u2")])
    entries["value"], entries["column"], entries["row"] = values, columns, rows
    # The slice is taken modulo s. Of another one, loaded after it, as many elements stay as are not loaded.
    number = chosen + s * data.draw(st.integers(-1, 1))
    body = SLICES.format(number=number, other=other, kept=kept, sew=sew, group=group)
    text = MULTIPLY.format(entries=len(values), sew=sew, group=group, body=body)
    result, execution = executed(text, vlen, {"x": x, "y": y, "block": entries.view(np.uint8)}, y)
    cache = np.zeros((s, s), y.dtype)
    cache[chosen] = y
    cache[other, :kept] = x[:kept]
    for value, column, row in zip(values, columns, rows, strict=True):
        cache[chosen, row] = cache[chosen, row] + value * x[column]
    assert np.array_equal(result, cache[chosen])
    assert np.array_equal(execution.read("rows", y.dtype, s), cache[other])


@settings(max_examples=25, deadline=None)
@given(cases(), st.data())
def test_a_section_of_bbcs_is_multiplied_row_by_row(case, data):
    vlen, sew, group, s, values, columns, _, x, y = case
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    first, is_open, row, touched = 1000, False, 1000, []
    flags, expected = [], y.copy()
    for k in range(len(values)):
        kind = int(rng.integers(0, 2 if is_open else 3))  # goes on, ends its row, empty rows
        flags.append(kind)
        if kind == 2:
            values[k : k + 1].view(np.uint32)[0] = empty = int(rng.integers(1, 5))
            row += empty
            continue
        if not is_open:
            touched.append(row)
        expected[len(touched) - 1] += values[k] * x[columns[k]]
        is_open = kind == 0
        row += kind
    width = 1 if s <= 64 else 2
    entries = np.zeros(len(values), [("value", values.dtype), ("descriptor", f"<u{width}")])
    entries["value"], entries["descriptor"] = values, columns + s * np.array(flags, int)
    body = f"li t1, {first}\ncsrw rowptr, t1\nvlds.v v16, v24, v8, (a4)\nla a5, rows\nvse{sew}.v v8, (a5)\n"
    body += (
        f"csrr s0, rowptr\ncsrr s1, rowcount\nvsetvli t0, x0, e{sew}, {group}, ta, ma\nvle{sew}.v v8, (a2)\n"
    )
    body += f"vsetvli t0, a0, e{sew}, {group}, ta, ma\nvmipa.vv v0, v8, v16, v24"
    text = MULTIPLY.format(entries=len(values), sew=sew, group=group, body=body)
    result, execution = executed(text, vlen, {"x": x, "y": y, "block": entries.view(np.uint8)}, y)
    assert np.array_equal(result, expected)
    assert execution.hart.x[[8, 9]].tolist() == [row, len(touched)]
    assert execution.read("rows", f"<u{sew // 8}", len(touched)).tolist() == touched


def test_sums_and_products_are_rounded_one_after_the_other():
    entries = np.array([(1 + 2**-12, 0, 0)], [("value", "<f4"), ("column", "u1"), ("row", "u1")])
    x, y = np.full(4, 1 + 2**-12, np.float32), np.full(4, -(1 + 2**-11), np.float32)
    text = MULTIPLY.format(entries=1, sew=32, group="m1", body=BLOCK.format(size=8))
    result, _ = executed(text, 128, {"x": x, "y": y, "block": entries.view(np.uint8)}, y)
    assert result[0] == 0  # 2**-24 was rounded off


@pytest.mark.parametrize(
    ("configuration", "instruction", "trap"),
    [
        ("e16, m1", "vldbei8.v v1, v2, (a0)", Trap.ILLEGAL),
        ("e8, m1", "vbmipa.vv v1, v2, v3, v4", Trap.ILLEGAL),
        ("e32, m2", "vldbei8.v v1, v2, (a0)", Trap.ILLEGAL),
        ("e32, m1", "vldbei8.v v2, v2, (a0)", Trap.ILLEGAL),
        ("e32, m2", "vlds.v v2, v4, v4, (a0)", Trap.ILLEGAL),
        ("e32, m4", "vbmipa.vv v4, v8, v4, v12", Trap.ILLEGAL),
        ("e32, m1", "vmipa.vv v4, v4, v5, v6", Trap.ILLEGAL),
        ("e32, m1", "csrwi vstart, 1\nvldbei8.v v1, v2, (a0)", Trap.ILLEGAL),
        ("e32, m1", "csrwi frm, 5\nvbmipa.vv v1, v2, v3, v4", Trap.ILLEGAL),
        ("e32, m1", "vldbei8.v v1, v2, (x0)", Trap.LOAD_FAULT),
        ("e64, m1", "li a1, 0x1fff0\nvlds.v v1, v2, v3, (a1)", Trap.LOAD_FAULT),
        ("e16, m1", "vldc.x a1, (a0)", Trap.ILLEGAL),
        ("e8, m1", "vstc.x a1, (a0)", Trap.ILLEGAL),
        ("e16, m1", "vbmipac.vx a1, v1, v2, v3", Trap.ILLEGAL),
        ("e32, m2", "vbmipac.vx a1, v2, v5, v6", Trap.ILLEGAL),
        ("e32, m1", "csrwi vstart, 1\nvldc.x a1, (a0)", Trap.ILLEGAL),
        ("e32, m1", "csrwi frm, 5\nvbmipac.vx a1, v1, v2, v3", Trap.ILLEGAL),
        ("e32, m1", "vldc.x a1, (x0)", Trap.LOAD_FAULT),
        ("e32, m1", "vstc.x a1, (x0)", Trap.STORE_FAULT),
        ("e32, m1", "li a1, 0x1fff0\nvstc.x a1, (a1)", Trap.STORE_FAULT),
    ],
)
def test_what_traps(configuration, instruction, trap):
    text = f"la a0, x\nvsetvli t0, x0, {configuration}, ta, ma\n{instruction}{EXIT}\n.data\nx: .zero 100"
    with pytest.raises(RiscvFault) as caught:
        Execution(assemble(text, extensions=HISM), vlen=256, memory_bytes=1 << 16).run()
    assert caught.value.trap == trap


MACHINE = load_machine(
    "vs2003",
    [
        *("memory_ports=1", "words_per_cycle=1", "startup=5", "banks=64", "alignment_bytes=4"),
        *("issue_width=1", "branch_penalty=0", "sparse_unit.p=2", "sparse_unit.r=1", "sparse_unit.latency=7"),
    ],
)


def cycles(text, vlen, dlen, **inputs):
    """Return the cycles of a program, on which both engines agree."""
    program = assemble(f"_start:\n{text}{EXIT}{DATA}", extensions=HISM)
    machine = MACHINE.changed({"riscv.vlen": vlen, "riscv.dlen": dlen})
    execution = recorded_execution(program, machine.riscv, memory_bytes=1 << 20)
    for name, array in inputs.items():
        execution.write(name, array)
    timed = record(execution)
    both = [
        run(timed.program, timed.memory, timed.machine(machine), engine=each) for each in ("jit", "simpy")
    ]
    assert both[0].cycles == both[1].cycles
    assert both[0].counters == both[1].counters
    assert np.array_equal(both[0].attribution.attributed, both[1].attribution.attributed)
    return both[0].cycles


def cycles_of_products(rows, group="m1", after=""):
    """Return the cycles of a program that multiplies entries in these rows, which are loaded before."""
    text = f"la a4, block\nvsetvli t0, x0, e32, {group}, ta, ma\nvle32.v v24, (a4)\n"
    text += f"vmv.x.s t1, v{23 + GROUPS[group]}\nadd t1, t1, t1\n"  # all positions have arrived
    text += f"vsetivli t0, {len(rows)}, e32, {group}, ta, ma\nvbmipa.vv v0, v8, v16, v24\n"
    return cycles(text + after, 256, 64, block=np.array(rows, np.uint32) << 16)


@pytest.mark.parametrize(
    ("rows", "taken"),
    [
        ([0, 0, 0, 0], 2),  # p = 2 of one row in a cycle
        ([0, 1, 2, 3], 4),  # r = 1 row in a cycle
        ([0, 0, 1, 1, 1, 2], 4),
        ([0, 1, 1, 2, 2, 2, 3, 3], 5),  # 1, 1 go together, though each is in another group of two
    ],
)
def test_the_unit_takes_p_entries_in_r_rows_a_cycle(rows, taken):
    assert cycles_of_products(rows) - cycles_of_products(rows[:1]) == taken - 1


def test_sums_of_a_group_are_forwarded_to_the_next_product():
    # The second product adds to the same group: it begins when the first has started its last entry.
    rows = [0] * 16
    one = cycles_of_products(rows, "m2")
    assert cycles_of_products(rows, "m2", "vbmipa.vv v0, v8, v16, v24\n") - one == 8
    # A store of the second register of the group waits for the last sum; its startup is over by then.
    stored = "vsetivli t0, 8, e32, m1, ta, ma\nvse32.v v1, (a4)\n"
    assert cycles_of_products(rows, "m2", stored) - one == 8


CACHED = """
    la a4, block
    vsetivli t0, 8, e32, m1, ta, ma
    vle32.v v24, (a4)
    vmv.x.s t1, v24
    add t1, t1, t1
    {}
"""


def cycles_with_cache(body):
    """Return the cycles after positions in rows 0 to 7 have arrived; a row has its sums in one cycle."""
    rows = np.arange(8, dtype=np.uint32) << 16
    whole = cycles(CACHED.format(body), 256, 64, block=rows)
    return whole - cycles(CACHED.format(""), 256, 64, block=rows)


def test_products_wait_for_slices_and_stores_for_sums():
    product = "vbmipac.vx zero, v8, v16, v24\n"
    # 8 rows in 8 cycles, and another 8 of a product to the same slice: its sums are forwarded.
    one = cycles_with_cache(product)
    assert cycles_with_cache(2 * product) - one == 8
    # A slice is stored when its sums are there: it issues 7 cycles after the last entry and takes 5 + 8.
    assert cycles_with_cache(product + "vstc.x zero, (a4)") - one == 5 + 8
    # A product waits for what is loaded: 5 + 8 cycles.
    load = "vldc.x zero, (a4)\n"
    assert cycles_with_cache(load + product) - one == 5 + 8
    # Slices are loaded one after the other: the startup of the second is hidden.
    assert cycles_with_cache(2 * load + product) - cycles_with_cache(load + product) == 8
