"""``.incbin``: bytes of a file next to the text, and of no other."""

import pytest

from isa.assembler import assemble, assemble_file
from vecsim.support.errors import AssemblyError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.bin").write_bytes(bytes(range(10)))
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.bin").write_bytes(b"xyz")
    return tmp_path


def content(text, folder):
    (segment,) = assemble(f".data 64\n{text}\n.byte 255\n.text\nhalt", folder=folder).data
    return segment.content


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('.incbin "a.bin"', bytes(range(10))),
        ('.incbin "a.bin", 4', bytes(range(4, 10))),
        ('.incbin "a.bin", 2 + 2, 3  # a part', bytes(range(4, 7))),
        ('.incbin "inner/b.bin"', b"xyz"),
        ('x: .incbin "a.bin", 10', b""),
    ],
)
def test_bytes(folder, text, expected):
    assert content(text, folder) == expected + b"\xff"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('.incbin "none.bin"', "no such file"),
        ('.incbin "../a.bin"', "is outside the folder of this text"),
        ('.incbin "/etc/passwd"', "is outside the folder of this text"),
        (".incbin a", "in quotation marks"),
        ('.incbin "a.bin", 11', "first byte"),
        ('.incbin "a.bin", 4, 7', "count of bytes"),
        ('.word "a.bin"', "a text where a number is needed"),
        ('.incbin "a.bin', "unexpected"),
    ],
)
def test_mistakes(folder, text, message):
    with pytest.raises(AssemblyError, match=message):
        content(text, folder)


def test_a_link_leads_out_of_the_folder(folder):
    (folder / "inner" / "link").symlink_to(folder / "a.bin")
    with pytest.raises(AssemblyError, match="is outside the folder"):
        content('.incbin "link"', folder / "inner")


def test_a_text_of_no_folder_includes_nothing():
    with pytest.raises(AssemblyError, match="no folder"):
        assemble('.data\n.incbin "a.bin"')


def test_next_to_its_file(folder):
    (folder / "p.s").write_text('.data 64\n.incbin "a.bin"\n.text\nhalt')
    assert assemble_file(folder / "p.s").data[0].content == bytes(range(10))


def test_as_an_operand(folder):
    with pytest.raises(AssemblyError, match="a text where"):
        assemble('addi x1, x1, "a"')
