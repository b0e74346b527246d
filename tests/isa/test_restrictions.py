"""A text that must not know its inputs cannot let them decide what it consists of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isa.assembler import assemble
from isa.restrictions import Restrictions
from vecsim.support.errors import AssemblyError

SYMBOLS = {"N": 12, "X": 4096, "LEVELS": 2}
VARYING = frozenset({"N", "X"})
LIMITS = Restrictions(VARYING, (64, 4096))
DIRECTIVES = (".if {}\n.endif", ".data\n.space {}\n.text", ".data\n.align {}\n.text", ".data {}\n.text")

names = st.sampled_from(["N", "X", "LEVELS", "5", "2", "1"])
expressions = st.recursive(
    names, lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from("+-*&|^"), inner), max_leaves=4
)


@given(st.lists(expressions, min_size=1, max_size=4), st.sampled_from(DIRECTIVES), st.data())
def test_a_directive_that_depends_on_an_input_is_refused(values, directive, data):
    """Whatever expressions and constants are between it and the input."""
    lines, depends = [], []
    for k, value in enumerate(values):
        earlier = data.draw(st.sampled_from(["0", *(f"C{i}" for i in range(k))]))
        lines.append(
            f"{data.draw(st.sampled_from(['.equ', '.default']))} C{k}, {value} * 0 + {earlier} * 0 + 1"
        )
        before = earlier != "0" and depends[int(earlier[1:])]
        depends.append(before or any(name in value for name in VARYING))
    text = "\n".join([*lines, directive.format(f"C{len(values) - 1} * 64"), "halt"])
    if depends[-1]:
        with pytest.raises(AssemblyError, match="differs from case to case"):
            assemble(text, symbols=SYMBOLS, restrictions=LIMITS)
    else:
        actual = assemble(text, symbols=SYMBOLS, restrictions=LIMITS)
        assert actual.data == assemble(text, symbols=SYMBOLS).data


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_data_stay_within_their_limits(begin, size):
    text = f".data {begin}\n.space {size}\n.text\nhalt"
    if size and not 64 <= begin <= begin + size <= 4096:
        with pytest.raises(AssemblyError, match="use 64 to 4095"):
            assemble(text, restrictions=LIMITS)
    else:
        assert sum(len(each.content) for each in assemble(text, restrictions=LIMITS).data) == size


def test_labels_of_instructions_may_tell_an_input_and_those_of_data_may_not():
    """li takes one instruction or two."""
    with pytest.raises(AssemblyError, match="here differs"):
        assemble("li x3, N\nhere:\n.if here - 1\n.endif\nhalt", symbols=SYMBOLS, restrictions=LIMITS)
    assert len(assemble(".data\nd: .word N\ne:\n.if e - d - 4\nnonsense\n.endif\n.text\nhalt",
                        symbols=SYMBOLS, restrictions=LIMITS)) == 1  # fmt: skip


def test_instructions_and_values_may_depend_on_an_input():
    text = ".equ PIECE, N / 4\nli x3, PIECE\n.data\n.word X, PIECE\n.text\nhalt"
    restricted = assemble(text, symbols=SYMBOLS, restrictions=LIMITS)
    assert restricted.words.tolist() == assemble(text, symbols=SYMBOLS).words.tolist()
