"""The language of the debugger, and what its panels say."""

import re

import pytest
from debugger_cases import debugger, hism, kernel

from vecsim.debugger.commands import COMMANDS, ExpectationError, execute, run_script
from vecsim.debugger.panels import PANELS
from vecsim.support.errors import UserError


def say(shown, *commands):
    messages = []
    for command in commands:
        messages = execute(shown, command)
    return "\n".join(messages)


def test_run_until():
    shown = debugger()
    assert (
        "next is kernel.s:11" in say(shown, "until cycle 2", "until again")
        or shown.stop.reason == "breakpoint"
    )
    assert shown.value("left") == 3
    assert ", x6 >= 5, by one of the lines 11, 12" in say(shown, "until x6 >= 5")
    assert shown.value("x6") == 5 and shown.value("left") == 1  # issues in the same cycle
    assert ", float(PLACE + 64) != 0, by " in say(shown, "restart", "until float(PLACE + 64) != 0")
    assert shown.value("float(PLACE+68)") == 4
    assert "kernel.s:14: sw" in say(shown, "restart", "until sw")
    assert "the program has ended" in say(shown, "until cycle 10000")


def test_until_what_holds_already_stays_and_says_so():
    shown = debugger()
    say(shown, "until x6 >= 5")
    before = shown.position
    for command, answer in (
        ("until x6 >= 5", "x6 >= 5 holds already"),
        ("until x6 != 4", "x6 != 4 holds already"),
        (f"until cycle {before.cycle}", "it has come already"),
        ("until cycle 2", "it has come already; goto 2 goes back"),
    ):
        assert say(shown, command) == f"cycle {before.cycle}, {answer}"
        assert shown.position is before
    assert f"cycle {before.cycle + 1}, next is" in say(shown, f"until cycle {before.cycle + 1}")


def test_where_it_stands_is_said_once():
    shown = debugger()
    for command in (
        "step",
        "until x6 >= 3",
        "watch x6",
        "run",
        "cycle 2",
        "back",
        "goto 5",
        "assemble",
        "until 11",
    ):
        messages = say(shown, command)
        if command != "watch x6":
            assert re.findall(r"cycle (\d+)", messages) == [str(shown.position.cycle)]


def test_what_is_watched_may_come_to_lie_outside():
    """It then stops there, and what is shown is where it has stopped."""
    shown = debugger(kernel("li x3, 8\nagain: slli x3, x3, 1\nj again\nhalt"))
    messages = say(shown, "watch word(x3)", "run")
    while "is outside memory" not in messages:
        assert shown.stop.reason in ("watch", "limit")
        messages = say(shown, "run")
    assert (
        messages == f"cycle {shown.position.cycle}, word({shown.value('x3')}) is outside memory; "
        "addresses must be below 1024"
    )
    assert shown.stop.text == messages


def test_watch_says_what_changed():
    shown = debugger()
    messages = [say(shown, "watch x6", "run")] + [say(shown, "run") for _ in range(3)]
    assert [re.search(r"x6 is now (\d)", text) and text.split("now ")[1][0] for text in messages] == [
        "3",
        "5",
        "6",
        None,
    ]
    assert "nothing watched" in say(shown, "delete")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("stepp", "did you mean 'step'"),
        ("step 0", "1 or more"),
        ("break nowhere", "must be a line, label or mnemonic"),
        ("break 99", "no instruction is there"),
        ("until x5 = 3", "must be a register, place or number"),
        ("until f1 > 1e400", "1e400 does not fit float64"),
        ("print v2[99]", "must be from 0 to 15"),
        ("print float(4000)", "outside memory"),
        ("print rowpt", "did you mean 'rowptr'"),
        ("watch v1 > 0", "compared by element"),
        ("memory PLACE:4:flot", "did you mean 'float'"),
        ("memory PLACE:4000", "outside memory"),
        ("show maks", "did you mean 'mask'"),
        ("help addvv.x", "unknown instruction"),
        ("edit 40 nop", "must be from 1 to"),
        ("delete 12", "no breakpoint"),
        ("expect x5", "not a condition"),
        ("goto there", "write the cycle"),
        ("view full", "simple or extended"),
        ("memory v1:4", "not a place in memory"),
        ("memory f1:4", "not a place in memory"),
        (f"goto {'9' * 5000}", "too large"),
        (f"step {'9' * 5000}", "too large"),
        (f"edit {'9' * 5000} nop", "too large"),
        (f"until cycle {'9' * 5000}", "too large"),
        (f"break {'9' * 5000}", "too large"),
        (f"memory PLACE:{'9' * 5000}", "too large"),
        (f"print float({'9' * 5000})", "is not a number"),
        ("print float(08)", "is not a number"),
    ],
)
def test_what_it_refuses(command, message):
    with pytest.raises(UserError, match=re.escape(message)):
        execute(debugger(), command)


def test_an_edited_line_is_assembled_and_its_effect_seen():
    shown = debugger()
    shown.session.breakpoints.update(shown.instructions_at("again"))
    say(shown, "run", "run")
    cycle = shown.position.cycle
    assert shown.value("x6") == 3
    messages = say(shown, "edit 11 again:  sub x6, x6, left", "assemble")
    assert f"cycle {cycle} again, assembled" in messages
    assert shown.value("x6") == -3
    assert [shown.line_of(pc) for pc in shown.session.breakpoints] == [11]
    say(shown, "delete", "run")
    assert shown.value("word(PLACE + 128)") == -6


def test_a_mistake_leaves_the_session_as_it_was():
    shown = debugger()
    say(shown, "step 3")
    before = shown.position
    with pytest.raises(UserError, match=r"kernel\.s:11"):
        say(shown, "edit 11 again: sub x6, x6", "assemble")
    assert shown.position is before and shown.edits == {11}


@pytest.mark.parametrize("name", ["/etc/passwd", "debugger_cases.py"])
def test_an_edited_text_includes_no_file(name):
    with pytest.raises(UserError, match="cannot include files"):
        say(debugger(), "edit 16 .data 512", f'edit 17 .incbin "{name}"', "assemble")


def test_what_is_watched_and_gone_is_named_and_the_session_stays():
    shown = debugger()
    say(shown, "watch float(PLACE)", "step 3", "edit 3 .equ HERE, 256", "edit 4 li x3, HERE")
    before, session = shown.position, shown.session
    with pytest.raises(UserError, match=r"float\(PLACE\) is watched: .*; delete float\(PLACE\) first"):
        say(shown, "assemble")
    assert shown.session is session and shown.position is before and shown.edits == {3, 4}
    assert "assembled" in say(shown, "delete float(PLACE)", "assemble")


def test_panels():
    shown = debugger(pieces=("PLACE:4:float",))
    say(shown, "break 9", "run", "step", "cycle 4", "view extended")
    messages = say(shown, "show")
    assert [line for line in messages.splitlines() if line.startswith("-- ")] == [
        f"-- {name}" for name in PANELS
    ]
    assert " B     9          addvv.s v2, v1, v1" not in messages  # it has been passed
    assert re.search(r"v1 +float +1~ +2~ +3~ +4~ +0", messages)
    assert "      ⣤⣶⣿⣿············" in messages
    assert re.search(r"x5 +\d +left", messages)
    assert "0 of 16 elements" in messages
    assert re.search(r"256  1  2  3  4$", messages, re.MULTILINE)
    assert re.search(r"port 0 +#\d+ lv\.w v1, 0\(x3\): startup until cycle \d+", messages)
    assert re.search(r"#\d+ +lv\.w v1, 0\(x3\) +Iw+", messages)
    assert re.search(
        r"add +#\d+ addvv\.s v2, v1, v1: waits: (v1, whole in cycle|element by element after)", messages
    )


CELLS = ("▃⣤", "▅⣶", "▇⣿", "█⣿", "·", "·", "·", "·")
"""Of 1, 2, 3, 4 and zeros, ready and not."""


def test_values_that_are_not_ready_are_marked():
    """What is loaded is ready element by element, what is stored when the store has ended."""
    shown = debugger(kernel(machine="vs2003", section_size=8), pieces=("PLACE:4:float", "320:4:float"))
    say(shown, "until sw")
    assert say(shown, "print v1[1]").startswith("v1[1] = 2.0~ (not ready")
    assert say(shown, "print v2").startswith("v2 = [2.0~, 4.0~, 6.0~, 8.0~, 0.0, 0.0, 0.0, 0.0] (not ready")
    assert say(shown, "print v1[4]") == "v1[4] = 0"
    assert say(shown, "print float(PLACE)") == "float(PLACE) = 1.0"
    assert say(shown, "print float(x3 + 64)").startswith("float(x3 + 64) = 2.0~ (not ready")
    assert "320  2~  4~  6~  8~" in say(shown, "show memory") and "256  1  2" in say(shown, "show memory")
    marks = []
    while not shown.position.finished:
        cells = say(shown, "show vectors").splitlines()[3].strip()
        assert all(
            ["▃⣤", "▅⣶", "▇⣿", "█⣿", "·", "·", "·", "·"][k].count(letter) for k, letter in enumerate(cells)
        )
        marks.append(sum(letter in "⣤⣶⣿" for letter in cells))
        say(shown, "cycle")
    assert marks == sorted(marks, reverse=True) and {4, 0} <= set(marks)
    assert "~" not in say(shown, "view extended", "show")
    assert say(shown, "print v2") == "v2 = [2.0, 4.0, 6.0, 8.0, 0.0, 0.0, 0.0, 0.0]"
    with pytest.raises(ExpectationError, match=r"v1\[0\] is 1.0~ \(not ready"):
        say(shown, "goto 6", "expect v1[0] == 3")


def test_a_scalar_that_is_not_ready_says_from_when_on_it_is():
    shown = debugger(kernel("lw x5, 256(zero)\naddi x6, x5, 1\nhalt", scalar_load_latency=9, issue_width=1))
    say(shown, "cycle")
    assert say(shown, "print x5") == "x5 = 1065353216~ (not ready before cycle 9)"
    assert re.search(r"^\*x5 +1065353216~$", say(shown, "show scalars"), re.MULTILINE)
    assert say(shown, "watch x6", "run").startswith("cycle 10, x6 is now 1065353217, by kernel.s:2: addi x6")
    assert say(shown, "print x5") == "x5 = 1065353216"


def test_a_piece_of_memory_is_where_its_name_says_at_each_stop():
    shown = debugger(pieces=("x3:1:float", "PLACE:1:float"))
    assert re.search(r" 0  0$", say(shown, "show memory"), re.MULTILINE)
    assert re.search(r"^\* +256  1$", say(shown, "step", "show memory"), re.MULTILINE)
    assert re.search(r"^  +256  1$", say(shown, "step", "show memory"), re.MULTILINE)
    assert say(shown, "edit 3 .equ PLACE, 260", "assemble", "show memory").splitlines() == [
        "x3: 1 x float", "*      260  2", "PLACE: 1 x float", "*      260  2",
    ]  # fmt: skip
    say(
        shown,
        "edit 3 .equ HERE, 260",
        "edit 4 li x3, -8",
        "edit 9 nop",
        "edit 10 nop",
        "edit 8 nop",
        "assemble",
    )
    messages = say(shown, "show memory").splitlines()
    assert (
        messages[1] == " x3: bytes -8 to -5 are outside memory; addresses must be below 1024"
        and "'PLACE'" in messages[3]
    )


def test_a_script_says_what_did_not_hold():
    messages = []
    shown = debugger()
    assert (
        run_script(
            shown,
            "s",
            ["run", "expect x6 == 6", "# so it is", "expect x6 > 6", "quit", "run"],
            messages.append,
        )
        is False
    )
    assert messages[-2:] == ["not as expected: x6 > 6; x6 is 6", "> quit"]
    with pytest.raises(UserError, match=r"^s:2: unknown command"):
        run_script(shown, "s", ["step", "stepp"], messages.append)


def test_help_of_every_command_and_of_mnemonics():
    shown = debugger()
    listed = say(shown, "help")
    assert all(name in listed for name in COMMANDS)
    assert "xd = xa + xb" in say(shown, "help add")
    assert shown.mnemonic_of(11) == "add" and shown.mnemonic_of(2) == ".reg" and shown.mnemonic_of(1) is None


def test_hism_there_and_back():
    """Break at BMIPA, and return to the same state; the debugger shows what waits."""
    shown = debugger(hism())
    say(shown, "break bmipa", "run", "run")
    digest = say(shown, "digest")
    assert "bmipa.s y, x, value, position" in say(shown, "show units")
    assert digest == say(shown, "step 3", "back 3", "cycle 40", "backcycle 40", "digest")
    say(shown, "delete", "run")
    assert shown.stop.reason == "end"


def test_registers_of_64_bits():
    target = kernel(
        ".data 512\n.double 1.5, -2.5\n.text\n"
        "li x3, 512\nli x4, 2\nsetvl x4\nlv.d v1, (x3)\nfl.d f1, 8(x3)\nhalt"
    )
    shown = debugger(type(target)(**{**vars(target), "value_bytes": 8}))
    say(shown, "run")
    assert (shown.value("v1[0]"), shown.value("f1"), shown.value("double(x3 + 8)")) == (1.5, -2.5, -2.5)
    assert "double 1.5  -2.5" in say(shown, "show vectors")
