"""The language of the debugger, and what its panels say."""

import re

import pytest
from debugger_cases import debugger, hism, kernel

from vecsim.debugger.commands import COMMANDS, execute, run_script
from vecsim.debugger.panels import PANELS
from vecsim.errors import UserError


def say(shown, *commands):
    told = []
    for command in commands:
        told = execute(shown, command)
    return "\n".join(told)


def test_run_until():
    shown = debugger()
    assert (
        "next is kernel.s:11" in say(shown, "until cycle 2", "until again")
        or shown.stop.reason == "breakpoint"
    )
    assert shown.value("left") == 3
    assert "x6 >= 5: cycle" in say(shown, "until x6 >= 5")
    assert shown.value("x6") == 5 and shown.value("left") == 1  # issues in the same cycle
    assert "float(PLACE + 64) != 0: cycle" in say(shown, "restart", "until float(PLACE + 64) != 0")
    assert shown.value("float(PLACE+68)") == 4
    assert "kernel.s:14: sw" in say(shown, "restart", "until sw")
    assert "the program has ended" in say(shown, "until cycle 10000")


def test_watch_says_what_changed():
    shown = debugger()
    told = [say(shown, "watch x6", "run")] + [say(shown, "run") for _ in range(3)]
    assert [re.search(r"x6 is now (\d)", text) and text.split("now ")[1][0] for text in told] == [
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
        ("break nowhere", "no line, label or mnemonic"),
        ("break 99", "no instruction stands there"),
        ("until x5 = 3", "no register, place or number"),
        ("until f1 > 1e400", "1e400 does not fit float64"),
        ("print v2[99]", "elements 0 to 15"),
        ("print float(4000)", "outside memory"),
        ("print rowpt", "did you mean 'rowptr'"),
        ("watch v1 > 0", "element by element"),
        ("memory PLACE:4:flot", "did you mean 'float'"),
        ("memory PLACE:4000", "outside memory"),
        ("show maks", "did you mean 'mask'"),
        ("help addvv.x", "unknown instruction"),
        ("edit 40 nop", "lines 1 to"),
        ("delete 12", "no breakpoint"),
        ("expect x5", "no condition"),
        ("goto there", "write the cycle"),
        ("view full", "simple or extended"),
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
    told = say(shown, "edit 11 again:  sub x6, x6, left", "assemble")
    assert f"again at cycle {cycle}" in told
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


def test_panels():
    shown = debugger(pieces=("PLACE:4:float",))
    say(shown, "break 9", "run", "step", "cycle 4", "view extended")
    told = say(shown, "show")
    assert [line for line in told.splitlines() if line.startswith("-- ")] == [f"-- {name}" for name in PANELS]
    assert " B     9          addvv.s v2, v1, v1" not in told  # it has been passed
    assert re.search(r"v1 +float +1 +2 +3 +4 +0", told)
    assert "      ▃▅▇█············" in told
    assert re.search(r"x5 +\d +left", told)
    assert "0 of 16 elements" in told
    assert re.search(r"256  1  2  3  4", told)
    assert re.search(r"port 0 +#\d+ lv\.w v1, 0\(x3\): startup until cycle \d+", told)
    assert re.search(r"#\d+ +lv\.w v1, 0\(x3\) +Iw+", told)
    assert re.search(
        r"add +#\d+ addvv\.s v2, v1, v1: waits: (v1, whole in cycle|element by element behind)", told
    )


def test_a_script_says_what_did_not_hold():
    told = []
    shown = debugger()
    assert (
        run_script(
            shown, "s", ["run", "expect x6 == 6", "# so it is", "expect x6 > 6", "quit", "run"], told.append
        )
        is False
    )
    assert told[-2:] == ["not as expected: x6 > 6; x6 is 6", "> quit"]
    with pytest.raises(UserError, match=r"^s:2: unknown command"):
        run_script(shown, "s", ["step", "stepp"], told.append)


def test_help_of_every_command_and_of_mnemonics():
    shown = debugger()
    listed = say(shown, "help")
    assert all(name in listed for name in COMMANDS)
    assert "xd = xa + xb" in say(shown, "help add")
    assert shown.mnemonic_of(11) == "add" and shown.mnemonic_of(2) == ".reg" and shown.mnemonic_of(1) is None


def test_hism_there_and_back():
    """Breaks at BMIPA, and comes back to the same state; what waits is told."""
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
