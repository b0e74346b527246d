"""Semantics that do what their instruction does not declare, or never do what it declares, are refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples, one_in

from isa.assembler import assemble
from isa.declaration import Access, Length, Pattern, Unit
from isa.instructions import BASE
from isa.semantics.numbers import load32, put_vs, put_x, store32
from vecsim.engines.effects.undeclared import undeclared_effect
from vecsim.engines.running import start
from vecsim.machine import Extension, extensions_of, instruction_set_of, load_machine
from vecsim.machine.extension_files import shipped
from vecsim.support.errors import UserError

SHIPPED = [row for extension in extensions_of(shipped()) for row in extension.instructions]
LOAD, STORE = (Access(Pattern.CONTIGUOUS, store, 4) for store in (False, True))


@pytest.mark.parametrize("row", one_in(3, [*BASE.instructions, *SHIPPED]), ids=lambda row: row.mnemonic)
def test_what_comes_with_vecsim_does_what_it_declares(row):
    assert undeclared_effect(row) == ""


def copied(m, n, d, a):
    for k in range(n):
        put_vs(m, d * m.section + k, m.vs[2 * (a * m.section + k)])


def reversed_(m, n, d, a):
    for k in range(n):
        m.v[d * m.section + k] = m.v[a * m.section + n - 1 - k]


def gathered(m, n, d, a, i):
    for k in range(n):
        m.v[d * m.section + k] = m.v[a * m.section + m.v[i * m.section + k] % m.section]


def neighbour(m, n, d, a):
    for k in range(n):
        m.v[(d + 1) % 32 * m.section + k] = m.v[a * m.section + k]


def added(m, n, d, a):
    for k in range(n):
        m.v[d * m.section + k] = (m.v[d * m.section + k] ^ m.v[a * m.section + k]) & 255


def whole_register(m, n, d, a):
    for k in range(m.section):
        m.v[d * m.section + k] = m.v[a * m.section + k]


def masked(m, n, d, a):
    for k in range(n):
        if m.mask[k] == 1:
            m.v[d * m.section + k] = m.v[a * m.section + k]


def masking(m, n, d, a):
    for k in range(n):
        m.v[d * m.section + k] = m.v[a * m.section + k]
        m.mask[k] = 1


def shortened(m, n, d, a):
    copied(m, n, d, a)
    m.special[0] = 1


def counted(m, n, d, a):
    for k in range(min(m.special[1], m.section)):
        m.v[d * m.section + k] = m.v[a * m.section + k]


def with_x5(m, n, d, a):
    copied(m, n, d, a)
    put_x(m, 5, 1)


def from_f5(m, n, d, a):
    for k in range(n):
        m.v[d * m.section + k] = m.f[5]


def from_cache(m, n, d, a):
    for k in range(n):
        m.v[d * m.section + k] = m.cache[k]


def in_memory(m, n, d, a):
    copied(m, n, d, a)
    store32(m, 64, 1)


def of_memory(m, n, d, a):
    for k in range(n):
        m.v[d * m.section + k] = load32(m, 4 * k)


def rows_set(m, n, d, a):
    copied(m, n, d, a)
    m.row[0] = 0


def nothing(m, n, *operands):
    return


def at_their_place(m, n, d, i, a):
    for k in range(n):
        m.v[d * m.section + k] = load32(m, m.address[0] + 4 * k)


def beyond(m, n, d, i, a):
    for k in range(n):
        m.v[d * m.section + k] = load32(m, m.address[0] + 4 * k + 4)


def storing(m, n, d, i, a):
    for k in range(n):
        store32(m, m.address[0] + 4 * k, m.v[d * m.section + k])


VECTOR, ACCESS = {}, {"unit": Unit.MEMORY}
WRONG = [
    (copied, "vd, va", VECTOR, "writes vd, declared as read: write 'vd=, va'"),
    (copied, "vd=, va=", VECTOR, "reads va before it writes it: write 'vd=, va\\+'"),
    (copied, "vd, va", {"unit": Unit.MULTIPLY}, "writes vd, declared as read: write 'vd=, va'"),
    (reversed_, "vd=, va", VECTOR, r"reads element \d of va for element \d: write 'vd=, va\*'"),
    (gathered, "vd=, va, vi", VECTOR, r"reads element \d of va.*: write 'vd=, va\*, vi'"),
    (neighbour, "vd=, va", VECTOR, r"writes v\d+, no operand of it: make it one"),
    (added, "vd=, va", VECTOR, r"reads vd before it writes it: write 'vd\+, va'"),
    (added, "vd, va", VECTOR, r"writes vd, declared as read: write 'vd\+, va'"),
    (whole_register, "vd=, va", VECTOR, r"reads element \d of va, of \d: write 'vd=, va\*'"),
    (whole_register, "vd=, va*", VECTOR, r"writes element \d of vd, of \d: write 'vd=\*, va\*'"),
    (masked, "vd=, va", VECTOR, r"reads the vector mask: declare mask='r'"),
    (masking, "vd=, va", VECTOR, r"writes the vector mask: declare mask='w'"),
    (shortened, "vd=, va", VECTOR, r"writes vl: declare writes=\('vl',\)"),
    (counted, "vd=, va", VECTOR, r"reads blocklen: declare reads=\('blocklen',\)"),
    (with_x5, "vd=, va", VECTOR, r"writes x5, no operand of it: make it one"),
    (from_f5, "vd=, va", VECTOR, r"reads f5, no operand of it: make it one"),
    (from_cache, "vd=, va", VECTOR, r"reads the vector cache: declare unit=Unit\.SPARSE"),
    (in_memory, "vd=, va", VECTOR, r"writes memory: declare access="),
    (of_memory, "vd=, va", VECTOR, r"reads memory: declare access="),
    (rows_set, "vd=, va", VECTOR, r"writes m\.row: only instructions of the sparse unit"),
    (nothing, "vd=, va", VECTOR, r"never writes vd, which is declared as written: write 'vd, va'"),
    (nothing, "xd=, xa", {"unit": Unit.SCALAR}, r"never writes xd, which is declared as written"),
    (copied, "vd=, va", {"unit": Unit.SPARSE}, r"leaves out an m\.row\[k\]"),
    (beyond, "vd=, i14(xa)", ACCESS | {"access": LOAD}, r"reads memory: only at m\.address"),
    (storing, "vd, i14(xa)", ACCESS | {"access": LOAD}, r"writes memory: declare a store"),
    (at_their_place, "vd, i14(xa)", ACCESS | {"access": LOAD}, r"writes vd, declared as read: write 'vd=, i"),
    (nothing, "vd, i14(xa)", ACCESS | {"access": STORE}, "never writes memory, and declares a store"),
]  # fmt: skip
RIGHT = [
    (copied, "vd=, va", VECTOR),
    (copied, "vd+, va", VECTOR),
    (reversed_, "vd=, va*", VECTOR),
    (gathered, "vd=, va*, vi", VECTOR),
    (added, "vd+, va", VECTOR),
    (whole_register, "vd=*, va*", VECTOR),
    (masked, "vd=, va", {"mask": "r"}),
    (masking, "vd=, va", {"mask": "w"}),
    (shortened, "vd=, va", {"writes": ("vl",)}),
    (counted, "vd=, va", {"reads": ("blocklen",), "length": Length.BLOCK}),
    (at_their_place, "vd=, i14(xa)", ACCESS | {"access": LOAD}),
    (storing, "vd, i14(xa)", ACCESS | {"access": STORE}),
    (nothing, "vd, va", VECTOR),
]


def row_of(function, syntax, how):
    mine = Extension("mine", "one instruction")
    mine.instruction("own", 0xE0, syntax, "", **how)(function)
    return mine.instructions[0]


def _name(each):
    """Name a parameter alike in every process: the text of a function has its address."""
    return getattr(each, "__name__", str(each))[:30]


@pytest.mark.parametrize(("function", "syntax", "how", "message"), WRONG, ids=_name)
def test_wrong_declarations(function, syntax, how, message):
    actual = undeclared_effect(row_of(function, syntax, how))
    assert re.match(rf"\S*test_undeclared\.py:\d+: own (?:{message})", actual), actual
    assert "\n" not in actual


@pytest.mark.parametrize(("function", "syntax", "how"), RIGHT, ids=_name)
def test_right_declarations(function, syntax, how):
    assert undeclared_effect(row_of(function, syntax, how)) == ""


@pytest.mark.parametrize("engine", ["simpy", "jit", "jit-multiport"])
def test_no_engine_runs_them(engine):
    machine = load_machine("vs2003", extend=[mine_with(copied, "vd, va")])
    program = assemble("own v1, v2\nhalt", instruction_set=instruction_set_of(machine.extensions))
    with pytest.raises(UserError, match=r"own writes vd, declared as read: write 'vd=, va'$"):
        start(program, np.zeros(64, np.uint8), machine, engine=engine)


def mine_with(function, syntax):
    mine = Extension("mine", "one instruction")
    mine.instruction("own", 0xE0, syntax, "")(function)
    return mine


def endless(m, n, d, a):
    while m.v[a * m.section] == m.v[a * m.section]:
        m.v[d * m.section] = 1


def endless_range(m, n, d, a):
    for _ in range(m.x[0] + (1 << 40)):
        m.v[d * m.section] = 1


def ends_early(m, n, d, a):
    for k in range(1 << 40):
        if k == n:
            return
        m.v[d * m.section + k] = m.v[a * m.section + k]


def failing(m, n, d, a):
    raise ValueError("always")


@pytest.mark.parametrize("function", [endless, endless_range])
def test_what_never_ends_is_refused(function):
    actual = undeclared_effect(row_of(function, "vd=, va", {}))
    assert actual.endswith("own takes more than 5,000 lines for 8 elements: does it end?")


def test_a_loop_that_is_left_early_is_right():
    assert undeclared_effect(row_of(ends_early, "vd=, va", {})) == ""


def test_what_always_fails_is_left_to_the_run():
    assert undeclared_effect(row_of(failing, "vd=, va", {})) == ""


ROWS = [
    row for row in BASE.instructions if any(o.written for o in row.operands) and row.memory_operand is None
]


@given(st.sampled_from(ROWS), st.data())
@examples(40)
def test_a_role_left_out_of_any_instruction_is_found(row, data):
    operand = data.draw(st.sampled_from([each for each in row.operands if each.written]))
    syntax = re.sub(rf"\b{operand.name}[=+]", operand.name, row.syntax, count=1)
    wrong = Extension("wrong", "an instruction of vecsim with another syntax")
    wrong.instruction(
        *(row.mnemonic, 0xE0, syntax, ""),
        unit=row.unit, timing=row.timing, latency=row.latency, length=row.length, reads=row.reads,
        writes=row.writes, late=row.late, mask=row.mask, accumulates=row.accumulates, access=row.access,
        slice_operand=row.slice_operand,
    )(row.semantics)  # fmt: skip
    assert f"writes {operand.name}, declared as read: write" in undeclared_effect(wrong.instructions[0])


def where_a_constant(m, n, d, a, b):
    for k in range(n):
        if m.vs[2 * (a * m.section + k)] == -3.0:
            put_vs(m, d * m.section + k, m.vs[2 * (b * m.section + k)])
        else:
            put_vs(m, d * m.section + k, m.vs[2 * (a * m.section + k)])


LIMIT = 4096


def greater(value):
    return value > LIMIT


def where_a_function_says(m, n, d, a, b):
    for k in range(n):
        if greater(m.v[a * m.section + k]) and m.v[a * m.section + k] < 5000:
            m.v[d * m.section + k] = m.v[b * m.section + k]
        else:
            m.v[d * m.section + k] = 0


def trusts_its_index(m, n, d, a, i):
    for k in range(n):
        place = m.v[i * m.section + k]
        m.v[d * m.section + k] = 0 if place == 64 or place > 100 else m.v[a * m.section + place]


def test_a_register_that_is_read_where_an_element_is_a_constant():
    for function in (where_a_constant, where_a_function_says):
        actual = undeclared_effect(row_of(function, "vd=, va, vb=", {}))
        assert actual.endswith("own reads vb before it writes it: write 'vd=, va, vb+'")
        assert undeclared_effect(row_of(function, "vd=, va, vb", {})) == ""


def test_an_index_that_is_trusted_is_no_constant():
    """Indices of the program are right; the number 64 in the text says nothing of them."""
    assert undeclared_effect(row_of(trusts_its_index, "vd=, va*, vi", {})) == ""


READ = {
    "m.vs[2 * (a * m.section + k)]": ("vd=, va, vb=", "f4"),
    "m.vd[a * m.section + k]": ("vd=, va, vb=", "f8"),
    "m.vw[2 * (a * m.section + k)]": ("vd=, va, vb=", "i4"),
    "m.v[a * m.section + k]": ("vd=, va, vb=", "i8"),
    "m.x[a]": ("vd=, xa, vb=", "i4"),
    "m.fs[2 * a]": ("vd=, fa, vb=", "f4"),
    "m.fd[a]": ("vd=, fa, vb=", "f8"),
    "a": ("vd=, i12, vb=", "i2"),
    "load32(m, m.address[0] + 4 * k)": ("vd=, (xa), vb=", "u4"),
}


@given(st.sampled_from(list(READ)), st.data(), st.booleans(), st.lists(st.integers(0, 99), max_size=3))
@examples(150)
def test_a_condition_on_any_constant_is_met(value, data, within, others):
    syntax, kind = READ[value]
    if kind[0] == "f":
        constant = float(data.draw(st.floats(width=8 * int(kind[1]), allow_nan=False, allow_infinity=False)))
    else:
        bits = 12 if kind == "i2" else 8 * int(kind[1])
        low, high = (0, 1 << bits) if kind[0] == "u" else (-1 << (bits - 1), 1 << (bits - 1))
        constant = data.draw(st.integers(low, high - 1))
    condition = f"{value} == {constant!r}" + "".join(f" or n == {other + 100}" for other in others)
    text = f"def met(m, value):\n    return value == {constant!r}\n" if within else ""
    text += (
        f"def own(m, n, d, a, b):\n    for k in range(n):\n"
        f"        m.v[d * m.section + k] = 0\n"
        f"        if {f'met(m, {value})' if within else condition}:\n"
        f"            m.v[d * m.section + k] = m.v[b * m.section + k]\n"
    )
    space = {"load32": load32}
    exec(compile(text, "<own>", "exec"), space)
    how = ACCESS | {"access": LOAD} if "(xa)" in syntax else {}
    assert "own reads vb before it writes it" in undeclared_effect(row_of(space["own"], syntax, how))
