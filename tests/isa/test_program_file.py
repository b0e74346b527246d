"""The program file holds a program and refuses anything else."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isa_strategies import code, same_code

from isa.assembler import assemble
from isa.binary import dump, load
from isa.disassembler import instruction_text
from isa.encoding import encode
from isa.instructions import BASE
from vecsim.support.errors import UserError

PROGRAM = assemble(
    "nop\nmain: li x5, table\nhalt\n.data 100\ntable: .word 1, 2\n.data 64\n.byte 3", file="a.s"
)


def test_a_program_comes_back():
    loaded = load(dump(PROGRAM))
    assert same_code(loaded, PROGRAM)
    assert loaded.symbols == PROGRAM.symbols
    assert loaded.source == PROGRAM.source
    assert dump(loaded) == dump(PROGRAM)


@given(code(max_size=10), st.binary(max_size=40))
def test_any_program_comes_back(rows, data):
    text = "\n".join(instruction_text(row, fields, pc) for pc, (row, fields) in enumerate(rows))
    program = assemble(text + "\n.data\n" + "\n".join(f".byte {byte}" for byte in data))
    assert same_code(load(dump(program)), program)


# To 8,192 instructions before it; the distance stands in the lowest bits.
BRANCH = encode(BASE.by_mnemonic["beq"], (1, 2, -8192))
CHANGES = [
    ("format", "elf", "its format must be 'vecsim program'"),
    ("version", 2, "has version 2; this vecsim reads version 1"),
    ("extra", 1, "missing or unknown entries: extra"),
    ("words", "0", "words is malformed"),
    ("words", ["0b000000", 3], r"words\[1\] is malformed"),
    ("words", ["0b00000g"], r"words\[0\] is malformed"),
    ("words", ["ff000000"], "instruction 0: 0xff000000: opcode 0xff is not in the instruction set"),
    ("words", [f"{BRANCH:08x}"], "instruction 0: branch to instruction -8192: the target must be 0 or more"),
    (
        "words",
        ["0b000000", f"{BRANCH + 8190:08x}"],
        "instruction 1: branch to instruction -1: the target must be 0 or more",
    ),
    ("entry", 5, "entry 5 must be within the program's 4 instructions"),
    ("entry", -1, "entry -1 must be within"),
    ("entry", True, "entry is malformed"),
    ("symbols", [1], "symbols is malformed"),
    ("symbols", {"a": "1"}, "symbols is malformed"),
    ("source", [["a.s", 1, "nop"]], "1 source line; 4 instructions need one each"),
    ("source", [["a.s", "1", "nop"]], r"source\[0\] is malformed"),
    ("data", [[64]], r"data\[0\] is malformed"),
    ("data", [[64, "!"]], r"data\[0\] is not base 64"),
    ("data", [[64, "é"]], r"data\[0\] is not base 64"),
    ("data", [[-1, ""]], r"data\[0\] is malformed"),
    ("data", [[64, "AAAA"], [66, "AAAA"]], r"data\[1\] is malformed"),
]


@pytest.mark.parametrize(("key", "value", "message"), CHANGES, ids=lambda value: str(value)[:20])
def test_malformed_files(key, value, message):
    content = json.loads(dump(PROGRAM)) | {key: value}
    with pytest.raises(UserError, match=f"^p.vsx: .*{message}"):
        load(json.dumps(content).encode(), file="p.vsx")


def test_an_entry_that_stands_twice():
    content = dump(PROGRAM).replace(b"{", b'{"entry": 1, ', 1)
    with pytest.raises(UserError, match=r"^p.vsx: is not a vecsim program .*'entry' occurs twice"):
        load(content, file="p.vsx")


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"null", b"{}", b"[" * 100000, b"1" * 5000])
def test_no_program_at_all(content):
    with pytest.raises(UserError, match="is not a vecsim program"):
        load(content)


def own_set(mnemonic="twice", syntax="xd=, xa", extension="mine"):
    """The base set and an instruction of an extension."""
    row = replace(BASE.by_mnemonic["add"], mnemonic=mnemonic, opcode=0xE3, syntax=syntax, extension=extension)
    return BASE.extended(row)


OWN = dump(assemble("twice x1, x2\nhalt", instruction_set=own_set()))


def test_a_program_comes_back_with_its_extension():
    assert dump(load(OWN, own_set())) == OWN
    assert "own" not in json.loads(dump(PROGRAM))
    assert "own" not in json.loads(dump(assemble("halt", instruction_set=own_set())))


@pytest.mark.parametrize(
    ("instruction_set", "has"),
    [
        (BASE, ""),
        (own_set(mnemonic="thrice"), r", which is thrice xd=, xa here"),
        (own_set(syntax="xd=, xb"), r", which is twice xd=, xb here"),
    ],
)
def test_without_its_extension_a_program_names_it(instruction_set, has):
    needs = (
        rf"^p\.vsx: needs the extension mine, for twice xd=, xa \(opcode 0xe3\){has}: name it or its file by"
    )
    with pytest.raises(UserError, match=needs):
        load(OWN, instruction_set, file="p.vsx")


def test_files_of_before_say_that_an_extension_is_missing():
    content = json.loads(OWN)
    del content["own"]
    assert load(json.dumps(content).encode(), own_set()).words.size == 2
    with pytest.raises(UserError, match="opcode 0xe3 is not in the instruction set; name the extension that"):
        load(json.dumps(content).encode())


@pytest.mark.parametrize("own", [1, [1], [[0x10, "a", "", "b"]], [[0xE0, "a", ""]], [[0xE0, 1, "", ""]]])
def test_malformed_extensions(own):
    with pytest.raises(UserError, match=r"own(\[0\])? is malformed"):
        load(json.dumps(json.loads(OWN) | {"own": own}).encode(), own_set())


def test_a_missing_entry():
    content = json.loads(dump(PROGRAM))
    del content["data"]
    with pytest.raises(UserError, match="missing or unknown entries: data"):
        load(json.dumps(content).encode())
