"""The script of docs/debug.md runs as it stands there, and its tables name every command."""

from pathlib import Path

from debugger_cases import debugger, hism

from vecsim.debugger.commands import COMMANDS, run_script

PAGE = (Path(__file__).parents[2] / "docs" / "debug.md").read_text(encoding="utf-8")


def test_the_script():
    script = PAGE.partition("runs it -->\n```\n")[2].partition("```")[0]
    told = []
    assert run_script(debugger(hism()), "docs/debug.md", script.splitlines(), told.append)
    assert told[-1].startswith("the program has ended")


def test_every_command_is_there():
    table = PAGE.partition("## Commands")[2].partition("A *place*")[0]
    assert [name for name in COMMANDS if f"`{name}" not in table] == []
