"""A program of several texts in the debugger: each line is shown in the text that it stands in."""

import asyncio

import pytest
from debugger_cases import debugger, hism, kernel

from isa.assembler import assemble
from tests.included_texts import PROGRAMS
from vecsim.debugger.commands import execute
from vecsim.support.errors import UserError

MAIN = """\
        li      x5, 3
again:
        .include "body.s"
        bnez    x5, again
        halt
"""
BODY = "# the body of the loop\n        addi    x6, x6, 2\n        addi    x5, x5, -1\n"


def say(shown, *commands):
    messages = []
    for command in commands:
        messages = execute(shown, command)
    return "\n".join(messages)


@pytest.fixture
def included(tmp_path):
    (tmp_path / "body.s").write_text(BODY)
    target = kernel(MAIN, issue_width=1).with_files(tmp_path)
    (tmp_path / "body.s").unlink()  # what was read is kept
    return debugger(target)


def test_the_text_of_the_next_instruction_is_shown(included):
    assert included.file == "kernel.s"
    assert "body.s:2: addi    x6, x6, 2" in say(included, "until body.s:2")
    assert included.file == "body.s"
    messages = say(included, "show source").splitlines()
    assert [line.rstrip() for line in messages] == [
        "body.s, included",
        "       1  # the body of the loop",
        "  >    2          addi    x6, x6, 2",
        "       3          addi    x5, x5, -1",
        "       4",
    ]
    say(included, "step", "step")
    messages = say(included, "show source")
    assert "  >    4          bnez    x5, again" in messages
    assert ", included" not in messages


def test_breakpoints_are_of_lines_of_their_text(included):
    assert "kernel.s:4" in say(included, "break 3")  # nothing of the text itself stands there
    assert "body.s:3" in say(included, "break body.s:3", "run")
    assert included.stop.reason == "breakpoint"
    say(included, "edit 1         li      x5, 2", "assemble")
    recorded = sorted(included.session.program.where(pc) for pc in included.session.breakpoints)
    assert [line.rpartition(":")[0] for line in recorded] == ["body.s:3", "kernel.s:4"]
    assert "no breakpoint at body.s:3" in say(included, "delete body.s:3")
    say(included, "delete", "run")
    assert included.value("x6") == 4


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("break other.s:2", r"other\.s: no text has this name: kernel\.s, body\.s"),
        ("break body.s:4", "line 4: no instruction is there or after it; choose an earlier line"),
    ],
)
def test_places_that_are_none(included, command, message):
    with pytest.raises(UserError, match=message):
        say(included, command)


def test_an_edited_text_includes_what_it_did_and_no_other_file(included, tmp_path):
    (tmp_path / "other.s").write_text("halt")
    with pytest.raises(UserError, match="was not included at first"):
        say(included, 'edit 4 .include "other.s"', "assemble")
    say(included, 'edit 4 .include "body.s"', "assemble", "run")
    assert included.value("x6") == 4


def test_the_recursion_of_hism_is_shown_in_its_text():
    shown = debugger(hism())
    stop = say(shown, "break node", "run")
    assert "before <programs>/hism/walk.s:" in stop
    lines = (PROGRAMS / "hism" / "walk.s").read_text().split("\n")
    assert shown.lines == lines
    assert lines[shown.line_of(shown.position.pc) - 1].split() == ["beqz", "length,", "leave"]
    line = 1 + next(n for n, line in enumerate(lines) if "slti" in line)
    stop = say(shown, f"break walk.s:{line}", "run")
    assert f"before <programs>/hism/walk.s:{line}: slti" in stop
    assert assemble(shown.target.text, folder=PROGRAMS, symbols=shown.target.symbols).words.tolist() == (
        shown.session.program.words.tolist()
    )


def test_the_terminal_changes_between_texts(included):
    pytest.importorskip("textual")
    from textual.widgets import OptionList

    from vecsim.debugger.app import DebuggerApp

    async def opened():
        app = DebuggerApp(included)
        async with app.run_test(size=(140, 40)) as pilot:
            source = app.query_one("#source", OptionList)
            assert (str(source.border_title), source.option_count) == ("kernel.s", 6)
            await pilot.press("s")
            assert (str(source.border_title), source.option_count, source.highlighted) == ("body.s", 4, 1)
            await pilot.press("e")
            assert "body.s is included: edit the file itself" in str(app.query_one("#status").content)
            source.highlighted = 2
            await pilot.press("space", "r")
            assert included.stop.reason == "breakpoint" and "body.s:3" in included.stop.text
            await pilot.press("space", "r")
            assert included.stop.reason == "end"
            assert (str(source.border_title), source.highlighted) == ("kernel.s", 4)

    asyncio.run(opened())
