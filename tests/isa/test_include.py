"""``.include``: the text of another file, with its own lines in every message."""

from pathlib import Path

import pytest

from isa.assembler import assemble, assemble_file
from isa.disassembler import listing
from isa.restrictions import Restrictions
from isa.text import inclusion
from programs.measurement import multiplicand, prepare
from tests.included_texts import PROGRAMS, whole_text
from vecsim.data import load
from vecsim.machine import load_machine
from vecsim.results.file_digests import recorded_files, sha256_or_empty
from vecsim.support.errors import AssemblyError


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files of a folder, given by their names, and go there."""
    monkeypatch.chdir(tmp_path)

    def write(**texts):
        for name, text in texts.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def mistake(file="m.s"):
    with pytest.raises(AssemblyError) as caught:
        assemble_file(file)
    assert str(caught.value).count("\n") == 2  # the line, and the caret below it
    return str(caught.value).partition("\n")[0]


def test_a_text_stands_where_it_is_included(write):
    write(
        m_s='.include "sub/a.s"\nstart: li x1, N\n.include "b.s"\nhalt\n',
        sub__a_s='.equ N, 3\n.reg left, x7\n.include "c.s"\n',
        sub__c_s="first: addi left, left, N",
        b_s=".data 64\n.word 5\n.text\n j first",
    )
    program = assemble_file("m.s")
    whole = assemble(
        ".equ N, 3\n.reg left, x7\nfirst: addi left, left, N\nstart: li x1, N\n"
        ".data 64\n.word 5\n.text\nj first\nhalt"
    )
    assert program.words.tolist() == whole.words.tolist()
    assert (program.data, program.entry, program.labels) == (whole.data, whole.entry, whole.labels)
    assert [f"{each.file}:{each.line}" for each in program.source] == ["sub/c.s:1", "m.s:2", "b.s:4", "m.s:4"]
    assert "; sub/c.s:1: first: addi left, left, N" in listing(program)
    assert list(program.inputs) == ["m.s", "sub/a.s", "sub/c.s", "b.s"]
    for each in recorded_files("program", Path(), program.inputs):
        assert sha256_or_empty(Path(each.file)) == each.sha256


def test_a_text_that_is_not_assembled_is_not_read(write):
    write(m_s='.if 0\n.include "gone.s"\n.else\n.include "a.s"\n.endif\n', a_s="halt")
    assert list(assemble_file("m.s").inputs) == ["m.s", "a.s"]


def test_a_text_may_be_included_twice(write):
    write(m_s='.include "a.s"\n.include "./a.s"\nhalt', a_s="addi x1, x1, 1")
    program = assemble_file("m.s")
    assert len(program) == 3
    assert list(program.inputs) == ["m.s", "a.s"]


def test_bytes_lie_next_to_the_text_that_names_them(write):
    folder = write(m_s='.include "sub/a.s"\nhalt', sub__a_s='.data 64\n.incbin "x.bin"\n.text')
    (folder / "sub" / "x.bin").write_bytes(b"abc")
    program = assemble_file("m.s")
    assert program.data[0].content == b"abc"
    assert list(program.inputs) == ["m.s", "sub/a.s", "sub/x.bin"]


@pytest.mark.parametrize(
    ("included", "message"),
    [
        ("addi x1, x1, N", "a.s:1:14: undefined symbol 'N'"),
        ("halt\nhalt halt", "a.s:2:1: "),
        (".if 1", "a.s:1:1: .if without .endif"),
        (".else", "a.s:1:1: .else without .if"),
        (".endif", "a.s:1:1: .endif without .if"),
        ("here: halt", "a.s:1:1: 'here' is already defined (m.s:1); use another name"),
        (".reg here, x5", "a.s:1:6: 'here' is already defined (m.s:1); use another name"),
        (".data 64\n.word 1", "a.s:2:1: data overlaps that of m.s:3"),
        ('.include "a.s"', "a.s:1:10: 'a.s' includes itself"),
        ('.include "m.s"', "a.s:1:10: 'm.s' includes itself"),
        ('.include "gone.s"', "a.s:1:10: 'gone.s': no such file; check the path"),
    ],
)
def test_a_mistake_names_both_lines(write, included, message):
    write(m_s='here: halt\n.data 64\n.word 0\n.text\n.if 1\n.include "a.s"\n.endif', a_s=included)
    actual = mistake()
    assert actual.startswith(message)
    assert actual.endswith(" (included by m.s:6)")


def test_a_mistake_after_an_included_text_is_of_the_own_line(write):
    write(m_s='.include "a.s"\nhere: halt\n', a_s="here: halt")
    assert mistake() == "m.s:2:1: 'here' is already defined (a.s:1); use another name"


def test_the_way_to_a_mistake_is_named(write):
    write(m_s='\n.include "sub/a.s"', sub__a_s='.include "b.s"', sub__b_s="what")
    assert mistake().startswith("sub/b.s:1:1: ")
    assert mistake().endswith("(included by sub/a.s:1, m.s:2)")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ('"../x.s"', "'../x.s' is outside the folder of this text"),
        ('"/etc/passwd"', "'/etc/passwd' is outside the folder of this text"),
        ('"sub/../../x.s"', "is outside the folder of this text"),
        ('"out.s"', "'out.s' is outside the folder of this text"),
        ('"circle.s"', "cannot be read"),
        ('"sub"', "is a directory, an assembly text is needed"),
        ('"latin.s"', "is not text in UTF-8"),
        ('"large.s"', "has more than 64 MiB"),
        ('"/dev/zero"', "is outside the folder of this text"),
        ('""', "is a directory"),
        ('"a\0b"', ""),
        ("a.s", 'write the name of a file in quotation marks: .include "x.s"'),
        ('"a.s", 3', "'.include' does not have 2 arguments"),
        ("", "'.include' does not have no arguments"),
    ],
)
def test_what_cannot_be_included(write, name, message):
    folder = write(m_s=f".include {name}\nhalt", sub__b_s="halt")
    (folder / "out.s").symlink_to("/etc/passwd")
    (folder / "circle.s").symlink_to("circle.s")
    (folder / "latin.s").write_bytes(b"\xff")
    with (folder / "large.s").open("wb") as file:
        file.truncate(1 << 27)
    assert mistake().startswith("m.s:1:")
    assert message in mistake()


def test_texts_include_each_other_eight_deep(write):
    write(**{f"a{k}_s": f'.include "a{k + 1}.s"' for k in range(8)}, a8_s="halt")
    assert len(assemble_file("a0.s")) == 1
    write(a8_s='.include "a9.s"', a9_s="halt")
    actual = mistake("a0.s")
    assert actual.startswith("a8.s:1:10: files include each other too deeply; at most 8 levels")
    assert actual.endswith("(included by " + ", ".join(f"a{k}.s:1" for k in reversed(range(8))) + ")")


def test_texts_are_not_too_many(write, monkeypatch):
    monkeypatch.setattr(inclusion, "MOST", 1000)
    write(**{f"a{k}_s": f'.include "a{k + 1}.s"\n' * 9 for k in range(7)}, a7_s="# ten more\n")
    assert "the included files are too long; at most 1,000 letters are possible" in mistake("a0.s")


def test_a_text_of_no_folder_includes_nothing():
    for given in ('.include "a.s"', '.include "hism/walk.s"'):
        with pytest.raises(AssemblyError, match="this text has no folder, so it cannot include files"):
            assemble(given)
        with pytest.raises(AssemblyError, match="this text has no folder, so it cannot include files"):
            assemble(given, restrictions=Restrictions(frozenset(), (64, 8192)))


def test_given_texts_are_taken_and_no_file_is_opened(write):
    write(a_s="addi x1, x1, 1", b_s="halt")
    text = '.include "a.s"\nhalt'
    program = assemble(text, file="sub/m.s", given={"a.s": b"addi x1, x1, 2"})
    assert [each.file for each in program.source] == ["sub/a.s", "sub/m.s"]
    assert program.fields[0].tolist()[2] == 2
    with pytest.raises(
        AssemblyError, match=r"'b\.s' was not included at first; an edited text may include only"
    ):
        assemble('.include "b.s"', given={"a.s": b""})


def test_a_copy_of_a_program_includes_what_comes_with_vecsim(write):
    folder = write(m_s=(PROGRAMS / "hism" / "plain.s").read_text())
    csr, machine = load("laplace2d-9").csr, load_machine("vs2003", ["section_size=4"])
    x = multiplicand(csr.shape[1], 0, csr.dtype)
    own = prepare("hism", csr, machine, x, {"schedule": "plain"})
    copied = prepare(f"hism:{folder / 'm.s'}", csr, machine, x)
    assert copied.program.words.tolist() == own.program.words.tolist()
    files = {each.file for each in copied.files}
    assert {str(folder / "m.s"), str(PROGRAMS / "hism" / "walk.s")} < files
    write(hism__walk_s=".equ MINE, 1\nnode: parents: ret")
    with pytest.raises(AssemblyError, match="'parents' is already defined"):
        prepare(f"hism:{folder / 'm.s'}", csr, machine, x)


def test_programs_include_what_comes_with_vecsim():
    including = [path for path in PROGRAMS.rglob("*.s") if "\n.include" in path.read_text()]
    assert len(including) >= 8
    assert not any(".include" in whole_text(path) for path in including)
