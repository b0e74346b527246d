"""The text of one line as a small tree: labels, a mnemonic or directive, and its arguments.

The grammar is ``grammar.lark``. Nodes carry their column, for messages; nothing is known
here about instructions, registers or the values of symbols.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args

LINES_KEPT = 4096
"""Parsed lines that are kept: a program is assembled again for each matrix, and its text stays the same."""


class Problem(Exception):
    """A mistake at a column of the line; the assembler adds file and line.

    ``cause`` names what other lines may fail for, too, such as a name that is not known: a text has one
    message for each.
    """

    def __init__(self, column: int, reason: str, cause: str = "") -> None:
        super().__init__(column, reason, cause)
        self.column = column
        self.reason = reason
        self.cause = cause


@dataclass(frozen=True)
class Number:
    """An integer."""

    value: int
    column: int


@dataclass(frozen=True)
class Name:
    """A symbol or a register."""

    text: str
    column: int


@dataclass(frozen=True)
class Unary:
    """``+ - ~`` before an expression."""

    operator: str
    operand: Expression
    column: int


@dataclass(frozen=True)
class Binary:
    """Two expressions with an operator between them; the column is the operator's."""

    operator: str
    left: Expression
    right: Expression
    column: int


@dataclass(frozen=True)
class Group:
    """A parenthesised expression; ``(x5)`` alone is also a memory operand without offset."""

    inner: Expression
    column: int


@dataclass(frozen=True)
class Half:
    """``%hi(e)`` or ``%lo(e)``: the parts that lui and addi put together again."""

    part: str
    inner: Expression
    column: int


@dataclass(frozen=True)
class Memory:
    """``offset(base)``."""

    offset: Expression
    base: Name
    column: int


@dataclass(frozen=True)
class Float:
    """A literal that only floating-point data takes."""

    text: str
    column: int


@dataclass(frozen=True)
class Text:
    """Text in quotation marks, as it is written, for directives that take a file or characters."""

    value: str
    column: int


Expression: TypeAlias = Number | Name | Unary | Binary | Group | Half
Argument: TypeAlias = Expression | Memory | Float | Text


@dataclass(frozen=True)
class Line:
    """One line: its labels and its statement, if it has one."""

    labels: tuple[Name, ...]
    operation: Name | None
    """The mnemonic, or the directive with its dot."""
    arguments: tuple[Argument, ...]


def substituted(node: Argument, replace: Callable[[Name], Argument]) -> Argument:
    """Put arguments in the place of the names in an argument, such as that of a template.

    What a name within an expression is replaced by must be an expression.

    Raises
    ------
    Problem
        The expression is nested too deeply.
    """
    try:
        return _substituted(node, replace)
    except RecursionError:
        raise too_deep(node) from None


def too_deep(node: Argument) -> Problem:
    """Return what is wrong with an expression that is nested too deeply."""
    return Problem(node.column, "the expression is nested too deeply: split it with .equ")


def _substituted(node: Argument, replace: Callable[[Name], Argument]) -> Argument:
    def inner(node: Any) -> Any:
        return _substituted(node, replace)

    match node:
        case Name():
            return replace(node)
        case Half(part, operand):
            return Half(part, new := inner(operand), _column(node, operand, new))
        case Memory(offset, base):
            return Memory(new := inner(offset), inner(base), _column(node, offset, new))
        case Group(operand):
            return Group(new := inner(operand), _column(node, operand, new))
        case Unary(sign, operand):
            return Unary(sign, inner(operand), node.column)
        case Binary(sign, left, right):
            return Binary(sign, inner(left), inner(right), node.column)
    return node


def _column(node: Argument, old: Argument, new: Argument) -> int:
    """Return the column of a node with a part replaced: within a template it is that of the new part."""
    return node.column if new.column == old.column else new.column


def _name(token: Token) -> Name:
    return Name(str(token), token.column or 1)


@v_args(inline=True)
class _Builder(Transformer[Token, Line]):
    """Nodes from the parser's reductions; ``octal``: a number that begins with 0 is one, as in C."""

    def __init__(self, octal: bool = False) -> None:
        super().__init__()
        self._octal = octal

    def number(self, token: Token) -> Number:
        column = token.column or 1
        if len(token) > 66:
            raise Problem(column, "the number does not fit 64 bits: use a smaller one")
        base = {"x": 16, "b": 2}.get(token[1:2].lower(), 10)
        if self._octal and base == 10 and token[0] == "0":
            if not set(token) <= set("01234567"):
                raise Problem(
                    column, f"{token} begins with 0, so it is octal: leave out the 0, or the 8 and 9"
                )
            base = 8
        return Number(int(token, base), column)

    def name(self, token: Token) -> Name:
        return _name(token)

    def label(self, token: Token) -> Name:
        return _name(token)

    def unary(self, sign: Token, operand: Expression) -> Unary:
        return Unary(str(sign), operand, sign.column or 1)

    def binary(self, left: Expression, sign: Token, right: Expression) -> Binary:
        return Binary(str(sign), left, right, sign.column or 1)

    def group(self, opening: Token, inner: Expression) -> Group:
        return Group(inner, opening.column or 1)

    def half(self, part: Token, inner: Expression) -> Half:
        return Half(str(part)[1:], inner, part.column or 1)

    def memory(self, offset: Expression, opening: Token, base: Token) -> Memory:
        return Memory(offset, _name(base), offset.column)

    def float(self, *tokens: Token) -> Float:
        return Float("".join(tokens), tokens[0].column or 1)

    def text(self, token: Token) -> Text:
        return Text(str(token)[1:-1], token.column or 1)

    def arguments(self, *arguments: Argument) -> tuple[Argument, ...]:
        return arguments

    def directive(
        self, name: Token, arguments: tuple[Argument, ...] | None
    ) -> tuple[Name, tuple[Argument, ...]]:
        return _name(name), arguments or ()

    instruction = directive

    def section(self, name: Token, section: Token) -> tuple[Name, tuple[Argument, ...]]:
        return _name(name), (_name(section),)

    def line(self, *parts: Name | tuple[Name, tuple[Argument, ...]] | None) -> Line:
        labels = tuple(part for part in parts if isinstance(part, Name))
        operation, arguments = parts[-1] if isinstance(parts[-1], tuple) else (None, ())
        return Line(labels, operation, arguments)


def parser_of(
    start: str, *, octal: bool = False, terminals: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """Return a parser of a text as one rule of the grammar; it raises Problem.

    Parameters
    ----------
    start
        The rule.
    octal
        Whether a number that begins with 0 is octal.
    terminals
        Patterns in the place of those that the grammar has, by the names of the terminals, a priority after a
        point.
    """
    grammar = files("isa.text").joinpath("grammar.lark").read_text(encoding="utf-8")
    for name, pattern in (terminals or {}).items():
        line = f"{name}: /{pattern}/".replace("\\", r"\\")
        grammar = re.sub(rf"^{name.partition('.')[0]}\b.*$", line, grammar, flags=re.MULTILINE)
    lark = Lark(grammar, start=start, parser="lalr", maybe_placeholders=True, transformer=_Builder(octal))

    def parse(text: str) -> Any:
        try:
            return lark.parse(text)
        except UnexpectedInput as error:
            raise _problem(error, text) from None

    return parse


@cache
def _parser() -> Callable[[str], Any]:
    return parser_of("line")


@lru_cache(maxsize=LINES_KEPT)
def parse_line(text: str) -> Line:
    """Parse one line; the result cannot be changed, and the same text may give the same object.

    Raises
    ------
    Problem
        The text does not follow the grammar.
    """
    tree = _parser()(text)
    assert isinstance(tree, Line)
    return tree


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"'}
_ESCAPED = re.compile(r"\\(.)")


def characters(argument: Argument) -> bytes:
    """Return the characters of a text in UTF-8; Problem if it is none, or has an unknown escape."""
    if not isinstance(argument, Text):
        raise Problem(argument.column, 'write characters in quotation marks: "text"')
    for escape in _ESCAPED.finditer(argument.value):
        if escape[1] not in _ESCAPES:
            reason = f"unknown escape {escape[0]}: write one of {' '.join(map(chr(92).__add__, _ESCAPES))}"
            raise Problem(argument.column + 1 + escape.start(), reason)
    return _ESCAPED.sub(lambda escape: _ESCAPES[escape[1]], argument.value).encode("utf-8", "surrogatepass")


def _problem(error: UnexpectedInput, text: str) -> Problem:
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        expected = " or ".join(_expected(error.accepts or error.expected))
        return Problem(error.token.column or 1, f"unexpected {str(error.token)!r}; expected {expected}")
    if isinstance(error, UnexpectedCharacters):
        expected = " or ".join(_expected(error.allowed or set()))
        return Problem(error.column, f"unexpected {text[error.column - 1]!r}; expected {expected}")
    expected = " or ".join(_expected(getattr(error, "accepts", None) or set()))
    end = len(text.rstrip()) + 1
    return Problem(end, f"the line ends too early; expected {expected}")


_READABLE = {
    "NAME": "a name",
    "NUMBER": "a number",
    "COMMA": "a comma",
    "RPAR": "')'",
    "$END": "the end of the line",
    "DIRECTIVE": "a directive",
}


def _expected(terminals: set[str]) -> list[str]:
    """Name what may come at a place, the commonest few; operators go without saying."""
    return [text for terminal, text in _READABLE.items() if terminal in terminals] or ["something else"]
