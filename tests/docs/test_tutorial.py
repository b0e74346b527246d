"""The newcomer's path, and all that pages give to type: executed from their texts, in an empty folder."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import blocks, commands, matches
from vecsim.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if any(block.language == "console" and not block.needs for block in blocks(page.read_text()))
]

pytestmark = pytest.mark.ci


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_it_says(page, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for block in blocks(page.read_text()):
        if "caption" in block.options:
            (tmp_path / block.options["caption"]).write_text(block.text)
        elif block.language == "console" and not block.needs:
            for each in commands(block):
                printed = typed(each.command, tmp_path, capsys)
                assert matches(printed, each.printed), f"line {block.line}: {each.command}\n{printed}"


def typed(command, folder, capsys):
    """Return what a command prints on the standard output, in a terminal of 120 columns."""
    name, *arguments = shlex.split(command)
    if name == "vecsim":
        capsys.readouterr()
        code = main(arguments)
        printed, errors = capsys.readouterr()
    else:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        code, printed, errors = done.returncode, done.stdout, done.stderr
    assert code == 0, f"{command}\n{errors}"
    return printed


def test_the_newcomers_path_is_among_them():
    path = {"README", "first-run", "own-program", "what-if", "own-instruction", "own-format"}
    assert path <= {page.stem for page in PAGES}
