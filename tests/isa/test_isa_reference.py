"""The reference describes every instruction, pseudo-instruction and directive."""

import pytest

from isa.directives import DIRECTIVES
from isa.instructions import BASE
from isa.pseudo import PSEUDO_INSTRUCTIONS
from isa.reference import BitField, DirectiveEntry, InstructionEntry, PseudoEntry, describe, entries
from vecsim.support.errors import UserError


def test_everything_is_described():
    actual = entries()
    kinds = [InstructionEntry, PseudoEntry, DirectiveEntry]
    counts = [sum(isinstance(entry, kind) for entry in actual) for kind in kinds]
    assert counts == [len(BASE.instructions), len(PSEUDO_INSTRUCTIONS), len(DIRECTIVES)]
    for entry in actual:
        assert entry.summary
        assert entry.syntax.startswith(entry.mnemonic)
        assert entry in describe(entry.mnemonic)


def test_layouts_fill_the_word():
    for entry in entries():
        if isinstance(entry, InstructionEntry):
            assert entry.layout[0] == BitField("opcode", 31, 24)
            assert [field.high + 1 for field in entry.layout[1:]] == [
                field.low for field in entry.layout[:-1]
            ]
            assert entry.layout[-1].low == 0


def test_an_instruction():
    (entry,) = describe("ldb.w")
    assert entry.syntax == "ldb.w vv, vp, (xa), xc, u4"
    assert (entry.unit, entry.timing, entry.length) == ("memory", "access", "section")
    assert entry.reads == ("xa", "xc", "memory")
    assert entry.writes == ("vv", "vp", "xa", "xc", "vl")
    assert entry.layout[1:] == tuple(
        BitField(name, high, low)
        for name, high, low in (("vv", 23, 19), ("vp", 18, 14), ("xa", 13, 9), ("xc", 8, 4), ("u4", 3, 0))
    )


def test_special_state_is_named():
    assert describe("stc.w")[0].reads == ("xo", "xa", "xc", "vector cache")
    assert describe("ldc.w")[0].writes == ("vector cache",)
    assert describe("mergev")[0].reads == ("va", "vb", "vl", "mask")
    assert describe("seqvv.s")[0].writes == ("mask",)
    assert describe("bmipac.s")[0].writes == ("vector cache",)
    assert describe("sw")[0].writes == ("memory",)
    assert describe("lds.w")[0].writes == ("vv", "vp", "vr", "xa", "vl", "blocklen", "rowptr", "rowcount")


def test_names_with_several_meanings():
    assert [entry.mnemonic for entry in describe("addvv.f")] == ["addvv.s", "addvv.d"]
    assert [entry.mnemonic for entry in describe("lv.f")] == ["lv.w", "lv.d"]
    assert [entry.syntax for entry in describe("jal")] == ["jal xd, label", "jal label"]
    assert describe(".word")[0].syntax == ".word value, ..."


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bmipq.f", "did you mean 'bmipa.f'"),
        (".wrod", "did you mean '.word'"),
        ("ldc", "ldc.d, ldc.f, ldc.w"),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(UserError, match=message):
        describe(name)
