"""What a constant means stands in a docstring under it, where documentation and editors find it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("benchmarks", "experiments", "gpu", "isa", "programs", "vecsim")


def commented_above(text):
    """Return the constants of a module that have a comment in the line above."""
    lines = ["", *text.splitlines()]
    return [
        ast.unparse(target)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and lines[node.lineno - 1].startswith("#")
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name | ast.Tuple)
    ]


def test_a_comment_above_is_seen():
    text = '''import os
# Of x.
A = 1
B, C = 1, 2
"""Of y."""
# Of z.
D: int = 2
'''
    assert commented_above(text) == ["A", "D"]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_constant_has_a_comment_above(package):
    actual = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / package).rglob("*.py")
        for name in commented_above(path.read_text(encoding="utf-8"))
    }
    assert not actual
