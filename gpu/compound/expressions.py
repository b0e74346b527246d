"""Expressions of components, as declarations of entry types have them: checked, and turned into functions.

An expression is a formula in Python's notation of components, numbers and a few functions, such as
``a.re * x.re - a.im * x.im``. One text becomes a function of NumPy arrays and a function of a kernel: only
what its names mean differs.
"""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

FUNCTIONS = {"sqrt": 1, "abs": 1, "minimum": 2, "maximum": 2}
"""Functions that an expression may call, and how many arguments each has."""
POSSIBLE = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UAdd, ast.USub)
"""What an expression may contain in addition to components, numbers and calls."""

_ARRAYS = {"sqrt": np.sqrt, "abs": np.abs, "minimum": np.minimum, "maximum": np.maximum}
_SCALARS = {"sqrt": math.sqrt, "abs": abs, "minimum": min, "maximum": max}


class _Indexed(ast.NodeTransformer):
    """Turn components into elements of tuples and numbers into the real type; refuse all else.

    Parameters
    ----------
    where
        What the expression is of, for messages.
    operands
        The components of each operand by its name.
    """

    def __init__(self, where: str, operands: Mapping[str, Sequence[str]]) -> None:
        self._where, self._operands = where, operands

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Turn ``a.re`` into ``a[0]``."""
        if not isinstance(node.value, ast.Name) or node.value.id not in self._operands:
            raise self._error(f"{ast.unparse(node)!r} is not a component of {self._named()}")
        components = self._operands[node.value.id]
        if node.attr not in components:
            raise self._error(
                f"{node.value.id!r} has no component {node.attr!r}; use one of {', '.join(components)}"
                f"{nearest(node.attr, components)}"
            )
        return ast.Subscript(node.value, ast.Constant(components.index(node.attr)), ast.Load())

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Turn ``2`` into ``real(2.0)``: a kernel of float32 computes in float64 otherwise."""
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise self._error(f"{node.value!r} is not a number; use an integer or a float")
        return _call("real", ast.Constant(float(node.value)))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Check the function and its arguments."""
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if name not in FUNCTIONS:
            raise self._error(f"function {name!r} is unknown; use one of {', '.join(FUNCTIONS)}")
        if len(node.args) != FUNCTIONS[name] or node.keywords:
            count = f"{FUNCTIONS[name]} argument{'s' if FUNCTIONS[name] > 1 else ''}"
            raise self._error(f"{name} takes {count}: {ast.unparse(node)!r}")
        node.args = [self.visit(each) for each in node.args]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Refuse what is neither an operation nor a part of one."""
        if isinstance(node, ast.Name):
            raise self._error(f"{node.id!r} is not a component of {self._named()}")
        if not isinstance(node, POSSIBLE):
            raise self._error(
                f"only + - * / and {', '.join(FUNCTIONS)} are possible, not {type(node).__name__}"
            )
        return super().generic_visit(node)

    def _named(self) -> str:
        return " or ".join(f"{name!r} ({', '.join(parts)})" for name, parts in self._operands.items())

    def _error(self, reason: str) -> UserError:
        return UserError(f"{self._where}: {reason}")


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def indexed(where: str, expression: str, operands: Mapping[str, Sequence[str]]) -> str:
    """Return an expression of elements of tuples: with ``a.re`` as ``a[0]``, ``2`` as ``real(2.0)``.

    Parameters
    ----------
    where
        What it is of, for messages.
    expression
        Its text.
    operands
        The components of each operand by its name, in their order.

    Raises
    ------
    UserError
        If it is no expression, or names what there is not.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, AttributeError):
        raise UserError(
            f"{where}: {expression!r} is not an expression; write one such as a.x * b.x"
        ) from None
    return ast.unparse(ast.fix_missing_locations(_Indexed(where, operands).visit(tree)))


def function_of(text: str, name: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """Make a function of the text of its definition, in which `names` mean what is given.

    Its attribute ``made_of`` is the text: by that a kept kernel knows what it was made of
    (`gpu.runtime.kernel_cache`).

    Parameters
    ----------
    text
        One definition of a function.
    name
        The function's name.
    names
        What its global names mean.
    """
    namespace = {"__name__": __name__, **names}
    exec(compile(text, f"<generated {name}>", "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    function.made_of = (text, *names.values())  # type: ignore[attr-defined]
    return function


def of_arrays(text: str, name: str) -> Callable[..., Any]:
    """Make the function of NumPy arrays of a definition."""
    return function_of(text, name, {"real": float, **_ARRAYS})


def of_scalars(text: str, name: str, real: Any, names: Mapping[str, Any]) -> Callable[..., Any]:
    """Make the function of a kernel of a definition.

    Parameters
    ----------
    text, name
        As of `function_of`.
    real
        The type of its numbers, np.float32 or np.float64.
    names
        What further names mean.
    """
    return function_of(text, name, {"real": real, **_SCALARS, **names})
