"""Instructions that a text declares: ``.instruction "absdv.s vd=, va, vb", "abs(va - vb)"``.

The rule of an element is an expression of the operands, rounded to float32 after each operation. It is read
as data: names of operands, numbers and the operations of :data:`COST`, nothing else.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isa.declaration import EXTENSION_OPCODES, Instruction, InstructionSet, Length, Timing, Unit
from isa.semantics.numbers import put_vs
from isa.semantics.operations import divided, greater, lesser

IN_TEXT = ".instruction"
"""In the place of the extension of an instruction that a text declares."""
LONGEST = 200
"""Letters of a rule."""
COST = {"+": 1, "-": 1, "abs": 1, "min": 1, "max": 1, "if": 1, "*": 3, "/": 10}
"""What each operation takes of hardware, where one addition takes 1."""
_NAME = re.compile(r"[a-z][a-z0-9]{0,18}\.s")
_OPERAND = re.compile(r"v[a-z]{0,6}[=+]?|f[a-z]{0,6}")
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARES = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_CALLS = {"abs": 1, "min": 2, "max": 2}
_FUNCTIONS = {"abs": abs, "min": lesser, "max": greater, "put": put_vs, "divided": divided}


_FOLDER = Path(__file__).parent
"""What is made here is code of this package."""


@dataclass(frozen=True)
class DeclaredInstruction(Instruction):
    """An instruction that a text declares.

    Attributes
    ----------
    cost
        What its hardware takes, by :data:`COST`.
    """

    cost: int = field(default=0, compare=False)


class DeclarationError(ValueError):
    """What is wrong with a declaration, in one line."""


class _Rule:
    """A rule as Python of this module's making, and the operations that it has."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.used: set[str] = set()
        self.operations: list[str] = []
        self.numbers: list[Any] = []

    def text(self, node: ast.expr) -> str:
        """Return an expression as Python."""
        match node:
            case ast.Name(id=name):
                if name not in self.names:
                    known = ", ".join(self.names)
                    raise DeclarationError(f"{name!r} is no operand that the rule can read; it has {known}")
                self.used.add(name)
                return self.names[name]
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return self._number(value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return self._number(-value)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self._part('-', operand)})"
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return f"divided({self._part('/', left)}, {self.text(right)})"
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
                sign = _SIGNS[type(op)]
                return f"({self._part(sign, left)} {sign} {self.text(right)})"
            case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if _CALLS.get(name) == len(given):
                self.operations.append(name)
                return f"{name}({', '.join(map(self.text, given))})"
            case ast.IfExp(
                test=ast.Compare(left=left, ops=[sign], comparators=[right]), body=body, orelse=other
            ) if type(sign) in _COMPARES:
                test = f"{self._part('if', left)} {_COMPARES[type(sign)]} {self.text(right)}"
                return f"({self.text(body)} if {test} else {self.text(other)})"
        raise DeclarationError(
            "a rule has operands, numbers, + - * /, abs(a), min(a, b), max(a, b) and a if b < c else d"
        )

    def _part(self, operation: str, node: ast.expr) -> str:
        self.operations.append(operation)
        return self.text(node)

    def _number(self, value: float) -> str:
        with np.errstate(over="ignore"):
            number = np.float32(value) if abs(value) < 1e300 else np.float32(np.inf)
        if not math.isfinite(number):
            raise DeclarationError(f"{value:.6g} is too large for 32 bits")
        self.numbers.append(number)
        return f"c{len(self.numbers) - 1}"


def declared(head: str, rule: str, known: InstructionSet) -> DeclaredInstruction:
    """Return the instruction that a text declares.

    Parameters
    ----------
    head
        Its name and its operands in the syntax of :mod:`isa.declaration`, such as ``absdv.s vd=, va, vb``.
    rule
        What an element of the result is.
    known
        The instructions so far: it takes an opcode that they leave free.

    Raises
    ------
    DeclarationError
        Something is wrong with it.
    """
    name, _, syntax = head.partition(" ")
    operands = [each.strip() for each in syntax.split(",")]
    if not _NAME.fullmatch(name):
        raise DeclarationError(f"{name!r}: a name has small letters and digits and ends with .s, as absdv.s")
    if name.partition(".")[0] in {each.partition(".")[0] for each in known.by_mnemonic}:
        raise DeclarationError(f"{name} is an instruction already; choose another name")
    _check_operands(operands)
    names = [operand.rstrip("=+") for operand in operands]
    readable = {name: f"r{k}" for k, name in enumerate(names) if not operands[k].endswith("=")}
    made = _Rule(readable)
    parsed = _parsed(rule)
    value = made.text(parsed)
    unread = [name for name in readable if name not in made.used]
    if unread:
        raise DeclarationError(
            f"the rule does not read {', '.join(unread)}; leave it out, or write vd= for vd+"
        )
    free = next((each for each in EXTENSION_OPCODES if each not in known.by_opcode), None)
    if free is None:
        raise DeclarationError(f"a text declares at most {len(EXTENSION_OPCODES)} instructions")
    unit, latency = _timing(made.operations)
    try:
        return DeclaredInstruction(
            name, free, ", ".join(operands), unit, Timing.ELEMENTWISE, latency,
            _semantics(name, operands, value, made.numbers),
            f"{names[0]}[k] = {ast.unparse(parsed)}, float32",
            Length.VL, reads=("vl",), extension=IN_TEXT,
            cost=sum(COST[each] for each in made.operations),
        )  # fmt: skip
    except ValueError as error:
        raise DeclarationError(str(error)) from None


def _check_operands(operands: list[str]) -> None:
    names = [each.rstrip("=+") for each in operands]
    for operand in operands:
        if not _OPERAND.fullmatch(operand):
            raise DeclarationError(
                f"operand {operand!r}: write vd= or vd+ first, then vectors such as va and scalars such as fa"
            )
    if not operands[0].endswith(("=", "+")) or any(each.endswith(("=", "+")) for each in operands[1:]):
        raise DeclarationError("the first operand, and no other, is written: vd= or, if it is read too, vd+")
    if len(set(names)) < len(names):
        raise DeclarationError("two operands have one name; each needs another")
    if not any(each.startswith("v") and not each.endswith("=") for each in operands):
        raise DeclarationError("it must read a vector, such as va")


def _parsed(rule: str) -> ast.expr:
    if len(rule) > LONGEST:
        raise DeclarationError(f"the rule has {len(rule)} letters; use at most {LONGEST}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(rule.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise DeclarationError(f"{rule!r} is no expression") from None


def _timing(operations: list[str]) -> tuple[Unit, str]:
    """Return unit and latency: those of the slowest operation, or of multiply-add."""
    if "/" in operations:
        return Unit.MULTIPLY, "divide"
    if "*" in operations:
        return Unit.MULTIPLY, "multiply" if set(operations) == {"*"} else "multiply_add"
    return Unit.ADD, "add"


def _semantics(name: str, operands: list[str], value: str, numbers: list[Any]) -> Any:
    """Return the function that executes it, of the form that engines compile (docs/engines.md)."""
    lines = [f"def semantics(m, n, {', '.join(f'f{k}' for k in range(len(operands)))}):"]
    lines += [f" r{k} = m.fs[2 * f{k}]" for k, operand in enumerate(operands) if operand[0] == "f"]
    lines.append(" for k in range(n):")
    lines += [f"  {line}" for line in _reads(operands)]
    lines.append(f"  put(m, f0 * m.section + k, {value})")
    values = {f"c{k}": number for k, number in enumerate(numbers)}
    space: dict[str, Any] = {"__name__": __name__, "range": range, **_FUNCTIONS, **values}
    exec(compile("\n".join(lines), str(_FOLDER / f"<{name}>"), "exec"), space)
    return space["semantics"]


def _reads(operands: list[str]) -> Iterator[str]:
    for k, operand in enumerate(operands):
        if operand[0] == "v" and not operand.endswith("="):
            yield f"r{k} = m.vs[2 * (f{k} * m.section + k)]"
