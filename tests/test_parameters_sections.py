"""Public functions with four parameters or more say what each of them is, and kernels what each array is."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "benchmarks",
    "experiments",
    "gpu",
    "isa",
    "programs",
    "vecsim/cli",
    "vecsim/data",
    "vecsim/engines",
    "vecsim/formats",
)
ALIKE = "isa/semantics/"
"""All functions there have the parameters that the package describes."""
DESCRIBED = (
    "isa/riscv/semantics",
    "isa/rows",
    "vecsim/engines/jit",
    "vecsim/engines/rules",
    "vecsim/engines/trace_timing",
)
"""What the functions of these packages name alike is described once, by the package."""
MANY = 4


@cache
def parsed(path):
    """Return the tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(package):
    """Yield a package's public functions with many parameters: place, node, names described elsewhere."""
    for path in sorted((ROOT / package).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(ALIKE):
            continue
        common = set().union(*(of_package(each) for each in DESCRIBED if place.startswith(each)))
        for node in outermost(parsed(path)):
            if not node.name.startswith("_") and len(parameters(node)) >= MANY and not is_command(node):
                yield f"{place}:{node.name}", node, common


def outermost(tree):
    """Yield the functions of a module and the methods of its classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from outermost(node)


@cache
def of_package(package):
    """Return the names that a package describes."""
    return described(ast.get_docstring(parsed(ROOT / package / "__init__.py")))


def described(docstring):
    """Return the names in the section of parameters."""
    section = docstring.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    named = [line for line in section.splitlines() if not line.startswith(" ")]
    return {name.lstrip("*") for line in named for name in line.split(", ")}


def parameters(node):
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {each.arg for each in every} - {"self", "cls"}


def is_command(node):
    """Whether it is a command, whose docstring is its help and whose options describe themselves."""
    return "json" in parameters(node) or "Annotated" in ast.unparse(node.args)


def kernels():
    """Yield each kernel for a GPU that has arrays: place, node, and no names described elsewhere."""
    for path in sorted((ROOT / "gpu").rglob("*.py")):
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.FunctionDef)
                and parameters(node)
                and any(ast.unparse(each).startswith("cuda.jit") for each in node.decorator_list)
            ):
                yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", node, set()


def undescribed(every):
    """Return the places of those with a parameter that nothing describes."""
    return [
        place
        for place, node, common in every
        if not parameters(node) <= described(ast.get_docstring(node) or "") | common
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_parameter_is_described(package):
    every = list(functions(package))
    assert every
    assert undescribed(every) == []


def test_every_parameter_of_a_kernel_is_described():
    every = list(kernels())
    assert len(every) > 10
    assert undescribed(every) == []


@pytest.mark.parametrize("package", DESCRIBED)
def test_a_package_uses_what_it_describes(package):
    paths = (ROOT / package).rglob("*.py")
    nodes = [node for path in paths for node in outermost(parsed(path))]
    assert of_package(package) <= {name for node in nodes for name in parameters(node)}
