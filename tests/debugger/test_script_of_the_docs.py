"""The script of docs/debug.md runs by the command that the page shows, and its tables name every command."""

from pathlib import Path

from docs.blocks import blocks, commands, matches
from vecsim.cli import main
from vecsim.debugger.commands import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "debug.md").read_text(encoding="utf-8")


def test_the_script(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (file,) = (block for block in blocks(PAGE) if "caption" in block.options)
    Path(file.options["caption"]).write_text(file.text)
    (command,) = (each for block in blocks(PAGE) if block.language == "console" for each in commands(block))
    assert main(command.command.split()[1:]) == 0
    assert matches(capsys.readouterr().out, command.printed)


def test_every_command_is_there():
    table = PAGE.partition("## Commands")[2].partition("A *place*")[0]
    assert [name for name in COMMANDS if f"`{name}" not in table] == []
