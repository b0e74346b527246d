"""What other programs do wrong is one line."""

import sys

import pytest

from vecsim.playground.packages import MOST_LETTERS, call, tool
from vecsim.support.errors import UserError


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('npm error code E404'); raise SystemExit(1)", "npm: npm error code E404"),
        ("print('one'); print('two'); raise SystemExit(1)", "npm: two"),
        ("raise SystemExit(3)", "npm: exit code 3"),
        ("print('x' * 9000); raise SystemExit(1)", f"npm: {'x' * MOST_LETTERS}"),
    ],
)
def test_a_program_that_fails_is_one_line(script, message, tmp_path):
    with pytest.raises(UserError) as error:
        call([sys.executable, "-c", script], tmp_path, "npm")
    assert str(error.value) == message


def test_a_missing_program_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"node is not found: install Node\.js"):
        tool("node")
