"""Each number that RISC-V programs read changes cycles as its rule says (docs/timing.md)."""

import pytest
from timed_runs import MACHINE, cycles_of

from vecsim.machine.riscv import Cost, Riscv, TreeCost
from vecsim.support.errors import UserError

# Groups of a register, and values of a group: 256 bits in groups of 64.
WORDS, DOUBLES, BITS = (4, 2), (8, 1), (1, 8)
OF_CLASS = {
    "integer": ("vadd.vv {}, v16, v24", WORDS),
    "compare": ("vmseq.vv {}, v16, v24", WORDS),
    "narrow": ("vnsrl.wi {}, v16, 1", DOUBLES),
    "multiply": ("vmul.vv {}, v16, v24", WORDS),
    "divide": ("vdiv.vv {}, v16, v24", WORDS),
    "fixed": ("vsadd.vv {}, v16, v24", WORDS),
    "float": ("vfadd.vv {}, v16, v24", WORDS),
    "float_divide": ("vfdiv.vv {}, v16, v24", WORDS),
    "estimate": ("vfrec7.v {}, v16", WORDS),
    "reduction": ("vredsum.vs {}, v16, v24", WORDS),
    "float_sum": ("vfredusum.vs {}, v16, v24", WORDS),
    "ordered_sum": ("vfredosum.vs {}, v16, v24", WORDS),
    "mask": ("vmand.mm {}, v16, v24", BITS),
    "mask_prefix": ("vid.v {}", WORDS),
    "slide": ("vslideup.vi {}, v16, 1", WORDS),
    "gather": ("vrgather.vv {}, v16, v24", WORDS),
    "compress": ("vcompress.vm {}, v16, v24", WORDS),
    "insert": ("vmv.s.x {}, a0", (1, 1)),
    "to_scalar": ("vmv.x.s {}, v16", (1, 1)),
    "count": ("vcpop.m {}, v16", (1, 1)),
}
ACCESSES = {"access": "vle32.v v8, (a1)", "element_access": "vluxei32.v v8, (a1), v16"}
TREES = [name for name in OF_CLASS if Riscv.model_fields[name].annotation is TreeCost]
BASE = {"latency": 40, "first": 1, "group": 1, "pair": 0}


def cycles(text, **changes):
    """The cycles of a text, eight elements of 32 bits, on a machine with some other numbers ``riscv.*``."""
    numbers = {f"riscv.{name.replace('__', '.')}": value for name, value in changes.items()}
    machine = MACHINE.changed(numbers)
    sizes = {name: changes.get(name, default) for name, default in (("vlen", 256), ("dlen", 64))}
    return cycles_of(f"vsetivli zero, 8, e32, m1, ta, ma\n{text}\n", machine=machine, **sizes)


def twice(name, **costs):
    """The cycles of two instructions of a class that follow each other in their unit."""
    text, _ = OF_CLASS[name]
    registers = ("a1", "a2") if name in ("to_scalar", "count") else ("v8", "v9")
    given = {f"{name}__{number}": value for number, value in (BASE | costs).items()}
    return cycles("\n".join(text.format(each) for each in registers), **given)


def test_every_number_has_a_case():
    costs = {name for name, field in Riscv.model_fields.items() if issubclass(field.annotation, Cost)}
    assert costs == set(OF_CLASS) | set(ACCESSES)
    others = {"vlen", "dlen", "whole_groups", "narrow_groups", "tree_of_all", "ordered_writes", "configure"}
    assert set(Riscv.model_fields) - costs == others | {"access_unit"}


@pytest.mark.parametrize("name", OF_CLASS)
def test_costs_of_a_class(name):
    groups, values = OF_CLASS[name][1]
    before = twice(name)
    assert twice(name, latency=50) - before == 10
    assert twice(name, first=6) - before == 5  # the second waits; its own counts after its last group
    assert twice(name, group=4) - before == 2 * (groups - 1) * 3
    # Values one after another, two cycles each: all of the first, of the second those before its last group.
    serial = 2 * groups * values - 1 + 2 * (groups - 1) * values
    assert twice(name, pair=4) - before == serial - (groups + groups - 1)


@pytest.mark.parametrize(
    "name", [name for name in OF_CLASS if Riscv.model_fields[name].annotation is TreeCost]
)
def test_levels(name):
    before = twice(name)
    assert twice(name, level=5) - before == 5  # two values of a group
    text = "\n".join(OF_CLASS[name][0].format(each) for each in ("v8", "v9"))
    given = {f"{name}__{number}": value for number, value in (BASE | {"level": 5}).items()}
    assert cycles(text, tree_of_all=1, **given) - before == 15  # eight values


def test_the_lengths_of_registers_and_groups():
    text = "vadd.vv v8, v16, v24"
    assert cycles(text) - cycles(text, dlen=128) == 2  # 4 groups, or 2
    text += "\nvadd.vv v9, v16, v24"
    long = {"integer__latency": 40}
    assert cycles(text, **long) - cycles(text, vlen=64, **long) == 6  # twice 4 groups, or one: vl is 2


def test_elements_beyond_vl_may_take_time():
    text = "vsetivli zero, 3, e32, m1, ta, ma\nvadd.vv v8, v16, v24"
    before, after = (cycles(text, whole_groups=each, integer__latency=40) for each in (0, 1))
    assert after - before == 2  # 4 groups instead of 2


def test_widening_operations_count_groups_of_results_or_operands():
    text = "vwadd.vv v8, v16, v24"
    assert cycles(text) - cycles(text, narrow_groups=1) == 4  # 8 groups, or 4


def test_a_register_may_be_written_again_before_the_older_result():
    text = "vsetivli zero, 2, e32, m1, ta, ma\nvadd.vv v8, v16, v24\nvadd.vv v8, v17, v25"
    before, after = (cycles(text, ordered_writes=each, integer__latency=40) for each in (0, 1))
    assert before - after == 40 - 1  # a latency, or a cycle


def test_a_configuration_may_take_time():
    before, after = (cycles("vadd.vv v8, v16, v24", configure=each) for each in (3, 7))
    assert after - before == 4


# Address at 0 and 1, configuration at 2, an access from 3 on; its startup ends at 4.
AT_ONCE = MACHINE.changed({"startup": 1, "bank_busy": 0})
DATA = "\n.data\nx: .zero 64\n.text\n"


def through(text, vl=8, machine=AT_ONCE, **changes):
    """The cycles of a text on a machine whose accesses go through the adder, as `cycles` takes changes."""
    numbers = {f"riscv.{name.replace('__', '.')}": value for name, value in changes.items()}
    machine = machine.changed({"riscv.access_unit": 1} | numbers)
    text = f"la a1, x\nvsetivli zero, {vl}, e32, m1, ta, ma\n{text}\n{DATA}"
    return cycles_of(text, machine=machine)


@pytest.mark.parametrize("name", ACCESSES)
def test_an_access_may_go_through_a_unit(name):
    text, costs = ACCESSES[name], {f"{name}__latency": 4}
    # Alone, 8 words at 4 to 11. Groups pass at 3 to 6, with the port 4 cycles later: words at 7 to 14.
    assert through(text, access_unit=0) == 12
    assert through(text, **costs) == 15
    # Groups at 3, 9, 15 and 21, with the port when the next one passes: the last two words at 27, 28.
    assert through(text, **costs | {f"{name}__group": 6}) == 29
    # The first value takes 3 cycles, each further one 2: the lane has the last two from 15 to 18.
    assert through(text, **costs | {f"{name}__first": 3, f"{name}__pair": 4}) == 22


def test_a_unit_is_occupied_while_an_access_passes():
    # Groups pass at 3, 9, 15 and 21. Sums follow at 27 to 30, ready 4 later; products do not wait.
    passing = {"access__group": 6, "access__first": 6}
    for access in ("vle32.v v8, (a1)", "vse32.v v8, (a1)"):
        assert through(f"{access}\nvadd.vv v16, v24, v25", **passing) == 30 + 4
        assert through(f"{access}\nvmul.vv v16, v24, v25", **passing) < 30 + 4
        assert through(f"{access}\nvmul.vv v16, v24, v25", access_unit=2, **passing) == 30 + 5
    # A store reads its data as it passes: sums at 3 to 6, ready at 7 to 10, with the port from 11 on.
    assert through("vadd.vv v8, v24, v25\nvse32.v v8, (a1)") == 11 + 8
    # Groups beyond vl pass only if elements beyond it take time.
    text = "vle32.v v8, (a1)\nvadd.vv v16, v24, v25"
    assert through(text, vl=2, **passing) == 9 + 4
    assert through(text, vl=2, whole_groups=1, **passing) == 30 + 4


def test_a_group_may_pass_after_the_element_that_goes_to_a_scalar():
    text = "vsetivli zero, 8, e32, m2, ta, ma\nvmv.x.s a1, v8\nvadd.vv v16, v24, v26"
    # The element at 2; then 4 groups of each of 2 registers, if they pass; 4 groups of sums.
    assert cycles(text) == 2 + 4 + 4
    text = text.replace("8, e32", "16, e32")  # all elements, so that sums have no others
    assert cycles(text, whole_groups=2) - cycles(text) == 8


def test_accesses_through_a_unit_need_registers_without_other_names():
    renaming = AT_ONCE.changed({"physical_vector_registers": 40, "vector_registers": 32})
    with pytest.raises(UserError, match=r"riscv\.access_unit = 1 needs physical_vector_registers = 0"):
        through("vle32.v v8, (a1)", machine=renaming)
