"""The pages of the site: all are in its index, their links lead somewhere, tables and pictures are made."""

import re
from pathlib import Path

import pytest

from docs.assembly_lexer import AssemblyLexer
from docs.blocks import blocks, commands, matches, recorded_blocks
from docs.pictures.draw import PICTURES, SHORT
from docs.tables import MADE, filled
from docs.tables.instructions import encoding_picture
from docs.tables.machine import sources
from isa.instructions import BASE
from isa.reference import instruction_entry
from vecsim.machine.description import Machine, flat

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
LINK = re.compile(r"\]\((?!https?:|#|mailto:)(?P<to>[^)#\s]+)[^)]*\)")


def test_every_page_is_in_the_index():
    index = filled((ROOT / "docs" / "index.md").read_text())
    named = {
        line
        for block in blocks(index)
        for line in block.text.splitlines()
        if line and not line.startswith(":")
    }
    assert {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in PAGES} - {"index"} <= named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    missing = [to["to"] for to in LINK.finditer(text) if not (page.parent / to["to"]).exists()]
    assert not missing


def test_what_is_made_from_tables_stands_in_a_page():
    texts = "\n".join(page.read_text() for page in PAGES)
    assert set(re.findall(r"<!-- made from: ([\w-]+) -->", texts)) == set(MADE)
    built = filled((ROOT / "docs" / "reference" / "machine.md").read_text())
    assert "| `sparse_unit.latency` | cycles from taking an entry to its sum | 1 to 10,000 |" in built


def test_every_array_and_field_of_the_timing_state_has_a_meaning():
    rows = [line for line in filled("<!-- made from: state -->").splitlines() if line.startswith("| `")]
    assert len(rows) > 200
    assert [row for row in rows if row.endswith("|  |")] == []


def test_a_table_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        filled("<!-- made from: nothing -->")


def test_the_picture_of_an_encoding_has_every_bit_once():
    for entry in map(instruction_entry, BASE.instructions):
        shown = encoding_picture(entry.layout, entry.opcode)
        boxes = [tuple(map(int, box)) for box in re.findall(r'<rect x="(\d+)" y="14" width="(\d+)"', shown)]
        before = [sum(width for _, width in boxes[:k]) for k in range(len(boxes))]
        assert [x for x, _ in boxes] == before, entry
        assert sum(width for _, width in boxes) == 32 * 20, entry


def test_numbers_say_what_the_paper_states():
    said = sources()
    assert said["section_size"] == "stated"
    assert said["sparse_unit.latency"] == "calibrated"
    assert set(said) <= set(flat(Machine().numbers()))


@pytest.mark.parametrize(
    "name", [n if n in SHORT else pytest.param(n, marks=pytest.mark.ci) for n in PICTURES]
)
def test_a_picture_is_what_its_script_draws(name):
    assert (ROOT / "docs" / "pictures" / f"{name}.svg").read_text() == PICTURES[name]()


def test_assembly_is_coloured():
    actual = dict(map(reversed, AssemblyLexer().get_tokens("next: lv.f v1, X(zero)  # load\n.word 0x10\n")))
    kinds = {text: str(kind) for text, kind in actual.items()}
    assert kinds["next:"] == "Token.Name.Label"
    assert kinds["lv.f"] == "Token.Keyword"
    assert kinds["v1"] == kinds["zero"] == "Token.Name.Variable"
    assert kinds[".word"] == "Token.Keyword.Pseudo"
    assert kinds["X"] == "Token.Name"
    assert kinds["# load"] == "Token.Comment.Single"


PAGE = """
```{code-block} asm
:caption: a.s

halt
```
```console
$ vecsim one \\
  two
said ... so
$ vecsim three
```
```{code-block} console
:class: gpu

$ vecsim gpu bench
fast
```
"""


def test_blocks_of_a_page():
    file, console, recorded = blocks(PAGE)
    assert (file.language, file.options, file.text, file.line) == ("asm", {"caption": "a.s"}, "halt\n", 2)
    assert [command.command for command in commands(console)] == ["vecsim one   two", "vecsim three"]
    assert recorded_blocks(PAGE) == [recorded]
    assert recorded.needs == "gpu"


def test_what_a_command_prints():
    assert matches("said not\nso  \n", "said ... so".replace(" so", "\nso"))
    assert not matches("said so, or not\n", "said ... so")
