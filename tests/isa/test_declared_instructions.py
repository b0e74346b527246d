"""Instructions that a text declares: what they compute, what they cost, and what is refused."""

import numpy as np
import pytest

from isa import binary
from isa.assembler import assemble
from isa.declared import LONGEST, DeclaredInstruction
from isa.restrictions import Restrictions
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.results.digests import program_sha256
from vecsim.support.errors import AssemblyError, UserError

RULES = {
    "min(abs(va - vb), 2.5)": ("vd=, va, vb", lambda d, a, b: np.minimum(abs(a - b), 2.5), 3, "add"),
    "vd + va * vb": ("vd+, va, vb", lambda d, a, b: d + a * b, 4, "multiply_add"),
    "-va * vb": ("vd=, va, vb", lambda d, a, b: -a * b, 4, "multiply_add"),
    "va * vb": ("vd=, va, vb", lambda d, a, b: a * b, 3, "multiply"),
    "va / vb if vb > 0 else -1": ("vd=, va, vb", lambda d, a, b: np.where(b > 0, a / b, -1), 11, "divide"),
    "max(va, fb) + 1e-3": ("vd=, va, fb", lambda d, a, b: np.maximum(a, b[0]) + 1e-3, 2, "add"),
}
PROGRAM = """
        .instruction "ownv.s {head}", "{rule}"
        li      x1, 5
        setvl   x1
        lv.w    v1, 1024(x0)
        lv.w    v2, 1056(x0)
        lv.w    v3, 1088(x0)
        fl.w    f2, 1056(x0)
        ownv.s  v3, v1, {second}
        sv.w    v3, 1120(x0)
        halt
"""


@pytest.mark.parametrize("engine", ["simpy", pytest.param("jit", marks=pytest.mark.ci)])
def test_rules_compute_what_they_say(engine):
    machine = load_machine("vs2003")
    a, b, d = np.array([[1, -2, 3.25, 0, 7], [-4, 4, 0, 1e20, 3], [1, 1, 2, -9, 0.5]], np.float32)
    for rule in RULES:
        syntax, expected, cost, latency = RULES[rule]
        text = PROGRAM.format(head=syntax, rule=rule, second="f2" if "f" in syntax else "v2")
        program = assemble(text)
        row = program.instruction_set.by_mnemonic["ownv.s"]
        assert isinstance(row, DeclaredInstruction)
        assert (row.cost, row.latency) == (cost, latency)
        memory = np.zeros(4096, np.uint8)
        for at, values in ((1024, a), (1056, b), (1088, d)):
            memory[at : at + 20] = values.view(np.uint8)
        done = run(program, memory, machine, engine=engine)
        actual = done.state.memory[1120:1140].view(np.float32)
        with np.errstate(all="ignore"):
            wanted = expected(d, a, b).astype(np.float32)
        assert actual.tolist() == wanted.tolist()


HOSTILE = (
    "__import__('os').system('id')", "exec('1')", "put(va, vb)", "va.__class__", "vb[0]", "(lambda: va)()",
    "[va for va in (1,)]", "va := 3", "f'{va}'", "yield va", "await va", "va; vb", "va\\nvb", "va\0", "\\\\N",
    "va if vb else va", "va < vb < va", "va and vb", "not va", "va ** vb", "va @ vb", "va % vb", "abs(x=va)",
    "min(va)", "min(*va)", "'va'", "True", "None", "...", "1j", "vc", "m", "n", "r0", "1e39", "9" * 150,
    "1if 1else 1", "", "(" * 150, "-" * 190,
)  # fmt: skip


@pytest.mark.parametrize("rule", HOSTILE, ids=range(len(HOSTILE)))
def test_a_rule_is_data_and_nothing_else(rule):
    rule = rule.replace('"', "'")
    with pytest.raises(AssemblyError) as error:
        assemble(PROGRAM.format(head="vd=, va, vb", rule=rule, second="v2"), file="my.s")
    assert "\n" not in str(error.value).split("\n        .instruction")[0]
    assert str(error.value).startswith("my.s:2:")


@pytest.mark.parametrize(
    ("head", "rule", "message"),
    [
        ("addvv.s vd=, va", "va", "addvv.s is an instruction already"),
        ("mergev.s vd=, va", "va", "mergev.s is an instruction already"),
        ("own vd=, va", "va", "a name has small letters and digits and ends with .s"),
        ("ownv.s va, vb", "va", "the first operand, and no other, is written"),
        ("ownv.s vd=, va=", "1", "the first operand, and no other, is written"),
        ("ownv.s fd=, va", "va", "write vd= or vd+ first"),
        ("ownv.s vd=, va, va", "va", "two operands have one name"),
        ("ownv.s vd=, fa", "fa", "it must read a vector"),
        ("ownv.s vd=, va, vb", "va", "the rule does not read vb"),
        ("ownv.s vd=, va, vb, vc, ve", "va + vb + vc + ve", "need more than 24 bits"),
        ("ownv.s vd=, va", "va" + " + va" * LONGEST, f"use at most {LONGEST}"),
        ("ownv.s vd=, xa", "xa", "operand 'xa'"),
    ],
)
def test_a_wrong_declaration_is_one_line(head, rule, message):
    with pytest.raises(AssemblyError, match=r"<input>:1:1: ") as error:
        assemble(f'.instruction "{head}", "{rule}"\nhalt')
    assert message in str(error.value).split("\n")[0]


def test_a_rule_counts_in_the_digest_of_a_program():
    texts = [PROGRAM.format(head="vd=, va, vb", rule=rule, second="v2") for rule in ("va + vb", "va - vb")]
    first, again, other = (program_sha256(assemble(text)) for text in (texts[0], texts[0], texts[1]))
    assert first == again != other


def test_opcodes_end():
    text = "\n".join(f'.instruction "own{k}v.s vd=, va", "va + {k}"' for k in range(33))
    with pytest.raises(AssemblyError, match="at most 32 instructions"):
        assemble(f"{text}\nhalt")


def test_it_may_be_forbidden_and_is_not_in_program_files():
    text = PROGRAM.format(head="vd=, va, vb", rule="va + vb", second="v2")
    with pytest.raises(AssemblyError, match="this text must not declare instructions"):
        assemble(text, restrictions=Restrictions(frozenset(), (64, 8192)))
    with pytest.raises(UserError, match=r"ownv\.s is declared in the text itself"):
        binary.dump(assemble(text))
