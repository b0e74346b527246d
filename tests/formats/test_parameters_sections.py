"""Public functions of the formats with four parameters or more say what each of them is."""

import ast
from pathlib import Path

import pytest

import vecsim.formats

ROOT = Path(vecsim.formats.__file__).parent
MANY = 4


def functions():
    """Give each public function with many parameters: where it is, and its node."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            if public and len(parameters(node)) >= MANY:
                yield pytest.param(node, id=f"{path.relative_to(ROOT)}:{node.name}")


def parameters(node):
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {each.arg for each in every} - {"self", "cls"}


@pytest.mark.parametrize("node", list(functions()))
def test_every_parameter_is_described(node):
    _, found, section = (ast.get_docstring(node) or "").partition("Parameters\n----------\n")
    assert found, "a section Parameters is missing"
    named = [line for line in section.partition("\n\n")[0].splitlines() if not line.startswith(" ")]
    assert parameters(node) <= {name.lstrip("*") for line in named for name in line.split(", ")}
